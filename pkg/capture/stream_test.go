package capture

import (
	"context"
	"errors"
	"io"
	"net"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"voice-input/pkg/cli"
	"voice-input/pkg/internal/soundtest"
)

func TestStream(t *testing.T) {
	s := soundtest.Pulse(t)
	stream, err := Open(t.Context(), Options{Source: "pipemic", Fragment: 64, Getenv: s.Getenv})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	if stream.Source.Name != "pipemic" || stream.Server != s.Socket() || stream.Fragment < SampleSize {
		t.Errorf("%+v", stream)
	}
	const n = Rate / 10
	speak(t, s, ramp(n))
	got := make([]byte, n*SampleSize)
	if _, err := io.ReadFull(stream, got); err != nil {
		t.Fatal(err)
	}
	checkRamp(t, string(got), n)

	// Close wakes a reader.
	read := make(chan error)
	go func() {
		_, err := stream.Read(got)
		read <- err
	}()
	stream.Close()
	if err := <-read; err != io.EOF {
		t.Errorf("read %v after Close", err)
	}
	<-stream.Ended()
	s.WaitRecordings(0)
}

// TestCloseKeepsWhatWasSent closes a stream before anything was read.
func TestCloseKeepsWhatWasSent(t *testing.T) {
	s := soundtest.Pulse(t)
	stream, err := Open(t.Context(), Options{Fragment: 64, Getenv: s.Getenv})
	if err != nil {
		t.Fatal(err)
	}
	const n = Rate / 10
	speak(t, s, ramp(n))
	soundtest.WaitFor(t, "the samples", func() bool {
		stream.queue.mu.Lock()
		defer stream.queue.mu.Unlock()
		return len(stream.queue.bytes) == n*SampleSize
	})
	stream.Close()
	got, err := io.ReadAll(stream)
	if err != nil {
		t.Fatal(err)
	}
	checkRamp(t, string(got), n)
}

func TestStreamLosesServer(t *testing.T) {
	s := soundtest.Pulse(t)
	stream, err := Open(t.Context(), Options{Getenv: s.Getenv})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	s.Kill()
	_, err = io.ReadAll(stream)
	var lost *LostError
	if !errors.As(err, &lost) || lost.Reason != "server_lost" || lost.Source != "pipemic" {
		t.Errorf("%v", err)
	}
}

// TestStoppedServer opens, and closes, against a server that does not answer.
func TestStoppedServer(t *testing.T) {
	s := soundtest.Pulse(t)
	stream, err := Open(t.Context(), Options{Getenv: s.Getenv})
	if err != nil {
		t.Fatal(err)
	}
	s.Stop()
	defer s.Continue()
	stream.Close() // returns, and the connection is gone
	if _, err := stream.Read(make([]byte, 2)); err != io.EOF {
		t.Errorf("read: %v", err)
	}
	if _, err := Open(t.Context(), Options{Getenv: s.Getenv}); cli.StatusOf(err) != cli.StatusTempFail {
		t.Errorf("open: %v", err)
	}
}

func TestOpenIsCancelled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		if c, err := l.Accept(); err == nil {
			defer c.Close()
			cancel()
			c.SetDeadline(time.Now().Add(soundtest.Limit))
			io.Copy(io.Discard, c)
		}
	}()
	_, err = Open(ctx, Options{Getenv: env(map[string]string{"PULSE_SERVER": path})})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// BenchmarkFirstSample measures from the start of the process to its first
// sample, with a source that always has some.
func BenchmarkFirstSample(b *testing.B) {
	s := soundtest.Pulse(b)
	mic := s.Mic()
	ctx, cancel := context.WithCancel(b.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			if _, err := mic.Write(ramp(Rate / 100)); err != nil {
				return
			}
		}
	}()
	b.Cleanup(func() { cancel(); mic.Close(); <-done })
	for b.Loop() {
		if status, _, stderr := runToEnd(b, s.Env(), []string{"--for", "62.5us"}); status != 0 {
			b.Fatalf("status %d, stderr %q", status, stderr)
		}
	}
}

// TestWithoutCookie connects often, as a user that the server must know by
// its id alone. About 1 in 300 such connections was refused before
// showCredentials.
func TestWithoutCookie(t *testing.T) {
	s := soundtest.Pulse(t)
	home := t.TempDir()
	getenv := func(name string) string {
		if name == "HOME" {
			return home
		}
		return s.Getenv(name)
	}
	var clients sync.WaitGroup
	for range 4 {
		clients.Go(func() {
			for range 500 {
				if _, _, err := Sources(t.Context(), getenv); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	clients.Wait()
}

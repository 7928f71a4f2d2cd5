package supervise

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"voice-input/pkg/internal/soundtest"
)

// player writes known samples into a microphone at the pace of speech until
// it is stopped, and knows how many were written.
type player struct {
	mic  *soundtest.Mic
	pcm  []byte
	mu   sync.Mutex
	at   int
	stop chan struct{}
	done sync.WaitGroup
}

const step = sampleRate / 100 * bytesPerSample // 10 ms

// play plays noise in which every stretch is found at one place only.
func play(mic *soundtest.Mic, seed uint64) *player {
	p := &player{mic: mic, pcm: make([]byte, 60*100*step), stop: make(chan struct{})}
	src := rand.NewPCG(seed, 0)
	for i := range p.pcm {
		p.pcm[i] = byte(src.Uint64())
	}
	p.done.Go(func() {
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for p.at+step <= len(p.pcm) {
			select {
			case <-p.stop:
				return
			case <-tick.C:
			}
			p.mic.Write(p.pcm[p.at : p.at+step])
			p.mu.Lock()
			p.at += step
			p.mu.Unlock()
		}
	})
	return p
}

// written is how many bytes the sound server has been given.
func (p *player) written() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.at
}

func (p *player) end() {
	close(p.stop)
	p.done.Wait()
}

// link keeps the spooled take at hand readable after it is removed.
func (l *lab) link(name string) string {
	l.t.Helper()
	var files []string
	l.server.WaitFor("the spool", func() bool { files = l.spooled(); return len(files) == 1 })
	path := filepath.Join(filepath.Dir(l.config), name)
	if err := os.Link(files[0], path); err != nil {
		// The runtime directory may be another file system.
		l.t.Fatal(err)
	}
	return path
}

// sink is a recogniser that hears nothing, so that a take of noise ends.
const sink = `asr = ["sh", "-c", "cat > /dev/null; echo '{\"schema\":\"vi.asr/1\",\"reason\":\"no_speech\",\"type\":\"final\",\"outcome\":\"empty\"}'"]` + "\n"

// What is spooled equals what was played, byte for byte: no gap, no repeat,
// the first sample kept and the tail included, whatever the fragment and
// however late the first samples come.
func TestSpoolEqualsWhatWasPlayed(t *testing.T) {
	t.Parallel()
	tests := []struct {
		fragment int
		delay    time.Duration
	}{
		{64, 0}, {640, 0}, {4096, 0}, {640, 300 * time.Millisecond}, {64, time.Second}, {640, 3 * time.Second},
	}
	for i, tt := range tests {
		t.Run(fmt.Sprintf("%d bytes, %v", tt.fragment, tt.delay), func(t *testing.T) {
			t.Parallel()
			server := soundtest.Pulse(t)
			l := newLab(t, server, "[deliver]\nto = \"stdout\"\n[stages]\n"+sink+fmt.Sprintf("capture = [%q, \"--events-fd\", \"3\", \"--fragment\", \"%d\"]\n", filepath.Join(programs, "vi-capture"), tt.fragment))
			mic := server.Mic()
			l.record(0, "toggle")
			time.Sleep(tt.delay) // the delay is what is tried
			p := play(mic, uint64(i))
			defer p.end()
			l.await(Recording)
			spooled := l.link("take")
			server.WaitFor("a second of samples", func() bool { return p.written() > 100*step })
			before := p.written()
			l.record(0, "toggle")
			l.await(Idle)
			got, err := os.ReadFile(spooled)
			if err != nil {
				t.Fatal(err)
			}
			after := p.written()
			if !bytes.Equal(got, p.pcm[:len(got)]) {
				t.Fatalf("what was spooled is not what was played: it starts at byte %d of it", bytes.Index(p.pcm, got[:min(len(got), 64)]))
			}
			// The server may hold back less than a fragment when the tail is over.
			least := before - max(0, tt.fragment-maxBytesInt(tail))
			if len(got) < least || len(got) > after {
				t.Errorf("%d bytes were spooled; %d were played before the stop and %d in all", len(got), before, after)
			}
			if tt.fragment <= 640 && len(got) <= before {
				t.Errorf("the tail is missing: %d bytes were spooled, %d were played before the stop", len(got), before)
			}
		})
	}
}

func maxBytesInt(d time.Duration) int { return int(maxBytes(d)) }

// Takes back to back and a restart share no sample.
func TestTakesShareNoSample(t *testing.T) {
	t.Parallel()
	server := soundtest.Pulse(t)
	l := newLab(t, server, "[deliver]\nto = \"stdout\"\n[stages]\n"+sink)
	mic := server.Mic()
	l.record(0, "start")
	p := play(mic, 99)
	defer p.end()
	var takes [][]byte
	for i, end := range []string{"stop", "restart", "stop"} {
		l.await(Recording)
		at := p.written()
		server.WaitFor("some samples", func() bool { return p.written() > at+30*step })
		// A restart keeps the old take for retry beside the new one.
		files := l.spooled()
		path := filepath.Join(t.TempDir(), "take")
		if err := os.Link(files[len(files)-1], path); err != nil {
			t.Fatal(err)
		}
		l.record(0, end)
		if end == "stop" {
			l.await(Idle)
			if i == 0 {
				l.record(0, "start")
			}
		}
		time.Sleep(2 * tail) // let the old recorder write what it still holds
		b, err := os.ReadFile(path)
		if err != nil || len(b) == 0 {
			t.Fatalf("take %d: %d bytes, %v", i, len(b), err)
		}
		takes = append(takes, b)
	}
	last := 0
	for i, take := range takes {
		at := bytes.Index(p.pcm, take)
		if at < 0 {
			t.Fatalf("take %d has a gap or a repeat", i)
		}
		if at < last {
			t.Errorf("take %d starts at byte %d, before the end of the one before, %d", i, at, last)
		}
		// The microphone stays open over a restart, so nothing falls between.
		if i == 2 && at != last {
			t.Errorf("the take after the restart starts at byte %d, the one before ended at %d", at, last)
		}
		last = at + len(take)
	}
}

// A take ends by itself at its maximum, and that stop cannot reach the next.
func TestMaximum(t *testing.T) {
	t.Parallel()
	server := soundtest.Pulse(t)
	l := newLab(t, server, "[audio]\nmax_duration_ms = 1000\n[deliver]\nto = \"stdout\"\n[stages]\n"+sink)
	mic := server.Mic()
	l.record(0, "start")
	p := play(mic, 5)
	defer p.end()
	spooled := l.link("take")
	l.await(Idle)
	got, _ := os.ReadFile(spooled)
	if want := int(maxBytes(time.Second)); len(got) != want || !bytes.Equal(got, p.pcm[:len(got)]) {
		t.Errorf("%d bytes were spooled, want exactly %d", len(got), want)
	}
	l.quiet()
}

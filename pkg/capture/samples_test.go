package capture

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"voice-input/pkg/internal/child"
	"voice-input/pkg/internal/soundtest"
	"voice-input/pkg/internal/wavfile"
	"voice-input/pkg/wire"
)

func TestSamplesAreIdentical(t *testing.T) {
	s := soundtest.Pulse(t)
	mic := s.Mic()
	for _, fragment := range []int{64, 640, 4096} {
		t.Run(fmt.Sprint(fragment), func(t *testing.T) {
			r := record(t, s.Env(), []string{"--fragment", fmt.Sprint(fragment)})
			s.WaitRecordings(1)
			const n = Rate
			mic.Speak(ramp(n))
			soundtest.WaitFor(t, "the samples", func() bool { return r.stdout.Len() == n*SampleSize })
			interrupt(r.Process)
			r.end(0)
			checkRamp(t, r.stdout.String(), n)
			r.wantEnd("interrupted", n, wire.CaptureReady)
			s.WaitRecordings(0)
		})
	}
}

func TestForIsExact(t *testing.T) {
	s := soundtest.Pulse(t)
	for _, tt := range []struct {
		duration string
		samples  int
	}{{"62.5us", 1}, {"1ms", 16}, {"1234ms", 19744}, {"4s", 64000}} {
		t.Run(tt.duration, func(t *testing.T) {
			r := record(t, s.Env(), []string{"--for", tt.duration, "--source", "pipemic"})
			s.WaitRecordings(1)
			// A mic of its own: what is too much must not stay in the pipe.
			speak(t, s, ramp(tt.samples+Rate/10))
			r.end(0)
			checkRamp(t, r.stdout.String(), tt.samples)
			r.wantEnd(wire.OK, int64(tt.samples), wire.CaptureReady)
			if got := r.stderr.String(); got != "" {
				t.Errorf("stderr %q", got)
			}
			s.WaitRecordings(0)
			drain(t, s)
		})
	}
}

// speak writes samples to pipemic in the background.
func speak(t testing.TB, s *soundtest.Server, pcm []byte) {
	mic := s.Mic()
	done := make(chan struct{})
	go func() {
		defer close(done)
		mic.Write(pcm)
	}()
	t.Cleanup(func() { <-done })
}

// drain empties the pipe that pipemic reads.
func drain(t testing.TB, s *soundtest.Server) {
	t.Helper()
	f, err := os.OpenFile(s.FIFO(), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	f.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
	io.Copy(io.Discard, f)
}

func TestReadyAfterFirstSamples(t *testing.T) {
	s := soundtest.Pulse(t)
	r := record(t, s.Env(), []string{"--for", "100ms"})
	s.WaitRecordings(1)
	time.Sleep(time.Second) // the source delivers nothing, and that is the point
	if got := r.events.String(); got != "" {
		t.Fatalf("events before the first samples: %s", got)
	}
	speak(t, s, ramp(Rate))
	r.end(0)
	ready := r.waitEvent(wire.CaptureReady)
	if ready.Source != "pipemic" || ready.StartMS < 1000 {
		t.Errorf("ready event %+v", ready)
	}
}

func TestLevels(t *testing.T) {
	s := soundtest.Pulse(t)
	r := record(t, s.Env(), []string{"--for", "300ms"})
	s.WaitRecordings(1)
	loud := bytes.Repeat([]byte{0, 0x40, 0, 0xc0}, levelSamples/2) // ±16384
	speak(t, s, append(append(loud, make([]byte, levelSamples*SampleSize)...), loud...))
	r.end(0)
	var got []string
	for _, e := range r.allEvents() {
		if e.Type == wire.CaptureLevel {
			got = append(got, fmt.Sprintf("%d:%.2f/%.2f", levelSamples*len(got), e.RMS, e.Peak))
		}
	}
	if want := "0:0.50/0.50 1600:0.00/0.00 3200:0.50/0.50"; strings.Join(got, " ") != want {
		t.Errorf("levels %v, want %s", got, want)
	}
}

func TestPipeWireDeliversInRealTime(t *testing.T) {
	s := soundtest.PipeWire(t)
	r := record(t, s.Env(), []string{"--for", "500ms"})
	r.end(0)
	r.wantEnd(wire.OK, Rate/2, wire.CaptureReady)
	if ready := r.waitEvent(wire.CaptureReady); ready.Source != "mic" {
		t.Errorf("ready event %+v", ready)
	}
	s.WaitRecordings(0)
}

func TestWAV(t *testing.T) {
	s := soundtest.Pulse(t)
	const n = Rate / 10
	unknown, exact := string(wavfile.Header(Rate, wavfile.Unknown)), string(wavfile.Header(Rate, n*SampleSize))
	for _, tt := range []struct {
		name   string
		flags  int
		before string // what the file holds already
		want   string
	}{
		{"file", os.O_TRUNC, "", exact},
		{"behind other bytes", 0, "before", "before" + exact},
		{"appended", os.O_APPEND, "before", "before" + unknown},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "out.wav")
			if err := os.WriteFile(path, []byte(tt.before), 0o600); err != nil {
				t.Fatal(err)
			}
			f, err := os.OpenFile(path, os.O_WRONLY|tt.flags, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			f.Seek(0, io.SeekEnd)
			r := record(t, s.Env(), []string{"--for", "100ms", "--format", "wav"}, func(spec *child.Spec) { spec.Stdout = f })
			s.WaitRecordings(1)
			speak(t, s, ramp(n))
			r.end(0)
			got, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != tt.want+string(ramp(n)) {
				t.Errorf("%d bytes: %q", len(got), got[:min(len(got), 60)])
			}
		})
	}
	t.Run("pipe", func(t *testing.T) {
		r := record(t, s.Env(), []string{"--format", "wav"})
		s.WaitRecordings(1)
		speak(t, s, ramp(n))
		soundtest.WaitFor(t, "the samples", func() bool { return r.stdout.Len() == wavfile.HeaderSize+n*SampleSize })
		r.Signal(syscall.SIGTERM)
		r.end(0)
		if got := r.stdout.String(); got != unknown+string(ramp(n)) {
			t.Errorf("%d bytes: %q", len(got), got[:wavfile.HeaderSize])
		}
	})
	t.Run("nothing", func(t *testing.T) {
		r := record(t, s.Env(), []string{"--format", "wav"})
		s.WaitRecordings(1)
		interrupt(r.Process)
		r.end(0)
		if got := r.stdout.String(); got != unknown {
			t.Errorf("%q", got)
		}
	})
}

// smallPipe returns a pipe that holds one page, so that a slow reader is felt
// at once.
func smallPipe(t testing.TB) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := unix.FcntlInt(w.Fd(), unix.F_SETPIPE_SZ, os.Getpagesize()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	return r, w
}

func TestSlowReaderLosesNothing(t *testing.T) {
	s := soundtest.Pulse(t)
	out, in := smallPipe(t)
	const n = 3 * Rate
	r := record(t, s.Env(), []string{"--for", "3s"}, func(spec *child.Spec) { spec.Stdout = in })
	in.Close()
	s.WaitRecordings(1)
	mic := s.Mic()
	spoken := make(chan struct{})
	go func() { defer close(spoken); mic.Speak(ramp(n)) }()
	time.Sleep(2 * time.Second) // the reader does nothing, and that is the point
	got, err := io.ReadAll(out)
	<-spoken
	if err != nil {
		t.Fatal(err)
	}
	checkRamp(t, string(got), n)
	r.end(0)
}

func TestTooSlowReaderIsAnError(t *testing.T) {
	s := soundtest.Pulse(t)
	out, in := smallPipe(t)
	r := record(t, s.Env(), nil, func(spec *child.Spec) { spec.Stdout = in })
	in.Close()
	s.WaitRecordings(1)
	const n = QueueLimit/SampleSize + 8*Rate
	speak(t, s, ramp(n))
	s.WaitRecordings(0) // it lets go of the microphone before anybody reads
	drain(t, s)
	got, err := io.ReadAll(out)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) < QueueLimit/2 {
		t.Errorf("only %d bytes were kept", len(got))
	}
	checkRamp(t, string(got), len(got)/SampleSize)
	r.end(74)
	r.wantEnd("overflow", -1, wire.CaptureReady)
}

func TestReaderThatNeverReads(t *testing.T) {
	s := soundtest.Pulse(t)
	_, in := smallPipe(t)
	r := record(t, s.Env(), nil, func(spec *child.Spec) { spec.Stdout = in })
	s.WaitRecordings(1)
	speak(t, s, ramp(Rate))
	r.waitEvent(wire.CaptureReady)
	interrupt(r.Process)
	s.WaitRecordings(0)
	r.end(74)
	r.wantEnd("overflow", -1, wire.CaptureReady)
	if got := r.stderr.String(); !strings.Contains(got, "was not read for 5s") {
		t.Errorf("stderr %q", got)
	}
}

func TestClosedOutput(t *testing.T) {
	s := soundtest.Pulse(t)
	out, in := smallPipe(t)
	r := record(t, s.Env(), nil, func(spec *child.Spec) { spec.Stdout = in })
	in.Close()
	s.WaitRecordings(1)
	speak(t, s, ramp(Rate/10))
	r.waitEvent(wire.CaptureReady)
	out.Close()
	speak(t, s, ramp(Rate))
	r.end(0)
	r.wantEnd("interrupted", -1, wire.CaptureReady)
	s.WaitRecordings(0)
}

func TestFullDisk(t *testing.T) {
	s := soundtest.Pulse(t)
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	r := record(t, s.Env(), nil, func(spec *child.Spec) { spec.Stdout = full })
	s.WaitRecordings(1)
	speak(t, s, ramp(Rate))
	r.end(74)
	r.wantEnd("interrupted", 0, wire.CaptureReady)
	if got := r.stderr.String(); !strings.Contains(got, "no space left on device") {
		t.Errorf("stderr %q", got)
	}
}

func TestEventsNeverStallSamples(t *testing.T) {
	s := soundtest.Pulse(t)
	const n = 30 * Rate // 300 levels, 40 KB: more than the pipe and the queue hold
	for _, name := range []string{"closed", "full"} {
		t.Run(name, func(t *testing.T) {
			out, in := smallPipe(t)
			r := record(t, s.Env(), []string{"--for", "30s"}, func(spec *child.Spec) { spec.Extra = []*os.File{in} })
			in.Close()
			if name == "closed" {
				out.Close()
			}
			s.WaitRecordings(1)
			speak(t, s, ramp(n))
			r.end(0)
			checkRamp(t, r.stdout.String(), n)
		})
	}
}

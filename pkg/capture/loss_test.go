package capture

import (
	"net"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"voice-input/pkg/internal/soundtest"
	"voice-input/pkg/wire"
)

// servers that every kind of loss is tried on, and how samples are made to
// flow on them.
var kinds = []struct {
	name   string
	start  func(testing.TB) *soundtest.Server
	source string
	feed   func(testing.TB, *soundtest.Server)
}{
	{"pulseaudio", soundtest.Pulse, "pipemic", func(t testing.TB, s *soundtest.Server) { speak(t, s, ramp(Rate/10)) }},
	{"pipewire", soundtest.PipeWire, "mic", func(testing.TB, *soundtest.Server) {}},
}

func TestLoss(t *testing.T) {
	tests := []struct {
		name   string
		happen func(s *soundtest.Server, source string)
		status int
		reason string
		event  string // before the end
		stderr string
	}{
		{
			"source removed", func(s *soundtest.Server, source string) { s.Unload(source) },
			69, "device_lost", wire.CaptureDeviceLost, "the source was removed or the stream was killed",
		},
		{
			"stream killed", func(s *soundtest.Server, _ string) { s.KillRecording(s.Recordings()[0]) },
			69, "device_lost", wire.CaptureDeviceLost, "the source was removed or the stream was killed",
		},
		{
			"server killed", func(s *soundtest.Server, _ string) { s.Kill() },
			69, "server_lost", wire.CaptureDeviceLost, "the connection to the sound server broke",
		},
		{
			"core killed", func(s *soundtest.Server, _ string) { s.KillCore() },
			69, "", wire.CaptureDeviceLost, "recording of",
		},
		{
			"server stopped", func(s *soundtest.Server, _ string) { s.Stop() },
			75, "no_data", "", "no samples came for longer than --stall",
		},
	}
	for _, kind := range kinds {
		for _, tt := range tests {
			t.Run(kind.name+"/"+tt.name, func(t *testing.T) {
				s := kind.start(t)
				r := record(t, s.Env(), []string{"--source", kind.source, "--stall", "1s"})
				s.WaitRecordings(1)
				kind.feed(t, s)
				r.waitEvent(wire.CaptureLevel)
				tt.happen(s, kind.source)
				r.end(tt.status)
				end := r.waitEvent(wire.CaptureEnd)
				before := []string{wire.CaptureReady}
				if tt.event != "" {
					before = append(before, tt.event)
				}
				if tt.reason == "" {
					// PipeWire's core takes the stream, the server, or both with it.
					tt.reason = end.Reason
				}
				r.wantEnd(tt.reason, end.Samples, before...)
				if end.Samples < levelSamples {
					t.Errorf("only %d samples came out", end.Samples)
				}
				if got := r.stderr.String(); !strings.Contains(got, tt.stderr) {
					t.Errorf("stderr %q", got)
				}
			})
		}
	}
}

func TestSuspendedWhileRecording(t *testing.T) {
	t.Run("pulseaudio", func(t *testing.T) {
		s := soundtest.Pulse(t)
		r := record(t, s.Env(), nil)
		s.WaitRecordings(1)
		speak(t, s, ramp(levelSamples))
		r.waitEvent(wire.CaptureLevel)
		s.Suspend("pipemic", true)
		r.end(69)
		r.wantEnd("suspended", levelSamples, wire.CaptureReady, wire.CaptureDeviceLost)
		checkRamp(t, r.stdout.String(), levelSamples)
	})
	// PipeWire wakes a source that is being recorded at once.
	t.Run("pipewire", func(t *testing.T) {
		s := soundtest.PipeWire(t)
		r := record(t, s.Env(), nil)
		r.waitEvent(wire.CaptureLevel)
		s.Suspend("mic", true)
		before := r.stdout.Len()
		soundtest.WaitFor(t, "more samples", func() bool { return r.stdout.Len() > before+Rate })
		interrupt(r.Process)
		r.end(0)
	})
}

// TestSuspendedAtTheStart records a source that somebody had suspended: it
// is woken.
func TestSuspendedAtTheStart(t *testing.T) {
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			s := kind.start(t)
			s.Suspend(kind.source, true)
			r := record(t, s.Env(), []string{"--for", "100ms", "--explain"})
			kind.feed(t, s)
			r.end(0)
			r.wantEnd(wire.OK, Rate/10, wire.CaptureReady)
			if got := r.stderr.String(); !strings.Contains(got, "suspended") {
				t.Errorf("stderr %q", got)
			}
		})
	}
}

// TestNeverMoves asks the server to move a recording, and gives it another
// default source. Neither takes it away from its source.
func TestNeverMoves(t *testing.T) {
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			s := kind.start(t)
			r := record(t, s.Env(), nil)
			s.WaitRecordings(1)
			was := s.Recordings()[0]
			kind.feed(t, s)
			r.waitEvent(wire.CaptureLevel)
			if out, err := s.TryPactl("move-source-output", was.Index, "speaker.monitor"); err == nil {
				t.Errorf("the server moved it: %s", out)
			}
			s.Pactl("set-default-source", "speaker.monitor")
			before := r.stdout.Len()
			kind.feed(t, s)
			soundtest.WaitFor(t, "more samples", func() bool { return r.stdout.Len() >= before+Rate/10*SampleSize })
			if is := s.Recordings(); len(is) != 1 || is[0] != was {
				t.Errorf("recording %v, was %v", is, was)
			}
			interrupt(r.Process)
			r.end(0)
			r.wantEnd("interrupted", r.waitEvent(wire.CaptureEnd).Samples, wire.CaptureReady)
		})
	}
}

func TestSignals(t *testing.T) {
	s := soundtest.Pulse(t)
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			r := record(t, s.Env(), nil)
			s.WaitRecordings(1)
			const n = Rate / 4
			speak(t, s, ramp(n))
			soundtest.WaitFor(t, "the samples", func() bool { return r.stdout.Len() == n*SampleSize })
			r.Signal(signal)
			r.end(0)
			checkRamp(t, r.stdout.String(), n)
			r.wantEnd("interrupted", n, wire.CaptureReady)
			if got := r.stderr.String(); got != "" {
				t.Errorf("stderr %q", got)
			}
			s.WaitRecordings(0)
		})
	}
}

// TestSignalWhileConnecting interrupts vi-capture before it has a server.
func TestSignalWhileConnecting(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	r := record(t, []string{"PULSE_SERVER=" + path}, nil)
	c, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	interrupt(r.Process)
	r.end(0)
	r.wantEnd("interrupted", 0)
}

// TestStoppedProgram stops vi-capture for longer than --stall, as a shell's
// job control does. That is no silence of the source, and nothing is lost.
func TestStoppedProgram(t *testing.T) {
	s := soundtest.Pulse(t)
	const n = 2 * Rate
	r := record(t, s.Env(), []string{"--for", "2s", "--stall", "500ms"})
	s.WaitRecordings(1)
	mic := s.Mic()
	spoken := make(chan struct{})
	go func() { defer close(spoken); mic.Speak(ramp(n + levelSamples)) }()
	r.waitEvent(wire.CaptureLevel)
	r.Signal(syscall.SIGSTOP)
	time.Sleep(time.Second) // nothing happens, and that is the point
	r.Signal(syscall.SIGCONT)
	<-spoken
	r.end(0)
	checkRamp(t, r.stdout.String(), n)
}

package soundtest

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Pulse starts PulseAudio.
func Pulse(t testing.TB) *Server {
	t.Helper()
	s := startPulse(t, fmt.Sprintf(`
load-module module-null-sink sink_name=speaker rate=48000 channels=2
load-module module-remap-source master=speaker.monitor source_name=mic channels=1
load-module module-pipe-source source_name=pipemic file=%s format=s16le rate=%d channels=1
set-default-source pipemic
`, fifoName, micRate))
	s.WaitFor("the sources", func() bool {
		_, err := os.Stat(s.FIFO())
		out, pactl := s.TryPactl("get-default-source")
		return err == nil && pactl == nil && out == "pipemic"
	})
	return s
}

// EmptyPulse starts PulseAudio without any source.
func EmptyPulse(t testing.TB) *Server {
	t.Helper()
	s := startPulse(t, "")
	s.WaitFor("the server", func() bool {
		_, err := s.TryPactl("info")
		return err == nil
	})
	return s
}

func startPulse(t testing.TB, script string) *Server {
	t.Helper()
	require(t, "pulseaudio", "pactl")
	s := newServer(t)
	path := filepath.Join(s.Home, "test.pa")
	if err := os.WriteFile(path, []byte("load-module module-native-protocol-unix\n"+script), 0o600); err != nil {
		t.Fatal(err)
	}
	s.clients = s.start("pulseaudio", "-n", "-F", path, "--daemonize=no", "--exit-idle-time=-1", "--log-target=stderr")
	s.core = s.clients
	return s
}

const (
	micRate  = 16000
	micStep  = 10 * time.Millisecond
	fifoName = "pipemic" // a relative name is taken from the runtime directory
)

// FIFO is the path of the pipe that pipemic reads: s16le, 16 kHz, mono.
func (s *Server) FIFO() string { return filepath.Join(s.RuntimeDir, "pulse", fifoName) }

// Mic writes the samples that pipemic hears.
type Mic struct {
	t testing.TB
	f *os.File
}

// Mic opens pipemic's other end. While nothing records it, what is written
// stays in the pipe (64 KiB, 2 s) and will be the beginning of the next
// recording: wait for the recording first.
func (s *Server) Mic() *Mic {
	s.t.Helper()
	f, err := os.OpenFile(s.FIFO(), os.O_WRONLY, 0)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { f.Close() })
	return &Mic{t: s.t, f: f}
}

// Write writes samples at once.
func (m *Mic) Write(pcm []byte) (int, error) {
	m.f.SetWriteDeadline(time.Now().Add(Limit))
	return m.f.Write(pcm)
}

// Close ends a Write that waits, and all later ones.
func (m *Mic) Close() error { return m.f.Close() }

// Speak writes samples at the pace of speech, in steps of 10 ms.
func (m *Mic) Speak(pcm []byte) {
	m.t.Helper()
	const step = micRate / 100 * 2
	tick := time.NewTicker(micStep)
	defer tick.Stop()
	for len(pcm) > 0 {
		n := min(step, len(pcm))
		if _, err := m.Write(pcm[:n]); err != nil {
			m.t.Fatalf("cannot write to the microphone: %v", err)
		}
		pcm = pcm[n:]
		<-tick.C
	}
}

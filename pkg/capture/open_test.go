package capture

import (
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"voice-input/pkg/internal/child"
	"voice-input/pkg/internal/soundtest"
	"voice-input/pkg/wire"
)

// wantFailure runs vi-capture, which must fail before the first sample.
func wantFailure(t *testing.T, env []string, status int, reason, stderr string, args ...string) {
	t.Helper()
	r := record(t, env, args)
	r.end(status)
	if got := r.stderr.String(); !strings.Contains(got, stderr) {
		t.Errorf("stderr %q, want %q in it", got, stderr)
	}
	if reason == "" {
		if got := r.events.String(); got != "" {
			t.Errorf("events %q", got)
		}
		return
	}
	r.wantEnd(reason, 0)
}

func TestNoSuchSource(t *testing.T) {
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			s := kind.start(t)
			wantFailure(t, s.Env(), 66, "device_lost", "cannot open source \"nowhere\": no such source\nvi-capture: hint: vi-capture sources lists them", "--source", "nowhere")
			wantFailure(t, s.Env(), 66, "device_lost", "longer than 256 bytes", "--source", strings.Repeat("x", 5000))
		})
	}
}

func TestDefaultSource(t *testing.T) {
	t.Run("no source", func(t *testing.T) {
		wantFailure(t, soundtest.EmptyPulse(t).Env(), 66, "device_lost", "the sound server has no microphone")
	})
	t.Run("monitor", func(t *testing.T) {
		s := soundtest.Pulse(t)
		s.Pactl("set-default-source", "speaker.monitor")
		wantFailure(t, s.Env(), 66, "device_lost", `"speaker.monitor" hears what is played`)
	})
	t.Run("only monitors", func(t *testing.T) {
		s := soundtest.PipeWire(t)
		s.Unload("mic")
		wantFailure(t, s.Env(), 66, "device_lost", "the sound server has no microphone")
	})
	t.Run("monitor by name", func(t *testing.T) {
		s := soundtest.PipeWire(t)
		record(t, s.Env(), []string{"--source", "speaker.monitor", "--for", "50ms"}).end(0)
	})
}

func TestServerThatCannotBeUsed(t *testing.T) {
	dir := t.TempDir()
	listen := func(name string, answer func(net.Conn)) string {
		path := filepath.Join(dir, name)
		l, err := net.Listen("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				t.Cleanup(func() { c.Close() })
				answer(c)
			}
		}()
		return path
	}
	silent := listen("silent", func(net.Conn) {})
	web := listen("web", func(c net.Conn) { c.Write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n")) })
	rude := listen("rude", func(c net.Conn) { c.Close() })
	dead := filepath.Join(dir, "dead")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: dead})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	l.Close()

	for _, tt := range []struct {
		name   string
		env    []string
		status int
		stderr string
	}{
		{"none", []string{"XDG_RUNTIME_DIR=" + dir}, 69, "pulse/native\": there is none\nvi-capture: hint: start it"},
		{"dead socket", []string{"PULSE_SERVER=" + dead}, 69, "dead\": connection refused"},
		{"hangs up", []string{"PULSE_SERVER=unix:" + rude}, 69, "rude\": it closed the connection"},
		{"tcp", []string{"PULSE_SERVER=tcp:localhost:4713"}, 69, `cannot use sound server "tcp:localhost:4713": it is not a unix socket on this machine`},
		{"host", []string{"PULSE_SERVER=example.org"}, 69, `cannot use sound server "example.org"`},
		{"of another machine", []string{"PULSE_SERVER={other}unix:/tmp/x"}, 69, "names none for this machine"},
		{"hangs", []string{"PULSE_SERVER=" + silent}, 75, "silent\": no answer within 2s"},
		{"speaks another protocol", []string{"PULSE_SERVER=" + web}, 76, "does not speak PulseAudio's protocol"},
	} {
		t.Run(tt.name, func(t *testing.T) { wantFailure(t, tt.env, tt.status, "server_lost", tt.stderr) })
	}
}

func TestServerList(t *testing.T) {
	s := soundtest.Pulse(t)
	speak(t, s, ramp(Rate))
	env := append(s.Env(), "PULSE_SERVER=tcp:localhost:1 unix:/nonexistent "+s.Socket())
	r := record(t, env, []string{"--for", "10ms", "--explain"})
	r.end(0)
	if got := r.stderr.String(); !strings.Contains(got, "explain: server: "+s.Socket()) {
		t.Errorf("stderr %q", got)
	}
}

// TestOtherUser runs vi-capture without the right to reach the socket.
func TestOtherUser(t *testing.T) {
	dir := t.TempDir()
	env := []string{"XDG_RUNTIME_DIR=" + dir}
	if os.Getuid() != 0 {
		if err := os.Chmod(dir, 0); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Chmod(dir, 0o700) })
		wantFailure(t, env, 77, "server_lost", "permission denied")
		return
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	r := record(t, env, nil, func(spec *child.Spec) {
		spec.Argv = append([]string{"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"}, spec.Argv...)
	})
	r.end(77)
	r.wantEnd("server_lost", 0)
	if got := r.stderr.String(); !strings.Contains(got, "permission denied") {
		t.Errorf("stderr %q", got)
	}
}

func TestMuted(t *testing.T) {
	s := soundtest.Pulse(t)
	s.Mute("pipemic", true)
	r := record(t, s.Env(), []string{"--for", "100ms"})
	s.WaitRecordings(1)
	speak(t, s, ramp(Rate))
	r.end(0)
	if got := r.stdout.String(); got != strings.Repeat("\x00", Rate/10*SampleSize) {
		t.Errorf("%d bytes, not all of them zero", len(got))
	}
	if got, want := r.stderr.String(), "vi-capture: warning: source \"pipemic\" is muted: it delivers silence\n"; got != want {
		t.Errorf("stderr %q, want %q", got, want)
	}
}

// TestMutedProgram mutes the program in a volume control, which the server
// remembers for its next recording.
func TestMutedProgram(t *testing.T) {
	s := soundtest.Pulse(t)
	s.Load("module-stream-restore")
	r := record(t, s.Env(), nil)
	s.WaitRecordings(1)
	s.Pactl("set-source-output-mute", s.Recordings()[0].Index, "1")
	interrupt(r.Process)
	r.end(0)
	speak(t, s, ramp(Rate))
	r = record(t, s.Env(), []string{"--for", "10ms"})
	r.end(0)
	if got, want := r.stderr.String(), "vi-capture: warning: the sound server mutes what this program records\n"; got != want {
		t.Errorf("stderr %q, want %q", got, want)
	}
}

func TestExplain(t *testing.T) {
	s := soundtest.Pulse(t)
	speak(t, s, ramp(Rate))
	r := record(t, s.Env(), []string{"--for", "100ms", "--explain"})
	r.end(0)
	checkRamp(t, r.stdout.String(), Rate/10)
	for _, want := range []string{"server: " + s.Socket(), "source: pipemic (the server's default)", "fragment: 640 bytes asked, "} {
		if got := r.stderr.String(); !strings.Contains(got, "vi-capture: explain: "+want) {
			t.Errorf("stderr %q, want %q in it", got, want)
		}
	}
}

func TestUsage(t *testing.T) {
	for _, tt := range []struct {
		name   string
		args   []string
		stderr string
	}{
		{"operand", []string{"x"}, "unexpected operand"},
		{"format", []string{"--format", "mp3"}, `no such format "mp3"`},
		{"odd fragment", []string{"--fragment", "641"}, "even number"},
		{"large fragment", []string{"--fragment", "65538"}, "even number"},
		{"no fragment", []string{"--fragment", "0"}, "even number"},
		{"no stall", []string{"--stall", "0"}, "100ms or more"},
		{"no time", []string{"--for", "0"}, "one sample"},
		{"negative time", []string{"--for", "-1s"}, "one sample"},
		{"bad duration", []string{"--for", "soon"}, "invalid value"},
		{"events to standard output", []string{"--events-fd", "1"}, "must be 2 or more"},
		{"events nowhere", []string{"--events-fd", "77"}, "bad file descriptor"},
	} {
		t.Run(tt.name, func(t *testing.T) { wantFailure(t, nil, 64, "", tt.stderr, tt.args...) })
	}
}

func TestTerminal(t *testing.T) {
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	fd, err := unix.IoctlRetInt(int(master.Fd()), unix.TIOCGPTPEER)
	if err != nil {
		t.Fatal(err)
	}
	terminal := os.NewFile(uintptr(fd), "terminal")
	defer terminal.Close()
	r := record(t, nil, nil, func(spec *child.Spec) { spec.Stdout = terminal })
	r.end(64)
	if got := r.stderr.String(); !strings.Contains(got, "is a terminal, audio is binary\nvi-capture: hint: pipe it") {
		t.Errorf("stderr %q", got)
	}
}

func TestSources(t *testing.T) {
	t.Run("pulseaudio", func(t *testing.T) {
		s := soundtest.Pulse(t)
		s.Mute("mic", true)
		s.Suspend("mic", true)
		got := sources(t, s)
		want := map[string]wire.CaptureSource{
			"speaker.monitor": {Monitor: true, Rate: 48000, Channels: 2},
			"mic":             {Muted: true, State: "suspended", Rate: 48000, Channels: 1},
			"pipemic":         {Default: true, Rate: 16000, Channels: 1},
		}
		check(t, got, want)
	})
	t.Run("pipewire", func(t *testing.T) {
		s := soundtest.PipeWire(t)
		check(t, sources(t, s), map[string]wire.CaptureSource{
			"speaker.monitor": {Monitor: true, Rate: 48000, Channels: 2},
			"mic":             {Default: true, Rate: 48000, Channels: 1},
		})
	})
	t.Run("none", func(t *testing.T) {
		status, stdout, stderr := runToEnd(t, soundtest.EmptyPulse(t).Env(), []string{"sources"})
		if status != 1 || stdout != "" || stderr != "" {
			t.Errorf("status %d, stdout %q, stderr %q", status, stdout, stderr)
		}
	})
	t.Run("no server", func(t *testing.T) {
		status, stdout, stderr := runToEnd(t, []string{"XDG_RUNTIME_DIR=" + t.TempDir()}, []string{"sources"})
		if status != 69 || stdout != "" || !strings.Contains(stderr, "there is none") {
			t.Errorf("status %d, stdout %q, stderr %q", status, stdout, stderr)
		}
	})
	t.Run("pretty", func(t *testing.T) {
		s := soundtest.Pulse(t)
		_, flat, _ := runToEnd(t, s.Env(), []string{"sources"})
		status, pretty, _ := runToEnd(t, s.Env(), []string{"sources", "--pretty"})
		if status != 0 || pretty == flat || !strings.HasPrefix(pretty, "{\n  \"schema\"") {
			t.Errorf("status %d, %q", status, pretty)
		}
		d := json.NewDecoder(strings.NewReader(pretty))
		for range 3 {
			var source wire.CaptureSource
			if err := d.Decode(&source); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func sources(t *testing.T, s *soundtest.Server) map[string]wire.CaptureSource {
	t.Helper()
	status, stdout, stderr := runToEnd(t, s.Env(), []string{"sources"})
	if status != 0 || stderr != "" {
		t.Fatalf("status %d, stderr %q", status, stderr)
	}
	got := map[string]wire.CaptureSource{}
	for line := range strings.Lines(stdout) {
		var source wire.CaptureSource
		if err := wire.Decode([]byte(line), &source); err != nil {
			t.Fatal(err)
		}
		got[source.Name] = source
	}
	return got
}

// check compares what matters; an empty State in want is any.
func check(t *testing.T, got, want map[string]wire.CaptureSource) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d sources, want %d: %v", len(got), len(want), got)
	}
	for name, w := range want {
		g := got[name]
		w.Header, w.Name, w.Available = g.Header, name, true
		if w.State == "" {
			w.State = g.State
		}
		if g.Description == "" || g.State == "unknown" {
			t.Errorf("%s: description %q, state %q", name, g.Description, g.State)
		}
		w.Description = g.Description
		if g != w {
			t.Errorf("%s is %+v, want %+v", name, g, w)
		}
	}
}

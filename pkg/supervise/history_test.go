package supervise

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"voice-input/pkg/internal/desktoptest"
	"voice-input/pkg/internal/soundtest"
	"voice-input/pkg/wire"
)

func (l *lab) historyFile() string {
	return filepath.Join(l.server.Home, ".local/state/voice-input/history.jsonl")
}

// The words stand in the history before they are delivered, so that a delivery
// which fails costs nothing: they can be delivered again, also by another
// daemon.
func TestHistoryComesBeforeDelivery(t *testing.T) {
	t.Parallel()
	server := soundtest.Pulse(t)
	seen := filepath.Join(t.TempDir(), "seen")
	l := newLab(t, server, local+"[stages]\n"+script(t, "type", "cat >/dev/null; cp "+filepath.Join(server.Home, ".local/state/voice-input/history.jsonl")+" "+seen+"; exit 74"))
	l.say(server.Mic())
	l.record(69, "stop", "--wait")
	if b, err := os.ReadFile(seen); err != nil || !bytes.Contains(b, []byte(words)) {
		t.Errorf("at the delivery the history held %q, %v", b, err)
	}
	l.kill()
	l.configure(local)
	l.start()
	l.record(0, "repeat", "--wait")
	if got := l.delivered(); got != words+"\n" {
		t.Errorf("repeated: %q", got)
	}
	if status, out := l.run("history", "deliver", "last"); status != 0 || l.delivered() != words+"\n"+words+"\n" {
		t.Errorf("status %d: %s; delivered %q", status, out, l.delivered())
	}
	if status, out := l.run("history", "deliver", "no-such-id"); status != 66 || strings.Contains(l.delivered(), "no-such") {
		t.Errorf("an unknown entry: status %d: %s", status, out)
	}
	if status, out := l.run("history", "show"); status != 0 || strings.TrimSpace(out) != words {
		t.Errorf("show: %d, %q", status, out)
	}
}

// A history that cannot be written holds up nothing (W16); one that is off is
// not written, and neither are private takes.
func TestHistoryNeverBlocks(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		config, start string
		before        func(t *testing.T, path string)
		kept, failed  bool
	}{
		"off":       {config: "[history]\nenabled = false\n", start: "start"},
		"private":   {start: "start --private"},
		"directory": {start: "start", failed: true, before: func(t *testing.T, path string) { must(t, os.MkdirAll(path, 0o700)) }},
		"corrupt": {start: "start", kept: true, before: func(t *testing.T, path string) {
			must(t, os.MkdirAll(filepath.Dir(path), 0o700))
			must(t, os.WriteFile(path, []byte("{\"schema\":\"vi.hist\x00\n[]\n"), 0o600))
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := soundtest.Pulse(t)
			l := newLab(t, server, local+tt.config)
			if tt.before != nil {
				tt.before(t, l.historyFile())
			}
			l.record(0, strings.Fields(tt.start)...)
			server.Mic().Speak(speech())
			l.await(Recording)
			l.record(0, "stop", "--wait")
			if got := l.delivered(); got != words+"\n" {
				t.Errorf("delivered %q", got)
			}
			b, _ := os.ReadFile(l.historyFile())
			if bytes.Contains(b, []byte(words)) != tt.kept {
				t.Errorf("the history holds %q", b)
			}
			if s := l.status(); (s.Error != nil && s.Error.Stage == "history") != tt.failed {
				t.Errorf("status shows %+v", s.Error)
			}
		})
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// What fails is shown on the desktop, on a real bus, without a word of what
// was said.
func TestFailureIsNotified(t *testing.T) {
	t.Parallel()
	desktoptest.Need(t, "dbus-daemon")
	desktoptest.Need(t, "dunst")
	server := soundtest.Pulse(t)
	bus := exec.Command("dbus-daemon", "--session", "--nofork", "--address=unix:path="+filepath.Join(server.RuntimeDir, "bus"))
	must(t, bus.Start())
	t.Cleanup(func() { bus.Process.Kill(); bus.Wait() })
	monitor := exec.Command("dbus-monitor", "--address", "unix:path="+filepath.Join(server.RuntimeDir, "bus"), "interface='org.freedesktop.Notifications'")
	var heard bytes.Buffer
	path := filepath.Join(t.TempDir(), "monitor")
	out, err := os.Create(path)
	must(t, err)
	defer out.Close()
	monitor.Stdout = out
	server.WaitFor("the bus", func() bool { _, err := os.Stat(filepath.Join(server.RuntimeDir, "bus")); return err == nil })
	must(t, monitor.Start())
	t.Cleanup(func() { monitor.Process.Kill(); monitor.Wait() })
	display := desktoptest.X11(t)
	dunst := exec.Command("dunst")
	dunst.Env = append(server.Env(), "DISPLAY="+display)
	must(t, dunst.Start())
	t.Cleanup(func() { dunst.Process.Kill(); dunst.Wait() })
	l := newLab(t, server, local+"[stages]\n"+script(t, "type", "cat >/dev/null; exit 74"))
	l.say(server.Mic())
	l.record(69, "stop", "--wait")
	server.WaitFor("the notification", func() bool {
		b, _ := os.ReadFile(path)
		heard.Reset()
		heard.Write(b)
		return strings.Contains(heard.String(), "member=Notify") && strings.Contains(heard.String(), "voice-input")
	})
	if strings.Contains(heard.String(), "forward") {
		t.Errorf("the notification holds what was said:\n%s", heard.String())
	}
}

// Every command of the table can be sent, and the reply names the reason.
func TestCommandsAreKnown(t *testing.T) {
	t.Parallel()
	l := quietLab(t, toStdout)
	for _, c := range commands {
		r, err := ask(t.Context(), filepath.Join(l.server.RuntimeDir, "voice-input"), &wire.Control{Command: string(c)})
		if err != nil || r.Reason == "bad_command" {
			t.Errorf("%s: %+v, %v", c, r, err)
		}
		l.run("record", "cancel")
		l.await(Idle)
	}
	if r, err := ask(t.Context(), filepath.Join(l.server.RuntimeDir, "voice-input"), &wire.Control{Command: "sing"}); err != nil || r.Reason != "bad_command" {
		t.Errorf("%+v, %v", r, err)
	}
}

package supervise

import (
	"syscall"
	"testing"

	"voice-input/pkg/internal/desktoptest"
	"voice-input/pkg/internal/soundtest"
)

// What is left on the clipboard stays there when the delivery has ended, and
// when the daemon has.
func TestClipboardOutlivesTheDaemon(t *testing.T) {
	t.Parallel()
	desktoptest.Need(t, "wl-paste")
	server := soundtest.Pulse(t)
	desk := desktoptest.Sway(t)
	l := newLabWith(t, server, "[asr]\nengine = \"pocketsphinx\"\n[deliver]\nto = \"clipboard\"\n", []string{"WAYLAND_DISPLAY=" + desk.Display})
	l.say(server.Mic())
	l.record(0, "stop", "--wait")
	holds := func() string { return desktoptest.Run(t, l.env(), "wl-paste", "--no-newline") }
	if got := holds(); got != words {
		t.Errorf("the clipboard holds %q", got)
	}
	l.daemon.Process.Signal(syscall.SIGTERM)
	l.daemon.Wait()
	if got := holds(); got != words {
		t.Errorf("without the daemon the clipboard holds %q", got)
	}
}

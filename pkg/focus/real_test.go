package focus

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"voice-input/pkg/internal/desktoptest"
	"voice-input/pkg/wire"
)

// play is a command line that runs an actor as path.
func play(path string) []string { return []string{"env", actor + "=[]", path} }

// awaitFocus looks until a record is as wanted.
func awaitFocus(t *testing.T, l *Looker, want string, short func(*wire.Focus) string) {
	t.Helper()
	got := ""
	desktoptest.Until(t, want, func() bool {
		now := short(l.Look(t.Context()))
		if now != got {
			t.Logf("now: %s", now)
		}
		got = now
		return got == want
	})
}

// what is the agent, or why there is none, with the pane it is in.
func what(f *wire.Focus) string {
	s := f.AgentReason
	switch {
	case f.Reason != wire.OK:
		return f.Reason
	case f.Agent != nil:
		s = f.Agent.Kind
	}
	if f.Multiplexer != nil {
		s += " in " + f.Multiplexer.Pane
	}
	return s
}

// A real Kitty with two tabs, a split, tmux and a second OS window on a real X
// server: the agent is that of the window which shows, and no other.
func TestRule_B1_KittyOnX11(t *testing.T) {
	dir := t.TempDir()
	codex, pi, helper := program(t, dir, "codex"), program(t, dir, "pi"), program(t, dir, "codex-helper")
	display := desktoptest.X11(t)
	desktoptest.Openbox(t, []string{"DISPLAY=" + display, "PATH=/usr/bin:/bin", "HOME=" + dir})
	l := looker(t, map[string]string{"DISPLAY": display})
	awaitFocus(t, l, "no_window", what)
	m := desktoptest.StartTmux(t, "work", play(pi)...)
	m.Do(append([]string{"split-window", "-t", "work"}, play(codex)...)...)

	k := desktoptest.StartKitty(t, []string{"DISPLAY=" + display}, "/tmp/kitty-KITTY_PID", play(codex)...)
	awaitFocus(t, l, "codex", what)
	f := l.Look(t.Context())
	if f.Desktop.Kind != "x11" || f.Window.Class != "kitty" || f.Window.PID != k.PID || !strings.HasPrefix(f.Window.Address, "0x") ||
		f.Terminal.Kind != "kitty" || f.Terminal.Socket != "unix:"+k.Socket || f.Terminal.WindowID != 1 || f.Style != styleAgent {
		t.Errorf("%+v, %+v, %+v", f.Desktop, f.Window, f.Terminal)
	}
	split := k.Launch("window", play(helper)...)
	awaitFocus(t, l, "no_agent", what)
	tab := k.Launch("tab", play(pi)...)
	awaitFocus(t, l, "pi", what)
	k.Focus(1)
	awaitFocus(t, l, "codex", what)
	k.Focus(split)
	awaitFocus(t, l, "no_agent", what)
	client := k.Launch("tab", "env", "-u", "TMUX", "TERM=xterm-256color", "tmux", "-S", m.Socket, "attach", "-t", "work")
	awaitFocus(t, l, "codex in %1", what)
	m.Do("select-pane", "-t", "work:0.0")
	awaitFocus(t, l, "pi in %0", what)
	// The second OS window has one of its own; the first goes on to have tabs
	// whose windows call themselves focused.
	k.Launch("os-window", play(helper)...)
	awaitFocus(t, l, "no_agent", what)
	k.Focus(tab)
	awaitFocus(t, l, "pi", what)
	k.Focus(client)
	awaitFocus(t, l, "pi in %0", what)
	if clean := k.Do("ls", map[string]any{}); len(clean) == 0 {
		t.Error("Kitty does not answer any more")
	}
}

// The address is found where the configuration put it elsewhere.
func TestF5_RealKittyElsewhere(t *testing.T) {
	dir := desktoptest.Dir(t)
	codex := program(t, t.TempDir(), "codex")
	display := desktoptest.X11(t)
	desktoptest.Openbox(t, []string{"DISPLAY=" + display, "PATH=/usr/bin:/bin", "HOME=" + dir})
	for _, listen := range []string{dir + "/other-KITTY_PID", "@vi-focus-" + fmt.Sprint(time.Now().UnixNano())} {
		t.Run(listen[:1], func(t *testing.T) {
			k := desktoptest.StartKitty(t, []string{"DISPLAY=" + display}, listen, play(codex)...)
			l := looker(t, map[string]string{"DISPLAY": display})
			awaitFocus(t, l, "codex", what)
			if f := l.Look(t.Context()); f.Terminal.Socket != "unix:"+k.Socket {
				t.Errorf("%+v, want %s", f.Terminal, k.Socket)
			}
			k.Do("close-window", map[string]any{"match": "all"})
		})
	}
}

// A real compositor with terminals that cannot be asked.
func TestFootOnSway(t *testing.T) {
	dir := t.TempDir()
	codex := program(t, dir, "codex")
	s := desktoptest.Sway(t)
	env := map[string]string{"SWAYSOCK": s.IPC, "WAYLAND_DISPLAY": s.Display}
	l := looker(t, env)
	awaitFocus(t, l, "no_window", what)
	foot := func(args ...string) {
		desktoptest.Start(t, []string{"WAYLAND_DISPLAY=" + s.Display, "XDG_RUNTIME_DIR=" + dir, "HOME=" + dir, "PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8"}, append([]string{"foot"}, args...)...)
	}
	foot(play(codex)...)
	awaitFocus(t, l, "codex", what)
	f := l.Look(t.Context())
	if f.Desktop.Kind != "sway" || f.Desktop.XWayland || f.Window.Class != "foot" || f.Terminal.Kind != "foot" || f.Style != styleAgent {
		t.Errorf("%+v, %+v, %+v", f.Desktop, f.Window, f.Terminal)
	}
	m := desktoptest.StartTmux(t, "work", play(codex)...)
	foot("env", "TERM=xterm", "tmux", "-S", m.Socket, "attach")
	awaitFocus(t, l, "codex in %0", what)
	foot("--app-id=org.telegram.desktop", "sleep", "1000")
	awaitFocus(t, l, "not_terminal message", func(f *wire.Focus) string { return what(f) + " " + f.Style })
}

// One process with several lines does not tell which of them shows.
func TestFootServerIsAmbiguous(t *testing.T) {
	dir := t.TempDir()
	codex := program(t, dir, "codex")
	s := desktoptest.Sway(t)
	env := []string{"WAYLAND_DISPLAY=" + s.Display, "XDG_RUNTIME_DIR=" + dir, "HOME=" + dir, "PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8"}
	socket := desktoptest.Dir(t) + "/foot"
	desktoptest.Start(t, env, "foot", "--server="+socket)
	l := looker(t, map[string]string{"SWAYSOCK": s.IPC})
	client := func() { // what it starts has the server's environment
		desktoptest.Start(t, env, append([]string{"sh", "-c", `until footclient --server-socket=$0 "$@"; do sleep 0.05; done`, socket}, play(codex)...)...)
	}
	client()
	awaitFocus(t, l, "codex", what)
	client()
	awaitFocus(t, l, "ambiguous", what)
}

// Kitty on Wayland has no number of its window that the desktop knows too.
func TestRule_H1_KittyOnSway(t *testing.T) {
	dir := t.TempDir()
	s := desktoptest.Sway(t)
	k := desktoptest.StartKitty(t, []string{"WAYLAND_DISPLAY=" + s.Display}, "/tmp/kitty-KITTY_PID", play(program(t, dir, "codex"))...)
	l := looker(t, map[string]string{"SWAYSOCK": s.IPC})
	awaitFocus(t, l, "codex", what)
	k.Launch("tab", play(program(t, dir, "pi"))...)
	awaitFocus(t, l, "pi", what)
	if f := l.Look(t.Context()); f.Window.Class != "kitty" || f.Window.PID != k.PID || f.Terminal.WindowID != 2 {
		t.Errorf("%+v, %+v", f.Window, f.Terminal)
	}
}

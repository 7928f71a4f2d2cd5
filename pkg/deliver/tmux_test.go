package deliver

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"voice-input/pkg/deliver/driver"
	"voice-input/pkg/internal/desktoptest"
	"voice-input/pkg/wire"
)

// tmuxTarget is the record of a pane.
func tmuxTarget(m *desktoptest.Tmux, pane string) *wire.Focus {
	return &wire.Focus{
		At: now(), Window: &wire.Window{Class: "kitty"}, Terminal: &wire.Terminal{Kind: "kitty"},
		Multiplexer: &wire.Multiplexer{Kind: "tmux", Socket: m.Socket, Pane: pane},
	}
}

func panePID(t testing.TB, m *desktoptest.Tmux, pane string) int {
	t.Helper()
	pid, err := strconv.Atoi(m.Do("display-message", "-p", "-t", pane, "#{pane_pid}"))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

func byTmux(t testing.TB, o driver.Options, text string) {
	t.Helper()
	d, missing := NewTmux(o)
	if d == nil {
		t.Fatal(missing)
	}
	verified, warnings, err := d.Deliver(t.Context(), text)
	if err != nil || verified != wire.VerifiedWritten || warnings != nil {
		t.Fatalf("%q, %q, %v", verified, warnings, err)
	}
}

// Every text arrives in the pane that was meant, 20 of 20 times, in a tmux in
// Kitty that shows another pane. Brackets come if the
// program asked for them.
func TestTmux(t *testing.T) {
	for name, asks := range map[string]bool{"agent that asks for brackets": true, "shell that does not": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			meant := desktoptest.NewReader(t, asks)
			m := desktoptest.StartTmux(t, "s", meant.Command...)
			meant.Ready()
			pane := m.Do("list-panes", "-F", "#{pane_id}")
			desktoptest.StartKitty(t, []string{"DISPLAY=" + desktoptest.X11(t)}, filepath.Join(desktoptest.Dir(t), "k"), "tmux", "-S", m.Socket, "attach")
			desktoptest.Until(t, "the client", func() bool { return m.Clients() == 1 })
			other := desktoptest.NewReader(t, asks)
			m.Do(append([]string{"split-window"}, other.Command...)...)
			other.Ready()
			m.Do("set-buffer", "-b", "own", "the user's")
			target, wrap := tmuxTarget(m, pane), func(s string) string { return s }
			if asks {
				target.Agent = agent(t, panePID(t, m, pane))
				wrap = func(s string) string { return pasteStart + s + pasteEnd }
			}
			for range 20 {
				for _, text := range hostile {
					if clean := Clean(text, linesFor("tmux", target)); clean != "" {
						byTmux(t, driver.Options{Target: target}, clean)
						receives(t, meant, wrap(clean))
					}
				}
			}
			byTmux(t, driver.Options{Target: target, Submit: true}, "a")
			receives(t, meant, wrap("a")+"\r")
			if got := other.All(); got != "" {
				t.Errorf("the active pane received %.80q", got)
			}
			if got := m.Do("list-buffers", "-F", "#{buffer_name}"); got != "own" {
				t.Errorf("buffers are left: %q", got)
			}
		})
	}
}

// A pane in copy mode gets the text as well, but tmux brackets nothing there.
func TestTmuxInCopyMode(t *testing.T) {
	r := desktoptest.NewReader(t, true)
	m := desktoptest.StartTmux(t, "s", r.Command...)
	r.Ready()
	pane := m.Do("list-panes", "-F", "#{pane_id}")
	m.Do("copy-mode", "-t", pane)
	f := tmuxTarget(m, pane)
	f.Agent = agent(t, panePID(t, m, pane))
	d, _ := NewTmux(driver.Options{Target: f, Submit: true})
	if _, warnings, err := d.Deliver(t.Context(), "a\n\tb"); err != nil || !slices.Equal(warnings, []string{"lines_joined"}) {
		t.Errorf("%q, %v", warnings, err)
	}
	desktoptest.Until(t, "Enter", func() bool { return strings.HasSuffix(r.All(), "\r") })
	if got := strings.NewReplacer(pasteStart, "", pasteEnd, "").Replace(r.All()); got != "a b\r" {
		t.Errorf("received %q", got)
	}
}

func TestTmuxTargetChanged(t *testing.T) {
	first := desktoptest.NewReader(t, false)
	m := desktoptest.StartTmux(t, "s", first.Command...)
	first.Ready()
	pane := m.Do("list-panes", "-F", "#{pane_id}")
	second := desktoptest.NewReader(t, false)
	other := m.Do(append([]string{"split-window", "-P", "-F", "#{pane_id}"}, second.Command...)...)
	second.Ready()
	pid := panePID(t, m, pane)
	target := func(pane string, change func(*wire.Focus)) *wire.Focus {
		f := tmuxTarget(m, pane)
		f.Agent = agent(t, pid)
		change(f)
		return f
	}
	respawned := tmuxTarget(m, other)
	time.Sleep(50 * time.Millisecond) // the kernel tells of starts by ticks of 10 ms
	m.Do("respawn-pane", "-k", "-t", other, "sleep 100")
	for name, f := range map[string]*wire.Focus{
		"no such pane":    target("%99", func(f *wire.Focus) { f.Agent = nil }),
		"agent elsewhere": target(other, func(*wire.Focus) {}),
		"another process": target(pane, func(f *wire.Focus) { f.Agent.StartTicks++ }),
		"no server":       target(pane, func(f *wire.Focus) { f.Multiplexer.Socket += "x" }),
		"respawned":       respawned,
	} {
		d, missing := NewTmux(driver.Options{Target: f})
		if d == nil {
			t.Fatalf("%s: %s", name, missing)
		}
		if _, _, err := d.Deliver(t.Context(), "private"); !errors.Is(err, driver.ErrTargetChanged) || strings.Contains(err.Error(), "private") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := first.All() + second.All(); got != "" {
		t.Errorf("received %q", got)
	}
}

// The agent is still there and stopped: what is in front is another program.
func TestInForeground(t *testing.T) {
	m := desktoptest.StartTmux(t, "s", "/bin/bash", "--norc", "-i")
	pane := m.Do("list-panes", "-F", "#{pane_id}")
	m.Do("send-keys", "-t", pane, "cat", "Enter")
	shell := panePID(t, m, pane)
	var front *wire.Agent
	desktoptest.Until(t, "the program in front", func() bool {
		s, err := processes.Stat(shell)
		if err != nil || s.TPGID == shell || s.TPGID <= 0 {
			return false
		}
		front = agent(t, s.TPGID)
		return true
	})
	f := tmuxTarget(m, pane)
	f.Agent = front
	byTmux(t, driver.Options{Target: f}, "x")
	syscall.Kill(-front.PID, syscall.SIGSTOP)
	desktoptest.Until(t, "the shell in front", func() bool { s, _ := processes.Stat(shell); return s.TPGID == shell })
	d, _ := NewTmux(driver.Options{Target: f})
	if _, _, err := d.Deliver(t.Context(), "x"); !errors.Is(err, driver.ErrTargetChanged) {
		t.Errorf("stopped agent: %v", err)
	}
}

// A tmux that hangs is given up in time: before the text it is certain that
// nothing was sent, behind it nothing is.
func TestTmuxThatHangs(t *testing.T) {
	m := desktoptest.StartTmux(t, "s", "sleep 100")
	pane := m.Do("list-panes", "-F", "#{pane_id}")
	for _, tt := range []struct{ name, hangsAt, want string }{
		{"look", "display-message", "driver_failed"},
		{"text", "load-buffer", "timeout"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			script := "#!/bin/sh\ncase \"$*\" in *" + tt.hangsAt + "*) exec sleep 100;; esac\nPATH=${PATH#*:} exec tmux \"$@\"\n"
			if err := os.WriteFile(filepath.Join(dir, "tmux"), []byte(script), 0o755); err != nil {
				t.Fatal(err)
			}
			t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
			before := time.Now()
			rec, err := Text(t.Context(), []Route{{Name: "tmux", Open: func(context.Context) (Driver, string) {
				return opened(NewTmux(driver.Options{Target: tmuxTarget(m, pane)}))
			}}}, "private", quiet)
			if rec.Reason != tt.want || err == nil || strings.Contains(err.Error(), "private") || time.Since(before) > 30*time.Second {
				t.Errorf("%+v, %v", rec, err)
			}
		})
	}
}

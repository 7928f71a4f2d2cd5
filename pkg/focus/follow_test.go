package focus

import (
	"context"
	"errors"
	"io"
	"net"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"voice-input/pkg/internal/desktoptest"
	"voice-input/pkg/wire"
)

// follow runs Follow until the end of the test and returns what it emits.
func follow(t *testing.T, l *Looker) <-chan *wire.Focus {
	t.Helper()
	out := make(chan *wire.Focus, 100)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- l.Follow(ctx, func(f *wire.Focus) error {
			_, err := wire.Encode(f) // as writing it does
			out <- f
			return err
		})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Follow: %v", err)
		}
	})
	return out
}

// next returns the class of the next record, or why there is no window.
func next(t *testing.T, out <-chan *wire.Focus) string {
	t.Helper()
	select {
	case f := <-out:
		if f.Window == nil {
			return f.Reason
		}
		return f.Window.Class
	case <-time.After(60 * time.Second):
		t.Fatal("no record")
		return ""
	}
}

// Each compositor's own events lead to a record, doubled ones to one, and one
// that changes nothing to none. Nothing is polled here: the windows are no
// terminals.
func TestFollowEvents(t *testing.T) {
	var class atomic.Value
	class.Store("first")
	hypr := func(t *testing.T) (map[string]string, func()) {
		dir := desktoptest.Dir(t)
		events := make(chan string)
		t.Cleanup(func() { close(events) })
		serveHyprland(t, filepath.Join(dir, "hypr/x"), func() string { return `{"class":"` + class.Load().(string) + `","pid":1}` })
		listen(t, filepath.Join(dir, "hypr/x/.socket2.sock"), func(c net.Conn) {
			for e := range events {
				io.WriteString(c, e)
			}
		})
		return map[string]string{"XDG_RUNTIME_DIR": dir, "HYPRLAND_INSTANCE_SIGNATURE": "x"},
			func() { events <- "activewindow>>,\nactivewindow>>x,private title\nactivewindowv2>>5d\n" }
	}
	niri := func(t *testing.T) (map[string]string, func()) {
		events := make(chan string)
		t.Cleanup(func() { close(events) })
		env := fakeNiri(t, func() string {
			return `{"Ok":{"FocusedWindow":{"id":1,"app_id":"` + class.Load().(string) + `","pid":1}}}`
		}, events)
		return env, func() { events <- `{"WindowFocusChanged":{"id":1}}` + "\n" + `{"WindowFocusChanged":{"id":1}}` }
	}
	for name, start := range map[string]func(*testing.T) (map[string]string, func()){"hyprland": hypr, "niri": niri} {
		t.Run(name, func(t *testing.T) {
			class.Store("first")
			env, event := start(t)
			out := follow(t, looker(t, env))
			if got := next(t, out); got != "first" {
				t.Fatalf("got %s", got)
			}
			event()
			class.Store("second")
			event()
			if got := next(t, out); got != "second" {
				t.Errorf("got %s", got)
			}
			event()
			class.Store("third")
			event()
			if got := next(t, out); got != "third" {
				t.Errorf("an event without a change gave %s", got)
			}
		})
	}
}

// A change that comes after the first look and before events are told is seen
// all the same.
func TestFollowMissesNothingAtTheStart(t *testing.T) {
	dir := desktoptest.Dir(t)
	var looks atomic.Int32
	serveHyprland(t, filepath.Join(dir, "hypr/x"), func() string {
		class := "first"
		if looks.Add(1) > 2 { // of which the second is the one that a watch begins with
			class = "second"
		}
		return `{"class":"` + class + `","pid":1}`
	})
	listen(t, filepath.Join(dir, "hypr/x/.socket2.sock"), func(c net.Conn) { io.Copy(io.Discard, c) })
	out := follow(t, looker(t, map[string]string{"XDG_RUNTIME_DIR": dir, "HYPRLAND_INSTANCE_SIGNATURE": "x"}))
	for _, want := range []string{"first", "second"} {
		if got := next(t, out); got != want {
			t.Fatalf("got %s, want %s", got, want)
		}
	}
}

// Real events of a real X server and a real compositor.
func TestFollowReal(t *testing.T) {
	dir := t.TempDir()
	display := desktoptest.X11(t)
	x := []string{"DISPLAY=" + display, "PATH=/usr/bin:/bin", "HOME=" + dir}
	desktoptest.Openbox(t, x)
	s := desktoptest.Sway(t)
	wayland := []string{"WAYLAND_DISPLAY=" + s.Display, "XDG_RUNTIME_DIR=" + dir, "HOME=" + dir, "PATH=/usr/bin:/bin"}
	for _, tt := range []struct {
		name string
		env  map[string]string
		open func(class string) func()
	}{
		{"x11", map[string]string{"DISPLAY": display}, func(class string) func() {
			return desktoptest.Start(t, x, "xterm", "-class", class, "-e", "sleep", "1000").Kill
		}},
		{"sway", map[string]string{"SWAYSOCK": s.IPC}, func(class string) func() {
			return desktoptest.Start(t, wayland, "foot", "--app-id="+class, "sleep", "1000").Kill
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out := follow(t, looker(t, tt.env))
			if got := next(t, out); got != "no_window" {
				t.Fatalf("got %s", got)
			}
			until := func(want string) {
				t.Helper()
				// A window may come up in two steps.
				for got := ""; got != want; {
					got = next(t, out)
				}
			}
			one := tt.open("One")
			until("One")
			two := tt.open("Two")
			until("Two")
			two()
			until("One")
			one()
			until("no_window")
		})
	}
}

// What changes inside a terminal is found without an event.
func TestFollowTerminal(t *testing.T) {
	native := program(t, t.TempDir(), "codex")
	path := filepath.Join(desktoptest.Dir(t), "k")
	l := onTerminal(t, cast{Path: native, Argv: []string{"codex"}, Env: []string{"KITTY_LISTEN_ON=unix:" + path}}, syscall.SysProcAttr{})
	kittyWith(t, path, l.leader.Process.Pid)
	out := follow(t, looker(t, hyprlandWindow(t, "kitty")))
	if f := <-out; f.Agent == nil {
		t.Fatalf("%+v", f)
	}
	time.Sleep(2 * poll) // looks that find no change say nothing
	syscall.Kill(l.leader.Process.Pid, syscall.SIGKILL)
	l.leader.Wait()
	if f := <-out; f.Agent != nil || f.Window == nil {
		t.Errorf("%+v", f)
	}
}

// A compositor that goes away and comes back is followed again.
func TestFollowSurvivesTheDesktop(t *testing.T) {
	dir := desktoptest.Dir(t)
	out := follow(t, looker(t, map[string]string{"XDG_RUNTIME_DIR": dir}))
	if got := next(t, out); got != "no_desktop" {
		t.Fatalf("got %s", got)
	}
	serveHyprland(t, filepath.Join(dir, "hypr/x"), func() string { return `{"class":"back","pid":1}` })
	if got := next(t, out); got != "back" {
		t.Errorf("got %s", got)
	}
}

func TestFollowEndsWhenNobodyListens(t *testing.T) {
	closed := errors.New("closed")
	err := looker(t, hyprlandAnswer(t, "{}")).Follow(t.Context(), func(*wire.Focus) error { return closed })
	if err != closed {
		t.Errorf("got %v", err)
	}
}

func TestEachLineIsBounded(t *testing.T) {
	lines := 0
	err := eachLine(strings.NewReader("a\nb\n"+strings.Repeat("x", maxLine+1)), func([]byte) { lines++ })
	if err == nil || lines != 2 {
		t.Errorf("%d lines, %v", lines, err)
	}
}

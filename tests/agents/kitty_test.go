package agents_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"voice-input/pkg/wire"
)

// kitty is a Kitty under a window manager on an X server without a screen.
type kitty struct {
	*lab
	socket string
}

func newKitty(l *lab) *kitty {
	l.t.Helper()
	need(l.t, "Xvfb", "openbox", "kitty")
	// The server takes a display that is free and says which.
	r, w, err := os.Pipe()
	if err != nil {
		l.t.Fatal(err)
	}
	defer r.Close()
	l.start([]*os.File{w}, "Xvfb", "-displayfd", "3", "-screen", "0", "1280x800x24", "-nolisten", "tcp")
	w.Close()
	var display int
	if _, err := fmt.Fscanln(r, &display); err != nil {
		l.t.Fatalf("the X server did not start: %v", err)
	}
	l.env = append(l.env, fmt.Sprintf("DISPLAY=:%d", display), "LIBGL_ALWAYS_SOFTWARE=1")
	l.start(nil, "openbox")
	k := &kitty{l, filepath.Join(l.dir, "kitty")}
	l.start(nil, "kitty", "--listen-on", "unix:"+k.socket, "--directory", l.project, "-o", "allow_remote_control=socket-only",
		"-o", "update_check_interval=0", "-o", "confirm_os_window_close=0", "-o", "enable_audio_bell=no", "-o", "shell=/bin/sh")
	waitFor(l.t, "Kitty", func() bool { return k.remote("ls").Run() == nil })
	return k
}

// start starts a program that ends with the test.
func (l *lab) start(extra []*os.File, argv ...string) {
	l.t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env, cmd.Dir, cmd.ExtraFiles = l.env, l.project, extra
	if err := cmd.Start(); err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() {
		cmd.Process.Signal(os.Interrupt) // the X server removes its socket
		endMarked(l.t, l.mark)
		cmd.Wait()
	})
}

func (k *kitty) remote(args ...string) *exec.Cmd {
	cmd := exec.Command("kitty", append([]string{"@", "--to", "unix:" + k.socket}, args...)...)
	cmd.Env = k.env
	return cmd
}

func (k *kitty) do(args ...string) string {
	k.t.Helper()
	out, err := k.remote(args...).CombinedOutput()
	if err != nil {
		k.t.Fatalf("kitty @ %v: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// kittyWindow is a terminal in Kitty: a tab of its own, or a part of one.
type kittyWindow struct {
	*kitty
	id int
}

// launch starts an agent in a new tab or window of Kitty, which gets the focus.
func (k *kitty) launch(kind, where, words string, argv ...string) *pane {
	k.t.Helper()
	w := &kittyWindow{kitty: k}
	args := []string{"launch", "--type", where, "--cwd", k.project}
	if _, err := fmt.Sscan(k.do(append(args, argv...)...), &w.id); err != nil {
		k.t.Fatal(err)
	}
	p := k.began(w, w.find().PID, kind, words)
	p.look = k.pipeline
	return p
}

// find is the window as Kitty lists it.
func (w *kittyWindow) find() (found struct {
	ID    int
	PID   int
	Title string
}) {
	w.t.Helper()
	out, err := w.remote("ls").Output()
	if err != nil {
		w.t.Fatal(err)
	}
	type windows = []struct {
		Tabs []struct{ Windows []json.RawMessage }
	}
	var list windows
	if err := json.Unmarshal(out, &list); err != nil {
		w.t.Fatal(err)
	}
	for _, os := range list {
		for _, tab := range os.Tabs {
			for _, raw := range tab.Windows {
				if err := json.Unmarshal(raw, &found); err == nil && found.ID == w.id {
					return found
				}
			}
		}
	}
	w.t.Fatalf("Kitty has no window %d", w.id)
	return found
}

func (w *kittyWindow) match() string { return fmt.Sprintf("id:%d", w.id) }
func (w *kittyWindow) title() string { w.t.Helper(); return w.find().Title }
func (w *kittyWindow) focus()        { w.t.Helper(); w.do("focus-window", "--match", w.match()) }
func (w *kittyWindow) text(s string) { w.t.Helper(); w.do("send-text", "--match", w.match(), s) }

func (w *kittyWindow) key(name string) {
	w.t.Helper()
	w.do("send-text", "--match", w.match(), map[string]string{"Enter": `\r`}[name])
}

func (w *kittyWindow) screen() string {
	out, _ := w.remote("get-text", "--match", w.match()).CombinedOutput()
	return string(bytes.TrimSpace(out))
}

// pipeline is vi-focus | vi-session.
func (k *kitty) pipeline() wire.Session {
	k.t.Helper()
	cmd := exec.CommandContext(k.t.Context(), filepath.Join(programs, "vi-focus"), "--timeout", "10s")
	cmd.Env = k.env
	out, err := cmd.Output()
	var focus wire.Focus
	if e := wire.Decode(bytes.TrimSpace(out), &focus); e != nil {
		k.t.Fatalf("vi-focus: %v, %v: %q", err, e, out)
	}
	return k.ask(&focus)
}

// TestKitty asks by vi-focus and vi-session which answer is on the screen,
// while agents run in three tabs, and two of them in one tab.
func TestKitty(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	withPi := l.withPi(newest(t, piPackage, piVersion))
	withPi.installExtension()
	pi := filepath.Join(withPi.bin, "pi")
	codex := l.withCodex(newest(t, codexPackage, codexVersion), titleWithThread).bin
	k := newKitty(l)
	p := k.launch("pi", "tab", "%/128k", pi)
	p.says("say Alpha")
	c := k.launch("codex", "tab", "OpenAI Codex (v", codex)
	c.says("say Beta")
	c.enter("/new")
	c.wants("(not_started)", "Beta")
	q := k.launch("pi", "tab", "%/128k", pi)
	q.wants("(not_started)", "(not_registered)")
	q.says("say Gamma")
	c.focus()
	c.keeps("(not_started)")
	c.says("say Delta")
	p.focus()
	r := k.launch("pi", "window", "%/128k", pi)
	r.says("say Epsilon")
	for _, tt := range []struct {
		*pane
		turn string
	}{{p, "Alpha"}, {q, "Gamma"}, {c, "Delta"}, {r, "Epsilon"}} {
		tt.focus()
		tt.keeps(tt.turn)
	}
}

// focus gives a window of Kitty the focus.
func (p *pane) focus() {
	p.t.Helper()
	p.terminal.(*kittyWindow).focus()
}

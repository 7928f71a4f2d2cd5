package agents_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"

	"voice-input/pkg/wire"
	"voice-input/tests/agents/fixture"
)

// kitty is a Kitty of the lab's.
type kitty struct {
	*lab
	*fixture.Kitty
}

func newKitty(l *lab) *kitty {
	l.t.Helper()
	k := fixture.StartKitty(l.t, l.env, l.mark, filepath.Join(l.dir, "kitty"), l.project)
	l.env = k.Env
	return &kitty{l, k}
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
	if _, err := fmt.Sscan(k.Do(append(args, argv...)...), &w.id); err != nil {
		k.t.Fatal(err)
	}
	p := k.began(w, w.find().PID, kind, words)
	p.look = k.pipeline
	return p
}

// find is the window as Kitty lists it.
func (w *kittyWindow) find() (found struct {
	ID      int
	PID     int
	Title   string
	Focused bool `json:"is_focused"`
}) {
	w.t.Helper()
	out, err := w.Remote("ls").Output()
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
				found.Focused = false
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
func (w *kittyWindow) text(s string) { w.t.Helper(); w.Do("send-text", "--match", w.match(), s) }

// focus gives it the focus, which the X server does after Kitty has asked.
func (w *kittyWindow) focus() {
	w.t.Helper()
	w.Do("focus-window", "--match", w.match())
	waitFor(w.t, "the focus of a window of Kitty", func() bool { return w.find().Focused })
}

func (w *kittyWindow) key(name string) {
	w.t.Helper()
	w.Do("send-text", "--match", w.match(), map[string]string{"Enter": `\r`}[name])
}

func (w *kittyWindow) screen() string {
	out, _ := w.Remote("get-text", "--match", w.match()).CombinedOutput()
	return string(bytes.TrimSpace(out))
}

// pipeline is vi-focus | vi-session.
func (k *kitty) pipeline() wire.Session {
	k.t.Helper()
	cmd := exec.CommandContext(k.t.Context(), filepath.Join(programs, "vi-focus"), "--timeout", "10s")
	cmd.Env = k.Env
	out, err := cmd.Output()
	var focus wire.Focus
	if e := wire.Decode(bytes.TrimSpace(out), &focus); e != nil {
		k.t.Fatalf("vi-focus: %v, %v: %q", err, e, out)
	}
	if focus.Agent == nil {
		k.t.Logf("vi-focus told %s", focus.Reason)
	}
	return k.ask(&focus)
}

// TestKitty asks by vi-focus and vi-session which answer is on the screen,
// while agents run in three tabs, and two of them in one tab.
func TestKitty(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	withPi := l.withPi(newest(t, fixture.PiPackage, fixture.PiVersion))
	withPi.installExtension()
	pi := filepath.Join(withPi.bin, "pi")
	codex := l.withCodex(newest(t, fixture.CodexPackage, fixture.CodexVersion), titleWithThread).bin
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

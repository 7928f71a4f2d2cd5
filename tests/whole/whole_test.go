package whole_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"voice-input/pkg/wire"
	"voice-input/tests/agents/fixture"
)

// dictate says the sentence between two presses of the hotkey, and returns the
// status of the second and the report of how it went. Moments, if not nil, is
// called at some.
func (l *lab) dictate(moments func(moment)) (int, wire.DiagnosticsTake) {
	l.t.Helper()
	at := func(m moment) {
		if moments != nil {
			moments(m)
		}
	}
	for tries := 1; ; tries++ {
		if status, out := l.voice("record", "toggle"); status != 0 {
			l.t.Fatalf("record toggle: %d: %s", status, out)
		}
		at(begun)
		l.speak(l.pcm)
		l.await("recording")
		wanted := l.diagnostics().Context.Wanted
		if wanted {
			fixture.WaitFor(l.t, "the look-up", func() bool { return l.status().Context != "" })
		}
		// A loaded machine may need more than the second that a look-up has.
		if l.status().Context != "timeout" || tries == 5 {
			break
		}
		l.voice("record", "cancel")
		l.await("idle")
	}
	at(spoken)
	status, _ := l.voice("record", "toggle", "--wait")
	return status, l.diagnostics()
}

// moment is one of a dictation.
type moment int

const (
	begun  moment = iota // after the first press
	spoken               // before the second
)

// diagnostics returns the report of the last take, as JSON and as text free of
// what was said and looked at.
func (l *lab) diagnostics() wire.DiagnosticsTake {
	l.t.Helper()
	status, out := l.voice("diagnostics", "--format", "json")
	_, text := l.voice("diagnostics")
	var d wire.Diagnostics
	if err := wire.Decode([]byte(strings.TrimSpace(out)), &d); err != nil || status != 0 || d.Take == nil {
		l.t.Fatalf("diagnostics: %d, %v: %s", status, err, out)
	}
	for _, private := range []string{"readTail", "stopReason", "JSONL", "toolUse", "return the", key, l.dir, "127.0.0.1"} {
		if strings.Contains(strings.ToLower(out+text), strings.ToLower(private)) {
			l.t.Errorf("the diagnostics hold %q", private)
		}
	}
	return *d.Take
}

// TestWholeWay dictates into the composer of Codex, twice: with the terms of
// its answer they are spelled right, without them they are not.
func TestWholeWay(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.ask()
	l.configure("edit", false)
	status, d := l.dictate(nil)
	if status != 0 || d.Context.Wanted || d.Context.ASRSent || d.Context.RefineSent {
		t.Errorf("without context: status %d, %+v", status, d.Context)
	}
	if _, text := l.voice("history", "show"); strings.Contains(text, "readTail") || strings.TrimSpace(text) == "" {
		t.Errorf("without context %q was recognised; the terms prove nothing", text)
	}
	l.kitty.Do("send-text", "--match", l.window, `\x15`)

	l.configure("edit", true)
	status, d = l.dictate(nil)
	if status != 0 || d.Outcome != "delivered" {
		t.Fatalf("status %d, %+v", status, d)
	}
	l.awaitScreen(refined)
	switch c := d.Context; {
	case !c.Wanted || c.Reason != wire.OK || !c.ASRSent || !c.RefineSent:
		t.Errorf("context: %+v", c)
	case d.Recognition.Engine != "pocketsphinx" || d.Recognition.Outcome != wire.OutcomeUsable:
		t.Errorf("recognition: %+v", d.Recognition)
	case d.Refine == nil || d.Refine.Outcome != wire.RefineRefined || d.Refine.Style != "agent-markdown":
		t.Errorf("refine: %+v", d.Refine)
	case d.Delivery == nil || !d.Delivery.Delivered || d.Delivery.Driver != "kitty":
		t.Errorf("delivery: %+v", d.Delivery)
	}
	asked := l.llm.Journal()
	last := asked[len(asked)-1]
	if last.Agent != "Codex" || !slices.Contains(last.Terms, "readTail") || len(last.Violations) > 0 {
		t.Errorf("the model was asked %+v", last)
	}
	// What the microphone heard is gone, and nothing runs on.
	if left, _ := filepath.Glob(filepath.Join(l.dir, "run/voice-input/spool/*")); len(left) > 0 {
		t.Errorf("left in the spool: %v", left)
	}
	l.end()
	for _, pid := range fixture.Marked(l.mark) {
		if exe, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid)); strings.HasPrefix(exe, programs) {
			t.Errorf("%s runs on", filepath.Base(exe))
		}
	}
}

// TestEverythingFails breaks one part after the other on the way of a sentence.
// Its words come all the same, into Codex or at least into the history, and the
// report says what was wrong.
func TestEverythingFails(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.ask()
	// The words are those of the sentence in any case, and come with the terms
	// spelled right as long as the context is there.
	check := func(name string, status int, want string) {
		t.Helper()
		_, text := l.voice("history", "show")
		if text = strings.TrimSpace(text); want != "" && text != want || want == "" && !strings.Contains(strings.ToLower(text), "return the") {
			t.Errorf("%s: the words are %q, want %q", name, text, want)
		}
		if status == 0 {
			if text != "" {
				l.awaitScreen(text)
			}
			l.clearLine()
		}
	}

	l.configure("status-500", true)
	status, d := l.dictate(nil)
	if status != 0 || d.Refine.Outcome != wire.RefineKept || d.Refine.Reason != "unavailable" {
		t.Errorf("the model answers 500: status %d, %+v", status, d.Refine)
	}
	check("the model answers 500", status, heard)

	l.configure("hang", true)
	status, d = l.dictate(nil)
	if status != 0 || d.Refine.Outcome != wire.RefineKept || d.Refine.Reason != "timeout" {
		t.Errorf("the model hangs: status %d, %+v", status, d.Refine)
	}
	check("the model hangs", status, heard)

	l.configure("edit", true)
	status, d = l.dictate(func(m moment) {
		if m == begun {
			l.kill("vi-terms")
		}
	})
	if status != 0 || d.Context.Reason != "ok" && d.Context.Reason != "terms_failed" {
		t.Errorf("vi-terms is killed: status %d, %+v", status, d.Context)
	}
	check("vi-terms is killed", status, map[bool]string{true: refined}[d.Context.Reason == "ok"])

	status, d = l.dictate(func(m moment) {
		if m == spoken {
			l.kill("engines/pocketsphinx")
		}
	})
	if status != 0 || d.Recognition.Outcome != wire.OutcomeUsable || d.Recognition.Attempts != 2 {
		t.Errorf("the engine is killed: status %d, %+v", status, d.Recognition)
	}
	check("the engine is killed", status, refined)

	restore := l.tear()
	status, d = l.dictate(nil)
	if status != 0 || d.Context.Reason == "ok" || d.Context.ASRSent {
		t.Errorf("the session is torn: status %d, %+v", status, d.Context)
	}
	check("the session is torn", status, "")
	restore()

	hidden := l.kittySocket() + ".hidden"
	if err := os.Rename(l.kittySocket(), hidden); err != nil {
		t.Fatal(err)
	}
	status, d = l.dictate(nil)
	if !strings.HasPrefix(d.Context.Reason, "kitty_") || d.Context.ASRSent || d.Delivery == nil || d.Delivery.Driver == "kitty" {
		t.Errorf("Kitty cannot be asked: status %d, %+v, %+v", status, d.Context, d.Delivery)
	}
	if err := os.Rename(hidden, l.kittySocket()); err != nil {
		t.Fatal(err)
	}
	check("Kitty cannot be asked", status, "")

	// The window goes between the stop and the delivery: while the model hangs.
	l.configure("hang", true)
	l.press("toggle")
	l.speak(l.pcm)
	l.await("recording")
	fixture.WaitFor(t, "the look-up", func() bool { return l.status().Context != "" })
	l.press("toggle")
	l.await("refining")
	l.kitty.Do("close-window", "--match", l.window)
	l.await("idle")
	d = l.diagnostics()
	if d.Outcome != "failed" || d.Delivery == nil || d.Delivery.Delivered || d.Delivery.Reason == wire.OK {
		t.Errorf("the window is closed: %s, %+v", d.Outcome, d.Delivery)
	}
	if s := l.status(); s.Error == nil || s.Error.Stage != "deliver" {
		t.Errorf("the window is closed: the status shows %+v", s.Error)
	}
	check("the window is closed", 1, map[bool]string{true: heard}[d.Context.Reason == "ok"])
}

func (l *lab) press(command string) {
	l.t.Helper()
	if status, out := l.voice("record", command); status != 0 {
		l.t.Fatalf("record %s: %d: %s", command, status, out)
	}
}

// clearLine empties Codex's composer.
func (l *lab) clearLine() {
	l.t.Helper()
	l.kitty.Do("send-text", "--match", l.window, `\x15`) // Ctrl-U
	fixture.WaitFor(l.t, "an empty composer", func() bool { return !strings.Contains(strings.ToLower(l.screen()), "return the") })
}

// kill kills the daemon's processes of a name as kill -9 does.
func (l *lab) kill(name string) {
	l.t.Helper()
	killed := 0
	for _, pid := range fixture.Marked(l.mark) {
		cmdline, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if strings.Contains(string(cmdline), name) {
			syscall.Kill(pid, syscall.SIGKILL)
			killed++
		}
	}
	if killed == 0 {
		l.t.Errorf("no %s runs", name)
	}
}

// tear cuts Codex's session files off in the middle of their first line, and
// returns what makes them whole again.
func (l *lab) tear() (restore func()) {
	l.t.Helper()
	whole := map[string][]byte{}
	filepath.Walk(l.codex.Home, func(path string, info os.FileInfo, err error) error {
		if err == nil && strings.HasPrefix(info.Name(), "rollout-") && strings.HasSuffix(path, ".jsonl") {
			whole[path], _ = os.ReadFile(path)
			os.Truncate(path, 100)
		}
		return nil
	})
	if len(whole) == 0 {
		l.t.Fatal("Codex has no session file")
	}
	return func() {
		for path, b := range whole {
			l.write(path, string(b))
		}
	}
}

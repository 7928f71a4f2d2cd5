package agents_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"voice-input/tests/agents/fixture"
)

// TestPiLong leaves conversations and moves in them in every way.
func TestPiLong(t *testing.T) {
	long(t)
	l := newLab(t).withPi(newest(t, fixture.PiPackage, fixture.PiVersion))
	l.installExtension()
	p := l.pi()
	pid := p.agent.pid
	current := func() published { return l.waitRegistry("an entry", pid, func(published) bool { return true }) }

	p.says("say Alpha")
	p.says("work Beta", "Alpha")
	p.enter("fail Gamma")
	p.waitScreen("refused")
	p.keeps("Beta")
	p.enter("slow Delta")
	p.waitScreen("slow3")
	p.keeps("Beta")
	p.key("Escape")
	p.waitScreen("aborted")
	p.keeps("Beta")
	p.says("say Epsilon", "Beta")

	// To an earlier answer of the tree, of which the file does not tell.
	first := current()
	p.enter("/tree")
	p.waitScreen("Session Tree")
	p.text("Answer Alpha")
	p.waitScreen("Answer Alpha")
	time.Sleep(500 * time.Millisecond) // the list is filtered behind the words
	p.key("Enter")
	p.waitScreen("No summary")
	p.key("Enter")
	p.waitScreen("Navigated")
	p.wants("Alpha", "Epsilon")
	p.keeps("Alpha")
	p.says("say Zeta", "Alpha")

	p.enter("/reload")
	p.waitScreen("Reloaded")
	p.wants("Zeta")

	// A fork from before the newest prompt has the answer before it.
	p.enter("/fork")
	p.waitScreen("Fork from Message")
	p.key("Enter")
	fork := l.another(p, first)
	p.wants("Alpha", "Zeta")
	p.key("C-u")
	p.says("say Eta", "Alpha")

	p.enter("/clone")
	clone := l.another(p, fork)
	p.wants("Eta")
	p.says("say Theta", "Eta")

	// An agent that the agent runs has its own process and no entry.
	p.enter("!" + filepath.Join(l.bin, "pi") + " -p --no-session 'say Iota'")
	p.waitScreen("Answer Iota")
	p.keeps("Theta")
	if entries, err := filepath.Glob(filepath.Join(l.dir, "run", "voice-input", "agent-sessions", "*")); err != nil || len(entries) != 1 {
		t.Errorf("entries: %v, %v", entries, err)
	}

	p.enter("/new")
	l.another(p, clone)
	p.keeps("(not_started)")

	// A second terminal goes on with the session that the first one has left.
	q := l.pi("--session", clone.SessionFile)
	q.wants("Theta")
	p.keeps("(not_started)")
	p.says("say Kappa")
	q.keeps("Theta")
	q.says("say Lambda", "Theta")
	p.keeps("Kappa")

	q.end(syscall.SIGTERM)
	if _, err := l.registry(q.agent.pid); !os.IsNotExist(err) {
		t.Errorf("the entry after TERM: %v", err)
	}
	p.end(syscall.SIGKILL)
	if _, err := l.registry(pid); err != nil {
		t.Errorf("the entry of a process that was killed: %v", err)
	}
	if s := p.look(); s.Source != nil {
		t.Errorf("after KILL: %q", told(s))
	}
}

// end ends the agent.
func (p *pane) end(signal syscall.Signal) {
	p.t.Helper()
	p.tmux("set-option", "-g", "remain-on-exit", "on")
	if err := syscall.Kill(p.agent.pid, signal); err != nil {
		p.t.Fatal(err)
	}
	p.waitEnd()
}

// TestPiHangup closes the terminal, so that Pi ends without its shutdown.
func TestPiHangup(t *testing.T) {
	long(t)
	l := newLab(t).withPi(newest(t, fixture.PiPackage, fixture.PiVersion))
	l.installExtension()
	p := l.pi()
	l.waitRegistry("the entry", p.agent.pid, func(published) bool { return true })
	l.tmux("kill-server")
	p.waitEnd()
	if _, err := l.registry(p.agent.pid); !os.IsNotExist(err) {
		t.Errorf("the entry after the hang-up: %v", err)
	}
}

// TestPiElsewhere keeps sessions in other folders than the usual one, with the
// extension copied as one file.
func TestPiElsewhere(t *testing.T) {
	long(t)
	l := newLab(t).withPi(newest(t, fixture.PiPackage, fixture.PiVersion))
	extension, err := os.ReadFile("../../share/pi/voice-input.js")
	if err != nil {
		t.Fatal(err)
	}
	l.write("pi/extensions/voice-input.js", string(extension))
	elsewhere := filepath.Join(l.dir, "elsewhere")
	for _, args := range [][]string{
		{"--session-dir", elsewhere},
		{"--session", filepath.Join(elsewhere, "named.jsonl")},
	} {
		p := l.pi(args...)
		p.says("say Alpha")
		r, err := l.registry(p.agent.pid)
		if err != nil || !strings.HasPrefix(r.SessionFile, elsewhere+"/") {
			t.Errorf("%v: %+v, %v", args, r, err)
		}
		p.enter("/quit")
		p.waitEnd()
	}

	p := l.pi("--no-session")
	p.enter("say Beta")
	p.waitScreen("Answer Beta")
	p.keeps("(not_registered)")
}

// TestPiNotLoaded has a Pi that was started before the extension was there.
func TestPiNotLoaded(t *testing.T) {
	long(t)
	l := newLab(t).withPi(newest(t, fixture.PiPackage, fixture.PiVersion))
	p := l.pi()
	l.installExtension()
	p.enter("say Alpha")
	p.waitScreen("Answer Alpha")
	p.keeps("(not_registered)")
	p.enter("/reload")
	p.wants("Alpha")
}

// TestPiWithoutTerminal has no entry for a session that is not on a screen.
func TestPiWithoutTerminal(t *testing.T) {
	long(t)
	l := newLab(t).withPi(newest(t, fixture.PiPackage, fixture.PiVersion))
	l.installExtension()
	cmd := exec.CommandContext(t.Context(), filepath.Join(l.bin, "pi"), "--mode", "rpc")
	cmd.Env, cmd.Dir = l.env, l.project
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 16<<20)
	until := func(event string) {
		for lines.Scan() {
			if strings.Contains(lines.Text(), event) {
				return
			}
		}
		t.Fatalf("pi --mode rpc ended before %s", event)
	}
	for _, send := range []struct{ command, event string }{
		{`{"type":"prompt","message":"say Alpha"}`, `"agent_settled"`},
		{`{"type":"new_session"}`, `"command":"new_session"`},
		{`{"type":"prompt","message":"say Beta"}`, `"agent_settled"`},
	} {
		if _, err := in.Write([]byte(send.command + "\n")); err != nil {
			t.Fatal(err)
		}
		until(send.event)
	}
	if entries, err := os.ReadDir(filepath.Join(l.dir, "run")); err != nil || len(entries) != 0 {
		t.Errorf("published: %v, %v", entries, err)
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

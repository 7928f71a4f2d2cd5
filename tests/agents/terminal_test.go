package agents_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"voice-input/pkg/wire"
	"voice-input/tests/agents/fixture"
)

// lab is a home, a project folder, a model and a tmux server of a test's own.
type lab struct {
	t       *testing.T
	dir     string
	project string
	model   string // the server's base address
	mark    string // an entry in the environment of every process of the lab
	env     []string
}

func newLab(t *testing.T) *lab {
	t.Helper()
	need(t, "tmux")
	// Sockets have short paths, so t.TempDir will not do.
	dir, err := os.MkdirTemp("", "vi-agents-")
	if err != nil {
		t.Fatal(err)
	}
	l := &lab{t: t, dir: dir, project: filepath.Join(dir, "project"), model: fixture.Model(t, answer), mark: "VI_TEST_LAB=" + dir}
	t.Cleanup(func() {
		fixture.EndMarked(t, l.mark)
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	for _, name := range []string{"home", "project", "run"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	l.env = []string{l.mark, "PATH=" + fixture.Node(t) + ":" + os.Getenv("PATH"), "HOME=" + filepath.Join(dir, "home"),
		"XDG_RUNTIME_DIR=" + filepath.Join(dir, "run"), "LANG=C.UTF-8", "TERM=xterm-256color", "LAB_KEY=none"}
	return l
}

// write writes a file below the lab.
func (l *lab) write(name, content string) {
	l.t.Helper()
	path := filepath.Join(l.dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600)); err != nil {
		l.t.Fatal(err)
	}
}

// terminal is what an agent runs in.
type terminal interface {
	screen() string
	text(string) // types it
	key(string)  // presses Enter, Escape and such
	title() string
}

// pane is a terminal with an agent.
type pane struct {
	*lab
	terminal
	agent process
	kind  string // codex, pi
	look  func() wire.Session
}

// open starts an agent in tmux and waits for words on its screen.
func (l *lab) open(kind, words string, argv ...string) *pane {
	l.t.Helper()
	command := "exec " + strings.Join(argv, " ")
	id := strings.TrimSpace(l.tmux("new-session", "-d", "-P", "-F", "#{pane_id}", "-x", "120", "-y", "40", command))
	m := &tmuxPane{l, id}
	pid, err := strconv.Atoi(m.format("pane_pid"))
	if err != nil {
		l.t.Fatal(err)
	}
	return l.began(m, pid, kind, words)
}

// began waits until an agent, which was started on the terminal of a process, shows words.
func (l *lab) began(on terminal, pid int, kind, words string) *pane {
	l.t.Helper()
	p := &pane{lab: l, terminal: on, kind: kind}
	p.look = p.session
	l.t.Cleanup(func() {
		if l.t.Failed() {
			l.t.Logf("the last screen of %s:\n%s", kind, p.screen())
		}
	})
	p.waitScreen(words)
	p.agent = foreground(l.t, pid, kind)
	return p
}

// tmuxPane is a terminal in the lab's tmux.
type tmuxPane struct {
	*lab
	id string
}

func (l *lab) tmux(args ...string) string {
	l.t.Helper()
	return output(l.t, l.env, l.project, append([]string{"tmux", "-S", filepath.Join(l.dir, "tmux"), "-f", "/dev/null"}, args...)...)
}

func (m *tmuxPane) format(name string) string {
	m.t.Helper()
	return strings.TrimSpace(m.tmux("display-message", "-p", "-t", m.id, "#{"+name+"}"))
}

func (m *tmuxPane) title() string    { m.t.Helper(); return m.format("pane_title") }
func (m *tmuxPane) text(line string) { m.t.Helper(); m.tmux("send-keys", "-t", m.id, "-l", line) }
func (m *tmuxPane) key(name string)  { m.t.Helper(); m.tmux("send-keys", "-t", m.id, name) }

func (m *tmuxPane) screen() string {
	// No failure: the screen is asked for when a test has failed already, too.
	out, _ := exec.Command("tmux", "-S", filepath.Join(m.dir, "tmux"), "capture-pane", "-p", "-t", m.id).CombinedOutput()
	return string(bytes.TrimSpace(out))
}

func (p *pane) waitScreen(words string) {
	p.t.Helper()
	waitFor(p.t, fmt.Sprintf("%q on the screen of %s", words, p.kind), func() bool { return strings.Contains(p.screen(), words) })
}

// enter types a line and presses Enter. An agent takes what comes too fast for
// a paste, and Enter in a paste is a new line: hence the pause, which no
// condition on the screen can replace.
func (p *pane) enter(line string) {
	p.t.Helper()
	p.text(line)
	p.waitScreen(strings.TrimSpace(line))
	time.Sleep(700 * time.Millisecond)
	p.key("Enter")
}

// session asks vi-session what the agent shows. The focus record has what
// vi-focus tells of the agent, and nothing else.
func (p *pane) session() wire.Session {
	p.t.Helper()
	return p.ask(&wire.Focus{Header: wire.Header{Reason: "ok"}, Agent: &wire.Agent{
		Kind: p.kind, PID: p.agent.pid, StartTicks: p.agent.ticks, Thread: thread(p.title())}})
}

func (l *lab) ask(focus *wire.Focus) wire.Session {
	l.t.Helper()
	record, err := wire.Encode(focus)
	if err != nil {
		l.t.Fatal(err)
	}
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(l.t.Context(), filepath.Join(programs, "vi-session"))
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = l.env, bytes.NewReader(record), &out, &errs
	err = cmd.Run()
	var s wire.Session
	if e := json.Unmarshal(out.Bytes(), &s); e != nil || s.Schema != wire.SchemaSession {
		l.t.Fatalf("vi-session: %v: %s%s", err, &out, &errs)
	}
	if (s.Reason == "ok") != (err == nil) || (s.Reason == "ok") != (s.Source != nil) {
		l.t.Fatalf("vi-session: %v with reason %q", err, s.Reason)
	}
	return s
}

// answer is the model's answer to a turn. It holds what must survive on the
// way: lines, code, markup, Chinese, what is outside of the basic plane.
func answer(turn string) string {
	return fmt.Sprintf("Answer %[1]s: set `Kubelet%[1]sConfig` & restart.\n\n1. <b>%[1]s</b> \"quoted\"\n2. 用户要的是 %[1]s 🎉", turn)
}

// told is what vi-session told: the text, or the reason in parentheses.
func told(s wire.Session) string {
	if s.Source == nil {
		return "(" + s.Reason + ")"
	}
	return s.Source.Text
}

// expected is what vi-session should tell: a reason in parentheses, or the
// answer to a turn.
func expected(what string) string {
	if strings.HasPrefix(what, "(") {
		return what
	}
	return answer(what)
}

// wants waits until vi-session tells what is expected. Until then it may give
// a reason, or tell what was the newest answer before.
func (p *pane) wants(what string, before ...string) {
	p.t.Helper()
	want := expected(what)
	allowed := map[string]bool{}
	for _, turn := range before {
		allowed[answer(turn)] = true
	}
	var got string
	defer func() {
		if p.t.Failed() {
			p.t.Logf("vi-session told %q last", got)
		}
	}()
	waitFor(p.t, what, func() bool {
		s := p.look()
		got = told(s)
		if got != want && s.Source != nil && !allowed[got] {
			p.t.Fatalf("instead of %s, vi-session told %q", what, got)
		}
		return got == want
	})
}

// says sends a prompt and waits until vi-session tells its answer; before are
// the turns whose answers it may still tell.
func (p *pane) says(prompt string, before ...string) {
	p.t.Helper()
	p.enter(prompt)
	p.wants(prompt[strings.LastIndexByte(prompt, ' ')+1:], before...)
}

// keeps checks for a second that vi-session tells nothing but what is expected.
func (p *pane) keeps(what ...string) {
	p.t.Helper()
	for range 5 {
		got, ok := told(p.look()), false
		for _, w := range what {
			ok = ok || got == expected(w)
		}
		if !ok {
			p.t.Fatalf("vi-session told %q, want %v", got, what)
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// waitEnd waits until the agent has ended.
func (p *pane) waitEnd() {
	p.t.Helper()
	waitFor(p.t, "the end of "+p.kind, func() bool {
		now, ok := readProcess(p.agent.pid)
		return !ok || now.ticks != p.agent.ticks || now.argv0 == ""
	})
}

package focus

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"voice-input/pkg/internal/desktoptest"
)

func TestTmuxFlags(t *testing.T) {
	tests := []struct{ args, label, path string }{
		{"tmux", "", ""},
		{"tmux attach -t x", "", ""},
		{"tmux -S /run/s attach", "", "/run/s"},
		{"tmux -S/run/s", "", "/run/s"},
		{"tmux -L lab new", "lab", ""},
		{"tmux -2uLlab new", "lab", ""},
		{"tmux -f conf -L lab", "lab", ""},
		{"tmux -c shell-S -L lab", "lab", ""},
		{"tmux new -S other", "", ""},
		{"tmux -- -S other", "", ""},
		{"tmux -S", "", ""},
		{"tmux -", "", ""},
		{"", "", ""},
	}
	for _, tt := range tests {
		if label, path := tmuxFlags(strings.Fields(tt.args)); label != tt.label || path != tt.path {
			t.Errorf("%q: %q, %q", tt.args, label, path)
		}
	}
}

func TestCompact(t *testing.T) {
	for layout, want := range map[string]string{
		"b25d,80x24,0,0,7":                         "%7",
		"b25d,80x24,0,0{40x24,0,0,1,39x24,41,0,2}": "{%1,%2}",
		"1234,120x40,0,0[120x20,0,0,0,120x19,0,21{60x19,0,21,11,59x19,61,21[59x9,61,21,2,59x9,61,31,3]}]": "[%0,{%11,[%2,%3]}]",
		"": "",
	} {
		if got := compact(layout); got != want {
			t.Errorf("%q: %q, want %q", layout, got, want)
		}
	}
}

const clientLine = "14309:/dev/pts/24:attached,focused,UTF-8:%0:14312:/dev/pts/25:1:1:2:1:3:0:b25d,80x24,0,0{40x24,0,0,1,39x24,41,0,2}:work:a: name %"

func TestFindClient(t *testing.T) {
	p, err := findClient([]byte(clientLine+"\n"+strings.Replace(clientLine, "14309", "9", 1)+"\n"), 14309)
	if got := fmt.Sprintf("%s %d %s %v %+v", p.id, p.pid, p.tty, p.ownActive, p.location); err != nil || got !=
		"%0 14312 /dev/pts/25 false {Session:work Window:1 WindowName:a: name % WindowActive:true Pane:2 PaneActive:true Panes:3 Zoomed:false Layout:{%1,%2}}" {
		t.Errorf("%s, %v", got, err)
	}
	for name, out := range map[string]string{
		"nothing": "", "another client": strings.Replace(clientLine, "14309", "9", 1), "twice": clientLine + "\n" + clientLine,
		"short": "14309:/dev/pts/24", "pane": strings.Replace(clientLine, "%0", "0", 1), "number": strings.Replace(clientLine, "14312", "", 1),
	} {
		if p, err := findClient([]byte(out), 14309); err == nil {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

func FuzzParseClient(f *testing.F) {
	f.Add(clientLine)
	f.Fuzz(func(t *testing.T, line string) {
		if p, err := parseClient(line); err == nil && !paneID.MatchString(p.id) {
			t.Errorf("%+v", p)
		}
		compact(line)
	})
}

// tmuxLine is a client of tmux on a terminal, in a window of this Kitty, and
// what there is to look at it.
func tmuxLine(t *testing.T, m *desktoptest.Tmux) map[string]string {
	t.Helper()
	path := filepath.Join(desktoptest.Dir(t), "k")
	l := onTerminal(t, cast{
		Path: desktoptest.Path(t, "tmux"), Argv: []string{"tmux", "-S", m.Socket, "attach"},
		Env: []string{"KITTY_LISTEN_ON=unix:" + path, "TERM=xterm", "TMUX="},
	}, syscall.SysProcAttr{})
	// Kitty does not list a client of tmux.
	kittyWith(t, path, l.leader.Process.Pid)
	desktoptest.Until(t, "the client", func() bool { return m.Clients() > 0 })
	return hyprlandWindow(t, "kitty")
}

// codexInTmux is tmuxLine, of a tmux that shows a Codex, once that is there.
func codexInTmux(t *testing.T, m *desktoptest.Tmux) map[string]string {
	t.Helper()
	env := tmuxLine(t, m)
	awaitFocus(t, looker(t, env), "codex in %0", what)
	return env
}

// The agent is that of the pane which the client shows, and the location says
// which that is and nothing of its neighbours.
func TestTmux(t *testing.T) {
	desktoptest.Need(t, "tmux")
	dir := t.TempDir()
	codex, pi, private := program(t, dir, "codex"), program(t, dir, "pi"), program(t, dir, "private-neighbour")
	run := func(path string) []string { return []string{"env", actor + "=[]", path} }
	m := desktoptest.StartTmux(t, "work", run(codex)...)
	m.Do("rename-window", "first: one")
	env := tmuxLine(t, m)
	l := looker(t, env)
	l.Where = true
	await := func(want string) {
		t.Helper()
		got := ""
		desktoptest.Until(t, want, func() bool {
			f := l.Look(t.Context())
			got = f.AgentReason
			if f.Agent != nil {
				got = f.Agent.Kind
			}
			if f.Multiplexer == nil || f.Multiplexer.Socket != m.Socket {
				t.Fatalf("%+v", f.Multiplexer)
			}
			if at := f.Multiplexer.Location; at != nil {
				got += fmt.Sprintf(" %s %s:%d %q pane %d/%d %t %t %t %s", f.Multiplexer.Pane, at.Session, at.Window, at.WindowName, at.Pane, at.Panes, at.WindowActive, at.PaneActive, at.Zoomed, at.Layout)
			}
			return got == want
		})
	}
	await(`codex %0 work:0 "first: one" pane 0/1 true true false %0`)
	m.Do(append([]string{"split-window", "-h", "-t", "work:0"}, run(private)...)...)
	await(`no_agent %1 work:0 "first: one" pane 1/2 true true false {%0,%1}`)
	m.Do("resize-pane", "-Z", "-t", "work:0")
	await(`no_agent %1 work:0 "first: one" pane 1/2 true true true {%0,%1}`)
	m.Do(append([]string{"new-window", "-n", "说", "-t", "work:"}, run(pi)...)...)
	await(`pi %2 work:1 "说" pane 0/1 true true false %2`)
	// Another session is nobody's business until the client shows it.
	m.Do(append([]string{"new-session", "-d", "-s", "two"}, run(codex)...)...)
	await(`pi %2 work:1 "说" pane 0/1 true true false %2`)
	m.Do("switch-client", "-t", "two:0")
	m.Do("rename-window", "-t", "two:0", "x")
	await(`codex %3 two:0 "x" pane 0/1 true true false %3`)
}

// A server that does not answer costs the deadline, and the client that asks
// it is not left behind.
func TestTmuxHangs(t *testing.T) {
	m := desktoptest.StartTmux(t, "work", play(program(t, t.TempDir(), "codex"))...)
	env := codexInTmux(t, m)
	server, err := strconv.Atoi(m.Do("display-message", "-p", "#{pid}"))
	if err != nil {
		t.Fatal(err)
	}
	syscall.Kill(server, syscall.SIGSTOP)
	defer syscall.Kill(server, syscall.SIGCONT)
	l := looker(t, env)
	l.Timeout = 300 * time.Millisecond
	if f := l.Look(t.Context()); f.Reason != "ok" || f.AgentReason != "timeout" || f.Multiplexer.Socket != m.Socket {
		t.Errorf("%+v, %+v", f, f.Multiplexer)
	}
}

// A service without tmux on its PATH uses the one that shows.
func TestTmuxIsNotOnPath(t *testing.T) {
	m := desktoptest.StartTmux(t, "work", play(program(t, t.TempDir(), "codex"))...)
	env := codexInTmux(t, m)
	t.Setenv("PATH", "/nonexistent")
	if f := looker(t, env).Look(t.Context()); f.Agent == nil {
		t.Errorf("%+v", f)
	}
}

// A shell that was started in tmux and is not shown by it is not in tmux.
func TestTmuxIsNotInherited(t *testing.T) {
	m := desktoptest.StartTmux(t, "work", "sleep", "1000")
	path := filepath.Join(desktoptest.Dir(t), "k")
	l := onTerminal(t, cast{
		Path: program(t, t.TempDir(), "bash"), Argv: []string{"bash"},
		Env: []string{"KITTY_LISTEN_ON=unix:" + path, "TMUX=" + m.Socket + ",1,0", "TMUX_PANE=%0"},
	}, syscall.SysProcAttr{})
	kittyWith(t, path, l.leader.Process.Pid, l.leader.Process.Pid)
	if f := looker(t, hyprlandWindow(t, "kitty")).Look(t.Context()); f.Multiplexer != nil || f.AgentReason != "no_agent" {
		t.Errorf("%+v", f)
	}
}

// tmux in tmux: the inner one decides what shows, and is not guessed at.
func TestTmuxNested(t *testing.T) {
	inner := desktoptest.StartTmux(t, "inner", "env", actor+"=[]", program(t, t.TempDir(), "codex"))
	outer := desktoptest.StartTmux(t, "outer", "env", "-u", "TMUX", "TERM=screen", "tmux", "-S", inner.Socket, "attach")
	env := tmuxLine(t, outer)
	desktoptest.Until(t, "the inner client", func() bool { return inner.Clients() == 1 })
	if f := looker(t, env).Look(t.Context()); f.AgentReason != "nested" || f.Agent != nil {
		t.Errorf("%+v", f)
	}
}

// A server that does not list the client is not believed.
func TestTmuxWrongServer(t *testing.T) {
	m := desktoptest.StartTmux(t, "work", "env", actor+"=[]", program(t, t.TempDir(), "codex"))
	path := filepath.Join(desktoptest.Dir(t), "k")
	l := onTerminal(t, cast{
		Path: program(t, t.TempDir(), "tmux"), Argv: []string{"tmux", "-S", m.Socket}, Env: []string{"KITTY_LISTEN_ON=unix:" + path},
	}, syscall.SysProcAttr{})
	kittyWith(t, path, l.leader.Process.Pid)
	if f := looker(t, hyprlandWindow(t, "kitty")).Look(t.Context()); f.AgentReason != "multiplexer_failed" || f.Agent != nil {
		t.Errorf("%+v", f)
	}
}

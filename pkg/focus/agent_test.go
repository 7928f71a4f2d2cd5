package focus

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"voice-input/pkg/internal/agents"
	"voice-input/pkg/internal/desktoptest"
	"voice-input/pkg/internal/proc"
	"voice-input/pkg/wire"
)

func TestJudge(t *testing.T) {
	tests := []struct {
		exe, comm, args string
		want            string
	}{
		// the agents themselves
		{"/usr/bin/codex", "codex", "codex", "agent codex"},
		{"/usr/bin/codex (deleted)", "codex", "/usr/bin/codex resume", "agent codex"},
		{"/opt/codex-linux-x64/vendor/bin/codex", "codex", "other", "agent codex"},
		{"/usr/bin/node", "pi", "pi", "agent pi"},
		{"/nix/store/a-nodejs/bin/node", "pi", "pi", "agent pi"},
		{"/opt/bin/codex-x86_64-unknown-linux-musl", "codex-x86_64-un", "codex", "agent codex"},
		// Nix
		{"/nix/store/a-codex/bin/.codex-wrapped", ".codex-wrapped", "codex", "agent codex"},
		{"/nix/store/a-codex/bin/.codex-wrapped_", ".codex-wrapped_", "codex", "agent codex"},
		{"/nix/store/a-codex/bin/codex-raw", "codex-raw", "codex", "agent codex"},
		{"/nix/store/a-codex/bin/codex-unwrapped", "codex-unwrapped", "codex", "agent codex"},
		{"/nix/store/a-node/bin/node", "node", "node /nix/store/a-pi/bin/.pi-wrapped", "wrapper pi"},
		// scripts
		{"/usr/bin/node", "node", "node /tmp/x/bin/codex", "wrapper codex"},
		{"/usr/bin/node", "MainThread", "node --no-warnings -r ./hook.js /tmp/x/bin/codex --model x", "wrapper codex"},
		{"/usr/bin/node", "node", "/usr/bin/node /lib/node_modules/@openai/codex/bin/codex.js", "wrapper codex"},
		{"/usr/bin/bun", "bun", "bun run /home/u/bin/pi", "wrapper pi"},
		{"/usr/bin/node-22", "node", "node /home/u/bin/pi", "wrapper pi"},
		// near misses
		{"/usr/bin/sleep", "sleep", "codex 1000", ""},
		{"/usr/bin/node", "node", "codex server.js", ""},
		{"/usr/bin/node", "node", "node /srv/codex-tools/server.js", ""},
		{"/usr/bin/node", "node", "node /srv/codex/server.js", ""},
		{"/usr/bin/node", "node", "node /srv/my-codex.js", ""},
		{"/usr/bin/node", "node", "node /srv/server.js codex", ""},
		{"/usr/bin/node", "node", "node -e codex", ""},
		{"/usr/bin/node", "node", "node -r codex server.js", ""},
		{"/usr/bin/codex-tools", "codex-tools", "codex-tools", ""},
		{"/usr/bin/my-codex", "my-codex", "my-codex", ""},
		{"/usr/bin/Codex", "Codex", "Codex", ""},
		{"/usr/bin/pip", "pip", "pip", ""},
		{"/usr/bin/.codex", ".codex", ".codex", ""},
		{"/usr/bin/vim", "vim", "vim codex", ""},
		{"/usr/bin/vim", "vim", "vim /home/u/codex", ""},
		{"/usr/bin/python3", "python3", "python3 /home/u/bin/pi", ""},
		{"", "codex", "/usr/bin/codex", "agent codex"},
		{"", "sleep", "/usr/bin/codex", ""},
		{"", "codex", "", ""},
		{"", "", "", ""},
		// others that matter
		{"/usr/bin/tmux", "tmux: client", "tmux attach", "tmux"},
		{"/usr/bin/bash", "bash", "-bash", "launcher"},
		{"/usr/bin/node", "npm exec codex", "npm exec codex", "launcher"},
		{"/usr/bin/ssh", "ssh", "ssh host codex", "remote"},
		{"/usr/bin/docker", "docker", "docker run codex", "container_boundary"},
		{"/usr/bin/zellij", "zellij", "zellij", "unsupported_multiplexer"},
	}
	for _, tt := range tests {
		var args []string
		if tt.args != "" {
			args = strings.Fields(tt.args)
			if strings.HasPrefix(tt.args, "npm ") {
				args = []string{tt.args}
			}
		}
		v := judge(process{proc.Stat{Comm: tt.comm}, tt.exe, args})
		got := map[role]string{agent: "agent " + v.kind, wrapper: "wrapper " + v.kind, tmux: "tmux", launcher: "launcher", barrier: v.reason}[v.role]
		if got != tt.want {
			t.Errorf("%s (%s) %q: got %q, want %q", tt.exe, tt.comm, tt.args, got, tt.want)
		}
	}
}

func TestChoose(t *testing.T) {
	m := func(pid, ppid int, r role, kind string) member {
		return member{process{Stat: proc.Stat{PID: pid, PPID: ppid, PGRP: 10}}, verdict{role: r, kind: kind, reason: kind}}
	}
	tests := []struct {
		name  string
		group []member
		want  string
	}{
		{"nothing", nil, "no_agent"},
		{"agent", []member{m(10, 1, agent, "pi")}, "10"},
		{"shell at its prompt", []member{m(10, 1, launcher, "")}, "no_agent"},
		{"wrapper alone", []member{m(10, 1, wrapper, "codex")}, "10"},
		{"wrapper and child", []member{m(10, 1, wrapper, "codex"), m(11, 10, agent, "codex")}, "11"},
		{"wrapper, launcher, child", []member{m(10, 1, wrapper, "codex"), m(11, 10, launcher, ""), m(12, 11, agent, "codex")}, "12"},
		{"wrapper with two children", []member{m(10, 1, wrapper, "codex"), m(11, 10, agent, "codex"), m(12, 10, agent, "codex")}, "10"},
		{"wrapper with another agent", []member{m(10, 1, wrapper, "codex"), m(11, 10, agent, "pi")}, "10"},
		{"wrapper with a helper", []member{m(10, 1, wrapper, "codex"), m(11, 10, other, "")}, "10"},
		{"script that runs an agent", []member{m(10, 1, launcher, ""), m(11, 10, agent, "codex"), m(12, 10, other, "")}, "11"},
		{"script that runs two", []member{m(10, 1, launcher, ""), m(11, 10, agent, "codex"), m(12, 10, agent, "pi")}, "ambiguous"},
		{"agent with agent as helper", []member{m(10, 1, agent, "pi"), m(11, 10, agent, "codex")}, "10"},
		{"two of a kind", []member{m(10, 1, agent, "pi"), m(11, 10, agent, "pi")}, "10"},
		{"another program's helper", []member{m(10, 1, other, ""), m(11, 10, wrapper, "codex"), m(12, 11, agent, "codex")}, "no_agent"},
		{"script that runs another program", []member{m(10, 1, launcher, ""), m(11, 10, other, ""), m(12, 11, agent, "codex")}, "no_agent"},
		{"pipe into an agent", []member{m(10, 1, other, ""), m(11, 1, agent, "codex")}, "no_agent"},
		{"leader has ended", []member{m(11, 1, agent, "codex"), m(12, 11, other, "")}, "11"},
		{"leader has ended, two left", []member{m(11, 1, agent, "codex"), m(12, 1, agent, "codex")}, "ambiguous"},
		{"leader has ended, helper left", []member{m(11, 1, other, ""), m(12, 11, agent, "codex")}, "no_agent"},
		{"elsewhere", []member{m(10, 1, launcher, ""), m(11, 10, barrier, "remote")}, "remote"},
		{"own parent", []member{m(11, 11, launcher, ""), m(12, 12, agent, "pi")}, "no_agent"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			found, got := choose(tt.group)
			if got == "" {
				got = fmt.Sprint(found.PID)
			}
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// inKitty looks at a Kitty window, with this test as Kitty, that runs c. It
// returns what is told, with the process by its place in the group: 0 is the
// leader.
func inKitty(t *testing.T, c cast, attr syscall.SysProcAttr) (*wire.Focus, string) {
	t.Helper()
	path := filepath.Join(desktoptest.Dir(t), "k")
	c.Env = append(c.Env, "KITTY_LISTEN_ON=unix:"+path)
	l := onTerminal(t, c, attr)
	group := l.group(t)
	kittyWith(t, path, l.leader.Process.Pid, group...)
	f := looker(t, hyprlandWindow(t, "kitty")).Look(t.Context())
	if f.Agent == nil {
		return f, told(f)
	}
	for i, pid := range group {
		if pid == f.Agent.PID {
			return f, fmt.Sprintf("%s %d", f.Agent.Kind, i)
		}
	}
	return f, "a stranger"
}

// acting are executables of the names that matter.
type acting struct{ node, native, claude, pi, wrapped, raw, sleeper, helper string }

func actors(t *testing.T) acting {
	t.Helper()
	dir := t.TempDir()
	at := func(name string) string { return program(t, dir, name) }
	return acting{
		at("bin/node"), at("vendor/bin/codex"), at("bin/claude"), at("nix/store/bbbb-pi/bin/.pi-wrapped"),
		at("nix/store/aaaa-codex/bin/.codex-wrapped"), at("nix/store/aaaa-codex/bin/codex-raw"), at("bin/sleeper"), at("bin/codex-helper"),
	}
}

// npm is Codex as npm installs it: a script, and what that starts.
func (a acting) npm(children ...cast) cast {
	return cast{Path: a.node, Argv: []string{"node", "/tmp/x/bin/codex"}, Children: children}
}

// expect looks at a Kitty window with real processes in it.
func expect(t *testing.T, name string, c cast, want string) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		t.Helper()
		f, got := inKitty(t, c, syscall.SysProcAttr{})
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if f.Agent == nil {
			return
		}
		s, err := proc.Root.Stat(f.Agent.PID)
		if err != nil || f.Agent.StartTicks != s.StartTicks || f.Agent.Label != agents.Label(f.Agent.Kind) || f.Style != styleAgent {
			t.Errorf("%+v, style %s, started at %d, %v", f.Agent, f.Style, s.StartTicks, err)
		}
	})
}

func TestF1_NpmInstalledCodex(t *testing.T) {
	a := actors(t)
	expect(t, "script alone", a.npm(), "codex 0")
	expect(t, "script and native child", a.npm(cast{Path: a.native, Argv: []string{a.native}}), "codex 1")
	expect(t, "a folder of that name", cast{Path: a.node, Argv: []string{"node", "/srv/codex-tools/server.js"}}, "no_agent")
}

func TestF2_NixWrappers(t *testing.T) {
	a := actors(t)
	expect(t, ".codex-wrapped", cast{Path: a.wrapped, Argv: []string{"codex"}}, "codex 0")
	expect(t, ".pi-wrapped", cast{Path: a.pi, Argv: []string{"pi"}}, "pi 0")
	expect(t, "codex-raw", cast{Path: a.raw, Argv: []string{"codex"}}, "codex 0")
	expect(t, "argument 0 alone", cast{Path: a.sleeper, Argv: []string{"codex", "1000"}}, "no_agent")
}

func TestF4_HelpersStealNothing(t *testing.T) {
	a := actors(t)
	native := cast{Path: a.native, Argv: []string{"codex", "exec"}}
	expect(t, "helper of another program", cast{Path: a.claude, Argv: []string{"claude"}, Children: []cast{a.npm(native)}}, "no_agent")
	expect(t, "helper of pi", cast{Path: a.pi, Argv: []string{"pi"}, Children: []cast{native}}, "pi 0")
}

func TestRule_H2_ExactName(t *testing.T) {
	a := actors(t)
	expect(t, "exact", cast{Path: a.native, Argv: []string{a.native}}, "codex 0")
	expect(t, "part of a name", cast{Path: a.helper, Argv: []string{"codex-helper"}}, "no_agent")
	expect(t, "an argument", cast{Path: a.sleeper, Argv: []string{"sleeper", "codex"}}, "no_agent")
}

// Real Node programs: one that sets its title as Pi does, one with Codex's
// wrapper around a native child.
func TestIdentityOfNode(t *testing.T) {
	desktoptest.Need(t, "node")
	dir := t.TempDir()
	native := program(t, dir, "vendor/codex")
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		os.MkdirAll(filepath.Dir(path), 0o755)
		if err := os.WriteFile(path, []byte("#!/usr/bin/env node\n"+text), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	titled := write("dist/cli.js", "process.title = 'pi'; setInterval(() => {}, 1e6)\n")
	codex := write("bin/codex", fmt.Sprintf("require('child_process').spawn(%q, [], {stdio: 'inherit'})\n", native))
	tests := []struct{ name, script, want string }{{"title", titled, "pi"}, {"wrapper", codex, "codex"}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(desktoptest.Dir(t), "k")
			l := onTerminal(t, cast{Path: "/usr/bin/env", Argv: []string{"env", tt.script}, Env: []string{"KITTY_LISTEN_ON=unix:" + path}}, syscall.SysProcAttr{})
			kittyWith(t, path, l.leader.Process.Pid)
			desktop := hyprlandWindow(t, "kitty")
			desktoptest.Until(t, tt.want, func() bool {
				f := looker(t, desktop).Look(t.Context())
				if f.Agent == nil || f.Agent.Kind != tt.want {
					return false
				}
				exe, _ := proc.Root.Exe(f.Agent.PID)
				return tt.want == "pi" || exe == native
			})
		})
	}
}

// A process in another namespace of processes is none of ours, though it
// shares the terminal.
func TestRule_G6_ContainerBoundary(t *testing.T) {
	native := program(t, t.TempDir(), "codex")
	attr := syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID}
	if os.Getuid() != 0 {
		attr.Cloneflags |= syscall.CLONE_NEWUSER
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	probe := attr
	if cmd, err := (cast{Path: native, Argv: []string{"codex"}}).start(&probe); err == nil {
		cmd.Process.Kill()
		cmd.Wait()
	} else if os.Getenv("VI_TEST_ALLOW_SKIP") == "1" {
		t.Skipf("no namespaces here: %v", err)
	}
	if _, got := inKitty(t, cast{Path: native, Argv: []string{"codex"}}, attr); got != "container_boundary" {
		t.Errorf("got %s", got)
	}
}

// What was judged has to be this user's, here, and still the same process.
func TestConfirm(t *testing.T) {
	const pid = 4242
	before := process{Stat: proc.Stat{PID: pid, PGRP: pid, TPGID: pid, StartTicks: 77}}
	stat := func(pgrp, tpgid, ticks int) string {
		return fmt.Sprintf("%d (codex) S 1 %d 1 34816 %d 0 0 0 0 0 0 0 0 0 20 0 1 0 %d 1 2", pid, pgrp, tpgid, ticks)
	}
	own := fmt.Sprintf("Uid:\t%d\nNSpid:\t%d\n", os.Getuid(), pid)
	tests := []struct{ name, stat, status, want string }{
		{"the same", stat(pid, pid, 77), own, ""},
		{"another under that number", stat(pid, pid, 78), own, "changed"},
		{"in the background", stat(pid, 9, 77), own, "changed"},
		{"in another group", stat(9, pid, 77), own, "changed"},
		{"ended", "", own, "changed"},
		{"another user's", stat(pid, pid, 77), fmt.Sprintf("Uid:\t%d\n", os.Getuid()+1), "other_user"},
		{"in a container", stat(pid, pid, 77), own[:len(own)-1] + "\t7\n", "container_boundary"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := looker(t, nil)
			l.proc = proc.FS(t.TempDir())
			dir := filepath.Join(string(l.proc), fmt.Sprint(pid))
			os.Mkdir(dir, 0o755)
			os.WriteFile(filepath.Join(dir, "stat"), []byte(tt.stat), 0o644)
			os.WriteFile(filepath.Join(dir, "status"), []byte(tt.status), 0o644)
			f := new(wire.Focus)
			if got := l.confirm(member{before, verdict{role: agent, kind: "codex"}}, f); got != tt.want || (f.Agent != nil) != (tt.want == "") {
				t.Errorf("got %q with agent %v, want %q", got, f.Agent, tt.want)
			}
		})
	}
}

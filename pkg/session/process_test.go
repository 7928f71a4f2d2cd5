package session

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"voice-input/pkg/internal/proc"
	"voice-input/pkg/wire"
)

func TestRule_C1_ProcessIdentity(t *testing.T) {
	l := newLab(t)
	a := l.start("codex", "codex")
	path := l.rollout(threadA, header(threadA, "cli", l.project), turn("a", "answer A")...)
	a.do("open", path)
	want(t, l.find(a.focus()), "answer A", wire.OK)

	t.Run("start ticks", func(t *testing.T) {
		f := a.focus()
		f.Agent.StartTicks++
		want(t, l.find(f), "", "wrong_process")
	})
	t.Run("user", func(t *testing.T) {
		f := l.finder()
		f.UID = os.Getuid() + 1
		want(t, f.Find(t.Context(), a.focus()), "", "other_user")
	})
	t.Run("not there", func(t *testing.T) {
		f := a.focus()
		f.Agent.PID = 1 << 30
		want(t, l.find(f), "", "process_gone")
	})
	t.Run("no number", func(t *testing.T) {
		for _, agent := range []*wire.Agent{nil, {Kind: "codex"}, {Kind: "codex", PID: a.pid}, {Kind: "codex", PID: -1, StartTicks: 1}} {
			want(t, l.find(&wire.Focus{Header: wire.Header{Reason: wire.OK}, Agent: agent}), "", "no_agent")
		}
		f := a.focus()
		f.Reason = "timeout"
		want(t, l.find(f), "", "no_agent")
	})
	t.Run("ended", func(t *testing.T) {
		b := l.start("codex", "codex")
		f := b.focus()
		b.in.Close()
		waitFor(t, func() bool { s, err := proc.Root.Stat(b.pid); return err == nil && s.State == 'Z' })
		want(t, l.find(f), "", "process_gone")
		b.cmd.Wait()
		want(t, l.find(f), "", "process_gone")
	})
}

func TestRule_C1_TheExecutableBearsTheName(t *testing.T) {
	l := newLab(t)
	path := l.rollout(threadA, header(threadA, "cli", l.project), turn("a", "answer A")...)
	for _, tt := range []struct {
		name   string
		args   []string
		reason string
	}{
		{"codex", nil, wire.OK},
		{".codex-wrapped", []string{"codex"}, wire.OK},
		{"codex-raw", nil, wire.OK},
		{"codex-x86_64-unknown-linux-musl", nil, wire.OK},
		{"sleep", []string{"codex"}, "wrong_process"},
		{"codex-tools", []string{"codex"}, "wrong_process"},
		{"pi", []string{"codex"}, "wrong_process"},
	} {
		a := l.start("codex", tt.name, func(c *exec.Cmd) {
			if tt.args != nil {
				c.Args = tt.args
			}
		})
		a.do("open", path)
		text := ""
		if tt.reason == wire.OK {
			text = "answer A"
		}
		t.Run(tt.name, func(t *testing.T) { want(t, l.find(a.focus()), text, tt.reason) })
	}
}

func TestIsAgent(t *testing.T) {
	for _, tt := range []struct {
		agent, exe, args string
		native, script   bool
	}{
		{"pi", "/usr/bin/node", "pi", false, true},
		{"pi", "/usr/bin/node", "node /usr/bin/pi", false, true},
		{"pi", "/nix/store/a-nodejs/bin/.node-wrapped", "pi", false, true},
		{"pi", "/usr/bin/node", "node /srv/pi-tools/server.js", false, false},
		{"pi", "/usr/bin/node", "node server.js pi", false, false},
		{"pi", "/opt/pi", "pi", true, false},
		{"pi", "/usr/bin/pip", "pi", false, false},
		{"pi", "/bin/bash", "pi", false, false},
		{"codex", "/usr/bin/node", "node /x/bin/codex", false, true},
		{"codex", "/usr/bin/node", "node /x/bin/codex.js resume", false, true},
		{"codex", "/x/codex (deleted)", "/x/codex", true, false},
		{"codex", "/x/codex-linux-sandbox", "codex", false, false},
		{"codex", "/x/notcodex", "codex", false, false},
		{"codex", "/usr/bin/node", "", false, false},
	} {
		native, script := isAgent(tt.agent, tt.exe, strings.Fields(tt.args))
		if native != tt.native || script != tt.script {
			t.Errorf("%s: %s %q: got %t, %t", tt.agent, tt.exe, tt.args, native, script)
		}
	}
}

// G6: a process in another namespace may name a path that leads elsewhere here.
func TestRule_G6_ContainerBoundary(t *testing.T) {
	l := newLab(t)
	path := l.rollout(threadA, header(threadA, "cli", l.project), turn("a", "answer A")...)
	flags := uintptr(syscall.CLONE_NEWNS)
	if os.Getuid() != 0 {
		flags |= syscall.CLONE_NEWUSER
	}
	name := l.program("codex")
	probe := exec.Command(name)
	probe.Env = []string{asAgent + "=1", "GORACE=atexit_sleep_ms=0"}
	probe.SysProcAttr = &syscall.SysProcAttr{Cloneflags: flags}
	if err := probe.Run(); err != nil {
		if os.Getenv("VI_TEST_ALLOW_SKIP") == "1" {
			t.Skip("no namespace can be made here: ", err)
		}
		t.Fatal(err)
	}
	a := l.start("codex", "codex", func(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: flags} })
	a.do("open", path)
	want(t, l.find(a.focus()), "", "container_boundary")
}

// The same by a made-up /proc, for each kind of namespace and for what the
// kernel refuses.
func TestNamespacesAndRefusals(t *testing.T) {
	self := os.Getpid()
	const pid = 4242
	make := func(t *testing.T, change func(dir string)) error {
		root := t.TempDir()
		for _, p := range []int{self, pid} {
			dir := filepath.Join(root, strconv.Itoa(p))
			write(t, filepath.Join(dir, "stat"), []byte(strconv.Itoa(p)+" (x) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 77 0 0"))
			write(t, filepath.Join(dir, "status"), []byte("Name:\tx\nUid:\t"+strconv.Itoa(os.Getuid())+"\nNSpid:\t"+strconv.Itoa(p)+"\n"))
			for _, kind := range namespaces {
				if err := os.MkdirAll(filepath.Join(dir, "ns"), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.Symlink(kind+":[1]", filepath.Join(dir, "ns", kind)); err != nil {
					t.Fatal(err)
				}
			}
		}
		change(filepath.Join(root, strconv.Itoa(pid)))
		_, err := newProcess(proc.FS(root), pid, 77, os.Getuid())
		return err
	}
	if err := make(t, func(string) {}); err != nil {
		t.Fatal(err)
	}
	for _, kind := range namespaces {
		err := make(t, func(dir string) {
			os.Remove(filepath.Join(dir, "ns", kind))
			os.Symlink(kind+":[2]", filepath.Join(dir, "ns", kind))
		})
		if reasonOf(err) != "container_boundary" {
			t.Errorf("%s: %v", kind, err)
		}
	}
	if err := make(t, func(dir string) {
		write(t, filepath.Join(dir, "status"), []byte("Uid:\t"+strconv.Itoa(os.Getuid())+"\nNSpid:\t9\t1\n"))
	}); reasonOf(err) != "container_boundary" {
		t.Error(err)
	}
	if err := make(t, func(dir string) { os.RemoveAll(filepath.Join(dir, "ns")) }); reasonOf(err) != "process_gone" {
		t.Error(err)
	}
	if got := reasonOf(&os.PathError{Op: "readlink", Err: syscall.EACCES}); got != "forbidden" {
		t.Error(got)
	}
	if got := reasonOf(&os.PathError{Op: "read", Err: syscall.EIO}); got != "unreadable" {
		t.Error(got)
	}
}

package proc

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestParseStat(t *testing.T) {
	const rest = " S 1 20 30 34816 40 4194304 1 2 3 4 5 6 7 8 20 0 1 0 98765 1 2"
	for _, comm := range []string{"bash", "tmux: client", "a) R 9 (b", ")", "", "(((", "说\nx"} {
		got, err := ParseStat([]byte("10 (" + comm + ")" + rest))
		want := Stat{PID: 10, Comm: comm, State: 'S', PPID: 1, PGRP: 20, Session: 30, TTY: 34816, TPGID: 40, StartTicks: 98765}
		if err != nil || got != want {
			t.Errorf("%q: got %+v, %v", comm, got, err)
		}
	}
	for _, bad := range []string{"", "10", "10 (x", "10 )x(", "x (y)" + rest, "10 (x) S 1 2", "10 (x) S a" + rest[4:], "10 (x) SS" + rest[2:]} {
		if got, err := ParseStat([]byte(bad)); err == nil {
			t.Errorf("%q was read as %+v", bad, got)
		}
	}
}

func TestOwnProcess(t *testing.T) {
	pid := os.Getpid()
	s, err := Root.Stat(pid)
	if err != nil || s.PID != pid || s.PPID != os.Getppid() || s.StartTicks == 0 {
		t.Errorf("%+v, %v", s, err)
	}
	if args, err := Root.Cmdline(pid); err != nil || !slices.Equal(args, os.Args) {
		t.Errorf("%q, %v", args, err)
	}
	exe, _ := os.Executable()
	if got, err := Root.Exe(pid); err != nil || got != exe {
		t.Errorf("%q, %v", got, err)
	}
	cwd, _ := os.Getwd()
	if got, err := Root.Cwd(pid); err != nil || got != cwd {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := Root.UID(pid); err != nil || got != os.Getuid() {
		t.Errorf("%d, %v", got, err)
	}
	if pids, err := Root.PIDs(); err != nil || !slices.Contains(pids, pid) {
		t.Errorf("own process is not listed, %v", err)
	}
	a, err := Root.Namespace(pid, "pid")
	if b, _ := Root.Namespace(os.Getppid(), "pid"); err != nil || a != b || a == "" {
		t.Errorf("%q, %q, %v", a, b, err)
	}
	if got, ok, err := Root.Env(pid, "PATH"); err != nil || !ok || got != os.Getenv("PATH") {
		t.Errorf("%q, %t, %v", got, ok, err)
	}
	if _, ok, err := Root.Env(pid, "PAT"); err != nil || ok {
		t.Errorf("a part of a name was found: %t, %v", ok, err)
	}
	path := filepath.Join(t.TempDir(), "open")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	fds, err := Root.FDs(pid)
	if err != nil || !slices.Contains(fds, FD{int(f.Fd()), path}) {
		t.Errorf("%v, %v", fds, err)
	}
}

func TestEndedProcess(t *testing.T) {
	const none = 1 << 30
	if _, err := Root.Stat(none); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if _, err := Root.FDs(none); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if _, err := Root.UID(none); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add([]byte("10 (tmux: client) S 1 20 30 34816 40 4194304 1 2 3 4 5 6 7 8 20 0 1 0 98765 1 2"))
	f.Fuzz(func(t *testing.T, b []byte) { ParseStat(b) })
}

package proc

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"testing"
)

func pids(stats []Stat) []int {
	var out []int
	for _, s := range stats {
		out = append(out, s.PID)
	}
	return out
}

func TestTable(t *testing.T) {
	table := Table{
		1:  {PID: 1, PPID: 0},
		10: {PID: 10, PPID: 1, PGRP: 10, TTY: 5, TPGID: 20},
		20: {PID: 20, PPID: 10, PGRP: 20, TTY: 5, TPGID: 20},
		21: {PID: 21, PPID: 20, PGRP: 20, TTY: 5, TPGID: 20},
		22: {PID: 22, PPID: 20, PGRP: 20, TTY: 5, TPGID: 20, State: 'Z'},
		30: {PID: 30, PPID: 1, PGRP: 30, TTY: 0, TPGID: 30},
		40: {PID: 40, PPID: 41}, 41: {PID: 41, PPID: 40},
	}
	if got := pids(table.Foreground(5)); !slices.Equal(got, []int{20, 21}) {
		t.Errorf("foreground of 5: %v", got)
	}
	if got := pids(table.Foreground(0)); got != nil {
		t.Errorf("no terminal has a foreground group %v", got)
	}
	if got := pids(table.Children(20)); !slices.Equal(got, []int{21, 22}) {
		t.Errorf("children of 20: %v", got)
	}
	for _, tt := range []struct {
		pid, ancestor int
		want          bool
	}{{21, 10, true}, {21, 21, true}, {21, 30, false}, {99, 1, false}, {40, 1, false}, {41, 40, true}} {
		if got := table.Descends(tt.pid, tt.ancestor); got != tt.want {
			t.Errorf("%d descends from %d: %t", tt.pid, tt.ancestor, got)
		}
	}
}

func TestTableOfThisMachine(t *testing.T) {
	cmd := exec.Command("sleep", "1000")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { cmd.Process.Kill(); cmd.Wait() }()
	table, err := Root.Table()
	if err != nil || !table.Descends(cmd.Process.Pid, os.Getpid()) {
		t.Errorf("the child is not below this process, %v", err)
	}
	s, err := Root.Status(cmd.Process.Pid)
	if err != nil || s != (Status{UID: os.Getuid()}) {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestParseStatus(t *testing.T) {
	for in, want := range map[string]string{
		"Name:\tx\nUid:\t1000\t1001\t1\t1\nNSpid:\t7\n": "{1000 0} <nil>",
		"Name:\tx\nUid:\t0\t0\t0\t0\nNSpid:\t7\t3\t1\n": "{0 2} <nil>",
		"Name:\ta\\nUid:\t5\nUid:\t6\t6\t6\t6\n":        "{6 0} <nil>", // the kernel escapes a line end
		"Name:\tx\nUid:\t7\n":                           "{7 0} <nil>", // before Linux 4.1
		"Name:\tx\n":                                    "{0 0} cannot read status of a process: it is cut short",
		"Uid:\n":                                        "{0 0} cannot read status of a process: it is cut short",
		"Uid:\tx\n":                                     "{0 0} cannot read status of a process: Uid is no number",
		"":                                              "{0 0} cannot read status of a process: it is cut short",
	} {
		s, err := ParseStatus([]byte(in))
		if got := fmt.Sprint(s, " ", err); got != want {
			t.Errorf("%q: got %s, want %s", in, got, want)
		}
	}
}

func FuzzParseStatus(f *testing.F) {
	f.Add([]byte("Name:\tx\nUid:\t0\t0\t0\t0\nNSpid:\t7\t3\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if s, err := ParseStatus(b); err == nil && (s.UID < 0 || s.Depth < 0) {
			t.Errorf("%+v", s)
		}
	})
}

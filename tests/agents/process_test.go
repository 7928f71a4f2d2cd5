package agents_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// process is what these tests read of /proc/PID/stat and /proc/PID/cmdline. It
// is read here anew, without the code under test.
type process struct {
	pid, pgrp, tty, tpgid int
	ticks                 uint64
	argv0                 string
}

func readProcess(pid int) (process, bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return process{}, false
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	number := func(field int) int { n, _ := strconv.Atoi(fields[field-3]); return n } // numbered as in proc_pid_stat(5)
	cmdline, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	argv0, _, _ := strings.Cut(string(cmdline), "\x00")
	return process{pid, number(5), number(7), number(8), uint64(number(22)), argv0}, true
}

func pids() (pids []int) {
	names, _ := filepath.Glob("/proc/[0-9]*")
	for _, name := range names {
		pid, _ := strconv.Atoi(filepath.Base(name))
		pids = append(pids, pid)
	}
	return pids
}

// foreground returns the process of that name in the foreground of the
// terminal that a process is on.
func foreground(t *testing.T, on int, name string) process {
	t.Helper()
	var found process
	waitFor(t, name+" in the foreground", func() bool {
		shell, ok := readProcess(on)
		if !ok {
			return false
		}
		for _, pid := range pids() {
			p, ok := readProcess(pid)
			if ok && p.tty == shell.tty && p.pgrp == p.tpgid && filepath.Base(p.argv0) == name {
				found = p
				return true
			}
		}
		return false
	})
	return found
}

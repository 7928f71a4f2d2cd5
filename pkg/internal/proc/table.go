package proc

import "slices"

// Table is every process at about one moment, by its PID.
type Table map[int]Stat

// Table reads the stat of every process. One that ends meanwhile is left out.
// It takes some 10 µs for each process.
func (fs FS) Table() (Table, error) {
	pids, err := fs.PIDs()
	if err != nil {
		return nil, err
	}
	t := make(Table, len(pids))
	for _, pid := range pids {
		if s, err := fs.Stat(pid); err == nil {
			t[pid] = s
		}
	}
	return t, nil
}

// Foreground returns the processes of the foreground group of the terminal
// with the device number tty, by PID. A zombie is not among them.
func (t Table) Foreground(tty int) []Stat {
	return t.where(func(s Stat) bool {
		return tty != 0 && s.TTY == tty && s.PGRP == s.TPGID && s.State != 'Z' && s.State != 'X'
	})
}

// Children returns the processes that pid started, by PID.
func (t Table) Children(pid int) []Stat {
	return t.where(func(s Stat) bool { return s.PPID == pid })
}

func (t Table) where(match func(Stat) bool) []Stat {
	var out []Stat
	for _, s := range t {
		if match(s) {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b Stat) int { return a.PID - b.PID })
	return out
}

// Descends tells whether pid is ancestor or was started by it, directly or by
// way of others.
func (t Table) Descends(pid, ancestor int) bool {
	// A chain is never longer than the table, however it is read.
	for range len(t) + 1 {
		if pid == ancestor {
			return true
		}
		s, ok := t[pid]
		if !ok || s.PPID == 0 {
			return false
		}
		pid = s.PPID
	}
	return false
}

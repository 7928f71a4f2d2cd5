// Package proc reads what the kernel tells of processes in /proc. It bounds
// every read, and never returns an environment as a whole.
package proc

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// FS is the directory where a proc file system is mounted.
type FS string

// Root is the usual one.
const Root FS = "/proc"

// maxRead bounds a file. The kernel bounds a command line and an environment
// to a few megabytes together.
const maxRead = 4 << 20

// Stat is what /proc/PID/stat tells, as proc_pid_stat(5) names it.
type Stat struct {
	PID     int
	Comm    string // the executable's name, cut to 15 bytes; may hold anything
	State   byte
	PPID    int
	PGRP    int
	Session int
	TTY     int // device number of the controlling terminal, 0 for none
	TPGID   int // foreground process group of that terminal, -1 for none
	// StartTicks is when the process started, in clock ticks after boot. With
	// the PID it names one process for as long as the machine runs.
	StartTicks uint64
}

func (fs FS) path(pid int, name string) string {
	return filepath.Join(string(fs), strconv.Itoa(pid), name)
}

func (fs FS) read(pid int, name string) ([]byte, error) {
	f, err := os.Open(fs.path(pid, name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxRead))
}

// Stat reads a process's stat. The error is os.ErrNotExist when it has ended.
func (fs FS) Stat(pid int) (Stat, error) {
	var buf [maxStat]byte
	b, err := readSmall(fs.path(pid, "stat"), buf[:])
	if err != nil {
		return Stat{}, err
	}
	return ParseStat(b)
}

// maxStat is more than a stat file has: a name of 64 bytes at most and 50
// numbers.
const maxStat = 2048

// readSmall reads a file of /proc into buf, in one piece as the kernel makes
// it. Without an os.File, which is made ready for polling, it takes half the
// time; a table reads hundreds.
func readSmall(path string, buf []byte) ([]byte, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	defer unix.Close(fd)
	for {
		n, err := unix.Read(fd, buf)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return nil, &os.PathError{Op: "read", Path: path, Err: err}
		}
		return buf[:n], nil
	}
}

// ParseStat parses a stat file. The name stands in parentheses and may hold
// blanks and parentheses itself, so what follows it starts at the last one.
func ParseStat(b []byte) (Stat, error) {
	open, end := bytes.IndexByte(b, '('), bytes.LastIndexByte(b, ')')
	if open < 0 || end < open {
		return Stat{}, fmt.Errorf("cannot read stat of a process: no name")
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b[:open])))
	fields := strings.Fields(string(b[end+1:]))
	const startTicks = 19 // field 22 of the file
	if err != nil || len(fields) <= startTicks || len(fields[0]) != 1 {
		return Stat{}, fmt.Errorf("cannot read stat of a process: it is cut short")
	}
	s := Stat{PID: pid, Comm: string(b[open+1 : end]), State: fields[0][0]}
	for i, p := range []*int{&s.PPID, &s.PGRP, &s.Session, &s.TTY, &s.TPGID} {
		if *p, err = strconv.Atoi(fields[i+1]); err != nil {
			return Stat{}, fmt.Errorf("cannot read stat of a process: field %d is no number", i+4)
		}
	}
	if s.StartTicks, err = strconv.ParseUint(fields[startTicks], 10, 64); err != nil {
		return Stat{}, fmt.Errorf("cannot read stat of a process: field 22 is no number")
	}
	return s, nil
}

// PIDs lists the processes.
func (fs FS) PIDs() ([]int, error) {
	dir, err := os.Open(string(fs))
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	var pids []int
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			pids = append(pids, pid)
		}
	}
	slices.Sort(pids)
	return pids, nil
}

// Cmdline returns a process's arguments. A program may have overwritten them;
// a kernel thread or a zombie has none.
func (fs FS) Cmdline(pid int) ([]string, error) {
	b, err := fs.read(pid, "cmdline")
	if err != nil || len(b) == 0 {
		return nil, err
	}
	return strings.Split(strings.TrimRight(string(b), "\x00"), "\x00"), nil
}

// Env returns one variable of the environment that a process was started
// with, and whether it was there.
func (fs FS) Env(pid int, name string) (string, bool, error) {
	b, err := fs.read(pid, "environ")
	if err != nil {
		return "", false, err
	}
	for entry := range bytes.SplitSeq(b, []byte{0}) {
		if value, ok := bytes.CutPrefix(entry, []byte(name+"=")); ok {
			return string(value), true, nil
		}
	}
	return "", false, nil
}

// Exe returns the path of a process's executable. The kernel adds
// " (deleted)" to one that was replaced.
func (fs FS) Exe(pid int) (string, error) { return os.Readlink(fs.path(pid, "exe")) }

// Cwd returns a process's working directory.
func (fs FS) Cwd(pid int) (string, error) { return os.Readlink(fs.path(pid, "cwd")) }

// UID returns the user that a process runs as.
func (fs FS) UID(pid int) (int, error) {
	info, err := os.Stat(fs.path(pid, ""))
	if err != nil {
		return 0, err
	}
	sys, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, fmt.Errorf("cannot tell the user of process %d", pid)
	}
	return int(sys.Uid), nil
}

// Namespace returns what names a process's namespace of a kind, such as pid
// or mnt; two processes are in the same one if the names are equal.
func (fs FS) Namespace(pid int, kind string) (string, error) {
	return os.Readlink(fs.path(pid, "ns/"+kind))
}

// FD is an open file of a process.
type FD struct {
	Num  int
	Path string // where the link points: a path, or such as "socket:[1]"
}

// FDs lists a process's open files.
func (fs FS) FDs(pid int) ([]FD, error) {
	dir, err := os.Open(fs.path(pid, "fd"))
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	var fds []FD
	for _, name := range names {
		num, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		// A file that was closed meanwhile is not there any more.
		if path, err := os.Readlink(filepath.Join(dir.Name(), name)); err == nil {
			fds = append(fds, FD{num, path})
		}
	}
	slices.SortFunc(fds, func(a, b FD) int { return a.Num - b.Num })
	return fds, nil
}

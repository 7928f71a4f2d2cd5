package desktoptest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Reader is a command for a terminal that stores the bytes which the terminal
// sends to it, as they are.
type Reader struct {
	Command []string
	file    string
	read    int
	t       testing.TB
}

// NewReader returns a reader; with bracketed it asks for bracketed paste.
func NewReader(t testing.TB, bracketed bool) *Reader {
	t.Helper()
	dir := Dir(t)
	file := filepath.Join(dir, "bytes")
	mode := ""
	if bracketed {
		mode = `printf '\033[?2004h'; `
	}
	// The file appears when the terminal is in raw mode.
	script := fmt.Sprintf("stty raw -echo; %sexec cat >%s", mode, file)
	return &Reader{Command: []string{"sh", "-c", script}, file: file, t: t}
}

// Ready waits until the command reads.
func (r *Reader) Ready() {
	r.t.Helper()
	Until(r.t, "the reader in the terminal", func() bool { _, err := os.Stat(r.file); return err == nil })
}

// All returns all bytes so far.
func (r *Reader) All() string {
	b, _ := os.ReadFile(r.file)
	return string(b)
}

// Next waits for n bytes more than were returned before and returns them and
// what came with them.
func (r *Reader) Next(n int) string {
	r.t.Helper()
	var all string
	Until(r.t, fmt.Sprintf("%d bytes in the terminal", n), func() bool {
		all = r.All()
		return len(all)-r.read >= n
	})
	got := all[r.read:]
	r.read = len(all)
	return got
}

// Pasted is what a terminal makes of pasted text in bracketed mode.
func Pasted(text string) string { return "\x1b[200~" + text + "\x1b[201~" }

// Focused waits until Sway gives a window of an application the focus.
func (c Compositor) Focused(t testing.TB, app string) {
	t.Helper()
	Until(t, "the focus of "+app, func() bool {
		tree := Run(t, []string{"PATH=" + os.Getenv("PATH")}, "swaymsg", "-s", c.IPC, "-t", "get_tree", "-r")
		for _, node := range strings.Split(tree, `"type":`) {
			if strings.Contains(node, `"focused": true`) && strings.Contains(node, fmt.Sprintf("%q", app)) {
				return true
			}
		}
		return false
	})
}

// Env returns an environment for a program on the compositor, with a home of
// its own.
func (c Compositor) Env(t testing.TB) []string {
	t.Helper()
	dir := Dir(t)
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "XDG_RUNTIME_DIR=" + dir, "XDG_CONFIG_HOME=" + dir, "XDG_CACHE_HOME=" + dir,
		"WAYLAND_DISPLAY=" + c.Display, "LC_ALL=C.UTF-8", "SHELL=/bin/sh",
	}
}

// Getenv returns a function like os.Getenv for an environment.
func Getenv(env []string) func(string) string {
	return func(name string) string {
		for _, e := range env {
			if v, ok := strings.CutPrefix(e, name+"="); ok {
				return v
			}
		}
		return ""
	}
}

// Foot starts the terminal foot with a command and waits until it has the
// focus.
func (c Compositor) Foot(t testing.TB, command ...string) {
	t.Helper()
	Start(t, c.Env(t), append([]string{"foot", "--config=/dev/null"}, command...)...)
	c.Focused(t, "foot")
}

// WithEnv returns the processes that were started with a variable, given as
// "NAME=value", in the environment.
func WithEnv(t testing.TB, variable string) []int {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	var pids []int
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err == nil && slices.Contains(strings.Split(string(b), "\x00"), variable) {
			var pid int
			fmt.Sscanf(f, "/proc/%d/", &pid)
			pids = append(pids, pid)
		}
	}
	return pids
}

// InMemory tells whether the memory of a process holds s.
func InMemory(t testing.TB, pid int, s string) bool {
	t.Helper()
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		t.Fatal(err)
	}
	mem, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	if err != nil {
		t.Fatal(err)
	}
	defer mem.Close()
	for line := range strings.Lines(string(maps)) {
		var from, to int64
		var mode string
		fmt.Sscanf(line, "%x-%x %s", &from, &to, &mode)
		const most = 80 << 20 // what is larger is reserved, not used
		if !strings.HasPrefix(mode, "rw") || to-from > most {
			continue
		}
		b := make([]byte, to-from)
		n, _ := mem.ReadAt(b, from)
		if bytes.Contains(b[:n], []byte(s)) {
			return true
		}
	}
	return false
}

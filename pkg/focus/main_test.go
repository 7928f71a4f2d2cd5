package focus

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"voice-input/pkg/internal/desktoptest"
	"voice-input/pkg/wire"
)

// The test binary, under whatever name it is started, can be a program that
// starts others and waits. So an agent in a test is a real process with a
// real executable of that name.
const actor = "VI_FOCUS_TEST_ACTOR"

func TestMain(m *testing.M) {
	if text, ok := os.LookupEnv(actor); ok {
		os.Unsetenv(actor)
		var children []cast
		if err := json.Unmarshal([]byte(text), &children); err != nil {
			panic(err)
		}
		for _, c := range children {
			if _, err := c.start(nil); err != nil {
				panic(err)
			}
		}
		select {}
	}
	os.Exit(m.Run())
}

// cast is a process to start: a program and its arguments, and what it starts
// itself, in its own process group.
type cast struct {
	Path     string // executable
	Argv     []string
	Env      []string
	Children []cast
}

func (c cast) start(attr *syscall.SysProcAttr) (*exec.Cmd, error) {
	children, err := json.Marshal(append([]cast{}, c.Children...))
	if err != nil {
		return nil, err
	}
	cmd := &exec.Cmd{Path: c.Path, Args: c.Argv, SysProcAttr: attr, Dir: "/"}
	cmd.Env = append(append(os.Environ(), actor+"="+string(children)), c.Env...)
	return cmd, cmd.Start()
}

// program makes an executable of the test binary under a path below dir.
func program(t testing.TB, dir, name string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	// A link is as good as a copy: the kernel names the path that was run.
	if os.Link(self, path) == nil {
		return path
	}
	b, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// line is a terminal's line with a process group in the foreground.
type line struct {
	leader *exec.Cmd
	count  int // processes that were cast
}

// onTerminal starts a process as the leader of a new session on a new
// terminal and waits until it and all below it are there.
func onTerminal(t testing.TB, c cast, attr syscall.SysProcAttr) *line {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { master.Close() })
	n, err := unix.IoctlGetUint32(int(master.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer slave.Close()
	attr.Setsid, attr.Setctty, attr.Ctty = true, true, 0
	children, _ := json.Marshal(append([]cast{}, c.Children...))
	cmd := &exec.Cmd{Path: c.Path, Args: c.Argv, Dir: "/", Stdin: slave, SysProcAttr: &attr}
	cmd.Env = append(append(os.Environ(), actor+"="+string(children)), c.Env...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		cmd.Wait()
	})
	l := &line{cmd, size(c)}
	desktoptest.Until(t, "the processes on the terminal", func() bool {
		return len(l.group(t)) == l.count
	})
	return l
}

func size(c cast) int {
	n := 1
	for _, child := range c.Children {
		n += size(child)
	}
	return n
}

// group returns the processes in the foreground, by their executables.
func (l *line) group(t testing.TB) []int {
	t.Helper()
	looker := looker(t, nil)
	table, err := looker.processes().Table()
	if err != nil {
		t.Fatal(err)
	}
	var pids []int
	for _, s := range table.Foreground(table[l.leader.Process.Pid].TTY) {
		// One that has not called exec yet is still the test.
		if args, _ := looker.processes().Cmdline(s.PID); len(args) > 0 && !strings.HasPrefix(args[0], os.Args[0]) {
			pids = append(pids, s.PID)
		}
	}
	return pids
}

// looker looks with an environment of its own.
func looker(t testing.TB, env map[string]string) *Looker {
	t.Helper()
	return &Looker{
		Getenv: func(k string) string { return env[k] }, Timeout: 30 * time.Second,
		Explain: func(format string, args ...any) {
			t.Helper()
			t.Logf(format, args...)
		},
	}
}

// listen serves a socket until the end of the test, a connection at a time.
func listen(t testing.TB, path string, serve func(net.Conn)) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); path[0] == '/' && err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				serve(c)
			}()
		}
	}()
}

// hyprlandWindow is a Hyprland that shows a window of this process; it answers
// as the real one does, byte for byte, and closes the connection.
func hyprlandWindow(t testing.TB, class string) map[string]string {
	t.Helper()
	answer := fmt.Sprintf("{\n    \"address\": \"0x55d1c0\",\n    \"mapped\": true,\n    \"class\": %q,\n    \"title\": \"private title\",\n"+
		"    \"initialClass\": %q,\n    \"initialTitle\": \"private title\",\n    \"pid\": %d,\n    \"xwayland\": false\n}", class, class, os.Getpid())
	return hyprlandAnswer(t, answer)
}

// hyprlandAnswer is a Hyprland with an answer to j/activewindow.
func hyprlandAnswer(t testing.TB, answer string) map[string]string {
	t.Helper()
	dir := desktoptest.Dir(t)
	serveHyprland(t, filepath.Join(dir, "hypr/abc_1_2"), func() string { return answer })
	return map[string]string{"XDG_RUNTIME_DIR": dir, "HYPRLAND_INSTANCE_SIGNATURE": "abc_1_2"}
}

func serveHyprland(t testing.TB, dir string, answer func() string) {
	t.Helper()
	listen(t, filepath.Join(dir, ".socket.sock"), func(c net.Conn) {
		b := make([]byte, 8192)
		n, _ := c.Read(b)
		if string(b[:n]) != "j/activewindow" {
			io.WriteString(c, "unknown request")
			return
		}
		io.WriteString(c, answer())
	})
}

// kittyWith is a Kitty that is this process and shows one window. It answers
// ls as Kitty does.
func kittyWith(t testing.TB, path string, pid int, foreground ...int) {
	t.Helper()
	type object = map[string]any
	processes := []object{}
	for _, p := range foreground {
		processes = append(processes, object{"pid": p, "cmdline": []string{"private"}, "cwd": "/"})
	}
	ls, _ := json.Marshal([]object{{"id": 1, "is_focused": true, "tabs": []object{{
		"id": 1, "is_active": true, "is_focused": true, "title": "private title",
		"windows": []object{{
			"id": 7, "is_active": true, "is_focused": true, "pid": pid, "title": "private title",
			"env": object{"PRIVATE": "private value"}, "foreground_processes": processes,
		}},
	}}}})
	serveKitty(t, path, string(ls))
}

func serveKitty(t testing.TB, path, ls string) {
	t.Helper()
	data, _ := json.Marshal(map[string]any{"ok": true, "data": ls})
	listen(t, path, func(c net.Conn) {
		request, err := bufio.NewReader(c).ReadString('\\')
		if err == nil && strings.Contains(request, `"cmd":"ls"`) {
			fmt.Fprintf(c, "\x1bP@kitty-cmd%s\x1b\\", data)
		}
	})
}

// told formats what a record says of the agent: its kind and process, or why
// there is none.
func told(f *wire.Focus) string {
	switch {
	case f.Agent != nil:
		return fmt.Sprintf("%s %d", f.Agent.Kind, f.Agent.PID)
	case f.Reason != wire.OK:
		return f.Reason
	}
	return f.AgentReason
}

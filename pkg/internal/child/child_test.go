package child

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain lets the test binary be a parent that is killed.
func TestMain(m *testing.M) {
	if os.Getenv("CHILD_TEST_PARENT") != "" {
		p, err := Start(context.Background(), Spec{Argv: []string{"sleep", "1000"}})
		if err != nil {
			panic(err)
		}
		fmt.Println(p.PID())
		select {}
	}
	os.Exit(m.Run())
}

// until polls, for a loaded machine may be slow.
func until(t *testing.T, what string, met func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !met(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not in time: %s", what)
		}
	}
}

// running tells whether a process exists and is no zombie.
func running(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	return fields[0] != "Z"
}

func TestRun(t *testing.T) {
	var out bytes.Buffer
	err := Run(t.Context(), Spec{Argv: []string{"sh", "-c", "cat; pwd"}, Stdin: strings.NewReader("in\n"), Stdout: &out})
	if err != nil || out.String() != "in\n/\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
	err = Run(t.Context(), Spec{Argv: []string{"sh", "-c", "exit 75"}})
	var exit *ExitError
	if !errors.As(err, &exit) || exit.Code() != 75 {
		t.Errorf("got %v, want status 75", err)
	}
	err = Run(t.Context(), Spec{Argv: []string{"no-such-program"}})
	var missing *NotFoundError
	if !errors.As(err, &missing) || missing.Name != "no-such-program" {
		t.Errorf("got %v, want *NotFoundError", err)
	}
}

func TestContextEndsTheGroup(t *testing.T) {
	pidFile := filepath.Join(t.TempDir(), "pid")
	ctx, cancel := context.WithCancel(t.Context())
	p, err := Start(ctx, Spec{Argv: []string{"sh", "-c", "trap '' TERM; sleep 1000 & echo $! > " + pidFile + "; wait; wait"}})
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	until(t, "the grandchild", func() bool {
		b, _ := os.ReadFile(pidFile)
		pid, _ = strconv.Atoi(strings.TrimSpace(string(b)))
		return pid != 0
	})
	cancel()
	<-p.Done()
	until(t, "the grandchild's end", func() bool { return !running(pid) })
}

// What a program leaves behind is killed, unless leaving it is its purpose.
func TestLeftovers(t *testing.T) {
	for _, leaves := range []bool{false, true} {
		var out bytes.Buffer
		err := Run(t.Context(), Spec{Argv: []string{"sh", "-c", "sleep 1000 >/dev/null 2>&1 & echo $!"}, Stdout: &out, LeavesDaemon: leaves})
		if err != nil {
			t.Fatal(err)
		}
		pid, _ := strconv.Atoi(strings.TrimSpace(out.String()))
		if leaves {
			if !running(pid) {
				t.Error("the daemon was killed")
			}
			syscall.Kill(pid, syscall.SIGKILL)
			continue
		}
		until(t, "the end of what was left", func() bool { return !running(pid) })
	}
}

func TestChildDiesWithItsParent(t *testing.T) {
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), "CHILD_TEST_PARENT=1")
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Fscan(out, &pid); err != nil || !running(pid) {
		t.Fatalf("no child: %v", err)
	}
	parent.Process.Kill()
	parent.Wait()
	until(t, "the child's end", func() bool { return !running(pid) })
}

func TestFirstLine(t *testing.T) {
	var l FirstLine
	fmt.Fprint(&l, "\n\nfir")
	fmt.Fprint(&l, "st\nsecond\n")
	if l.String() != "first" {
		t.Errorf("got %q", l.String())
	}
	var long FirstLine
	fmt.Fprint(&long, strings.Repeat("x", 10_000))
	if len(long.String()) != maxLine {
		t.Errorf("%d bytes were kept", len(long.String()))
	}
}

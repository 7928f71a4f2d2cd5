// Package child runs other programs so that none of them outlives its
// purpose: each is the leader of its own process group, is killed by the
// kernel when this process dies, ends with its context, and has its pipes
// drained.
package child

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Grace is how long a program has between TERM and KILL, and how long its
// pipes may stay open behind it. A resident stage needs a few milliseconds;
// two seconds is what a loaded machine may take.
const Grace = 2 * time.Second

// Spec says what to run.
type Spec struct {
	// Argv is the program and its arguments. A name without a slash is looked
	// up on PATH.
	Argv []string
	// Env is the whole environment; nil means this process's own.
	Env []string
	// Stdin, Stdout and Stderr are /dev/null when nil. A program that leaves a
	// daemon behind must not be given a pipe for the last two.
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Extra become descriptors 3, 4 and so on.
	Extra []*os.File
	// LeavesDaemon says that the program's purpose is to leave one of its own
	// running behind it, as wl-copy and xclip do to serve the clipboard. What
	// any other program leaves is killed.
	LeavesDaemon bool
}

// Process is a program that was started.
type Process struct {
	cmd  *exec.Cmd
	done chan struct{}
	err  error
}

// NotFoundError says that a program is not there.
type NotFoundError struct{ Name string }

func (e *NotFoundError) Error() string { return fmt.Sprintf("no program %q", e.Name) }

// Start starts a program. When ctx ends the group gets TERM, and KILL after
// Grace. The error is a *NotFoundError if there is no such program.
func Start(ctx context.Context, spec Spec) (*Process, error) {
	path, err := exec.LookPath(spec.Argv[0])
	if err != nil {
		return nil, &NotFoundError{Name: spec.Argv[0]}
	}
	cmd := exec.CommandContext(ctx, path, spec.Argv[1:]...)
	cmd.Args[0] = spec.Argv[0]
	cmd.Env, cmd.Dir = spec.Env, "/"
	cmd.Stdin, cmd.Stdout, cmd.Stderr = spec.Stdin, spec.Stdout, spec.Stderr
	cmd.ExtraFiles = spec.Extra
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	p := &Process{cmd: cmd, done: make(chan struct{})}
	cmd.Cancel = func() error {
		p.Signal(syscall.SIGTERM)
		time.AfterFunc(Grace, p.Kill)
		return nil
	}
	cmd.WaitDelay = 2 * Grace
	if err := onSpawnThread(cmd.Start); err != nil {
		return nil, fmt.Errorf("cannot start %q: %w", spec.Argv[0], err)
	}
	go func() {
		p.err = cmd.Wait()
		if !spec.LeavesDaemon {
			syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		}
		close(p.done)
	}()
	return p, nil
}

// PID returns the process id, which is the id of the group too.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Done is closed when the program has ended and its output was read.
func (p *Process) Done() <-chan struct{} { return p.done }

// Signal sends s to the whole group unless the program has ended.
func (p *Process) Signal(s syscall.Signal) {
	select {
	case <-p.done:
	default:
		syscall.Kill(-p.cmd.Process.Pid, s)
	}
}

// Kill kills the whole group.
func (p *Process) Kill() { p.Signal(syscall.SIGKILL) }

// Wait waits for the end and returns an *ExitError unless the status is 0.
func (p *Process) Wait() error {
	<-p.done
	var exit *exec.ExitError
	switch {
	case p.err == nil:
		return nil
	case errors.As(p.err, &exit):
		return &ExitError{Name: p.cmd.Args[0], State: exit.ProcessState}
	default:
		return fmt.Errorf("%s: %w", p.cmd.Args[0], p.err)
	}
}

// ExitError is a program's end with a status other than 0.
type ExitError struct {
	Name  string
	State *os.ProcessState
}

func (e *ExitError) Error() string { return fmt.Sprintf("%s ended: %s", e.Name, e.State) }

// Code returns the exit status, or -1 if a signal ended the program.
func (e *ExitError) Code() int { return e.State.ExitCode() }

// Run starts a program and waits for it.
func Run(ctx context.Context, spec Spec) error {
	p, err := Start(ctx, spec)
	if err != nil {
		return err
	}
	err = p.Wait()
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", spec.Argv[0], context.Cause(ctx))
	}
	return err
}

// Output keeps the first Max bytes of what is written to it and drops the
// rest, so that a program cannot fill the memory and is not stopped by a pipe
// that nobody reads.
type Output struct {
	bytes.Buffer
	Max int
}

// Write never fails.
func (o *Output) Write(b []byte) (int, error) {
	o.Buffer.Write(b[:min(len(b), o.Max-o.Len())])
	return len(b), nil
}

// FirstLine keeps the first line of what is written to it, so
// that a chatty program cannot fill the memory.
type FirstLine struct {
	mu    sync.Mutex
	first []byte
	ended bool
}

// maxLine bounds what FirstLine keeps.
const maxLine = 256

// Write never fails.
func (t *FirstLine) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range b {
		if c == '\n' && len(t.first) > 0 {
			t.ended = true
		}
		if !t.ended && c != '\n' && len(t.first) < maxLine {
			t.first = append(t.first, c)
		}
	}
	return len(b), nil
}

// String returns the first line that is not empty, cut to 256 bytes.
func (t *FirstLine) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ToValidUTF8(string(t.first), "?")
}

// The parent-death signal is bound to the thread that forks, so all forks
// happen on one thread that lives as long as the process.
var spawn = sync.OnceValue(func() chan func() {
	c := make(chan func())
	go func() {
		runtime.LockOSThread()
		for f := range c {
			f()
		}
	}()
	return c
})

func onSpawnThread(f func() error) error {
	result := make(chan error, 1)
	spawn() <- func() { result <- f() }
	return <-result
}

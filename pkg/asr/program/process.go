package program

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"voice-input/pkg/asr/engine"
	"voice-input/pkg/internal/child"
	"voice-input/pkg/wire"
)

// process is one run of an engine program.
type process struct {
	child   *child.Process
	stdin   *os.File
	lines   chan line // closed when the program closes its standard output
	gone    chan struct{}
	stop    sync.Once
	said    child.FirstLine
	limits  limits
	started time.Time
	ready   bool // it has loaded its model
	used    bool // it has been given a take
}

// line is what the program wrote, or why its output cannot be used.
type line struct {
	text []byte
	err  *engine.Failure
}

func start(path, model string, l limits) (*process, error) {
	stdin, toStdin, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer stdin.Close()
	fromStdout, stdout, err := os.Pipe()
	if err != nil {
		toStdin.Close()
		return nil, err
	}
	defer stdout.Close()
	p := &process{stdin: toStdin, lines: make(chan line, 16), gone: make(chan struct{}), limits: l, started: time.Now()}
	// Cancelling kills faster than child's own way; see kill.
	p.child, err = child.Start(context.Background(), child.Spec{
		Argv: argv(path, model), Env: environ(), Stdin: stdin, Stdout: stdout, Stderr: &p.said,
	})
	if err != nil {
		toStdin.Close()
		fromStdout.Close()
		return nil, &engine.Failure{Kind: engine.Unavailable, Code: "not_started", Err: err}
	}
	go p.read(fromStdout)
	return p, nil
}

// read passes the program's lines on until its end, or until a line that is
// too long.
func (p *process) read(r io.ReadCloser) {
	defer close(p.lines)
	defer r.Close()
	br := bufio.NewReaderSize(r, p.limits.line)
	for {
		b, err := br.ReadSlice('\n')
		out := line{text: bytes.Clone(bytes.TrimSpace(b))}
		if errors.Is(err, bufio.ErrBufferFull) {
			out = line{err: protocol("line_too_long", "it wrote a line of more than %d bytes", p.limits.line)}
		}
		if len(out.text) > 0 || out.err != nil {
			select {
			case p.lines <- out:
			case <-p.gone:
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// next waits for a line. Its error is a *engine.Failure or ctx's.
func (p *process) next(ctx context.Context, timer <-chan time.Time, late *engine.Failure) ([]byte, error) {
	select {
	case l, ok := <-p.lines:
		switch {
		case !ok:
			return nil, p.crash()
		case l.err != nil:
			return nil, l.err
		}
		return l.text, nil
	case <-timer:
		return nil, late
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// awaitReady waits until the program has loaded its model.
func (p *process) awaitReady(ctx context.Context) error {
	if p.ready {
		return nil
	}
	timer := time.NewTimer(time.Until(p.started.Add(p.limits.load)))
	defer timer.Stop()
	late := failure(engine.Timeout, "load", "it was not ready within %s", p.limits.load)
	for {
		text, err := p.next(ctx, timer.C, late)
		if err != nil {
			return err
		}
		ev, bad := parse(text, "")
		switch {
		case bad != nil:
			return bad
		case ev != nil && ev.Type == wire.ASRError:
			return told(ev)
		case ev != nil:
			p.ready = true
			return nil
		}
	}
}

// idle tells whether the program is alive and silent, as it must be between
// takes.
func (p *process) idle() bool {
	for p.ready {
		select {
		case l, ok := <-p.lines:
			if !ok || l.err != nil {
				return false
			}
			if ev, bad := parse(l.text, ""); bad != nil || ev != nil {
				return false
			}
		default:
			return true
		}
	}
	// Its output from before it is ready is for awaitReady.
	select {
	case <-p.child.Done():
		return false
	default:
		return true
	}
}

// crash says how a program ended that should not have.
func (p *process) crash() *engine.Failure {
	select {
	case <-p.child.Done():
	case <-time.After(p.limits.quit):
		return failure(engine.Crashed, "closed_output", "it closed its output")
	}
	how, code := "it ended", "exit_0"
	var exit *child.ExitError
	if errors.As(p.child.Wait(), &exit) {
		how = fmt.Sprintf("it ended: %s", exit.State)
		code = fmt.Sprintf("exit_%d", exit.Code())
		if ws, ok := exit.State.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
			code = fmt.Sprintf("signal_%d", ws.Signal())
		}
	}
	if p.ready {
		return failure(engine.Crashed, code, "%s", how)
	}
	// Before its first take a program has nothing private to say.
	if s := p.said.String(); s != "" {
		how += ": " + printable(s)
	}
	f := failure(engine.Unavailable, code, "before it was ready %s", how)
	f.Hint = "vi-asr engines lists the engines that work here"
	return f
}

// quit ends the program by the end of its input, and kills it if it does not
// go.
func (p *process) quit() {
	p.stdin.Close()
	select {
	case <-p.child.Done():
	case <-time.After(p.limits.quit):
	}
	p.kill(0)
}

// kill ends the program's whole group, with so much time to clean up.
func (p *process) kill(grace time.Duration) {
	p.stop.Do(func() { close(p.gone) })
	if grace > 0 {
		p.child.Signal(syscall.SIGTERM)
		select {
		case <-p.child.Done():
		case <-time.After(grace):
		}
	}
	p.child.Kill()
	p.stdin.Close()
	select {
	case <-p.child.Done():
	case <-time.After(p.limits.quit):
	}
}

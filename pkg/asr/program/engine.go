package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"voice-input/pkg/asr/engine"
	"voice-input/pkg/wire"
)

// Engine is an engine program. It implements engine.Engine.
type Engine struct {
	name, path, model string
	limits            limits
	dir               *directory
	takes             int

	mu      sync.Mutex // of process, which the end of the context kills
	process *process
	ended   bool
	stop    func() bool
}

// New starts the program at path, so that it loads its model at once. What is
// wrong with it the first take tells. When ctx ends the program is killed. The
// error is one of the private directory.
func New(ctx context.Context, name, path, model string, getenv func(string) string) (*Engine, error) {
	return newEngine(ctx, name, path, model, getenv, defaults)
}

func newEngine(ctx context.Context, name, path, model string, getenv func(string) string, l limits) (*Engine, error) {
	dir, err := newDirectory(getenv)
	if err != nil {
		return nil, err
	}
	e := &Engine{name: name, path: path, model: model, limits: l, dir: dir}
	e.stop = context.AfterFunc(ctx, e.cancel)
	e.running()
	return e, nil
}

// Name implements engine.Engine.
func (e *Engine) Name() string { return e.name }

// Close implements engine.Engine.
func (e *Engine) Close() {
	e.stop()
	if p := e.end(); p != nil {
		p.quit()
	}
	e.dir.remove()
}

func (e *Engine) cancel() {
	if p := e.end(); p != nil {
		p.kill(e.limits.kill)
	}
}

// end returns the process for the last time.
func (e *Engine) end() *process {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.ended = true
	return e.process
}

// running returns the process, started anew if it is not there or spoke out of
// turn.
func (e *Engine) running() (*process, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ended {
		return nil, context.Canceled
	}
	if e.process != nil && !e.process.idle() {
		e.process.kill(0)
		e.process = nil
	}
	if e.process == nil {
		p, err := start(e.path, e.model, e.limits)
		if err != nil {
			return nil, err
		}
		e.process = p
	}
	return e.process, nil
}

// drop kills a process that failed.
func (e *Engine) drop(p *process, grace time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	p.kill(grace)
	if e.process == p {
		e.process = nil
	}
}

// Recognize implements engine.Engine.
func (e *Engine) Recognize(ctx context.Context, take engine.Take, emit func(*wire.ASR)) (string, error) {
	// A take without a sample is no work for the program.
	first := make([]byte, 16<<10)
	n, err := take.Samples.Read(first)
	if err == io.EOF && n == 0 {
		return "", nil
	}
	if err != nil && err != io.EOF {
		return "", err
	}
	for {
		p, err := e.running()
		if err != nil {
			return "", named(e.name, err)
		}
		used := p.used
		text, after, err := e.take(ctx, p, first[:n], take, emit)
		switch {
		case ctx.Err() != nil:
			e.drop(p, e.limits.kill)
		case !after.kept:
			e.drop(p, 0)
		}
		if used && after.untouched {
			continue
		}
		return text, named(e.name, err)
	}
}

// state is what a take leaves behind.
type state struct {
	kept bool // the program can do the next take
	// untouched: the program had died between two takes, when this one could
	// not know it yet; none of the samples is lost.
	untouched bool
}

// fed is how the writing of the samples ended.
type fed struct {
	bytes int64
	err   error
}

// take has p do one take.
func (e *Engine) take(ctx context.Context, p *process, first []byte, take engine.Take, emit func(*wire.ASR)) (text string, s state, err error) {
	if err := p.awaitReady(ctx); err != nil {
		return "", s, err
	}
	emit(&wire.ASR{Type: wire.ASRReady})
	hints := take.Hints(ctx).Words
	path, err := e.dir.fifo()
	if err != nil {
		return "", state{kept: true}, err
	}
	defer os.Remove(path)
	e.takes++
	id := fmt.Sprint(e.takes)
	request := &wire.Take{
		ID: id, Language: take.Language, Hints: hints,
		Audio: wire.Audio{Path: path, Format: "s16le", Rate: engine.Rate, Channels: 1},
	}
	p.stdin.SetWriteDeadline(time.Now().Add(e.limits.open))
	if err := wire.Write(p.stdin, request); err != nil {
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return "", s, failure(engine.Timeout, "take_not_read", "it does not read its standard input")
		}
		return "", state{untouched: true}, p.crash()
	}
	if len(hints) > 0 {
		emit(&wire.ASR{Type: wire.ASRContextSent})
	}

	// The feeder ends with this take, or with the samples if they are waited
	// for when the take fails.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	feeder, opened := make(chan fed, 1), make(chan struct{})
	go func() { feeder <- e.feed(ctx, path, opened, first, take.Samples) }()
	text, s.kept, err = e.listen(ctx, p, id, feeder, emit)
	p.used = true
	var f *engine.Failure
	if errors.As(err, &f) && f.Kind == engine.Crashed {
		// Nobody is left who could still open them.
		select {
		case <-opened:
		default:
			s.untouched = true
		}
	}
	return text, s, err
}

// feed gives the program the samples and closes opened when it has begun to.
func (e *Engine) feed(ctx context.Context, path string, opened chan<- struct{}, first []byte, r io.Reader) fed {
	w, err := openForWriting(ctx, path, e.limits.open)
	if err != nil {
		return fed{err: err}
	}
	defer w.Close()
	close(opened)
	os.Remove(path)
	limit := func(bytes int64) time.Duration { return e.limits.final(bytes, engine.BytesPerSecond) }
	n, err := copySamples(ctx, w, first, r, limit)
	return fed{n, err}
}

// listen passes the program's events on until its final one.
func (e *Engine) listen(ctx context.Context, p *process, id string, feeder <-chan fed, emit func(*wire.ASR)) (text string, keep bool, err error) {
	var deadline <-chan time.Time
	var late *engine.Failure
	lines, done := p.lines, ctx.Done()
	began, events, bytes := time.Now(), 0, 0
	complete := false
	for {
		select {
		case f := <-feeder:
			feeder = nil
			after := e.limits.final(f.bytes, engine.BytesPerSecond)
			late = failure(engine.Timeout, "final", "it gave no final event within %s after the end of the samples", after)
			switch {
			case f.err == nil:
				complete = true
			case errors.Is(f.err, errNotOpened):
				return "", false, failure(engine.Timeout, "fifo_not_opened", "it did not open the samples within %s", e.limits.open)
			case errors.Is(f.err, os.ErrDeadlineExceeded) && ctx.Err() == nil:
				return "", false, failure(engine.Timeout, "stalled", "it stopped reading the samples")
			case errors.Is(f.err, syscall.EPIPE):
				// It may have ended, or be about to say why.
				after = e.limits.quit
				late = protocol("closed_early", "it closed the samples before their end")
			default:
				return "", false, f.err
			}
			deadline = time.After(after)
		case <-deadline:
			return "", false, late
		case <-done:
			return "", false, context.Cause(ctx)
		case l, ok := <-lines:
			if !ok {
				return "", false, p.crash()
			}
			if l.err != nil {
				return "", false, l.err
			}
			events, bytes = events+1, bytes+len(l.text)
			if e.limits.flooded(events, bytes, time.Since(began)) {
				return "", false, protocol("flood", "it floods its output")
			}
			ev, bad := parse(l.text, id)
			switch {
			case bad != nil:
				return "", false, bad
			case ev == nil:
			case ev.Type == wire.ASRError:
				return "", true, told(ev)
			case ev.Type == wire.ASRReady:
			case ev.Type != wire.ASRFinal:
				emit(ev)
			case complete || finished(feeder, e.limits.quit):
				return ev.Text, true, nil
			default:
				f := protocol("early_final", "its final event came before the end of the samples")
				f.Text = strings.TrimSpace(ev.Text)
				return "", false, f
			}
		}
	}
}

// finished tells whether all samples were written. The program may be faster
// with its answer to their end than the feeder with its report of it.
func finished(feeder <-chan fed, limit time.Duration) bool {
	if feeder == nil {
		return false
	}
	select {
	case f := <-feeder:
		return f.err == nil
	case <-time.After(limit):
		return false
	}
}

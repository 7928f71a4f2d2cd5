package supervise

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"voice-input/pkg/wire"
)

// terms is the vi.terms/1 record of one take, or the promise of one. It is
// set once and never changes.
type terms struct {
	done chan struct{} // closed when line is set
	line []byte        // with its line end; empty if there is no record
}

func newTerms() *terms { return &terms{done: make(chan struct{})} }

func (t *terms) set(line []byte) {
	t.line = line
	close(t.done)
}

// copyTo writes the record to w when it is there.
func (t *terms) copyTo(ctx context.Context, w io.Writer) error {
	select {
	case <-t.done:
		_, err := w.Write(t.line)
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// kept tells whether the record is there and holds something.
func (t *terms) kept() bool {
	select {
	case <-t.done:
		return len(t.line) > 0
	default:
		return false
	}
}

// wait returns the record, or nothing if it is not there within d.
func (t *terms) wait(d time.Duration) []byte {
	if t == nil {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-t.done:
		return t.line
	case <-timer.C:
		return nil
	}
}

// ranker makes terms by vi-terms. With keep the program stays from take to
// take, for it has a dictionary to hold; without agent context it has none and
// is started for each take.
type ranker struct {
	argv []string
	keep bool
	log  io.Writer

	mu   sync.Mutex // held while one record is made
	proc *resident
	out  chan []byte // of proc; closed with its output
}

// warm starts the program ahead of a take.
func (r *ranker) warm() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.keep {
		r.running()
	}
}

func (r *ranker) running() (*resident, error) {
	if r.proc.alive() {
		return r.proc, nil
	}
	out := make(chan []byte, 1)
	line := func(l []byte) {
		select {
		case out <- append(bytes.Clone(l), '\n'):
		default: // nobody asked
		}
	}
	var err error
	r.proc, err = startResident(r.argv, scrubbed(), r.log, line, func() { close(out) })
	r.out = out
	return r.proc, err
}

// rank returns the terms of a session, as a line and as a record. A program that does not
// answer in time is killed, so that its late answer is never taken for that
// of another session.
func (r *ranker) rank(ctx context.Context, session *wire.Session) (line []byte, rec *wire.Terms, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p, err := r.running()
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		switch {
		case err != nil:
			p.kill()
		case !r.keep:
			p.stdin.Close()
		}
	}()
	p.stdin.SetWriteDeadline(time.Now().Add(termsTime))
	if err := wire.Write(p.stdin, session); err != nil {
		return nil, nil, err
	}
	timer := time.NewTimer(termsTime)
	defer timer.Stop()
	select {
	case line, ok := <-r.out:
		if !ok {
			return nil, nil, errors.New("it ended early")
		}
		rec := new(wire.Terms)
		return line, rec, wire.Decode(line, rec)
	case <-timer.C:
		return nil, nil, context.DeadlineExceeded
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
}

// close lets the program end by itself, and kills it after d.
func (r *ranker) close(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.proc.alive() {
		return
	}
	r.proc.stdin.Close()
	select {
	case <-r.proc.proc.Done():
	case <-time.After(d):
		r.proc.kill()
	}
}

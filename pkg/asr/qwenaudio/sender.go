package qwenaudio

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"time"

	"voice-input/pkg/asr/engine"
	"voice-input/pkg/asr/socket"
)

// errLost says that a connection takes nothing more. Reading it tells why.
var errLost = errors.New("the connection takes nothing more")

// sender writes the samples of a take to a task that has begun, and then that
// they are all. It is the one that writes then, and each write either is whole
// or ends the connection, so that no sample is sent twice.
type sender struct {
	conn    conn
	id      string
	samples engine.Samples
	replay  bool // the task replaces another one: what has waited is sent at replaySpeed
	watch   *watch
	ending  *atomic.Bool // set when finish-task is being written

	sent   atomic.Int64 // bytes
	caught atomic.Bool  // nothing has waited any more, at one time
}

// run returns nil when finish-task was written. The error is errLost, ctx's,
// or that of the samples.
func (s *sender) run(ctx context.Context) error {
	buf := make([]byte, packet)
	next := time.Now()
	for {
		if !s.replay || s.samples.Buffered() < packet {
			s.caught.Store(true)
		}
		n, err := io.ReadFull(s.samples, buf)
		if n &^= 1; n > 0 { // a sample that was cut in half is none
			if !s.caught.Load() {
				if err := sleep(ctx, time.Until(next)); err != nil {
					return err
				}
				// Time that was lost is not made up for: a service may refuse more.
				next = later(next, time.Now()).Add(duration(int64(n)) / replaySpeed)
			}
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if s.conn.Write(socket.Binary, buf[:n]) != nil {
				return errLost
			}
			s.sent.Add(int64(n))
			s.watch.hear(buf[:n])
		}
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err == io.EOF, errors.Is(err, io.ErrUnexpectedEOF):
			s.ending.Store(true)
			if s.conn.Write(socket.Text, finishTask(s.id)) != nil {
				return errLost
			}
			return nil
		case err != nil:
			return err
		}
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

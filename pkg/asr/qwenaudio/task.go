package qwenaudio

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"voice-input/pkg/asr/engine"
	"voice-input/pkg/asr/provider"
	"voice-input/pkg/asr/socket"
	"voice-input/pkg/wire"
)

// task is one recognition by the service, on a connection of its own.
type task struct {
	*recognition
	replay  bool // it takes the place of one that was lost
	id      string
	conn    conn
	heard   transcript
	watch   watch
	started bool        // task-started has come
	ending  atomic.Bool // finish-task is being written
	said    bool        // and was

	inbox chan inbound
	shown [2]string // committed and draft of the last partial
}

// inbound is a message, or why there are no more.
type inbound struct {
	message
	err error
}

// lost says that a task came to a stop for a reason that another one may not
// have: nothing was refused.
type lost struct{ failure *engine.Failure }

func (l *lost) Error() string { return l.failure.Error() }

func failure(kind, code, format string, args ...any) *engine.Failure {
	return &engine.Failure{Kind: kind, Code: code, Err: fmt.Errorf(format, args...)}
}

// run has the service recognise the recording from its first sample on, and
// returns nil when it said that it is done. The error is a *lost, an
// *engine.Failure or ctx's; what was heard stays in t.heard.
func (t *task) run(ctx context.Context) error {
	limit := t.o.Connect
	if t.replay {
		limit = min(limit, t.limits.replacement)
	}
	begin := time.Now()
	var err error
	if t.conn, err = t.connect(ctx, limit); err != nil {
		return err
	}
	limit -= time.Since(begin)
	ctx, cancel := context.WithCancel(ctx)
	reader := make(chan struct{})
	go func() {
		defer close(reader)
		t.read(ctx)
	}()
	context.AfterFunc(ctx, t.conn.Close)
	defer func() {
		cancel()
		t.conn.Close()
		<-reader
	}()
	if err := t.begin(ctx, limit); err != nil {
		return err
	}
	return t.stream(ctx)
}

// read passes the service's messages on until there are no more.
func (t *task) read(ctx context.Context) {
	for {
		b, err := t.conn.Read()
		in := inbound{err: err}
		if err == nil {
			in.message, in.err = parse(b, t.id)
		}
		select {
		case t.inbox <- in:
		case <-ctx.Done():
			return
		}
		if in.err != nil {
			return
		}
	}
}

// begin waits for the terms, orders the task and waits until it has begun,
// which may take as long as limit.
func (t *task) begin(ctx context.Context, limit time.Duration) error {
	order, err := t.order(ctx)
	if err != nil {
		return err
	}
	if t.conn.Write(socket.Text, order.runTask(t.id)) != nil {
		return t.closed(ctx)
	}
	if order.context != "" {
		t.contextSent.Store(true)
		t.emit(&wire.ASR{Type: wire.ASRContextSent})
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for !t.started {
		select {
		case in := <-t.inbox:
			if err := t.take(in); err != nil {
				return err
			}
		case <-timer.C:
			return &lost{failure(engine.Timeout, "task_not_started", "the service did not begin in time")}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// errDone says that the service is done.
var errDone = errors.New("done")

// stream sends the recording and takes in what the service hears.
func (t *task) stream(ctx context.Context) error {
	samples, err := t.samples()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	s := &sender{conn: t.conn, id: t.id, samples: samples, replay: t.replay, watch: &t.watch, ending: &t.ending}
	sent := make(chan error, 1)
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		sent <- s.run(ctx)
	}()
	defer func() {
		cancel()
		t.conn.Close() // it may wait in a write
		samples.Close()
		<-gone
	}()
	context.AfterFunc(ctx, func() { samples.Close() })

	look := time.NewTicker(t.limits.look)
	defer look.Stop()
	late := time.NewTimer(0) // for the wait that is on
	late.Stop()
	defer late.Stop()
	var tooLate error
	ended := t.recording.ended
	var until time.Time // the end of all waiting behind finish-task
	for {
		select {
		case in := <-t.inbox:
			if err := t.take(in); err == errDone {
				return nil
			} else if err != nil {
				// Whether the end was told counts, and may not be known here yet.
				if t.ending.Load() && !t.said {
					t.conn.Close()
					t.said = <-sent == nil
				}
				return err
			}
			if t.said && in.sentence != nil {
				late.Reset(min(t.o.Finalize, time.Until(until)))
			}
		case err := <-sent:
			switch {
			case errors.Is(err, errLost):
				return t.closed(ctx)
			case err != nil:
				return err
			}
			t.said, ended = true, nil
			until = time.Now().Add(t.o.Finalize + duration(s.sent.Load()))
			tooLate = &lost{failure(engine.Timeout, "not_finished", "the service did not end within %s", t.o.Finalize)}
			late.Reset(t.o.Finalize)
		case <-ended:
			ended = nil
			length := t.recording.length()
			if t.replay && !s.caught.Load() && t.tooLate(s.sent.Load()) {
				return errAbandoned
			}
			tooLate = &overload{failure(engine.Timeout, "too_slow", "the service does not take the samples in time")}
			late.Reset(delivery(length, t.o.Finalize, t.o.Native))
		case <-late.C:
			return tooLate
		case <-look.C:
			if !t.said && t.mayReplace(true) && t.watch.stalled(time.Now()) {
				return &lost{failure(engine.Timeout, "stalled", "the service has nothing to say to what was spoken")}
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// errAbandoned says that a replacement would take too long to catch up.
var errAbandoned = &lost{failure(engine.Crashed, "abandoned", "a second connection would take too long to catch up")}

// overload says that a service does not take the samples in time.
type overload struct{ failure *engine.Failure }

func (o *overload) Error() string { return o.failure.Error() }

// closed returns why a connection takes no more. The service may have told
// before it closed; there is not long to wait for that, as it is closed.
func (t *task) closed(ctx context.Context) error {
	timer := time.NewTimer(t.limits.drain)
	defer timer.Stop()
	for {
		select {
		case in := <-t.inbox:
			if err := t.take(in); err != nil && err != errDone {
				return err
			}
		case <-timer.C:
			return t.broken(&socket.LostError{Silent: true})
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// take takes a message into account. The error is errDone at the end.
func (t *task) take(in inbound) error {
	switch {
	case in.err != nil:
		return t.broken(in.err)
	case in.event == failed:
		return t.refused(provider.Classify(0, in.code, in.message.message))
	case in.event == started:
		if t.started {
			return t.broken(errOrder)
		}
		t.started = true
		t.watch.answered()
		t.begun(t.replay)
	case (in.event == result || in.event == finished) && !t.started:
		return t.broken(errOrder)
	case in.event == result:
		return t.result(in.sentence)
	case in.event == finished:
		if err := t.result(in.sentence); err != nil {
			return err
		}
		t.heard.replace(in.text)
		if !t.ending.Load() {
			return &lost{failure(engine.Crashed, "early_finish", "the service ended before the recording")}
		}
		return errDone
	}
	return nil
}

// result takes a sentence into account; nil is a heartbeat.
func (t *task) result(s *sentence) error {
	if s == nil {
		return nil
	}
	t.watch.answered()
	ended, err := t.heard.see(*s)
	if err != nil {
		return t.broken(err)
	}
	committed, draft := t.heard.texts()
	if now := [2]string{committed, draft}; now != t.shown {
		t.shown = now
		t.emit(&wire.ASR{Type: wire.ASRPartial, Committed: committed, Draft: draft})
	}
	if ended {
		t.emit(&wire.ASR{Type: wire.ASRSegment, Text: s.text})
	}
	return nil
}

// refused is what it means that a task failed.
func (t *task) refused(r provider.Refusal) error {
	f := r.Failure(t.region)
	switch {
	case r.Kind == provider.Empty && t.ending.Load():
		return errDone // it heard no words
	case r.Kind == provider.Idle:
		return &lost{f} // nobody spoke, or the recorder stood still
	}
	return f
}

// broken says what the end of the messages means.
func (t *task) broken(err error) error {
	var bad *protocolError
	var end *socket.LostError
	switch {
	case errors.As(err, &bad):
		return failure(engine.Protocol, bad.code, "%w", bad)
	case errors.Is(err, socket.ErrTooLong):
		return failure(engine.Protocol, "message_too_long", "%w", err)
	case errors.As(err, &end) && end.Silent:
		return &lost{failure(engine.Timeout, "no_answer", "%w", err)}
	case errors.As(err, &end):
		return &lost{failure(engine.Crashed, fmt.Sprintf("close_%d", end.Code), "%w", err)}
	}
	return &lost{failure(engine.Crashed, "connection_lost", "%w", err)}
}

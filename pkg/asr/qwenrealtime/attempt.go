package qwenrealtime

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"voice-input/pkg/asr/engine"
	"voice-input/pkg/asr/provider"
	"voice-input/pkg/asr/socket"
	"voice-input/pkg/wire"
)

// attempt is one connection with one session.
type attempt struct {
	*Engine
	conn     *socket.Conn
	emit     func(*wire.ASR)
	again    bool // it replaces one that was lost
	words    bool // there are words in the session
	watch    watch
	evidence evidence
	ending   atomic.Bool // session.finish is being written
	heard    *transcript
	shown    [2]string         // committed and draft of the last partial
	refused  *provider.Refusal // the first error that did not end the session
}

// lost says that a session came to a stop for a reason that another one may
// not have.
type lost struct{ failure *engine.Failure }

func (l *lost) Error() string { return l.failure.Error() }

// received is an event of the service, or why there will be no more.
type received struct {
	event serverEvent
	err   error
}

// sent is what the writing goroutine has done.
type sent struct {
	update bool // session.update is written; else it has ended
	length time.Duration
	err    error
}

// run has the service recognise the samples. The error is a *lost, an
// *engine.Failure or ctx's; what was heard stays in a.heard.
func (a *attempt) run(ctx context.Context, s session, samples engine.Samples) error {
	ctx, cancel := context.WithCancel(ctx)
	events, progress, accepted := make(chan received), make(chan sent), make(chan struct{})
	reader, writing := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(reader)
		a.read(ctx, events)
	}()
	go func() {
		defer close(writing)
		a.write(ctx, s, samples, accepted, progress)
	}()
	stop := context.AfterFunc(ctx, func() {
		a.conn.Close()
		samples.Close()
	})
	defer func() {
		cancel()
		if stop() { // it has not run, nor will it
			a.conn.Close()
			samples.Close()
		}
		<-reader
		<-writing
	}()

	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case p := <-progress:
			if err := a.did(p); err != nil {
				return err
			}
		case r := <-events:
			if a.ending.Load() && a.watch.finished.IsZero() {
				// The answer may be here before the writing goroutine has said
				// that it has asked. It does so soon.
				select {
				case p := <-progress:
					if err := a.did(p); err != nil {
						return err
					}
				case <-ctx.Done():
					return context.Cause(ctx)
				}
			}
			if r.err != nil {
				return a.broken(r.err)
			}
			before := a.watch.accepted
			a.watch.event(r.event.kind, time.Now())
			a.evidence.answered()
			if a.watch.accepted && !before {
				a.updateSent()
				close(accepted)
				a.emit(&wire.ASR{Type: map[bool]string{false: wire.ASRReady, true: wire.ASRReconnected}[a.again]})
			}
			if done, err := a.take(r.event); done || err != nil {
				return err
			}
		case <-timer.C:
		}
		why, next := a.watch.check(time.Now(), a.evidence.voiced)
		switch why {
		case "":
			timer.Reset(next)
		case stalled:
			return &lost{failure(engine.Timeout, why, "it stopped answering")}
		case noAnswer:
			return failure(engine.Timeout, why, "it did not begin within %s", a.watch.start)
		default:
			return failure(engine.Timeout, why, "it did not end within %s", a.watch.finalize)
		}
	}
}

// did takes into account what the writing goroutine has done.
func (a *attempt) did(p sent) error {
	switch {
	case p.update:
		a.updateSent()
	case p.err == nil:
		a.watch.end(p.length, time.Now())
	case errors.Is(p.err, errLost):
		a.ending.Store(false) // the reader notices too, and knows more
	default:
		return p.err
	}
	return nil
}

// updateSent says that session.update was written. The answer to it may come
// before the writing goroutine has said so.
func (a *attempt) updateSent() {
	if !a.watch.updated.IsZero() {
		return
	}
	a.watch.updated = time.Now()
	if a.words {
		a.emit(&wire.ASR{Type: wire.ASRContextSent})
	}
}

// read passes the service's events on until there are no more.
func (a *attempt) read(ctx context.Context, events chan<- received) {
	for {
		b, err := a.conn.Read()
		var e serverEvent
		if err == nil {
			e, err = parse(b)
		}
		select {
		case events <- received{e, err}:
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// write is the one goroutine that writes: the session, then, when that was
// accepted, the samples.
func (a *attempt) write(ctx context.Context, s session, samples engine.Samples, accepted <-chan struct{}, progress chan<- sent) {
	w := &writer{send: func(b []byte) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return a.conn.Write(socket.Text, b)
	}}
	tell := func(s sent) {
		select {
		case progress <- s:
		case <-ctx.Done():
		}
	}
	if w.update(s) != nil {
		tell(sent{err: errLost})
		return
	}
	tell(sent{update: true})
	select {
	case <-accepted:
	case <-ctx.Done():
		return
	}
	f := feeder{w: w, samples: samples, evidence: &a.evidence, burst: a.burst, ending: func() { a.ending.Store(true) }}
	if a.again {
		f.burst = 0
	}
	length, err := f.run(ctx)
	tell(sent{length: length, err: err})
}

// take takes an event of an accepted session into account. It tells whether
// the session has ended well.
func (a *attempt) take(e serverEvent) (done bool, err error) {
	ok := true
	switch e.kind {
	case sessionFinished:
		if a.watch.finished.IsZero() {
			return false, &lost{failure(engine.Crashed, "early_finish", "it ended the session before the end of the samples")}
		}
		if a.refused != nil {
			return false, a.refused.Failure(a.region)
		}
		return true, nil
	case sessionFailed:
		a.refuse(e)
		if a.refused == nil {
			return true, nil // it heard no words
		}
		return false, a.given(*a.refused)
	case serviceError:
		// Most leave the session as it is.
		if a.refuse(e); a.refused != nil && !a.watch.accepted {
			return false, a.refused.Failure(a.region)
		}
	case speechStarted:
		if e.item != "" {
			ok = a.heard.item(e.item) != nil
		}
	case bufferCommitted:
		if e.item != "" {
			a.heard.place(e.item, e.previous)
		}
	case textEvent:
		ok = a.heard.draft(e.item, e.text)
	case textCompleted:
		ok = a.heard.complete(e.item, e.text)
	case textFailed:
		a.heard.fail(e.item)
		a.refuse(e)
	default:
		return false, nil
	}
	if !ok {
		return false, failure(engine.Protocol, "too_many_pieces", "it cuts the speech into more than %d pieces", maxItems)
	}
	a.show()
	return false, nil
}

// show tells what is heard if that has changed.
func (a *attempt) show() {
	committed, draft := a.heard.texts()
	if now := [2]string{committed, draft}; now != a.shown {
		a.shown = now
		a.emit(&wire.ASR{Type: wire.ASRPartial, Committed: committed, Draft: draft})
	}
}

// refuse remembers an error that the service tells of, the first one.
func (a *attempt) refuse(e serverEvent) {
	r := provider.Classify(0, e.code, e.message)
	if a.refused == nil && r.Kind != provider.Empty {
		a.refused = &r
	}
}

// given is what an error means that has ended the session.
func (a *attempt) given(r provider.Refusal) error {
	f := r.Failure(a.region)
	if r.Retry {
		return a.loss(f)
	}
	return f
}

// broken says what the end of the connection means.
func (a *attempt) broken(err error) error {
	var end *socket.LostError
	switch {
	case errors.Is(err, errProtocol), errors.Is(err, socket.ErrTooLong):
		return failure(engine.Protocol, "bad_message", "%w", err)
	case a.refused != nil:
		return a.given(*a.refused) // it has said why
	case errors.As(err, &end) && end.Silent:
		return a.loss(failure(engine.Timeout, "no_answer", "%w", err))
	case errors.As(err, &end):
		return a.loss(failure(engine.Crashed, closeCode(end.Code), "%w", err))
	}
	return a.loss(failure(engine.Crashed, "lost", "%w", err))
}

// loss is final once the service was told the end of the samples: a new
// session would take longer than anybody waits.
func (a *attempt) loss(f *engine.Failure) error {
	if a.watch.finished.IsZero() {
		return &lost{f}
	}
	return f
}

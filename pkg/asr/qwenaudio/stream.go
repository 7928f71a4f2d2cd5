package qwenaudio

import (
	"context"
	"errors"
	"strings"

	"voice-input/pkg/asr/engine"
	"voice-input/pkg/asr/native"
	"voice-input/pkg/wire"
)

// outcome is what became of the stream. Without an error the service has heard
// everything and said so.
type outcome struct {
	text string // of one task; those of two are never put together
	err  error
}

// failure returns the failure of the stream, nil if there is none or if it is
// the take that has ended.
func (o outcome) failure() *engine.Failure {
	var f *engine.Failure
	var l *lost
	var slow *overload
	switch {
	case errors.As(o.err, &l):
		f = l.failure
	case errors.As(o.err, &slow):
		f = slow.failure
	default:
		errors.As(o.err, &f)
	}
	return f
}

func (o outcome) overloaded() bool { return errors.As(o.err, new(*overload)) }

func (o outcome) state() native.State {
	blank := strings.TrimSpace(o.text) == ""
	switch {
	case o.err == nil && !blank:
		return native.Usable
	case o.err == nil:
		return native.Empty
	case !blank:
		return native.Degraded
	}
	return native.Failed
}

// stream has the service hear the recording. A task that is lost is replaced
// once, by one with the same order. What either has heard is kept if the
// replacement is lost too: the longer text.
func (r *recognition) stream(ctx context.Context) outcome {
	first := r.newTask(false)
	err := first.run(ctx)
	text := first.heard.all()
	if ctx.Err() != nil || !first.mayReplace(errors.As(err, new(*lost))) {
		return outcome{text, err}
	}
	r.emit(&wire.ASR{Type: wire.ASRReconnecting})
	again := r.newTask(true)
	switch later := again.run(ctx); {
	case later == nil:
		return outcome{again.heard.all(), nil}
	case !errors.Is(later, errAbandoned):
		err = later
	}
	return outcome{longer(text, again.heard.all()), err}
}

func (r *recognition) newTask(replay bool) *task {
	return &task{recognition: r, replay: replay, id: newTaskID(), watch: watch{limits: r.limits}, inbox: make(chan inbound)}
}

// mayReplace tells whether another task may take the place of this one if it
// ends now, for a reason that may be one of the transport.
func (t *task) mayReplace(transport bool) bool {
	size := t.recording.size()
	if over, _ := t.recording.over(); over && t.tooLate(0) {
		return false
	}
	return replaceable(loss{
		Transport: transport, Started: t.started, Finished: t.said, Again: t.replay, Bytes: size,
	})
}

// tooLate tells whether a replacement that has been told so many bytes of the
// recording, which has ended, is to be given up.
func (r *recognition) tooLate(sent int64) bool {
	size := r.recording.size()
	return !r.certain() && abandon(duration(size-sent), duration(size), r.o.Native)
}

// begun tells that a task has begun.
func (r *recognition) begun(replay bool) {
	if !replay {
		r.emit(&wire.ASR{Type: wire.ASRReady})
		return
	}
	// Not before: until now what the first task heard is the best there is.
	r.emit(&wire.ASR{Type: wire.ASRReset})
	r.emit(&wire.ASR{Type: wire.ASRReconnected})
}

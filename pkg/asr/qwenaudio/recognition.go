package qwenaudio

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"voice-input/pkg/asr/engine"
	"voice-input/pkg/asr/native"
	"voice-input/pkg/wire"
)

// recognition is one take: its recording, the stream and the native pass.
type recognition struct {
	*Engine
	take      engine.Take
	emit      func(*wire.ASR)
	recording *recording

	known chan struct{} // closed when hints are set
	hints engine.Hints

	contextSent atomic.Bool // a task had a context that was not empty
}

func newRecognition(e *Engine, take engine.Take, emit func(*wire.ASR)) *recognition {
	return &recognition{Engine: e, take: take, emit: emit, recording: newRecording(), known: make(chan struct{})}
}

// run returns the text. When it returns nothing is running any more.
func (r *recognition) run(ctx context.Context) (string, error) {
	ctx, cancel := context.WithCancel(ctx)
	var work sync.WaitGroup
	stop := func() {
		cancel()
		r.take.Samples.Close()
		work.Wait()
	}
	defer stop()
	work.Go(func() { r.recording.follow(r.take.Samples) })
	work.Go(func() { r.learn(ctx) })
	streamed, done := make(chan outcome, 1), make(chan passed, 1)
	work.Go(func() { streamed <- r.stream(ctx) })
	running := false
	runNative := func() {
		running = true
		work.Go(func() { done <- r.runNative(ctx) })
	}

	var stream *outcome
	var pass *passed
	ended := r.recording.ended
	for stream == nil || running && pass == nil {
		select {
		case s := <-streamed:
			if s.err != nil && s.failure() == nil {
				return "", s.err
			}
			stream = &s
			if run, _ := native.Decide(r.situation(s)); run && !running {
				runNative()
			}
		case <-ended:
			ended = nil
			if _, err := r.recording.over(); err != nil {
				return "", err
			}
			if r.certain() && !running {
				runNative()
			}
		case p := <-done:
			pass = &p
			if p.err != nil && p.failure() == nil {
				return "", p.err
			}
			if p.result() == native.NativeUsable {
				stop() // whatever the stream would still bring
				if r.context() != "" && !r.contextSent.Load() {
					r.emit(&wire.ASR{Type: wire.ASRContextSent})
				}
				return p.text, nil
			}
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
	}
	if pass == nil {
		pass = &passed{notRun: true}
	}
	return choose(*stream, *pass, r.recording.speech())
}

// learn waits for the terms beside everything else; rule J3.
func (r *recognition) learn(ctx context.Context) {
	defer close(r.known)
	ctx, cancel := context.WithTimeout(ctx, min(r.o.Connect, r.limits.hints))
	defer cancel()
	r.hints = r.take.Hints(ctx)
}

// order returns what the take's tasks are asked to do, once the terms are
// known.
func (r *recognition) order(ctx context.Context) (order, error) {
	select {
	case <-r.known:
		return newOrder(r.o, r.segmentation, r.take.Language, r.hints), nil
	case <-ctx.Done():
		return order{}, context.Cause(ctx)
	}
}

// context returns the context of the take, which is known.
func (r *recognition) context() string {
	return newOrder(r.o, r.segmentation, r.take.Language, r.hints).context
}

// samples returns the recording from its first sample on.
func (r *recognition) samples() (engine.Samples, error) {
	samples, err := r.take.Again()
	if err != nil {
		return nil, failure(engine.Unavailable, "samples_dropped", "cannot send the recording: %w", err)
	}
	return samples, nil
}

// situation is what is known when the stream has ended. What is not known of a
// recording that goes on is taken for what it will be: that somebody speaks.
func (r *recognition) situation(s outcome) native.Situation {
	out := native.Situation{
		Audio: r.recording.length(), Mode: r.o.Native, ContextSent: r.contextSent.Load(),
		Overloaded: s.overloaded(), Interrupted: s.err != nil, Stream: s.state(), Finished: s.err == nil,
	}
	if over, _ := r.recording.over(); !over {
		out.Audio = max(out.Audio, 1)
	} else {
		out.Silent = !r.recording.speech().Heard
	}
	return out
}

// certain tells whether the native pass is run whatever the stream brings. The
// recording has ended.
func (r *recognition) certain() bool {
	return certain(native.Situation{
		Audio: r.recording.length(), Mode: r.o.Native, ContextSent: r.contextSent.Load(),
		Silent: !r.recording.speech().Heard,
	})
}

// passed is what became of the native pass.
type passed struct {
	notRun, empty bool
	text          string
	err           error
}

func (s passed) failure() (f *engine.Failure) {
	errors.As(s.err, &f)
	return f
}

func (s passed) result() native.Result {
	switch {
	case s.notRun:
		return native.NotRun
	case s.err != nil:
		return native.NativeFailed
	case s.empty:
		return native.NativeEmpty
	}
	return native.NativeUsable
}

// runNative has the whole recording recognised, which may still go on.
func (r *recognition) runNative(ctx context.Context) (s passed) {
	select {
	case <-r.known:
	case <-ctx.Done():
		return passed{err: context.Cause(ctx)}
	}
	samples, err := r.samples()
	if err != nil {
		return passed{err: err}
	}
	defer samples.Close()
	hints := r.hints
	if !r.o.Vocabulary {
		hints.Vocabulary = nil
	}
	s.text, s.empty, s.err = r.native.Recognize(ctx, samples, languages(r.o, r.take.Language), hints)
	return s
}

// choose returns what the take's text is, or the failure with what there is of
// it.
func choose(stream outcome, pass passed, speech wire.Speech) (string, error) {
	why := stream.failure()
	if why == nil {
		why = pass.failure()
	}
	if why == nil {
		why = failure(engine.Protocol, "no_words", "the service heard no words although somebody spoke")
	}
	switch native.Select(native.Outcomes{
		Stream: stream.state(), Overloaded: stream.overloaded(), Native: pass.result(),
		Speech: time.Duration(speech.SpeechMS) * time.Millisecond,
	}) {
	case native.UseNative:
		return pass.text, nil
	case native.UseStream:
		return stream.text, nil
	case native.UseEmpty:
		return "", nil
	}
	c := *why
	c.Text = stream.text
	if f := pass.failure(); f != nil {
		c.Text = longer(c.Text, f.Text)
	}
	return "", &c
}

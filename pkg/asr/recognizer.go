package asr

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"voice-input/pkg/asr/audio"
	"voice-input/pkg/asr/engine"
	"voice-input/pkg/asr/join"
	"voice-input/pkg/asr/settled"
	"voice-input/pkg/asr/tape"
	"voice-input/pkg/asr/vad"
	"voice-input/pkg/cli"
	"voice-input/pkg/punctuation"
	"voice-input/pkg/wire"
)

// maxPartial bounds the text of one event that is passed on, in bytes: an hour
// of speech has 60 kB.
const maxPartial = 256 << 10

// Bounds of the samples in memory.
const (
	// maxQueued is for those that wait for the engine: five minutes, more than a
	// model needs to load.
	maxQueued = 5 * 60 * engine.BytesPerSecond
	// maxKept is for those that may be read again: the longest take that may be
	// configured, an hour.
	maxKept = 3600 * engine.BytesPerSecond
)

// recognizer has one engine do takes.
type recognizer struct {
	engine engine.Engine
	emit   func(wire.Record) error
	warn   func(format string, args ...any)
}

// take is one recognition: what the engine needs, and the samples.
type take struct {
	id       string
	language string
	// realtime gives the engine the samples as fast as they were spoken.
	realtime bool
	know     func(context.Context) knowledge
	// open returns the samples, and what to close after them also if there
	// is an error. Reading them ends soon after the context has ended.
	open func(context.Context) (*audio.Reader, io.Closer, error)
}

// do recognises a take and writes its events. It returns nil if there is text,
// cli.ErrNothing if there is none, and else an error with the status of the
// failure that the error event tells of. When the caller's context ends it
// writes no more.
func (r *recognizer) do(caller context.Context, t take) error {
	ctx, cancel := context.WithCancelCause(caller)
	defer cancel(nil)
	run := &running{recognizer: r, take: t, cancel: cancel}
	samples := tape.New(maxQueued, false)
	if _, rereads := r.engine.(engine.Rereader); rereads {
		samples = tape.New(maxKept, true)
	}
	first, err := samples.Reader()
	if err != nil {
		return err
	}
	go func() {
		if err := run.pump(ctx, samples); err != nil {
			cancel(&inputError{err})
		}
		samples.Close(io.EOF)
	}()
	// An engine that waits for samples must notice the end of ctx.
	defer context.AfterFunc(ctx, func() { samples.Close(context.Cause(ctx)) })()

	text, err := r.engine.Recognize(ctx, engine.Take{
		ID: t.id, Language: t.language, Hints: run.give, Samples: first,
		Again: func() (engine.Samples, error) {
			r, err := samples.Reader()
			if err != nil {
				return nil, err
			}
			return r, nil
		},
	}, run.pass)
	samples.Close(io.ErrClosedPipe)
	if caller.Err() != nil {
		return caller.Err()
	}
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	return run.finish(text, err)
}

// inputError is a failure of the input rather than of the engine.
type inputError struct{ err error }

func (e *inputError) Error() string { return e.err.Error() }
func (e *inputError) Unwrap() error { return e.err }

// outputError is a failure to write an event; nobody is left to be told.
type outputError struct{ err error }

func (e *outputError) Error() string { return e.err.Error() }
func (e *outputError) Unwrap() error { return e.err }

// failureOf sorts an error of a take.
func failureOf(err error) *engine.Failure {
	var f *engine.Failure
	var in *inputError
	var bad *audio.Error
	switch {
	case errors.As(err, &f):
		return f
	case !errors.As(err, &in):
		return &engine.Failure{Kind: "internal", Code: "internal", Err: &cli.Error{Status: cli.StatusSoftware, Err: err}}
	case errors.As(err, &bad):
		return &engine.Failure{Kind: engine.Audio, Code: bad.Code, Err: bad}
	case errors.Is(err, errStalled):
		return &engine.Failure{Kind: engine.Timeout, Code: "audio_stalled", Err: cli.Errorf(cli.StatusTempFail, "cannot read audio: %w", in.err)}
	}
	status := cli.StatusOf(in.err)
	if status == cli.StatusSoftware {
		status = cli.StatusIO
	}
	return &engine.Failure{Kind: engine.Audio, Code: "unreadable", Err: cli.Errorf(status, "cannot read audio: %w", in.err)}
}

// running is a take in progress.
type running struct {
	*recognizer
	take
	cancel context.CancelCauseFunc

	settled  settled.Text
	partials int

	mu    sync.Mutex // the pump may still run when the engine has failed
	meter vad.Meter
	first time.Time // of the first samples
	ended time.Time // of the last ones
	heard time.Time // of the first partial
	given knowledge // what the engine was given
	torn  error     // why the samples ended before their time
}

// give returns the hints. Only what the engine has got can come back as echo.
func (r *running) give(ctx context.Context) engine.Hints {
	known := r.know(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.given = known
	return known.hints
}

// pump moves the samples onto the tape and listens to them. It returns an
// error if the input is no audio. Audio that breaks off is recognised as far
// as it goes.
func (r *running) pump(ctx context.Context, out io.Writer) error {
	in, file, err := r.open(ctx)
	if file != nil {
		defer file.Close()
	}
	if err != nil {
		return err
	}
	buf := make([]byte, 16<<10)
	if r.realtime {
		buf = buf[:recorded]
	}
	for some := false; ; some = true {
		n, err := in.Read(buf)
		if n > 0 {
			if r.realtime {
				sleep(ctx, length(n))
			}
			r.hear(buf[:n])
			if _, err := out.Write(buf[:n]); err != nil {
				return nil // the engine wants no more
			}
		}
		if err == nil {
			continue
		}
		if err != io.EOF && (!some || errors.As(err, new(*audio.Error)) || ctx.Err() != nil) {
			return err
		}
		if in.Truncated() {
			r.warn("the WAV file ends before the length in its header")
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.ended = time.Now()
		if err != io.EOF {
			r.torn = err
		}
		return nil
	}
}

// recorded is how many bytes a recorder gives at once: 100 ms.
const recorded = engine.BytesPerSecond / 10

// length is how long it takes to say so many bytes of samples.
func length(n int) time.Duration {
	return time.Duration(n) * time.Second / engine.BytesPerSecond
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

func (r *running) hear(b []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.first.IsZero() {
		r.first = time.Now()
	}
	r.meter.Write(b)
}

// pass checks an event of the engine and passes it on.
func (r *running) pass(ev *wire.ASR) {
	out := &wire.ASR{Type: ev.Type, Take: r.id}
	switch ev.Type {
	case wire.ASRPartial:
		out.Committed = clean(ev.Committed)
		// Readers put the two together, so the blank between them is the draft's.
		out.Draft = strings.TrimPrefix(join.Join(out.Committed, clean(ev.Draft)), out.Committed)
		r.partials++
		r.mu.Lock()
		if r.heard.IsZero() && out.Committed+out.Draft != "" {
			r.heard = time.Now()
		}
		r.mu.Unlock()
	case wire.ASRSegment:
		out.Text = clean(ev.Text)
	case wire.ASRReady:
		out.Engine = r.engine.Name()
	case wire.ASRReset, wire.ASRContextSent, wire.ASRReconnecting, wire.ASRReconnected:
	default:
		return
	}
	r.settled.See(out)
	if len(out.Committed)+len(out.Draft)+len(out.Text) > maxPartial {
		return
	}
	r.write(out)
}

// write ends the take if nobody reads its events.
func (r *running) write(ev *wire.ASR) error {
	if err := r.emit(ev); err != nil {
		err = &outputError{err}
		r.cancel(err)
		return err
	}
	return nil
}

// finish writes the last events of the take.
func (r *running) finish(text string, err error) error {
	if errors.As(err, new(*outputError)) {
		return err
	}
	r.mu.Lock()
	speech, given := r.meter.Speech(), r.given
	if err == nil && r.torn != nil {
		err = &inputError{r.torn}
	}
	r.mu.Unlock()

	var failure *engine.Failure
	switch {
	case errors.As(err, new(*audio.Error)):
		// What is refused has no text, not even a part.
		failure, text = failureOf(err), ""
	case err != nil:
		failure = failureOf(err)
		text = longer(text, longer(failure.Text, r.settled.String()))
	case clean(text) == "" && r.settled.String() != "":
		failure = &engine.Failure{Kind: engine.Protocol, Code: "final_empty", Err: errors.New("the final text is empty, unlike the settled one")}
		text = r.settled.String()
	}
	final := verdict(text, failure, given.hints.Words, speech)
	final.Text = punctuation.Chinese(given.rules.Apply(final.Text))
	status := error(nil)
	switch {
	case err != nil && final.Text == "":
		final, status = failed(failure), withStatus(failure)
	case final.Text == "":
		status = cli.ErrNothing
	case failure != nil:
		r.warn("%v; what was recognised before is kept", failure.Err)
	}
	final.Take, final.Engine = r.id, r.engine.Name()
	if relay, ok := r.engine.(engine.Relay); ok {
		r.tell(final, relay.Tried())
	}
	if err := r.write(final); err != nil {
		return err
	}
	if err := r.write(r.stats(len(given.hints.Words), speech.AudioMS)); err != nil {
		return err
	}
	return status
}

// tell says of which engines the text is not. An error tells of all of them.
func (r *running) tell(final *wire.ASR, tried []engine.Attempt) {
	for _, a := range tried {
		final.Tried = append(final.Tried, wire.ASRTried{Engine: a.Engine, Kind: a.Kind, Code: a.Code})
		if a.Err != nil && final.Type == wire.ASRFinal {
			r.warn("%v; engine %q was asked as well", a.Err, final.Engine)
		}
	}
}

func (r *running) stats(hints int, audioMS int64) *wire.ASR {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := &wire.ASRStatistics{AudioMS: audioMS, Partials: r.partials, Hints: hints}
	if !r.heard.IsZero() {
		s.FirstMS = r.heard.Sub(r.first).Milliseconds()
	}
	if !r.ended.IsZero() {
		s.FinalizeMS = time.Since(r.ended).Milliseconds()
	}
	return &wire.ASR{Type: wire.ASRStats, Take: r.id, Stats: s}
}

func longer(a, b string) string {
	if utf8.RuneCountInString(a) > utf8.RuneCountInString(b) {
		return a
	}
	return b
}

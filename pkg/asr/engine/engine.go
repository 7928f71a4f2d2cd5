// Package engine is the seam between vi-asr and what recognises speech. An
// engine is a program on this machine, a websocket or an HTTP service; all of
// them look the same from here: samples stream in, events come out, and the
// hints go through whatever channel the engine has for them.
package engine

import (
	"context"
	"io"
	"strings"

	"voice-input/pkg/wire"
)

// The samples that every engine is given: signed 16 bit, little endian, mono.
const (
	Rate           = 16000 // Hz
	BytesPerSecond = 2 * Rate
)

// Engine recognises takes, one at a time.
type Engine interface {
	// Name is the name that final events carry.
	Name() string
	// Recognize reads take.Samples to its end and returns the text of all of
	// it. Meanwhile it calls emit with the events partial, segment, reset,
	// context_sent, reconnecting, reconnected and ready; only those, never
	// from two goroutines at once, and never after it has returned. It
	// returns soon after ctx has ended. Its error is a *Failure or ctx's.
	Recognize(ctx context.Context, take Take, emit func(*wire.ASR)) (text string, err error)
	// Close lets go of everything: connections, processes, files.
	Close()
}

// Take is one recognition.
type Take struct {
	ID       string // "" outside the resident form
	Language string // BCP 47; "" lets the engine decide
	// Hints returns what is likely to be said. It waits until that is known,
	// but not long; an engine that has to dial or to load does that before it
	// calls Hints, which returns the same at every call.
	Hints func(context.Context) Hints
	// Samples has BytesPerSecond for each second of the take and is read by
	// one goroutine. Its end may come long after its start.
	Samples Samples
	// Again returns another reader of the samples that begins at the first
	// one. Its error is tape.ErrDropped. Only an engine that is a Rereader can
	// count on it.
	Again func() (Samples, error)
}

// Samples are what is said, as it comes. Close ends a Read that waits.
type Samples interface {
	io.ReadCloser
	// Buffered returns how many bytes can be read without waiting.
	Buffered() int64
}

// Rereader is an engine that may read the samples again after it has read
// them, so that they have to be kept.
type Rereader interface{ Rereads() }

// Relay is an engine that has others do its takes. Its Name is that of the one
// at work and, when a take has ended, of the one whose text counts.
type Relay interface {
	Engine
	// Tried returns the others that were asked for the last take, in order. It
	// may be called when Recognize has returned.
	Tried() []Attempt
}

// Attempt is why the text of an engine does not count, or that it had none.
type Attempt struct {
	Engine string
	Failure
}

// Hints are what is likely to be said. Only what is in there can come back as
// an echo.
type Hints struct {
	// Words are words and phrases, the user's own and the context's, the most
	// valuable first.
	Words []string
	// Context are the context's terms alone, separated by LF, at most 400
	// characters; made for a recogniser by vi-terms.
	Context string
	// Vocabulary are the user's own words.
	Vocabulary []wire.Vocabulary
}

// Kinds of failure. The list is open: a reader treats a kind that it does not
// know as a failure like any other.
const (
	Unavailable = "unavailable" // the engine is absent, or does not start
	Timeout     = "timeout"     // it did not do its part in time
	Protocol    = "protocol"    // it answered nonsense
	Crashed     = "crashed"     // it ended in the middle of a take
	Language    = "language"    // it does not know the language
	Audio       = "audio"       // the samples cannot be read
	Busy        = "busy"        // it takes no more work now
	Auth        = "auth"        // a key is missing or was refused
	// Empty is in an Attempt alone: no failure, the engine heard no words.
	Empty = "empty"
)

// Failure is why an engine has no, or not the whole, text.
type Failure struct {
	Kind string
	Code string // at most 64 of [A-Za-z0-9._-]; see Code
	Err  error  // the message for a person; holds no dictated text
	Hint string // what the user can do
	// Text is what the engine handed over as settled although it failed.
	Text string
}

func (f *Failure) Error() string { return f.Err.Error() }

// Unwrap returns the message.
func (f *Failure) Unwrap() error { return f.Err }

// maxCode bounds an error's code, which comes from outside.
const maxCode = 64

// Code makes a safe code of a foreign one: other characters than
// [A-Za-z0-9._-] become "_", and the length is bounded.
func Code(s string) string {
	s = s[:min(len(s), maxCode)]
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '_', r == '-':
			return r
		}
		return '_'
	}, s)
}

// KnownKind returns kind if it is a word of at most 32 lower-case letters and
// underscores, else Protocol: an engine's own kinds are passed on, nonsense is
// not.
func KnownKind(kind string) string {
	if kind == "" || len(kind) > 32 || strings.Trim(kind, "abcdefghijklmnopqrstuvwxyz_") != "" {
		return Protocol
	}
	return kind
}

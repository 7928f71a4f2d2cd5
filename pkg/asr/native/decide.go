package native

import "time"

// Mode is when the native pass is run, in the words of the configuration.
type Mode string

// The modes.
const (
	StreamingOnly Mode = "streaming-only" // never
	Adaptive      Mode = "adaptive"       // when the stream may have missed something
	Always        Mode = "always"
)

// State is what a stream left behind.
type State int

// The states. The zero value is that of a stream that never was.
const (
	Failed   State = iota // no text, for a failure
	Degraded              // text, but not of all that was said
	Empty                 // it heard all and no words
	Usable                // text of all that was said
)

// longTake is the length from which a stream that had no context is checked:
// the longer a recording, the more a second look with all of it at hand finds.
const longTake = 30 * time.Second

// Situation is what is known when a recording has ended, or when its stream
// turns out to be bad.
type Situation struct {
	Cancelled bool
	Audio     time.Duration // length of the recording
	Silent    bool          // by local evidence nobody spoke
	Mode      Mode

	Overloaded  bool // the stream did not take the samples in time
	Interrupted bool // the connection was lost, or an answer did not come
	Stream      State
	Finished    bool // the service said that it is done
	ContextSent bool // the stream had a session context that was not empty
}

// Decide tells whether the native pass is to be run, and why in one word: one
// of cancelled, no-audio, silence, streaming-only, always, overloaded,
// interrupted, empty, degraded, missing-completion, duration, healthy-stream.
func Decide(s Situation) (run bool, reason string) {
	switch {
	case s.Cancelled:
		return false, "cancelled"
	case s.Audio <= 0:
		return false, "no-audio"
	case s.Silent:
		return false, "silence"
	case s.Mode == Always:
		return true, "always"
	case s.Mode != Adaptive:
		return false, "streaming-only"
	case s.Overloaded:
		return true, "overloaded"
	case s.Interrupted:
		return true, "interrupted"
	case s.Stream == Empty:
		return true, "empty"
	case s.Stream != Usable:
		return true, "degraded"
	case !s.Finished:
		return true, "missing-completion"
	case s.Audio >= longTake && !s.ContextSent:
		return true, "duration"
	}
	return false, "healthy-stream"
}

package native

import "time"

// Result is what became of the native pass.
type Result int

// The results.
const (
	NotRun Result = iota
	NativeFailed
	NativeEmpty // the service heard no words
	NativeUsable
)

// Outcomes are the results of both ways.
type Outcomes struct {
	Stream     State
	Overloaded bool // the stream did not take the samples in time
	Native     Result
	Speech     time.Duration // how long somebody spoke, by local evidence
}

// Choice is what an engine with both ways returns.
type Choice int

// The choices.
const (
	// UseNothing is a failure without text.
	UseNothing Choice = iota
	// UsePart is a failure with the stream's text as what was recognised
	// before: the next engine may do better, and else it is what there is.
	UsePart
	// UseEmpty is that nothing was said.
	UseEmpty
	UseStream
	UseNative
)

// muchSpeech contradicts a service that heard no words. A cough, a chair or a
// door is shorter.
const muchSpeech = 2 * time.Second

// Select returns which text counts. One service that heard no words is
// believed, unless there was a lot of speech; two always are.
func Select(o Outcomes) Choice {
	witnesses := 0
	if o.Native == NativeEmpty {
		witnesses++
	}
	if o.Stream == Empty && !o.Overloaded {
		witnesses++
	}
	switch {
	case o.Native == NativeUsable:
		return UseNative
	case o.Stream == Usable && !o.Overloaded:
		return UseStream
	case o.Stream == Usable, o.Stream == Degraded:
		return UsePart
	case witnesses == 2, witnesses == 1 && o.Speech < muchSpeech:
		return UseEmpty
	}
	return UseNothing
}

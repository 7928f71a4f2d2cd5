package fakecloud

import (
	"fmt"
	"slices"
	"time"
)

// Fault is something that goes wrong. It is due when all of its conditions
// hold, and happens once per connection.
type Fault struct {
	// Name is one of the names below.
	Name string `json:"name"`

	// Protocol limits it to one protocol; "" is each that knows the fault.
	Protocol string `json:"protocol,omitempty"`
	// Connection is the n-th connection (or request) of the protocol, from 1;
	// 0 is every one. The faults that come before a request is read (Refuse,
	// ResetOnAccept, TLSGarbage, HangHandshake) count TCP connections instead.
	Connection int `json:"connection,omitempty"`
	// Through makes a range of it, up to this connection; -1 has no end.
	Through int `json:"through,omitempty"`
	// Task is the n-th task on the connection, 0 every one. Protocol A.
	Task int `json:"task,omitempty"`
	// When is the earliest moment; "" is the fault's own, see its name.
	When Moment `json:"when,omitempty"`
	// Samples is how many samples of the task must have arrived. The fault comes
	// before the results of these samples.
	Samples int64 `json:"samples,omitempty"`
	// Event is how many results of the task must have been sent.
	Event int `json:"event,omitempty"`
	// After passes after the moment.
	After Millis `json:"after,omitempty"`

	// What the fault is made of; each name says what it looks at.
	Code    string  `json:"code,omitempty"`
	Message string  `json:"message,omitempty"`
	Text    string  `json:"text,omitempty"`
	Status  int     `json:"status,omitempty"` // of HTTP, or of a close frame
	How     string  `json:"how,omitempty"`
	Count   int     `json:"count,omitempty"`
	Bytes   int     `json:"bytes,omitempty"`
	Every   Millis  `json:"every,omitempty"`
	For     Millis  `json:"for,omitempty"`
	Header  []Field `json:"header,omitempty"` // more header fields of an answer
}

// Field is a header field.
type Field struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Moment is a step in the life of a connection; each comes after the one
// before.
type Moment string

const (
	Opened   Moment = "opened"   // the connection or request is there
	Asked    Moment = "asked"    // its first message has been read: run-task, session.update, a body
	Started  Moment = "started"  // and answered: task-started, session.updated
	Finished Moment = "finished" // the client has finished
)

var moments = []Moment{Opened, Asked, Started, Finished}

// Connections. How of Close*: "frame" (the default; Status is its code, 1006
// is no frame but FIN), "fin", "rst".
const (
	Refuse        = "refuse"              // nothing listens from Connection on (default 1); For: until it listens again
	ResetOnAccept = "rst-on-accept"       // RST at once
	TLSGarbage    = "tls-garbage"         // bytes that are neither TLS nor HTTP
	HangHandshake = "hang-handshake"      // accepts, reads, never answers
	HalfOpen      = "half-open"           // stops reading and writing; no FIN
	SlowConsumer  = "slow-consumer"       // reads Bytes (default 4000) per second, small receive buffer
	SlowAnswer    = "slow-answer"         // For passes before the request is answered
	HTTPStatus    = "http-status"         // Status, with Code and Message; Header
	Redirect      = "redirect"            // Status (307) to Text (the trap)
	Close         = "close"               // When, Status, How
	CloseBefore   = "close-before-finish" // Close, after start
	CloseAfter    = "close-after-finish"  // Close, after finish
)

// WebSocket.
const (
	NoPong      = "no-pong"      // pings are read and not answered
	PingStorm   = "ping-storm"   // Count (1000) pings at once
	Fragments   = "fragments"    // text messages come in frames of Bytes (7)
	Interleave  = "interleave"   // the same, with a ping between the frames
	Compression = "compression"  // compresses if the client offers it
	Extension   = "extension"    // an extension that nobody has offered
	Binary      = "binary-noise" // a binary message of Bytes (512)
)

// Messages. Those for "the next result" change it; the others are sent besides.
const (
	MalformedJSON = "malformed-json"    // a message that is no JSON
	TruncatedJSON = "truncated-json"    // the next result, cut in half
	TextNotString = "text-not-string"   // the next result's text is a number
	DupKeys       = "dup-core-keys"     // the next result has its text twice
	Oversized     = "oversized-message" // the next result has Bytes (1 MiB + 1)
	InvalidUTF8   = "invalid-utf8"      // the next result's text has bytes that are no UTF-8
	DeepNesting   = "deep-nesting"      // the next result has Count (20000) levels of arrays beside
	UnknownEvent  = "unknown-event"     // an event that nobody knows
	ManyWords     = "many-words"        // the next result has Count (3000) words; protocol A
	BadTimestamps = "bad-timestamps"    // the next result has absurd times; protocol A
	NullSentence  = "null-sentence"     // the next result's sentence is null; protocol A
	WrongTaskID   = "wrong-task-id"     // the next result is of another task; protocol A
)

// The order of events.
const (
	NoTaskStarted     = "no-task-started"           // never answers run-task or session.update
	DupTaskStarted    = "dup-task-started"          // task-started again
	EarlyResult       = "early-result"              // a result before task-started
	TaskFailed        = "task-failed"               // Code, Message; then closes. In B and G the error event
	EmptyResult       = "empty-result"              // nothing is recognised
	PunctuationOnly   = "punctuation-only"          // one sentence, Text (".")
	Stall             = "stall"                     // reads on, sends nothing, not even an answer to finish
	StallAfterPartial = "stall-after-first-partial" // Stall once a result was sent
	StallHeartbeats   = "stall-with-heartbeats"     // Stall, but heartbeats go on; protocol A
	NoHeartbeat       = "no-heartbeat"              // none although asked for; protocol A
	HeartbeatFlood    = "heartbeat-flood"           // one each ms, until finish; protocol A
	DelayFinished     = "delay-task-finished"       // For passes before task-finished or session.finished
	NeverFinished     = "never-task-finished"       // it never comes
)

// Sentences of protocol A; RepeatFinal and ReviseFinal in B too.
const (
	RepeatFinal  = "repeat-final"          // the next final comes Count (1) times more
	ReviseFinal  = "revise-after-final"    // and then again with Text
	LatePartial  = "late-partial"          // and then a partial of it, Text
	SwapFinals   = "out-of-order"          // the next two finals change places
	ZeroFinal    = "id-zero-final"         // the next final has the id 0
	MissingID    = "missing-id"            // the next final has no id
	MissingEnd   = "missing-sentence-end"  // the next final has no sentence_end; end_time is set
	OnlyFinals   = "final-without-partial" // no partials any more
	FinishedText = "partial-after-finish"  // after finish a partial of a new sentence, Text ("tail")
)

// Items of protocol B.
const (
	MissedSpeech   = "missed-speech-started" // speech_started does not come
	SpeechNoText   = "speech-without-text"   // speech_started comes and nothing more
	CompletedFirst = "completed-before-text" // the item's partials come after its completion
	ItemFailed     = "item-failed"           // the next item fails: Code, Message
	ErrorKeepsOpen = "error-keeps-open"      // an error event; all goes on
)

// Answers over HTTP.
const (
	NoWords      = "no-words"         // C: status 400; How is "message", "code", "lower" or "fragment"
	HugeBody     = "huge-body"        // Bytes (2 MiB + 1)
	SlowBody     = "slow-body"        // a byte each Every (20 ms)
	Hang         = "hang"             // never answers
	CloseMidBody = "close-mid-body"   // half the body, then How: "fin" (default) or "rst"
	InvalidJSON  = "invalid-json"     // a body that is no JSON
	WrongType    = "wrong-type"       // Content-Type Text ("application/octet-stream")
	Gzip         = "gzip"             // compressed although nobody asked
	HTMLError    = "html-error"       // Status (502) and a page
	EmptyBody    = "empty-body"       // 200 and nothing
	SSESplit     = "sse-split"        // each Bytes (1) of the stream go alone
	SSECRLF      = "sse-crlf"         // lines end in CR LF
	SSEComments  = "sse-comments"     // comments between the events
	SSEEvents    = "sse-events"       // event: lines
	SSEDone      = "sse-done"         // [DONE] where the dialect has none
	SSEMissing   = "sse-missing-done" // the stream just ends
	SSEOther     = "sse-other-done"   // the last event has Text
	SSEError     = "sse-error"        // an error in mid-stream: Code, Message
)

var (
	sockets  = []string{Task, Realtime, OpenAIRealtime}
	requests = []string{Native, Compatible, Transcriptions, Inference}
	streams  = []string{Transcriptions, Native}
	anything = slices.Concat(sockets, requests, []string{Health})
)

// catalogue has, for each fault, the protocols that know it and its own moment.
var catalogue = map[string]struct {
	protocols []string
	moment    Moment
}{
	Refuse: {[]string{TCP}, Opened}, ResetOnAccept: {[]string{TCP}, Opened}, TLSGarbage: {[]string{TCP}, Opened},
	HangHandshake: {[]string{TCP}, Opened}, HalfOpen: {anything, Opened}, SlowConsumer: {sockets, Opened},
	SlowAnswer: {anything, Opened}, HTTPStatus: {anything, Opened}, Redirect: {anything, Opened},
	Close: {sockets, Opened}, CloseBefore: {sockets, Started}, CloseAfter: {sockets, Finished},

	NoPong: {sockets, Opened}, PingStorm: {sockets, Started}, Fragments: {sockets, Opened}, Interleave: {sockets, Opened},
	Compression: {sockets, Opened}, Extension: {sockets, Opened}, Binary: {sockets, Started},

	MalformedJSON: {sockets, Started}, TruncatedJSON: {sockets, Started}, TextNotString: {sockets, Started},
	DupKeys: {sockets, Started}, Oversized: {sockets, Started}, InvalidUTF8: {sockets, Started}, DeepNesting: {sockets, Started},
	UnknownEvent: {sockets, Started}, ManyWords: {[]string{Task}, Started}, BadTimestamps: {[]string{Task}, Started},
	NullSentence: {[]string{Task}, Started}, WrongTaskID: {[]string{Task}, Started},

	NoTaskStarted: {sockets, Opened}, DupTaskStarted: {sockets, Started}, EarlyResult: {sockets, Asked},
	TaskFailed: {sockets, Asked}, EmptyResult: {anything, Opened}, PunctuationOnly: {anything, Opened},
	Stall: {sockets, Started}, StallAfterPartial: {sockets, Started}, StallHeartbeats: {[]string{Task}, Started},
	NoHeartbeat: {[]string{Task}, Opened}, HeartbeatFlood: {[]string{Task}, Started},
	DelayFinished: {sockets, Opened}, NeverFinished: {sockets, Opened},

	RepeatFinal: {sockets, Started}, ReviseFinal: {[]string{Task, Realtime}, Started}, LatePartial: {[]string{Task}, Started},
	SwapFinals: {[]string{Task}, Started}, ZeroFinal: {[]string{Task}, Started}, MissingID: {[]string{Task}, Started},
	MissingEnd: {[]string{Task}, Started}, OnlyFinals: {sockets, Opened}, FinishedText: {[]string{Task}, Finished},

	MissedSpeech: {[]string{Realtime}, Opened}, SpeechNoText: {[]string{Realtime}, Started}, CompletedFirst: {[]string{Realtime}, Started},
	ItemFailed: {[]string{Realtime, OpenAIRealtime}, Started}, ErrorKeepsOpen: {[]string{Realtime, OpenAIRealtime}, Started},

	NoWords: {[]string{Native}, Asked}, HugeBody: {requests, Asked}, SlowBody: {requests, Asked}, Hang: {anything, Asked},
	CloseMidBody: {requests, Asked}, InvalidJSON: {requests, Asked}, WrongType: {requests, Asked}, Gzip: {requests, Asked},
	HTMLError: {requests, Asked}, EmptyBody: {requests, Asked},
	SSESplit: {streams, Asked}, SSECRLF: {streams, Asked}, SSEComments: {streams, Asked}, SSEEvents: {streams, Asked},
	SSEDone: {streams, Asked}, SSEMissing: {streams, Asked}, SSEOther: {streams, Asked}, SSEError: {streams, Asked},
}

// validate says what is wrong with the faults of a scenario.
func validate(faults []Fault) error {
	for i, f := range faults {
		kind, known := catalogue[f.Name]
		if !known {
			return fmt.Errorf("fault %d: there is no fault %q", i+1, f.Name)
		}
		if f.Protocol != "" && !slices.Contains(kind.protocols, f.Protocol) {
			return fmt.Errorf("fault %d: %s does not know the fault %q", i+1, f.Protocol, f.Name)
		}
		if f.When != "" && !slices.Contains(moments, f.When) {
			return fmt.Errorf("fault %d: there is no moment %q", i+1, f.When)
		}
	}
	return nil
}

// faultsOf returns the faults of the n-th connection of a protocol.
func (s *Scenario) faultsOf(protocol string, n int) []Fault {
	var all []Fault
	for _, f := range s.Faults {
		kind := catalogue[f.Name]
		if !slices.Contains(kind.protocols, protocol) || f.Protocol != "" && f.Protocol != protocol {
			continue
		}
		last := f.Connection
		if f.Through != 0 {
			last = f.Through
		}
		if f.Connection != 0 && (n < f.Connection || last > 0 && n > last) {
			continue
		}
		if f.When == "" {
			f.When = kind.moment
		}
		all = append(all, f)
	}
	return all
}

// progress is how far a connection has come.
type progress struct {
	moment  Moment
	since   time.Time // of the moment
	samples int64
	events  int
	task    int
}

// due parts the faults into those whose conditions hold and the others. wait
// is how long until one of the others holds by time alone, 0 if none will.
func due(all []Fault, p progress, now time.Time) (ripe, left []Fault, wait time.Duration) {
	reached := slices.Index(moments, p.moment)
	for _, f := range all {
		events := f.Event
		if f.Name == StallAfterPartial {
			events = max(events, 1)
		}
		holds := reached >= slices.Index(moments, f.When) && p.samples >= f.Samples && p.events >= events &&
			(f.Task == 0 || f.Task == p.task)
		rest := f.After.Duration() - now.Sub(p.since)
		switch {
		case holds && (f.After == 0 || rest <= 0):
			ripe = append(ripe, f)
			continue
		case holds && (wait == 0 || rest < wait):
			wait = rest
		}
		left = append(left, f)
	}
	return ripe, left, wait
}

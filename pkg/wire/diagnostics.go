package wire

// SchemaDiagnostics names the record of a support report.
const SchemaDiagnostics = "vi.diagnostics/1"

// Diagnostics is vi.diagnostics/1: how the take at hand, or the last one, went,
// fit for a public report. It holds no text, term, title, address, path, id,
// name of a model or a device, or anything else that the user wrote.
type Diagnostics struct {
	Header
	Version string             `json:"version"`
	Phase   string             `json:"phase"` // of vi.status/1, or stopped without a daemon
	Config  DiagnosticsConfig  `json:"config"`
	Take    *DiagnosticsTake   `json:"take,omitempty"` // absent before the first one
	Errors  []DiagnosticsError `json:"errors,omitempty"`
}

// DiagnosticsConfig are the choices that decide how a take goes.
type DiagnosticsConfig struct {
	Engine        string `json:"engine"`           // a protocol, a program of ours, or own
	Fallbacks     int    `json:"fallbacks"`        // how many engines stand behind it
	Region        string `json:"region,omitempty"` // of a service that has some
	Native        string `json:"native,omitempty"` // of qwen-audio3
	Language      bool   `json:"language"`         // one was set
	Refine        bool   `json:"refine"`
	AgentContext  bool   `json:"agent_context"`
	ContextChars  int    `json:"context_max_chars"`
	Project       bool   `json:"project_vocabulary"`
	Deliver       string `json:"deliver"`
	PreRollMS     int    `json:"pre_roll_ms"`
	MaxDurationMS int    `json:"max_duration_ms"`
	History       bool   `json:"history"`
	OwnStages     int    `json:"own_stages"` // programs that the user replaced
}

// DiagnosticsTake is how one take went. Times are in milliseconds after the
// stop where they say so, else after the start.
type DiagnosticsTake struct {
	Outcome     string                 `json:"outcome"` // in_progress, delivered, empty, cancelled, failed
	Kind        string                 `json:"kind"`    // spoken, retried, repeated
	Private     bool                   `json:"private"`
	Capture     DiagnosticsCapture     `json:"capture"`
	Context     DiagnosticsContext     `json:"context"`
	Recognition DiagnosticsRecognition `json:"recognition"`
	Refine      *DiagnosticsRefine     `json:"refine,omitempty"`
	Delivery    *DiagnosticsDelivery   `json:"delivery,omitempty"`
	OverheadMS  int64                  `json:"overhead_ms"` // stop to the end, less the tail and the recogniser
}

// DiagnosticsCapture is how it was recorded.
type DiagnosticsCapture struct {
	ReadyMS  int64 `json:"ready_ms"` // the first samples; 0 if the microphone was open
	AudioMS  int64 `json:"audio_ms"`
	SpeechMS int64 `json:"speech_ms"`
	Heard    bool  `json:"speech_heard"`
	Limit    bool  `json:"reached_limit"`
}

// DiagnosticsContext is what came of the look at the agent's session.
type DiagnosticsContext struct {
	Wanted bool   `json:"wanted"`
	Reason string `json:"reason,omitempty"` // ok, or why there is none; see vi.status/1
	// ASRSent says that a non-empty context went to the recogniser, RefineSent
	// that terms went to the model.
	ASRSent    bool  `json:"sent_to_recogniser"`
	RefineSent bool  `json:"sent_to_model"`
	ReadyMS    int64 `json:"ready_ms,omitempty"`
}

// DiagnosticsRecognition is how it was recognised.
type DiagnosticsRecognition struct {
	Engine       string `json:"engine,omitempty"` // as in DiagnosticsConfig
	Outcome      string `json:"outcome,omitempty"`
	Reason       string `json:"reason,omitempty"`
	Kind         string `json:"failure,omitempty"`
	Code         string `json:"code,omitempty"` // the provider's, at most 64 of [A-Za-z0-9._-]
	ReadyMS      int64  `json:"ready_ms,omitempty"`
	FirstMS      int64  `json:"first_partial_ms,omitempty"`
	FinalMS      int64  `json:"final_after_stop_ms,omitempty"`
	Partials     int    `json:"partials,omitempty"`
	Segments     int    `json:"segments,omitempty"`
	Resets       int    `json:"resets,omitempty"`
	Reconnecting int    `json:"reconnecting,omitempty"`
	Reconnected  int    `json:"reconnected,omitempty"`
	Attempts     int    `json:"attempts"` // of recognising the whole
}

// DiagnosticsRefine is what vi-refine says of its work.
type DiagnosticsRefine struct {
	Outcome   string   `json:"outcome"`
	Reason    string   `json:"reason"`
	Style     string   `json:"style,omitempty"`
	ElapsedMS int64    `json:"elapsed_ms"`
	Score     float64  `json:"score,omitempty"`
	Signals   []string `json:"signals,omitempty"`
}

// DiagnosticsDelivery is what vi-type says of its work.
type DiagnosticsDelivery struct {
	Delivered bool     `json:"delivered"`
	Reason    string   `json:"reason"`
	Driver    string   `json:"driver,omitempty"`
	Verified  string   `json:"verified,omitempty"`
	Warnings  []string `json:"warnings,omitempty"`
}

// DiagnosticsError is a failure of the last take, or since.
type DiagnosticsError struct {
	Stage string `json:"stage"`
	AgeMS int64  `json:"age_ms"`
}

// SchemaName implements Record.
func (*Diagnostics) SchemaName() string { return SchemaDiagnostics }

// SchemaCheck names the record of one thing that was looked at.
const SchemaCheck = "vi.check/1"

// States of a vi.check/1.
const (
	CheckOK      = "ok"
	CheckNote    = "note"    // works; something could be better, or is off
	CheckWarning = "warning" // works in part
	CheckFailed  = "failed"  // does not work
)

// Check is vi.check/1: what "voice-input doctor" says of one part. It holds
// nothing that the user wrote, so that it may be shown to anybody.
type Check struct {
	Header
	Part   string `json:"part"`
	State  string `json:"state"`
	Detail string `json:"detail"`
	Fix    string `json:"fix,omitempty"` // what to do about it
}

// SchemaName implements Record.
func (*Check) SchemaName() string { return SchemaCheck }

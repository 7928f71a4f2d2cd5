package wire

// Schemas of the supervisor's control socket.
const (
	SchemaControl = "vi.control/1"
	SchemaReply   = "vi.reply/1"
	SchemaStatus  = "vi.status/1"
)

// Control is vi.control/1: one command, sent as the only line of a
// connection.
type Control struct {
	Header
	// Command is one of "voice-input record", or deliver, status, diagnostics.
	Command string `json:"command"`
	// Job has the command act on the take of that id alone: on a later one it does
	// nothing.
	Job string `json:"job,omitempty"`
	// Private asks start, toggle, press and restart for a take of which nothing is
	// kept: no history, and no samples after its end.
	Private bool `json:"private,omitempty"`
	// Entry is the id of the history's entry to deliver.
	Entry string `json:"entry,omitempty"`
	// Wait asks for a second vi.reply/1 when the take has ended.
	Wait bool `json:"wait,omitempty"`
	// Follow asks status for every change, not only the snapshot.
	Follow bool `json:"follow,omitempty"`
	// Extended asks status for dictated text.
	Extended bool `json:"extended,omitempty"`
}

// SchemaName implements Record.
func (*Control) SchemaName() string { return SchemaControl }

// Reply is vi.reply/1: what became of a command.
type Reply struct {
	Header
	Job    string `json:"job,omitempty"` // id of the take that the command acts on
	Done   bool   `json:"done"`          // the take has ended; only after wait
	Status int    `json:"status"`        // exit status for the client
	Detail string `json:"detail,omitempty"`
	Hint   string `json:"hint,omitempty"`
}

// SchemaName implements Record.
func (*Reply) SchemaName() string { return SchemaReply }

// Status is vi.status/1: what the supervisor is doing. Instance and Rev
// order the records: a smaller Rev under a new Instance is newer.
type Status struct {
	Header
	Instance string `json:"instance"`
	Rev      uint64 `json:"rev"`
	Phase    string `json:"phase"` // idle, arming, recording, recognizing, refining, delivering
	Job      string `json:"job,omitempty"`
	Private  bool   `json:"private,omitempty"` // nothing is kept of the take at hand
	// RecordingMS is the length of the current take so far, or of the last
	// one. The clock stops at the stop command.
	RecordingMS int64 `json:"recording_ms"`
	// Truncated says that this take reached the longest duration and was
	// stopped.
	Truncated   bool         `json:"truncated,omitempty"`
	Level       float64      `json:"level"`
	Error       *StatusError `json:"error,omitempty"`
	Recoverable int          `json:"recoverable"` // takes that retry can bring back
	// Context is ok if the take has the context of an agent's session, else why
	// not: a reason of vi.focus/1 or vi.session/1, an agent_reason, or
	// focus_failed, session_failed, terms_failed, timeout.
	// It is absent until the look-up has ended, and when none was wanted.
	Context string        `json:"context,omitempty"`
	Last    *StatusResult `json:"last,omitempty"`
	Text    string        `json:"text,omitempty"` // only when extended was asked for
}

// StatusError is the last failure. It is shown beside the phase and expires.
type StatusError struct {
	Stage  string `json:"stage"`
	Detail string `json:"detail"`
	Hint   string `json:"hint,omitempty"`
}

// StatusResult tells how the last take ended.
type StatusResult struct {
	Job     string `json:"job"`
	Outcome string `json:"outcome"` // delivered, empty, cancelled, failed
	Engine  string `json:"engine,omitempty"`
	Driver  string `json:"driver,omitempty"`
	// Refine and RefineReason are the outcome and the reason of vi.refine/1.
	Refine       string `json:"refine,omitempty"`
	RefineReason string `json:"refine_reason,omitempty"`
	// Warnings are those of vi.delivery/1.
	Warnings []string `json:"warnings,omitempty"`
	// OverheadMS is stop to delivered less the time that the recogniser and
	// the model took.
	OverheadMS int64 `json:"overhead_ms"`
}

// SchemaName implements Record.
func (*Status) SchemaName() string { return SchemaStatus }

package wire

// Schemas of the records that say what was heard and what was made of it.
const (
	SchemaCapture    = "vi.capture/1"
	SchemaSource     = "vi.source/1"
	SchemaTake       = "vi.take/1"
	SchemaASR        = "vi.asr/1"
	SchemaEngine     = "vi.engine/1"
	SchemaTranscript = "vi.transcript/1"
	SchemaRefine     = "vi.refine/1"
	SchemaDelivery   = "vi.delivery/1"
)

// Types of vi.capture/1 events.
const (
	CaptureReady       = "ready"        // the first samples have arrived
	CaptureLevel       = "level"        // every 100 ms
	CaptureDeviceLost  = "device_lost"  // the source or the server is gone
	CaptureDeviceMoved = "device_moved" // the server wants another source
	CaptureEnd         = "end"          // always last
)

// Capture is vi.capture/1: one event of a recording.
type Capture struct {
	Header
	Type    string  `json:"type"`
	Source  string  `json:"source,omitempty"`   // name of the source, on ready and device_moved
	Samples int64   `json:"samples"`            // samples written so far
	RMS     float64 `json:"rms,omitempty"`      // on level: 0 to 1, of the samples since the last one
	Peak    float64 `json:"peak,omitempty"`     // on level: 0 to 1
	StartMS int64   `json:"start_ms,omitempty"` // on ready: program start to first samples
}

// SchemaName implements Record.
func (*Capture) SchemaName() string { return SchemaCapture }

// CaptureSource is vi.source/1: a source that can be recorded.
type CaptureSource struct {
	Header
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	State       string `json:"state"` // running, idle, suspended
	Muted       bool   `json:"muted"`
	Monitor     bool   `json:"monitor"` // it hears what a sink plays; not a microphone
	Default     bool   `json:"default"`
	Rate        int    `json:"rate,omitempty"`     // Hz, the device's own
	Channels    int    `json:"channels,omitempty"` // the device's own
	Available   bool   `json:"available"`          // false: its jack is unplugged
}

// SchemaName implements Record.
func (*CaptureSource) SchemaName() string { return SchemaSource }

// Audio names a file or FIFO of samples that is read to its end.
type Audio struct {
	Path     string `json:"path"`
	Format   string `json:"format"`   // s16le
	Rate     int    `json:"rate"`     // Hz
	Channels int    `json:"channels"` // interleaved
}

// Take is vi.take/1: the request for one recognition, to a resident vi-asr
// from its caller, and to an engine program from vi-asr.
type Take struct {
	Header
	ID    string `json:"id"`
	Audio Audio  `json:"audio"`
	// TermsPath names a file or FIFO that will hold one vi.terms/1 record or
	// nothing. It is read to its end.
	TermsPath string `json:"terms_path,omitempty"`
	Language  string `json:"language,omitempty"` // BCP 47; absent: the engine decides
	// Hints are words and phrases that are likely, the most valuable first.
	Hints []string `json:"hints,omitempty"`
}

// SchemaName implements Record.
func (*Take) SchemaName() string { return SchemaTake }

// Types of vi.asr/1 events.
const (
	ASRReady        = "ready"
	ASRContextSent  = "context_sent"
	ASRPartial      = "partial"
	ASRSegment      = "segment"
	ASRReset        = "reset"
	ASRReconnecting = "reconnecting"
	ASRReconnected  = "reconnected"
	ASRFinal        = "final"
	ASRError        = "error"
	ASRStats        = "stats"
)

// Outcomes of a final vi.asr/1 event.
const (
	OutcomeUsable   = "usable"
	OutcomeEmpty    = "empty"
	OutcomeDegraded = "degraded"
	OutcomeFailed   = "failed"
)

// ASR is vi.asr/1: one event of a recognition. After a final or an error
// event nothing follows but stats.
type ASR struct {
	Header
	Type string `json:"type"`
	Take string `json:"take,omitempty"` // id of the take, when one was given

	Committed string `json:"committed,omitempty"` // partial: will not change
	Draft     string `json:"draft,omitempty"`     // partial: may change; with its blank, to be put behind Committed

	Text    string  `json:"text,omitempty"` // segment, final
	Engine  string  `json:"engine,omitempty"`
	Outcome string  `json:"outcome,omitempty"`
	Speech  *Speech `json:"speech,omitempty"` // final

	Kind string `json:"kind,omitempty"` // error, degraded final: class of the failure
	Code string `json:"code,omitempty"` // error, degraded final: at most 64 of [A-Za-z0-9._-]

	// Tried is on final and error: the other engines that were asked.
	Tried []ASRTried `json:"tried,omitempty"`

	Stats *ASRStatistics `json:"stats,omitempty"`
}

// ASRTried is an engine that was asked for a take, and whose text is not that
// of the event.
type ASRTried struct {
	Engine string `json:"engine"`
	Kind   string `json:"kind"` // class of its failure, or empty: it heard no words
	Code   string `json:"code,omitempty"`
}

// Speech is what the samples alone say, whatever the engine heard.
type Speech struct {
	Heard    bool    `json:"heard"`
	SpeechMS int64   `json:"speech_ms"`
	AudioMS  int64   `json:"audio_ms"`
	Peak     float64 `json:"peak"` // 0 to 1
}

// ASRStatistics are times and counts of one recognition.
type ASRStatistics struct {
	AudioMS    int64 `json:"audio_ms"`
	FirstMS    int64 `json:"first_ms,omitempty"`    // first samples to first partial
	FinalizeMS int64 `json:"finalize_ms,omitempty"` // end of samples to final
	Partials   int   `json:"partials,omitempty"`
	Hints      int   `json:"hints,omitempty"`
}

// SchemaName implements Record.
func (*ASR) SchemaName() string { return SchemaASR }

// Kinds of engine.
const (
	EngineProgram = "program" // of this machine
	EngineService = "service" // on the network
)

// Engine is vi.engine/1: an engine program that was found, or a service that
// can be named.
type Engine struct {
	Header
	Name      string `json:"name"`
	Kind      string `json:"kind"`               // program or service
	Path      string `json:"path,omitempty"`     // of a program
	Protocol  string `json:"protocol,omitempty"` // of a service: what it speaks
	Available bool   `json:"available"`          // a program says that it can work here; a service has its key
	Detail    string `json:"detail,omitempty"`   // why not, a program's in its own words
}

// SchemaName implements Record.
func (*Engine) SchemaName() string { return SchemaEngine }

// Transcript is vi.transcript/1: text to refine that no recogniser of ours
// produced.
type Transcript struct {
	Header
	Text     string `json:"text"`
	Language string `json:"language,omitempty"`
}

// SchemaName implements Record.
func (*Transcript) SchemaName() string { return SchemaTranscript }

// Outcomes of vi.refine/1.
const (
	RefineRefined   = "refined"
	RefineUnchanged = "unchanged"
	RefineKept      = "kept"
)

// Refine is vi.refine/1: the text to deliver.
type Refine struct {
	Header
	Text      string  `json:"text"`
	Outcome   string  `json:"outcome"`
	Style     string  `json:"style,omitempty"`
	ElapsedMS int64   `json:"elapsed_ms"`
	Review    *Review `json:"review,omitempty"`
}

// Review is how far the model's answer is from the transcript, also if the
// answer was refused.
type Review struct {
	// Score is the larger of how different the pairs of neighbouring characters
	// are and how different the lengths are, without protected words: 0 to 1.
	Score   float64  `json:"score"`
	Signals []string `json:"signals,omitempty"` // what kinds of edit were seen
	// Before and After tell the transcript and the answer apart from others: the
	// first 64 bits of their SHA-256, in hexadecimal digits.
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// SchemaName implements Record.
func (*Refine) SchemaName() string { return SchemaRefine }

// What a driver saw for itself, in vi.delivery/1.
const (
	VerifiedNothing  = "nothing"
	VerifiedWritten  = "written"   // the bytes were taken by the receiver
	VerifiedReadBack = "read_back" // read again and equal
)

// Delivery is vi.delivery/1: what became of the text. It never holds it.
type Delivery struct {
	Header
	Delivered bool     `json:"delivered"`
	Driver    string   `json:"driver,omitempty"`
	Verified  string   `json:"verified,omitempty"`
	Warnings  []string `json:"warnings"`
}

// SchemaName implements Record.
func (*Delivery) SchemaName() string { return SchemaDelivery }

package wire

// Schemas of the records that say what is being talked about and what may be
// told of it.
const (
	SchemaFocus   = "vi.focus/1"
	SchemaSession = "vi.session/1"
	SchemaTerms   = "vi.terms/1"
)

// Focus is vi.focus/1: what the user is looking at, without a title.
type Focus struct {
	Header
	At          string       `json:"at,omitempty"` // RFC 3339 with zone
	Desktop     *Desktop     `json:"desktop,omitempty"`
	Window      *Window      `json:"window,omitempty"`
	Terminal    *Terminal    `json:"terminal,omitempty"`
	Multiplexer *Multiplexer `json:"multiplexer,omitempty"`
	Agent       *Agent       `json:"agent,omitempty"`
	// AgentReason is why a window that is known has no Agent, a word of
	// AgentReasons.
	AgentReason string `json:"agent_reason,omitempty"`
	Style       string `json:"style,omitempty"` // agent-markdown, message, formal
}

// Desktop is the compositor or window system that was asked.
type Desktop struct {
	Kind     string `json:"kind"` // hyprland, sway, niri, x11
	XWayland bool   `json:"xwayland"`
}

// Window is the focused window as the desktop names it.
type Window struct {
	Class        string `json:"class,omitempty"`
	InitialClass string `json:"initial_class,omitempty"`
	PID          int    `json:"pid,omitempty"`
	Address      string `json:"address,omitempty"`
}

// Terminal is the terminal emulator's own window in the focused window.
type Terminal struct {
	Kind     string `json:"kind"`
	Socket   string `json:"socket,omitempty"`
	WindowID int64  `json:"window_id,omitempty"`
}

// Multiplexer is the pane shown in the terminal's window.
type Multiplexer struct {
	Kind     string    `json:"kind"`
	Socket   string    `json:"socket,omitempty"`
	Pane     string    `json:"pane,omitempty"`
	Location *Location `json:"location,omitempty"`
}

// Location is where a pane is in its multiplexer. It says of the panes beside
// it that they are there, and no more.
type Location struct {
	Session      string `json:"session"`
	Window       int    `json:"window"` // the number that the user sees
	WindowName   string `json:"window_name"`
	WindowActive bool   `json:"window_active"`
	Pane         int    `json:"pane"` // the number that the user sees
	PaneActive   bool   `json:"pane_active"`
	Panes        int    `json:"panes"` // of the window
	Zoomed       bool   `json:"zoomed"`
	// Layout names the panes of the window without sizes: {a,b} side by side,
	// [a,b] one above the other.
	Layout string `json:"layout"`
}

// Agent is a coding agent's process. PID and StartTicks together name one
// process for as long as the machine runs.
type Agent struct {
	Kind       string `json:"kind"`            // codex, pi
	Label      string `json:"label,omitempty"` // Codex, Pi
	PID        int    `json:"pid,omitempty"`
	StartTicks uint64 `json:"start_ticks,omitempty"`
	// Thread is the id, or at least the first 29 characters of it, of the
	// session that the terminal's title names. Whoever can write to the
	// terminal can write it, so it only points and proves nothing.
	Thread string `json:"thread,omitempty"`
}

// SchemaName implements Record.
func (*Focus) SchemaName() string { return SchemaFocus }

// Session is vi.session/1: the newest completed answer of one agent session.
// It holds the source text and must not leave the machine.
type Session struct {
	Header
	Agent   *Agent       `json:"agent,omitempty"`
	Session *SessionFile `json:"session,omitempty"`
	Source  *Source      `json:"source,omitempty"`
	// Project is the agent's working directory, once the process is proved to
	// be the one that was focused; a vocabulary may lie there or above.
	Project string `json:"project,omitempty"`
	// ScannedBytes is how much was searched for the answer, from the end of
	// the file: at most 8 MiB. The first line, which is read for itself, is
	// not counted.
	ScannedBytes int64 `json:"scanned_bytes"`
	SkippedLines int   `json:"skipped_lines"` // lines in these that are no record
}

// SessionFile is the file that a session was read from.
type SessionFile struct {
	ID     string `json:"id"`
	Path   string `json:"path"`
	Device uint64 `json:"device,omitempty"`
	Inode  uint64 `json:"inode,omitempty"`
}

// Source is the answer's text.
type Source struct {
	Text  string `json:"text"`
	Chars int    `json:"chars"` // Unicode code points in Text
}

// SchemaName implements Record.
func (*Session) SchemaName() string { return SchemaSession }

// Terms is vi.terms/1: all that a stage which may use the network can see of
// the context.
type Terms struct {
	Header
	AgentLabel   string        `json:"agent_label,omitempty"` // Pi, Codex
	SourceChars  int           `json:"source_chars"`
	Candidates   int           `json:"candidates"`
	ElapsedUS    int64         `json:"elapsed_us"`
	Terms        []Term        `json:"terms"`
	Views        TermViews     `json:"views"`
	Vocabulary   []Vocabulary  `json:"vocabulary,omitempty"`
	Replacements []Replacement `json:"replacements,omitempty"`
}

// Term is one term of the snapshot.
type Term struct {
	Text string `json:"text"`
	// Normalizable allows spelling variants of the term to be rewritten to it.
	Normalizable bool `json:"normalizable"`
}

// TermViews are the two bounded views that may be sent.
type TermViews struct {
	ASR    ASRView    `json:"asr"`
	Refine RefineView `json:"refine"`
}

// ASRView is the recogniser's: at most 400 characters, newlines included.
type ASRView struct {
	Text  string `json:"text"` // terms separated by LF
	Chars int    `json:"chars"`
	Count int    `json:"count"`
}

// RefineView is the model's: at most 96 terms and 1,500 characters.
type RefineView struct {
	Terms []string `json:"terms"`
	Chars int      `json:"chars"`
}

// Vocabulary is a word of the user's own list.
type Vocabulary struct {
	Text   string  `json:"text"`
	Weight float64 `json:"weight,omitempty"`
}

// Replacement is a spoken form and the written form that replaces it.
type Replacement struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// SchemaName implements Record.
func (*Terms) SchemaName() string { return SchemaTerms }

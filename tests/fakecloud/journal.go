package fakecloud

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Session is one connection or request, as the journal has it. The key is
// never in it.
type Session struct {
	Number     int               `json:"number"` // of all sessions, from 1
	Protocol   string            `json:"protocol"`
	Nth        int               `json:"nth"` // of its protocol, from 1
	Method     string            `json:"method,omitempty"`
	Path       string            `json:"path,omitempty"`
	Query      string            `json:"query,omitempty"`
	AcceptedAt time.Time         `json:"accepted_at"`
	Headers    map[string]string `json:"headers,omitempty"` // Authorization is "ok" or "bad"
	Messages   []Message         `json:"messages,omitempty"`
	Forgotten  int               `json:"forgotten,omitempty"` // messages beyond the bound
	Audio      []Audio           `json:"audio,omitempty"`     // one per task or file
	Context    []string          `json:"context,omitempty"`   // what the service keeps of each task's context
	Violations []Violation       `json:"violations,omitempty"`
	Faults     []string          `json:"faults,omitempty"` // those that happened, in order
	Closed     *Closed           `json:"closed,omitempty"` // nil while it lasts
}

// Message is what one side sent.
type Message struct {
	At   float64 `json:"at"`   // ms since the session was accepted
	From string  `json:"from"` // "client" or "server"
	// Kind is "text", "binary", "ping", "pong", "close", "body" or "part".
	Kind  string `json:"kind"`
	Bytes int    `json:"bytes"`
	// Text is a text message or a body, sound in base64 replaced by its length.
	Text string `json:"text,omitempty"`
	// Name, File and Type are those of a part of a form.
	Name string `json:"name,omitempty"`
	File string `json:"file,omitempty"`
	Type string `json:"type,omitempty"`
}

// Closed is how a session ended.
type Closed struct {
	At float64 `json:"at"` // ms since the session was accepted
	By string  `json:"by"` // "client" or "server"
	// How is "frame" (with Code), "fin", "rst", "answer" (Code is the status)
	// or "aborted", a client that left before it had its answer.
	How  string `json:"how"`
	Code int    `json:"code,omitempty"`
}

// Violation is something that a client must not do.
type Violation struct {
	Session  int    `json:"session"`
	Protocol string `json:"protocol"`
	Code     string `json:"code"`
	Path     string `json:"path,omitempty"` // where, such as payload.parameters.format
	Detail   string `json:"detail,omitempty"`
}

func (v Violation) String() string {
	return strings.TrimSpace(fmt.Sprintf("session %d (%s): %s %s %s", v.Session, v.Protocol, v.Code, v.Path, v.Detail))
}

// Codes of violations.
const (
	BadJSON        = "bad-json"
	WrongKind      = "wrong-type"
	WrongValue     = "wrong-value"
	MissingField   = "missing-field"
	UnknownField   = "unknown-field"
	DuplicateField = "duplicate-field"
	TooLong        = "too-long"
	BadOrder       = "order"        // a message that has no place here
	AudioEarly     = "audio-early"  // before task-started
	AudioLate      = "audio-late"   // after finish
	AudioFirst     = "audio-first"  // it does not begin with the first sample
	AudioGap       = "audio-gap"    // samples are missing
	AudioRepeat    = "audio-repeat" // samples came again
	AudioWrong     = "audio-wrong"  // samples that are nowhere in the sound
	AudioOdd       = "audio-odd"    // half a sample
	AudioPace      = "audio-pace"
	AudioTotal     = "audio-total" // finished without, or with more than, all of them
	BadWAV         = "wav"
	BadForm        = "form"
	BadHeader      = "header"
	IDReused       = "id-reused"
	IDMismatch     = "id-mismatch"
	KeyLeaked      = "key-leaked" // the key elsewhere than in Authorization
	Redirected     = "followed-redirect"
	TooMany        = "too-many" // more connections than Scenario.Most
	BadFrame       = "frame"    // against the WebSocket protocol
	NoSuchPath     = "path"
)

// maxMessages bounds the messages kept of a session: an hour of speech in
// frames of 100 ms.
const maxMessages = 36000

// session is a Session in the making.
type session struct {
	srv *Server
	mu  sync.Mutex
	s   Session
	ear []*ear
}

func (s *session) offset() float64 {
	return float64(time.Since(s.s.AcceptedAt).Microseconds()) / 1000
}

// note adds a message. Its text must not have the key.
func (s *session) note(m Message) {
	if key := s.srv.token; strings.Contains(m.Text, key) {
		if m.From == "client" {
			s.violate(KeyLeaked, "", "in a message")
		}
		m.Text = strings.ReplaceAll(m.Text, key, "KEY")
	}
	s.change(func(j *Session) {
		if len(j.Messages) == maxMessages {
			j.Forgotten++
			return
		}
		m.At = s.offset()
		j.Messages = append(j.Messages, m)
	})
}

func (s *session) violate(code, path, detail string) {
	detail = strings.ReplaceAll(detail, s.srv.token, "KEY")
	s.change(func(j *Session) {
		if len(j.Violations) < 100 {
			j.Violations = append(j.Violations, Violation{j.Number, j.Protocol, code, path, detail})
		}
	})
}

func (s *session) fault(name string) {
	s.change(func(j *Session) { j.Faults = append(j.Faults, name) })
}

// close says how the session ended; only the first word counts.
func (s *session) close(by, how string, code int) {
	s.change(func(j *Session) {
		if j.Closed == nil {
			j.Closed = &Closed{s.offset(), by, how, code}
		}
	})
}

func (s *session) change(f func(*Session)) {
	s.mu.Lock()
	f(&s.s)
	s.mu.Unlock()
	s.srv.changed()
}

// listen begins another recording.
func (s *session) listen(task string, rate int, live bool) *ear {
	e := newEar(s, task, rate, live)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ear = append(s.ear, e)
	return e
}

// snapshot is the session so far; the caller may keep it.
func (s *session) snapshot() Session {
	s.mu.Lock()
	j, ears := s.s, slices.Clone(s.ear)
	j.Messages = slices.Clone(j.Messages)
	j.Violations = slices.Clone(j.Violations)
	j.Faults = slices.Clone(j.Faults)
	j.Context = slices.Clone(j.Context)
	s.mu.Unlock()
	for _, e := range ears { // which take the lock themselves

		j.Audio = append(j.Audio, e.audio())
	}
	return j
}

// Texts are the text messages that one side ("client" or "server") sent.
func (s Session) Texts(from string) []string {
	var all []string
	for _, m := range s.Messages {
		if m.From == from && (m.Kind == "text" || m.Kind == "body") {
			all = append(all, m.Text)
		}
	}
	return all
}

// Codes are the codes of the session's violations, in order.
func (s Session) Codes() []string {
	var all []string
	for _, v := range s.Violations {
		all = append(all, v.Code)
	}
	return all
}

// end writes a session into the log.
func (s *session) end() {
	if s.srv.Scenario.Log == nil {
		return
	}
	line, _ := json.Marshal(s.snapshot())
	s.srv.logging.Lock()
	defer s.srv.logging.Unlock()
	s.srv.Scenario.Log.Write(append(line, '\n'))
}

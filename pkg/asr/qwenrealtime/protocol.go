package qwenrealtime

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"voice-input/pkg/asr/engine"
)

// What the client sends. Every event has an id of its own within the
// connection.

type sessionUpdate struct {
	EventID string  `json:"event_id"`
	Type    string  `json:"type"` // session.update
	Session session `json:"session"`
}

type session struct {
	Format        string         `json:"input_audio_format"`
	SampleRate    int            `json:"sample_rate"`
	Transcription *transcription `json:"input_audio_transcription,omitempty"`
	TurnDetection turnDetection  `json:"turn_detection"`
}

type transcription struct {
	Language string  `json:"language,omitempty"`
	Corpus   *corpus `json:"corpus,omitempty"`
}

// corpus is what is likely to be said.
type corpus struct {
	Text string `json:"text"`
}

type turnDetection struct {
	Type              string  `json:"type"`
	Threshold         float64 `json:"threshold"`
	SilenceDurationMS int     `json:"silence_duration_ms"`
}

// newSession returns the configuration of a session. Without a language the
// service decides.
func newSession(o Options, language, words string) session {
	s := session{
		Format: "pcm", SampleRate: engine.Rate,
		TurnDetection: turnDetection{Type: "server_vad", Threshold: o.VADThreshold, SilenceDurationMS: o.VADSilenceMS},
	}
	if language != "" || words != "" {
		s.Transcription = &transcription{Language: language}
	}
	if words != "" {
		s.Transcription.Corpus = &corpus{words}
	}
	return s
}

type audioAppend struct {
	EventID string `json:"event_id"`
	Type    string `json:"type"` // input_audio_buffer.append
	Audio   string `json:"audio"`
}

type sessionFinish struct {
	EventID string `json:"event_id"`
	Type    string `json:"type"` // session.finish
}

// writer numbers the events of a connection.
type writer struct {
	send   func([]byte) error
	number int
}

func (w *writer) id() string {
	w.number++
	return fmt.Sprint("event-", w.number)
}

func (w *writer) write(v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	return w.send(bytes.TrimSpace(b.Bytes()))
}

func (w *writer) update(s session) error {
	return w.write(sessionUpdate{w.id(), "session.update", s})
}

func (w *writer) append(pcm []byte) error {
	return w.write(audioAppend{w.id(), "input_audio_buffer.append", base64.StdEncoding.EncodeToString(pcm)})
}

func (w *writer) finish() error { return w.write(sessionFinish{w.id(), "session.finish"}) }

// What the service sends. There are more types than these; they say nothing
// that is needed here.
const (
	sessionUpdated  = "session.updated"
	sessionFinished = "session.finished"
	sessionFailed   = "session.failed"
	serviceError    = "error"
	speechStarted   = "input_audio_buffer.speech_started"
	speechStopped   = "input_audio_buffer.speech_stopped"
	bufferCommitted = "input_audio_buffer.committed"
	textEvent       = "conversation.item.input_audio_transcription.text"
	textCompleted   = "conversation.item.input_audio_transcription.completed"
	textFailed      = "conversation.item.input_audio_transcription.failed"
)

// serverEvent is what is needed of an event.
type serverEvent struct {
	kind     string
	item     string // id of the piece of speech
	previous string // the one before it
	text     string // all of the piece so far, or at its end
	code     string // of an error
	message  string // beside the code; only to be classified
}

// errProtocol says that the service sent what the protocol does not have. Its
// wrappers hold nothing of what was sent.
var errProtocol = errors.New("it sent something that the protocol does not have")

// maxItem bounds the text of one piece in bytes: it ends at a pause, and a
// quarter of an hour without one has less.
const maxItem = 16 << 10

// parse reads an event. One of a type that is not needed has that type alone.
func parse(b []byte) (serverEvent, error) {
	var head struct{ Type *string }
	if json.Unmarshal(b, &head) != nil || head.Type == nil {
		return serverEvent{}, errProtocol
	}
	e := serverEvent{kind: *head.Type}
	var body struct {
		ItemID         *string `json:"item_id"`
		PreviousItemID *string `json:"previous_item_id"`
		Text           *string
		Stash          *string
		Transcript     *string
	}
	switch e.kind {
	case serviceError, textFailed, sessionFailed:
		e.item, e.code, e.message = parseError(b)
		return e, nil
	case speechStarted, speechStopped, bufferCommitted, textEvent, textCompleted:
		if json.Unmarshal(b, &body) != nil {
			return serverEvent{}, errProtocol
		}
	default:
		return e, nil
	}
	if body.ItemID != nil {
		e.item = *body.ItemID
	}
	if body.PreviousItemID != nil {
		e.previous = *body.PreviousItemID
	}
	switch e.kind {
	case textEvent:
		if body.ItemID == nil || body.Text == nil && body.Stash == nil {
			return serverEvent{}, errProtocol
		}
		e.text = cut(value(body.Text) + value(body.Stash))
	case textCompleted:
		if body.ItemID == nil || body.Transcript == nil {
			return serverEvent{}, errProtocol
		}
		e.text = cut(*body.Transcript)
	}
	return e, nil
}

// parseError reads as much as there is of an event that says what is wrong: it
// must never be missed for its form.
func parseError(b []byte) (item, code, message string) {
	var outer struct {
		ItemID json.RawMessage `json:"item_id"`
		Error  json.RawMessage
	}
	var inner struct{ Code, Type, Message json.RawMessage }
	json.Unmarshal(b, &outer)
	json.Unmarshal(outer.ItemID, &item)
	json.Unmarshal(outer.Error, &inner)
	json.Unmarshal(inner.Message, &message)
	if json.Unmarshal(inner.Code, &code) != nil || code == "" {
		json.Unmarshal(inner.Type, &code)
	}
	return item, code, message
}

func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// cut bounds a text without cutting a character.
func cut(s string) string {
	if len(s) <= maxItem {
		return s
	}
	n := maxItem
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// handshakeCode returns what the service calls its refusal of a connection.
func handshakeCode(body []byte) string {
	var b struct{ Code, Error json.RawMessage }
	json.Unmarshal(body, &b)
	var code string
	if json.Unmarshal(b.Code, &code) == nil && code != "" {
		return code
	}
	json.Unmarshal(b.Error, &b)
	json.Unmarshal(b.Code, &code)
	return code
}

// closeCode names how a connection ended.
func closeCode(n int) string { return fmt.Sprint("closed_", n) }

package fakecloud

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/gorilla/websocket"
)

// mostCommitted is how much sound one commit may have, in seconds.
const mostCommitted = 60

// realtime is protocol B on one connection.
type realtime struct {
	c         *socket
	state     Moment
	vad       bool // the server finds the sentences, not the client's commits
	session   any  // what the client has set
	language  string
	ids       map[string]bool // of the client's events
	sent      int             // events, for their ids
	items     int
	rate      int
	committed int64 // samples in earlier commits
	ear       *ear
	script    *script
	late      []map[string]any // events that follow a completion; CompletedFirst
}

func newRealtime(c *socket) dialogue {
	return &realtime{c: c, state: Opened, vad: true, language: "en", ids: map[string]bool{}, rate: 16000}
}

func (t *realtime) opened() {
	query, _ := url.ParseQuery(t.c.s.s.Query)
	for _, name := range sorted(query) {
		if name != "model" {
			t.c.s.violate(UnknownField, "?"+name, "")
		}
	}
	if model := query.Get("model"); !strings.HasPrefix(model, "qwen3-asr-flash-realtime") {
		t.c.s.violate(WrongValue, "?model", model)
	}
	t.ear = t.c.s.listen("", t.rate, true)
	t.script = t.c.newScript()
	t.event("session.created", map[string]any{"session": map[string]any{"id": "sess_1", "model": query.Get("model")}})
	t.expect()
}

// expect closes a connection from which nothing comes.
func (t *realtime) expect() {
	t.c.after("idle", t.c.srv.scaled(noTask), func() { t.c.closeWith(websocket.CloseNormalClosure) })
}

func (t *realtime) message(kind int, data []byte) {
	t.expect()
	v, ok := t.c.object(kind, data)
	if !ok {
		t.failure("invalid_json", "no JSON", "", "")
		return
	}
	id := textAt(v, "event_id")
	if t.ids[id] {
		t.c.s.violate(IDReused, "event_id", id)
	}
	t.ids[id] = true
	name := textAt(v, "type")
	check, known := realtimeEvents[name]
	if !known {
		t.c.s.violate(WrongValue, "type", name)
		t.failure("invalid_value", "no such event", "type", id)
		return
	}
	check(v, "", t.c.s.violate)
	if t.state == Finished {
		t.c.s.violate(BadOrder, name, "after session.finish")
		if name == "input_audio_buffer.append" {
			t.c.s.violate(AudioLate, "", "")
		}
		return
	}
	switch name {
	case "session.update":
		t.update(v)
	case "input_audio_buffer.append":
		t.audio(v)
	case "input_audio_buffer.commit":
		t.commit(id)
	case "session.finish":
		t.finish()
	}
}

// The rules of protocol B's messages.
var realtimeEvents = map[string]rule{
	"session.update": anObject(map[string]rule{"event_id": aString(), "type": aString(), "session": anObject(
		map[string]rule{"input_audio_format": aString("pcm", "opus"), "sample_rate": aRealtimeRate,
			"turn_detection": nullOr(anObject(map[string]rule{"type": aString("server_vad")}, map[string]rule{
				"threshold": aNumber(-1, 1), "silence_duration_ms": anInt(200, 6000)}))},
		map[string]rule{"input_audio_transcription": anObject(nil, map[string]rule{"language": aString(languages...),
			"corpus": anObject(map[string]rule{"text": aString()}, nil)})})}, nil),
	"input_audio_buffer.append": anObject(map[string]rule{"event_id": aString(), "type": aString(), "audio": aString()}, nil),
	"input_audio_buffer.commit": anObject(map[string]rule{"event_id": aString(), "type": aString()}, nil),
	"session.finish":            anObject(map[string]rule{"event_id": aString(), "type": aString()}, nil),
}

func aRealtimeRate(v any, path string, r reporter) {
	anInt(8000, 16000)(v, path, r)
	if n, _ := v.(json.Number); n != "8000" && n != "16000" {
		r(WrongValue, path, n.String())
	}
}

func (t *realtime) update(v any) {
	if t.ear.audio().Frames > 0 {
		t.c.s.violate(BadOrder, "session.update", "after samples")
	}
	t.session = at(v, "session")
	t.vad = at(t.session, "turn_detection") != nil
	t.language = orText(textAt(t.session, "input_audio_transcription", "language"), "en")
	if n, _ := at(t.session, "sample_rate").(json.Number); n == "8000" {
		t.rate = 8000
	}
	corpus := textAt(t.session, "input_audio_transcription", "corpus", "text")
	t.c.s.change(func(j *Session) { j.Context = append(j.Context, corpus) })
	if t.state == Opened {
		t.state = Asked
		t.c.reach(Asked)
	}
	if t.c.ended || t.c.on(NoTaskStarted) {
		return
	}
	t.event("session.updated", map[string]any{"session": t.session})
	if t.state == Asked {
		t.state = Started
		t.c.reach(Started)
	}
}

func (t *realtime) audio(v any) {
	if t.state == Opened && !t.c.srv.Scenario.Realtime.Tolerant {
		t.c.s.violate(AudioEarly, "", "")
		t.failure("invalid_request", "no session.update", "", textAt(v, "event_id"))
		return
	}
	if t.state == Opened {
		t.state = Started
		t.c.reach(Started)
	}
	if pcm, ok := t.c.appended(v); ok {
		t.c.samples = t.ear.hear(pcm)
		t.c.settle()
		t.pump()
	}
}

// pump sends what is recognised by now.
func (t *realtime) pump() {
	for t.vad && t.state != Asked && !t.c.ended && !t.c.stalled() {
		l, more := t.script.take(t.c.samples, t.state == Finished)
		if !more {
			return
		}
		if l.first {
			t.items++
			t.begin(l)
		}
		if _, yes := t.c.take(SpeechNoText); yes {
			t.script = newScript(nil)
			return
		}
		t.recognised(l)
		t.c.settle()
	}
}

// begin says that someone speaks.
func (t *realtime) begin(l line) {
	if _, missed := t.c.take(MissedSpeech); missed {
		return
	}
	t.event("input_audio_buffer.speech_started", map[string]any{"audio_start_ms": l.Begin, "item_id": t.item()})
}

func (t *realtime) commit(id string) {
	pending := t.c.samples - t.committed
	switch {
	case t.vad:
		t.c.s.violate(BadOrder, "input_audio_buffer.commit", "the server finds the sentences")
	case pending == 0:
		t.c.s.violate(BadOrder, "input_audio_buffer.commit", "nothing to commit")
	case pending > mostCommitted*int64(t.rate):
		t.c.s.violate(TooLong, "input_audio_buffer.commit", fmt.Sprintf("%d samples", pending))
	default:
		t.committed = t.c.samples
		t.items++
		t.commitEvents()
		if l, found := t.script.takeAll(t.c.samples); found && !t.c.stalled() {
			t.text(l)
			t.completed(l)
		}
		return
	}
	t.failure("invalid_request_error", "cannot commit", "", id)
}

func (t *realtime) finish() {
	if t.state == Opened && !t.c.srv.Scenario.Realtime.Tolerant {
		t.c.s.violate(BadOrder, "session.finish", "before session.update")
	}
	if !t.vad && t.c.samples > t.committed {
		t.c.s.violate(BadOrder, "session.finish", "with samples that were not committed")
	}
	t.state = Finished
	t.ear.finish()
	t.c.reach(Finished)
	t.pump()
	if t.c.ended || t.c.stalled() || t.c.on(NeverFinished) {
		return
	}
	f, _ := t.c.take(DelayFinished)
	t.c.after("finish", f.For.Duration(), func() { t.event("session.finished", nil) })
}

// inject does a fault at once.
func (t *realtime) inject(f Fault) bool {
	code, message := orText(f.Code, "server_error"), orText(f.Message, "something went wrong")+" "+Sentinel
	switch f.Name {
	case TaskFailed:
		t.failure(code, message, "", "")
		if !t.c.ended && !t.c.stalled() {
			t.c.closeWith(websocket.CloseNormalClosure)
		}
	case ErrorKeepsOpen:
		t.event("error", map[string]any{"error": errorObject(code, message, "", "")})
	case DupTaskStarted:
		t.event("session.updated", map[string]any{"session": t.session})
	case EarlyResult:
		t.items++
		t.text(line{Result: Result{Text: orText(f.Text, "early")}})
	case UnknownEvent:
		t.event("weather.changed", map[string]any{"text": Sentinel})
	default:
		return false
	}
	return true
}

// failure is an error event, and the end if the scenario says so.
func (t *realtime) failure(code, message, param, id string) {
	t.event("error", map[string]any{"error": errorObject(code, message, param, id)})
	if t.c.srv.Scenario.Realtime.CloseOnError && !t.c.ended && !t.c.stalled() {
		t.c.closeWith(websocket.ClosePolicyViolation)
	}
}

func errorObject(code, message, param, id string) map[string]any {
	return map[string]any{"type": "invalid_request_error", "code": code, "message": message, "param": param, "event_id": id}
}

func (t *realtime) item() string { return fmt.Sprintf("item_%d", t.items) }

func (t *realtime) event(name string, rest map[string]any) { t.c.send(t.envelope(name, rest)) }

func (t *realtime) envelope(name string, rest map[string]any) map[string]any {
	t.sent++
	m := map[string]any{"event_id": fmt.Sprintf("event_s%d", t.sent), "type": name}
	for k, v := range rest {
		m[k] = v
	}
	return m
}

// object parses a message of a protocol whose messages are all text.
func (c *socket) object(kind int, data []byte) (any, bool) {
	if kind != websocket.TextMessage {
		c.s.violate(WrongKind, "message", "binary")
		return nil, false
	}
	if !utf8.Valid(data) {
		c.s.violate(BadFrame, "", "a text message that is not UTF-8")
	}
	return parse(data, c.s.violate)
}

// appended are the samples of an input_audio_buffer.append.
func (c *socket) appended(v any) ([]byte, bool) {
	encoded := textAt(v, "audio")
	pcm, err := base64.StdEncoding.Strict().DecodeString(encoded)
	switch {
	case err != nil:
		c.s.violate(WrongValue, "audio", "no base64")
	case len(encoded) > 15<<20:
		c.s.violate(TooLong, "audio", fmt.Sprintf("%d characters", len(encoded)))
	case len(pcm) == 0:
		// The rule of the message has complained already.
	default:
		return pcm, true
	}
	return nil, false
}

// takeAll makes one final of all that is recognised by now; if that has no
// end yet, of what comes up to the next end.
func (s *script) takeAll(samples int64) (line, bool) {
	var all line
	for found := false; ; {
		l, more := s.take(samples, false)
		if !more && !found {
			l, more = s.take(samples, true)
		}
		if !more {
			return all, found
		}
		if l.Final {
			all.Text, found = glue(all.Text, l.Text), true
		}
	}
}

package fakecloud

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/gorilla/websocket"
)

// openAIRate is the only rate of protocol G, and vLLMRate that of its other
// dialect, in Hz.
const (
	openAIRate = 24000
	vLLMRate   = 16000
)

// openAIRealtime is protocol G in both dialects.
type openAIRealtime struct {
	c         *socket
	vllm      bool
	set       bool // a session.update has come
	vad       bool
	done      bool // vLLM: the last commit has come
	items     int
	committed int64
	ear       *ear
	script    *script
}

func newOpenAIRealtime(c *socket) dialogue {
	return &openAIRealtime{c: c, vllm: c.srv.Scenario.OpenAIRealtime.VLLM}
}

func (t *openAIRealtime) opened() {
	t.script = t.c.newScript()
	query, _ := url.ParseQuery(t.c.s.s.Query)
	for _, name := range sorted(query) {
		if t.vllm || name != "intent" || query.Get(name) != "transcription" {
			t.c.s.violate(UnknownField, "?"+name, "")
		}
	}
	if t.vllm {
		t.ear = t.c.s.listen("", vLLMRate, true)
		t.event("session.created", map[string]any{"id": "sess_1", "created": 1})
		return
	}
	if query.Get("intent") == "" {
		t.c.s.violate(MissingField, "?intent", "")
	}
	t.ear = t.c.s.listen("", openAIRate, true)
	t.event("session.created", map[string]any{"session": map[string]any{"type": "transcription"}})
}

func (t *openAIRealtime) message(kind int, data []byte) {
	v, ok := t.c.object(kind, data)
	if !ok {
		t.failure("invalid_json", "no JSON")
		return
	}
	events := openAIEvents
	if t.vllm {
		events = vLLMEvents
	}
	name := textAt(v, "type")
	check, known := events[name]
	if !known {
		t.c.s.violate(WrongValue, "type", name)
		t.failure("unknown_event", "no such event")
		return
	}
	check(v, "", t.c.s.violate)
	switch name {
	case "session.update":
		t.update(v)
	case "input_audio_buffer.append":
		t.audio(v)
	case "input_audio_buffer.commit":
		t.commit(v)
	}
}

func (t *openAIRealtime) update(v any) {
	t.vad = at(v, "session", "audio", "input", "turn_detection") != nil
	input := at(v, "session", "audio", "input", "transcription")
	t.c.s.change(func(j *Session) { j.Context = append(j.Context, textAt(input, "prompt")) })
	first := !t.set
	t.set = true
	if first {
		t.c.reach(Asked)
	}
	if t.c.ended || t.c.on(NoTaskStarted) {
		return
	}
	if !t.vllm { // which does not answer
		t.event("session.updated", map[string]any{"session": at(v, "session")})
	}
	if first {
		t.c.reach(Started)
	}
}

func (t *openAIRealtime) audio(v any) {
	switch {
	case !t.set:
		t.c.s.violate(AudioEarly, "", "")
		t.failure("model_not_validated", "no session.update")
		return
	case t.done:
		t.c.s.violate(AudioLate, "", "")
		return
	}
	pcm, ok := t.c.appended(v)
	if !ok {
		return
	}
	t.c.samples = t.ear.hear(pcm)
	t.c.settle()
	for t.vad && !t.c.ended && !t.c.stalled() {
		l, more := t.script.take(t.c.samples, false)
		if !more {
			return
		}
		if l.first {
			t.items++
			t.event("input_audio_buffer.speech_started", map[string]any{"audio_start_ms": l.Begin, "item_id": t.item()})
		}
		if l.Final {
			t.event("input_audio_buffer.speech_stopped", map[string]any{"audio_end_ms": l.End, "item_id": t.item()})
			t.committedEvent()
			t.transcribe(l)
		}
		t.c.settle()
	}
}

func (t *openAIRealtime) commit(v any) {
	switch {
	case t.c.samples == t.committed && !(t.vllm && t.c.samples > 0):
		t.c.s.violate(BadOrder, "input_audio_buffer.commit", "nothing to commit")
		t.failure("input_audio_buffer_commit_empty", "nothing to commit")
		return
	case t.vllm && at(v, "final") != true:
		return // it begins to recognise; the text comes at the end here
	}
	t.committed = t.c.samples
	t.items++
	t.done = t.vllm
	t.ear.finish()
	if !t.vllm {
		t.committedEvent()
	}
	t.c.reach(Finished)
	if t.c.ended || t.c.stalled() || t.c.on(NeverFinished) {
		return
	}
	l, _ := t.script.takeAll(t.c.samples)
	f, _ := t.c.take(DelayFinished)
	t.c.after("finish", f.For.Duration(), func() { t.transcribe(l) })
}

func (t *openAIRealtime) committedEvent() {
	var previous any
	if t.items > 1 {
		previous = fmt.Sprintf("item_%d", t.items-1)
	}
	t.event("input_audio_buffer.committed", map[string]any{"item_id": t.item(), "previous_item_id": previous})
}

// transcribe sends a text in pieces and whole.
func (t *openAIRealtime) transcribe(l line) {
	const prefix = "conversation.item.input_audio_transcription."
	if f, yes := t.c.take(ItemFailed); yes {
		t.event(prefix+"failed", map[string]any{"item_id": t.item(), "content_index": 0, "error": errorObject(
			orText(f.Code, "audio_unintelligible"), orText(f.Message, "something went wrong")+" "+Sentinel, "", "")})
		return
	}
	usage := map[string]any{"type": "duration", "seconds": t.c.samples / int64(t.ear.a.Rate)}
	for _, d := range deltas(l.Text) {
		if t.c.on(OnlyFinals) {
			break
		}
		m := map[string]any{"type": "transcription.delta", "delta": d}
		if !t.vllm {
			m = map[string]any{"type": prefix + "delta", "item_id": t.item(), "content_index": 0, "delta": d}
		}
		t.c.sendResult(m, "delta")
		t.c.events++
		if t.c.settle(); t.c.ended {
			return
		}
	}
	f, repeat := t.c.take(RepeatFinal)
	for range 1 + f.times(repeat) {
		if t.vllm {
			t.c.sendResult(map[string]any{"type": "transcription.done", "text": l.Text, "usage": usage}, "text")
		} else {
			t.c.sendResult(map[string]any{"type": prefix + "completed", "item_id": t.item(), "content_index": 0,
				"transcript": l.Text, "usage": usage}, "transcript")
		}
		t.c.events++
	}
}

// times is how many times more something comes.
func (f Fault) times(happens bool) int {
	if !happens {
		return 0
	}
	return orInt(f.Count, 1)
}

func (t *openAIRealtime) inject(f Fault) bool {
	code, message := orText(f.Code, "server_error"), orText(f.Message, "something went wrong")+" "+Sentinel
	switch f.Name {
	case TaskFailed, ErrorKeepsOpen:
		t.failure(code, message)
		if f.Name == TaskFailed && !t.c.ended && !t.c.stalled() {
			t.c.closeWith(websocket.CloseNormalClosure)
		}
	case DupTaskStarted:
		t.event("session.updated", map[string]any{"session": map[string]any{}})
	case EarlyResult:
		t.c.sendResult(map[string]any{"type": "conversation.item.input_audio_transcription.delta", "item_id": "item_0",
			"content_index": 0, "delta": orText(f.Text, "early")}, "delta")
	case UnknownEvent:
		t.event("weather.changed", map[string]any{"text": Sentinel})
	default:
		return false
	}
	return true
}

func (t *openAIRealtime) failure(code, message string) {
	if t.vllm {
		t.event("error", map[string]any{"error": message, "code": code})
		return
	}
	t.event("error", map[string]any{"error": errorObject(code, message, "", "")})
}

func (t *openAIRealtime) item() string { return fmt.Sprintf("item_%d", t.items) }

func (t *openAIRealtime) event(name string, rest map[string]any) {
	m := map[string]any{"type": name}
	for k, v := range rest {
		m[k] = v
	}
	t.c.send(m)
}

// The rules of protocol G's messages.
var (
	openAIEvents = map[string]rule{
		"session.update": anObject(map[string]rule{"type": aString(), "session": anObject(map[string]rule{"type": aString("transcription"),
			"audio": anObject(map[string]rule{"input": openAIInput}, nil)}, nil)}, map[string]rule{"event_id": aString()}),
		"input_audio_buffer.append": anObject(map[string]rule{"type": aString(), "audio": aString()}, map[string]rule{"event_id": aString()}),
		"input_audio_buffer.commit": anObject(map[string]rule{"type": aString()}, map[string]rule{"event_id": aString()}),
	}
	vLLMEvents = map[string]rule{
		"session.update":            anObject(map[string]rule{"type": aString(), "model": aString()}, nil),
		"input_audio_buffer.append": anObject(map[string]rule{"type": aString(), "audio": aString()}, nil),
		"input_audio_buffer.commit": anObject(map[string]rule{"type": aString()}, map[string]rule{"final": aBool()}),
	}
)

var openAIRealtimeModels = strings.Fields("whisper-1 gpt-4o-transcribe gpt-4o-mini-transcribe gpt-transcribe gpt-live-transcribe gpt-realtime-whisper")

// openAIInput is the rule of session.audio.input, which depends on the model.
func openAIInput(v any, path string, r reporter) {
	model := textAt(v, "transcription", "model")
	optional := map[string]rule{"language": aString()}
	if model != "gpt-realtime-whisper" {
		optional["prompt"] = aString()
	} else {
		optional["delay"] = aString("minimal", "low", "medium", "high", "xhigh")
	}
	if slices.Contains([]string{"gpt-transcribe", "gpt-live-transcribe"}, model) {
		optional["keywords"], optional["languages"] = aList(1, 1000, aString()), aList(1, 100, aString())
	}
	turns := nullOr(anObject(map[string]rule{"type": aString("server_vad")}, map[string]rule{"threshold": aNumber(0, 1),
		"prefix_padding_ms": anInt(0, 10000), "silence_duration_ms": anInt(0, 10000)}))
	anObject(map[string]rule{
		"format":         anObject(map[string]rule{"type": aString("audio/pcm"), "rate": anInt(openAIRate, openAIRate)}, nil),
		"transcription":  anObject(map[string]rule{"model": aString(openAIRealtimeModels...)}, optional),
		"turn_detection": turns,
	}, map[string]rule{"noise_reduction": nullOr(anObject(map[string]rule{"type": aString("near_field", "far_field")}, nil))})(v, path, r)
	if model == "gpt-realtime-whisper" && at(v, "turn_detection") != nil {
		r(WrongValue, join(path, "turn_detection"), "this model wants null")
	}
}

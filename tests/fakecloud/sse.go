package fakecloud

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// event is one event of a stream.
type event struct {
	name string // for protocols, and faults, that name them
	id   int    // 0 is none
	data string
}

func eventOf(name string, v any) event {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // as in asJSON
	}
	return event{name: name, data: string(data)}
}

// stream writes events as the faults want them.
func (x *exchange) stream(events []event) reply {
	end := "\n"
	if _, yes := x.take(SSECRLF); yes {
		end = "\r\n"
	}
	_, comments := x.take(SSEComments)
	_, names := x.take(SSEEvents)
	var pieces [][]byte
	var whole strings.Builder
	for _, e := range events {
		var b strings.Builder
		if comments {
			b.WriteString(": " + Sentinel + end + ":" + end)
		}
		if e.id > 0 {
			fmt.Fprintf(&b, "id:%d%s", e.id, end)
		}
		if names || e.id > 0 {
			b.WriteString("event: " + e.name + end)
		}
		b.WriteString("data: " + e.data + end + end)
		pieces = append(pieces, []byte(b.String()))
		whole.WriteString(b.String())
	}
	if f, yes := x.take(SSESplit); yes {
		pieces = split([]byte(whole.String()), orInt(f.Bytes, 1))
	}
	return reply{status: http.StatusOK, kind: "text/event-stream", pieces: pieces}
}

// deltas are pieces that make the text when put together.
func deltas(text string) []string {
	if strings.Contains(text, " ") {
		return strings.SplitAfter(text, " ")
	}
	var all []string
	for _, r := range text {
		all = append(all, string(r))
	}
	return all
}

// spoilStream puts an error after the first event.
func (x *exchange) spoilStream(events []event) ([]event, bool) {
	f, yes := x.take(SSEError)
	if !yes {
		return events, false
	}
	failure := x.failure(http.StatusInternalServerError, orText(f.Code, "server_error"), orText(f.Message, "something went wrong")+" "+Sentinel)
	return append(events[:min(len(events), 1):min(len(events), 1)], event{name: "error", data: string(failure.body)}), true
}

// deltaStream is OpenAI's dialect.
func (x *exchange) deltaStream(text string) reply {
	var events []event
	for _, d := range deltas(text) {
		events = append(events, eventOf("transcript.text.delta", map[string]any{"type": "transcript.text.delta", "delta": d}))
	}
	events, failed := x.spoilStream(events)
	if _, missing := x.take(SSEMissing); !missing && !failed {
		if f, other := x.take(SSEOther); other {
			text = f.Text
		}
		events = append(events, eventOf("transcript.text.done", map[string]any{"type": "transcript.text.done", "text": text,
			"usage": map[string]any{"type": "tokens", "input_tokens": 14, "output_tokens": 6, "total_tokens": 20}}))
	}
	if _, yes := x.take(SSEDone); yes {
		events = append(events, event{name: "done", data: "[DONE]"})
	}
	return x.stream(events)
}

// chunkStream is vLLM's dialect.
func (x *exchange) chunkStream(text, model string, usage bool) reply {
	chunk := func(choices ...any) map[string]any {
		return map[string]any{"id": "trsc-1", "object": "transcription.chunk", "created": 1, "model": model, "choices": choices}
	}
	_, missing := x.take(SSEMissing)
	var events []event
	all := deltas(text)
	if len(all) == 0 {
		all = []string{""}
	}
	for i, d := range all {
		var reason any
		if i == len(all)-1 && !missing {
			reason = "stop"
		}
		events = append(events, eventOf("message", chunk(map[string]any{"delta": map[string]any{"content": d},
			"finish_reason": reason, "stop_reason": nil})))
	}
	if usage {
		last := chunk()
		last["choices"], last["usage"] = []any{}, map[string]any{"prompt_tokens": 14, "completion_tokens": 6, "total_tokens": 20}
		events = append(events, eventOf("message", last))
	}
	events, failed := x.spoilStream(events)
	if !missing && !failed {
		events = append(events, event{name: "message", data: "[DONE]"})
	}
	return x.stream(events)
}

// nativeStream is protocol C's, whose events repeat the text so far.
func (x *exchange) nativeStream(text string, a Audio) reply {
	var events []event
	shown := ""
	for _, d := range deltas(text) {
		shown += d
		e := eventOf("result", x.nativeAnswer(shown, a))
		e.id = len(events) + 1
		events = append(events, e)
	}
	if events == nil {
		e := eventOf("result", x.nativeAnswer("", a))
		e.id = 1
		events = append(events, e)
	}
	events, _ = x.spoilStream(events)
	return x.stream(events)
}

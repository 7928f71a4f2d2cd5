package fakellm

import (
	"encoding/json"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"
)

// exchange is one request and the means to answer it.
type exchange struct {
	w    http.ResponseWriter
	r    *http.Request
	q    Question
	edit string // a good answer
}

func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

type object = map[string]any

// completion is the JSON of a whole answer.
func completion(message object, finish any) string {
	message["role"] = "assistant"
	return encode(object{
		"id": "fake", "object": "chat.completion", "created": 1, "model": "fake",
		"choices": []object{{"index": 0, "message": message, "finish_reason": finish}},
		"usage":   object{"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
	})
}

// chunk is the JSON of a piece of an answer.
func chunk(delta object, finish any) string {
	return encode(object{
		"id": "fake", "object": "chat.completion.chunk", "created": 1, "model": "fake",
		"choices": []object{{"index": 0, "delta": delta, "finish_reason": finish}},
	})
}

// pieces cuts a text as models do, into a few characters at a time.
func pieces(text string) []string {
	var out []string
	for rest := text; rest != ""; {
		n := 0
		for i := 0; i < 4 && n < len(rest); i++ {
			_, size := utf8.DecodeRuneInString(rest[n:])
			n += size
		}
		out = append(out, rest[:n])
		rest = rest[n:]
	}
	return out
}

// chunks are the events of a good stream, without its end.
func chunks(text string) []string {
	out := []string{chunk(object{"role": "assistant", "content": ""}, nil)}
	for _, p := range pieces(text) {
		out = append(out, chunk(object{"content": p}, nil))
	}
	return append(out, chunk(object{}, "stop"))
}

const done = "[DONE]"

// body writes a whole answer with a content type.
func (x *exchange) body(contentType, text string) {
	x.w.Header().Set("Content-Type", contentType)
	x.w.Write([]byte(text))
}

// json answers with a whole message.
func (x *exchange) json(message object, finish any) {
	x.body("application/json", completion(message, finish))
}

// sse answers with events of so much data each.
func (x *exchange) sse(data ...string) {
	x.w.Header().Set("Content-Type", "text/event-stream")
	for _, d := range data {
		x.raw("data: " + d + "\n\n")
	}
}

// raw writes bytes at once.
func (x *exchange) raw(text string) {
	x.w.Write([]byte(text))
	x.w.(http.Flusher).Flush()
}

// answer answers well with a text.
func (x *exchange) answer(text string) {
	if !x.q.Stream {
		x.json(object{"content": text}, "stop")
		return
	}
	x.sse(append(chunks(text), done)...)
}

// refuse answers with an error as OpenAI writes one. Like a bad service it
// repeats what it was told.
func (x *exchange) refuse(status int, message string) {
	x.w.Header().Set("Content-Type", "application/json")
	x.w.WriteHeader(status)
	x.w.Write([]byte(encode(object{"error": object{"message": message, "type": "invalid_request_error", "detail": x.q.Transcript}})))
}

// cut breaks the connection off.
func (x *exchange) cut() { panic(http.ErrAbortHandler) }

// wait does nothing until the client gives up.
func (x *exchange) wait() { <-x.r.Context().Done() }

// Edit is what a good model makes of a transcript: the fillers are gone, the
// first word has its capital, and there is a full stop.
func Edit(transcript string) string {
	text := strings.TrimSpace(transcript)
	for _, filler := range []string{"um, ", "um ", "uh, ", "uh ", "Um, ", "嗯，", "嗯", "呃，", "呃"} {
		text = strings.ReplaceAll(text, filler, "")
	}
	first, n := utf8.DecodeRuneInString(text)
	text = string(unicode.ToUpper(first)) + text[n:]
	last, _ := utf8.DecodeLastRuneInString(text)
	switch {
	case strings.ContainsRune(".。?？!！…", last):
	case unicode.Is(unicode.Han, last):
		text += "。"
	default:
		text += "."
	}
	return text
}

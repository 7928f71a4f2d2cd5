package fakecloud

import (
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"
)

// nativeModels are those of protocol C.
var nativeModels = []string{"qwen-audio-3.0-asr-flash", "qwen-audio-3.1-asr-flash", "fun-asr-flash"}

// maxURI bounds the data URI of a recording, in bytes.
const maxURI = 20971520

// sseSeconds is from which length on a recording is answered in steps.
const sseSeconds = 60

// native is protocol C: a whole recording in one request.
func native(x *exchange) reply {
	v, ok := x.json()
	if !ok {
		return x.failure(http.StatusBadRequest, "InvalidParameter", "the body is no JSON")
	}
	nativeBody(v, "", x.s.violate)
	messages, _ := at(v, "input", "messages").([]any)
	var context any
	if len(messages) > 1 {
		context = messages[:len(messages)-1]
		aContext(context, "input.messages", x.s.violate)
	}
	x.s.change(func(j *Session) { j.Context = append(j.Context, keptContext(context)) })
	const path = "input.messages.audio"
	uri := textAt(v, "input", "messages", max(len(messages)-1, 0), "content", 0, "input_audio", "data")
	if len(uri) > maxURI {
		return x.failure(http.StatusBadRequest, "BadRequest.TooLarge", "too large "+Sentinel)
	}
	file, ok := x.dataURI(uri, path)
	if !ok {
		return x.failure(http.StatusBadRequest, "InvalidParameter", "the sound is no data URI")
	}
	a, ok := x.wav(file, path, 16000)
	switch {
	case !ok:
		return x.failure(http.StatusBadRequest, "DECODE_ERROR", "the sound is broken")
	case fmt.Sprint(a.Rate) != textAt(v, "parameters", "sample_rate"):
		x.s.violate(WrongValue, "parameters.sample_rate", "not the file's")
	}
	if a.Samples > maxNative*int64(a.Rate) {
		return x.failure(http.StatusBadRequest, "AUDIO_DURATION_TOO_LONG", "too long "+Sentinel)
	}
	if f, yes := x.take(NoWords); yes {
		return x.noWords(f)
	}
	text := x.text(a)
	if x.r.Header.Get("X-Dashscope-Sse") == "enable" && a.Samples >= sseSeconds*int64(a.Rate) {
		return x.nativeStream(text, a)
	}
	return asJSON(http.StatusOK, x.nativeAnswer(text, a))
}

// nativeAnswer is an answer in the shape of the domain.
func (x *exchange) nativeAnswer(text string, a Audio) map[string]any {
	end := a.Samples * 1000 / int64(a.Rate)
	sentence := map[string]any{"sentence_id": 1, "begin_time": 0, "end_time": end, "text": text,
		"words": wordsOf(line{Result: Result{Text: text, End: end}})}
	usage := map[string]any{"duration": (end + 999) / 1000}
	if x.srv.Scenario.Native.Workspace {
		return map[string]any{"text": text, "sentence": sentence, "usage": usage, "request_id": requestID,
			"output": map[string]any{"text": text, "sentence": sentence}}
	}
	return map[string]any{"output": map[string]any{"text": text, "sentence": sentence}, "usage": usage, "request_id": requestID}
}

// noWords is how the service says that nobody spoke.
func (x *exchange) noWords(f Fault) reply {
	const words = "ASR_RESPONSE_HAVE_NO_WORDS"
	switch f.How {
	case "code":
		return x.failure(http.StatusBadRequest, words, "no words")
	case "lower":
		return x.failure(http.StatusBadRequest, "client_error", strings.ToLower(words))
	case "fragment":
		return x.failure(http.StatusBadRequest, "SUCCESS_WITH_NO_VALID_FRAGMENT", "no fragment")
	}
	return x.failure(http.StatusBadRequest, "CLIENT_ERROR", words)
}

// nativeBody is the rule of a request of protocol C, but for what was said
// before.
func nativeBody(v any, path string, r reporter) {
	anObject(map[string]rule{
		"model": aString(nativeModels...),
		"input": anObject(map[string]rule{"messages": func(v any, path string, r reporter) {
			aList(1, 2*mostTurns+1, func(any, string, reporter) {})(v, path, r)
			if messages, _ := v.([]any); len(messages) > 0 {
				last := len(messages) - 1
				anObject(map[string]rule{"role": aString("user"), "content": aList(1, 1, anObject(map[string]rule{
					"type": aString("input_audio"), "input_audio": anObject(map[string]rule{"data": aString()}, nil)}, nil))}, nil)(
					messages[last], fmt.Sprintf("%s[%d]", path, last), r)
			}
		}}, nil),
		"parameters": anObject(map[string]rule{"format": aString("wav"), "sample_rate": aString("16000")}, map[string]rule{
			"language_hints": aList(1, 4, aString(languages...)), "vocabulary": aVocabulary(true), "vocabulary_id": aString(),
			"speaker_diarization_enabled": aBool()}),
	}, nil)(v, path, r)
}

// json parses the body.
func (x *exchange) json() (any, bool) {
	x.s.note(Message{From: "client", Kind: "body", Bytes: len(x.body), Text: hideSound(x.body), Type: x.r.Header.Get("Content-Type")})
	if x.r.Method != http.MethodPost {
		x.s.violate(WrongValue, "method", x.r.Method)
	}
	if kind, _, _ := strings.Cut(x.r.Header.Get("Content-Type"), ";"); kind != "application/json" {
		x.s.violate(BadHeader, "Content-Type", kind)
	}
	if !utf8.Valid(x.body) {
		x.s.violate(BadJSON, "", "not UTF-8")
	}
	return parse(x.body, x.s.violate)
}

// text is what is answered to a recording.
func (x *exchange) text(a Audio) string {
	if f, yes := x.take(PunctuationOnly); yes {
		return orText(f.Text, ".")
	}
	if _, yes := x.take(EmptyResult); yes {
		return ""
	}
	return x.srv.answer(x.s.s.Nth, a)
}

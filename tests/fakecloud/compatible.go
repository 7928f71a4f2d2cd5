package fakecloud

import (
	"fmt"
	"net/http"
	"strings"
)

// maxCompatible bounds the base64 of a recording, in bytes; 10 MB.
const maxCompatible = 10_000_000

// compatible is protocol D: a whole recording as a chat completion.
func compatible(x *exchange) reply {
	v, ok := x.json()
	if !ok {
		return x.failure(http.StatusBadRequest, "invalid_request", "the body is no JSON")
	}
	compatibleBody(v, "", x.s.violate)
	messages, _ := at(v, "messages").([]any)
	x.s.change(func(j *Session) { j.Context = append(j.Context, systemText(messages)) })
	const path = "messages.audio"
	uri := textAt(v, "messages", max(len(messages)-1, 0), "content", 0, "input_audio", "data")
	if len(uri) > maxCompatible {
		return x.failure(http.StatusRequestEntityTooLarge, "too_large", "too large "+Sentinel)
	}
	file, ok := x.dataURI(uri, path)
	if !ok {
		return x.failure(http.StatusBadRequest, "invalid_parameter", "the sound is no data URI")
	}
	a, ok := x.wav(file, path, 8000, 16000)
	switch {
	case !ok:
		return x.failure(http.StatusBadRequest, "invalid_parameter", "the sound is broken")
	case a.Samples > maxNative*int64(a.Rate):
		return x.failure(http.StatusBadRequest, "AUDIO_DURATION_TOO_LONG", "too long "+Sentinel)
	}
	return asJSON(http.StatusOK, map[string]any{"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": textAt(v, "model"),
		"choices": []any{map[string]any{"index": 0, "finish_reason": "stop",
			"message": map[string]any{"role": "assistant", "content": x.text(a),
				"annotations": []any{map[string]any{"type": "audio_info", "language": "zh", "emotion": "neutral"}}}}},
		"usage": map[string]any{"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}})
}

func compatibleBody(v any, path string, r reporter) {
	anObject(map[string]rule{
		"model": func(v any, path string, r reporter) {
			aString()(v, path, r)
			if s, _ := v.(string); !strings.HasPrefix(s, "qwen3-asr-flash") || strings.Contains(s, "realtime") {
				r(WrongValue, path, s)
			}
		},
		"messages": func(v any, path string, r reporter) {
			aList(1, 2, func(any, string, reporter) {})(v, path, r)
			messages, _ := v.([]any)
			for i, m := range messages {
				kind := anObject(map[string]rule{"role": aString("user"), "content": aList(1, 1, anObject(map[string]rule{
					"type": aString("input_audio"), "input_audio": anObject(map[string]rule{"data": aString()}, nil)}, nil))}, nil)
				if i < len(messages)-1 {
					kind = anObject(map[string]rule{"role": aString("system"), "content": systemContent}, nil)
				}
				kind(m, fmt.Sprintf("%s[%d]", path, i), r)
			}
		},
	}, map[string]rule{
		"stream":      aBool(false),
		"asr_options": anObject(nil, map[string]rule{"language": aString(languages...), "enable_itn": aBool()}),
	})(v, path, r)
}

// systemContent is what is likely to be said: a text, or one part with it.
func systemContent(v any, path string, r reporter) {
	if _, list := v.([]any); list {
		aList(1, 1, anObject(map[string]rule{"text": aString()}, map[string]rule{"type": aString("text")}))(v, path, r)
		return
	}
	aString()(v, path, r)
}

func systemText(messages []any) string {
	if len(messages) < 2 {
		return ""
	}
	if s := textAt(messages[0], "content"); s != "" {
		return s
	}
	return textAt(messages[0], "content", 0, "text")
}

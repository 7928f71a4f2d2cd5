package fakecloud

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// Servers of protocol E.
const (
	OpenAI = "openai"
	Groq   = "groq"
	VLLM   = "vllm"
)

var openAIModels = strings.Fields("whisper-1 gpt-4o-transcribe gpt-4o-mini-transcribe gpt-4o-transcribe-diarize gpt-transcribe")

// transcriptionFields are the fields that all servers have, and then those of
// each.
var (
	transcriptionFields = map[string]field{"model": anyText, "language": aLanguage, "prompt": anyText,
		"response_format": oneOf("json", "text", "verbose_json"), "temperature": within(0, 1),
		"timestamp_granularities[]": oneOf("word", "segment")}
	serverFields = map[string]map[string]field{
		OpenAI: {"stream": aFlag, "languages[]": aLanguage, "keywords[]": anyText, "include[]": oneOf("logprobs"),
			"chunking_strategy": oneOf("auto"), "response_format": oneOf("json", "text", "srt", "verbose_json", "vtt", "diarized_json")},
		Groq: {},
		VLLM: {"stream": aFlag, "stream_include_usage": aFlag, "stream_continuous_usage_stats": aFlag, "hotwords": anyText,
			"seed": wholeNumber, "repetition_penalty": within(0, 2), "max_completion_tokens": wholeNumber, "to_language": aLanguage,
			"vad_config.*":    anyText,
			"response_format": oneOf("json", "text", "srt", "verbose_json", "vtt")},
	}
)

// transcriptions is protocol E.
func transcriptions(x *exchange) reply {
	options := x.srv.Scenario.Transcriptions
	server := orText(options.Server, OpenAI)
	fields := maps.Clone(transcriptionFields)
	maps.Copy(fields, serverFields[server])
	f, ok := x.form(fields)
	if !ok {
		return x.failure(http.StatusBadRequest, "invalid_body", "the body is no form")
	}
	x.combination(f, server)
	switch limit := orInt64(options.MaxBytes, 25<<20); {
	case f.file == nil:
		x.s.violate(MissingField, "file", "")
		return x.failure(http.StatusBadRequest, "missing_file", "there is no file")
	case f.get("model") == "":
		x.s.violate(MissingField, "model", "")
		return x.failure(http.StatusBadRequest, "missing_model", "there is no model")
	case int64(len(f.file)) > limit:
		return x.failure(http.StatusRequestEntityTooLarge, "too_large", "too large "+Sentinel)
	case server == OpenAI && !slices.Contains(openAIModels, f.get("model")):
		x.s.violate(WrongValue, "model", f.get("model"))
		return x.failure(http.StatusNotFound, "model_not_found", "there is no such model")
	}
	a, ok := x.wav(f.file, "file")
	if !ok {
		return x.failure(http.StatusBadRequest, "invalid_audio", "the sound is broken")
	}
	text := x.text(a)
	if f.get("stream") == "true" && !options.IgnoreStream && f.get("model") != "whisper-1" {
		if server == VLLM {
			return x.chunkStream(text, f.get("model"), f.get("stream_include_usage") == "true")
		}
		return x.deltaStream(text)
	}
	return x.transcription(text, a, f, server)
}

// combination judges fields that are right alone but not together.
func (x *exchange) combination(f form, server string) {
	model, format := f.get("model"), orText(f.get("response_format"), "json")
	if server == OpenAI {
		for _, name := range []string{"keywords[]", "languages[]"} {
			if f.fields[name] != nil && model != "gpt-transcribe" {
				x.s.violate(UnknownField, name, "this model has none")
			}
		}
		if strings.HasPrefix(model, "gpt-") && format != "json" && !strings.HasSuffix(model, "diarize") {
			x.s.violate(WrongValue, "response_format", "this model has json only")
		}
	}
	if f.fields["timestamp_granularities[]"] != nil && format != "verbose_json" {
		x.s.violate(WrongValue, "timestamp_granularities[]", "only with verbose_json")
	}
	if f.get("stream") != "true" && (f.fields["stream_include_usage"] != nil || f.fields["stream_continuous_usage_stats"] != nil) {
		x.s.violate(WrongValue, "stream_include_usage", "only with stream")
	}
}

// transcription is an answer in one piece.
func (x *exchange) transcription(text string, a Audio, f form, server string) reply {
	seconds := float64(a.Samples) / float64(a.Rate)
	switch f.get("response_format") {
	case "text":
		return reply{status: http.StatusOK, kind: "text/plain; charset=utf-8", body: []byte(text + "\n")}
	case "verbose_json":
		return asJSON(http.StatusOK, verbose(text, seconds))
	case "srt":
		return reply{status: http.StatusOK, kind: "text/plain; charset=utf-8", body: fmt.Appendf(nil, "1\n00:00:00,000 --> 00:00:01,000\n%s\n\n", text)}
	case "vtt":
		return reply{status: http.StatusOK, kind: "text/vtt; charset=utf-8", body: fmt.Appendf(nil, "WEBVTT\n\n00:00:00.000 --> 00:00:01.000\n%s\n\n", text)}
	}
	answer := map[string]any{"text": text, "usage": map[string]any{"type": "duration", "seconds": int(seconds + 0.999)}}
	switch {
	case server == Groq:
		answer = map[string]any{"text": text, "x_groq": map[string]any{"id": "req_1"}}
	case f.get("model") == "gpt-transcribe":
		answer["languages"] = []any{map[string]any{"code": "en"}}
	}
	return asJSON(http.StatusOK, answer)
}

func verbose(text string, seconds float64) map[string]any {
	return map[string]any{"task": "transcribe", "language": "english", "duration": seconds, "text": text, "words": []any{},
		"segments": []any{map[string]any{"id": 0, "seek": 0, "start": 0.0, "end": seconds, "text": " " + text, "tokens": []int{1, 2},
			"temperature": 0.0, "avg_logprob": -0.2, "no_speech_prob": 0.01, "compression_ratio": 1.1}}}
}

func orInt64(n, other int64) int64 {
	if n == 0 {
		return other
	}
	return n
}

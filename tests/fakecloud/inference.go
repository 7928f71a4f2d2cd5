package fakecloud

import (
	"net/http"
	"strings"
	"time"
)

// inferenceFields are those of whisper.cpp's server; all are text.
var inferenceFields = map[string]field{
	"language": func(s string) bool { return s == "auto" || aLanguage(s) }, "detect_language": aFlag,
	"prompt": anyText, "carry_initial_prompt": aFlag,
	"response_format": oneOf("json", "text", "srt", "vtt", "verbose_json"),
	"temperature":     within(0, 1), "temperature_inc": within(0, 1), "beam_size": wholeNumber, "best_of": wholeNumber,
	"max_len": wholeNumber, "split_on_word": aFlag, "no_timestamps": aFlag, "token_timestamps": aFlag, "suppress_nst": aFlag,
	"no_speech_thold": within(0, 1), "no_language_probabilities": aFlag, "offset_t": wholeNumber, "duration": wholeNumber,
	"translate": aFlag, "vad": aFlag, "vad_threshold": within(0, 1), "vad_min_speech_duration_ms": wholeNumber,
	"vad_min_silence_duration_ms": wholeNumber, "vad_max_speech_duration_s": within(0, 1e9), "vad_speech_pad_ms": wholeNumber,
	"vad_samples_overlap": within(0, 1e9),
}

// loading says whether the model is still being loaded.
func (x *exchange) loading() bool {
	return time.Since(x.srv.began) < x.srv.Scenario.Inference.Loading.Duration()
}

// health is protocol F's question whether the server is ready.
func health(x *exchange) reply {
	if x.r.Method != http.MethodGet {
		x.s.violate(WrongValue, "method", x.r.Method)
	}
	if x.loading() {
		return asJSON(http.StatusServiceUnavailable, map[string]any{"status": "loading model"})
	}
	return asJSON(http.StatusOK, map[string]any{"status": "ok"})
}

// inferenceOf is protocol F: one recording at a time; who leaves ends the
// recognition.
func inferenceOf(x *exchange) reply {
	f, ok := x.form(inferenceFields)
	switch {
	case !ok || f.file == nil:
		if ok {
			x.s.violate(MissingField, "file", "")
		}
		return asJSON(http.StatusBadRequest, map[string]any{"error": "no 'file' field in the request"})
	case x.loading():
		return asJSON(http.StatusServiceUnavailable, map[string]any{"error": "loading model"})
	}
	a, ok := x.wav(f.file, "file")
	if !ok {
		return asJSON(http.StatusBadRequest, map[string]any{"error": "failed to read audio data"})
	}
	select {
	case x.srv.working <- struct{}{}:
	case <-x.r.Context().Done():
		x.s.close("client", "aborted", 0)
		return reply{}
	}
	stayed := x.wait(x.srv.Scenario.Inference.Work.Duration())
	<-x.srv.working
	if !stayed {
		return reply{}
	}
	text := x.text(a)
	lines := ""
	for one := range strings.Lines(text) {
		lines += " " + strings.TrimRight(one, "\n") + "\n"
	}
	seconds := float64(a.Samples) / float64(a.Rate)
	switch f.get("response_format") {
	case "", "json":
		return asJSON(http.StatusOK, map[string]any{"text": lines})
	case "verbose_json":
		answer := verbose(lines, seconds)
		answer["detected_language"], answer["detected_language_probability"] = "english", 0.98
		return asJSON(http.StatusOK, answer)
	}
	return reply{status: http.StatusOK, kind: "text/html; charset=utf-8", body: []byte(lines)}
}

package fakecloud

import (
	"slices"
	"strings"
	"testing"
)

func postTranscription(t *testing.T, srv *Server, more ...part) answer {
	t.Helper()
	return postForm(t, srv, TranscriptionsPath, append([]part{aFile(1600)}, more...)...)
}

func field1(name, value string) part { return part{name: name, value: value} }

func TestTranscriptions(t *testing.T) {
	for name, c := range map[string]struct {
		server string
		parts  []part
		want   string // a part of the answer
	}{
		"openai":                {"", []part{field1("model", "gpt-4o-transcribe"), field1("language", "en"), field1("prompt", "a, b")}, `"text":"open it."`},
		"keywords":              {"", []part{field1("model", "gpt-transcribe"), field1("keywords[]", "a"), field1("keywords[]", "b")}, `"languages":[{"code":"en"}]`},
		"text":                  {"", []part{field1("model", "whisper-1"), field1("response_format", "text")}, "open it.\n"},
		"verbose_json":          {"", []part{field1("model", "whisper-1"), field1("response_format", "verbose_json"), field1("timestamp_granularities[]", "word")}, `"segments":[`},
		"groq":                  {Groq, []part{field1("model", "whisper-large-v3-turbo")}, `"x_groq"`},
		"vllm":                  {VLLM, []part{field1("model", "openai/whisper-large-v3"), field1("hotwords", "a b"), field1("vad_config.threshold", "0.5")}, `"text":"open it."`},
		"whisper-1 streams not": {"", []part{field1("model", "whisper-1"), field1("stream", "true")}, `{"text":"open it."`},
	} {
		t.Run(name, func(t *testing.T) {
			srv := start(t, Scenario{Text: "open it.", Transcriptions: TranscriptionsOptions{Server: c.server}})
			if a := postTranscription(t, srv, c.parts...); a.status != 200 || !strings.Contains(a.body, c.want) {
				t.Errorf("answer: %+v", a)
			}
			j := srv.Journal()[0]
			if !j.Audio[0].Exact(1600) || j.Messages[0].File != "take.wav" || j.Messages[0].Type != "audio/wav" || j.Messages[1].Text != c.parts[0].value {
				t.Errorf("session = %+v", j)
			}
			check(t, srv)
		})
	}
}

func TestTranscriptionsViolations(t *testing.T) {
	for name, c := range map[string]struct {
		server string
		parts  []part
		want   string
		status int
	}{
		"no model":             {"", nil, "missing-field", 400},
		"model":                {"", []part{field1("model", "gpt-5")}, "wrong-value", 404},
		"hotwords at openai":   {"", []part{field1("model", "whisper-1"), field1("hotwords", "a")}, "unknown-field", 200},
		"keywords elsewhere":   {"", []part{field1("model", "whisper-1"), field1("keywords[]", "a")}, "unknown-field", 200},
		"keywords without []":  {"", []part{field1("model", "gpt-transcribe"), field1("keywords", "a")}, "unknown-field", 200},
		"text of gpt-4o":       {"", []part{field1("model", "gpt-4o-transcribe"), field1("response_format", "text")}, "wrong-value", 200},
		"granularities alone":  {"", []part{field1("model", "whisper-1"), field1("timestamp_granularities[]", "word")}, "wrong-value", 200},
		"stream at groq":       {Groq, []part{field1("model", "m"), field1("stream", "true")}, "unknown-field", 200},
		"language":             {"", []part{field1("model", "whisper-1"), field1("language", "zh-CN")}, "wrong-value", 200},
		"usage without stream": {VLLM, []part{field1("model", "m"), field1("stream_include_usage", "true")}, "wrong-value", 200},
		"temperature":          {"", []part{field1("model", "whisper-1"), field1("temperature", "2")}, "wrong-value", 200},
		"two files":            {"", []part{field1("model", "whisper-1"), aFile(1600)}, "duplicate-field", 200},
	} {
		t.Run(name, func(t *testing.T) {
			srv := start(t, Scenario{Transcriptions: TranscriptionsOptions{Server: c.server}})
			a := postTranscription(t, srv, c.parts...)
			if got := violations(srv); got != c.want || a.status != c.status {
				t.Errorf("%d, violations = %q, want %d %q: %v", a.status, got, c.status, c.want, srv.Violations())
			}
		})
	}
}

func TestTranscriptionsLimitAndKey(t *testing.T) {
	srv := start(t, Scenario{Transcriptions: TranscriptionsOptions{MaxBytes: 1000, NoKey: true}})
	if a := postTranscription(t, srv, field1("model", "whisper-1")); a.status != 413 || !strings.Contains(a.body, `"error":{`) {
		t.Errorf("answer: %+v", a)
	}
	check(t, srv)
}

// events are the data of a stream.
func events(body string) []string {
	var all []string
	for line := range strings.Lines(strings.ReplaceAll(body, "\r\n", "\n")) {
		if data, yes := strings.CutPrefix(strings.TrimSpace(line), "data: "); yes {
			all = append(all, data)
		}
	}
	return all
}

func TestStreams(t *testing.T) {
	const (
		delta = `{"delta":"open ","type":"transcript.text.delta"}`
		last  = `{"delta":"它.","type":"transcript.text.delta"}`
		done  = `{"text":"open 它.","type":"transcript.text.done","usage":{"input_tokens":14,"output_tokens":6,"total_tokens":20,"type":"tokens"}}`
	)
	chunk := func(text, reason string) string {
		return `{"choices":[{"delta":{"content":"` + text + `"},"finish_reason":` + reason + `,"stop_reason":null}],"created":1,"id":"trsc-1","model":"m","object":"transcription.chunk"}`
	}
	for name, c := range map[string]struct {
		server string
		faults []Fault
		want   []string
		body   string // a part of it
	}{
		"openai":            {"", nil, []string{delta, last, done}, "data: " + delta + "\n\n"},
		"vllm":              {VLLM, nil, []string{chunk("open ", "null"), chunk("它.", `"stop"`), "[DONE]"}, "\n\n"},
		"crlf":              {"", []Fault{{Name: SSECRLF}}, []string{delta, last, done}, delta + "\r\n\r\n"},
		"comments":          {"", []Fault{{Name: SSEComments}}, []string{delta, last, done}, ": " + Sentinel + "\n"},
		"events":            {"", []Fault{{Name: SSEEvents}}, []string{delta, last, done}, "event: transcript.text.delta\n"},
		"split":             {"", []Fault{{Name: SSESplit}}, []string{delta, last, done}, "data: " + delta + "\n\n"},
		"done too":          {"", []Fault{{Name: SSEDone}}, []string{delta, last, done, "[DONE]"}, ""},
		"missing done":      {"", []Fault{{Name: SSEMissing}}, []string{delta, last}, ""},
		"missing done vllm": {VLLM, []Fault{{Name: SSEMissing}}, []string{chunk("open ", "null"), chunk("它.", "null")}, ""},
		"other done":        {"", []Fault{{Name: SSEOther, Text: "x"}}, []string{delta, last, strings.Replace(done, "open 它.", "x", 1)}, ""},
		"error": {"", []Fault{{Name: SSEError, Code: "c", Message: "m"}},
			[]string{delta, `{"error":{"code":"c","message":"m ` + Sentinel + `","param":null,"type":"invalid_request_error"}}`}, ""},
		"all": {"", []Fault{{Name: SSESplit, Bytes: 2}, {Name: SSECRLF}, {Name: SSEComments}, {Name: SSEEvents}, {Name: SSEDone}},
			[]string{delta, last, done, "[DONE]"}, "event: done\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			srv := start(t, Scenario{Text: "open 它.", Faults: c.faults, Transcriptions: TranscriptionsOptions{Server: c.server}})
			model := map[string]string{"": "gpt-4o-transcribe", VLLM: "m"}[c.server]
			a := postTranscription(t, srv, field1("model", model), field1("stream", "true"))
			if got := events(a.body); !slices.Equal(got, c.want) || !strings.Contains(a.body, c.body) || a.err != nil {
				t.Errorf("answer: %v %q", a.err, a.body)
			}
			if len(c.faults) != len(srv.Journal()[0].Faults) {
				t.Errorf("faults = %v", srv.Journal()[0].Faults)
			}
			check(t, srv)
		})
	}
	srv := start(t, Scenario{Text: "open it.", Transcriptions: TranscriptionsOptions{IgnoreStream: true}})
	if a := postTranscription(t, srv, field1("model", "gpt-4o-transcribe"), field1("stream", "true")); decode(t, a.body)["text"] != "open it." {
		t.Errorf("answer: %+v", a)
	}
}

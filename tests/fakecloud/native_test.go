package fakecloud

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// aNative is a request of protocol C that is right.
func aNative(pcm []byte) object {
	return object{"model": "qwen-audio-3.0-asr-flash",
		"input": object{"messages": []any{object{"role": "user", "content": []any{
			object{"type": "input_audio", "input_audio": object{"data": aURI(pcm)}}}}}},
		"parameters": object{"format": "wav", "sample_rate": "16000", "language_hints": []string{"zh", "en"}, "vocabulary": object{"Voice Input": 5}}}
}

// withContext puts turns before the sound.
func withContext(m object, turns ...any) object {
	sound := at(m, "input", "messages").([]any)
	return edit(m, "input.messages", append(turns, sound...))
}

func TestNative(t *testing.T) {
	for _, workspace := range []bool{false, true} {
		srv := start(t, Scenario{Results: Sentences(16000, "open it.", "close it."), Native: NativeOptions{Workspace: workspace}})
		a := postJSON(t, srv, NativePath, withContext(aNative(Ramp(0, 32000)),
			object{"role": "user", "content": []any{object{"type": "input_text", "text": "RareModel"}}},
			object{"role": "assistant", "content": []any{object{"type": "text", "text": "yes"}}}))
		m := decode(t, a.body)
		top, _ := m["text"].(string)
		if textAt(m, "output", "text") != "open it. close it." || (top != "") != workspace {
			t.Errorf("workspace=%v: %+v", workspace, a)
		}
		j := srv.Journal()[0]
		if !j.Audio[0].Exact(32000) || j.Context[0] != "RareModel\nyes" || len(j.Texts("client")[0]) > 2000 {
			t.Errorf("session = %+v", j)
		}
		check(t, srv)
	}
}

func TestNativeTexts(t *testing.T) {
	srv := start(t, Scenario{Texts: []string{"one", "two"}, Text: "more"})
	for _, want := range []string{"one", "two", "more", "more"} {
		if a := postJSON(t, srv, NativePath, aNative(Ramp(0, 16))); textAt(any(decode(t, a.body)), "output", "text") != want {
			t.Errorf("%s, want %s", a.body, want)
		}
	}
	srv = start(t, Scenario{Answer: func(a Audio) string {
		if a.First == 1600 {
			return "the second part"
		}
		return ""
	}})
	if a := postJSON(t, srv, NativePath, aNative(Ramp(1600, 16))); !strings.Contains(a.body, "the second part") {
		t.Errorf("answer: %+v", a)
	}
	check(t, srv)
}

func TestNativeViolations(t *testing.T) {
	right := aNative(Ramp(0, 16))
	for name, c := range map[string]struct {
		body   object
		want   string
		status int
	}{
		"right":           {right, "", 200},
		"rate as integer": {edit(right, "parameters.sample_rate", 16000), "wrong-type wrong-value", 200},
		"no format":       {edit(right, "parameters.format", nil), "missing-field", 200},
		"heartbeat":       {edit(right, "parameters.heartbeat", true), "unknown-field", 200},
		"model":           {edit(right, "model", "qwen-audio-3.0-asr-flash-streaming"), "wrong-value", 200},
		"context string":  {withContext(right, object{"role": "user", "content": "words"}), "wrong-type", 200},
		"long context": {withContext(right, object{"role": "user", "content": []any{object{"type": "input_text",
			"text": strings.Repeat("a", 401)}}}), "too-long", 200},
		"no data URI": {edit(right, "input.messages", []any{object{"role": "user", "content": []any{
			object{"type": "input_audio", "input_audio": object{"data": "https://example.org/a.wav"}}}}}), "wrong-value", 400},
		"more": {edit(right, "stream", true), "unknown-field", 200},
	} {
		t.Run(name, func(t *testing.T) {
			srv := start(t, Scenario{})
			a := postJSON(t, srv, NativePath, c.body)
			if got := violations(srv); got != c.want || a.status != c.status {
				t.Errorf("%d, violations = %q, want %d %q: %v", a.status, got, c.status, c.want, srv.Violations())
			}
		})
	}
	srv := start(t, Scenario{})
	body, _ := json.Marshal(right)
	do(t, srv, http.MethodPut, NativePath, "text/json", body)
	if got := violations(srv); got != "header wrong-value" {
		t.Errorf("violations = %q", got)
	}
}

func TestNativeLimits(t *testing.T) {
	srv := start(t, Scenario{Audio: Sound{Any: true}})
	for _, c := range []struct {
		samples int
		status  int
		code    string
	}{
		{300 * 16000, 200, ""},
		{300*16000 + 1, 400, "AUDIO_DURATION_TOO_LONG"},
		{8 << 20, 400, "BadRequest.TooLarge"},
	} {
		a := postJSON(t, srv, NativePath, aNative(make([]byte, 2*c.samples)))
		if code, _ := decode(t, a.body)["code"].(string); a.status != c.status || code != c.code {
			t.Errorf("%d samples: %d %.200s", c.samples, a.status, a.body)
		}
	}
}

func TestNativeNoWords(t *testing.T) {
	for how, want := range map[string]string{
		"":         `"message":"ASR_RESPONSE_HAVE_NO_WORDS"`,
		"code":     `"code":"ASR_RESPONSE_HAVE_NO_WORDS"`,
		"lower":    `"message":"asr_response_have_no_words"`,
		"fragment": `"code":"SUCCESS_WITH_NO_VALID_FRAGMENT"`,
	} {
		srv := start(t, Scenario{Faults: []Fault{{Name: NoWords, How: how}}})
		if a := postJSON(t, srv, NativePath, aNative(Ramp(0, 16))); a.status != 400 || !strings.Contains(a.body, want) {
			t.Errorf("%q: %+v", how, a)
		}
		happened(t, srv, NoWords)
	}
}

func TestNativeKey(t *testing.T) {
	srv := start(t, Scenario{Token: "other"})
	body, _ := json.Marshal(aNative(Ramp(0, 16)))
	a, err := http.Post(srv.URL(NativePath), "application/json", strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	a.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	if a.StatusCode != 401 {
		t.Errorf("status %d", a.StatusCode)
	}
}

// A long recording is answered in steps if the client asks for that.
func TestNativeStream(t *testing.T) {
	srv := start(t, Scenario{Text: "open it.", Audio: Sound{Any: true}})
	for samples, kind := range map[int]string{16: "application/json", 60 * 16000: "text/event-stream"} {
		body, _ := json.Marshal(aNative(make([]byte, 2*samples)))
		r, _ := http.NewRequest(http.MethodPost, srv.URL(NativePath), strings.NewReader(string(body)))
		r.Header = http.Header{"Authorization": {"Bearer " + srv.Token()}, "Content-Type": {"application/json"}, "X-Dashscope-Sse": {"enable"}}
		a, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		a.Body.Close()
		if a.Header.Get("Content-Type") != kind {
			t.Errorf("%d samples: %v", samples, a.Header)
		}
	}
	check(t, srv)
}

func aCompatible() object {
	return object{"model": "qwen3-asr-flash", "messages": []any{object{"role": "user", "content": []any{
		object{"type": "input_audio", "input_audio": object{"data": aURI(Ramp(0, 1600))}}}}},
		"stream": false, "asr_options": object{"language": "zh", "enable_itn": false}}
}

func TestCompatible(t *testing.T) {
	for _, content := range []any{"RareModel", []any{object{"text": "RareModel"}}, []any{object{"type": "text", "text": "RareModel"}}} {
		srv := start(t, Scenario{Text: "你好"})
		m := aCompatible()
		m["messages"] = append([]any{object{"role": "system", "content": content}}, m["messages"].([]any)...)
		a := postJSON(t, srv, CompatiblePath, m)
		if textAt(any(decode(t, a.body)), "choices", 0, "message", "content") != "你好" {
			t.Errorf("answer: %+v", a)
		}
		if j := srv.Journal()[0]; j.Context[0] != "RareModel" || !j.Audio[0].Exact(1600) {
			t.Errorf("session = %+v", j)
		}
		check(t, srv)
	}
	for path, c := range map[string]struct {
		value any
		want  string
	}{
		"model":                  {"qwen3-asr-flash-realtime", "wrong-value"},
		"stream":                 {true, "wrong-value"},
		"temperature":            {0, "unknown-field"},
		"asr_options.enable_itn": {"false", "wrong-type"},
		"messages":               {nil, "missing-field wrong-value"},
	} {
		srv := start(t, Scenario{})
		postJSON(t, srv, CompatiblePath, edit(aCompatible(), path, c.value))
		if got := violations(srv); got != c.want {
			t.Errorf("%s: violations = %q, want %q", path, got, c.want)
		}
	}
}

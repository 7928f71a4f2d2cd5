package asr

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"voice-input/pkg/cli"
	"voice-input/pkg/config"
	"voice-input/pkg/wire"
	"voice-input/tests/fakecloud"
)

func TestServiceOf(t *testing.T) {
	cfg := config.ASR{Service: map[string]config.Service{
		"groq":   {Protocol: "openai", URL: "https://api.groq.com/openai"},
		"openai": {Model: "whisper-1"},
		"broken": {},
	}}
	for name, want := range map[string]string{
		"groq": "openai", "openai": "openai", "qwen-audio3": "qwen-audio3", "qwen3-realtime": "qwen3-realtime", "whisper-server": "whisper-server",
		"local": "", "whisper": "", "./openai": "", "": "",
	} {
		s, known, err := serviceOf(cfg, name)
		if err != nil || known != (want != "") || s.Protocol != want || known && s.name != name {
			t.Errorf("%q: %+v, %t, %v", name, s, known, err)
		}
	}
	if s, _, _ := serviceOf(cfg, "qwen3-realtime"); s.ConnectTimeoutMS != 5000 || !s.Vocabulary {
		t.Errorf("no defaults: %+v", s)
	}
	if _, _, err := serviceOf(cfg, "broken"); cli.StatusOf(err) != cli.StatusConfig {
		t.Errorf("%v", err)
	}
	if got := services(cfg); !slices.Equal(got, []string{"broken", "groq", "openai", "qwen-audio3", "qwen3-realtime", "whisper-server"}) {
		t.Errorf("%q", got)
	}
}

// A variable that is named for a provider counts for its own hosts alone.
func TestKeysGoToTheirOwnProvider(t *testing.T) {
	for _, tt := range []struct {
		protocol, url, variable string
		needed                  bool
	}{
		{"qwen-audio3", "", "DASHSCOPE_API_KEY", true},
		{"qwen3-realtime", "", "DASHSCOPE_API_KEY", true},
		{"qwen3-realtime", "wss://x.ap-southeast-1.maas.aliyuncs.com/api-ws/v1/realtime", "DASHSCOPE_API_KEY", true},
		{"qwen3-realtime", "wss://dashscope.aliyuncs.com.example.com/", "", true},
		{"qwen3-realtime", "ws://127.0.0.1:1/", "", false},
		{"qwen-audio3", "ws://127.0.0.1:1/", "", true},
		{"openai", "", "OPENAI_API_KEY", true},
		{"openai", "https://api.openai.com/v1", "OPENAI_API_KEY", true},
		{"openai", "https://api.groq.com/openai", "GROQ_API_KEY", true},
		{"openai", "https://api.openai.com.example.com/v1", "", true},
		{"openai", "https://example.com/api.openai.com", "", true},
		{"openai", "http://localhost:8000/v1", "", false},
		{"openai", "http://[::1]:8000/v1", "", false},
		{"whisper-server", "", "", false},
		{"whisper-server", "https://example.com", "", false},
	} {
		s := service{config.Service{Protocol: tt.protocol, URL: tt.url}, "mine"}
		want := []string{"VOICE_INPUT_ASR_API_KEY"}
		if tt.variable != "" {
			want = []string{tt.variable, "VOICE_INPUT_ASR_API_KEY"}
		}
		src := s.keySource()
		if !slices.Equal(src.Environ, want) || s.needsKey() != tt.needed || src.Credential != "asr.mine" {
			t.Errorf("%s at %q: %+v, needed %t", tt.protocol, tt.url, src, s.needsKey())
		}
	}
}

// heard is a request that a server for transcriptions got.
type heard struct {
	key    string
	fields map[string]string
	wav    []byte
}

// transcriber answers each upload with a text, or a status.
type transcriber struct {
	*httptest.Server
	mu   sync.Mutex
	got  []heard
	text string
	fail int
}

func newTranscriber(t *testing.T, text string) *transcriber {
	t.Helper()
	tr := &transcriber{text: text}
	tr.Server = httptest.NewServer(tr)
	t.Cleanup(tr.Close)
	return tr
}

func (tr *transcriber) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	if r.URL.Path != "/v1/audio/transcriptions" {
		http.NotFound(w, r)
		return
	}
	h := heard{r.Header.Get("Authorization"), map[string]string{}, nil}
	if err := r.ParseMultipartForm(32 << 20); err == nil {
		for name, values := range r.MultipartForm.Value {
			h.fields[name] = values[0]
		}
		if f, _, err := r.FormFile("file"); err == nil {
			h.wav, _ = io.ReadAll(f)
		}
	}
	tr.got = append(tr.got, h)
	if tr.fail != 0 {
		http.Error(w, `{"error":{"code":"sentinel code","message":"sentinel"}}`, tr.fail)
		return
	}
	json.NewEncoder(w).Encode(map[string]string{"text": tr.text})
}

// configure writes the configuration of a sandbox.
func (s *sandbox) configure(format string, args ...any) {
	s.t.Helper()
	dir := filepath.Join(s.dir, "config/voice-input")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "config.toml"), fmt.Appendf(nil, format, args...), 0o600); err != nil {
		s.t.Fatal(err)
	}
	s.env = append(s.env, "XDG_CONFIG_HOME="+filepath.Join(s.dir, "config"))
}

func TestServiceByName(t *testing.T) {
	server := newTranscriber(t, "Open the panel.")
	s := newSandbox(t)
	s.configure("[asr]\nengine = \"mine\"\n[asr.service.mine]\nprotocol = \"openai\"\nurl = %q\nmodel = \"m\"\n", server.URL)
	terms := filepath.Join(s.dir, "terms.json")
	line, _ := wire.Encode(&wire.Terms{Terms: []wire.Term{{Text: "kubectl"}, {Text: "Hyprland"}}})
	os.WriteFile(terms, line, 0o600)
	s.env = append(s.env, "OPENAI_API_KEY=sk-sentinel")
	r := s.run(bytes.NewReader(spoken(t)), "--terms", terms, "--explain")
	ev := r.last(t)
	if r.status != 0 || ev.Text != "Open the panel." || ev.Engine != "mine" {
		t.Fatalf("%+v", r)
	}
	got := server.got[0]
	if got.key != "" || got.fields["model"] != "m" || got.fields["prompt"] != "Hyprland, kubectl" || !bytes.Equal(got.wav[44:], spoken(t)) {
		t.Errorf("key %q, fields %q, %d bytes", got.key, got.fields, len(got.wav))
	}
	if strings.Contains(r.stdout+r.stderr, "sentinel") {
		t.Errorf("%+v", r)
	}
	// The flag takes precedence, and a key for anything goes anywhere.
	s.env = append(s.env, "VOICE_INPUT_ASR_API_KEY=sk-mine")
	s.run(bytes.NewReader(spoken(t)), "--model", "other")
	if got := server.got[1]; got.key != "Bearer sk-mine" || got.fields["model"] != "other" {
		t.Errorf("%+v", got.fields)
	}
}

func TestServiceWithoutAKey(t *testing.T) {
	s := newSandbox(t)
	r := s.run(bytes.NewReader(spoken(t)), "--engine", "qwen3-realtime")
	ev := r.last(t)
	if r.status != 77 || ev.Kind != "auth" || ev.Code != "no_key" ||
		!strings.Contains(r.stderr, "error: cannot open engine \"qwen3-realtime\": no key\nvi-asr: hint: give one by ") || !strings.Contains(r.stderr, "$DASHSCOPE_API_KEY") {
		t.Errorf("%+v", r)
	}
	s.configure("[asr.service.mine]\nprotocol = \"openai\"\napi_key_file = %q\n", filepath.Join(s.dir, "absent"))
	if r := s.run(bytes.NewReader(spoken(t)), "--engine", "mine"); r.status != 77 || !strings.Contains(r.stderr, "api_key_file") {
		t.Errorf("%+v", r)
	}
	s.configure("[asr.service.mine]\nmodel = \"x\"\n")
	if r := s.run(bytes.NewReader(spoken(t)), "--engine", "mine"); r.status != 78 || !strings.Contains(r.stderr, "[asr.service.mine].protocol: is missing\nvi-asr: hint: one of qwen-audio3, ") {
		t.Errorf("%+v", r)
	}
}

// A12: what a service says of a key comes without the key and its words.
func TestRefusedKey(t *testing.T) {
	server := newTranscriber(t, "")
	server.fail = 401
	s := newSandbox(t)
	s.configure("[asr.service.mine]\nprotocol = \"openai\"\nurl = %q\n", server.URL)
	s.env = append(s.env, "VOICE_INPUT_ASR_API_KEY=sk-sentinel")
	r := s.run(bytes.NewReader(spoken(t)), "--engine", "mine", "--explain")
	if ev := r.last(t); r.status != 77 || ev.Kind != "auth" || ev.Code != "http_401" || strings.Contains(r.stdout+r.stderr, "sentinel") || len(server.got) != 1 {
		t.Errorf("%+v", r)
	}
}

func TestFallback(t *testing.T) {
	server := newTranscriber(t, "Open the panel.")
	server.fail = 503
	s := newSandbox(t)
	s.configure("[asr]\nengine = \"mine\"\nfallback = [\"says\", \"count\"]\n[asr.service.mine]\nprotocol = \"openai\"\nurl = %q\n", server.URL)
	// The program says its model, and has none.
	r := s.run(bytes.NewReader(spoken(t)))
	if ev := r.last(t); ev.Engine != "says" && ev.Engine != "count" || len(ev.Tried) == 0 || ev.Tried[0].Engine != "mine" || ev.Tried[0].Kind != "unavailable" {
		t.Errorf("%+v", r)
	}
	// All samples reach the next one.
	s.configure("[asr]\nengine = \"mine\"\nfallback = [\"count\"]\n[asr.service.mine]\nprotocol = \"openai\"\nurl = %q\n", server.URL)
	r = s.run(bytes.NewReader(spoken(t)))
	if ev := r.last(t); r.status != 0 || ev.Engine != "count" || !strings.Contains(ev.Text, counted(spoken(t))) {
		t.Errorf("%+v", r)
	}
	// An engine that is named is tried alone.
	if r := s.run(bytes.NewReader(spoken(t)), "--engine", "mine"); r.status != 75 && r.status != 69 || r.last(t).Engine != "mine" {
		t.Errorf("%+v", r)
	}
	// In the resident form too, and no key is no end of it.
	server.fail = 0
	s.configure("[asr]\nengine = \"openai\"\nfallback = [\"mine\"]\n[asr.service.mine]\nprotocol = \"openai\"\nurl = %q\n", server.URL)
	path := filepath.Join(s.dir, "samples")
	os.WriteFile(path, spoken(t), 0o600)
	take := &wire.Take{ID: "1", Audio: wire.Audio{Path: path, Format: "s16le", Rate: 16000, Channels: 1}, Hints: []string{"kubectl"}}
	line, _ := wire.Encode(take)
	r = s.run(bytes.NewReader(append(line, line...)), "--takes")
	finals := 0
	for _, ev := range r.events {
		if ev.Type == wire.ASRFinal && ev.Text == "Open the panel." && ev.Engine == "mine" && ev.Tried[0].Code == "no_key" {
			finals++
		}
	}
	if r.status != 0 || finals != 2 {
		t.Errorf("%+v", r)
	}
}

func TestFileAndPace(t *testing.T) {
	s := newSandbox(t)
	path := filepath.Join(s.dir, "speech.raw")
	os.WriteFile(path, spoken(t), 0o600)
	r := s.run(nil, "--engine", "count", "--file", path)
	if ev := r.last(t); r.status != 0 || !strings.Contains(ev.Text, counted(spoken(t))) {
		t.Errorf("%+v", r)
	}
	began := time.Now()
	said := spoken(t)[:32000]
	r = s.run(bytes.NewReader(said), "--engine", "count", "--pace", "realtime")
	if ev := r.last(t); !strings.Contains(ev.Text, counted(said)) || time.Since(began) < time.Second {
		t.Errorf("after %s: %+v", time.Since(began), r)
	}
}

// An engine program sees no key.
func TestEnginesSeeNoKeys(t *testing.T) {
	s := newSandbox(t)
	s.env = append(s.env, "OPENAI_API_KEY=sk-sentinel", "VOICE_INPUT_LLM_API_KEY=sk-sentinel", "CREDENTIALS_DIRECTORY=/sentinel")
	script := filepath.Join(s.dir, "env")
	os.WriteFile(script, []byte("#!/bin/sh\nenv >"+s.dir+"/seen\nexit 69\n"), 0o700)
	s.run(bytes.NewReader(spoken(t)), "--engine", script)
	seen, err := os.ReadFile(filepath.Join(s.dir, "seen"))
	if err != nil || bytes.Contains(seen, []byte("sentinel")) || !bytes.Contains(seen, []byte("PATH=")) {
		t.Errorf("%v: %s", err, seen)
	}
}

func TestListOfServices(t *testing.T) {
	server := newTranscriber(t, "")
	s := newSandbox(t)
	s.configure("[asr.service.here]\nprotocol = \"openai\"\nurl = %q\n[asr.service.gone]\nprotocol = \"whisper-server\"\nurl = \"http://127.0.0.1:1\"\n[asr.service.broken]\n", server.URL)
	s.env = append(s.env, "DASHSCOPE_API_KEY=sk-sentinel")
	out, err := s.command("engines").Output()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for line := range strings.Lines(string(out)) {
		var e wire.Engine
		if err := wire.Decode([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		if e.Kind == wire.EngineService {
			got[e.Name] = fmt.Sprint(e.Available, " ", e.Detail)
		}
	}
	for name, want := range map[string]string{
		"here": "true ", "gone": "false no server listens at its address", "broken": "false [asr.service.broken].protocol: is missing",
		"openai": "false no key", "qwen3-realtime": "true ",
	} {
		if got[name] != want {
			t.Errorf("%s: %q, want %q", name, got[name], want)
		}
	}
	if len(server.got) != 0 || bytes.Contains(out, []byte("sentinel")) {
		t.Errorf("%d requests, %s", len(server.got), out)
	}
}

// With hints = "none" no term of the context leaves, whatever is spoken.
func TestHintsNone(t *testing.T) {
	said := spoken(t)
	srv, err := fakecloud.Start(fakecloud.Scenario{Audio: fakecloud.Sound{Exact: said}, Results: fakecloud.Sentences(8000, "Open the panel.")})
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Close()
	s := newSandbox(t)
	s.env = append(s.env, "VOICE_INPUT_ASR_API_KEY="+srv.Token())
	s.configure("[asr]\nengine = \"mine\"\n[asr.service.mine]\nprotocol = \"qwen3-realtime\"\nurl = %q\nhints = \"none\"\n", srv.URL(fakecloud.RealtimePath))
	terms := filepath.Join(s.dir, "terms.json")
	record := &wire.Terms{Terms: []wire.Term{{Text: "kubectl"}}, Vocabulary: []wire.Vocabulary{{Text: "Hyprland"}}}
	record.Views.ASR.Text = "kubectl"
	line, _ := wire.Encode(record)
	os.WriteFile(terms, line, 0o600)
	if r := s.run(bytes.NewReader(said), "--terms", terms); r.status != 0 {
		t.Errorf("%+v", r)
	}
	if got := srv.Sessions(fakecloud.Realtime)[0].Context; len(got) != 1 || got[0] != "Hyprland" {
		t.Errorf("%q", got)
	}
}

// Each protocol by the real program, with its key from a file, terms and the
// whole of the recording.
func TestEveryProtocol(t *testing.T) {
	for protocol, path := range map[string]string{
		qwenAudio: fakecloud.TaskPath, qwenRealtime: fakecloud.RealtimePath, openAI: "/v1", whisperServer: "",
	} {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			said := spoken(t)
			srv, err := fakecloud.Start(fakecloud.Scenario{
				Audio:   fakecloud.Sound{Exact: said, Total: int64(len(said) / 2)},
				Results: fakecloud.Sentences(8000, "Open the panel."), Text: "Open the panel.",
				Transcriptions: fakecloud.TranscriptionsOptions{Server: fakecloud.VLLM},
			})
			if err != nil {
				t.Fatal(err)
			}
			defer srv.Close()
			s := newSandbox(t)
			key := filepath.Join(s.dir, "key")
			os.WriteFile(key, []byte(srv.Token()+"\n"), 0o600)
			s.configure("[asr]\nengine = \"mine\"\n[asr.service.mine]\nprotocol = %q\nurl = %q\napi_key_file = %q\n", protocol, srv.URL(path), key)
			terms := filepath.Join(s.dir, "terms.json")
			record := &wire.Terms{Terms: []wire.Term{{Text: "kubectl"}}}
			record.Views.ASR.Text = "kubectl"
			line, _ := wire.Encode(record)
			os.WriteFile(terms, line, 0o600)
			r := s.run(bytes.NewReader(said), "--terms", terms)
			if ev := r.last(t); r.status != 0 || ev.Text != "Open the panel." || ev.Engine != "mine" || ev.Outcome != wire.OutcomeUsable {
				t.Errorf("%+v", r)
			}
			if !strings.Contains(r.stdout, `"context_sent"`) || strings.Contains(r.stdout+r.stderr, srv.Token()) {
				t.Errorf("%+v", r)
			}
			srv.Check(t)
		})
	}
}

package readme

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"voice-input/pkg/refine/prompt"
	"voice-input/tests/fakecloud"
	"voice-input/tests/fakellm"
)

// What the services are sent is caught where it arrives: the programs run as
// they are, with services on the loopback that take nothing that is wrong.

const (
	recording = root + "/tests/testdata/speech/terms.wav"
	ownWords  = "words = [{text = \"voice-input\", weight = 5}]\n"
	answer    = "The loop in `readTail` took a `stopReason` of `toolUse` for the end."
)

// home makes a home with a vocabulary and a configuration, and the terms of an
// answer. It returns its path and that of the terms.
func home(t *testing.T, configuration string) (dir, terms string) {
	t.Helper()
	dir = t.TempDir()
	terms = filepath.Join(dir, "terms.json")
	at := filepath.Join(dir, ".config", "voice-input")
	if err := os.MkdirAll(at, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"config.toml": configuration, "vocabulary.toml": ownWords} {
		if err := os.WriteFile(filepath.Join(at, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	session, err := json.Marshal(map[string]any{
		"schema": "vi.session/1", "reason": "ok", "agent": map[string]any{"kind": "codex", "label": "Codex"}, "source": map[string]any{"text": answer, "chars": len(answer)},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(terms, runIn(t, dir, nil, string(session)+"\n", "vi-terms"), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir, terms
}

// runIn runs one of the programs, which has to succeed, and returns what it
// printed.
func runIn(t *testing.T, dir string, environ []string, stdin string, argv ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(programs, argv[0]), argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdin = dir, append(environment(dir), environ...), strings.NewReader(stdin)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%q: %v: %s%s", argv, err, out, stderr.Bytes())
	}
	return out
}

// asked has a service recognise the recording, and returns all connections and
// requests. The settings belong to its section, where URL(PATH) stands for an
// address.
func asked(t *testing.T, service, settings string) []fakecloud.Session {
	t.Helper()
	srv, err := fakecloud.Start(fakecloud.Scenario{Audio: fakecloud.Sound{Any: true}, Results: fakecloud.Sentences(16000, "make readTail return it.")})
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Close()
	settings = regexp.MustCompile(`URL\((\S+)\)`).ReplaceAllStringFunc(settings, func(s string) string {
		return fmt.Sprintf("%q", srv.URL(s[len("URL("):len(s)-1]))
	})
	dir, terms := home(t, fmt.Sprintf("[asr]\nlanguage = \"en\"\n[asr.service.%s]\n%s\n", service, settings))
	path, err := filepath.Abs(recording)
	if err != nil {
		t.Fatal(err)
	}
	runIn(t, dir, []string{"VOICE_INPUT_ASR_API_KEY=" + srv.Token()}, "", "vi-asr", "--engine", service, "--terms", terms, "--file", path)
	srv.Check(t)
	return srv.Journal()
}

// indented returns JSON as the documents have it: what would be another one
// each time is "…".
func indented(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(text), "", "  "); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	out := regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}`).ReplaceAllString(b.String(), "…")
	out = regexp.MustCompile(`\[\s+("[^"]*")\s+\]`).ReplaceAllString(out, "[$1]")
	return out + "\n"
}

// sent are the messages of a websocket: those of text, and of samples the
// first.
func sent(t *testing.T, sessions []fakecloud.Session, protocol string) string {
	t.Helper()
	var out strings.Builder
	samples := false
	for _, s := range sessions {
		if s.Protocol != protocol {
			continue
		}
		for _, m := range s.Messages {
			isSamples := m.Kind == "binary" || strings.Contains(m.Text, "input_audio_buffer.append")
			switch {
			case m.From != "client" || isSamples && samples || m.Kind != "binary" && m.Kind != "text":
			case m.Kind == "binary":
				samples = true
				fmt.Fprintf(&out, "// %d bytes of samples, as a binary message, and so on\n", m.Bytes)
			default:
				samples = samples || isSamples
				out.WriteString(indented(t, m.Text))
				if isSamples {
					out.WriteString("// and so on\n")
				}
			}
		}
	}
	return out.String()
}

// form are the fields of a request, and what its file is.
func form(sessions []fakecloud.Session, protocol string) string {
	var out strings.Builder
	for _, s := range sessions {
		if s.Protocol == protocol {
			for _, m := range s.Messages {
				switch {
				case m.Kind != "part":
				case m.File != "":
					fmt.Fprintf(&out, "%s: %s, %s\n", m.Name, m.File, m.Type)
				default:
					fmt.Fprintf(&out, "%s: %s\n", m.Name, m.Text)
				}
			}
		}
	}
	return out.String()
}

// askedModel has a model edit a sentence, and returns the body of the request
// with a word in place of the instructions.
func askedModel(t *testing.T) string {
	t.Helper()
	srv, err := fakellm.Listen("127.0.0.1:0", "key-of-the-test")
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Close()
	target, err := url.Parse(strings.TrimSuffix(srv.URL, "/v1"))
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var body []byte
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
	listener := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		mu.Lock()
		body = b
		mu.Unlock()
		r.Body = io.NopCloser(bytes.NewReader(b))
		proxy.ServeHTTP(w, r)
	}))
	defer listener.Close()
	dir, terms := home(t, fmt.Sprintf("[llm]\nenabled = true\nurl = \"%s/v1\"\nmodel = \"fake/edit\"\n", listener.URL))
	transcript := `{"schema":"vi.transcript/1","reason":"ok","text":"um make red tail wait 20 ms then run go vet ./..."}` + "\n"
	runIn(t, dir, []string{"VOICE_INPUT_LLM_API_KEY=key-of-the-test"}, transcript, "vi-refine", "--terms", terms, "--style", "agent-markdown")
	for _, q := range srv.Journal() {
		if len(q.Violations) > 0 {
			t.Errorf("%q", q.Violations)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	instructions, err := json.Marshal(prompt.Instructions("agent-markdown", "", true))
	if err != nil {
		t.Fatal(err)
	}
	// The programs escape no < > &, which json.Marshal does.
	plain := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(instructions))
	text := strings.Replace(string(body), plain, `"(the instructions for the style)"`, 1)
	if text == string(body) {
		t.Error("the instructions are not in the request")
	}
	return indented(t, text)
}

// producers make the blocks of the documents whose note is "from NAME".
var producers = map[string]func(t *testing.T) string{
	"qwen-audio3": func(t *testing.T) string {
		return sent(t, asked(t, "qwen-audio3", "url = URL("+fakecloud.TaskPath+")"), fakecloud.Task)
	},
	"the native pass": func(t *testing.T) string {
		var out strings.Builder
		for _, s := range asked(t, "qwen-audio3", "url = URL("+fakecloud.TaskPath+")\nnative = \"always\"\nnative_url = URL("+fakecloud.NativePath+")") {
			if s.Protocol == fakecloud.Native {
				for _, text := range s.Texts("client") {
					out.WriteString(indented(t, text))
				}
			}
		}
		return out.String()
	},
	"qwen3-realtime": func(t *testing.T) string {
		return sent(t, asked(t, "qwen3-realtime", "url = URL("+fakecloud.RealtimePath+")"), fakecloud.Realtime)
	},
	"openai": func(t *testing.T) string {
		return form(asked(t, "openai", "url = URL("+fakecloud.TranscriptionsPath+")\nmodel = \"gpt-4o-transcribe\""), fakecloud.Transcriptions)
	},
	"whisper-server": func(t *testing.T) string {
		return form(asked(t, "whisper-server", "url = URL("+fakecloud.InferencePath+")"), fakecloud.Inference)
	},
	"chat completions": askedModel,
	"the demo":         demo,
}

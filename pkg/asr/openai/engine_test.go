package openai

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"voice-input/pkg/asr/engine"
	"voice-input/pkg/asr/enginetest"
	"voice-input/pkg/wire"
)

var update = flag.Bool("u", false, "write the golden files anew")

// speech returns samples of somebody who speaks.
func speech(t testing.TB) []byte {
	t.Helper()
	b, err := os.ReadFile("../../../tests/testdata/speech/goforward.wav")
	if err != nil {
		t.Fatal(err)
	}
	return b[44:]
}

func newEngine(t testing.TB, o Options) *Engine {
	t.Helper()
	if o.Name == "" {
		o.Name = "mine"
	}
	if o.Connect == 0 {
		o.Connect, o.Request = 5*time.Second, 20*time.Second
	}
	e, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e
}

// events collects what an engine emits.
type events []*wire.ASR

func (ev *events) emit(e *wire.ASR) { *ev = append(*ev, e) }

func (ev events) String() string {
	var types []string
	for _, e := range ev {
		types = append(types, e.Type)
	}
	return strings.Join(types, " ")
}

// describe writes down a request, part by part.
func describe(r *http.Request) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\nAuthorization: %s\n", r.Method, r.URL.Path, r.Header.Get("Authorization"))
	form, err := r.MultipartReader()
	if err != nil {
		return err.Error()
	}
	for {
		part, err := form.NextPart()
		if err == io.EOF {
			return b.String()
		}
		if err != nil {
			return b.String() + err.Error()
		}
		content, _ := io.ReadAll(part)
		if part.FormName() == "file" {
			content = fmt.Appendf(nil, "%q, %d bytes, %s", content[:16], len(content), part.Header.Get("Content-Type"))
		}
		fmt.Fprintf(&b, "%s%s: %s\n", part.FormName(), name(part), content)
	}
}

func name(p *multipart.Part) string {
	if p.FileName() == "" {
		return ""
	}
	return " (" + p.FileName() + ")"
}

// The golden files hold every request that leaves, for each combination of
// service, field for the terms, language and streaming.
func TestRequests(t *testing.T) {
	hints := engine.Hints{
		Words:      []string{"语音输入", "Hyprland", "kubectl", "a, b"},
		Context:    "Hyprland\nkubectl",
		Vocabulary: []wire.Vocabulary{{Text: "语音输入", Weight: 5}, {Text: "a, b"}},
	}
	for _, tt := range []struct {
		name, language string
		hints          engine.Hints
		o              Options
	}{
		{"plain", "", engine.Hints{}, Options{Hints: Prompt}},
		{"stream", "", engine.Hints{}, Options{Hints: Prompt, Stream: true}},
		{"language", "zh-Hans-CN", engine.Hints{}, Options{Hints: Prompt}},
		{"language-hint", "", engine.Hints{}, Options{LanguageHints: []string{"de"}}},
		{"language-hints", "", engine.Hints{}, Options{LanguageHints: []string{"zh", "en"}}},
		{"gpt-transcribe", "", hints, Options{Model: "gpt-transcribe", LanguageHints: []string{"zh", "en"}, Hints: Keywords, Vocabulary: true}},
		{"gpt-transcribe-language", "ja", engine.Hints{}, Options{Model: "gpt-transcribe"}},
		{"prompt", "en", hints, Options{Hints: Prompt, Vocabulary: true, Stream: true}},
		{"prompt-context-only", "en", hints, Options{Hints: Prompt}},
		{"keywords", "", hints, Options{Hints: Keywords, Vocabulary: true}},
		{"hotwords", "", hints, Options{Hints: Hotwords, Vocabulary: true, Model: "Qwen/Qwen3-ASR", Stream: true}},
		{"none", "", hints, Options{Hints: "none", Vocabulary: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				got = describe(r)
				io.WriteString(w, `{"text":"go forward"}`)
			}))
			defer server.Close()
			tt.o.URL = server.URL
			take := enginetest.Whole(speech(t))
			take.Language, take.Hints = tt.language, enginetest.Hints(tt.hints)
			var ev events
			text, err := newEngine(t, tt.o).Recognize(t.Context(), take, ev.emit)
			if text != "go forward" || err != nil {
				t.Errorf("%q, %v", text, err)
			}
			if sent := strings.Contains(got, "prompt") || strings.Contains(got, "words"); strings.Contains(ev.String(), wire.ASRContextSent) != sent {
				t.Errorf("events %s", ev)
			}
			path := filepath.Join("testdata", tt.name+".txt")
			if *update {
				os.MkdirAll("testdata", 0o755)
				os.WriteFile(path, []byte(got), 0o644)
			}
			want, err := os.ReadFile(path)
			if err != nil || got != string(want) {
				t.Errorf("%v\n%s\nwant\n%s", err, got, want)
			}
		})
	}
}

func TestEndpoints(t *testing.T) {
	for in, want := range map[string]string{
		"":                                         "https://api.openai.com/v1/audio/transcriptions gpt-4o-transcribe true",
		"https://api.openai.com/v1":                "https://api.openai.com/v1/audio/transcriptions gpt-4o-transcribe true",
		"https://api.groq.com":                     "https://api.groq.com/openai/v1/audio/transcriptions whisper-large-v3-turbo false",
		"https://api.groq.com/openai":              "https://api.groq.com/openai/v1/audio/transcriptions whisper-large-v3-turbo false",
		"https://api.groq.com/openai/v1/":          "https://api.groq.com/openai/v1/audio/transcriptions whisper-large-v3-turbo false",
		"http://localhost:8000":                    "http://localhost:8000/v1/audio/transcriptions whisper-1 true",
		"http://127.0.0.1:8000/v1":                 "http://127.0.0.1:8000/v1/audio/transcriptions whisper-1 true",
		"https://x.example/a/audio/transcriptions": "https://x.example/a/audio/transcriptions whisper-1 true",
		"https://x.example/v1?api-version=1":       "https://x.example/v1/audio/transcriptions?api-version=1 whisper-1 true",
	} {
		e := newEngine(t, Options{URL: in, Stream: true})
		if got := fmt.Sprint(e.url, " ", e.o.Model, " ", e.o.Stream); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
	if e := newEngine(t, Options{Model: "whisper-1", Stream: true}); e.o.Stream {
		t.Error("whisper-1 at OpenAI is asked to stream")
	}
	for _, in := range []string{"http://example.com", "wss://example.com", "https://sentinel:x@example.com", "sentinel"} {
		if _, err := New(Options{URL: in}); err == nil || strings.Contains(err.Error(), "sentinel") {
			t.Errorf("%q: %v", in, err)
		}
	}
}

// A recording in which nobody speaks costs no request.
func TestSilenceIsNotSent(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("sent") }))
	defer server.Close()
	for name, pcm := range map[string][]byte{"silence": make([]byte, 64000), "nothing": nil, "half a sample": {1}} {
		var ev events
		if text, err := newEngine(t, Options{URL: server.URL}).Recognize(t.Context(), enginetest.Whole(pcm), ev.emit); text != "" || err != nil {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}

// 25 MiB is taken, a sample more is not sent.
func TestTooLarge(t *testing.T) {
	var requests atomic.Int32
	var length int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		if f, head, err := r.FormFile("file"); err == nil {
			length = head.Size
			f.Close()
		}
		io.WriteString(w, `{"text":"x"}`)
	}))
	defer server.Close()
	one := speech(t)
	var pcm []byte
	for len(pcm) < MaxFile {
		pcm = append(pcm, one...)
	}
	e := newEngine(t, Options{URL: server.URL})
	if text, err := e.Recognize(t.Context(), enginetest.Whole(pcm[:MaxFile-44]), new(events).emit); text != "x" || err != nil || length != MaxFile {
		t.Errorf("%q, %v, %d bytes", text, err, length)
	}
	_, err := e.Recognize(t.Context(), enginetest.Whole(pcm[:MaxFile-42]), new(events).emit)
	var f *engine.Failure
	if !errors.As(err, &f) || f.Kind != engine.Audio || f.Code != "too_large" || requests.Load() != 1 {
		t.Errorf("%+v, %d requests", err, requests.Load())
	}
}

// A connection that was kept and has died is no failure of the next take.
func TestKeptConnectionDies(t *testing.T) {
	var requests atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		io.Copy(io.Discard, r.Body)
		io.WriteString(w, `{"text":"x"}`)
	}))
	var conns []net.Conn
	server.Config.ConnState = func(c net.Conn, s http.ConnState) {
		if s == http.StateNew {
			conns = append(conns, c)
		}
	}
	server.Start()
	defer server.Close()
	e := newEngine(t, Options{URL: server.URL})
	for i := range 3 {
		if text, err := e.Recognize(t.Context(), enginetest.Whole(speech(t)), new(events).emit); text != "x" || err != nil {
			t.Fatalf("take %d: %q, %v", i, text, err)
		}
		conns[len(conns)-1].Close()
	}
}

// Cancelling ends a take at every step, and the connection with it; that is how
// a server learns of it.
func TestCancel(t *testing.T) {
	for name, handler := range map[string]http.HandlerFunc{
		"answer": func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		},
		"body": func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			io.WriteString(w, "data: {\"type\":\"transcript.text.delta\",\"delta\":\"x\"}\n\n")
			http.NewResponseController(w).Flush()
			<-r.Context().Done()
		},
	} {
		t.Run(name, func(t *testing.T) {
			ended := make(chan struct{})
			entered := make(chan struct{})
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				defer close(ended)
				close(entered)
				handler(w, r)
			}))
			defer server.Close()
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				<-entered
				time.Sleep(50 * time.Millisecond)
				cancel()
			}()
			if text, err := newEngine(t, Options{URL: server.URL}).Recognize(ctx, enginetest.Whole(speech(t)), new(events).emit); text != "" || !errors.Is(err, context.Canceled) {
				t.Errorf("%q, %v", text, err)
			}
			select {
			case <-ended:
			case <-time.After(10 * time.Second):
				t.Error("the request goes on")
			}
		})
	}
	// While somebody speaks.
	ctx, cancel := context.WithCancel(t.Context())
	tape, take := enginetest.Live()
	tape.Write(speech(t))
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := newEngine(t, Options{}).Recognize(ctx, take, new(events).emit); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestFailures(t *testing.T) {
	answer := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			w.WriteHeader(status)
			io.WriteString(w, body)
		}
	}
	broken := sseOpenAI[:strings.Index(sseOpenAI, "\n\n")+2]
	for _, tt := range []struct {
		name    string
		handler http.HandlerFunc
		request time.Duration
		kind    string
		code    string
		text    string
	}{
		{"key", answer(401, `{"error":{"code":"invalid_api_key","message":"sentinel"}}`), 0, engine.Auth, "invalid_api_key", ""},
		{"key without words", answer(401, ``), 0, engine.Auth, "http_401", ""},
		{"busy", answer(429, `{"error":{"type":"rate_limit_error"}}`), 0, engine.Busy, "rate_limit_error", ""},
		{"too large", answer(413, `{"error":{"code":413}}`), 0, engine.Audio, "error_413", ""},
		{"model", answer(404, `{"object":"error","message":"sentinel","type":"NotFoundError","code":404}`), 0, engine.Unavailable, "error_404", ""},
		{"server", answer(500, `<html>sentinel`), 0, engine.Unavailable, "http_500", ""},
		{"page", answer(200, `<html>sentinel`), 0, engine.Protocol, "bad_answer", ""},
		{"nothing", answer(200, ``), 0, engine.Protocol, "bad_answer", ""},
		{"odd code", answer(400, `{"error":{"code":"two words\nsentinel"}}`), 0, engine.Unavailable, "http_400", ""},
		{"hang", func(w http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body); <-r.Context().Done() }, 100 * time.Millisecond, engine.Timeout, "request", ""},
		{"cut off", answer(200, broken), 0, engine.Crashed, "cut_off", "Open the "},
		{"reset", func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			io.WriteString(w, broken)
			http.NewResponseController(w).Flush()
			time.Sleep(20 * time.Millisecond)
			panic(http.ErrAbortHandler)
		}, 0, engine.Crashed, "cut_off", "Open the "},
		{"redirect", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		}, 0, engine.Protocol, "redirect", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/elsewhere" {
					t.Error("followed")
				}
				tt.handler(w, r)
			}))
			defer server.Close()
			o := Options{URL: server.URL, Stream: true}
			if tt.request != 0 {
				o.Connect, o.Request = time.Second, tt.request-2*time.Second // and the recording's own length
			}
			text, err := newEngine(t, o).Recognize(t.Context(), enginetest.Whole(speech(t)), new(events).emit)
			var f *engine.Failure
			if !errors.As(err, &f) || text != "" || f.Kind != tt.kind || f.Code != tt.code || f.Text != tt.text || !strings.HasPrefix(f.Error(), "engine \"mine\" failed: ") || strings.Contains(f.Error(), "sentinel") {
				t.Errorf("%q, %+v: %v", text, f, err)
			}
		})
	}
	// A service that heard no words is no failure.
	server := httptest.NewServer(answer(400, `{"error":{"code":"audio_too_short"}}`))
	defer server.Close()
	if text, err := newEngine(t, Options{URL: server.URL}).Recognize(t.Context(), enginetest.Whole(speech(t)), new(events).emit); text != "" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	_, err := newEngine(t, Options{URL: "http://127.0.0.1:1"}).Recognize(t.Context(), enginetest.Whole(speech(t)), new(events).emit)
	if f := (*engine.Failure)(nil); !errors.As(err, &f) || f.Kind != engine.Unavailable || f.Code != "no_connection" || strings.Contains(err.Error(), "127.0.0.1") {
		t.Errorf("%v", err)
	}
}

package engines_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"voice-input/pkg/asr/audio"
	asrengine "voice-input/pkg/asr/engine"
	"voice-input/pkg/asr/enginetest"
	"voice-input/pkg/asr/openai"
	"voice-input/pkg/wire"
)

// upload is a request to the service of TestService, and where its text goes.
type upload struct {
	pcm   []byte
	hints []string
	text  chan string
}

// service is an OpenAI-compatible server whose recognitions are done by
// whoever receives them.
func service(t *testing.T) (url string, uploads <-chan upload) {
	t.Helper()
	jobs := make(chan upload)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f, _, err := r.FormFile("file")
		if err != nil {
			http.Error(w, `{"error":{"code":"missing_file"}}`, http.StatusBadRequest)
			return
		}
		samples, err := audio.WAV(f)
		if err != nil {
			http.Error(w, `{"error":{"code":"invalid_audio"}}`, http.StatusBadRequest)
			return
		}
		job := upload{text: make(chan string)}
		job.pcm, _ = io.ReadAll(samples)
		// The most valuable term is the last one of a prompt.
		for _, term := range strings.Split(r.FormValue("prompt"), ", ") {
			if term != "" {
				job.hints = append([]string{term}, job.hints...)
			}
		}
		jobs <- job
		json.NewEncoder(w).Encode(map[string]string{"text": <-job.text})
	}))
	t.Cleanup(server.Close)
	return server.URL, jobs
}

// TestService has a real recogniser behind a service: what the engine for
// services sends is what was said, sample by sample, for the text is the same as
// without it; and a term is heard because it came along as a hint.
func TestService(t *testing.T) {
	t.Parallel()
	need(t, "flite")
	url, uploads := service(t)
	client, err := openai.New(openai.Options{Name: "service", URL: url, Hints: openai.Prompt, Vocabulary: true, Connect: 5 * time.Second, Request: patience})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	direct, behind := pocketsphinx(t), pocketsphinx(t)
	term := say(t, "rms", "the vee eye session program must never guess")
	for _, tt := range []struct {
		name  string
		pcm   []byte
		hints []string
		want  string
	}{
		{"human", human(t, "goforward.raw"), nil, "go forward ten meters"},
		{"term", term, []string{"vi-session", "JSONL"}, "the vi-session program must never guess"},
		{"the same without a hint", term, nil, ""},
		{"sentence", say(t, "slt", "the weather was cold and the wind came from the north"), nil, ""},
	} {
		want := direct.text(tt.pcm, tt.hints...)
		if tt.want != "" && want != tt.want || want == "" {
			t.Errorf("%s: the recogniser alone heard %q", tt.name, want)
		}
		take := enginetest.Whole(tt.pcm)
		take.Language, take.Hints = "en", enginetest.Hints(asrengine.Hints{Words: tt.hints})
		type result struct {
			text string
			err  error
		}
		done := make(chan result, 1)
		go func() {
			text, err := client.Recognize(t.Context(), take, func(*wire.ASR) {})
			done <- result{text, err}
		}()
		select {
		case job := <-uploads:
			job.text <- behind.text(job.pcm, job.hints...)
		case r := <-done:
			t.Fatalf("%s: it was not sent: %q, %v", tt.name, r.text, r.err)
		}
		if r := <-done; r.text != want || r.err != nil {
			t.Errorf("%s: %q, %v, want %q", tt.name, r.text, r.err, want)
		}
		if tt.name == "the same without a hint" && strings.Contains(want, "vi-session") {
			t.Errorf("%s: %q", tt.name, want)
		}
	}
	direct.end()
	behind.end()
}

package engines_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// asked is what the stand-in for whisper-server was asked.
type asked struct {
	WAV            []any
	PID            int
	Language       string
	Prompt         string
	Temperature    string
	TemperatureInc string `json:"temperature_inc"`
}

// whisper starts the engine with testdata/bin/whisper-server in front of
// whatever else the machine has.
func whisper(t *testing.T, model string) *engine {
	t.Helper()
	need(t, "python3")
	return start(t, whisperEnv(t), enginePath(t, "whisper"), "--model", model)
}

func whisperEnv(t *testing.T) []string {
	t.Helper()
	bin, err := filepath.Abs("testdata/bin")
	if err != nil {
		t.Fatal(err)
	}
	return []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "XDG_DATA_HOME=" + t.TempDir()}
}

func model(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte("weights"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func (e *engine) ask(pcm []byte, language string, hints ...string) (a asked) {
	e.t.Helper()
	e.send(take(file(e.t, pcm), language, hints...))
	event, partials := e.result()
	if err := json.Unmarshal([]byte(event.Text), &a); err != nil || partials != 0 {
		e.t.Fatalf("%+v, %d partials: %v", event, partials, err)
	}
	return a
}

func TestWhisperServer(t *testing.T) {
	t.Parallel()
	e := whisper(t, model(t, "ggml-base.bin"))
	if e.ready.Engine != "whisper.cpp base" {
		t.Errorf("engine %q", e.ready.Engine)
	}
	pcm := human(t, "goforward.raw")
	a := e.ask(pcm, "zh-CN", "JSONL", "vi-session")
	if a.Prompt != "vi-session, JSONL." || a.Language != "zh" || a.TemperatureInc != "0.0" || a.Temperature != "0.0" {
		t.Errorf("asked %+v", a)
	}
	if a.WAV[0] != "RIFF" || int(a.WAV[1].(float64)) != 44+len(pcm) {
		t.Errorf("WAV %v, want RIFF of %d bytes", a.WAV, 44+len(pcm))
	}
	first := a.PID
	if a = e.ask(pcm, ""); a.Language != "auto" || a.Prompt != "" || a.PID != first {
		t.Errorf("second take asked %+v", a)
	}
	for hint, code := range map[string]string{"fail": "server_500", "die": "server_lost"} {
		e.send(take(file(t, pcm), "en", hint))
		if event, _ := e.result(); event.Type != "error" || event.Kind != "engine" || event.Code != code {
			t.Errorf("%s: %+v", hint, event)
		}
	}
	if a = e.ask(pcm, "en"); a.PID == first {
		t.Error("the server that died was not started again")
	}
	if got := e.text(pcm, "sounds"); got != "" {
		t.Errorf("sounds: %q", got)
	}
	if got := e.text(silence(1000), "fail"); got != "" { // not even asked
		t.Errorf("silence: %q", got)
	}
	e.end()
	gone(t, a.PID, "whisper-server")
}

func TestWhisperEnglishModel(t *testing.T) {
	t.Parallel()
	e := whisper(t, model(t, "ggml-base.en.bin"))
	pcm := human(t, "goforward.raw")
	if a := e.ask(pcm, ""); a.Language != "en" {
		t.Errorf("asked %+v", a)
	}
	e.send(take(file(t, pcm), "zh"))
	if event, _ := e.result(); event.Kind != "language" {
		t.Errorf("Chinese: %+v", event)
	}
	e.end()
}

// TestWhisperKilled kills the engine so that it cannot clean up.
func TestWhisperKilled(t *testing.T) {
	t.Parallel()
	for _, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM} {
		e := whisper(t, model(t, "ggml-base.bin"))
		a := e.ask(human(t, "goforward.raw"), "en")
		e.cmd.Process.Signal(signal)
		e.cmd.Wait()
		gone(t, a.PID, "whisper-server after "+signal.String())
	}
}

func TestWhisperCheck(t *testing.T) {
	t.Parallel()
	need(t, "python3")
	path := enginePath(t, "whisper")
	env := whisperEnv(t)
	home := strings.TrimPrefix(env[1], "XDG_DATA_HOME=")
	status, errs := check(t, env, path)
	if status != 69 || !strings.Contains(errs, "voice-input model get whisper-base") {
		t.Errorf("no model: %d, %q", status, errs)
	}
	dir := filepath.Join(home, "voice-input/models/whisper-tiny")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "ggml-tiny.bin"), []byte("weights"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, argv := range [][]string{{path}, {path, "--model", "whisper-tiny"}, {path, "--model", dir}} {
		if status, errs := check(t, env, argv...); status != 0 || errs != "" {
			t.Errorf("%q: %d, %q", argv, status, errs)
		}
	}
	if status, errs := check(t, env, path, "--model", "whisper-large"); status != 69 || strings.Count(errs, "\n") != 1 {
		t.Errorf("another model: %d, %q", status, errs)
	}
}

func TestWhisperText(t *testing.T) {
	t.Parallel()
	tests := []struct{ text, want string }{
		{" Go forward.", "Go forward."},
		{"[BLANK_AUDIO]", ""},
		{" (soft music) Go forward. [ Silence ]", "Go forward."},
		{"♪ la la ♪", ""},
		{"*coughs* yes", "yes"},
		{"Call f(x) and a[0].", "Call f(x) and a[0]."},
		{"the (optional) argument", "the (optional) argument"},
		{" ... ", ""},
		{"Thanks for watching!", ""},
		{"Thanks for watching the logs.", "Thanks for watching the logs."},
		{"Thank you.", "Thank you."},
		{"字幕由志愿者提供", ""},
		{"<|nospeech|>", ""},
	}
	texts := make([]string, len(tests))
	for i := range tests {
		texts[i] = tests[i].text
	}
	argument, _ := json.Marshal(texts)
	var got []string
	python(t, "whisper", "[m.clean(t) for t in "+string(argument)+"]", &got)
	for i, tt := range tests {
		if got[i] != tt.want {
			t.Errorf("clean(%q) = %q, want %q", tt.text, got[i], tt.want)
		}
	}
}

func TestWhisperPrompt(t *testing.T) {
	t.Parallel()
	var got []string
	python(t, "whisper", `[m.prompt([]), m.prompt(["  "]), m.prompt(["first", "sec\nond"]),
		m.prompt(["term%d" % i for i in range(500)]), m.prompt(["词" * 50] * 20)]`, &got)
	if got[0] != "" || got[1] != "" || got[2] != "sec ond, first." {
		t.Errorf("prompts %q", got[:3])
	}
	if n := len(got[3]); n < 500 || n > 642 || !strings.HasSuffix(got[3], "term1, term0.") {
		t.Errorf("prompt of %d bytes ends with %q", n, got[3][max(0, n-20):])
	}
	if n := len([]rune(got[4])); n > 224 {
		t.Errorf("Chinese prompt of %d characters", n)
	}
}

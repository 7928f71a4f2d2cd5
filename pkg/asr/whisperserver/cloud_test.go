package whisperserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"voice-input/pkg/asr/engine"
	"voice-input/pkg/asr/enginetest"
	"voice-input/pkg/wire"
	"voice-input/tests/fakecloud"
)

func speech(t testing.TB) []byte {
	t.Helper()
	b, err := os.ReadFile("../../../tests/testdata/speech/goforward.wav")
	if err != nil {
		t.Fatal(err)
	}
	return b[44:]
}

// start starts a server of whisper.cpp's kind that hears speech.
func start(t *testing.T, scenario fakecloud.Scenario, o Options) (*fakecloud.Server, *Engine) {
	t.Helper()
	pcm := speech(t)
	scenario.Audio = fakecloud.Sound{Exact: pcm, Total: int64(len(pcm) / 2)}
	if scenario.Text == "" {
		scenario.Text = "Open the panel.\n关闭它。\nAnd close it."
	}
	srv, err := fakecloud.Start(scenario)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { srv.Close() })
	o.Name, o.Vocabulary = "whisper-server", true
	if o.URL = srv.Base() + o.URL; o.Connect == 0 {
		o.Connect = 5 * time.Second
	}
	if o.Request == 0 {
		o.Request = 10 * time.Second
	}
	e, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return srv, e
}

func recognize(t *testing.T, e *Engine, language string, words ...string) (text, events string, err error) {
	t.Helper()
	take := enginetest.Whole(speech(t))
	take.Language, take.Hints = language, enginetest.Hints(engine.Hints{Words: words})
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	var types []string
	text, err = e.Recognize(ctx, take, func(ev *wire.ASR) { types = append(types, ev.Type) })
	if shown := fmt.Sprint(text, err); strings.Contains(shown, fakecloud.Sentinel) || strings.Contains(shown, "127.0.0.1") {
		t.Error(shown)
	}
	return text, strings.Join(types, " "), err
}

func TestTake(t *testing.T) {
	for _, tt := range []struct {
		name, language string
		words          []string
		fields         map[string]string
		events         string
	}{
		{"plain", "", nil, map[string]string{"language": "auto", "response_format": "json", "prompt": ""}, "ready"},
		{"language", "zh-CN", nil, map[string]string{"language": "zh", "prompt": ""}, "ready"},
		{"terms", "en", []string{"语音", "kubectl"}, map[string]string{"language": "en", "prompt": "kubectl, 语音", "carry_initial_prompt": "true"}, "ready context_sent"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			srv, e := start(t, fakecloud.Scenario{}, Options{})
			text, events, err := recognize(t, e, tt.language, tt.words...)
			// Segments stand in lines of their own.
			if text != "Open the panel.关闭它。And close it." || err != nil || events != tt.events {
				t.Errorf("%q, %s, %v", text, events, err)
			}
			fields := map[string]string{}
			for _, m := range srv.Sessions(fakecloud.Inference)[0].Messages {
				fields[m.Name] = m.Text
			}
			for name, want := range tt.fields {
				if fields[name] != want {
					t.Errorf("%s is %q, want %q", name, fields[name], want)
				}
			}
			srv.Check(t)
		})
	}
}

// The model is waited for, within the time for connecting.
func TestLoading(t *testing.T) {
	srv, e := start(t, fakecloud.Scenario{Inference: fakecloud.InferenceOptions{Loading: 500}}, Options{})
	if text, _, err := recognize(t, e, ""); text == "" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	if n := len(srv.Sessions(fakecloud.Health)); n < 2 {
		t.Errorf("asked %d times", n)
	}
	srv.Check(t)
	_, e = start(t, fakecloud.Scenario{Inference: fakecloud.InferenceOptions{Loading: 60_000}}, Options{Connect: 300 * time.Millisecond})
	_, _, err := recognize(t, e, "")
	if f := (*engine.Failure)(nil); !errors.As(err, &f) || f.Kind != engine.Timeout || f.Code != "loading" {
		t.Errorf("%v", err)
	}
}

// It does one recording at a time; the others wait.
func TestSerial(t *testing.T) {
	srv, e := start(t, fakecloud.Scenario{Inference: fakecloud.InferenceOptions{Work: 200}}, Options{})
	results := make(chan error, 3)
	for range cap(results) {
		go func() {
			text, _, err := recognize(t, e, "")
			if text == "" && err == nil {
				err = errors.New("no text")
			}
			results <- err
		}()
	}
	for range cap(results) {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
	srv.Check(t)
}

// Who cancels leaves, and the server gives the recognition up.
func TestCancel(t *testing.T) {
	srv, e := start(t, fakecloud.Scenario{Inference: fakecloud.InferenceOptions{Work: 600_000}}, Options{Request: time.Hour})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		srv.Wait(ctx, func([]fakecloud.Session) bool { return len(srv.Sessions(fakecloud.Inference)) == 1 })
		time.Sleep(100 * time.Millisecond)
		cancel()
	}()
	if _, err := e.Recognize(ctx, enginetest.Whole(speech(t)), func(*wire.ASR) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	waiting, stop := context.WithTimeout(t.Context(), 30*time.Second)
	defer stop()
	if err := srv.Wait(waiting, func([]fakecloud.Session) bool { return srv.Sessions(fakecloud.Inference)[0].Closed != nil }); err != nil {
		t.Error("the recognition goes on")
	} else if how := srv.Sessions(fakecloud.Inference)[0].Closed.How; how != "aborted" {
		t.Errorf("it was %s", how)
	}
}

func TestFaults(t *testing.T) {
	for _, tt := range []struct {
		fault      fakecloud.Fault
		kind, code string
	}{
		{fakecloud.Fault{Name: fakecloud.HTTPStatus, Status: 400}, engine.Unavailable, "http_400"},
		{fakecloud.Fault{Name: fakecloud.HTTPStatus, Status: 500}, engine.Unavailable, "http_500"},
		{fakecloud.Fault{Name: fakecloud.HTTPStatus, Status: 429}, engine.Busy, "http_429"},
		{fakecloud.Fault{Name: fakecloud.Redirect}, engine.Protocol, "redirect"},
		{fakecloud.Fault{Name: fakecloud.InvalidJSON}, engine.Protocol, "bad_answer"},
		{fakecloud.Fault{Name: fakecloud.EmptyBody}, engine.Protocol, "bad_answer"},
		{fakecloud.Fault{Name: fakecloud.HTMLError}, engine.Unavailable, "http_502"},
		{fakecloud.Fault{Name: fakecloud.HugeBody}, engine.Protocol, "too_large"},
		{fakecloud.Fault{Name: fakecloud.CloseMidBody}, engine.Crashed, "cut_off"},
		{fakecloud.Fault{Name: fakecloud.Hang}, engine.Timeout, "request"},
		{fakecloud.Fault{Name: fakecloud.SlowBody, Every: 1000}, engine.Timeout, "request"},
	} {
		t.Run(fmt.Sprint(tt.fault.Name, tt.fault.Status), func(t *testing.T) {
			t.Parallel()
			o := Options{}
			if tt.kind == engine.Timeout {
				o.Request = -3 * time.Second // and the recording's length on top
			}
			tt.fault.Protocol = fakecloud.Inference
			_, e := start(t, fakecloud.Scenario{Faults: []fakecloud.Fault{tt.fault}}, o)
			text, _, err := recognize(t, e, "")
			var f *engine.Failure
			if !errors.As(err, &f) || text != "" || f.Kind != tt.kind || f.Code != tt.code {
				t.Errorf("%q, %+v", text, f)
			}
		})
	}
	e, _ := New(Options{URL: "http://127.0.0.1:1", Connect: time.Second})
	_, _, err := recognize(t, e, "")
	if f := (*engine.Failure)(nil); !errors.As(err, &f) || f.Kind != engine.Unavailable || f.Code != "no_connection" || f.Hint == "" {
		t.Errorf("%v", err)
	}
}

func TestSilenceIsNotSent(t *testing.T) {
	srv, e := start(t, fakecloud.Scenario{}, Options{})
	if text, err := e.Recognize(t.Context(), enginetest.Whole(make([]byte, 64000)), func(*wire.ASR) {}); text != "" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	if n := len(srv.Sessions(fakecloud.Inference)); n != 0 {
		t.Errorf("%d requests", n)
	}
}

func TestAddresses(t *testing.T) {
	for in, want := range map[string]string{
		"":                                  "http://127.0.0.1:8080/inference http://127.0.0.1:8080/health",
		"http://localhost:9/":               "http://localhost:9/inference http://localhost:9/health",
		"https://x.example/stt/inference":   "https://x.example/stt/inference https://x.example/stt/health",
		"https://x.example/v1/audio?key=no": "https://x.example/v1/audio?key=no https://x.example/health",
	} {
		e, err := New(Options{URL: in})
		if err != nil || e.inference+" "+e.health != want {
			t.Errorf("%q: %+v, %v", in, e, err)
		}
	}
	for _, in := range []string{"http://example.com", "ws://127.0.0.1", "x"} {
		if _, err := New(Options{URL: in}); err == nil {
			t.Errorf("%q", in)
		}
	}
}

func TestParse(t *testing.T) {
	for in, want := range map[string]string{
		`{"text":" Open the panel.\n And close it.\n"}`: "Open the panel. And close it.",
		`{"text":" 打开面板。\n 关闭\n"}`:                      "打开面板。关闭",
		`{"text":""}`:                                   "",
		`{"text":" x","segments":[{}]}`:                 "x",
	} {
		if got, err := parse([]byte(in)); got != want || err != nil {
			t.Errorf("%s: %q, %v", in, got, err)
		}
	}
	for _, in := range []string{``, `{}`, `{"text":1}`, `[]`, `{"error":"sentinel"}`, `{"text":"a"`} {
		if _, err := parse([]byte(in)); !errors.Is(err, errNotAnswer) {
			t.Errorf("%s: %v", in, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"text":" a\n b"}`))
	f.Add([]byte("{\"text\":\"\xff\\n\"}"))
	f.Fuzz(func(t *testing.T, in []byte) {
		if text, err := parse(in); err != nil && text != "" {
			t.Errorf("%q, %v", text, err)
		}
	})
}

package qwenrealtime

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"voice-input/pkg/asr/engine"
	"voice-input/pkg/wire"
)

var update = flag.Bool("u", false, "write the golden files anew")

// The golden files hold every message that leaves, for each combination of
// language and words.
func TestMessages(t *testing.T) {
	context := engine.Hints{Words: []string{"RareModel", "Qwen-Audio-3"}, Context: "RareModel\nQwen-Audio-3"}
	both := engine.Hints{Words: []string{"语音", "RareModel"}, Context: "RareModel", Vocabulary: []wire.Vocabulary{{Text: "语音", Weight: 5}}}
	for _, tt := range []struct {
		name, language string
		hints          engine.Hints
		vocabulary     bool
	}{
		{"plain", "", engine.Hints{}, true},
		{"language", "zh", engine.Hints{}, true},
		{"context", "", context, true},
		{"language-context", "en", context, true},
		{"vocabulary-context", "zh", both, true},
		{"vocabulary-off", "zh", both, false},
		{"hints-of-a-take", "", engine.Hints{Words: []string{"a", "b"}}, true},
		{"html", "", engine.Hints{Context: "a<b>&c"}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e, err := New(Options{Vocabulary: tt.vocabulary, VADThreshold: 0.2, VADSilenceMS: 400})
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			w := &writer{send: func(b []byte) error {
				out.Write(b)
				return out.WriteByte('\n')
			}}
			w.update(newSession(e.o, tt.language, e.words(tt.hints)))
			w.append([]byte{1, 0, 2, 0})
			w.append([]byte{3, 0})
			w.finish()
			path := filepath.Join("testdata", tt.name+".jsonl")
			if *update {
				os.MkdirAll("testdata", 0o755)
				os.WriteFile(path, out.Bytes(), 0o644)
			}
			want, err := os.ReadFile(path)
			if err != nil || !bytes.Equal(out.Bytes(), want) {
				t.Errorf("%v\n%s\nwant\n%s", err, &out, want)
			}
		})
	}
}

// D1: the context is never longer than 400 characters, and the user's own
// words have a bound of their own.
func TestRule_D1_WordsAreBounded(t *testing.T) {
	e, _ := New(Options{Vocabulary: true})
	var h engine.Hints
	for range 300 {
		h.Vocabulary = append(h.Vocabulary, wire.Vocabulary{Text: "词语词语"})
		h.Context += "术语术语\n"
	}
	got := e.words(h)
	if n := utf8.RuneCountInString(got); n > 801 || n < 780 {
		t.Errorf("%d characters", n)
	}
	if n := utf8.RuneCountInString(got[strings.Index(got, "术"):]); n > 400 {
		t.Errorf("context has %d characters", n)
	}
}

func TestAddresses(t *testing.T) {
	for _, tt := range []struct{ region, workspace, url, model, want, hint string }{
		{"", "", "", "", "wss://dashscope.aliyuncs.com/api-ws/v1/realtime?model=qwen3-asr-flash-realtime", "beijing"},
		{"beijing", "", "", "m", "wss://dashscope.aliyuncs.com/api-ws/v1/realtime?model=m", "beijing"},
		{"singapore", "", "", "", "wss://dashscope-intl.aliyuncs.com/api-ws/v1/realtime?model=qwen3-asr-flash-realtime", "singapore"},
		{"singapore", "ws-1", "", "", "wss://ws-1.ap-southeast-1.maas.aliyuncs.com/api-ws/v1/realtime?model=qwen3-asr-flash-realtime", "singapore"},
		{"beijing", "", "ws://127.0.0.1:9/x", "m", "ws://127.0.0.1:9/x?model=m", ""},
		{"beijing", "", "wss://example.com/x?model=own", "m", "wss://example.com/x?model=own", ""},
	} {
		e, err := New(Options{Region: tt.region, Workspace: tt.workspace, URL: tt.url, Model: tt.model})
		if err != nil || e.url != tt.want || e.region != tt.hint {
			t.Errorf("%+v: %v, %v", tt, e, err)
		}
	}
	for _, o := range []Options{{Region: "mars"}, {Workspace: "a/b"}, {URL: "ws://example.com/"}, {URL: "wss://sentinel:x@example.com/"}} {
		if _, err := New(o); err == nil || strings.Contains(err.Error(), "sentinel") {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

func TestParse(t *testing.T) {
	for in, want := range map[string]serverEvent{
		`{"type":"session.created","session":{"id":"x"}}`:                                   {kind: "session.created"},
		`{"type":"input_audio_buffer.speech_started","audio_start_ms":1,"item_id":"i"}`:     {kind: speechStarted, item: "i"},
		`{"type":"input_audio_buffer.committed","previous_item_id":"h","item_id":"i"}`:      {kind: bufferCommitted, item: "i", previous: "h"},
		`{"type":"input_audio_buffer.committed","previous_item_id":null,"item_id":"i"}`:     {kind: bufferCommitted, item: "i"},
		`{"type":"` + textEvent + `","item_id":"i","text":"open the","stash":" panel"}`:     {kind: textEvent, item: "i", text: "open the panel"},
		`{"type":"` + textEvent + `","item_id":"i","stash":"open"}`:                         {kind: textEvent, item: "i", text: "open"},
		`{"type":"` + textCompleted + `","item_id":"i","transcript":"open"}`:                {kind: textCompleted, item: "i", text: "open"},
		`{"type":"` + textFailed + `","item_id":"i","error":{"code":"c","message":"m"}}`:    {kind: textFailed, item: "i", code: "c", message: "m"},
		`{"type":"error","error":{"type":"invalid_request_error","code":"","message":"m"}}`: {kind: serviceError, code: "invalid_request_error", message: "m"},
		`{"type":"error","error":"sentinel"}`:                                               {kind: serviceError},
		`{"type":"error","error":{"code":7}}`:                                               {kind: serviceError},
		`{"type":"unknown","text":7,"item_id":[]}`:                                          {kind: "unknown"},
	} {
		if got, err := parse([]byte(in)); err != nil || got != want {
			t.Errorf("%s: %+v, %v", in, got, err)
		}
	}
	for _, in := range []string{
		``, `{`, `[]`, `{}`, `{"type":null}`, `{"type":1}`, `null`, `"x"`,
		`{"type":"` + textEvent + `","text":"x"}`, `{"type":"` + textEvent + `","item_id":"i"}`, `{"type":"` + textEvent + `","item_id":"i","text":1}`,
		`{"type":"` + textEvent + `","item_id":7,"text":"x"}`, `{"type":"` + textCompleted + `","item_id":"i"}`,
		`{"type":"` + textCompleted + `","item_id":"i","transcript":null}`, strings.Repeat("[", 100_000),
	} {
		if _, err := parse([]byte(in)); !errors.Is(err, errProtocol) {
			t.Errorf("%.40s: %v", in, err)
		}
	}
}

func TestTextIsCutBetweenCharacters(t *testing.T) {
	in := `{"type":"` + textCompleted + `","item_id":"i","transcript":"` + strings.Repeat("语", maxItem) + `"}`
	got, err := parse([]byte(in))
	if err != nil || len(got.text) > maxItem || len(got.text) < maxItem-3 || !utf8.ValidString(got.text) {
		t.Errorf("%d bytes, %v", len(got.text), err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"type":"error","error":{"code":"x"}}`))
	f.Add([]byte(`{"type":"` + textEvent + `","item_id":"i","text":"a","stash":"b"}`))
	f.Add([]byte(`{"type":"` + textCompleted + `","item_id":"i","transcript":"\ud800"}`))
	f.Add([]byte("{\"type\":\"input_audio_buffer.committed\",\"item_id\":\"\xff\"}"))
	f.Fuzz(func(t *testing.T, in []byte) {
		e, err := parse(in)
		if err != nil && (e != serverEvent{} || !errors.Is(err, errProtocol)) {
			t.Errorf("%+v, %v", e, err)
		}
		if len(e.text) > maxItem || !utf8.ValidString(e.text) {
			t.Errorf("%d bytes of text", len(e.text))
		}
		if err == nil && !json.Valid(in) {
			t.Error("no JSON, and no error")
		}
	})
}

func TestHandshakeCode(t *testing.T) {
	for in, want := range map[string]string{
		`{"code":"InvalidApiKey","message":"sentinel"}`:   "InvalidApiKey",
		`{"error":{"code":"invalid_api_key","type":"x"}}`: "invalid_api_key",
		`{"code":401}`: "", `<html>`: "", ``: "", `{"error":"x"}`: "", `[]`: "",
	} {
		if got := handshakeCode([]byte(in)); got != want {
			t.Errorf("%s: %q", in, got)
		}
	}
}

package qwenaudio

import (
	"math"
	"strings"
	"testing"
	"time"

	"voice-input/pkg/asr/native"
	"voice-input/pkg/internal/apikey"
)

func TestEndpoint(t *testing.T) {
	for _, tt := range []struct{ region, workspace, custom, want string }{
		{"", "", "", "wss://dashscope.aliyuncs.com/api-ws/v1/inference"},
		{"beijing", "", "", "wss://dashscope.aliyuncs.com/api-ws/v1/inference"},
		{"singapore", "", "", "wss://dashscope-intl.aliyuncs.com/api-ws/v1/inference"},
		{"beijing", "llm-x1", "", "wss://llm-x1.cn-beijing.maas.aliyuncs.com/api-ws/v1/inference"},
		{"singapore", "llm-x1", "", "wss://llm-x1.ap-southeast-1.maas.aliyuncs.com/api-ws/v1/inference"},
		{"singapore", "llm-x1", "ws://127.0.0.1:9/api-ws/v1/inference/?a=b", "ws://127.0.0.1:9/api-ws/v1/inference/?a=b"},
		{"", "", "wss://example.com/inference/", "wss://example.com/inference/"},
		{"mars", "", "", "!no such region"},
		{"beijing", "evil.example.com/", "", "!workspace"},
		{"", "", "ws://example.com/sentinel", "!only https and wss"},
		{"", "", "wss://sentinel@example.com/", "!user name"},
		{"", "", "wss://example.com/" + strings.Repeat("sentinel", 300), "!longer"},
	} {
		got, err := Endpoint(tt.region, tt.workspace, tt.custom)
		piece, fails := strings.CutPrefix(tt.want, "!")
		switch {
		case !fails && (err != nil || got != tt.want):
			t.Errorf("%+v: %q, %v", tt, got, err)
		case fails && (err == nil || !strings.Contains(err.Error(), piece) || strings.Contains(err.Error(), "sentinel")):
			t.Errorf("%+v: %v", tt, err)
		}
	}
}

func TestPreset(t *testing.T) {
	number := func(f float64) *float64 { return &f }
	dormant := Segmentation{MaxSentenceSilenceMS: 1, SemanticPunctuation: true, MultiThreshold: true, NoiseThreshold: number(9)}
	for name, want := range map[string]Segmentation{
		"": {MaxSentenceSilenceMS: 800}, Standard: {MaxSentenceSilenceMS: 800},
		LowLatency: {MaxSentenceSilenceMS: 400, MultiThreshold: true},
		LongForm:   {MaxSentenceSilenceMS: 1300, SemanticPunctuation: true},
	} {
		if got, err := Preset(name, dormant); err != nil || got != want {
			t.Errorf("%q: %+v, %v", name, got, err)
		}
	}
	for _, tt := range []struct {
		custom Segmentation
		wrong  string
	}{
		{Segmentation{MaxSentenceSilenceMS: 200}, ""},
		{Segmentation{MaxSentenceSilenceMS: 6000, SemanticPunctuation: true, NoiseThreshold: number(1)}, ""},
		{Segmentation{MaxSentenceSilenceMS: 800, MultiThreshold: true, NoiseThreshold: number(-1)}, ""},
		{Segmentation{MaxSentenceSilenceMS: 199}, "max_sentence_silence_ms"},
		{Segmentation{MaxSentenceSilenceMS: 6001}, "max_sentence_silence_ms"},
		{Segmentation{MaxSentenceSilenceMS: 800, SemanticPunctuation: true, MultiThreshold: true}, "multi_threshold"},
		{Segmentation{MaxSentenceSilenceMS: 800, NoiseThreshold: number(1.01)}, "speech_noise_threshold"},
		{Segmentation{MaxSentenceSilenceMS: 800, NoiseThreshold: number(math.NaN())}, "speech_noise_threshold"},
		{Segmentation{MaxSentenceSilenceMS: 800, NoiseThreshold: number(math.Inf(-1))}, "speech_noise_threshold"},
	} {
		got, err := Preset(Custom, tt.custom)
		switch {
		case tt.wrong == "" && (err != nil || got != tt.custom):
			t.Errorf("%+v: %+v, %v", tt.custom, got, err)
		case tt.wrong != "" && (err == nil || !strings.Contains(err.Error(), tt.wrong)):
			t.Errorf("%+v: %v", tt.custom, err)
		}
	}
	if _, err := Preset("quick", Segmentation{}); err == nil {
		t.Error("there is a preset quick")
	}
}

// keyOf makes a key as the configuration would.
func keyOf(t testing.TB, value string) apikey.Key {
	t.Helper()
	k, err := apikey.Source{Environ: []string{"K"}}.Find(t.Context(), func(string) string { return value })
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestNew(t *testing.T) {
	good := Options{Name: "qwen-audio3", Key: keyOf(t, "sentinel"), Connect: time.Second, Finalize: time.Second, Request: time.Second}
	for _, tt := range []struct {
		name   string
		change func(*Options)
		good   bool
	}{
		{"usual", func(*Options) {}, true},
		{"adaptive", func(o *Options) { o.Native = native.Adaptive }, true},
		{"workspace", func(o *Options) { o.Region, o.Workspace, o.Native = "singapore", "llm-1", native.Always }, true},
		{"custom", func(o *Options) { o.URL = "ws://127.0.0.1:1/x" }, true},
		{"custom with native", func(o *Options) { o.URL, o.NativeURL, o.Native = "ws://[::1]:1/x", "http://[::1]:1/y", native.Always }, true},
		{"no key", func(o *Options) { o.Key = apikey.Key{} }, false},
		{"region", func(o *Options) { o.Region = "mars" }, false},
		{"address", func(o *Options) { o.URL = "ws://example.com/sentinel" }, false},
		{"preset", func(o *Options) { o.Preset = Custom }, false},
		{"mode", func(o *Options) { o.Native = "sometimes" }, false},
		{"half of the addresses", func(o *Options) { o.URL, o.Native = "ws://127.0.0.1:1/x", native.Adaptive }, false},
		{"native address", func(o *Options) {
			o.URL, o.NativeURL, o.Native = "ws://127.0.0.1:1/x", "http://example.com/sentinel", native.Adaptive
		}, false},
	} {
		o := good
		tt.change(&o)
		e, err := New(o)
		if (err == nil) != tt.good || (err == nil) != (e != nil) {
			t.Errorf("%s: %v", tt.name, err)
		}
		if err != nil && strings.Contains(err.Error(), "sentinel") {
			t.Errorf("%s: the key or the address stands in %v", tt.name, err)
		}
		if e != nil {
			e.Close()
		}
	}
}

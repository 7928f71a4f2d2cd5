package native

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"voice-input/pkg/asr/engine"
	"voice-input/pkg/wire"
)

// The whole request for each combination of what may be in it, with two
// samples for the recording.
func TestRequests(t *testing.T) {
	const (
		header  = `{"model":"m","input":{"messages":[`
		context = `{"role":"user","content":[{"type":"input_text","text":"RareModel\nQwen-Audio-3 <&> \"base64,\""}]},`
		audio   = `{"role":"user","content":[{"type":"input_audio","input_audio":{"data":"data:audio/wav;base64,UklGRigAAABXQVZFZm10IBAAAAABAAEAgD4AAAB9AAACABAAZGF0YQQAAAABAP9/"}}]}`
		format  = `]},"parameters":{"format":"wav","sample_rate":"16000"`
		hints   = `,"language_hints":["zh","en"]`
		words   = `,"vocabulary":{"Voice Input":5,"语音":4,"超级":50}`
		end     = `}}`
	)
	text := "RareModel\nQwen-Audio-3 <&> \"base64,\""
	languages := []string{"zh", "en"}
	vocabulary := []wire.Vocabulary{{Text: "语音"}, {Text: " Voice Input ", Weight: 5}, {Text: "超级", Weight: 50}, {Text: strings.Repeat("长", 16)}, {Text: "a\nb"}}
	for _, tt := range []struct {
		name      string
		languages []string
		hints     engine.Hints
		want      string
	}{
		{"nothing", nil, engine.Hints{}, header + audio + format + end},
		{"words alone are no context", nil, engine.Hints{Words: []string{"voice-input"}}, header + audio + format + end},
		{"languages", languages, engine.Hints{}, header + audio + format + hints + end},
		{"vocabulary", nil, engine.Hints{Vocabulary: vocabulary}, header + audio + format + words + end},
		{"vocabulary that does not fit", nil, engine.Hints{Vocabulary: vocabulary[3:]}, header + audio + format + end},
		{"context", nil, engine.Hints{Context: text}, header + context + audio + format + end},
		{"languages, vocabulary", languages, engine.Hints{Vocabulary: vocabulary}, header + audio + format + hints + words + end},
		{"context, languages", languages, engine.Hints{Context: text}, header + context + audio + format + hints + end},
		{"context, vocabulary", nil, engine.Hints{Context: text, Vocabulary: vocabulary}, header + context + audio + format + words + end},
		{"all", languages, engine.Hints{Context: text, Vocabulary: vocabulary}, header + context + audio + format + hints + words + end},
	} {
		got := newEnvelope("m", tt.languages, tt.hints).body([]byte{1, 0, 0xff, 0x7f})
		if string(got) != tt.want {
			t.Errorf("%s:\n%s, want\n%s", tt.name, got, tt.want)
		}
		if !json.Valid(got) {
			t.Errorf("%s: no JSON", tt.name)
		}
	}
}

// All pieces of a take have the same request around them.
func TestEnvelopeIsUsedAgain(t *testing.T) {
	e := newEnvelope("m", nil, engine.Hints{Context: "term"})
	first := string(e.body([]byte{1, 0}))
	e.body(make([]byte, 1000))
	if again := string(e.body([]byte{1, 0})); again != first {
		t.Errorf("%s, first %s", again, first)
	}
}

// The largest request: 300 s are below the 10 MiB of a file and the 20 MiB of
// a data URI.
func TestLargestRequest(t *testing.T) {
	const maxURI = 20_971_520
	body := newEnvelope(Model, nil, engine.Hints{}).body(make([]byte, bytesOfMaxPiece))
	_, data, _ := strings.Cut(string(body), "base64,")
	data, _, _ = strings.Cut(data, `"`)
	wav, err := base64.StdEncoding.DecodeString(data)
	if err != nil || len(wav) > maxFile || len(wav) != 44+bytesOfMaxPiece || len(data) > maxURI {
		t.Errorf("%d bytes of WAV in %d: %v", len(wav), len(data), err)
	}
}

package native

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strconv"

	"voice-input/pkg/asr/dashscope"
	"voice-input/pkg/asr/engine"
	"voice-input/pkg/asr/hotwords"
	"voice-input/pkg/internal/wavfile"
)

type request struct {
	Model string `json:"model"`
	Input struct {
		Messages []message `json:"messages"`
	} `json:"input"`
	Parameters parameters `json:"parameters"`
}

type message struct {
	Role    string `json:"role"`
	Content []part `json:"content"`
}

type part struct {
	Type  string      `json:"type"`
	Text  string      `json:"text,omitempty"`
	Audio *inputAudio `json:"input_audio,omitempty"`
}

type inputAudio struct {
	Data string `json:"data"`
}

type parameters struct {
	Format        string         `json:"format"`
	SampleRate    string         `json:"sample_rate"` // a string here, unlike in the stream
	LanguageHints []string       `json:"language_hints,omitempty"`
	Vocabulary    map[string]int `json:"vocabulary,omitempty"`
}

// envelope is a request around its recording.
type envelope struct{ before, after []byte }

// recordingGoes is where the recording stands in a request. No text can hold
// it: a quotation mark in one is escaped.
const recordingGoes = `data:audio/wav;base64,"`

// newEnvelope returns the request of a take. All of its pieces go with the same
// context and vocabulary.
func newEnvelope(model string, languages []string, hints engine.Hints) envelope {
	r := request{Model: model}
	if context := dashscope.Context(hints); context != "" {
		r.Input.Messages = append(r.Input.Messages, message{"user", []part{{Type: "input_text", Text: context}}})
	}
	r.Input.Messages = append(r.Input.Messages, message{"user", []part{{Type: "input_audio", Audio: &inputAudio{recordingGoes[:len(recordingGoes)-1]}}}})
	r.Parameters = parameters{"wav", strconv.Itoa(engine.Rate), languages, hotwords.Of(hints.Vocabulary)}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.Encode(r) // nothing in it can fail
	before, after, _ := bytes.Cut(bytes.TrimSpace(b.Bytes()), []byte(recordingGoes))
	return envelope{append(before[:len(before):len(before)], recordingGoes[:len(recordingGoes)-1]...), append([]byte(`"`), after...)}
}

// body returns the request with a recording.
func (e envelope) body(pcm []byte) []byte {
	wav := append(wavfile.Header(engine.Rate, int64(len(pcm))), pcm...)
	b := make([]byte, 0, len(e.before)+base64.StdEncoding.EncodedLen(len(wav))+len(e.after))
	b = append(b, e.before...)
	b = base64.StdEncoding.AppendEncode(b, wav)
	return append(b, e.after...)
}

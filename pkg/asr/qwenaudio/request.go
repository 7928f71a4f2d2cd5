package qwenaudio

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"voice-input/pkg/asr/dashscope"
	"voice-input/pkg/asr/engine"
	"voice-input/pkg/asr/hotwords"
	"voice-input/pkg/asr/language"
)

// What a client says. The order of the fields is that of the documentation.
type (
	request struct {
		Header  header  `json:"header"`
		Payload payload `json:"payload"`
	}
	header struct {
		Action    string `json:"action"`
		TaskID    string `json:"task_id"`
		Streaming string `json:"streaming"`
	}
	payload struct {
		TaskGroup  string      `json:"task_group,omitempty"`
		Task       string      `json:"task,omitempty"`
		Function   string      `json:"function,omitempty"`
		Model      string      `json:"model,omitempty"`
		Input      input       `json:"input"`
		Parameters *parameters `json:"parameters,omitempty"`
	}
	input struct {
		Context []turn `json:"context,omitempty"`
	}
	turn struct {
		Role    string `json:"role"`
		Content []part `json:"content"`
	}
	part struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	parameters struct {
		Format                     string         `json:"format"`
		SampleRate                 int            `json:"sample_rate"`
		Heartbeat                  bool           `json:"heartbeat"`
		MaxSentenceSilence         int            `json:"max_sentence_silence"`
		SemanticPunctuationEnabled bool           `json:"semantic_punctuation_enabled"`
		MultiThresholdModeEnabled  bool           `json:"multi_threshold_mode_enabled,omitempty"`
		SpeechNoiseThreshold       *float64       `json:"speech_noise_threshold,omitempty"`
		IntermediateResultEnabled  bool           `json:"intermediate_result_enabled,omitempty"`
		LanguageHints              []string       `json:"language_hints,omitempty"`
		Vocabulary                 map[string]int `json:"vocabulary,omitempty"`
	}
)

// order is what a take's tasks are asked to do; it is the same for each of
// them, to the byte.
type order struct {
	model      string
	parameters parameters
	context    string // "" is none
}

// newOrder makes the order of a take.
func newOrder(o Options, s Segmentation, tag string, hints engine.Hints) order {
	p := parameters{
		Format: "pcm", SampleRate: engine.Rate, Heartbeat: o.Heartbeat,
		MaxSentenceSilence:         s.MaxSentenceSilenceMS,
		SemanticPunctuationEnabled: s.SemanticPunctuation,
		MultiThresholdModeEnabled:  s.MultiThreshold,
		SpeechNoiseThreshold:       s.NoiseThreshold,
		LanguageHints:              languages(o, tag),
		// Only these models tell nothing of a sentence before its end otherwise.
		IntermediateResultEnabled: strings.HasSuffix(o.Model, "-message"),
	}
	if o.Vocabulary {
		p.Vocabulary = hotwords.Of(hints.Vocabulary)
	}
	out := order{model: o.Model, parameters: p}
	if !strings.HasPrefix(o.Model, "qwen-audio") {
		// The other models know no more than a weight of 5.
		for word, weight := range p.Vocabulary {
			p.Vocabulary[word] = min(weight, 5)
		}
	}
	if !strings.HasPrefix(o.Model, "paraformer") { // which has no context
		out.context = dashscope.Context(hints)
	}
	return out
}

// spoken are the languages that the service has codes for.
var spoken = strings.Fields("zh en ja ko vi th id ms tl hi ar fr de es pt ru it nl sv da fi no el pl cs hu ro bg hr sk")

// languages returns the languages that may be spoken. One that the service
// does not know would cost the whole task, so it is left out.
func languages(o Options, tag string) []string {
	return slices.DeleteFunc(language.Hints(tag, o.LanguageHints), func(code string) bool {
		return !slices.Contains(spoken, code)
	})
}

// runTask returns the message that begins a task.
func (o order) runTask(id string) []byte {
	r := request{header{"run-task", id, "duplex"}, payload{
		TaskGroup: "audio", Task: "asr", Function: "recognition", Model: o.model, Parameters: &o.parameters,
	}}
	if o.context != "" {
		r.Payload.Input.Context = []turn{{"user", []part{{"input_text", o.context}}}}
	}
	return r.encode()
}

// finishTask returns the message behind the last samples.
func finishTask(id string) []byte {
	return request{Header: header{"finish-task", id, "duplex"}}.encode()
}

func (r request) encode() []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.Encode(r) // nothing in it can fail
	return bytes.TrimSpace(b.Bytes())
}

// newTaskID returns a random UUID. The service wants each only once.
func newTaskID() string {
	var b [16]byte
	rand.Read(b[:])
	b[6] = b[6]&0x0f | 0x40 // version 4
	b[8] = b[8]&0x3f | 0x80 // variant 10
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

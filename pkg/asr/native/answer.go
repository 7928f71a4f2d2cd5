package native

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"voice-input/pkg/asr/engine"
	"voice-input/pkg/asr/provider"
)

// answer is what the service says: on its general domain all of a result lies
// in output, on that of a workspace it may lie beside it as well.
type answer struct {
	Output *struct {
		Text *string `json:"text"`
	} `json:"output"`
	Text    *string `json:"text"`
	Code    string  `json:"code"`
	Message string  `json:"message"`
}

// parse returns the text of an answer, "" if the service heard no words.
// Nothing of a failed one but its code is ever shown.
func parse(status int, body []byte, region string) (string, *engine.Failure) {
	var a answer
	err := json.Unmarshal(body, &a)
	if text := a.text(); err == nil && status == http.StatusOK && text != "" {
		return text, nil
	}
	refusal := provider.Classify(status, a.Code, a.Message)
	switch {
	case err == nil && refusal.Kind == provider.Empty:
		return "", nil
	case status != http.StatusOK:
		return "", refusal.Failure(region)
	case err != nil:
		return "", protocol("bad_answer", "the service answered what cannot be read")
	case a.Code != "":
		return "", provider.Classify(0, a.Code, a.Message).Failure(region)
	case a.Output == nil && a.Text == nil:
		return "", protocol("no_output", "the service answered without a result")
	}
	return "", nil
}

func protocol(code, says string) *engine.Failure {
	return &engine.Failure{Kind: engine.Protocol, Code: code, Err: errors.New(says)}
}

// text returns the first text that is not blank.
func (a *answer) text() string {
	if a.Output != nil && a.Output.Text != nil {
		if text := strings.TrimSpace(*a.Output.Text); text != "" {
			return text
		}
	}
	if a.Text != nil {
		return strings.TrimSpace(*a.Text)
	}
	return ""
}

package openai

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"voice-input/pkg/asr/upload"
	"voice-input/pkg/internal/remote"
)

// What can be wrong with an answer. None of the messages holds any of it.
var (
	errNotAnswer = errors.New("it answered with something that is no transcription")
	errCutOff    = upload.ErrCutOff
)

// serviceError is what a service says is wrong.
type serviceError struct {
	status int // of HTTP, 0 within an answer
	code   string
}

func (e *serviceError) Error() string { return "it answered with an error" }

// readAnswer reads the answer of a service that took the recording: a JSON
// document, or a stream of events in one of two dialects. Which it is its own
// shape tells, for services ignore what they are asked for and mislabel what
// they send. Progress gets the text so far; with an error, it is what is
// returned.
func readAnswer(body io.Reader, progress func(text string)) (string, error) {
	limited := &io.LimitedReader{R: body, N: remote.MaxBody + 1}
	in := bufio.NewReader(limited)
	skipSpace(in)
	begin, err := in.Peek(1)
	var text string
	switch {
	case err == io.EOF:
		err = errNotAnswer
	case err != nil:
	case begin[0] == '{':
		if text, err = readDocument(in); limited.N == 0 {
			text = ""
		}
	default:
		text, err = readStream(in, progress)
	}
	if limited.N == 0 {
		err = remote.ErrTooLarge
	}
	return text, err
}

// skipSpace skips white space and a byte order mark.
func skipSpace(in *bufio.Reader) {
	for {
		r, _, err := in.ReadRune()
		if err != nil {
			return
		}
		if !strings.ContainsRune(" \t\r\n\ufeff", r) {
			in.UnreadRune()
			return
		}
	}
}

// document is the whole answer, also in its verbose form.
type document struct {
	Text     *string
	Segments []struct{ Text string }
	Error    json.RawMessage
}

func readDocument(in io.Reader) (string, error) {
	b, err := io.ReadAll(in)
	if err != nil {
		return "", err
	}
	var d document
	switch err := json.Unmarshal(b, &d); {
	case err != nil:
		return "", errNotAnswer
	case present(d.Error):
		return "", &serviceError{code: errorCode(b)}
	case d.Text != nil:
		return strings.TrimSpace(*d.Text), nil
	case len(d.Segments) > 0:
		var text strings.Builder
		for _, s := range d.Segments {
			text.WriteString(s.Text) // they bring their own spaces
		}
		return strings.TrimSpace(text.String()), nil
	}
	return "", errNotAnswer
}

func present(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// event is one of a stream. OpenAI's have a type, vLLM's an object.
type event struct {
	Type    string
	Delta   json.RawMessage
	Text    json.RawMessage
	Object  string
	Choices []struct {
		Delta        struct{ Content *string }
		FinishReason *string `json:"finish_reason"`
	}
	Error json.RawMessage
}

func readStream(in io.Reader, progress func(string)) (string, error) {
	events := newEventStream(in)
	var text strings.Builder
	some, finished := false, false
	for {
		data, err := events.next()
		switch {
		case err == io.EOF && finished:
			return strings.TrimSpace(text.String()), nil
		case err == io.EOF && !some:
			return "", errNotAnswer
		case err == io.EOF:
			return text.String(), errCutOff
		case err != nil:
			return text.String(), err
		}
		if some = true; string(bytes.TrimSpace(data)) == "[DONE]" {
			return strings.TrimSpace(text.String()), nil
		}
		var e event
		if json.Unmarshal(data, &e) != nil {
			return text.String(), errNotAnswer
		}
		var delta string
		switch {
		case present(e.Error), e.Type == "error":
			return text.String(), &serviceError{code: errorCode(data)}
		case e.Type == "transcript.text.delta":
			err = json.Unmarshal(e.Delta, &delta)
		case e.Type == "transcript.text.done":
			var whole *string
			if err := json.Unmarshal(e.Text, &whole); err != nil || whole == nil {
				return text.String(), errNotAnswer
			}
			return strings.TrimSpace(*whole), nil
		default:
			for _, c := range e.Choices {
				if c.Delta.Content != nil {
					delta += *c.Delta.Content
				}
				finished = finished || c.FinishReason != nil && *c.FinishReason != ""
			}
		}
		if err != nil {
			return text.String(), errNotAnswer
		}
		if delta != "" {
			text.WriteString(delta)
			progress(text.String())
		}
	}
}

// errorCode returns what a service calls its error, "" if it has no name for
// it: {"error":{"code":…}}, with a type instead of a code, or the same on top.
func errorCode(b []byte) string {
	type named struct{ Code, Type json.RawMessage }
	var outer struct {
		named
		Error json.RawMessage
	}
	var inner named
	json.Unmarshal(b, &outer)
	json.Unmarshal(outer.Error, &inner)
	for _, raw := range []json.RawMessage{inner.Code, inner.Type, outer.Code, outer.Type} {
		var s string
		var n json.Number
		switch {
		case json.Unmarshal(raw, &s) == nil && s != "" && s != "error":
			return s
		case json.Unmarshal(raw, &n) == nil && n != "":
			return fmt.Sprint("error_", n)
		}
	}
	return ""
}

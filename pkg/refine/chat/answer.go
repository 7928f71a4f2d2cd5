package chat

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"voice-input/pkg/internal/remote"
)

// readAnswer reads what a service answered with status 200 until the model
// has finished: a stream of events or one JSON object, whatever the service
// calls it. Thinking is passed over.
func readAnswer(body io.Reader, maxText int) (string, *Failure) {
	limited := &io.LimitedReader{R: body, N: remote.MaxBody + 1}
	r := bufio.NewReaderSize(limited, 16<<10)
	if maxText == 0 {
		maxText = remote.MaxBody
	}
	a := &answer{max: maxText}
	f := a.read(r)
	switch {
	case limited.N == 0:
		f = broken(remote.ErrTooLarge)
	case f != nil:
	default:
		f = a.judge()
	}
	if f != nil {
		return "", f
	}
	return a.text.String(), nil
}

// answer is what came of an answer so far.
type answer struct {
	max     int
	text    strings.Builder
	finish  string // why the model stopped
	refusal bool
	tools   bool
	choices int
}

// reply is one JSON object: the whole answer, or a piece of it.
type reply struct {
	Error   json.RawMessage `json:"error"`
	Choices []struct {
		Index   int     `json:"index"`
		Message *piece  `json:"message"`
		Delta   *piece  `json:"delta"`
		Finish  *string `json:"finish_reason"`
	} `json:"choices"`
}

// piece is a message or a part of one. Members for thoughts are not read.
type piece struct {
	Content   content           `json:"content"`
	Refusal   *string           `json:"refusal"`
	ToolCalls []json.RawMessage `json:"tool_calls"`
}

// content is a string, or parts of which those of text count.
type content string

// UnmarshalJSON implements json.Unmarshaler.
func (c *content) UnmarshalJSON(b []byte) error {
	var s *string
	if json.Unmarshal(b, &s) == nil {
		if s != nil {
			*c = content(*s)
		}
		return nil
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if err := json.Unmarshal(b, &parts); err != nil {
		return err
	}
	for _, p := range parts {
		if p.Type == "text" || p.Type == "output_text" {
			*c += content(p.Text)
		}
	}
	return nil
}

// read tells a stream from an object by how it begins.
func (a *answer) read(r *bufio.Reader) *Failure {
	if b, _ := r.Peek(3); string(b) == "\ufeff" {
		r.Discard(3)
	}
	for {
		b, err := r.ReadByte()
		switch {
		case err == io.EOF:
			return fail(BadAnswer, "the answer is empty")
		case err != nil:
			return broken(err)
		case b == ' ', b == '\t', b == '\r', b == '\n':
			continue
		}
		r.UnreadByte()
		if b != '{' {
			return a.stream(r)
		}
		whole, err := io.ReadAll(r)
		if err != nil {
			return broken(err)
		}
		if f := a.add(whole); f != nil {
			return f
		}
		if a.choices == 0 {
			return fail(BadAnswer, "the answer holds no choice")
		}
		return nil
	}
}

// stream reads events until the model has finished, the stream ends, or
// something is wrong.
func (a *answer) stream(r io.Reader) *Failure {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, remote.MaxBody+1)
	var data []byte
	first, isError := true, false
	for lines.Scan() {
		line := lines.Bytes()
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		if first && !isField(string(name)) {
			return fail(BadAnswer, "the answer is neither JSON nor a stream of events")
		}
		first = false
		switch {
		case len(line) == 0:
			done, f := a.event(data, isError)
			if done || f != nil {
				return f
			}
			data, isError = data[:0], false
		case string(name) == "data":
			if len(data) > 0 {
				data = append(data, '\n')
			}
			data = append(data, value...)
		case string(name) == "event":
			isError = string(value) == "error"
		}
	}
	if err := lines.Err(); err != nil && !errors.Is(err, bufio.ErrTooLong) {
		return broken(err)
	}
	// A last event need not have an empty line behind it.
	if _, f := a.event(data, isError); f != nil {
		return f
	}
	if a.finish == "" {
		return broken(io.ErrUnexpectedEOF)
	}
	return nil
}

// isField tells whether a line of a stream can begin with name and a colon; a
// comment has no name.
func isField(name string) bool {
	switch name {
	case "", "data", "event", "id", "retry":
		return true
	}
	return false
}

// event adds the data of an event and tells whether it was the last that
// matters.
func (a *answer) event(data []byte, isError bool) (done bool, f *Failure) {
	data = bytes.TrimSpace(data)
	switch {
	case isError:
		return true, fail(Unavailable, "the service broke off with an error")
	case len(data) == 0:
		return false, nil
	case string(data) == "[DONE]":
		if a.finish == "" {
			return true, fail(BadAnswer, "the answer does not say why it ends")
		}
		return true, nil
	}
	f = a.add(data)
	return a.finish != "", f
}

// add takes in one JSON object.
func (a *answer) add(object []byte) *Failure {
	var r reply
	if err := json.Unmarshal(object, &r); err != nil {
		return fail(BadAnswer, "the answer is not the JSON of a chat service")
	}
	if e := bytes.TrimSpace(r.Error); len(e) > 0 && string(e) != "null" {
		return reported(e)
	}
	for _, c := range r.Choices {
		if c.Index != 0 {
			continue
		}
		a.choices++
		for _, p := range []*piece{c.Message, c.Delta} {
			if p != nil {
				a.text.WriteString(string(p.Content))
				a.refusal = a.refusal || p.Refusal != nil && *p.Refusal != ""
				a.tools = a.tools || len(p.ToolCalls) > 0
			}
		}
		if c.Finish != nil {
			a.finish = strings.ToLower(*c.Finish)
		}
	}
	if a.text.Len() > a.max {
		return fail(Truncated, "the model does not come to an end")
	}
	return nil
}

// reported is the failure of an answer with status 200 that holds an error.
// OpenRouter gives the status that it stands for as its code.
func reported(e []byte) *Failure {
	var object struct {
		Code json.RawMessage `json:"code"`
	}
	var status int
	if json.Unmarshal(e, &object) == nil && json.Unmarshal(object.Code, &status) == nil && status >= 400 && status < 600 {
		return refused(status, http.Header{}, []byte(`{"error":`+string(e)+`}`), time.Now())
	}
	return fail(Unavailable, "the service reports an error")
}

// judge tells whether an answer that came whole is one that the model
// finished by itself.
func (a *answer) judge() *Failure {
	switch {
	case a.refusal:
		return fail(Refused, "the model refuses")
	case a.tools:
		return fail(BadAnswer, "the model wants to call a tool")
	}
	switch a.finish {
	case "stop", "eos", "eos_token", "end_turn", "stop_sequence":
	case "length", "max_tokens":
		return fail(Truncated, "the answer was cut off")
	case "content_filter", "safety", "sensitive":
		return fail(Refused, "the service filtered the answer")
	default:
		return fail(BadAnswer, "the answer does not say that it is finished")
	}
	switch text := a.text.String(); {
	case strings.TrimSpace(text) == "":
		return fail(BadAnswer, "the answer holds no text")
	case strings.ContainsRune(text, utf8.RuneError):
		// A character came in two halves; what it was cannot be known.
		return fail(BadAnswer, "the answer holds broken characters")
	}
	return nil
}

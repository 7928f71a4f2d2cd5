package qwenaudio

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// What a service says.
const (
	started  = "task-started"
	result   = "result-generated"
	finished = "task-finished"
	failed   = "task-failed"
)

// message is what a service says. Events that are not known have only a name.
type message struct {
	event string
	// sentence is what a result tells of a sentence, nil for a heartbeat.
	sentence *sentence
	// text is the whole text, which a service may repeat when it finishes.
	text string
	// code and message are why a task failed. The message is foreign text.
	code, message string
}

// sentence is the state of one sentence.
type sentence struct {
	id         int64 // 0: the service does not number it
	text       string
	final      bool
	begin, end string // as they stand there, to know a repetition
}

// protocolError says what is wrong with a message, in words of our own.
type protocolError struct{ code, says string }

func (e *protocolError) Error() string { return e.says }

// Everything that can be wrong with a message.
var (
	errMalformed = &protocolError{"malformed", "the service sent a message that is no JSON"}
	errHeader    = &protocolError{"no_header", "the service sent a message without event and task"}
	errWrongTask = &protocolError{"wrong_task", "the service sent a message of another task"}
	errNoText    = &protocolError{"no_text", "the service sent a result without a text"}
	errTwice     = &protocolError{"twice", "the service sent a result that says two things"}
	errOrder     = &protocolError{"order", "the service sent an event out of turn"}
	errTooMuch   = &protocolError{"too_much", fmt.Sprintf("the service sent more than %d sentences or %d KiB of text", maxSentences, maxText>>10)}
)

// parse reads a message of a task. Invalid UTF-8 in a text becomes U+FFFD.
func parse(b []byte, task string) (message, error) {
	// The depth of what is valid for encoding/json is bounded, so all that is
	// done with it is.
	if !json.Valid(b) {
		return message{}, errMalformed
	}
	head := gjson.GetBytes(b, "header")
	event, id := head.Get("event"), head.Get("task_id")
	switch {
	case !head.IsObject(), event.Type != gjson.String, id.Type != gjson.String:
		return message{}, errHeader
	case id.Str != task:
		return message{}, errWrongTask
	}
	m := message{event: event.Str}
	payload := gjson.GetBytes(b, "payload")
	var err error
	switch m.event {
	case result:
		m.sentence, err = readResult(payload.Get("output"))
	case finished:
		m.sentence, m.text, err = readFinished(payload.Get("output"))
	case failed:
		m.code, m.message = firstString(head.Get("error_code"), payload.Get("code"), payload.Get("error.code")), head.Get("error_message").String()
	}
	return m, err
}

// readResult reads the output of a result. It is nil for a heartbeat, of which
// nothing counts.
func readResult(output gjson.Result) (*sentence, error) {
	if s := output.Get("sentence"); s.IsObject() {
		return readSentence(s)
	}
	text := output.Get("text")
	if text.Type != gjson.String {
		return nil, errNoText
	}
	return &sentence{text: clip(text.Str)}, nil
}

// readFinished reads the output of the last message, which is empty unless it
// repeats a sentence or the whole text.
func readFinished(output gjson.Result) (*sentence, string, error) {
	s := output.Get("sentence")
	if !s.IsObject() || s.Get("text").Type != gjson.String {
		return nil, validUTF8(output.Get("text").Str), nil
	}
	last, err := readSentence(s)
	if err != nil || last == nil {
		return nil, "", err
	}
	if last.id == 0 {
		return nil, last.text, nil
	}
	last.final = true // nothing comes after it
	return last, "", nil
}

func readSentence(s gjson.Result) (*sentence, error) {
	var text, end, heartbeat, id, begin, ends gjson.Result
	twice := false
	set := func(to *gjson.Result, v gjson.Result) {
		twice = twice || to.Exists()
		*to = v
	}
	s.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "text":
			set(&text, value)
		case "sentence_end":
			set(&end, value)
		case "heartbeat":
			set(&heartbeat, value)
		// Of these the first counts; they never decide about the text.
		case "sentence_id":
			id = first(id, value)
		case "begin_time":
			begin = first(begin, value)
		case "end_time":
			ends = first(ends, value)
		}
		return true
	})
	switch {
	case twice:
		return nil, errTwice
	case heartbeat.Type == gjson.True:
		return nil, nil
	case text.Type != gjson.String:
		return nil, errNoText
	}
	out := &sentence{text: clip(text.Str), final: end.Type == gjson.True, begin: number(begin), end: number(ends)}
	if !end.Exists() || end.Type == gjson.Null {
		// Older models do not say whether it is the end, but when it was.
		out.final = ends.Type == gjson.Number
	}
	if id.Type == gjson.Number && id.Num >= 1 && id.Num <= 1<<53 {
		out.id = int64(id.Num)
	}
	return out, nil
}

func first(old, v gjson.Result) gjson.Result {
	if old.Exists() {
		return old
	}
	return v
}

// number returns a number as it is written, "" for anything else.
func number(v gjson.Result) string {
	if v.Type != gjson.Number || len(v.Raw) > 32 {
		return ""
	}
	return v.Raw
}

func firstString(of ...gjson.Result) string {
	for _, v := range of {
		if v.Type == gjson.String && v.Str != "" {
			return v.Str
		}
	}
	return ""
}

// clip bounds the text of a sentence.
func clip(s string) string {
	if len(s) > maxSentence {
		s = s[:maxSentence]
		// A character that was cut in two goes with its other half.
		for i := 1; i < utf8.UTFMax && i < len(s); i++ {
			if c := s[len(s)-i]; utf8.RuneStart(c) {
				if !utf8.FullRuneInString(s[len(s)-i:]) {
					s = s[:len(s)-i]
				}
				break
			}
		}
	}
	return validUTF8(s)
}

func validUTF8(s string) string { return strings.ToValidUTF8(s, "\ufffd") }

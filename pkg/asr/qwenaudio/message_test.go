package qwenaudio

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

// say makes a message of the task of the tests.
func say(event, payload string) string {
	return fmt.Sprintf(`{"header":{"task_id":%q,"event":%q,"attributes":{}},"payload":%s}`, taskID, event, payload)
}

func sayResult(sentence string) string {
	return say(result, `{"output":{"sentence":`+sentence+`},"usage":null}`)
}

func TestParse(t *testing.T) {
	long := strings.Repeat("语", maxSentence/3)
	for _, tt := range []struct {
		name, in string
		want     message
		err      error
	}{
		{"started", say(started, `{}`), message{event: started}, nil},
		{"unknown", say("weather-changed", `{"output":{"sentence":7}}`), message{event: "weather-changed"}, nil},
		{"partial", sayResult(`{"sentence_id":1,"begin_time":170,"end_time":null,"text":"open the pa","heartbeat":false,"sentence_begin":true,"sentence_end":false,"words":[{"text":"open"}]}`),
			message{event: result, sentence: &sentence{id: 1, text: "open the pa", begin: "170"}}, nil},
		{"final", sayResult(`{"sentence_id":2,"begin_time":170,"end_time":920,"text":"open the panel.","sentence_end":true}`),
			message{event: result, sentence: &sentence{id: 2, text: "open the panel.", final: true, begin: "170", end: "920"}}, nil},
		{"final by its end", sayResult(`{"sentence_id":2,"begin_time":1,"end_time":920,"text":"x"}`),
			message{event: result, sentence: &sentence{id: 2, text: "x", final: true, begin: "1", end: "920"}}, nil},
		{"sentence_end null", sayResult(`{"end_time":9,"text":"x","sentence_end":null}`), message{event: result, sentence: &sentence{text: "x", final: true, end: "9"}}, nil},
		{"sentence_end a number", sayResult(`{"end_time":9,"text":"x","sentence_end":1}`), message{event: result, sentence: &sentence{text: "x", end: "9"}}, nil},
		{"sentence_end false, though ended", sayResult(`{"end_time":9,"text":"x","sentence_end":false}`), message{event: result, sentence: &sentence{text: "x", end: "9"}}, nil},
		{"heartbeat", sayResult(`{"sentence_id":0,"heartbeat":true,"sentence_end":false,"text":"sentinel"}`), message{event: result}, nil},
		{"heartbeat without text", sayResult(`{"heartbeat":true}`), message{event: result}, nil},
		{"heartbeat a string", sayResult(`{"heartbeat":"true","text":"x"}`), message{event: result, sentence: &sentence{text: "x"}}, nil},
		{"empty start", sayResult(`{"sentence_id":3,"text":"","sentence_begin":true}`), message{event: result, sentence: &sentence{id: 3}}, nil},
		{"output.text", say(result, `{"output":{"text":"x"}}`), message{event: result, sentence: &sentence{text: "x"}}, nil},
		{"null sentence, output.text", say(result, `{"output":{"sentence":null,"text":"x"}}`), message{event: result, sentence: &sentence{text: "x"}}, nil},
		{"bad ids", sayResult(`{"sentence_id":"1","text":"x"}`), message{event: result, sentence: &sentence{text: "x"}}, nil},
		{"huge id", sayResult(`{"sentence_id":1e300,"text":"x"}`), message{event: result, sentence: &sentence{text: "x"}}, nil},
		{"negative id", sayResult(`{"sentence_id":-1,"text":"x"}`), message{event: result, sentence: &sentence{text: "x"}}, nil},
		{"bad times", sayResult(`{"sentence_id":1,"begin_time":"soon","end_time":{},"words":[7,null],"text":"x","sentence_end":false}`), message{event: result, sentence: &sentence{id: 1, text: "x"}}, nil},
		{"times twice", sayResult(`{"sentence_id":1,"begin_time":1,"begin_time":2,"text":"x","sentence_end":false}`), message{event: result, sentence: &sentence{id: 1, text: "x", begin: "1"}}, nil},
		{"escapes", sayResult(`{"text":"a\"\u4e2d\ud83e\udd80","sentence_id":1}`), message{event: result, sentence: &sentence{id: 1, text: "a\"中🦀"}}, nil},
		{"half a surrogate", sayResult(`{"text":"a\ud83e","sentence_id":1}`), message{event: result, sentence: &sentence{id: 1, text: "a\ufffd"}}, nil},
		{"invalid UTF-8", sayResult("{\"text\":\"a\xff\xe4\xb8\",\"sentence_id\":1}"), message{event: result, sentence: &sentence{id: 1, text: "a\ufffd"}}, nil},
		{"16 KiB", sayResult(`{"text":"` + long + `ab"}`), message{event: result, sentence: &sentence{text: long + "a"}}, nil},
		{"a character across 16 KiB", sayResult(`{"text":"` + long + `语"}`), message{event: result, sentence: &sentence{text: long}}, nil},
		{"finished", say(finished, `{"output":{},"usage":null}`), message{event: finished}, nil},
		{"finished, no payload", `{"header":{"task_id":"` + taskID + `","event":"task-finished"}}`, message{event: finished}, nil},
		{"finished, text", say(finished, `{"output":{"text":"all"}}`), message{event: finished, text: "all"}, nil},
		{"finished, sentence", say(finished, `{"output":{"sentence":{"text":"all"}}}`), message{event: finished, text: "all"}, nil},
		{"finished, numbered", say(finished, `{"output":{"sentence":{"sentence_id":4,"text":"last"}}}`), message{event: finished, sentence: &sentence{id: 4, text: "last", final: true}}, nil},
		{"failed", `{"header":{"task_id":"` + taskID + `","event":"task-failed","error_code":"CLIENT_ERROR","error_message":"m"},"payload":{}}`, message{event: failed, code: "CLIENT_ERROR", message: "m"}, nil},
		{"failed, payload", say(failed, `{"code":"X"}`), message{event: failed, code: "X"}, nil},
		{"failed, error", say(failed, `{"error":{"code":"Y"}}`), message{event: failed, code: "Y"}, nil},
		{"failed, nothing", say(failed, `{"code":7}`), message{event: failed}, nil},

		{"no JSON", `hello`, message{}, errMalformed},
		{"empty", ``, message{}, errMalformed},
		{"cut", sayResult(`{"text":"x"}`)[:60], message{}, errMalformed},
		{"two", say(started, `{}`) + say(started, `{}`), message{}, errMalformed},
		{"array", `[]`, message{}, errHeader},
		{"no header", `{"payload":{}}`, message{}, errHeader},
		{"no event", `{"header":{"task_id":"` + taskID + `"}}`, message{}, errHeader},
		{"event a number", `{"header":{"task_id":"` + taskID + `","event":1}}`, message{}, errHeader},
		{"task a number", `{"header":{"task_id":1,"event":"task-started"}}`, message{}, errHeader},
		{"wrong task", `{"header":{"task_id":"x","event":"task-started"}}`, message{}, errWrongTask},
		{"wrong task, unknown event", `{"header":{"task_id":"x","event":"weather"}}`, message{}, errWrongTask},
		{"no text", sayResult(`{"sentence_id":1}`), message{event: result}, errNoText},
		{"text null", sayResult(`{"text":null}`), message{event: result}, errNoText},
		{"text a number", sayResult(`{"text":7}`), message{event: result}, errNoText},
		{"null sentence", sayResult(`null`), message{event: result}, errNoText},
		{"no output", say(result, `{}`), message{event: result}, errNoText},
		{"text twice", sayResult(`{"text":"sentinel","text":"y"}`), message{event: result}, errTwice},
		{"end twice", sayResult(`{"text":"x","sentence_end":false,"sentence_end":true}`), message{event: result}, errTwice},
		{"heartbeat twice", sayResult(`{"text":"x","heartbeat":true,"heartbeat":false}`), message{event: result}, errTwice},
		{"deep", sayResult(`{"text":"x","words":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `}`), message{}, errMalformed},
	} {
		got, err := parse([]byte(tt.in), taskID)
		if err != tt.err || err == nil && !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %+v %+v, %v", tt.name, got, got.sentence, err)
		}
		if err != nil && strings.Contains(err.Error(), "sentinel") {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// A sentence with 3,000 words is as good as one without, and 1 MiB of them is
// no more work than reading it.
func TestParseIsBounded(t *testing.T) {
	for _, words := range []int{3000, 15000} {
		in := sayResult(`{"sentence_id":1,"text":"x","sentence_end":true,"words":[` + strings.TrimSuffix(strings.Repeat(`{"begin_time":1,"end_time":2,"text":"w","punctuation":""},`, words), ",") + `]}`)
		got, err := parse([]byte(in), taskID)
		if err != nil || got.sentence.text != "x" {
			t.Errorf("%d words: %+v, %v", words, got, err)
		}
		if n := testing.AllocsPerRun(1, func() { parse([]byte(in), taskID) }); n > 20 {
			t.Errorf("%d words: %g allocations", words, n)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(say(started, `{}`)))
	f.Add([]byte(sayResult(`{"sentence_id":1,"begin_time":170,"end_time":null,"text":"open","sentence_end":false,"words":[{"text":"open"}]}`)))
	f.Add([]byte(sayResult(`{"heartbeat":true}`)))
	f.Add([]byte(say(finished, `{"output":{"sentence":{"sentence_id":4,"text":"last"}}}`)))
	f.Add([]byte(say(failed, `{"error":{"code":"Y"}}`)))
	f.Add([]byte(say(result, `{"output":{"text":"\ud83e\ud83e"}}`)))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := parse(b, taskID)
		if err != nil {
			if _, ours := err.(*protocolError); !ours {
				t.Errorf("%T", err)
			}
			return
		}
		if !json.Valid(b) {
			t.Error("took what is no JSON")
		}
		if s := m.sentence; s != nil && (s.id < 0 || len(s.text) > 3*maxSentence || !utf8.ValidString(s.text) || len(s.begin)+len(s.end) > 64) {
			t.Errorf("%+v", *s)
		}
		if !utf8.ValidString(m.text) || m.event == result && m.text != "" {
			t.Errorf("%+v", m)
		}
	})
}

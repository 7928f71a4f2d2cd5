package chat

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"voice-input/pkg/internal/remote"
)

func TestReadAnswer(t *testing.T) {
	const stop = `data: {"choices":[{"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	tests := []struct{ name, body, text, kind string }{
		{"object", `{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}`, "a", ""},
		{"old delta in an object", `{"choices":[{"delta":{"content":"a"},"finish_reason":"STOP"}]}`, "a", ""},
		{"stream", "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n" + stop, "a", ""},
		{"what follows the finish does not count", "data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\ndata: nonsense", "a", ""},
		{"no blank behind the colon", "data:{\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n" + stop, "a", ""},
		{"unknown fields", "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\nfoo: bar\nbaz\n\n" + stop, "a", ""},
		{"empty stream events", "data\n\ndata:\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n" + stop, "a", ""},
		{"nothing but a finish", stop, "", BadAnswer},
		{"empty", "", "", BadAnswer},
		{"blanks", " \n\t", "", BadAnswer},
		{"page", "<html>", "", BadAnswer},
		{"words", "hello there", "", BadAnswer},
		{"broken character", "{\"choices\":[{\"message\":{\"content\":\"a\xff\"},\"finish_reason\":\"stop\"}]}", "", BadAnswer},
		{"cut", `data: {"choices":[{"delta":{"content":"a"}}]}` + "\n\n", "", Unavailable},
		{"cut in an event", `data: {"choices":[{"del`, "", BadAnswer},
		{"too much text", `{"choices":[{"message":{"content":"` + strings.Repeat("a", 101) + `"},"finish_reason":"stop"}]}`, "", Truncated},
	}
	for _, tt := range tests {
		for _, r := range []io.Reader{strings.NewReader(tt.body), iotest.OneByteReader(strings.NewReader(tt.body)), iotest.DataErrReader(strings.NewReader(tt.body))} {
			text, f := readAnswer(r, 100)
			kind := ""
			if f != nil {
				kind = f.Kind
			}
			if text != tt.text || kind != tt.kind {
				t.Errorf("%s: %q, %v", tt.name, text, f)
			}
		}
	}
}

func TestReadAnswerEndsWithItsReader(t *testing.T) {
	_, f := readAnswer(io.MultiReader(strings.NewReader("data: {}\n\n"), iotest.ErrReader(iotest.ErrTimeout)), 0)
	if f == nil || f.Kind != Unavailable {
		t.Errorf("got %v", f)
	}
	_, f = readAnswer(io.MultiReader(strings.NewReader(`{"choices":[]`), strings.NewReader(strings.Repeat(" ", remote.MaxBody))), 0)
	if f == nil || f.Kind != BadAnswer || f.Err != remote.ErrTooLarge {
		t.Errorf("got %v", f)
	}
}

// Whatever a service sends, there is a text or a failure, and it does not
// matter in which pieces it came.
func FuzzReadAnswer(f *testing.F) {
	for _, seed := range []string{
		`{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}`,
		`{"choices":[{"message":{"content":[{"type":"text","text":"a"}],"refusal":null,"tool_calls":[]},"finish_reason":"length"}],"error":null}`,
		`{"error":{"code":429,"message":"x"}}`,
		"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"嗯\"}}]}\r\n\r\n: c\ndata: {\"choices\":[{\"delta\":{},\n\ndata: \"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
		"event: error\ndata: {}\n\n",
		"\ufeffdata: {\"choices\":[{\"delta\":{\"content\":\"\\ud83d\"},\"finish_reason\":\"stop\"}]}",
		"id: 1\nretry: 3\n\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		text, failure := readAnswer(strings.NewReader(string(body)), 1000)
		switch {
		case failure == nil && (strings.TrimSpace(text) == "" || !utf8.ValidString(text) || len(text) > 1000):
			t.Errorf("text %q", text)
		case failure != nil && (text != "" || failure.Err == nil):
			t.Errorf("%q and %v", text, failure)
		case failure != nil && len(body) > 20 && strings.Contains(failure.Error(), string(body)):
			t.Error("the failure repeats the answer")
		}
		again, f2 := readAnswer(iotest.HalfReader(strings.NewReader(string(body))), 1000)
		if again != text || (f2 == nil) != (failure == nil) || f2 != nil && f2.Kind != failure.Kind {
			t.Errorf("%q %v, in other pieces %q %v", text, failure, again, f2)
		}
	})
}

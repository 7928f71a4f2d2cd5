package session

import (
	"bytes"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// told reads what the front of a line tells of each name, in order; a name that
// ends with a dot is entered. It stops where the front tells nothing.
func told(line string, names ...string) string {
	var f front
	kind, ok := f.of([]byte(line))
	if !ok {
		return "nothing"
	}
	out := kind
	for _, name := range names {
		if object, enter := strings.CutSuffix(name, "."); enter {
			if !f.enter(object) {
				return out + " nothing"
			}
			continue
		}
		text, ok := f.text(name)
		if !ok {
			return out + " nothing"
		}
		out += " " + text
	}
	return out
}

func TestFrontIsReadAsAgentsWriteIt(t *testing.T) {
	codex := []string{"payload.", "type", "item.", "type"}
	pi := []string{"id", "parentId", "message.", "role"}
	long := strings.Repeat("x", maxFront)
	for _, tt := range []struct {
		line  string
		names []string
		want  string
	}{
		{`{"timestamp":"t","ordinal":7,"type":"event_msg","payload":{"type":"item_completed","thread_id":"t","item":{"type":"X","output":"` + long, codex, "event_msg item_completed X"},
		{`{"type":"message","id":"b","parentId":"a","timestamp":"t","message":{"role":"user","content":[` + long, pi, "message b a user"},
		{`{"type":"message","id":"b","parentId":null,"message":{"role":"user","content":[`, pi, "message b  user"},
		{`{"id":"b","type":"message","id":"c","parentId":"a","message":{"role":"user",`, pi, "message b a user"}, // the first counts
		{`{"type":"x","id":"汉字","n":null,"parentId":"a",`, pi[:2], "x 汉字 a"},
		{`{"type":"x","payload":{"a":{"type":"y"},"type":"z",`, []string{"payload.", "type"}, "x nothing"},
		{`{"type":"x","payload":7,"payload":{"type":"z",`, []string{"payload.", "type"}, "x nothing"},
		{`{"type":"x","other":{"type":"z",`, []string{"payload.", "type"}, "x nothing"},
		{`{"payload":{"type":"y"},"type":"x"}`, nil, "nothing"}, // the members in another order
		{`{ "type":"x","id":"b"}`, nil, "nothing"},
		{`{"type": "x","id":"b"}`, nil, "nothing"},
		{`{"\u0074ype":"x","id":"b"}`, nil, "nothing"},
		{`{"type":"\u0078","id":"b"}`, nil, "nothing"},
		{"{\"type\":\"x\x01\",\"id\":\"b\"}", nil, "nothing"},
		{`{"type":"x"}`, nil, "nothing"}, // so short that it need not be passed
		{`{"type":"x","id":"b`, pi, "x nothing"},
		{`{"type":"x","id":"b"`, pi, "x nothing"},
		{`{"type":"x","id":"b{"type":"y","id":"c",`, pi, "x nothing"},
		{`{"type":"x" ,"id":"b",`, nil, "nothing"},
		{`{"type":"x","a":[],"id":"b",`, pi, "x nothing"},
		{`{"type":"x","a":truth,"id":"b",`, pi, "x nothing"},
		{`{"type":"` + long + `","id":"b",`, nil, "nothing"},
		{`{` + strings.Repeat(`"a":1,`, maxMembers) + `"type":"x",`, nil, "nothing"},
		{"", nil, "nothing"}, {"{", nil, "nothing"}, {`[{"type":"x",`, nil, "nothing"}, {"\x00\x00", nil, "nothing"},
	} {
		if got := told(tt.line, tt.names...); got != tt.want {
			t.Errorf("%.80s: %q, want %q", tt.line, got, tt.want)
		}
	}
}

// What a front tells of a sound record is what the record says.
func FuzzFront(f *testing.F) {
	f.Add([]byte(tool("x")), "payload", "type")
	f.Add([]byte(piAsked("b", "a", "q")), "message", "role")
	f.Add([]byte(`{"type":7,"a":{"b":"\u0063"},"a":{"b":"d"},"a":[1]}`), "a", "b")
	f.Fuzz(func(t *testing.T, line []byte, object, name string) {
		var fr front
		kind, ok := fr.of(line)
		if strings.ContainsFunc(object+name, func(r rune) bool { return (r < 'a' || r > 'z') && r != '_' }) || object == "" || name == "" || !ok || !gjson.ValidBytes(line) {
			return
		}
		rec := gjson.ParseBytes(line)
		if want := rec.Get("type").Str; kind != want {
			t.Fatalf("type %q, want %q", kind, want)
		}
		if text, ok := fr.text(name); ok && text != rec.Get(name).Str {
			t.Fatalf("%q, want %q", text, rec.Get(name).Str)
		}
		if !fr.enter(object) {
			return
		}
		if text, ok := fr.text(name); ok && text != rec.Get(object).Get(name).Str {
			t.Fatalf("%q, want %q", text, rec.Get(object).Get(name).Str)
		}
	})
}

// touches is touching, one byte after the other.
func touches(line []byte) bool {
	for i := range line {
		if i+2 < len(line) && line[i] == '}' && line[i+1] == '{' && bytes.ContainsRune([]byte("\" \t\r}"), rune(line[i+2])) {
			return true
		}
	}
	return false
}

func TestTouchingRecordsAreSeenAnywhere(t *testing.T) {
	for _, pair := range []string{`}{"`, "}{ ", "}{}", "}{x", "}{{", "} {", "}}{", "{}", "\xfd\xfb\"", "}\x80{", "|{\"", "}z\""} {
		for _, fill := range []string{"x", "}", "{", "\xff", "\x00", "}{x", "{}"} {
			for before := range 70 {
				for _, after := range []int{0, 1, 7, 31, 32, 33, 70} {
					line := []byte(strings.Repeat(fill, before) + pair + strings.Repeat(fill, after))
					if got := touching(line); got != touches(line) {
						t.Fatalf("%q: %v", line, got)
					}
				}
			}
		}
	}
}

func FuzzTouching(f *testing.F) {
	f.Add([]byte(strings.Repeat("}", 31)+`{"`), 3)
	f.Fuzz(func(t *testing.T, line []byte, times int) {
		line = bytes.Repeat(line, min(max(times, 1), 9))
		if got := touching(line); got != touches(line) {
			t.Fatal(got)
		}
	})
}

// An entry of Pi that is no answer leads on to its parent though it is damaged;
// one that may be an answer ends the branch.
func TestRule_F5_DamagedEntries(t *testing.T) {
	result := entry("b", "a", "message", `"message":{"role":"toolResult","content":[{"type":"text","text":"xyz"}],"isError":false}`)
	call := piSaid("b", "a", "toolUse", "xyz")
	answer := piSaid("b", "a", "stop", "xyz")
	for _, tt := range []struct {
		name, line, reason string
		skipped            int
	}{
		{"a tool's output", strings.Replace(result, "xyz", "x\x01z", 1), "", 0},
		{"a tool's output without its end", result[:len(result)-20], "branch_broken", 1},
		{"a call", strings.Replace(call, "xyz", "x\x01z", 1), "", 0},
		{"a call without its end", call[:len(call)-2], "branch_broken", 1},
		{"a call without what it is", strings.Replace(call, `"stopReason"`, `"stopReaso"`, 1), "", 0},
		{"an answer", strings.Replace(answer, "xyz", "x\x01z", 1), "branch_broken", 1},
		{"an answer without its end", answer[:len(answer)-2], "branch_broken", 1},
		{"an answer with a call behind it", answer[:len(answer)-20] + call, "branch_broken", 1},
		{"an answer, sound", answer, "", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := read(t, "pi", "c", piHead(piID), piSaid("a", "", "stop", "A"), tt.line, piAsked("c", "b", "q"))
			text := "A"
			switch {
			case tt.reason != "":
				text = ""
			case tt.line == answer:
				text = "xyz"
			}
			want(t, r, text, map[bool]string{true: "ok", false: tt.reason}[tt.reason == ""])
			if r.SkippedLines != tt.skipped {
				t.Errorf("%d lines skipped", r.SkippedLines)
			}
		})
	}
}

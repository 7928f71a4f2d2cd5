package history

import (
	"strings"
	"testing"
	"unicode/utf8"

	"voice-input/pkg/textdiff"
	"voice-input/pkg/wire"
)

func TestCompare(t *testing.T) {
	h := &wire.History{
		Engine: "whisper", Style: "formal", Outcome: wire.RefineRefined,
		Transcript: "um please restart the jason parser now", Text: "Please restart the JSON parser now.",
	}
	for cols, want := range map[int]string{
		0: `recognised (whisper)
[-um please -]restart the [-jason-] parser now

delivered (formal, refined)
{+Please +}restart the {+JSON+} parser now{+.+}`,
		79: `recognised (whisper)
<um please }restart the <jason} parser now

delivered (formal, refined)
{Please }restart the {JSON} parser now{.}`,
		80: `recognised (whisper)                   │ delivered (formal, refined)
<um please }restart the <jason} parser now │ {Please }restart the {JSON} parser now{.}`,
	} {
		got := strings.NewReplacer("\x1b[31;9m", "<", "\x1b[32;4m", "{", "\x1b[0m", "}").Replace(compare(h, cols))
		if got != want {
			t.Errorf("%d columns:\n%s\nwant\n%s", cols, got, want)
		}
	}
}

func TestWrap(t *testing.T) {
	tests := []struct {
		name, text string
		cols       int
		want       string
	}{
		{"empty", "", 10, ""},
		{"fits", "one two", 7, "one two"},
		{"at a space", "one two three", 8, "one two |three"},
		{"the space does not fit", "one two three", 7, "one two|three"},
		{"line end", "one\ntwo", 10, "one|two"},
		{"empty line", "one\n\ntwo", 10, "one||two"},
		{"long word", "abcdefghij", 4, "abcd|efgh|ij"},
		{"Chinese", "使用音频图形界面", 6, "使用音|频图形|界面"},
		{"Chinese in an odd width", "使用音频图形界面", 7, "使用音|频图形|界面"},
		{"mixed", "使用 PipeWire 音频", 10, "使用 |PipeWire |音频"},
		{"marks take no room", "e\u0301e\u0301e\u0301e\u0301", 4, "e\u0301e\u0301e\u0301e\u0301"},
		{"tab", "a\tb", 10, "a b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, l := range wrap([]textdiff.Piece{{Text: tt.text}}, tt.cols) {
				text := ""
				for _, p := range l {
					text += p.Text
				}
				if n := textWidth(text); n > tt.cols {
					t.Errorf("line of %d columns", n)
				}
				got = append(got, text)
			}
			if s := strings.Join(got, "|"); s != tt.want {
				t.Errorf("got %q, want %q", s, tt.want)
			}
		})
	}
}

// FuzzCompare checks that both texts are shown as a whole, in lines that fit,
// and that nothing in them steers the terminal.
func FuzzCompare(f *testing.F) {
	f.Add("um use the jason parser", "Use the JSON parser.", 80)
	f.Add("使用 pipe wire 的音频图形界面", "使用 PipeWire 的音频图形界面。\n- 一", 93)
	f.Add("a\x1b[2J\u202eb", "a\tb\r\n", 200)
	f.Fuzz(func(t *testing.T, before, after string, cols int) {
		if cols = twoColumns + abs(cols)%200; before == "" || !utf8.ValidString(before) || !utf8.ValidString(after) {
			return
		}
		h := &wire.History{Transcript: before, Text: after}
		plain := compare(h, 0)
		if strings.ContainsFunc(strings.ReplaceAll(plain, "\n", ""), func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f || r == '\u202e' }) {
			t.Fatalf("steers the terminal: %q", plain)
		}
		var left, right strings.Builder
		for _, line := range strings.Split(compare(h, cols), "\n")[1:] {
			line = strings.NewReplacer("\x1b[31;9m", "", "\x1b[32;4m", "", "\x1b[0m", "").Replace(line)
			if n := textWidth(line); n > cols {
				t.Fatalf("a line of %d columns, have %d: %q", n, cols, line)
			}
			// The separator may be in a text, so its place is counted.
			each, used := (cols-3)/2, 0
			at := strings.IndexFunc(line, func(r rune) bool { used += runeWidth(r); return used > each })
			if at < 0 || !strings.HasPrefix(line[at:], between) {
				t.Fatalf("no separator at column %d of %q", each, line)
			}
			left.WriteString(line[:at])
			right.WriteString(line[at+len(between):])
		}
		squeeze := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if squeeze(left.String()) != squeeze(harmless(before)) || squeeze(right.String()) != squeeze(harmless(after)) {
			t.Fatalf("shown %q and %q", left.String(), right.String())
		}
	})
}

func abs(n int) int { return max(n, -(n + 1)) }

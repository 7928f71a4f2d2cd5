package bias

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"voice-input/pkg/asr/engine"
	"voice-input/pkg/wire"
)

func TestWords(t *testing.T) {
	h := engine.Hints{Words: []string{"Hyprland", "kubectl"}, Vocabulary: []wire.Vocabulary{{Text: "hyprland", Weight: 5}}}
	if got := Words(h, true); !slices.Equal(got, h.Words) {
		t.Errorf("%q", got)
	}
	if got := Words(h, false); !slices.Equal(got, []string{"kubectl"}) {
		t.Errorf("%q", got)
	}
}

func TestPrompt(t *testing.T) {
	for _, tt := range []struct {
		words []string
		want  string
	}{
		{nil, ""},
		{[]string{"kubectl"}, "kubectl"},
		{[]string{"best", "second", "third"}, "third, second, best"},
		{[]string{"", "a\nb", "语音"}, "语音"},
		// The long one does not fit, those behind it do.
		{[]string{"first", strings.Repeat("long", 200), "last"}, "last, first"},
	} {
		if got := Prompt(tt.words); got != tt.want {
			t.Errorf("%.40q: %q, want %q", tt.words, got, tt.want)
		}
	}
}

// The most valuable words are there, at the end, however many there are.
func TestPromptIsBounded(t *testing.T) {
	var words []string
	for i := range 500 {
		words = append(words, fmt.Sprintf("term-%d", i))
	}
	got := Prompt(words)
	if !strings.HasSuffix(got, ", term-2, term-1, term-0") {
		t.Errorf("%q", got)
	}
	if n := tokens(strings.ReplaceAll(got, " ", "")); n > PromptTokens || n < PromptTokens-20 {
		t.Errorf("%d tokens", n)
	}
}

func TestTokens(t *testing.T) {
	for word, want := range map[string]int{"": 0, "hello": 3, "kubectl": 4, "vi-session": 6, "Qwen-Audio-3": 8, "語音": 4, "日本語": 6, "naïve": 4, "🦀": 4} {
		if got := tokens(word); got != want || got > len(word) {
			t.Errorf("%s: %d, want %d", word, got, want)
		}
	}
}

func TestLines(t *testing.T) {
	words := []string{"abc", "defgh", "ij", "语音"}
	for chars, want := range map[int]string{0: "", 2: "ij", 3: "abc", 6: "abc\nij", 8: "abc\nij", 9: "abc\ndefgh", 12: "abc\ndefgh\nij", 15: "abc\ndefgh\nij\n语音", 99: "abc\ndefgh\nij\n语音"} {
		if got := Lines(words, chars); got != want {
			t.Errorf("%d: %q, want %q", chars, got, want)
		}
	}
}

func TestCommas(t *testing.T) {
	if got := Commas([]string{"a,b", "c", "d e", "long one"}, 6); got != "c,d e" {
		t.Errorf("%q", got)
	}
}

func TestList(t *testing.T) {
	if got := List([]string{"a", "b\x00", "c", "d"}, 2); !slices.Equal(got, []string{"a", "c"}) {
		t.Errorf("%q", got)
	}
}

func FuzzLimits(f *testing.F) {
	f.Add("kubectl\tvi-session\t语音", 10)
	f.Add("\xff\x00\t,\t", 0)
	f.Fuzz(func(t *testing.T, in string, chars int) {
		words := strings.Split(in, "\t")
		if n := utf8.RuneCountInString(Lines(words, chars)); n > max(chars, 0) {
			t.Errorf("%d characters of %d", n, chars)
		}
		for _, w := range strings.Split(Prompt(words), ", ") {
			if w != "" && !slices.ContainsFunc(words, func(o string) bool { return strings.Contains(o, w) }) {
				t.Errorf("%q is new", w)
			}
		}
	})
}

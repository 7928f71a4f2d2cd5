package asr

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestClean(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"empty", "", ""},
		{"plain", "Go forward.", "Go forward."},
		{"space around", " \t\n go \r\n", "go"},
		{"lines", "one\ntwo\r\n\r\nthree\u2028four\u2029five", "one two three four five"},
		{"tabs and runs of spaces", "a\t\tb   c", "a b c"},
		{"next line, a control character", "a\u0085b", "a b"},
		{"escape sequence", "a\x1b[31mred\x1b[0m", "a[31mred[0m"},
		{"bell, NUL, delete, C1", "a\a\x00\x7f\u009bb", "ab"},
		{"zero width space, byte order mark", "\ufeffa\u200bb", "ab"},
		{"direction marks", "a\u202eb\u2066c\u200f", "abc"},
		{"soft hyphen, word joiner", "a\u00adb\u2060c", "abc"},
		{"tags", "a\U000e0041\U000e007fb", "ab"},
		{"fillers", "a\u3164b\u2800c", "abc"},
		{"only invisible", "\u200b\u200e\ufeff", ""},
		{"joiner between Latin letters", "a\u200db", "ab"},
		{"non-joiner in Persian", "می\u200cخواهم", "می\u200cخواهم"},
		{"joiner in Hindi", "क्\u200dष", "क्\u200dष"},
		{"ideographic space stays", "你好　世界", "你好　世界"},
		{"no-break space stays inside", "a\u00a0b", "a\u00a0b"},
		{"decomposed stays", "e\u0301", "e\u0301"},
		{"composed stays", "é", "é"},
	}
	for _, tt := range tests {
		if got := clean(tt.in); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func FuzzClean(f *testing.F) {
	f.Add("a\u202e\x1b\nb \u200c")
	f.Add("می\u200cخواهم")
	f.Fuzz(func(t *testing.T, s string) {
		got := clean(s)
		if clean(got) != got {
			t.Fatalf("not stable: %q", got)
		}
		if strings.ContainsFunc(got, unicode.IsControl) || !utf8.ValidString(got) || strings.TrimSpace(got) != got {
			t.Fatalf("%q", got)
		}
	})
}

func TestIsEcho(t *testing.T) {
	list := []string{"kubectl", "vi-session", "GitHub Actions", "上下文", "PostgreSQL", "session"}
	tests := []struct {
		name  string
		text  string
		hints []string
		ms    int64
		want  bool
	}{
		{"no hints", "kubectl", nil, 2000, false},
		{"no text", "", list, 0, false},
		{"one term, spoken", "kubectl", list, 500, false},
		{"one term, spoken very shortly", "Session.", list, 120, false},
		{"one long term and no time for it", "internationalization internationalization", []string{"internationalization"}, 100, true},
		{"two terms in order, spoken", "kubectl, vi-session", list, 1400, false},
		{"the same term three times", "kubectl kubectl kubectl", list, 2000, false},
		{"three terms out of order, spoken", "PostgreSQL, kubectl, vi-session", list, 2500, false},
		{"three terms out of order, too fast", "PostgreSQL, GitHub Actions, kubectl, vi-session", list, 200, true},
		{"the first three in order", "kubectl, vi-session, GitHub Actions", list, 4000, true},
		{"three from the middle", "vi-session GitHub Actions 上下文", list, 4000, true},
		{"all", strings.Join(list, ", "), list, 60000, true},
		{"all, other case and separators", "KUBECTL / Vi Session; github-actions 上下文。postgresql | SESSION", list, 60000, true},
		{"all, twice", strings.Join(list, " ") + " " + strings.Join(list, " "), list, 60000, true},
		{"three, twice", "kubectl, vi-session, GitHub Actions, kubectl, vi-session, GitHub Actions", list, 60000, true},
		{"around the end", "PostgreSQL session kubectl", list, 60000, true},
		{"all, backwards", "session PostgreSQL 上下文 GitHub Actions vi-session kubectl", list, 60000, true},
		{"back and forth", "kubectl, vi-session, kubectl, vi-session", list, 4000, false},
		{"three terms and a word", "restart kubectl, vi-session, GitHub Actions", list, 4000, false},
		{"a sentence with all", "use kubectl and vi-session with GitHub Actions", list, 100, false},
		{"part of a term", "GitHub", list, 100, false},
		{"a term inside a word", "sessions", list, 100, false},
		{"two hints of a list of two", "alpha beta", []string{"alpha", "beta"}, 900, false},
		{"three hints of a list of three", "alpha beta gamma", []string{"alpha", "beta", "gamma"}, 1500, true},
		{"needs the short hint, not the long one", "ab c d", []string{"ab c", "ab", "c d"}, 3000, false},
		{"Chinese list", "甲乙丙丁戊己", []string{"甲乙", "丙丁", "戊己"}, 5000, true},
		{"Chinese, two spoken", "甲乙丙丁", []string{"甲乙", "丙丁", "戊己"}, 1000, false},
		{"hints without letters", "...", []string{"...", "--"}, 0, false},
	}
	for _, tt := range tests {
		if got := isEcho(tt.text, tt.hints, tt.ms); got != tt.want {
			said, ok := asHints(tt.text, tt.hints)
			t.Errorf("%s: %v, want %v (hints %v, %v, %d syllables)", tt.name, got, tt.want, said, ok, syllables(tt.text))
		}
	}
}

func TestSyllables(t *testing.T) {
	tests := []struct {
		text string
		want int
	}{
		{"", 0}, {"...", 0}, {"go", 1}, {"forward", 2}, {"kubectl", 2}, {"rhythm", 1}, {"HTTP", 1},
		{"上下文", 3}, {"v2", 1}, {"8080", 4}, {"go forward ten meters", 6}, {"привет", 2}, {"ひらがな", 4},
	}
	for _, tt := range tests {
		if got := syllables(tt.text); got != tt.want {
			t.Errorf("%q: %d, want %d", tt.text, got, tt.want)
		}
	}
}

func FuzzAsHints(f *testing.F) {
	f.Add("a b, c", "a\nb\nb c")
	f.Add("上下文x", "上\n下文\nx")
	f.Fuzz(func(t *testing.T, text, list string) {
		hints := strings.Split(list, "\n")
		if len(text) > 2000 || len(hints) > 100 {
			return
		}
		said, ok := asHints(text, hints)
		if !ok {
			return
		}
		var got []string
		for _, h := range said {
			got = append(got, units(hints[h])...)
		}
		if !slices.Equal(got, units(text)) {
			t.Fatalf("hints %v give %q, not %q", said, got, units(text))
		}
	})
}

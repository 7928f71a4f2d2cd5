package textdiff

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestDiff(t *testing.T) {
	tests := []struct{ before, after, want string }{
		{"", "", ""},
		{"", "new", "{+new+}"},
		{"old", "", "[-old-]"},
		{"the same", "the same", "the same"},
		{"um we ship it", "we ship it", "[-um -]we ship it"},
		{"we ship it", "We ship it.", "[-we-]{+We+} ship it{+.+}"},
		{"one two three", "one 2 3", "one [-two three-]{+2 3+}"},
		{"running", "runs", "[-running-]{+runs+}"},
		{"don't", "do not", "[-don't-]{+do not+}"},
		{"嗯我们明天发布", "我们明天发布。", "[-嗯-]我们明天发布{+。+}"},
		{"把服务重启一下", "把那个服务重启", "把{+那个+}服务重启[-一下-]"},
		{"用 cube control 部署", "用 kubectl 部署", "用 [-cube control-]{+kubectl+} 部署"},
		{"naïve café", "naïve cafe", "naïve [-café-]{+cafe+}"},
		{"foo_bar", "foo-bar", "[-foo_bar-]{+foo-bar+}"},
		{"a\x1b[31mb", "a", "a[-\ufffd[31mb-]"},
		{"first\nsecond", "first\n\nsecond", "first[-\n-]{+\n\n+}second"},
	}
	for _, tt := range tests {
		if got := Plain(Diff(tt.before, tt.after)); got != tt.want {
			t.Errorf("%q to %q: %q, want %q", tt.before, tt.after, got, tt.want)
		}
	}
}

func TestColored(t *testing.T) {
	got := Colored([]Piece{{Same, "a "}, {Removed, "b\x07"}, {Added, "c\t\n"}})
	if want := "a \x1b[31;9mb\ufffd\x1b[0m\x1b[32;4mc\t\n\x1b[0m"; got != want {
		t.Errorf("got %q", got)
	}
}

// sides puts both texts together again.
func sides(pieces []Piece) (before, after string) {
	for _, p := range pieces {
		if p.Kind != Added {
			before += p.Text
		}
		if p.Kind != Removed {
			after += p.Text
		}
	}
	return before, after
}

func check(t *testing.T, before, after string) []Piece {
	t.Helper()
	pieces := Diff(before, after)
	if b, a := sides(pieces); b != before || a != after {
		t.Fatalf("%q to %q: the pieces make %q and %q", before, after, b, a)
	}
	for i, p := range pieces {
		if p.Text == "" || i > 0 && pieces[i-1].Kind == p.Kind {
			t.Fatalf("%q to %q: pieces %+v", before, after, pieces)
		}
	}
	return pieces
}

// Random edits of a text: what is found is never longer than what was done.
func TestDiffIsShort(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var a, b []rune
		edits := 0
		for i := range rune(60) {
			r := '\u4e00' + i
			switch rng.IntN(8) {
			case 0:
				a, edits = append(a, r), edits+1
			case 1:
				b, edits = append(b, r), edits+1
			default:
				a, b = append(a, r), append(b, r)
			}
		}
		pieces := check(t, string(a), string(b))
		found := 0
		for _, p := range pieces {
			if p.Kind != Same {
				found += utf8.RuneCountInString(p.Text)
			}
		}
		if found != edits {
			t.Fatalf("%d characters differ, %d were found: %+v", edits, found, pieces)
		}
	}
}

// Texts with nothing in common, and more of them than is searched.
func TestDiffIsBounded(t *testing.T) {
	a, b := strings.Repeat("甲乙丙丁", 50_000), strings.Repeat("戊己庚辛", 50_000)
	if got := check(t, "x"+a+"y", "x"+b+"y"); len(got) != 4 {
		t.Errorf("%d pieces", len(got))
	}
	check(t, strings.Repeat("a b ", 50_000), strings.Repeat("b a ", 50_000))
}

func FuzzDiff(f *testing.F) {
	f.Add("um we ship it", "We ship it.")
	f.Add("嗯我们明天发布", "我们 明天\n发布。")
	f.Add("a\xffb", "a\xfeb")
	f.Add("a a b b", " a b  a b")
	f.Fuzz(func(t *testing.T, before, after string) {
		pieces := check(t, before, after)
		if before == after && len(pieces) > 1 {
			t.Errorf("%q differs from itself: %+v", before, pieces)
		}
		if utf8.ValidString(before) && !utf8.ValidString(Plain(pieces)) {
			for _, p := range pieces {
				if p.Kind == Removed && !utf8.ValidString(p.Text) {
					t.Errorf("a character was cut: %q", p.Text)
				}
			}
		}
	})
}

func BenchmarkDiff(b *testing.B) {
	before := strings.Repeat("the quick brown fox jumps over the lazy dog um and runs, ", 36) // 2,000 characters
	after := strings.ReplaceAll(strings.ReplaceAll(before, " um", ""), "runs,", "runs.")
	for b.Loop() {
		Diff(before, after)
	}
}

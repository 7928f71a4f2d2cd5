package review

import (
	"math/rand/v2"
	"strings"
	"testing"

	"voice-input/pkg/refine/literal"
)

// show writes the hunks of two texts as -dropped+added.
func show(a, b []token) string {
	var out []string
	for _, h := range hunks(a, b) {
		s := ""
		for _, t := range a[h.a.from:h.a.to] {
			s += "-" + t.key
		}
		for _, t := range b[h.b.from:h.b.to] {
			s += "+" + t.key
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

func TestHunks(t *testing.T) {
	for _, tt := range []struct{ a, b, want string }{
		{"", "", ""},
		{"a", "", "-a"},
		{"", "a", "+a"},
		{"a b c", "a b c", ""},
		{"a b c", "a x c", "-b+x"},
		{"我想我想要", "我想要", "-我-想"},
		{"open x no open y", "open y", "-open-x-no"},
		{"um so a um b", "a b", "-um-so -um"},
		{"a b", "b a", "-a +a"},
	} {
		a, b := tokens(tt.a, literal.Masked{}), tokens(tt.b, literal.Masked{})
		if got := show(a, b); got != tt.want {
			t.Errorf("%q, %q: got %q, want %q", tt.a, tt.b, got, tt.want)
		}
	}
}

// TestHunksAreLeast compares with the textbook way.
func TestHunksAreLeast(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	text := func() []token {
		out := make([]token, r.IntN(200))
		for i := range out {
			out[i].key = string(rune('a' + r.IntN(6)))
		}
		return out
	}
	for range 300 {
		a, b := text(), text()
		row := make([]int, len(b)+1)
		for i := range a {
			diagonal := 0
			for j := range b {
				next := row[j+1]
				if a[i].key == b[j].key {
					row[j+1] = diagonal + 1
				} else {
					row[j+1] = max(row[j+1], row[j])
				}
				diagonal = next
			}
		}
		dropped, added := 0, 0
		i, j := 0, 0
		for _, h := range hunks(a, b) {
			for i < h.a.from {
				if a[i].key != b[j].key {
					t.Fatal("what is outside the hunks differs")
				}
				i, j = i+1, j+1
			}
			if j != h.b.from {
				t.Fatal("a hunk is out of place")
			}
			i, j = h.a.to, h.b.to
			dropped += h.a.len()
			added += h.b.len()
		}
		if len(a)-dropped != row[len(b)] || len(b)-added != row[len(b)] {
			t.Fatalf("%d of %d and %d of %d differ, %d are common", dropped, len(a), added, len(b), row[len(b)])
		}
	}
}

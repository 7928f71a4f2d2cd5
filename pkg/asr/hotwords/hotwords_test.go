package hotwords

import (
	"fmt"
	"maps"
	"math"
	"strings"
	"testing"

	"voice-input/pkg/wire"
)

func TestWeight(t *testing.T) {
	for w, want := range map[float64]int{
		0: 4, 0.1: 1, 0.5: 1, 1: 1, 1.4: 1, 1.5: 2, 4: 4, 5: 5, 5.1: 5, 49.9: 5, 50: 50, 100: 50, -3: 1, math.Inf(1): 50,
	} {
		if got := Weight(w); got != want {
			t.Errorf("%g: %d, want %d", w, got, want)
		}
	}
	if got := Weight(math.NaN()); got != 4 {
		t.Errorf("NaN: %d", got)
	}
}

func TestOf(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   []wire.Vocabulary
		want map[string]int
	}{
		{"none", nil, nil},
		{"plain", []wire.Vocabulary{{Text: "voice-input"}, {Text: "Kubernetes", Weight: 5}}, map[string]int{"voice-input": 4, "Kubernetes": 5}},
		{"trimmed, twice", []wire.Vocabulary{{Text: " a "}, {Text: "a", Weight: 5}}, map[string]int{"a": 5}},
		{"empty", []wire.Vocabulary{{Text: " "}}, nil},
		{"control", []wire.Vocabulary{{Text: "a\nb"}, {Text: "a\x00"}}, nil},
		{"no UTF-8", []wire.Vocabulary{{Text: "\xff"}}, nil},
		{"15 characters", []wire.Vocabulary{{Text: strings.Repeat("语", 15)}}, map[string]int{strings.Repeat("语", 15): 4}},
		{"16 characters", []wire.Vocabulary{{Text: strings.Repeat("语", 16)}}, nil},
		{"mixed 16", []wire.Vocabulary{{Text: "Kubernetes 集群管理员"}, {Text: "naïve Kubernetes"}}, nil},
		{"7 pieces", []wire.Vocabulary{{Text: "a b c d e f g"}}, map[string]int{"a b c d e f g": 4}},
		{"8 pieces", []wire.Vocabulary{{Text: "a b c d e f g h"}}, nil},
	} {
		if got := Of(tt.in); !maps.Equal(got, tt.want) || (got == nil) != (tt.want == nil) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestLimits(t *testing.T) {
	var many []wire.Vocabulary
	for i := range 3000 {
		many = append(many, wire.Vocabulary{Text: fmt.Sprint("w", i), Weight: float64(i%5 + 1)})
	}
	got := Of(many)
	if len(got) != MaxWords {
		t.Errorf("%d words", len(got))
	}
	for _, w := range many {
		if _, there := got[w.Text]; !there && w.Weight > 2 {
			t.Fatalf("%v was left out for a lighter one", w)
		}
	}
	for i := range many {
		many[i].Weight = 50
	}
	super := 0
	for _, w := range Of(many) {
		if w == Super {
			super++
		}
	}
	if super != MaxSuper {
		t.Errorf("%d of weight 50", super)
	}
	long := []wire.Vocabulary{{Text: strings.Repeat("a", maxBytes)}, {Text: "b"}}
	if got := Of(long); len(got) != 1 {
		t.Errorf("%d words above the bytes", len(got))
	}
}

package review

import (
	"os"
	"strings"
	"testing"

	"voice-input/pkg/normalize"
	"voice-input/pkg/refine/literal"
	"voice-input/pkg/wire"
)

// An edit is a block of testdata/good.txt.
type edit struct {
	style, said, want string
	terms             []string
	line              int
}

func goodEdits(t testing.TB) []edit {
	t.Helper()
	data, err := os.ReadFile("testdata/good.txt")
	if err != nil {
		t.Fatal(err)
	}
	var out []edit
	var e edit
	for n, line := range strings.Split(string(data)+"\n", "\n") {
		key, value, _ := strings.Cut(line, ": ")
		switch key {
		case "style":
			e = edit{style: value, line: n + 1}
		case "terms":
			e.terms = strings.Split(value, ", ")
		case "said":
			e.said = value
		case "want":
			e.want = strings.ReplaceAll(value, `\n`, "\n")
			out = append(out, e)
		}
	}
	return out
}

func asTerms(words []string) []wire.Term {
	var out []wire.Term
	for _, w := range words {
		out = append(out, wire.Term{Text: w, Normalizable: true})
	}
	return out
}

// remask puts markers in the place of literals, as a model has them.
func remask(text string, m literal.Masked) string {
	for i, l := range m.Literals {
		// A marker that is there already is no place to look.
		at := 0
		for _, p := range literal.Split(text) {
			if p.Marker == 0 {
				if k := strings.Index(p.Text, l); k >= 0 {
					text = text[:at+k] + literal.Marker(i+1) + text[at+k+len(l):]
					break
				}
			}
			at += len(p.Text)
		}
	}
	return text
}

// sample returns the transcript as a model gets it, and the good answer.
func (e edit) sample() sample {
	m := literal.Mask(normalize.New(e.terms).Apply(e.said), asTerms(e.terms))
	return sample{said: e.said, style: e.style, terms: e.terms, masked: m, line: e.line, edited: remask(e.want, m)}
}

// TestGoodEdits holds that no good edit is refused.
func TestGoodEdits(t *testing.T) {
	edits := goodEdits(t)
	if len(edits) < 100 {
		t.Fatalf("only %d edits", len(edits))
	}
	refused, worst := 0, 0.0
	for _, e := range edits {
		s := e.sample()
		m := s.masked
		r := Check(Input{Style: e.style, Sent: m, Terms: e.terms, Answer: s.edited, Finish: "stop"})
		if worst = max(worst, r.Score); r.Score > 0.6 {
			t.Logf("%d scores %.2f", e.line, r.Score)
		}
		if r.Reason != "" {
			refused++
			t.Errorf("testdata/good.txt:%d: refused, %s (score %.2f, %v)\nsaid %s\nwant %s\nsent %s", e.line, r.Reason, r.Score, r.Signals, e.said, e.want, m.Text)
			continue
		}
		if r.Text != e.want {
			t.Errorf("testdata/good.txt:%d: got  %q\nwant %q", e.line, r.Text, e.want)
		}
		// Keeping the words as they are is always good.
		if r := Check(Input{Style: e.style, Sent: m, Terms: e.terms, Answer: m.Text, Finish: "stop"}); r.Reason != "" {
			t.Errorf("testdata/good.txt:%d: unchanged, and refused: %s", e.line, r.Reason)
		}
	}
	t.Logf("%d of %d good edits refused; the highest score is %.2f", refused, len(edits), worst)
}

package normalize

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"voice-input/pkg/vocabulary"
	"voice-input/pkg/wire"
)

// Rules are what is done to a text. They are immutable and safe for
// concurrent use; the zero value changes nothing.
type Rules struct {
	patterns map[rune][]pattern // by their first character
	replacer *vocabulary.Replacer
}

// New returns the rules for a list of terms. Those that are not Admissible are
// passed over, and so are those that differ from another in case or separators
// only.
func New(terms []string) *Rules { return build(nil, terms, nil) }

// FromRecord returns the rules of a vi.terms/1 record: its replacements, the
// user's words, and the terms that are marked as normalizable. A word of the
// user's beats a term that is written otherwise.
func FromRecord(t *wire.Terms) *Rules {
	var words, terms []string
	for _, v := range t.Vocabulary {
		words = append(words, v.Text)
	}
	for _, term := range t.Terms {
		if term.Normalizable {
			terms = append(terms, term.Text)
		}
	}
	return build(words, terms, t.Replacements)
}

func build(words, terms []string, replacements []wire.Replacement) *Rules {
	chosen := compileAll(words)
	for key, p := range compileAll(terms) {
		if _, users := chosen[key]; !users {
			chosen[key] = p
		}
	}
	r := &Rules{patterns: map[rune][]pattern{}, replacer: vocabulary.NewReplacer(replacements)}
	for _, p := range chosen {
		if p.term != "" {
			first := p.cells[0].char
			r.patterns[first] = append(r.patterns[first], p)
		}
	}
	return r
}

// compileAll returns the patterns of a list by their keys. A key that belongs
// to several spellings has an empty pattern.
func compileAll(list []string) map[string]pattern {
	by := map[string]pattern{}
	for _, s := range list {
		p, ok := compile(s)
		if !ok {
			continue
		}
		if other, there := by[p.key]; there && other.term != s {
			p.term = ""
		}
		by[p.key] = p
	}
	return by
}

// maxPasses bounds how often the rules are applied to their own result. One
// pass is enough except for rules that feed each other.
const maxPasses = 8

// Apply returns the text with its words in their written form. A text whose
// replacements never come to an end is returned as it is.
func (r *Rules) Apply(text string) string {
	if r == nil || len(r.patterns) == 0 && r.replacer.Empty() {
		return text
	}
	before := text
	for range maxPasses {
		after := r.pass(r.replacer.Apply(before))
		if after == before {
			return after
		}
		before = after
	}
	return text
}

// pass writes every match in the form of its term.
func (r *Rules) pass(text string) string {
	if len(r.patterns) == 0 {
		return text
	}
	var b strings.Builder
	done := 0 // everything before it is in b
	for i := 0; i < len(text); {
		char, n := utf8.DecodeRuneInString(text[i:])
		if p, end := r.longest(text, i, lower(fold(char))); end > 0 {
			b.WriteString(text[done:i])
			b.WriteString(p.term)
			i, done = end, end
			continue
		}
		i += n
	}
	if done == 0 {
		return text
	}
	b.WriteString(text[done:])
	return b.String()
}

// longest returns the pattern that matches most of the text from i, and the
// end of the match, which is 0 if none matches.
func (r *Rules) longest(text string, i int, first rune) (best pattern, end int) {
	for _, p := range r.patterns[first] {
		m, ok := p.match(text, i)
		if !ok || !beginsAt(text, i, m.space) || !endsAt(text, m.end, m.space) {
			continue
		}
		if m.end > end || m.end == end && cmp.Or(cmp.Compare(len(p.key), len(best.key)), cmp.Compare(len(p.term), len(best.term)), cmp.Compare(best.term, p.term)) > 0 {
			best, end = p, m.end
		}
	}
	return best, end
}

package vocabulary

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"voice-input/pkg/wire"
)

// Replacer replaces whole words by fixed texts. It is immutable and safe for
// concurrent use; the zero value and nil replace nothing.
//
// What is replaced is a text, never a regular expression. It matches in any
// case and width, and a space in it matches one or more. A letter or digit at
// its end must end a word of the text too, unless it is of Chinese, Japanese
// or Korean, where words have no visible end. Of several that match at the
// same place the longest counts.
type Replacer struct {
	rules map[rune][]rule // by their first character, folded
}

type rule struct {
	from []rune // folded, with single spaces
	to   string
	// within is where from lies inside to, in bytes: such a place in a text is
	// what an earlier replacement wrote and is left alone.
	within []int
}

// NewReplacer returns a replacer. A replacement of nothing is passed over.
func NewReplacer(list []wire.Replacement) *Replacer {
	r := &Replacer{rules: map[rune][]rule{}}
	for _, v := range list {
		from := []rune(foldText(v.From))
		if len(from) == 0 {
			continue
		}
		n := rule{from: from, to: v.To}
		for i := range v.To {
			if end := n.match(v.To, i); end > 0 {
				n.within = append(n.within, i)
			}
		}
		r.rules[from[0]] = append(r.rules[from[0]], n)
	}
	return r
}

// Empty tells whether nothing is replaced.
func (r *Replacer) Empty() bool { return r == nil || len(r.rules) == 0 }

// maxPasses bounds how often the replacements work on each other's results.
const maxPasses = 8

// Apply returns the text after all replacements, which work on each other's
// results until nothing changes: applying them again changes nothing. A text
// for which that has no end is returned as it is.
func (r *Replacer) Apply(text string) string {
	out, _ := r.apply(text)
	return out
}

func (r *Replacer) endless(text string) bool {
	_, ends := r.apply(text)
	return !ends
}

func (r *Replacer) apply(text string) (out string, ends bool) {
	if r.Empty() {
		return text, true
	}
	before := text
	for range maxPasses {
		after := r.pass(before)
		if after == before {
			return after, true
		}
		// Replacements that feed themselves grow without end.
		if len(after) > len(text)*4+maxPasses*MaxTo*utf8.UTFMax {
			break
		}
		before = after
	}
	return text, false
}

func (r *Replacer) pass(text string) string {
	var b strings.Builder
	done := 0
	for i := 0; i < len(text); {
		char, n := utf8.DecodeRuneInString(text[i:])
		if to, end := r.longest(text, i, foldRune(char)); end > 0 {
			b.WriteString(text[done:i])
			b.WriteString(to)
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

func (r *Replacer) longest(text string, i int, first rune) (to string, end int) {
	for _, rule := range r.rules[first] {
		e := rule.match(text, i)
		if e > end && !rule.written(text, i) {
			to, end = rule.to, e
		}
	}
	return to, end
}

// written tells whether the match at i is part of what the rule writes.
func (n rule) written(text string, i int) bool {
	for _, at := range n.within {
		if i >= at && strings.HasPrefix(text[i-at:], n.to) {
			return true
		}
	}
	return false
}

// match returns the end of a match at byte i of text, or 0.
func (n rule) match(text string, i int) int {
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	if i > 0 && spaced(n.from[0]) && spaced(foldRune(before)) {
		return 0
	}
	for _, want := range n.from {
		r, size := utf8.DecodeRuneInString(text[i:])
		if size == 0 || foldRune(r) != want {
			return 0
		}
		i += size
		for want == ' ' {
			r, size := utf8.DecodeRuneInString(text[i:])
			if size == 0 || foldRune(r) != ' ' {
				break
			}
			i += size
		}
	}
	after, size := utf8.DecodeRuneInString(text[i:])
	if size > 0 && spaced(n.from[len(n.from)-1]) && spaced(foldRune(after)) {
		return 0
	}
	return i
}

// spaced tells whether r belongs to a word of a script that has spaces between
// its words.
func spaced(r rune) bool {
	if r == '_' {
		return true
	}
	return (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)) &&
		!unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo)
}

// foldText returns s in small letters of normal width, with single spaces.
func foldText(s string) string {
	return strings.Join(strings.Fields(strings.Map(foldRune, s)), " ")
}

func foldRune(r rune) rune {
	switch {
	case r >= 0xFF01 && r <= 0xFF5E:
		r -= 0xFEE0
	case r == '\t', r == 0x3000, r == 0xA0:
		return ' '
	}
	return unicode.ToLower(r)
}

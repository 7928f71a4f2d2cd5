package literal

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"voice-input/pkg/normalize/lexicon"
	"voice-input/pkg/wire"
)

// A span is a literal in a text, in bytes.
type span struct {
	from, to int
	name     bool // a name, which may have been misheard
}

// A chunk is a run of printable ASCII characters without a space, and its core
// without the punctuation around it.
type chunk struct {
	from, to int // of the core
	end      int // of the whole run
	kind     kind
}

const (
	maxSpan = 400 // bytes of a code span in backticks; a longer one is a stray backtick
	maxTag  = 100 // bytes of a tag such as <think>
)

// find returns the literals that can be told by their form, in order.
func find(text string) []span {
	var spans []span
	for i := 0; i < len(text); {
		if end := quoted(text, i); end > 0 {
			spans = append(spans, span{from: i, to: end})
			i = end
			continue
		}
		if !printable(text[i]) {
			i++
			continue
		}
		c := nextChunk(text, i)
		if c.end == i { // a backtick that opens nothing
			i++
			continue
		}
		if end := command(text, c); end > 0 {
			spans = append(spans, span{from: c.from, to: end})
			i = end
			continue
		}
		if end := measure(text, c); end > 0 {
			spans = append(spans, span{from: c.from, to: end})
			i = end
			continue
		}
		if c.kind != word && c.kind != number {
			spans = append(spans, span{c.from, c.to, c.kind == name})
		}
		i = c.end
	}
	return spans
}

func printable(c byte) bool { return c > ' ' && c <= '~' }

// quoted returns the end of code in backticks, of a marker or of a tag that
// begins at byte i, or 0.
func quoted(text string, i int) int {
	rest := text[i:]
	switch {
	case strings.HasPrefix(rest, "```"):
		if n := strings.Index(rest[3:], "```"); n >= 0 {
			return i + n + 6
		}
		return i + 3
	case rest[0] == '`':
		line := rest[1:min(len(rest), maxSpan)]
		if n := strings.IndexAny(line, "`\n"); n > 0 && line[n] == '`' {
			return i + n + 2
		}
	case rest[0] == '<':
		if n := tag(rest); n > 0 {
			return i + n
		}
	case rest[0] == '[':
		end, _ := markerAt(text, i)
		return end
	}
	return 0
}

// tag returns the length of a tag at the start of s, or 0.
func tag(s string) int {
	s = s[:min(len(s), maxTag)]
	n := strings.IndexAny(s[1:], "<>\n") + 1
	if n < 2 || s[n] != '>' {
		return 0
	}
	inner := strings.TrimPrefix(s[1:n], "/")
	if inner == "" || !letter(inner[0]) {
		return 0
	}
	return n + 1
}

// nextChunk returns the chunk at byte i. It ends before code in backticks and
// before a comma that is no part of it.
func nextChunk(text string, i int) chunk {
	end := i
	depth := 0
	for end < len(text) && printable(text[end]) && text[end] != '`' {
		c := text[end]
		if end > i && (c == '[' || c == '<') && quoted(text, end) > 0 {
			break // a marker or a tag begins
		}
		if c == '(' && end > i && alnum(text[end-1]) {
			if n := arguments(text[end:]); n > 0 {
				end += n
				continue
			}
		}
		switch c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		}
		end++
		if (c == ',' || c == ';') && depth <= 0 && !(end-2 >= i && digit(text[end-2]) && end < len(text) && digit(text[end])) {
			break
		}
	}
	c := chunk{end: end}
	c.from, c.to = trim(text, i, end)
	if owned, ok := strings.CutSuffix(text[c.from:c.to], "'s"); ok {
		c.to = c.from + len(owned)
	}
	c.kind = classify(text[c.from:c.to])
	return c
}

// arguments returns the length of what a call has in parentheses, which may
// have spaces, or 0 if s does not begin with that.
func arguments(s string) int {
	depth := 0
	for i := range min(len(s), maxTag) {
		switch c := s[i]; {
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth == 0 {
				return i + 1
			}
		case c == '`', c == '[' && quoted(s, i) > 0, c != ' ' && !printable(c):
			return 0
		}
	}
	return 0
}

// trim takes the punctuation of a sentence off both ends of text[from:to].
// Closing brackets stay if they belong to what is inside.
func trim(text string, from, to int) (int, int) {
	if symbols(text[from:to]) {
		return from, to
	}
	for from < to && strings.IndexByte(`"'([{*_`, text[from]) >= 0 {
		// __init__ is a name, _so_ is stress.
		if strings.HasPrefix(text[from:to], "__") {
			break
		}
		from++
	}
	extra := map[byte]int{} // closing brackets that nothing opened
	for _, pair := range []string{"()", "[]", "{}"} {
		extra[pair[1]] = strings.Count(text[from:to], pair[1:]) - strings.Count(text[from:to], pair[:1])
	}
	for from < to {
		switch c := text[to-1]; {
		case strings.HasSuffix(text[from:to], "/..."): // go test ./...
			return from, to
		case strings.IndexByte(`"',.;:!?*`, c) >= 0:
		case c == '_' && !strings.HasSuffix(text[from:to], "__"):
		case extra[c] > 0:
			extra[c]--
		default:
			return from, to
		}
		to--
	}
	return from, to
}

// findTerms returns where terms stand in text, in order: exactly as they are
// written, and not inside a longer word.
func findTerms(text string, terms []wire.Term) []span {
	byFirst := map[rune][]string{}
	for _, t := range terms {
		if protects(t.Text) {
			r, _ := utf8.DecodeRuneInString(t.Text)
			byFirst[r] = append(byFirst[r], t.Text)
		}
	}
	if len(byFirst) == 0 {
		return nil
	}
	var spans []span
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		end := 0
		for _, t := range byFirst[r] {
			if e := i + len(t); e > end && strings.HasPrefix(text[i:], t) && standsAlone(text, i, e) {
				end = e
			}
		}
		if end > 0 {
			spans = append(spans, span{from: i, to: end})
			i = end
			continue
		}
		i += n
	}
	return spans
}

// protects tells whether a term is worth a marker: not if it is an ordinary
// word.
func protects(term string) bool {
	if utf8.RuneCountInString(term) < 2 || strings.ContainsAny(term, "\n\r") {
		return false
	}
	return !lexicon.Chinese(term) && !(strings.ToLower(term) == term && lexicon.Ordinary(term))
}

func standsAlone(text string, from, to int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:from])
	first, _ := utf8.DecodeRuneInString(text[from:])
	last, _ := utf8.DecodeLastRuneInString(text[:to])
	after, _ := utf8.DecodeRuneInString(text[to:])
	return !(spaced(first) && from > 0 && spaced(before)) && !(spaced(last) && to < len(text) && spaced(after))
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

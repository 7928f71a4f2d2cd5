package normalize

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"voice-input/pkg/normalize/lexicon"
)

// A pattern is a term taken apart for matching.
type pattern struct {
	term  string
	key   string // the term in lower case without separators between its parts
	cells []cell
	// words are the pieces between separators, parts those between all joints;
	// both in lower case.
	words, parts []string
	joint        bool // there is a separator between two parts
	dot          bool // and one of them is a full stop
	bare         bool // letters only: nothing but case can differ
}

// A cell is one character of a term, and what may stand before it.
type cell struct {
	char  rune // in lower case
	joint joint
	sep   string // the separators of a joint in the term
	// digits is set for a joint between two digits, which cannot be closed:
	// 3.5 is not 35.
	digits bool
}

type joint byte

const (
	none      joint = iota
	separated       // the term has separators here
	hump            // the term has none, but a new part begins: gitHub, x86
)

// Admissible tells whether variants of term may be rewritten to it: whether it
// has a form that an ordinary word does not have.
func Admissible(term string) bool {
	_, ok := compile(term)
	return ok
}

// maxTerm bounds a term in bytes; longer ones are paths that nobody says.
const maxTerm = 96

func compile(term string) (pattern, bool) {
	if len(term) > maxTerm || strings.ContainsFunc(term, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return pattern{}, false
	}
	first := strings.IndexFunc(term, alnum)
	last := strings.LastIndexFunc(term, alnum)
	if first < 0 {
		return pattern{}, false
	}
	p := pattern{term: term}
	word, part := first, first // where the present ones began
	endPart := func(i int) {
		if part < i {
			p.parts = append(p.parts, strings.ToLower(term[part:i]))
		}
	}
	endWord := func(i int) {
		endPart(i)
		if word < i {
			p.words = append(p.words, strings.ToLower(term[word:i]))
		}
	}
	for i := 0; i < len(term); i++ {
		c := cell{char: lower(rune(term[i]))}
		switch {
		case i <= first || i > last:
		case joins(rune(term[i])):
			end := i
			for joins(rune(term[end])) {
				end++
			}
			if !alnum(rune(term[i-1])) || !alnum(rune(term[end])) {
				break // beside another mark it is taken as it is
			}
			endWord(i)
			c = cell{char: lower(rune(term[end])), joint: separated, sep: term[i:end], digits: digit(term[i-1]) && digit(term[end])}
			p.joint, p.dot = true, p.dot || strings.Contains(c.sep, ".")
			i, word, part = end, end, end
		case !alnum(rune(term[i])):
			endWord(i)
			word, part = i+1, i+1
		case startsHump(term, i):
			endPart(i)
			c.joint, part = hump, i
		}
		p.cells = append(p.cells, c)
	}
	endWord(last + 1)
	var key strings.Builder
	for _, c := range p.cells {
		key.WriteRune(c.char)
	}
	p.key = key.String()
	p.bare = !strings.ContainsFunc(term, func(r rune) bool { return !unicode.IsLetter(r) })
	return p, named(term, p)
}

// named tells whether a term has the form of a name.
func named(term string, p pattern) bool {
	letters, capitals, digits := 0, 0, 0
	for _, r := range term {
		switch {
		case digit(byte(r)):
			digits++
		case unicode.IsLetter(r):
			letters++
			if unicode.IsUpper(r) {
				capitals++
			}
		}
	}
	marked := strings.ContainsAny(term, "#+")
	switch {
	case letters == 0, letters+digits < 2 && !marked:
		return false
	case p.bare && (lexicon.Ordinary(term) || lexicon.Name(term)):
		return false
	case p.joint, digits > 0, marked:
		return true
	case strings.ContainsAny(term, "-_./@:"):
		return true
	case capitals == 0:
		return false
	case capitals > 1 || !unicode.IsUpper(rune(term[0])):
		return true
	default:
		// A plain proper name such as Kubernetes. Short ones are too often
		// words of another language.
		return letters > 3
	}
}

// startsHump tells whether a new part begins at the letter or digit i of s:
// at a capital behind a small letter, at the last capital of several before a
// small letter, and between a letter and a digit.
func startsHump(s string, i int) bool {
	a, b := s[i-1], s[i]
	switch {
	case !alnum(rune(a)):
		return false
	case digit(a) != digit(b):
		return true
	case upper(b) && !upper(a):
		return !digit(a)
	case upper(a) && upper(b):
		return i+1 < len(s) && s[i+1] >= 'a' && s[i+1] <= 'z'
	}
	return false
}

// A match says how a text differs from a pattern.
type match struct {
	end    int  // in bytes
	space  bool // a separator in the text is a space
	closed bool // a separator of the term is missing in the text
	split  bool // the text has a separator where the term has none
}

// match compares the text from start with the pattern.
func (p pattern) match(text string, start int) (match, bool) {
	m := match{end: start}
	for _, c := range p.cells {
		r, n := utf8.DecodeRuneInString(text[m.end:])
		r = fold(r)
		switch sep := separator(r); {
		case c.joint == none:
		case c.joint == separated && len(c.sep) > 1 && strings.HasPrefix(text[m.end:], c.sep):
			m.end += len(c.sep)
			r, n = utf8.DecodeRuneInString(text[m.end:])
			r = fold(r)
		case sep:
			m.space = m.space || r == ' ' || r == '\t'
			m.split = m.split || c.joint == hump
			m.end += n
			r, n = utf8.DecodeRuneInString(text[m.end:])
			r = fold(r)
		case c.joint == separated:
			if c.digits {
				return m, false
			}
			m.closed = true
		}
		if n == 0 || lower(r) != c.char {
			return m, false
		}
		m.end += n
	}
	return m, p.sure(m)
}

// minClosed is the shortest term, in letters and digits, that is recognised
// without its separators.
const minClosed = 4

// sure tells whether what was matched can hardly mean anything but the term.
func (p pattern) sure(m match) bool {
	if m.closed && (len(p.key) < minClosed || lexicon.Ordinary(p.key) || lexicon.Name(p.key)) {
		return false
	}
	if !m.space && !m.split {
		return true
	}
	// Words side by side: "type script" and "step 1" may be just that.
	pieces := p.words
	if m.split {
		pieces = p.parts
	}
	ordinary, short := true, false
	for _, piece := range pieces {
		switch {
		case len(piece) == 1, strings.Trim(piece, "0123456789") == "":
			short = true
		case !lexicon.Ordinary(piece) && !lexicon.Name(piece):
			ordinary = false
		}
	}
	if !ordinary {
		return true
	}
	// "is valid", "log in", "the engine dials": the words have a meaning of their
	// own.
	return !m.split && !short && !p.dot && !lexicon.Function(pieces[0]) && !lexicon.Function(pieces[len(pieces)-1])
}

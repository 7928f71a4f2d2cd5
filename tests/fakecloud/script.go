package fakecloud

import (
	"strings"
	"unicode"
)

// script is what is left to be recognised in a task.
type script struct {
	results []Result
	next    int
	current int   // the sentence's number
	open    bool  // the sentence has begun
	ended   int64 // ms, the end of the sentence before
}

// line is a result with all that it lacked.
type line struct {
	Result
	first bool // of its sentence
}

func newScript(results []Result) *script { return &script{results: results, current: 1} }

// take returns the next result whose time has come, of all that are left if
// the client has finished.
func (s *script) take(samples int64, finished bool) (line, bool) {
	for s.next < len(s.results) {
		r := s.results[s.next]
		if !finished && (r.Late || r.At > samples) {
			return line{}, false
		}
		s.next++
		if finished && !r.Late && !r.Final && r.At > samples {
			continue // a partial that the final overtakes
		}
		return s.complete(r), true
	}
	return line{}, false
}

func (s *script) complete(r Result) line {
	if r.Sentence != 0 && r.Sentence != s.current {
		s.current, s.open = r.Sentence, false
	}
	l := line{r, !s.open}
	l.Sentence = s.current
	if l.Begin == 0 {
		l.Begin = s.ended
	}
	if l.End == 0 {
		l.End = max(r.At/16, l.Begin)
	}
	s.open = !r.Final
	if r.Final {
		s.current++
		s.ended = l.End
	}
	return l
}

// splitWords parts a text as recognisers do: at spaces, and each character of a
// script without spaces alone, punctuation with what is before it.
func splitWords(text string) []string {
	var all []string
	alone := true
	for _, r := range text {
		switch {
		case unicode.IsSpace(r):
			alone = true
		case unicode.Is(unicode.Han, r):
			all = append(all, string(r))
			alone = true
		case len(all) > 0 && (!alone || unicode.IsPunct(r)):
			all[len(all)-1] += string(r)
		default:
			all = append(all, string(r))
			alone = false
		}
	}
	return all
}

// glue puts two pieces together, with a space between Latin words.
func glue(a, b string) string {
	if a == "" || b == "" || unicode.Is(unicode.Han, []rune(b)[0]) || lastHan(a) {
		return a + b
	}
	return a + " " + b
}

func lastHan(s string) bool {
	runes := []rune(strings.TrimRightFunc(s, unicode.IsPunct))
	return len(runes) > 0 && unicode.Is(unicode.Han, runes[len(runes)-1])
}

// punctuation parts the punctuation at its end from a word.
func punctuation(word string) (bare, mark string) {
	bare = strings.TrimRightFunc(word, unicode.IsPunct)
	return bare, word[len(bare):]
}

// Package textdiff says how one text became another, in pieces that a person
// can read: words where words are written apart, characters where they are
// not, as in Chinese.
package textdiff

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind says what became of a Piece.
type Kind int

// Kinds of a Piece.
const (
	Same    Kind = iota // in both texts
	Removed             // only in the text before
	Added               // only in the text after
)

// Piece is a stretch of text of one kind.
type Piece struct {
	Kind Kind
	Text string
}

// maxEdits bounds the search for the shortest way, whose time grows with the
// product of the length and the number of edits and whose memory with the
// square of the latter, to half a megabyte. Texts that differ in more words
// have hardly anything in common that would help a reader.
const maxEdits = 512

// Diff returns the pieces of both texts in order. Those that are Same or
// Removed make up before, those that are Same or Added make up after. What
// lies between two changes and is nothing but white space is part of them.
func Diff(before, after string) []Piece {
	a, b := words(before), words(after)
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var s script
	s.add(Same, a[:head]...)
	s.middle(a[head:len(a)-tail], b[head:len(b)-tail])
	s.add(Same, a[len(a)-tail:]...)
	return s.joinBlanks()
}

// words takes a text apart: a run of letters and digits of a script that is
// written with spaces, a run of white space, or any other character alone.
func words(s string) []string {
	var out []string
	last := single
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		class := classOf(r)
		if class != single && class == last {
			out[len(out)-1] = s[i-len(out[len(out)-1]) : i+n]
		} else {
			out = append(out, s[i:i+n])
		}
		last = class
		i += n
	}
	return out
}

type class int

const (
	single class = iota
	wordy
	blank
)

func classOf(r rune) class {
	switch {
	case unicode.IsSpace(r):
		return blank
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
		return single
	case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r), r == '_':
		return wordy
	}
	return single
}

// script is a list of pieces that grows.
type script []Piece

func (s *script) add(k Kind, words ...string) {
	if len(words) == 0 {
		return
	}
	text := strings.Join(words, "")
	if n := len(*s); n > 0 && (*s)[n-1].Kind == k {
		(*s)[n-1].Text += text
		return
	}
	*s = append(*s, Piece{k, text})
}

// middle adds the shortest way from a to b, by Myers' greedy algorithm: for
// each number of edits it keeps how far one comes on each diagonal, and goes
// back along these.
func (s *script) middle(a, b []string) {
	var trace [][]int32
	v := make([]int32, 2*min(len(a)+len(b), maxEdits)+3)
	zero := len(v) / 2
	for d := 0; d <= min(len(a)+len(b), maxEdits); d++ {
		trace = append(trace, append([]int32(nil), v[zero-d:zero+d+1]...))
		for k := -d; k <= d; k += 2 {
			x := v[zero+k-1] + 1
			if k == -d || k != d && v[zero+k-1] < v[zero+k+1] {
				x = v[zero+k+1]
			}
			for int(x) < len(a) && int(x)-k < len(b) && a[x] == b[int(x)-k] {
				x++
			}
			v[zero+k] = x
			if int(x) == len(a) && int(x)-k == len(b) {
				s.back(trace, a, b)
				return
			}
		}
	}
	s.add(Removed, a...)
	s.add(Added, b...)
}

// back adds the way that trace ends with. trace[d] holds the diagonals from
// -d to d as they were before the d-th edit.
func (s *script) back(trace [][]int32, a, b []string) {
	type step struct {
		kind Kind
		word string
	}
	var steps []step
	x, y := len(a), len(b)
	for d := len(trace) - 1; d > 0; d-- {
		at := func(k int) int { return int(trace[d][k+d]) }
		k := x - y
		from := k - 1
		if k == -d || k != d && at(k-1) < at(k+1) {
			from = k + 1
		}
		px := at(from)
		py := px - from
		for x > px && y > py {
			x, y = x-1, y-1
			steps = append(steps, step{Same, a[x]})
		}
		if from == k+1 {
			y--
			steps = append(steps, step{Added, b[y]})
		} else {
			x--
			steps = append(steps, step{Removed, a[x]})
		}
	}
	for ; x > 0; x-- {
		steps = append(steps, step{Same, a[x-1]})
	}
	slices.Reverse(steps)
	for len(steps) > 0 {
		var same []string // of one kind
		for _, st := range steps {
			if st.kind != steps[0].kind {
				break
			}
			same = append(same, st.word)
		}
		s.add(steps[0].kind, same...)
		steps = steps[len(same):]
	}
}

// joinBlanks puts changes together that only white space parts, with what
// was removed before what was added.
func (s script) joinBlanks() []Piece {
	var out script
	for i := 0; i < len(s); {
		if s[i].Kind == Same {
			out.add(Same, s[i].Text)
			i++
			continue
		}
		var removed, added strings.Builder
		for ; i < len(s); i++ {
			p := s[i]
			between := p.Kind == Same && i+1 < len(s) && strings.TrimSpace(p.Text) == ""
			if p.Kind == Same && !between {
				break
			}
			if p.Kind != Added {
				removed.WriteString(p.Text)
			}
			if p.Kind != Removed {
				added.WriteString(p.Text)
			}
		}
		for _, p := range []Piece{{Removed, removed.String()}, {Added, added.String()}} {
			if p.Text != "" {
				out.add(p.Kind, p.Text)
			}
		}
	}
	return out
}

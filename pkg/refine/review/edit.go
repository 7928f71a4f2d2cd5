package review

import (
	"slices"
	"strconv"
)

// An editor looks for the reason of each difference between a transcript and
// an answer. What has none was not edited but written.
type editor struct {
	a, b    []token
	in, out string // the texts that they are tokens of
	style   string
	terms   map[string]bool
	hunks   []hunk
}

// Limits of one difference, in tokens. No edit is as large; the first bounds
// what is taken back as a whole.
const (
	maxDropped = 160
	maxAdded   = 32
	maxStates  = 1024 // of both together
	maxBad     = 8    // differences without a reason that are looked for
	maxBetween = 3    // equal tokens between two differences that are one
	maxSlide   = 32   // how far a difference is moved
)

// judge returns the differences that have no reason, and the names of the
// reasons of the others.
func (e *editor) judge() (bad []hunk, signals []string) {
	for k := 0; k < len(e.hunks) && len(bad) < maxBad; k++ {
		h := e.hunks[k]
		names, ok := e.explain(h)
		if !ok {
			names, ok = e.slide(h)
		}
		// What was changed may have a word in common with what it was.
		if !ok && k+1 < len(e.hunks) && near(h, e.hunks[k+1]) {
			if names, ok = e.explain(union(h, e.hunks[k+1])); ok {
				k++
			}
		}
		if !ok && k > 0 && near(e.hunks[k-1], h) {
			names, ok = e.explain(union(e.hunks[k-1], h))
		}
		if !ok {
			bad = append(bad, h)
		}
		signals = append(signals, names...)
	}
	return bad, signals
}

func near(x, y hunk) bool { return y.a.from-x.a.to <= maxBetween }

func union(x, y hunk) hunk {
	return hunk{rangeOf{x.a.from, y.a.to}, rangeOf{x.b.from, y.b.to}}
}

// slide tries the other places of tokens that were dropped: of "a b a" without
// "b a" it may be "a b" that is missing.
func (e *editor) slide(h hunk) ([]string, bool) {
	if h.b.len() > 0 {
		return nil, false
	}
	left := h
	for range maxSlide {
		if left.a.from == 0 || e.a[left.a.from-1].key != e.a[left.a.to-1].key {
			break
		}
		left.a.from--
		left.a.to--
		if names, ok := e.explain(left); ok {
			return names, true
		}
	}
	right := h
	for range maxSlide {
		if right.a.to == len(e.a) || e.a[right.a.from].key != e.a[right.a.to].key {
			break
		}
		right.a.from++
		right.a.to++
		if names, ok := e.explain(right); ok {
			return names, true
		}
	}
	return nil, false
}

// explain looks for a chain of reasons that leads from the beginning of a
// difference to its end, and returns their names.
func (e *editor) explain(h hunk) ([]string, bool) {
	if h.a.len() > maxDropped || h.b.len() > maxAdded || h.a.len()*h.b.len() > maxStates {
		return nil, false
	}
	var names []string
	width := h.b.len() + 1
	failed := make([]bool, (h.a.len()+1)*width)
	var from func(i, j int) bool
	from = func(i, j int) bool {
		if i == h.a.to && j == h.b.to {
			return true
		}
		state := &failed[(i-h.a.from)*width+j-h.b.from]
		if *state {
			return false
		}
		found := e.steps(h, i, j, func(p, q int, name string) bool {
			if !from(i+p, j+q) {
				return false
			}
			if name != "" {
				names = append(names, name)
			}
			return true
		})
		*state = !found
		return found
	}
	ok := from(h.a.from, h.b.from)
	return names, ok
}

// steps calls try with each reason at a place: that p tokens of the transcript
// became q of the answer. It ends with the first for which try is true.
func (e *editor) steps(h hunk, i, j int, try func(p, q int, name string) bool) bool {
	if i < h.a.to && j < h.b.to {
		if e.a[i].key == e.b[j].key && try(1, 1, "") {
			return true
		}
		for p := 1; p <= maxHeard && i+p <= h.a.to; p++ {
			for q := 1; q <= maxWritten && j+q <= h.b.to; q++ {
				if name := e.changed(i, p, j, q); name != "" && try(p, q, name) {
					return true
				}
			}
		}
	}
	if i < h.a.to {
		if e.style == agentMarkdown && j < len(e.b) && e.b[j].item != 0 {
			for _, c := range connectors.at(e.a, i, h.a.to) {
				if try(len(c.keys), 0, "lists") {
					return true
				}
			}
			if t := e.a[i]; t.kind == number && t.key == "#"+strconv.Itoa(e.b[j].item) && try(1, 0, "lists") {
				return true
			}
		}
		for _, d := range e.drops(i, h.a.from, h.a.to) {
			if try(d.n, 0, d.signal) {
				return true
			}
		}
	}
	if j < h.b.to && addable[e.b[j].key] && !e.has(h.a, e.b[j].key) {
		return try(0, 1, "grammar")
	}
	return false
}

// has tells whether a token is in a part of the transcript. What is there and
// is added nevertheless was not added but saved from what was dropped.
func (e *editor) has(r rangeOf, key string) bool {
	return slices.ContainsFunc(e.a[r.from:r.to], func(t token) bool { return t.key == key })
}

// blame names what is wrong with a difference that has no reason.
func (e *editor) blame(h hunk) string {
	dropped, added := e.a[h.a.from:h.a.to], e.b[h.b.from:h.b.to]
	switch {
	case e.addsTerm(h):
		return reasonTerms
	case count(dropped, negations) != count(added, negations):
		return reasonNegation
	case hasKind(added, fixed) || hasKind(dropped, fixed):
		return reasonLiterals
	case hasKind(added, number) || hasKind(dropped, number):
		return reasonNumbers
	case len(added) == 0:
		return reasonDropped
	case len(dropped) == 0:
		return reasonAdded
	}
	return reasonChanged
}

// addsTerm tells whether a term begins or ends in what was added.
func (e *editor) addsTerm(h hunk) bool {
	for j := h.b.from; j < h.b.to; j++ {
		for q := 1; q <= maxWritten && j+q <= len(e.b); q++ {
			if e.termAt(j, q) != "" {
				return true
			}
		}
	}
	return false
}

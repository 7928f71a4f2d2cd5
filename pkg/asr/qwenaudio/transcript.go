package qwenaudio

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"voice-input/pkg/asr/join"
)

// transcript puts the sentences of one task together. A service tells the
// whole of a sentence again and again until it is final; the number of the
// sentence says which one. So nothing is said twice, whatever is repeated,
// revised or out of order.
type transcript struct {
	slots []slot // in the order of the sentences
	bytes int    // of all texts

	settled string // the text of the slots at the beginning that are final
	ready   int    // how many those are
}

// slot is one sentence. One that the service does not number stands behind
// what had come before it, and has the number of that.
type slot struct {
	sentence
	numbered bool
}

// see takes a sentence into account. Ended says that it is final now, and was
// not before. The error is errTooMuch.
func (t *transcript) see(s sentence) (ended bool, err error) {
	i, known := t.find(s)
	if !known {
		if len(t.slots) == maxSentences {
			return false, errTooMuch
		}
		t.insert(i, s)
	}
	old := &t.slots[i]
	switch {
	case known && old.final && s.id == 0:
		return false, nil // a repetition
	case known && old.final && !s.final:
		return false, nil // a draft that is late
	}
	if t.bytes += len(s.text) - len(old.text); t.bytes > maxText {
		return false, errTooMuch
	}
	ended = s.final && !old.final
	changed := i < t.ready && old.text != s.text
	s.id = old.id
	old.sentence = s
	if changed {
		t.settle(0)
	}
	t.settle(t.ready)
	return ended, nil
}

// find returns the place of a sentence, and whether it is there already.
func (t *transcript) find(s sentence) (i int, known bool) {
	last := len(t.slots) - 1
	if s.id == 0 {
		if last < 0 {
			return 0, false
		}
		// Sentences are spoken one after the other: it is the one that is open, or
		// else a new one, or the last one again.
		l := t.slots[last]
		again := s.final && l.text == s.text && l.begin == s.begin && l.end == s.end
		if !l.final || again {
			return last, true
		}
		return last + 1, false
	}
	for i = last + 1; i > 0; i-- {
		switch l := t.slots[i-1]; {
		case l.numbered && l.id == s.id:
			return i - 1, true
		case l.id < s.id:
			return i, false
		}
	}
	return 0, false
}

func (t *transcript) insert(i int, s sentence) {
	n := slot{sentence: sentence{id: s.id}, numbered: s.id != 0}
	if !n.numbered && i > 0 {
		n.id = t.slots[i-1].id
	}
	t.slots = append(t.slots, slot{})
	copy(t.slots[i+1:], t.slots[i:])
	t.slots[i] = n
	if i < t.ready {
		t.settle(0)
	}
}

// settle puts the final sentences at the beginning together, from one on.
func (t *transcript) settle(from int) {
	if t.ready = from; from == 0 {
		t.settled = ""
	}
	for t.ready < len(t.slots) && t.slots[t.ready].final {
		t.settled = join.Join(t.settled, strings.TrimSpace(t.slots[t.ready].text))
		t.ready++
	}
}

// texts returns what is final and, behind that, the rest as it is now.
func (t *transcript) texts() (committed, draft string) {
	for _, s := range t.slots[t.ready:] {
		draft = join.Join(draft, strings.TrimSpace(s.text))
	}
	return t.settled, draft
}

// all returns everything.
func (t *transcript) all() string { return join.Join(t.texts()) }

// replace has the service's own whole text count, unless that lacks some of
// what it said before.
func (t *transcript) replace(whole string) {
	if len(whole) > maxText || letters(whole) < letters(t.all()) || strings.TrimSpace(whole) == "" {
		return
	}
	*t = transcript{}
	t.see(sentence{text: whole, final: true})
}

// letters counts what makes a text longer: not the spaces and signs.
func letters(s string) int {
	n := 0
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			n++
		}
	}
	return n
}

// longer returns the text with more characters, the first of equal ones.
func longer(a, b string) string {
	if utf8.RuneCountInString(b) > utf8.RuneCountInString(a) {
		return b
	}
	return a
}

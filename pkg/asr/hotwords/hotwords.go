// Package hotwords puts the user's own vocabulary into the form that the
// DashScope recognisers take with a request, within their documented limits.
// The terms of a context never go there: they have a field of their own.
package hotwords

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"voice-input/pkg/wire"
)

// The limits that the provider documents.
const (
	MaxWords    = 2000 // in one request
	MaxSuper    = 50   // of the weight Super
	MaxChars    = 15   // characters of a word that is not pure ASCII
	MaxSegments = 7    // pieces between blanks of a word in pure ASCII
)

// maxBytes bounds all words together, so that a message stays far below the
// 1 MiB that both sides take.
const maxBytes = 256 << 10

// Weights. A word is favoured by 1 to 5; Super is a degree of its own, which
// makes a recogniser hear the word where it was not said.
const (
	Super = 50
	most  = 5
	usual = 4 // what the provider recommends
)

// Of returns the words with their weights, nil if there are none. A word that
// is outside a limit is left out: too long, with a control character, or the
// same as one before it. If there are too many the heaviest are taken.
func Of(vocabulary []wire.Vocabulary) map[string]int {
	byWeight := slices.Clone(vocabulary)
	slices.SortStableFunc(byWeight, func(a, b wire.Vocabulary) int {
		return cmp.Compare(Weight(b.Weight), Weight(a.Weight))
	})
	out := map[string]int{}
	super, bytes := 0, 0
	for _, v := range byWeight {
		text := strings.TrimSpace(v.Text)
		if _, twice := out[text]; twice || !fits(text) || bytes+len(text) > maxBytes || len(out) == MaxWords {
			continue
		}
		weight := Weight(v.Weight)
		if weight == Super {
			if super == MaxSuper {
				weight = most
			} else {
				super++
			}
		}
		out[text] = weight
		bytes += len(text)
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// Weight makes one of the provider's weights of a user's, which is any number
// above 0: the nearest of 1 to 5, and Super only for one who writes 50 or
// more. None, 0, is the usual one.
func Weight(w float64) int {
	switch {
	case w == 0 || math.IsNaN(w):
		return usual
	case w >= Super:
		return Super
	}
	return int(min(max(math.Round(w), 1), most))
}

// fits tells whether the provider takes a word.
func fits(word string) bool {
	if word == "" || !utf8.ValidString(word) || strings.ContainsFunc(word, unicode.IsControl) {
		return false
	}
	if strings.ContainsFunc(word, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return utf8.RuneCountInString(word) <= MaxChars
	}
	return len(strings.Fields(word)) <= MaxSegments
}

// Package lexicon knows which words are ordinary: words that everybody spells
// right, so that they are no terms, and that nobody means as a name, so that
// they are never rewritten to one.
//
// The lists are of this project's own making. English words stand there in
// their base form; the regular endings are understood.
package lexicon

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed function.txt
var functionText string

//go:embed ordinary.txt
var ordinaryText string

//go:embed names.txt
var namesText string

//go:embed chinese.txt
var chineseText string

// The sets are made when first needed: English takes about a quarter of a
// millisecond, and a program that only prints its version needs none.
var (
	functionWords = set(&functionText)
	ordinaryWords = set(&ordinaryText)
	names         = set(&namesText)
	chineseWords  = set(&chineseText)
)

func set(text *string) func() map[string]struct{} {
	return sync.OnceValue(func() map[string]struct{} {
		words := strings.Fields(*text)
		m := make(map[string]struct{}, len(words))
		for _, w := range words {
			m[w] = struct{}{}
		}
		return m
	})
}

func in(words func() map[string]struct{}, w string) bool {
	_, ok := words()[w]
	return ok
}

// Function tells whether w, in whatever case, is an English word that carries
// grammar rather than meaning: an article, a pronoun, a preposition, a
// conjunction, an auxiliary, a number word.
func Function(w string) bool {
	return in(functionWords, fold(w))
}

// Ordinary tells whether w, in whatever case, is an everyday English word or a
// regular form of one. Function words are ordinary, and words that are Names
// are not.
func Ordinary(w string) bool {
	w = strings.TrimSuffix(fold(w), "'s")
	return !in(names, w) && (known(w) || inflected(w, 2))
}

// Name tells whether w, in whatever case, is a word that names a well-known
// program or language too: with a capital it is worth knowing, in small letters
// it may be just the word.
func Name(w string) bool { return in(names, fold(w)) }

// Chinese tells whether w is an everyday Chinese word.
func Chinese(w string) bool { return in(chineseWords, w) }

func fold(w string) string {
	return strings.ReplaceAll(strings.ToLower(w), "’", "'")
}

func known(w string) bool { return in(ordinaryWords, w) || in(functionWords, w) }

// An ending is what a word may have behind its base form, and what stands in
// the base form instead.
type ending struct{ suffix, base string }

var endings = []ending{
	{"s", ""}, {"es", ""}, {"ies", "y"}, {"ves", "f"},
	{"ed", ""}, {"ed", "e"}, {"ied", "y"},
	{"ing", ""}, {"ing", "e"}, {"ings", ""},
	{"er", ""}, {"er", "e"}, {"ier", "y"}, {"or", ""}, {"or", "e"},
	{"est", ""}, {"est", "e"}, {"iest", "y"},
	{"ly", ""}, {"ily", "y"}, {"bly", "ble"}, {"ically", "ic"},
	{"ness", ""}, {"iness", "y"}, {"ment", ""}, {"ful", ""}, {"less", ""},
	{"able", ""}, {"able", "e"}, {"ability", "able"}, {"ability", ""}, {"ity", ""}, {"ity", "e"},
	{"ation", "e"}, {"ation", ""}, {"ion", "e"}, {"ion", ""}, {"al", ""}, {"al", "e"}, {"ive", "e"}, {"ive", ""},
	{"ish", ""}, {"ized", "ize"}, {"ised", "ise"},
}

var prefixes = []string{"un", "re", "non", "in", "im", "dis", "mis", "pre", "sub", "over", "under", "inter", "auto", "multi"}

// minBase is the shortest base form that an ending is taken off to.
const minBase = 3

// inflected tells whether w is a known word with up to depth endings or
// prefixes.
func inflected(w string, depth int) bool {
	if depth == 0 {
		return false
	}
	try := func(base string) bool {
		return len(base) >= minBase && (known(base) || inflected(base, depth-1))
	}
	for _, e := range endings {
		base, ok := strings.CutSuffix(w, e.suffix)
		if !ok || len(base)+len(e.base) < minBase {
			continue
		}
		if try(base + e.base) {
			return true
		}
		// stopped, running: the last consonant is doubled.
		if n := len(base); e.base == "" && n > minBase && base[n-1] == base[n-2] && try(base[:n-1]) {
			return true
		}
	}
	for _, p := range prefixes {
		if base, ok := strings.CutPrefix(w, p); ok && len(base) > minBase && try(base) {
			return true
		}
	}
	return false
}

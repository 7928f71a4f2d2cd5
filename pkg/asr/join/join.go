// Package join puts the sentences together that recognisers give one by one.
package join

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Join returns a and b with a space between them where both scripts write one:
// behind a word or its punctuation, before a word. Neither text is changed.
// Chinese and Japanese stand without spaces, Korean does not. A number that
// the sentences' border cuts at its point stays one.
func Join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	l, n := utf8.DecodeLastRuneInString(a)
	r, _ := utf8.DecodeRuneInString(b)
	if !spaced(l, r) {
		return a + b
	}
	if l == '.' || l == ',' {
		if before, _ := utf8.DecodeLastRuneInString(a[:len(a)-n]); isDigit(before) && isDigit(r) {
			return a + b
		}
	}
	return a + " " + b
}

// All joins texts in their order.
func All(texts ...string) string {
	all := ""
	for _, t := range texts {
		all = Join(all, t)
	}
	return all
}

func spaced(l, r rune) bool {
	if unicode.IsSpace(l) || unicode.IsSpace(r) || unspaced(l) || unspaced(r) {
		return false
	}
	opens := isWord(r) || strings.ContainsRune("([{\"'“‘«¿¡#$€£@&+-–—/\\<`~", r)
	closes := isWord(l) || strings.ContainsRune(".,!?;:%\"')]}”’»…$€£°&+-–—>`", l)
	return opens && closes
}

// isWord tells whether a character is part of a word. A mark belongs to the
// letter before it.
func isWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r)
}

func isDigit(r rune) bool { return unicode.Is(unicode.Nd, r) }

// unspaced tells whether a character belongs to a script that writes no
// spaces between words, or is its punctuation.
func unspaced(r rune) bool {
	switch {
	case unicode.In(r, unicode.Hangul):
		return false
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo, unicode.Yi, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
		return true
	}
	return r >= 0x3000 && r <= 0x303f || // CJK symbols and punctuation
		r == 0x30fb || r == 0x30fc || // the middle dot and the length mark of katakana
		r >= 0xfe30 && r <= 0xfe4f || // CJK compatibility forms
		r >= 0xff01 && r <= 0xff65 // full width forms, half width punctuation
}

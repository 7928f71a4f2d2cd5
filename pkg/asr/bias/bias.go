// Package bias puts the words that are likely to be said into the forms that
// services have for them, each within its own limit. A word goes in whole or
// not at all; what does not fit is left out, and shorter ones may still fit.
package bias

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"voice-input/pkg/asr/engine"
)

// PromptTokens is how much of a prompt Whisper looks at: the last 224 tokens,
// half of its text context.
const PromptTokens = 224

// Words returns the words of the hints, the most valuable first; without
// vocabulary only those that the user has not put into his own lists.
func Words(h engine.Hints, vocabulary bool) []string {
	if vocabulary {
		return h.Words
	}
	own := map[string]bool{}
	for _, v := range h.Vocabulary {
		own[strings.ToLower(v.Text)] = true
	}
	return slices.DeleteFunc(slices.Clone(h.Words), func(w string) bool { return own[strings.ToLower(w)] })
}

// Prompt returns a list for Whisper, separated by commas, the most valuable
// word last: of a prompt that is too long the beginning is lost.
func Prompt(words []string) string {
	left := PromptTokens
	chosen := choose(words, func(w string) bool {
		n := tokens(w) + 1
		if n <= left {
			left -= n
			return true
		}
		return false
	})
	slices.Reverse(chosen)
	return strings.Join(chosen, ", ")
}

// tokens estimates, on the high side, how many tokens Whisper makes of a word.
// Its byte pairs know few names: identifiers come apart into pieces of two to
// four letters, a digit or a sign is one, a Chinese character one or two, and
// nothing has more tokens than bytes.
func tokens(word string) int {
	n, letters := 0, 0
	for _, r := range word {
		if r < utf8.RuneSelf && unicode.IsLetter(r) {
			if letters++; letters%2 == 1 {
				n++
			}
			continue
		}
		letters = 0
		switch {
		case r < utf8.RuneSelf:
			n++
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
			n += 2
		default:
			n += utf8.RuneLen(r)
		}
	}
	return n
}

// Lines returns the words separated by LF, at most so many characters with the
// separators.
func Lines(words []string, chars int) string { return joined(words, "\n", chars) }

// Commas returns the words separated by commas, at most so many characters
// with the separators. A word with a comma in it is left out.
func Commas(words []string, chars int) string {
	return joined(slices.DeleteFunc(slices.Clone(words), func(w string) bool { return strings.Contains(w, ",") }), ",", chars)
}

func joined(words []string, separator string, chars int) string {
	left := chars + len(separator)
	return strings.Join(choose(words, func(w string) bool {
		n := utf8.RuneCountInString(w) + len(separator)
		if n <= left {
			left -= n
			return true
		}
		return false
	}), separator)
}

// List returns the first n words.
func List(words []string, n int) []string {
	return choose(words, func(string) bool { n--; return n >= 0 })
}

// choose returns the words that fit, without those that would be more than one.
func choose(words []string, fits func(string) bool) []string {
	var out []string
	for _, w := range words {
		if w != "" && !strings.ContainsFunc(w, unicode.IsControl) && fits(w) {
			out = append(out, w)
		}
	}
	return out
}

package asr

import (
	"strings"
	"unicode"
)

// clean makes an engine's text fit to be typed: one line, without control
// characters and without those that cannot be seen. Letters stay as they are.
func clean(s string) string {
	var b strings.Builder
	runes := []rune(s)
	space := false
	for i, r := range runes {
		switch {
		case r == ' ', unicode.IsControl(r) && unicode.IsSpace(r), r == '\u2028', r == '\u2029':
			space = true
			continue
		case unicode.IsControl(r), invisible(r) && !joins(runes, i):
			continue
		}
		if space && b.Len() > 0 {
			b.WriteByte(' ')
		}
		space = false
		b.WriteRune(r)
	}
	return strings.TrimSpace(b.String())
}

// invisible tells whether a character takes no room or looks empty: zero
// width, direction marks, tags, byte order marks, fillers.
func invisible(r rune) bool {
	switch r {
	case '\u034f', '\u115f', '\u1160', '\u17b4', '\u17b5', '\u2800', '\u3164', '\uffa0':
		return true
	}
	return unicode.Is(unicode.Cf, r)
}

// joins tells whether the character at i is a zero width joiner or non-joiner
// that is part of the spelling, as in Persian and Hindi.
func joins(s []rune, i int) bool {
	if s[i] != '\u200c' && s[i] != '\u200d' || i == 0 || i+1 == len(s) {
		return false
	}
	return usesJoiners(s[i-1]) && usesJoiners(s[i+1])
}

func usesJoiners(r rune) bool {
	return unicode.In(r, unicode.Arabic, unicode.Syriac, unicode.Mongolian, unicode.Devanagari, unicode.Bengali,
		unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada,
		unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar)
}

package history

import (
	"strings"
	"unicode"
)

// beginningChars is how much of a text the list shows.
const beginningChars = 40

// beginning returns the first characters of a text in one line.
func beginning(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > beginningChars {
		text = string(runes[:beginningChars]) + "…"
	}
	return harmless(text)
}

// harmless returns a text without what steers a terminal or turns the
// direction of what stands behind it. Line ends and tabs stay.
func harmless(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r), r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069':
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

package deliver

import (
	"regexp"
	"strings"
	"unicode"
)

// Lines says what becomes of line ends and tabs within a text.
type Lines int

const (
	// KeepLines keeps them: what receives the text can tell them from keys.
	KeepLines Lines = iota
	// JoinLines makes a space of them. Typed, or pasted into a terminal whose
	// program does not ask for bracketed paste, a line end is Enter and a tab
	// is the key.
	JoinLines
)

var (
	// sequence is what steers a terminal: a control sequence with its
	// parameters, such as the end of a bracketed paste.
	sequence = regexp.MustCompile(`(?:\x1b\[|\x{9b})[0-?]*[ -/]*[@-~]`)
	lineEnd  = regexp.MustCompile(`\r\n|[\r\v\f\x{85}\x{2028}\x{2029}]`)
	gap      = regexp.MustCompile(` *[\t\n][\t\n ]*`)
)

// Clean returns of a text what may be sent: valid UTF-8 without control
// characters other than line feed and tab, without characters that cannot be
// seen, and without a line end at its end. Joiners stay where a script or an
// emoji is spelt with them. A dash at the start is text.
func Clean(text string, lines Lines) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	text = lineEnd.ReplaceAllString(sequence.ReplaceAllString(text, ""), "\n")
	text = visible(text)
	if lines == JoinLines {
		text = strings.Trim(gap.ReplaceAllString(text, " "), " ")
	}
	return strings.TrimRight(text, "\n")
}

// visible drops what cannot be seen.
func visible(text string) string {
	runes := []rune(text)
	var b strings.Builder
	last := ' ' // the character before, of those that stay
	for i, r := range runes {
		next := ' '
		if i+1 < len(runes) {
			next = runes[i+1]
		}
		switch {
		case r == '\n' || r == '\t':
		case unicode.IsControl(r):
			continue
		case r == zwj || r == zwnj:
			if !(usesJoiners(last) && usesJoiners(next)) && !(r == zwj && emojiBefore(last) && emojiAfter(next)) {
				continue
			}
		case unicode.Is(unicode.Variation_Selector, r):
			if !varies(last, r) {
				continue
			}
		case unseen(r):
			continue
		}
		b.WriteRune(r)
		last = r
	}
	return b.String()
}

const (
	zwnj = '\u200c'
	zwj  = '\u200d'
	vs16 = '\ufe0f' // the emoji form of the character before
)

// unseen tells whether a character takes no room or looks empty: zero width,
// direction marks, tags, byte order marks, fillers. Signs that stand before a
// number are of the same category and can be seen.
func unseen(r rune) bool {
	switch r {
	case '\u034f', '\u115f', '\u1160', '\u17b4', '\u17b5', '\u2800', '\u3164', '\uffa0':
		return true
	}
	return unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

// varies tells whether a selector chooses a form of the character before it.
// A second one, or one behind a space, could only hide something.
func varies(before, selector rune) bool {
	switch {
	case selector >= '\ufe00' && selector <= vs16:
		return unicode.IsGraphic(before) && !unicode.IsSpace(before) && !unicode.Is(unicode.Variation_Selector, before)
	case selector >= '\U000e0100':
		return unicode.Is(unicode.Han, before)
	}
	return unicode.Is(unicode.Mongolian, before)
}

func emojiBefore(r rune) bool {
	return unicode.Is(unicode.So, r) || r == vs16 || r >= '\U0001f3fb' && r <= '\U0001f3ff' // skin tones
}

func emojiAfter(r rune) bool {
	return unicode.Is(unicode.So, r) || r == '\u2194' // the arrow of a shaken head
}

func usesJoiners(r rune) bool {
	return unicode.In(r, unicode.Arabic, unicode.Syriac, unicode.Mongolian, unicode.Devanagari, unicode.Bengali,
		unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada,
		unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar)
}

package normalize

import (
	"unicode"
	"unicode/utf8"
)

// fold turns a full-width character and the hyphens of typography into the
// ASCII one.
func fold(r rune) rune {
	switch {
	case r >= 0xFF01 && r <= 0xFF5E:
		return r - 0xFEE0
	case r == 0x3000, r == 0xA0:
		return ' '
	case r >= 0x2010 && r <= 0x2012, r == 0x2212:
		return '-'
	}
	return r
}

func lower(r rune) rune {
	if r >= 'A' && r <= 'Z' {
		return r + 'a' - 'A'
	}
	return r
}

func digit(c byte) bool { return c >= '0' && c <= '9' }
func upper(c byte) bool { return c >= 'A' && c <= 'Z' }
func alnum(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}

// joins tells whether r can join the parts of a name.
func joins(r rune) bool { return r == '-' || r == '_' || r == '.' }

// separator tells whether r, which is folded, can stand between the parts of
// a name in a text.
func separator(r rune) bool { return r == ' ' || r == '\t' || joins(r) }

// wordy tells whether r continues a word: a letter, a digit or a mark of a
// script that writes spaces between words.
func wordy(r rune) bool {
	if r == '_' || alnum(r) {
		return true
	}
	return r >= utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)) &&
		!unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo)
}

// narrow folds what is part of a word at full width too, but not the
// punctuation of Chinese, which ends one.
func narrow(r rune) rune {
	if f := fold(r); alnum(f) || f == '-' || f == '_' {
		return f
	}
	return r
}

// beginsAt tells whether a match may begin at byte i. A slash before it is
// that of a path, unless the match has spaces inside.
func beginsAt(text string, i int, space bool) bool {
	r, _ := utf8.DecodeLastRuneInString(text[:i])
	switch r = narrow(r); r {
	case '/':
		return space
	case '#', '+', '@', ':', '-', '.', '\\', '~', '$', '%':
		return false
	}
	return i == 0 || !wordy(r)
}

// endsAt tells whether a match may end at byte i. A full stop, a colon or a
// dash is punctuation if no word follows it.
func endsAt(text string, i int, space bool) bool {
	for {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch r = narrow(r); r {
		case '.', ':', '-':
			i += n
			// What follows is no longer beside the match.
			if next, _ := utf8.DecodeRuneInString(text[i:]); wordy(narrow(next)) || next == '/' || next == '\\' {
				return false
			}
			continue
		case '/':
			return space
		case '#', '+', '@', '\\', '%', '$', '~':
			return n == 0
		}
		return n == 0 || !wordy(r)
	}
}

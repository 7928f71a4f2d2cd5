package terms

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Limits of the source budget in characters. Within them the user chooses.
const (
	MinSource     = 500
	MaxSource     = 12_000
	DefaultSource = 6_000
)

// fold returns s in the one form in which everything after it sees the text:
// valid UTF-8 in NFC, letters and the marks of names at normal width, without
// invisible characters, and with no control character but tabs and newlines.
// Redaction comes before it and once more behind it, so that no disguise of a
// secret is put on or taken off unseen.
func fold(s string) string {
	plain := true
	for i := range len(s) {
		if c := s[i]; c >= utf8.RuneSelf || c < ' ' && c != '\n' && c != '\t' || c == 0x7F {
			plain = false
			break
		}
	}
	if plain {
		return s
	}
	s = strings.ReplaceAll(strings.ToValidUTF8(s, " "), "\r\n", "\n")
	return norm.NFC.String(strings.Map(foldRune, s))
}

func foldRune(r rune) rune {
	switch {
	case r == '\n' || r == '\t':
		return r
	case r == '\r', r == 0x2028, r == 0x2029, r == 0x85:
		return '\n'
	case unicode.IsControl(r), unicode.Is(unicode.Zs, r):
		return ' '
	case unicode.Is(unicode.Cf, r):
		return -1 // zero width, direction, soft hyphen
	case r >= '０' && r <= '９', r >= 'Ａ' && r <= 'Ｚ', r >= 'ａ' && r <= 'ｚ', strings.ContainsRune("－＿．／＋＃＠～", r):
		return r - 0xFEE0
	case r == 0x2010, r == 0x2011:
		return '-'
	}
	return r
}

// clamp cuts text, which has been redacted, to a budget of characters and
// returns what is kept of its beginning, two thirds, and of its end, where
// answers say what is to be done next. Words at the cuts are left out.
func clamp(text string, max int) (head, tail string) {
	total := utf8.RuneCountInString(text)
	if total <= max {
		return text, ""
	}
	first := max * 2 / 3
	i, n, headEnd := 0, 0, 0
	for i = range text {
		if n == first {
			headEnd = i
		}
		if n == total-(max-first) {
			break
		}
		n++
	}
	return text[:wordEnd(text, headEnd)], text[wordStart(text, i):]
}

// maxWord is how far, in bytes, a cut looks for the border of a word. What is
// longer is no term anyway.
const maxWord = 400

// wordEnd returns the last place up to i that is not inside a word.
func wordEnd(text string, i int) int {
	for at := i; at > 0 && i-at < maxWord; {
		r, n := utf8.DecodeLastRuneInString(text[:at])
		next, _ := utf8.DecodeRuneInString(text[at:])
		if !inBlob(r) || !inBlob(next) {
			return at
		}
		at -= n
	}
	return i
}

// wordStart returns the first place from i that is not inside a word.
func wordStart(text string, i int) int {
	for at := i; at < len(text) && at-i < maxWord; {
		r, n := utf8.DecodeRuneInString(text[at:])
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		if !inBlob(r) || !inBlob(before) {
			return at
		}
		at += n
	}
	return i
}

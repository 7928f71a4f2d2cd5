package sound

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sounds are written as small letters for consonants as in English, S for sh,
// C for ch, T for th, and A E I O U for vowels.

// spelling maps letters to sounds, longest first; "^" stands for the start of
// a word and "$" for its end.
var spelling = []struct{ letters, phones string }{
	{"tion", "Sn"}, {"sion", "Sn"}, {"iew", "U"},
	{"igh", "I"}, {"tch", "C"}, {"dge", "j"}, {"ough", "O"}, {"augh", "O"},
	{"^wr", "r"}, {"^kn", "n"}, {"^gn", "n"}, {"^ps", "s"}, {"^ge", "gE"}, {"^gi", "gI"},
	{"sh", "S"}, {"ch", "C"}, {"ph", "f"}, {"gh", "g"}, {"th", "T"}, {"ck", "k"}, {"qu", "kw"}, {"wh", "w"}, {"mb$", "m"}, {"oh", "O"}, {"ah", "A"}, {"eh", "E"},
	{"ce", "sE"}, {"ci", "sI"}, {"cy", "sI"}, {"ge", "jE"}, {"gi", "jI"}, {"gy", "jI"}, {"cce", "ksE"},
	{"ee", "E"}, {"ea", "E"}, {"ei", "E"}, {"ie", "I"}, {"ey", "E"}, {"oo", "U"}, {"ou", "U"}, {"ue", "U"}, {"ui", "U"}, {"ew", "U"}, {"eu", "U"},
	{"oa", "O"}, {"ow", "O"}, {"oe", "O"}, {"au", "O"}, {"aw", "O"}, {"ai", "A"}, {"ay", "A"}, {"^y", "y"},
	{"a", "A"}, {"e", "E"}, {"i", "I"}, {"o", "O"}, {"u", "U"}, {"y", "I"},
	{"c", "k"}, {"q", "k"}, {"x", "ks"}, {"v", "v"},
}

// letterNames are how single letters sound where their name differs much from
// their sound.
var letterNames = map[string]string{"x": "Eks", "w": "dblU", "y": "wI", "h": "AC", "r": "Ar", "q": "kU", "g": "jI", "c": "sI"}

// marks are what is said for the marks in names.
var marks = map[rune]string{'+': "pls", '#': "SArp"}

// digits are what is said for figures: they count as sounds of their own, so
// that 3 is never 4.
var digits = map[string]rune{
	"zero": '0', "one": '1', "two": '2', "three": '3', "four": '4', "five": '5', "six": '6', "seven": '7', "eight": '8', "nine": '9',
	"零": '0', "一": '1', "二": '2', "三": '3', "四": '4', "五": '5', "六": '6', "七": '7', "八": '8', "九": '9',
}

// spoken names of the marks that join the parts of a name. They have no sound
// of their own in the written form.
var joiners = map[string]bool{"dot": true, "dash": true, "hyphen": true, "underscore": true, "slash": true, "点": true, "杠": true}

// maxLength bounds what is compared, in bytes; nobody says a longer name.
const maxLength = 96

// maxPhones bounds the sounds of a text; a letter has at most five.
const maxPhones = 5 * maxLength

// phones returns the sounds of a text. A name that can be spelt out, such as
// gRPC, is if letters is set.
func phones(text string, letters bool) string {
	if len(text) > maxLength {
		text = text[:maxLength]
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case r < utf8.RuneSelf && unicode.IsLetter(r):
			end := i
			for end < len(text) && isLetter(text[end]) && !(end > i && isUpper(text[end]) && !isUpper(text[end-1])) {
				end++ // GitHub is two words
			}
			if w := text[i:end]; letters && spelt(w) {
				for _, c := range w {
					word(&b, string(c))
				}
			} else {
				word(&b, w)
			}
			n = end - i
		case r >= '0' && r <= '9':
			b.WriteRune(r)
		case unicode.Is(unicode.Han, r):
			if d, ok := digits[string(r)]; ok {
				b.WriteRune(d)
			} else if s := readings()[r]; len(s) > 0 && !joiners[string(r)] {
				b.WriteString(syllablePhones(s[0]))
			}
		default:
			b.WriteString(marks[r])
		}
		i += n
	}
	s := collapse(b.String())
	return s[:min(len(s), maxPhones)]
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// spelt tells whether a name may be said letter by letter: if it is in
// capitals, or has no vowel.
func spelt(w string) bool { return strings.ToUpper(w) == w || !strings.ContainsAny(w, "aeiouAEIOU") }

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }

// word writes the sounds of an English word.
func word(b *strings.Builder, w string) {
	w = strings.ToLower(w)
	if d, ok := digits[w]; ok {
		b.WriteRune(d)
		return
	}
	if joiners[w] {
		return
	}
	if p, ok := letterNames[w]; ok {
		b.WriteString(p)
		return
	}
	// A last e behind a consonant is silent, unless it is the only vowel.
	if n := len(w); n > 2 && w[n-1] == 'e' && !vowel(w[n-2]) && strings.ContainsAny(w[:n-1], "aeiouy") && w[n-2] != 'c' && w[n-2] != 'g' {
		w = w[:n-1]
	}
	for i := 0; i < len(w); {
		n := 0
		for _, s := range spelling {
			if letters, ok := strings.CutPrefix(s.letters, "^"); ok {
				if i != 0 || !strings.HasPrefix(w, letters) {
					continue
				}
				n = len(letters)
			} else if letters, ok := strings.CutSuffix(s.letters, "$"); ok {
				if w[i:] != letters {
					continue
				}
				n = len(letters)
			} else if strings.HasPrefix(w[i:], s.letters) {
				n = len(s.letters)
			} else {
				continue
			}
			b.WriteString(s.phones)
			break
		}
		if n == 0 {
			b.WriteByte(w[i])
			n = 1
		}
		i += n
	}
}

func vowel(c byte) bool { return strings.IndexByte("aeiouyAEIOU", c) >= 0 }

// collapse makes one of a sound that is doubled and of vowels in a row.
func collapse(s string) string {
	out := make([]byte, 0, len(s))
	for i := range len(s) {
		if n := len(out); n > 0 && (out[n-1] == s[i] && (s[i] < '0' || s[i] > '9') || isVowel(out[n-1]) && isVowel(s[i])) {
			continue
		}
		out = append(out, s[i])
	}
	return string(out)
}

func isVowel(c byte) bool { return strings.IndexByte("AEIOU", c) >= 0 }

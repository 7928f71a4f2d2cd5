package sound

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"
)

//go:embed syllables.txt
var syllablesText string

// readings maps a character to its syllables, the usual one first. Making the
// map takes about a millisecond, once.
var readings = sync.OnceValue(func() map[rune][]string {
	m := make(map[rune][]string, 10000)
	// A line has a syllable, the characters whose usual reading it is, and those
	// that have another usual one.
	for _, column := range []int{1, 2} {
		for line := range strings.Lines(syllablesText) {
			columns := append(strings.Split(strings.TrimSuffix(line, "\n"), " "), "")
			for _, r := range columns[column] {
				m[r] = append(m[r], columns[0])
			}
		}
	}
	return m
})

// SameHan tells whether two runs of Chinese characters can be said alike: as
// many characters, each with a reading in common. Tones are ignored, and so are
// the differences that many speakers do not make: zh and z, ang and an.
func SameHan(a, b string) bool {
	x, y := []rune(a), []rune(b)
	if len(x) != len(y) || len(x) == 0 {
		return false
	}
	for i := range x {
		if !unicode.Is(unicode.Han, x[i]) || !sameCharacter(x[i], y[i]) {
			return false
		}
	}
	return true
}

func sameCharacter(a, b rune) bool {
	if a == b {
		return true
	}
	for _, s := range readings()[a] {
		for _, t := range readings()[b] {
			if loose(s) == loose(t) {
				return true
			}
		}
	}
	return false
}

// loose returns a syllable without the differences that are often not made.
func loose(s string) string {
	if len(s) > 1 && s[1] == 'h' && strings.ContainsRune("zcs", rune(s[0])) {
		s = s[:1] + s[2:]
	}
	for _, v := range []string{"a", "e", "i"} {
		if strings.HasSuffix(s, v+"ng") {
			return strings.TrimSuffix(s, "g")
		}
	}
	return s
}

// initials maps the beginnings of syllables that are not said as in English.
var initials = []struct{ pinyin, phones string }{
	{"zh", "j"}, {"ch", "C"}, {"sh", "S"}, {"q", "C"}, {"x", "S"}, {"c", "s"}, {"yu", "yU"}, {"yi", "I"}, {"wu", "U"},
}

// finals maps the vowels of syllables, longest first.
var finals = []struct{ pinyin, phones string }{
	{"iao", "O"}, {"uai", "wA"}, {"ao", "O"}, {"ou", "O"}, {"uo", "O"}, {"ai", "A"}, {"ei", "E"}, {"ie", "E"}, {"ue", "E"},
	{"ve", "E"}, {"ui", "E"}, {"iu", "U"}, {"ia", "A"}, {"ua", "wA"}, {"io", "O"}, {"a", "A"}, {"o", "O"}, {"e", "E"}, {"i", "I"},
	{"u", "U"}, {"v", "U"},
}

// syllablePhones returns the sounds of a syllable.
func syllablePhones(s string) string {
	var b strings.Builder
	rest, spelt := s, false
	for _, n := range initials {
		if strings.HasPrefix(s, n.pinyin) {
			b.WriteString(n.phones)
			rest, spelt = s[len(n.pinyin):], true
			break
		}
	}
	if !spelt && !strings.ContainsRune("aeiouv", rune(s[0])) {
		b.WriteByte(s[0])
		rest = s[1:]
	}
	for _, n := range finals {
		if strings.HasPrefix(rest, n.pinyin) {
			b.WriteString(n.phones)
			rest = rest[len(n.pinyin):]
			break
		}
	}
	switch rest {
	case "n", "ng":
		b.WriteByte('n')
	case "r":
		b.WriteByte('r')
	}
	return b.String()
}

package review

import (
	"sync"
	"unicode"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// scripts are those whose letters are counted. What is of none of them counts
// as other.
var scripts = []*unicode.RangeTable{
	unicode.Han, unicode.Latin, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Cyrillic, unicode.Arabic,
	unicode.Greek, unicode.Hebrew, unicode.Thai, unicode.Devanagari,
}

const (
	hanScript   = 0
	latinScript = 1
)

// letters returns how many letters of each script a text has. Of Latin the
// words are counted: a word weighs about as much as a Chinese character.
func letters(s string) []int {
	n := make([]int, len(scripts)+1)
	inWord := false
	for _, r := range s {
		if r < unicode.MaxASCII {
			letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
			if letter && !inWord {
				n[latinScript]++
			}
			inWord = letter || inWord && r == '\''
			continue
		}
		inWord = inWord && unicode.In(r, unicode.Latin, unicode.Mark)
		if !unicode.IsLetter(r) {
			continue
		}
		at := len(scripts)
		for i, t := range scripts {
			if unicode.Is(t, r) {
				at = i
				break
			}
		}
		n[at]++
	}
	return n
}

// sameLanguage tells whether a text has the languages of another: no script
// that is new, no large shift between Chinese and English, and Chinese in the
// same kind of characters.
func sameLanguage(sent, text string) bool {
	x, y := letters(sent), letters(text)
	for i := range x {
		if i != hanScript && i != latinScript && x[i] == 0 && y[i] > 0 {
			return false
		}
		if i != hanScript && i != latinScript && x[i] >= 4 && y[i] == 0 {
			return false
		}
	}
	// A term that was heard as four characters is one word.
	const few = 4
	if x[hanScript] > few && 4*y[hanScript] < x[hanScript] && y[latinScript] > x[latinScript] {
		return false
	}
	if x[latinScript] > few && 4*y[latinScript] < x[latinScript] && y[hanScript] > x[hanScript] {
		return false
	}
	if x[hanScript] == 0 && y[hanScript] > 0 || x[latinScript] == 0 && y[latinScript] > few+x[hanScript]/4 {
		return false
	}
	return sameCharacters(sent, text)
}

// sameCharacters tells whether Chinese was not turned from simplified into
// traditional characters or back. A text with both may become one of the kind
// that it has more of.
func sameCharacters(sent, text string) bool {
	s, t := forms(sent)
	simple, traditional := forms(text)
	switch {
	case s == 0 && t == 0:
		return traditional == 0 // 么 is of both, 麼 is not
	case s >= t && traditional > t, t > s && simple > s:
		return false
	case s > 0 && t > 0:
		return true
	}
	return !(s > 0 && simple == 0 && traditional > 0) && !(t > 0 && traditional == 0 && simple > 0)
}

func forms(s string) (simple, traditional int) {
	table := kinds()
	for _, r := range s {
		if i := r - firstHan; i >= 0 && int(i) < len(table) {
			switch table[i] {
			case onlySimple:
				simple++
			case onlyTraditional:
				traditional++
			}
		}
	}
	return simple, traditional
}

const (
	firstHan = 0x4E00
	lastHan  = 0x9FFF

	onlySimple      = 1 // in GB 2312, which is simplified, and not in Big5
	onlyTraditional = 2 // in Big5, which is traditional, and not in GB 2312
)

// kinds says for each Han character of which standard it is. Making it takes
// about a millisecond, once.
var kinds = sync.OnceValue(func() []byte {
	table := make([]byte, lastHan-firstHan+1)
	mark(table, simplifiedchinese.GBK, onlySimple, 0xB0, 0xF7, []rangeOf{{0xA1, 0xFE}})
	mark(table, traditionalchinese.Big5, onlyTraditional, 0xA4, 0xC6, []rangeOf{{0x40, 0x7E}, {0xA1, 0xFE}})
	mark(table, traditionalchinese.Big5, onlyTraditional, 0xC9, 0xF9, []rangeOf{{0x40, 0x7E}, {0xA1, 0xFE}})
	// GB 2312 has a few traditional characters.
	for _, r := range "後麼裡於" {
		table[r-firstHan] = onlyTraditional
	}
	return table
})

// mark sets bit for the characters whose codes have a first byte from first to
// last and a second one in seconds. A character with both bits has 3.
func mark(table []byte, e encoding.Encoding, bit byte, first, last int, seconds []rangeOf) {
	var codes []byte
	for hi := first; hi <= last; hi++ {
		for _, r := range seconds {
			for lo := r.from; lo <= r.to; lo++ {
				codes = append(codes, byte(hi), byte(lo))
			}
		}
	}
	text, _ := e.NewDecoder().Bytes(codes) // a code without a character becomes U+FFFD
	for _, r := range string(text) {
		if i := r - firstHan; i >= 0 && int(i) < len(table) {
			table[i] |= bit
		}
	}
}

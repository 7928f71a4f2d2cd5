// Package punctuation gives Chinese the punctuation of Chinese. Recognisers
// and models often write the ASCII marks of English between Chinese clauses.
package punctuation

import (
	"strings"
	"unicode"
)

// wide are the marks of Chinese in the place of the ASCII ones.
var wide = map[rune]rune{',': '，', ';': '；', ':': '：', '?': '？', '!': '！', '.': '。'}

// Chinese replaces the ASCII marks behind a Chinese character, and the space
// behind such a mark if Chinese follows. Behind anything else, such as an
// English word, a number or code, they stay. So does a full stop that something
// other than Chinese, a space or the end of a line follows: it may join two
// parts of a name. Text in which nothing is replaced is returned as it is, and
// a second time nothing changes.
func Chinese(text string) string {
	if !strings.ContainsAny(text, ",;:?!.") {
		return text
	}
	r := []rune(text)
	at := func(i int) rune {
		if i < 0 || i >= len(r) {
			return '\n'
		}
		return r[i]
	}
	var b strings.Builder
	for i := 0; i < len(r); i++ {
		mark, known := wide[r[i]]
		if !known || !ends(at(i-1)) || r[i] == '.' && !chinese(at(i+1)) && !unicode.IsSpace(at(i+1)) {
			b.WriteRune(r[i])
			continue
		}
		b.WriteRune(mark)
		if at(i+1) == ' ' && chinese(at(i+2)) {
			i++
		}
	}
	return b.String()
}

func chinese(r rune) bool { return unicode.Is(unicode.Han, r) }

// ends tells whether a Chinese clause may end with r: a character, or the
// quotes and brackets around one.
func ends(r rune) bool { return chinese(r) || strings.ContainsRune("”’」』》）】", r) }

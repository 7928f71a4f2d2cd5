package review

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"voice-input/pkg/refine/literal"
)

// sameMarkers tells whether an answer has the markers that were sent, each
// once, and in the same order unless it has a list. Literals that are equal may
// change places.
func sameMarkers(sent literal.Masked, answer string, anyOrder bool) bool {
	if _, err := sent.Unmask(answer); err != nil {
		return false
	}
	if anyOrder {
		return true
	}
	n := 0
	for _, p := range literal.Split(answer) {
		if p.Marker == 0 {
			continue
		}
		if sent.Literals[p.Marker-1] != sent.Literals[n] {
			return false
		}
		n++
	}
	return true
}

// sameSpelling tells whether words with several capitals, such as JSON, are
// still written as they were where they stand in both texts, and names still
// with a capital.
func sameSpelling(e *editor) bool {
	if shouted(e.in) {
		return true
	}
	for i, j := range e.common() {
		a, b := e.a[i], e.b[j]
		if a.kind == number && otherNumerals(e.in[a.from:a.to], e.out[b.from:b.to]) {
			return false
		}
		if a.kind != latin || a.text == b.text || a.key == "okay" || e.terms[b.text] {
			continue
		}
		if capitals(a.text) > 1 || capital(a) && capitals(b.text) == 0 {
			return false
		}
	}
	return true
}

// otherNumerals tells whether a number in characters is written in others: 四二
// is no way to write 四十二.
func otherNumerals(a, b string) bool {
	x, _ := utf8.DecodeRuneInString(a)
	y, _ := utf8.DecodeRuneInString(b)
	return unbroken(x) && unbroken(y) && a != b
}

func capitals(s string) (n int) {
	for _, r := range s {
		if unicode.IsUpper(r) {
			n++
		}
	}
	return n
}

// shouted tells whether a recogniser wrote a text in capitals.
func shouted(s string) bool {
	words := 0
	for _, w := range strings.Fields(s) {
		if strings.ToUpper(w) != w {
			return false
		}
		if strings.ToLower(w) != w {
			words++
		}
	}
	return words >= 4
}

package review

import (
	"unicode"
	"unicode/utf8"
)

// Score returns how much the wording of two texts differs, from 0 to 1: the
// larger of how different the pairs of neighbouring characters are that they
// consist of, and how different their lengths are. Only letters, digits and
// symbols count, in small letters.
func Score(a, b string) float64 {
	x, y := wording(a), wording(b)
	return max(pairDifference(x, y), lengthDifference(len(x), len(y)))
}

func wording(s string) []rune {
	out := make([]rune, 0, utf8.RuneCountInString(s))
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || unicode.IsSymbol(r) {
			out = append(out, unicode.ToLower(r))
		}
	}
	return out
}

// pairDifference is the share of pairs that only one of the texts has.
func pairDifference(a, b []rune) float64 {
	counts := make(map[[2]rune]int, len(a))
	for _, p := range bigrams(a) {
		counts[p]++
	}
	both := 0
	for _, p := range bigrams(b) {
		if counts[p] > 0 {
			counts[p]--
			both++
		}
	}
	n := max(len(a)-1, 0) + max(len(b)-1, 0)
	if n == 0 {
		// Texts of a single character have no pairs.
		if string(a) == string(b) {
			return 0
		}
		return 1
	}
	return 1 - 2*float64(both)/float64(n)
}

func bigrams(s []rune) [][2]rune {
	if len(s) < 2 {
		return nil
	}
	out := make([][2]rune, len(s)-1)
	for i := range out {
		out[i] = [2]rune{s[i], s[i+1]}
	}
	return out
}

func lengthDifference(a, b int) float64 {
	if a == b {
		return 0
	}
	return float64(max(a, b)-min(a, b)) / float64(max(a, b))
}

// growth bounds the length of an answer, in letters for each of the transcript
// and some more. Most of a text can be fillers, but hardly anything is added:
// term for term, a name may be longer than what was heard for it.
var growth = map[string]struct{ least, most float64 }{
	agentMarkdown: {0.2, 1.5},
	message:       {0.2, 1.3},
	"formal":      {0.2, 1.3},
}

// spare is what may be added to a short text, in letters.
const spare = 12

func sameLength(sent, text, style string) bool {
	g, known := growth[style]
	if !known {
		g = growth["formal"]
	}
	x, y := float64(len(wording(sent))), float64(len(wording(text)))
	return y <= g.most*x+spare && y >= g.least*x-spare
}

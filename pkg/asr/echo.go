package asr

import (
	"strings"
	"unicode"
)

// Rules for a text that consists of nothing but hints. An engine that was
// given hints and no clear speech likes to return them.
const (
	// Nobody speaks more than 8 syllables in a second for long, nor 12 at all.
	maxSyllables = 12.0 // per second of speech
	// The detector may miss the soft beginning and end of a word.
	missedMS = 500
	// So many hints, one after the other in the order in which the engine got
	// them or backwards (an engine may put the best one last), are its prompt.
	// One or two are what a user says who needs them.
	recited = 3
)

// isEcho tells whether text is the hints come back: it consists of hints
// alone, whatever their case and what stands between them, and either there
// was not enough speech to say them, or it recites the list.
func isEcho(text string, hints []string, speechMS int64) bool {
	said, ok := asHints(text, hints)
	if !ok {
		return false
	}
	if float64(syllables(text)) > maxSyllables*float64(speechMS+missedMS)/1000 {
		return true
	}
	if len(said) < recited {
		return false
	}
	backwards := make([]int, len(said))
	for i, h := range said {
		backwards[i] = len(hints) - 1 - h
	}
	return recites(said, len(hints)) || recites(backwards, len(hints))
}

// recites tells whether the numbers of the hints go up by one, from anywhere.
// A loop begins again at the first hint of the list or of the recital.
func recites(said []int, n int) bool {
	distinct := map[int]bool{said[0]: true}
	for i, h := range said[1:] {
		prev := said[i]
		if h != prev+1 && h != said[0] && !(prev == n-1 && h == 0) {
			return false
		}
		distinct[h] = true
	}
	return len(distinct) >= recited
}

// asHints splits text into hints, and returns their numbers. It prefers long
// hints, and among those the neighbour of the hint before. ok is false if
// there is anything else in the text.
func asHints(text string, hints []string) (said []int, ok bool) {
	words := units(text)
	if len(words) == 0 {
		return nil, false
	}
	byStart := map[string][]int{} // first unit → hints
	parts := make([][]string, len(hints))
	for i, h := range hints {
		if parts[i] = units(h); len(parts[i]) > 0 {
			byStart[parts[i][0]] = append(byStart[parts[i][0]], i)
		}
	}
	// fewest[i] is how many hints cover words[i:], 0 if none do.
	const none = 0
	fewest := make([]int, len(words)+1)
	covers := func(h, i int) bool {
		return len(parts[h]) <= len(words)-i && equal(parts[h], words[i:i+len(parts[h])])
	}
	rest := func(h, i int) (int, bool) {
		end := i + len(parts[h])
		return fewest[end], end == len(words) || fewest[end] != none
	}
	for i := len(words) - 1; i >= 0; i-- {
		for _, h := range byStart[words[i]] {
			if !covers(h, i) {
				continue
			}
			if n, ok := rest(h, i); ok && (fewest[i] == none || n+1 < fewest[i]) {
				fewest[i] = n + 1
			}
		}
	}
	if fewest[0] == none {
		return nil, false
	}
	for i, prev := 0, -2; i < len(words); {
		best := -1
		for _, h := range byStart[words[i]] {
			if !covers(h, i) {
				continue
			}
			if n, ok := rest(h, i); ok && n+1 == fewest[i] && (best < 0 || h == prev+1 || h == prev-1) {
				best = h
			}
		}
		said = append(said, best)
		i, prev = i+len(parts[best]), best
	}
	return said, true
}

func equal(a, b []string) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// units splits a text into what separators do not change: runs of letters and
// digits in lower case, and single characters of scripts without spaces.
func units(s string) []string {
	var out []string
	var word strings.Builder
	end := func() {
		if word.Len() > 0 {
			out = append(out, word.String())
			word.Reset()
		}
	}
	for _, r := range s {
		switch {
		case ideographic(r):
			end()
			out = append(out, string(r))
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r):
			word.WriteRune(unicode.ToLower(r))
		default:
			end()
		}
	}
	end()
	return out
}

func ideographic(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai)
}

// syllables estimates, on the low side, how many syllables it takes to say a
// text: one for each ideograph and each digit, and one for each group of
// vowels in a word.
func syllables(s string) int {
	n := 0
	for _, word := range units(s) {
		inWord, vowel := 0, false
		for _, r := range word {
			switch {
			case ideographic(r), unicode.IsDigit(r):
				inWord++
				vowel = false
			case strings.ContainsRune("aeiouyäöüàáâãåèéêëìíîïòóôõøùúûýÿœæаеёиоуыэюяαεηιουω", r):
				if !vowel {
					inWord++
				}
				vowel = true
			default:
				vowel = false
			}
		}
		n += max(1, inWord)
	}
	return n
}

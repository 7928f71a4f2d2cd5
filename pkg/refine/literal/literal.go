package literal

import (
	"slices"
	"strconv"
	"strings"

	"voice-input/pkg/refine/retract"
	"voice-input/pkg/refine/sound"
	"voice-input/pkg/wire"
)

// Masked is a text with markers for its literals.
type Masked struct {
	Text     string   // what may be sent
	Literals []string // [[n]] stands for Literals[n-1]
	Open     []string // the literals that were left in Text
}

// Mask replaces the literals of text by markers. It takes time in proportion
// to the text, and to the number of terms for each name in it.
func Mask(text string, terms []wire.Term) Masked {
	spans := merge(find(text), findTerms(text, terms))
	words := make([]string, len(terms))
	for i, t := range terms {
		words[i] = t.Text
	}
	names := sound.NewNames(words)
	misheard := map[string]bool{} // by the literal

	var m Masked
	var b strings.Builder
	done := 0
	for i, s := range spans {
		found := text[s.from:s.to]
		if _, known := misheard[found]; s.name && !known {
			misheard[found] = names.Heard(found)
		}
		if !holdsMarker(found) && (retract.Follows(text[s.to:]) || repeated(text, spans[i:]) || s.name && misheard[found]) {
			m.Open = append(m.Open, found)
			continue
		}
		m.Literals = append(m.Literals, found)
		b.WriteString(text[done:s.from])
		b.WriteString(Marker(len(m.Literals)))
		done = s.to
	}
	b.WriteString(text[done:])
	m.Text = b.String()
	return m
}

// holdsMarker tells whether a literal looks like a marker to Unmask, so that it
// cannot be left as it is.
func holdsMarker(s string) bool {
	return slices.ContainsFunc(Split(s), func(p Part) bool { return p.Marker != 0 })
}

// repeated tells whether the first of spans is said again at once.
func repeated(text string, spans []span) bool {
	return len(spans) > 1 && text[spans[0].from:spans[0].to] == text[spans[1].from:spans[1].to] &&
		strings.Trim(text[spans[0].to:spans[1].from], " ,，、") == ""
}

// merge unites spans that overlap. Both lists are in order.
func merge(a, b []span) []span {
	all := append(a, b...)
	slices.SortStableFunc(all, func(x, y span) int { return x.from - y.from })
	out := all[:0]
	for _, s := range all {
		if n := len(out); n > 0 && s.from < out[n-1].to {
			out[n-1].to = max(out[n-1].to, s.to)
			out[n-1].name = out[n-1].name && s.name
			continue
		}
		out = append(out, s)
	}
	return out
}

// Marker returns the marker of the n-th literal, from 1.
func Marker(n int) string { return "[[" + strconv.Itoa(n) + "]]" }

// markerAt returns the end and the number of a marker that begins at byte i,
// or 0. A number that Marker would not write is -1.
func markerAt(text string, i int) (end, n int) {
	if !strings.HasPrefix(text[i:], "[[") {
		return 0, 0
	}
	end = i + 2
	for end < len(text) && text[end] >= '0' && text[end] <= '9' {
		end++
	}
	if end == i+2 || !strings.HasPrefix(text[end:], "]]") {
		return 0, 0
	}
	end += 2
	n, err := strconv.Atoi(text[i+2 : end-2])
	if err != nil || n == 0 || Marker(n) != text[i:end] {
		n = -1
	}
	return end, n
}

// Part is a piece of a text between markers, or a marker.
type Part struct {
	Text   string
	Marker int // 0 for a piece between; -1 for a marker that nobody writes
}

// Split cuts a text at its markers.
func Split(text string) []Part {
	var parts []Part
	done := 0
	for i := 0; i < len(text); i++ {
		next := strings.Index(text[i:], "[[")
		if next < 0 {
			break
		}
		i += next
		end, n := markerAt(text, i)
		if end == 0 {
			continue
		}
		if done < i {
			parts = append(parts, Part{Text: text[done:i]})
		}
		parts = append(parts, Part{Text: text[i:end], Marker: n})
		done, i = end, end-1
	}
	if done < len(text) {
		parts = append(parts, Part{Text: text[done:]})
	}
	return parts
}

// Kinds of an Error.
const (
	Missing  = "missing"  // a marker is not in the answer
	Repeated = "repeated" // a marker is there twice
	Unknown  = "unknown"  // a marker was never given out
)

// Error says why an answer cannot be unmasked. It holds no text.
type Error struct{ Kind string }

func (e *Error) Error() string { return "cannot put the literals back: a marker is " + e.Kind }

// Unmask puts the literals back into an answer that holds each marker of m
// once, in whatever order; review.Check looks at the order too. The error is an
// *Error. m.Unmask(m.Text) is the text that was masked.
func (m Masked) Unmask(answer string) (string, error) {
	var b strings.Builder
	seen := make([]bool, len(m.Literals))
	count := 0
	for _, p := range Split(answer) {
		switch {
		case p.Marker == 0:
			b.WriteString(p.Text)
		case p.Marker < 0 || p.Marker > len(m.Literals):
			return "", &Error{Unknown}
		case seen[p.Marker-1]:
			return "", &Error{Repeated}
		default:
			seen[p.Marker-1] = true
			count++
			b.WriteString(m.Literals[p.Marker-1])
		}
	}
	if count < len(m.Literals) {
		return "", &Error{Missing}
	}
	return b.String(), nil
}

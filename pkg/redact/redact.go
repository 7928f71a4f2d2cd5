// Package redact removes secrets from text, before anything else looks at it and before anything is cut from it.
//
// It knows assignments and headers by their names, credentials by the prefixes of those who issue them, and the
// shapes that secrets have (key blocks, user information of URLs, random strings). A line that is an assignment of
// a credential goes as a whole; in prose, only the secret goes, so that "token bucket" or "password field" survive.
//
// These are heuristics. They cannot know every credential, and they know no private name and no sensitive sentence.
//
// What holds for every input: the time is linear in its length, the result is valid UTF-8, and redacting a result
// again changes nothing.
package redact

import (
	"cmp"
	"slices"
	"strings"
)

// Marker stands where a secret stood. It is one symbol, neither a letter nor a digit nor a mark, which Unicode
// normalisation leaves alone; no term may contain it or reach over it.
const Marker = "█"

// A Span is a half-open range of bytes.
type Span struct{ Start, End int }

// A Result is a text without its secrets.
type Result struct {
	Text    string // valid UTF-8: what was invalid is U+FFFD
	Removed []Span // each Marker in Text, in order, also those that were there before
	Count   int    // how many: len(Removed)
}

// maxPasses bounds how often a text is read. What is cut can lay bare what was taken for a part of something else,
// so a text is read again until nothing is cut: once more than once for nearly all texts with a secret in them.
const maxPasses = 8

// Text returns s with every secret replaced by Marker.
func Text(s string) Result {
	s = strings.ToValidUTF8(s, "\uFFFD")
	for range maxPasses {
		x := scanner{folded: fold(s)}
		x.blocks()
		x.lines()
		spans := x.merged()
		if len(spans) == 0 {
			break
		}
		s = replace(s, spans)
	}
	return result(s)
}

// Secret reports whether a single token has the shape of a secret, or a Marker in it.
func Secret(token string) bool { return Text(token).Count > 0 }

// replace puts a Marker in the place of each span of s. The spans are in order and apart.
func replace(s string, spans []Span) string {
	var out strings.Builder
	out.Grow(len(s))
	end := 0
	for _, sp := range spans {
		out.WriteString(s[end:sp.Start])
		out.WriteString(Marker)
		end = sp.End
	}
	out.WriteString(s[end:])
	return out.String()
}

// result finds the Markers of a text.
func result(s string) Result {
	r := Result{Text: s}
	for i := 0; ; {
		n := strings.Index(s[i:], Marker)
		if n < 0 {
			break
		}
		r.Removed = append(r.Removed, Span{i + n, i + n + len(Marker)})
		i += n + len(Marker)
	}
	r.Count = len(r.Removed)
	return r
}

// A scanner collects the spans of the folded text that must go.
type scanner struct {
	folded
	spans  []Span // in no order, may overlap
	noUser int    // no user information without a scheme begins before here
}

// cut marks b[i:j] for removal, unless there is nothing but an earlier Marker.
func (x *scanner) cut(i, j int) {
	for i < j && (x.b[i] == cutByte || isSpace(x.b[i])) {
		i++
	}
	for i < j && (x.b[j-1] == cutByte || isSpace(x.b[j-1])) {
		j--
	}
	if i < j {
		x.spans = append(x.spans, Span{i, j})
	}
}

// merged returns the spans in terms of the original text: ordered, joined where they touch, none empty.
func (x *scanner) merged() []Span {
	slices.SortFunc(x.spans, func(a, b Span) int { return cmp.Compare(a.Start, b.Start) })
	var out []Span
	for _, sp := range x.spans {
		sp = x.origin(sp)
		if n := len(out); n > 0 && sp.Start <= out[n-1].End {
			out[n-1].End = max(out[n-1].End, sp.End)
		} else if sp.Start < sp.End {
			out = append(out, sp)
		}
	}
	return out
}

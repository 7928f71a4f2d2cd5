package terms

import (
	"strings"
	"unicode/utf8"

	"voice-input/pkg/wire"
)

// Limits of the views, in characters (code points).
const (
	MaxASRChars    = 400 // with the newlines between the terms
	MaxRefineTerms = 96
	MaxRefineChars = 1500 // the terms alone
)

// ASRView chooses the recogniser's terms: in their order, whole, one a line. A
// term that does not fit is skipped, a shorter one behind it may fit.
func ASRView(terms []string) wire.ASRView {
	var v wire.ASRView
	var b strings.Builder
	for _, t := range terms {
		n := utf8.RuneCountInString(t)
		if v.Count > 0 {
			n++
		}
		if n == 0 || v.Chars+n > MaxASRChars {
			continue
		}
		if v.Count > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(t)
		v.Chars += n
		v.Count++
	}
	v.Text = b.String()
	return v
}

// RefineView chooses the model's terms in the same way.
func RefineView(terms []string) wire.RefineView {
	v := wire.RefineView{Terms: []string{}}
	for _, t := range terms {
		if len(v.Terms) == MaxRefineTerms {
			break
		}
		n := utf8.RuneCountInString(t)
		if n == 0 || v.Chars+n > MaxRefineChars {
			continue
		}
		v.Terms = append(v.Terms, t)
		v.Chars += n
	}
	return v
}

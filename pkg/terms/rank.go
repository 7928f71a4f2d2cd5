package terms

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"voice-input/pkg/normalize"
	"voice-input/pkg/redact"
)

// Limits of a snapshot.
const (
	maxTerms      = 4096
	maxTermsChars = 48_000
)

// A Snapshot is what a text yields. It is immutable.
type Snapshot struct {
	SourceChars int    // of the redacted text, after the clamp
	Redacted    int    // secrets that were removed
	Candidates  int    // words and names that were looked at
	Terms       []Term // rare first, then in the order of the source
}

// A Term is a word or name of the source.
type Term struct {
	Text         string
	Count        int // how often it stands in the source by itself
	Normalizable bool
}

// Rank makes the snapshot of a text, of which it looks at max characters. If
// the words of a Han text cannot be had, the snapshot has the technical terms
// and the error says why.
func Rank(ctx context.Context, d *Dictionary, text string, max int) (Snapshot, error) {
	// Before the fold, which takes the ESC off a colour and would leave the rest
	// of it glued to a secret; and behind it, for what it may have uncovered.
	clean := redact.Text(fold(redact.Text(text).Text))
	head, tail := clamp(clean.Text, max)
	c := collector{
		byKey:    make(map[string]*candidate, 256),
		japanese: strings.ContainsFunc(head, func(r rune) bool { return eastAsian(r) == unicode.Hiragana }),
	}
	z := tokenizer{emit: c.token, han: c.han}
	s := scanner{emit: z.piece}
	s.text(head, 0)
	chars := utf8.RuneCountInString(head)
	if tail != "" {
		s.fence = fenceAt(clean.Text[:len(clean.Text)-len(tail)])
		s.text(tail, len(clean.Text)-len(tail))
		chars += utf8.RuneCountInString(tail)
	}
	err := c.cut(ctx, d)
	return Snapshot{SourceChars: chars, Redacted: clean.Count, Candidates: len(c.byKey), Terms: c.terms()}, err
}

// candidate is what is known of the tokens that differ in case only.
type candidate struct {
	text   string // the spelling with the best evidence, the first of these
	weight evidence
	at     int
	count  int
	term   bool // one of the tokens is a term
	// seen is the first spelling that is not weak; doubtful is set when there
	// is another.
	seen     string
	doubtful bool
}

// evidence says how well a token shows the right spelling of its word.
type evidence byte

const (
	weak   evidence = iota // the capital may be that of the sentence or title
	medium                 // in prose
	strong                 // in code
)

// collector gathers the candidates of a source.
type collector struct {
	byKey    map[string]*candidate
	japanese bool

	runs []hanRun
}

type hanRun struct {
	text string
	at   int
}

func (c *collector) token(t token) {
	key := strings.ToLower(t.text)
	e := c.byKey[key]
	if e == nil {
		e = &candidate{}
		c.byKey[key] = e
	}
	e.count++
	weight := evidenceOf(t)
	switch {
	case weight == weak:
	case e.seen == "":
		e.seen = t.text
	case e.seen != t.text:
		e.doubtful = true
	}
	if e.term && weight <= e.weight || !isTerm(t) {
		return
	}
	if !e.term {
		e.term, e.at = true, t.at
	}
	e.text, e.weight = t.text, weight
}

func evidenceOf(t token) evidence {
	switch {
	case t.kind != prose:
		return strong
	case (t.start || t.title) && capitalized(t.text):
		return weak
	}
	return medium
}

func capitalized(s string) bool {
	first, n := utf8.DecodeRuneInString(s)
	return unicode.IsUpper(first) && s[n:] == strings.ToLower(s[n:])
}

func (c *collector) han(run string, at int) {
	// The dictionary is Chinese. Japanese writes words in Han characters
	// between others, and does not need it.
	if c.japanese {
		if n := utf8.RuneCountInString(run); n > 1 && n <= 6 {
			c.word(run, at)
		}
		return
	}
	c.runs = append(c.runs, hanRun{run, at})
}

func (c *collector) word(word string, at int) {
	e := c.byKey[word]
	if e == nil {
		e = &candidate{text: word, at: at, weight: medium, term: isHanTerm(word)}
		c.byKey[word] = e
	}
	e.count++
}

// cut has the dictionary cut all Han runs, in one call: a line break is a word
// of its own and never part of another.
func (c *collector) cut(ctx context.Context, d *Dictionary) error {
	var all strings.Builder
	for _, run := range c.runs {
		// A single character is no term.
		if utf8.RuneCountInString(run.text) > 1 {
			all.WriteString(run.text)
		}
		all.WriteByte('\n')
	}
	if all.Len() == len(c.runs) {
		return nil
	}
	words, err := d.Cut(ctx, all.String())
	if err != nil {
		return err
	}
	run, offset := 0, 0
	for _, w := range words {
		if w == "\n" {
			run, offset = run+1, 0
			continue
		}
		if run == len(c.runs) {
			break
		}
		c.word(w, c.runs[run].at+offset)
		offset += len(w)
	}
	return nil
}

// terms returns the terms from rare to frequent; those that are as frequent
// keep the order of the source.
func (c *collector) terms() []Term {
	var chosen []*candidate
	for _, e := range c.byKey {
		if e.term {
			chosen = append(chosen, e)
		}
	}
	slices.SortFunc(chosen, func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(a.count, b.count), cmp.Compare(a.at, b.at), cmp.Compare(a.text, b.text))
	})
	terms := make([]Term, 0, min(len(chosen), maxTerms))
	chars := 0
	for _, e := range chosen {
		n := utf8.RuneCountInString(e.text)
		if len(terms) == maxTerms || chars+n > maxTermsChars {
			continue
		}
		chars += n
		terms = append(terms, Term{Text: e.text, Count: e.count, Normalizable: e.normalizable()})
	}
	return terms
}

// normalizable tells whether variants of the term may be rewritten to it: its
// spelling must be certain, and its form that of a name.
func (e *candidate) normalizable() bool {
	return !e.doubtful && e.weight != weak && normalize.Admissible(e.text)
}

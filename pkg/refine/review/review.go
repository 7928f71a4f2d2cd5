// Package review decides whether what a model answered may be delivered.
//
// The task of the model is to edit: set punctuation, drop fillers, repetitions
// and what the speaker takes back, and spell what was misheard. So the check is
// not whether an answer looks reasonable but whether each difference from the
// transcript is such an edit. Both texts are taken apart into words, aligned,
// and each difference must have a reason: the words that are missing are
// fillers, or are said again, or are taken back; the words that are new sound
// like those they stand for, or are the same number. What has no reason was not
// edited but written, and the answer is refused as a whole.
//
// Before that come checks that know a certain fault, so that the reason of a
// refusal is a useful word, and that take off what certainly does not belong to
// the answer: thoughts, a fence, quotes, "Here is the text:".
//
// Where an edit and a fault cannot be told apart the answer is refused, since
// the user's own words are never wrong. Refused are therefore good edits too
// that paraphrase or move words; that take "A 不是 B" or "8080, not 9090" for a
// correction; that drop a clause for the sake of another one that begins
// otherwise, unless a phrase such as "no wait" is between them; that spell a
// name with a capital otherwise which is no term; that turn words into a
// question without a word that asks; and that drop "well" or 嗯嗯 from a message.
package review

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"unicode"

	"voice-input/pkg/refine/literal"
	"voice-input/pkg/wire"
)

// Styles, as vi.focus/1 names them. Any other is taken for formal.
const (
	agentMarkdown = "agent-markdown"
	message       = "message"
)

// Input is one answer and what it is measured against.
type Input struct {
	Style  string         // agent-markdown, message, formal
	Sent   literal.Masked // of the normalised transcript
	Terms  []string       // the terms that were sent along
	Answer string         // of the model, with markers
	Finish string         // why the model stopped: its finish_reason
	// Limit is the score above which an answer is refused; 0 means
	// DefaultLimit. It does not hold for transcripts of a few words, whose score
	// says little.
	Limit float64
}

// DefaultLimit is the score above which an answer is refused if the
// configuration says nothing else. Of the good edits that the tests know, the
// one that changes most has 0.75: a short one in which numbers are written in
// figures.
const DefaultLimit = 0.85

// scoreFrom is the shortest transcript that is refused for its score, in
// letters: of two words all is different if one is written in figures.
const scoreFrom = 20

// Result is what was found.
type Result struct {
	// Text may be delivered: the answer without what certainly does not
	// belong to it, and with its literals. It is "" if Reason is not.
	Text string
	// Reason is "" if the answer is accepted, else why not: one of the reasons
	// of vi.refine/1.
	Reason  string
	Score   float64  // how much of the wording differs, 0 to 1
	Signals []string // what the checks saw, in the order of Signals
	Before  string   // Fingerprint of the transcript
	After   string   // Fingerprint of the answer that was judged
}

// Record returns the result as a member of vi.refine/1.
func (r Result) Record() *wire.Review {
	return &wire.Review{Score: r.Score, Signals: r.Signals, Before: r.Before, After: r.After}
}

// Reasons why an answer is refused, words of vi.refine/1.
const (
	reasonTruncated = "truncated"
	reasonTooLong   = "too_long"
	reasonEmpty     = "empty_answer"
	reasonThinking  = "thinking"
	reasonFormat    = "format"
	reasonLiterals  = "literals"
	reasonLength    = "length"
	reasonLanguage  = "language"
	reasonAnswer    = "answer"
	reasonQuestion  = "question"
	reasonTerms     = "terms"
	reasonNumbers   = "numbers"
	reasonNegation  = "negation"
	reasonDropped   = "words_dropped"
	reasonAdded     = "words_added"
	reasonChanged   = "words_changed"
	reasonScore     = "score"
)

// Check judges an answer. Its time is bounded by the length of both texts.
func Check(in Input) Result {
	before, _ := in.Sent.Unmask(in.Sent.Text)
	d := &draft{Input: in, sent: in.Sent.Text, text: in.Answer}
	r := Result{Before: Fingerprint(before)}
	r.Reason = d.review()
	r.Score = d.score
	if r.Reason == "" {
		text, err := in.Sent.Unmask(d.text)
		if err != nil {
			r.Reason = reasonLiterals
		}
		r.Text, r.After = text, Fingerprint(text)
	}
	if r.Reason != "" {
		r.Text, r.After = "", Fingerprint(in.Answer)
	}
	slices.Sort(d.signals)
	r.Signals = slices.Compact(d.signals)
	return r
}

// A draft is an answer while it is judged.
type draft struct {
	Input
	sent    string
	text    string // what remains of the answer
	score   float64
	signals []string
}

// review returns why the answer is refused, or "". The checks that know a
// fault best come first; the last one, of every word, is the one that nothing
// passes.
func (d *draft) review() string {
	limit := d.Limit
	if limit == 0 {
		limit = DefaultLimit
	}
	if !finished(d.Finish) {
		return reasonTruncated
	}
	if reason := d.clean(); reason != "" {
		return reason
	}
	d.score = Score(d.sent, d.text)
	switch {
	case !hasWords(d.text):
		return reasonEmpty
	case refuses(d.sent, d.text):
		return reasonAnswer
	case formatted(d.sent, d.text, d.Style):
		return reasonFormat
	case !sameLanguage(d.sent, d.text):
		return reasonLanguage
	}
	prose, items := unlist(d.text, d.Style)
	if !warranted(d.sent, items) {
		return reasonFormat
	}
	if !sameMarkers(d.Sent, d.text, len(items) > 0) {
		return d.orAnswer(reasonLiterals, prose)
	}
	switch {
	case !sameLength(d.sent, prose, d.Style):
		return d.orAnswer(reasonLength, prose)
	case !sameQuestion(d.sent, prose):
		return d.orAnswer(reasonQuestion, prose)
	}
	if reason := d.words(prose, items); reason != "" {
		return reason
	}
	if d.score > limit && len(wording(d.sent)) >= scoreFrom {
		return reasonScore
	}
	return ""
}

// finished tells whether a model came to its end by itself.
func finished(reason string) bool {
	return reason == "stop" || reason == "end_turn" || reason == "eos"
}

// words checks that every word of the answer is of the transcript, and the
// other way round.
func (d *draft) words(prose string, items []item) string {
	e := &editor{a: tokens(d.sent, d.Sent), b: tokens(prose, d.Sent), in: d.sent, out: prose, style: d.Style, terms: map[string]bool{}}
	for _, t := range d.Terms {
		e.terms[t] = true
	}
	if len(e.a) > maxTokens || len(e.b) > maxTokens {
		return reasonTooLong
	}
	if len(e.b) == 0 {
		return reasonEmpty
	}
	begin(e.b, items)
	e.hunks = hunks(e.a, e.b)
	if !sameSpelling(e) {
		return reasonLiterals
	}
	if !begun(e) {
		return reasonFormat
	}
	if !sameQuestions(e) {
		return reasonQuestion
	}
	bad, signals := e.judge()
	d.signals = append(d.signals, signals...)
	if len(bad) == 0 {
		return ""
	}
	if foreign(e) {
		return reasonAnswer
	}
	return e.blame(bad[0])
}

// orAnswer returns reason, or reasonAnswer if the text has little in common with
// the transcript.
func (d *draft) orAnswer(reason, prose string) string {
	e := &editor{a: tokens(d.sent, d.Sent), b: tokens(prose, d.Sent)}
	if len(e.a) > maxTokens || len(e.b) > maxTokens {
		return reason
	}
	e.hunks = hunks(e.a, e.b)
	if foreign(e) {
		return reasonAnswer
	}
	return reason
}

// foreign tells whether more than half of an answer is not of the transcript.
func foreign(e *editor) bool {
	added := 0
	for _, h := range e.hunks {
		added += h.b.len()
	}
	return 2*added > len(e.b) && added > 4
}

func hasWords(s string) bool {
	return slices.ContainsFunc([]rune(s), func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsSymbol(r) })
}

// Fingerprint returns 16 hexadecimal digits by which two texts can be told
// apart. It hides a text only from those who cannot guess it.
func Fingerprint(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

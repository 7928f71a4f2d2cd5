package refine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"time"

	"voice-input/pkg/normalize"
	"voice-input/pkg/punctuation"
	"voice-input/pkg/refine/chat"
	"voice-input/pkg/refine/literal"
	"voice-input/pkg/refine/prompt"
	"voice-input/pkg/refine/review"
	"voice-input/pkg/wire"
)

// maxChars bounds a transcript for a model, in characters: what a fast model
// can write again in 30 s is about 3,000 tokens of four characters.
const maxChars = 12_000

// asker is a model.
type asker interface {
	Ask(context.Context, chat.Question) (string, error)
}

// editor turns transcripts into texts.
type editor struct {
	// model finds the model; nil keeps every text. A model that cannot be had
	// is an error whose reason reasonOf knows.
	model    func(context.Context) (asker, error)
	style    string
	wishes   string        // of the user, for the instructions
	timeout  time.Duration // for one transcript, in all
	minChars int           // shorter ones go without the model
	limit    float64       // of the change, see review.Input
	terms    func(context.Context, time.Duration) knowledge
	explain  func(string, ...any)
}

// setback is why an attempt gave no text.
type setback struct {
	reason string        // word of vi.refine/1
	after  time.Duration // how long to wait before the next attempt
	err    error         // for the user
}

func (s *setback) Error() string { return s.err.Error() }

// edit returns the record for a transcript. Unless ctx ends there is always
// one, and the error says why the model's text is not in it.
func (e *editor) edit(ctx context.Context, transcript string) (*wire.Refine, error) {
	start := time.Now()
	r, err := e.within(ctx, transcript, start.Add(e.timeout))
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	r.Style, r.ElapsedMS = e.style, time.Since(start).Milliseconds()
	return r, err
}

func (e *editor) within(ctx context.Context, transcript string, end time.Time) (*wire.Refine, error) {
	if !spoken(transcript) {
		return &wire.Refine{Header: wire.Header{Reason: noText}, Outcome: wire.RefineKept}, nil
	}
	known := e.terms(ctx, termsWait(e.timeout))
	text := spell(transcript, known.rules)
	kept := &wire.Refine{Text: text, Outcome: wire.RefineKept}
	switch n := chars(text); {
	case e.model == nil:
		e.explain("kept: the engine is none")
		return kept, nil
	case n < e.minChars:
		e.explain("kept: %d characters are too few for a model", n)
		kept.Reason = short
		return kept, nil
	case n > maxChars:
		kept.Reason = tooLong
		return kept, errors.New("the transcript is too long for a model")
	}

	ctx, cancel := context.WithDeadline(ctx, end)
	defer cancel()
	result, err := e.attempts(ctx, text, known)
	if result.Signals != nil || result.Score > 0 {
		kept.Review = result.Record()
	}
	var s *setback
	if errors.As(err, &s) {
		kept.Reason = s.reason
		return kept, err
	}
	kept.Text, kept.Outcome = result.Text, wire.RefineRefined
	if result.Text == text {
		kept.Outcome = wire.RefineUnchanged
	}
	return kept, nil
}

// attempts asks the model once, or twice if that makes sense. The error is a
// *setback.
func (e *editor) attempts(ctx context.Context, text string, known knowledge) (review.Result, error) {
	model, err := e.model(ctx)
	if err != nil {
		return review.Result{}, e.setbackOf(ctx, err)
	}
	end, _ := ctx.Deadline()
	first, cancel := context.WithTimeout(ctx, firstTime(time.Until(end), len(known.terms) > 0))
	defer cancel()
	result, err := e.attempt(first, model, text, known)
	var s *setback
	if !errors.As(err, &s) {
		return result, err
	}
	wait, ok := again(s.reason, len(known.terms) > 0, s.after, time.Until(end))
	if !ok {
		return result, err
	}
	select {
	case <-time.After(wait):
	case <-ctx.Done():
		return result, err
	}
	e.explain("asks again, without terms")
	known.terms, known.agent = nil, ""
	return e.attempt(ctx, model, text, known)
}

// attempt asks the model and checks its answer. The error is a *setback.
func (e *editor) attempt(ctx context.Context, model asker, text string, known knowledge) (review.Result, error) {
	start := time.Now()
	masked := literal.Mask(text, known.terms)
	answer, err := model.Ask(ctx, e.question(masked.Text, known))
	e.explain("asked with %d literals and %d terms, %d ms", len(masked.Literals), len(known.terms), time.Since(start).Milliseconds())
	if err != nil {
		return review.Result{}, e.setbackOf(ctx, err)
	}
	sent := make([]string, len(known.terms))
	for i, t := range known.terms {
		sent[i] = t.Text
	}
	result := review.Check(review.Input{Style: e.style, Sent: masked, Terms: sent, Answer: answer, Finish: "stop", Limit: e.limit})
	if result.Reason != "" {
		return result, &setback{reason: result.Reason, err: errors.New(wire.ReasonMeaning(wire.SchemaRefine, result.Reason))}
	}
	result.Text = spell(result.Text, known.rules)
	if e.style == "message" {
		result.Text = review.WithoutStop(result.Text, masked.Literals...)
	}
	return result, nil
}

// spell writes words as rules have them, and the punctuation of Chinese, but
// not within literals.
func spell(text string, rules *normalize.Rules) string {
	text = rules.Apply(text)
	masked := literal.Mask(text, nil)
	spelt, err := masked.Unmask(punctuation.Chinese(masked.Text))
	if err != nil {
		return text
	}
	return spelt
}

// content is the user message: the transcript and what is known of its words,
// as data.
type content struct {
	Transcript string     `json:"transcript"`
	Reference  *reference `json:"reference_context,omitempty"`
}

type reference struct {
	Agent string   `json:"agent,omitempty"`
	Terms []string `json:"terminology"`
}

// question puts a masked text to the model.
func (e *editor) question(text string, known knowledge) chat.Question {
	c := content{Transcript: text}
	if len(known.terms) > 0 {
		c.Reference = &reference{Agent: known.agent}
		for _, t := range known.terms {
			c.Reference.Terms = append(c.Reference.Terms, t.Text)
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(c) // strings always encode
	return chat.Question{
		System: prompt.Instructions(e.style, e.wishes, c.Reference != nil),
		User:   string(bytes.TrimSpace(b.Bytes())),
		// An edited text is hardly longer; thoughts may stand before it.
		MaxText: 8*len(text) + 16<<10,
	}
}

// setbackOf classifies the failure of an attempt.
func (e *editor) setbackOf(ctx context.Context, err error) *setback {
	var s *setback
	var f *chat.Failure
	switch {
	case errors.As(err, &s):
		return s
	case errors.As(err, &f):
		return &setback{f.Kind, f.RetryAfter, f}
	case ctx.Err() != nil:
		return &setback{reason: chat.Timeout, err: errors.New("no answer in time")}
	}
	return &setback{reason: chat.Unavailable, err: err}
}

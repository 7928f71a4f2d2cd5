package refine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"voice-input/pkg/internal/fifo"
	"voice-input/pkg/normalize"
	"voice-input/pkg/wire"
)

// Limits of what a model is told of the terms (rule D2). vi-terms keeps them;
// a record from elsewhere may not.
const (
	maxTerms     = 96
	maxTermChars = 1500
)

// knowledge is what is known of the words of a transcript.
type knowledge struct {
	rules *normalize.Rules
	agent string      // Pi, Codex or ""
	terms []wire.Term // those that may be sent
}

// know takes what a vi.terms/1 record knows.
func know(t *wire.Terms) knowledge {
	k := knowledge{rules: normalize.FromRecord(t)}
	if t.AgentLabel == "Pi" || t.AgentLabel == "Codex" {
		k.agent = t.AgentLabel
	}
	normalizable := map[string]bool{}
	for _, term := range t.Terms {
		normalizable[term.Text] = term.Normalizable
	}
	chars := 0
	for _, text := range t.Views.Refine.Terms {
		n := utf8.RuneCountInString(text)
		if n == 0 || len(k.terms) == maxTerms || chars+n > maxTermChars {
			continue
		}
		chars += n
		k.terms = append(k.terms, wire.Term{Text: text, Normalizable: normalizable[text]})
	}
	return k
}

// readTerms reads one vi.terms/1 record from a file or FIFO. An empty one knows
// nothing.
func readTerms(ctx context.Context, path string) (knowledge, error) {
	b, err := fifo.ReadFile(ctx, path, wire.MaxLine)
	if err != nil {
		return knowledge{}, err
	}
	if b = bytes.TrimSpace(b); len(b) == 0 {
		return knowledge{}, errors.New("there is no record")
	}
	var t wire.Terms
	if err := wire.Decode(b, &t); err != nil {
		return knowledge{}, err
	}
	return know(&t), nil
}

// later begins to read the terms. The function it returns waits for them, at
// most so long; it tells warn what went wrong, once, and then nothing is known.
func later(ctx context.Context, path string, warn func(string, ...any)) func(context.Context, time.Duration) knowledge {
	if path == "" {
		return func(context.Context, time.Duration) knowledge { return knowledge{} }
	}
	type result struct {
		knowledge
		err error
	}
	done := make(chan result, 1)
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		k, err := readTerms(ctx, path)
		done <- result{k, err}
	}()
	var got *result
	return func(caller context.Context, wait time.Duration) knowledge {
		if got != nil {
			return got.knowledge
		}
		late := time.AfterFunc(wait, func() { cancel(fmt.Errorf("no terms within %s", wait)) })
		defer late.Stop()
		defer context.AfterFunc(caller, func() { cancel(context.Cause(caller)) })()
		r := <-done
		got = &r
		if r.err != nil && caller.Err() == nil {
			warn("goes on without terms: %v", r.err)
		}
		return got.knowledge
	}
}

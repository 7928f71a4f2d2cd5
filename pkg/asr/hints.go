package asr

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"voice-input/pkg/asr/engine"
	"voice-input/pkg/normalize"
	"voice-input/pkg/wire"
)

// Bounds of what an engine is given as hints. Each engine cuts further, to
// what its own channel holds.
const (
	maxHints     = 200
	maxHintChars = 4000 // all hints together
	maxHintLen   = 100  // one hint; what is longer is a sentence
)

// termsWait is how long a take waits for its terms. They are made while the
// user begins to speak and need some milliseconds; without them it goes on.
const termsWait = 5 * time.Second

// knowledge is what is known of the words of a take: what the engine should
// expect, and how the words are written.
type knowledge struct {
	hints engine.Hints
	rules *normalize.Rules
}

// know takes what a vi.terms/1 record knows.
func know(t *wire.Terms) knowledge {
	h := engine.Hints{Words: words(t), Context: t.Views.ASR.Text, Vocabulary: t.Vocabulary}
	return knowledge{h, normalize.FromRecord(t)}
}

// words returns what an engine should expect to hear: the user's vocabulary by
// weight, then the terms in their order, each once whatever its case.
func words(t *wire.Terms) []string {
	vocabulary := slices.Clone(t.Vocabulary)
	slices.SortStableFunc(vocabulary, func(a, b wire.Vocabulary) int { return cmp.Compare(b.Weight, a.Weight) })
	var out []string
	seen := map[string]bool{}
	chars := 0
	add := func(text string) {
		text = clean(text)
		n, key := utf8.RuneCountInString(text), strings.ToLower(text)
		if n == 0 || n > maxHintLen || seen[key] || len(out) == maxHints || chars+n > maxHintChars {
			return
		}
		seen[key] = true
		out = append(out, text)
		chars += n
	}
	for _, v := range vocabulary {
		add(v.Text)
	}
	for _, term := range t.Terms {
		add(term.Text)
	}
	return out
}

// readTerms reads one vi.terms/1 record from a file or FIFO to its end, and
// returns what it knows. An empty file knows nothing.
func readTerms(ctx context.Context, path string) (knowledge, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, termsWait, fmt.Errorf("no terms within %s", termsWait))
	defer cancel()
	in, err := openInput(ctx, path, 0)
	if err != nil {
		return knowledge{}, err
	}
	defer in.Close()
	b, err := io.ReadAll(io.LimitReader(in, wire.MaxLine+1))
	if err != nil {
		return knowledge{}, err
	}
	b = bytes.TrimSpace(b)
	switch {
	case len(b) == 0:
		return knowledge{}, nil
	case len(b) > wire.MaxLine:
		return knowledge{}, wire.ErrLineTooLong
	}
	var t wire.Terms
	if err := wire.Decode(b, &t); err != nil {
		return knowledge{}, err
	}
	return know(&t), nil
}

// later reads the terms beside everything else. The function it returns waits
// for them; what went wrong is told to warn, once, and nothing is known.
func later(ctx context.Context, path string, warn func(string, ...any)) func(context.Context) knowledge {
	if path == "" {
		return func(context.Context) knowledge { return knowledge{} }
	}
	var result knowledge
	done := make(chan struct{})
	go func() {
		defer close(done)
		h, err := readTerms(ctx, path)
		if err != nil && !errors.Is(err, context.Canceled) {
			warn("goes on without terms: %v", err)
		}
		result = h
	}()
	return func(ctx context.Context) knowledge {
		select {
		case <-done:
			return result
		case <-ctx.Done():
			return knowledge{}
		}
	}
}

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

// hints returns what an engine should expect to hear: the user's vocabulary by
// weight, then the terms in their order, each once whatever its case.
func hints(t *wire.Terms) []string {
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
// returns its hints. An empty file has none.
func readTerms(ctx context.Context, path string) ([]string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, termsWait, fmt.Errorf("no terms within %s", termsWait))
	defer cancel()
	in, err := openInput(ctx, path, 0)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	b, err := io.ReadAll(io.LimitReader(in, wire.MaxLine+1))
	if err != nil {
		return nil, err
	}
	b = bytes.TrimSpace(b)
	switch {
	case len(b) == 0:
		return nil, nil
	case len(b) > wire.MaxLine:
		return nil, wire.ErrLineTooLong
	}
	var t wire.Terms
	if err := wire.Decode(b, &t); err != nil {
		return nil, err
	}
	return hints(&t), nil
}

// later reads the terms beside everything else. The function it returns waits
// for them; what went wrong is told to warn, once, and gives no hints.
func later(ctx context.Context, path string, warn func(string, ...any)) func(context.Context) []string {
	if path == "" {
		return func(context.Context) []string { return nil }
	}
	var result []string
	done := make(chan struct{})
	go func() {
		defer close(done)
		h, err := readTerms(ctx, path)
		if err != nil && !errors.Is(err, context.Canceled) {
			warn("goes on without terms: %v", err)
		}
		result = h
	}()
	return func(ctx context.Context) []string {
		select {
		case <-done:
			return result
		case <-ctx.Done():
			return nil
		}
	}
}

// Package refine turns a transcript into the text to deliver.
//
// It reads the events of a recogniser, waits for the final one, and has a
// language model edit the text. The model is checked and not trusted: code,
// numbers and names do not reach it, its answer is compared with what was
// said, and whatever is wrong with it, the transcript is kept. Spellings of
// terms are set right before and after, with a model and without.
package refine

import (
	"strings"
	"unicode"

	"voice-input/pkg/wire"
)

// Reasons of vi.refine/1 that are this package's own; the others are kinds of
// chat.Failure and reasons of review.Result.
const (
	noText  = "no_text"
	short   = "short"
	tooLong = "too_long"
	noModel = "no_model"
)

// Transcript returns the text of a line that ends a recognition: a
// vi.transcript/1, or a final or error event of vi.asr/1. Other events are
// not the end and give ok false.
func Transcript(line []byte) (text string, ok bool, err error) {
	schema, err := wire.Schema(line)
	if err != nil {
		return "", false, err
	}
	if schema == wire.SchemaTranscript {
		var t wire.Transcript
		err := wire.Decode(line, &t)
		return t.Text, err == nil, err
	}
	var e wire.ASR
	if err := wire.Decode(line, &e); err != nil {
		return "", false, err
	}
	switch e.Type {
	case wire.ASRFinal:
		return e.Text, true, nil
	case wire.ASRError:
		return "", true, nil
	default:
		return "", false, nil
	}
}

// spoken tells whether there is anything in a text but blanks and
// punctuation, which recognisers write where nobody spoke.
func spoken(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsSymbol(r)
	})
}

// chars counts what a person would: characters without blanks around.
func chars(text string) int { return len([]rune(strings.TrimSpace(text))) }

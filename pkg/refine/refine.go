// Package refine turns a transcript into the text to deliver.
//
// It reads the events of a recogniser and waits for the final one. With the
// engine "none" the text is kept as it was recognised.
package refine

import (
	"time"

	"voice-input/pkg/wire"
)

// Keep returns the record that leaves text as it is. Text without a
// character has the reason no_text.
func Keep(text, style string, elapsed time.Duration) *wire.Refine {
	r := &wire.Refine{Text: text, Outcome: wire.RefineKept, Style: style, ElapsedMS: elapsed.Milliseconds()}
	if text == "" {
		r.Reason = "no_text"
	}
	return r
}

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

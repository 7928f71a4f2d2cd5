// Package settled follows the text that an engine will not take back, so that
// it is kept when the engine fails.
package settled

import (
	"strings"

	"voice-input/pkg/asr/join"
	"voice-input/pkg/wire"
)

// Text is what is settled so far. The zero value is nothing.
type Text struct{ text string }

// String returns it.
func (t *Text) String() string { return t.text }

// See takes an event into account. Engines tell the settled text in two ways:
// all of it in each partial, or piece by piece in segments.
func (t *Text) See(ev *wire.ASR) {
	switch ev.Type {
	case wire.ASRReset:
		t.text = ""
	case wire.ASRPartial:
		if ev.Committed != "" {
			t.text = ev.Committed
		}
	case wire.ASRSegment:
		switch {
		case ev.Text == "" || strings.HasSuffix(t.text, ev.Text):
			// A partial has told it already.
		case strings.HasPrefix(ev.Text, t.text):
			t.text = ev.Text
		default:
			t.text = join.Join(t.text, ev.Text)
		}
	}
}

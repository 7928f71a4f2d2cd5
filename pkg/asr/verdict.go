package asr

import (
	"errors"
	"strings"

	"voice-input/pkg/asr/engine"
	"voice-input/pkg/cli"
	"voice-input/pkg/wire"
)

// verdict makes the final event of an engine's text. Failure is why the text
// is not all that was said, or nil.
func verdict(text string, failure *engine.Failure, hints []string, speech wire.Speech) *wire.ASR {
	ev := &wire.ASR{Type: wire.ASRFinal, Outcome: wire.OutcomeEmpty, Speech: &speech}
	text = clean(text)
	switch {
	case speech.AudioMS == 0:
		ev.Reason = "no_audio"
	case !speech.Heard || text == "":
		ev.Reason = "no_speech"
	case isEcho(text, hints, speech.SpeechMS):
		ev.Reason = "echo"
	default:
		ev.Text, ev.Outcome = text, wire.OutcomeUsable
	}
	if failure != nil && ev.Text != "" {
		ev.Outcome, ev.Kind, ev.Code = wire.OutcomeDegraded, failure.Kind, failure.Code
	}
	return ev
}

// failed is the event of a take that has no text.
func failed(f *engine.Failure) *wire.ASR {
	return &wire.ASR{Header: wire.Header{Reason: "failed"}, Type: wire.ASRError, Kind: f.Kind, Code: f.Code}
}

// statuses is the exit status of each kind of failure, those of engine programs
// (docs/engines.md) included. What an engine invents is the other side's
// nonsense.
var statuses = map[string]cli.Status{
	engine.Unavailable: cli.StatusUnavailable,
	engine.Language:    cli.StatusUnavailable,
	engine.Timeout:     cli.StatusTempFail,
	engine.Busy:        cli.StatusTempFail,
	engine.Crashed:     cli.StatusTempFail,
	engine.Protocol:    cli.StatusProtocol,
	engine.Audio:       cli.StatusData,
	engine.Auth:        cli.StatusNoPerm,
	"model":            cli.StatusUnavailable,
	"engine":           cli.StatusTempFail,
}

// withStatus returns the error that a failure ends the program with.
func withStatus(f *engine.Failure) error {
	status, known := statuses[f.Kind]
	if !known {
		status = cli.StatusProtocol
	}
	// A file that is not there keeps its own status.
	if s := (*cli.Error)(nil); errors.As(f.Err, &s) {
		status = s.Status
	}
	return &cli.Error{Status: status, Err: f.Err, Hint: f.Hint}
}

// settled follows the text that an engine will not take back.
type settled struct{ text string }

// see takes an event into account. Engines tell the settled text in two ways:
// all of it in each partial, or piece by piece in segments.
func (s *settled) see(ev *wire.ASR) {
	switch ev.Type {
	case wire.ASRReset:
		s.text = ""
	case wire.ASRPartial:
		if ev.Committed != "" {
			s.text = ev.Committed
		}
	case wire.ASRSegment:
		switch {
		case ev.Text == "" || strings.HasSuffix(s.text, ev.Text):
			// A partial has told it already.
		case strings.HasPrefix(ev.Text, s.text):
			s.text = ev.Text
		default:
			s.text = join(s.text, ev.Text)
		}
	}
}

// join puts a space between two pieces unless the scripts there have none.
func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	first, last := []rune(b)[0], []rune(a)[len([]rune(a))-1]
	if ideographic(first) || ideographic(last) || first == ' ' || last == ' ' {
		return a + b
	}
	return a + " " + b
}

package asr

import (
	"errors"

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

package asr

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"voice-input/pkg/asr/engine"
	"voice-input/pkg/cli"
	"voice-input/pkg/wire"
)

func TestVerdict(t *testing.T) {
	list := []string{"alpha", "beta", "gamma"}
	speech := wire.Speech{Heard: true, SpeechMS: 1500, AudioMS: 3000, Peak: 0.5}
	silence := wire.Speech{AudioMS: 3000, Peak: 0.01}
	crash := &engine.Failure{Kind: engine.Crashed, Code: "exit_1", Err: errors.New("x")}
	tests := []struct {
		name                  string
		text                  string
		failure               *engine.Failure
		speech                wire.Speech
		want, outcome, reason string
	}{
		{"text", " Go\nforward ", nil, speech, "Go forward", wire.OutcomeUsable, ""},
		{"no text", " ", nil, speech, "", wire.OutcomeEmpty, "no_speech"},
		{"text without speech", "Thank you for watching!", nil, silence, "", wire.OutcomeEmpty, "no_speech"},
		{"no samples", "Thank you", nil, wire.Speech{}, "", wire.OutcomeEmpty, "no_audio"},
		{"echo", "alpha, beta, gamma", nil, speech, "", wire.OutcomeEmpty, "echo"},
		{"one of the hints", "Beta.", nil, speech, "Beta.", wire.OutcomeUsable, ""},
		{"crash with text", "go forward", crash, speech, "go forward", wire.OutcomeDegraded, ""},
		{"crash without text", "", crash, speech, "", wire.OutcomeEmpty, "no_speech"},
		{"crash after the hints came back", "alpha beta gamma", crash, speech, "", wire.OutcomeEmpty, "echo"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ev := verdict(tt.text, tt.failure, list, tt.speech)
			if ev.Text != tt.want || ev.Outcome != tt.outcome || ev.Reason != tt.reason {
				t.Errorf("got %q %s %s, want %q %s %s", ev.Text, ev.Outcome, ev.Reason, tt.want, tt.outcome, tt.reason)
			}
			if degraded := ev.Outcome == wire.OutcomeDegraded; (ev.Kind != "") != degraded {
				t.Errorf("kind %q of a %s outcome", ev.Kind, ev.Outcome)
			}
			if _, err := wire.Encode(ev); err != nil {
				t.Error(err)
			}
		})
	}
}

// The list that an engine was given is never what somebody said, however it is
// written; words of it that were said are.
func TestA1_TheListComesBack(t *testing.T) {
	list := []string{"vi-session", "JSONL", "stopReason", "PipeWire"}
	speech := wire.Speech{Heard: true, SpeechMS: 1200, AudioMS: 3000, Peak: 0.5}
	for _, text := range []string{"vi-session, JSONL, stopReason, PipeWire", "vi-session JSONL stopReason PipeWire.", "vi-session\nJSONL\nstopReason\nPipeWire"} {
		if ev := verdict(text, nil, list, speech); ev.Text != "" || ev.Reason != "echo" {
			t.Errorf("%q: %q, %s", text, ev.Text, ev.Reason)
		}
	}
	for _, text := range []string{"JSONL", "open the vi-session file", "is PipeWire running"} {
		if ev := verdict(text, nil, list, speech); ev.Text != text {
			t.Errorf("%q: %q, %s", text, ev.Text, ev.Reason)
		}
	}
}

// What engines write when nobody speaks is not what somebody said.
func TestA8_SilenceYieldsNothing(t *testing.T) {
	silence := wire.Speech{AudioMS: 5000, Peak: 0.0009} // -60 dBFS
	for _, text := range []string{"Thank you.", "[BLANK_AUDIO]", "谢谢观看", "ご視聴ありがとうございました", "字幕由 Amara.org 社区提供"} {
		if ev := verdict(text, nil, nil, silence); ev.Text != "" || ev.Reason != "no_speech" || ev.Outcome != wire.OutcomeEmpty {
			t.Errorf("%q: %q, %s", text, ev.Text, ev.Reason)
		}
	}
}

func TestWithStatus(t *testing.T) {
	tests := []struct {
		failure *engine.Failure
		want    cli.Status
	}{
		{&engine.Failure{Kind: engine.Unavailable, Err: errors.New("x")}, 69},
		{&engine.Failure{Kind: engine.Language, Err: errors.New("x")}, 69},
		{&engine.Failure{Kind: engine.Timeout, Err: errors.New("x")}, 75},
		{&engine.Failure{Kind: engine.Crashed, Err: errors.New("x")}, 75},
		{&engine.Failure{Kind: engine.Protocol, Err: errors.New("x")}, 76},
		{&engine.Failure{Kind: "model", Err: errors.New("x")}, 69},
		{&engine.Failure{Kind: "engine", Err: errors.New("x")}, 75},
		{&engine.Failure{Kind: "its_own", Err: errors.New("x")}, 76},
		{&engine.Failure{Kind: engine.Audio, Err: errors.New("x")}, 65},
		{&engine.Failure{Kind: engine.Auth, Err: errors.New("x")}, 77},
		{&engine.Failure{Kind: engine.Audio, Err: cli.Errorf(cli.StatusNoInput, "x")}, 66},
	}
	for _, tt := range tests {
		if got := cli.StatusOf(withStatus(tt.failure)); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.failure.Kind, got, tt.want)
		}
	}
}

func TestHints(t *testing.T) {
	var many, long []wire.Term
	for i := range 300 {
		many = append(many, wire.Term{Text: fmt.Sprint("t", i)})
		long = append(long, wire.Term{Text: fmt.Sprintf("%090d", i)})
	}
	got := words(&wire.Terms{
		Vocabulary: []wire.Vocabulary{{Text: "light", Weight: 1}, {Text: "heavy", Weight: 5}, {Text: "none"}, {Text: "also heavy", Weight: 5}},
		Terms:      []wire.Term{{Text: "first"}, {Text: "HEAVY"}, {Text: " second\n"}, {Text: ""}, {Text: "first"}, {Text: strings.Repeat("x", 101)}},
	})
	if want := []string{"heavy", "also heavy", "light", "none", "first", "second"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if n := len(words(&wire.Terms{Terms: many})); n != maxHints {
		t.Errorf("%d hints, want %d", n, maxHints)
	}
	if n := len(words(&wire.Terms{Terms: long})); n != maxHintChars/90 {
		t.Errorf("%d long hints, want %d", n, maxHintChars/90)
	}
	if got := words(&wire.Terms{}); len(got) != 0 {
		t.Errorf("hints of nothing: %q", got)
	}
}

// Whatever the engine, the final text has the terms in their written form, and
// the user's replacements.
func TestRule_D5_FinalTextIsNormalised(t *testing.T) {
	known := know(&wire.Terms{
		Terms:        []wire.Term{{Text: "stopReason", Normalizable: true}, {Text: "JSONL", Normalizable: true}, {Text: "line"}},
		Vocabulary:   []wire.Vocabulary{{Text: "vi-session"}},
		Replacements: []wire.Replacement{{From: "cube control", To: "kubectl"}},
	})
	for text, want := range map[string]string{
		"the stopreason is in vi session": "the stopReason is in vi-session",
		"open the jsonl file in a Line":   "open the JSONL file in a Line",
		"run cube control twice":          "run kubectl twice",
		"nothing to change here":          "nothing to change here",
	} {
		if got := known.rules.Apply(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	if got := (knowledge{}).rules.Apply("the stopreason"); got != "the stopreason" {
		t.Errorf("without terms: %q", got)
	}
}

package settled

import (
	"testing"

	"voice-input/pkg/wire"
)

func TestText(t *testing.T) {
	partial := func(committed, draft string) *wire.ASR {
		return &wire.ASR{Type: wire.ASRPartial, Committed: committed, Draft: draft}
	}
	segment := func(text string) *wire.ASR { return &wire.ASR{Type: wire.ASRSegment, Text: text} }
	reset := &wire.ASR{Type: wire.ASRReset}
	tests := []struct {
		name   string
		events []*wire.ASR
		want   string
	}{
		{"nothing", nil, ""},
		{"drafts settle nothing", []*wire.ASR{partial("", "go"), partial("", "go for")}, ""},
		{"partials", []*wire.ASR{partial("go", "for"), partial("go forward", "")}, "go forward"},
		{"a draft after settled text", []*wire.ASR{partial("go", ""), partial("", "x")}, "go"},
		{"pieces", []*wire.ASR{segment("Go."), segment("Stop.")}, "Go. Stop."},
		{"Chinese pieces", []*wire.ASR{segment("你好。"), segment("再见。")}, "你好。再见。"},
		{"segments that hold all", []*wire.ASR{segment("Go."), segment("Go. Stop.")}, "Go. Stop."},
		{"both ways", []*wire.ASR{partial("Go.", ""), segment("Go."), partial("Go. Stop.", ""), segment("Stop.")}, "Go. Stop."},
		{"reset", []*wire.ASR{partial("go", ""), reset, segment("stop")}, "stop"},
	}
	for _, tt := range tests {
		var s Text
		for _, ev := range tt.events {
			s.See(ev)
		}
		if s.String() != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, s.String(), tt.want)
		}
	}
}

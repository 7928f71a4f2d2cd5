package asr

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"voice-input/pkg/asr/chain"
	"voice-input/pkg/asr/engine"
	"voice-input/pkg/cli"
	"voice-input/pkg/wire"
)

// called is an engine in the process with a name of its own.
type called struct {
	inProcess
	name string
}

func (c called) Name() string { return c.name }

// The last event says whose text it is and why it is not another's, and so
// does a warning.
func TestFinalEventOfAFallback(t *testing.T) {
	away := &engine.Failure{Kind: engine.Unavailable, Code: "no_connection", Err: errors.New("cloud is away")}
	half := &engine.Failure{Kind: engine.Timeout, Code: "finalize", Err: errors.New("cloud is slow"), Text: "open the"}
	broken := &engine.Failure{Kind: engine.Crashed, Code: "exit_3", Err: errors.New("whisper died")}
	heard := []*wire.ASR{{Type: wire.ASRPartial, Committed: "op"}}
	for _, tt := range []struct {
		name    string
		engines []inProcess
		status  cli.Status
		want    string // what differs of the last event
		warns   string
	}{
		{"not needed", []inProcess{{text: "open"}, {text: "other"}}, 0,
			`{"type":"final","text":"open","engine":"cloud","outcome":"usable"}`, ""},
		{"another engine's text", []inProcess{{err: away}, {text: "open"}}, 0,
			`{"type":"final","text":"open","engine":"whisper","outcome":"usable","tried":[{"engine":"cloud","kind":"unavailable","code":"no_connection"}]}`,
			`cloud is away; engine "whisper" was asked as well`},
		{"no words, says another", []inProcess{{err: away}, {}}, 1,
			`{"reason":"no_speech","type":"final","engine":"whisper","outcome":"empty","tried":[{"engine":"cloud","kind":"unavailable","code":"no_connection"}]}`,
			`cloud is away; engine "whisper" was asked as well`},
		{"the part that there is", []inProcess{{err: half}, {err: broken}}, 0,
			`{"type":"final","text":"open the","engine":"cloud","outcome":"degraded","kind":"timeout","code":"finalize","tried":[{"engine":"whisper","kind":"crashed","code":"exit_3"}]}`,
			`cloud is slow; what was recognised before is kept|whisper died; engine "cloud" was asked as well`},
		{"the part, as another heard nothing", []inProcess{{events: heard, err: away}, {}}, 0,
			`{"type":"final","text":"op","engine":"cloud","outcome":"degraded","kind":"unavailable","code":"no_connection","tried":[{"engine":"whisper","kind":"empty"}]}`,
			`cloud is away; what was recognised before is kept`},
		{"nobody has any", []inProcess{{err: away}, {err: broken}}, 75,
			`{"reason":"failed","type":"error","engine":"whisper","kind":"crashed","code":"exit_3","tried":[{"engine":"cloud","kind":"unavailable","code":"no_connection"}]}`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var links []chain.Link
			for i, e := range tt.engines {
				name := []string{"cloud", "whisper"}[i]
				links = append(links, chain.Link{Name: name, Open: func(context.Context) (engine.Engine, error) { return called{e, name}, nil }})
			}
			c := chain.New(t.Context(), links)
			defer c.Close()
			var events []*wire.ASR
			var warns []string
			r := &recognizer{
				engine: c,
				emit:   func(r wire.Record) error { events = append(events, r.(*wire.ASR)); return nil },
				warn:   func(format string, args ...any) { warns = append(warns, fmt.Sprintf(format, args...)) },
			}
			err := r.do(t.Context(), testTake(bytes.NewReader(spoken(t))))
			if got := cli.StatusOf(err); got != tt.status || strings.Join(warns, "|") != tt.warns {
				t.Errorf("status %d (%v), warnings %q", got, err, warns)
			}
			last := *events[len(events)-2]
			last.Take, last.Speech = "", nil
			b, err := json.Marshal(&last)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Replace(string(b), `"schema":"",`, "", 1); strings.Replace(got, `"reason":"",`, "", 1) != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

package qwenrealtime

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"voice-input/pkg/asr/engine"
	"voice-input/tests/fakecloud"
)

// A6: after a loss a new session hears everything from the first sample on,
// with the same words (D4), at no more than 4 times the speed, and the text is
// neither cut nor doubled.
func TestA6_Rule_D4_Loss(t *testing.T) {
	for name, faults := range map[string][]fakecloud.Fault{
		"close frame":     {{Name: fakecloud.CloseBefore, Status: 1011}},
		"normal close":    {{Name: fakecloud.CloseBefore, Status: 1000}},
		"FIN":             {{Name: fakecloud.CloseBefore, How: "fin"}},
		"RST":             {{Name: fakecloud.CloseBefore, How: "rst"}},
		"retryable error": {{Name: fakecloud.TaskFailed, Code: "InternalError", When: fakecloud.Started}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const samples = 3 * 16000
			faults[0].Connection, faults[0].Samples = 1, 24000
			c := start(t, fakecloud.Scenario{Faults: faults, Most: map[string]int{fakecloud.Realtime: 2}}, nil)
			c.tape.Write(fakecloud.Ramp(0, 32000))
			go func() {
				c.srv.Wait(t.Context(), func([]fakecloud.Session) bool { return len(c.srv.Sessions(fakecloud.Realtime)) == 2 })
				c.tape.Write(fakecloud.Ramp(32000, samples-32000))
				c.tape.Close(io.EOF)
			}()
			text, err := c.recognize()
			if text != whole || err != nil {
				t.Errorf("%q, %v", text, err)
			}
			all := c.journal()
			c.srv.Check(t)
			if len(all) != 2 {
				t.Fatalf("%d connections", len(all))
			}
			heardAll(t, all[1], samples)
			if all[0].Context[0] != all[1].Context[0] || all[0].Context[0] == "" {
				t.Errorf("context %q, then %q", all[0].Context, all[1].Context)
			}
			first, last := all[1].Audio[0].Arrivals[0], all[1].Audio[0].Arrivals[19] // of what was recorded before
			if last.At-first.At < 1900/pace*0.9 {
				t.Errorf("2 s in %g ms", last.At-first.At)
			}
			got := strings.Join(c.events, "; ")
			if !strings.Contains(got, "; reset; reconnecting; context_sent; reconnected; ") || strings.Count(got, "ready") != 1 {
				t.Errorf("events %s", got)
			}
		})
	}
}

// Whatever goes wrong for good, the text that was heard is kept, no third
// connection comes, and nothing waits for ever.
func TestLossForGood(t *testing.T) {
	for _, tt := range []struct {
		name   string
		faults []fakecloud.Fault
		text   string
		kind   string
		code   string
		most   int
	}{
		{"second loss", []fakecloud.Fault{{Name: fakecloud.CloseBefore, Samples: 20000}}, "Open the panel.", engine.Crashed, "closed_1006", 2},
		{"second loss has heard less", []fakecloud.Fault{
			{Name: fakecloud.CloseBefore, Connection: 1, Samples: 36000}, {Name: fakecloud.CloseBefore, Connection: 2, Samples: 20000},
		}, "Open the panel. Close it.", engine.Crashed, "closed_1006", 2},
		{"nobody there", []fakecloud.Fault{{Name: fakecloud.CloseBefore, Connection: 1, Samples: 20000}, {Name: fakecloud.Refuse, Connection: 2}}, "Open the panel.", engine.Unavailable, "no_connection", 1},
		{"refused", []fakecloud.Fault{{Name: fakecloud.CloseBefore, Connection: 1, Samples: 20000}, {Name: fakecloud.HTTPStatus, Connection: 2, Status: 429, Code: "Throttling.RateQuota"}}, "Open the panel.", engine.Busy, "Throttling.RateQuota", 2},
		{"refused for the key", []fakecloud.Fault{{Name: fakecloud.TaskFailed, Code: "InvalidApiKey", When: fakecloud.Started, Samples: 20000}}, "Open the panel.", engine.Auth, "InvalidApiKey", 1},
		{"after finish", []fakecloud.Fault{{Name: fakecloud.CloseAfter}}, whole, engine.Crashed, "closed_1006", 1},
		{"stall, stall", []fakecloud.Fault{{Name: fakecloud.Stall, Samples: 20000}}, "Open the panel.", engine.Timeout, "finalize", 1},
		{"never finished", []fakecloud.Fault{{Name: fakecloud.NeverFinished}}, whole, engine.Timeout, "finalize", 1},
		{"no answer", []fakecloud.Fault{{Name: fakecloud.NoTaskStarted}}, "", engine.Timeout, "start", 1},
		{"no JSON", []fakecloud.Fault{{Name: fakecloud.MalformedJSON, Samples: 20000}}, "Open the panel.", engine.Protocol, "bad_message", 1},
		{"half JSON", []fakecloud.Fault{{Name: fakecloud.TruncatedJSON, Samples: 20000}}, "Open the panel.", engine.Protocol, "bad_message", 1},
		{"text is a number", []fakecloud.Fault{{Name: fakecloud.TextNotString, Samples: 20000}}, "Open the panel.", engine.Protocol, "bad_message", 1},
		{"too long a message", []fakecloud.Fault{{Name: fakecloud.Oversized, Samples: 20000}}, "Open the panel.", engine.Protocol, "bad_message", 1},
		{"deep", []fakecloud.Fault{{Name: fakecloud.DeepNesting, Samples: 20000}}, "Open the panel.", engine.Protocol, "bad_message", 1},
		{"an item fails", []fakecloud.Fault{{Name: fakecloud.ItemFailed, Samples: 20000, Code: "audio_unintelligible"}}, "Open the panel. Close打开面板。", engine.Unavailable, "audio_unintelligible", 1},
		{"an error, and on", []fakecloud.Fault{{Name: fakecloud.ErrorKeepsOpen, Samples: 20000, Code: "invalid_value"}}, whole, engine.Unavailable, "invalid_value", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := start(t, fakecloud.Scenario{Faults: tt.faults, Most: map[string]int{fakecloud.Realtime: tt.most}}, nil)
			c.engine.limits.start, c.engine.limits.finalize = quick.start, quick.finalize
			c.engine.retry = 10 * time.Millisecond
			c.tape.Write(fakecloud.Ramp(0, 3*16000))
			if !strings.Contains(tt.name, "loss") && tt.name != "nobody there" && tt.name != "refused" {
				c.tape.Close(io.EOF)
			}
			text, err := c.recognize()
			var f *engine.Failure
			if !errors.As(err, &f) {
				t.Fatalf("%q, %v", text, err)
			}
			// A draft of the sentence that was being heard may come on top.
			if text != "" || !strings.HasPrefix(f.Text, tt.text) || len(f.Text) > len(tt.text)+len(" Close") || f.Kind != tt.kind || f.Code != tt.code {
				t.Errorf("%q, kind %s, code %s, kept %q: %v", text, f.Kind, f.Code, f.Text, err)
			}
			if all := c.journal(); len(all) > tt.most {
				t.Errorf("%d connections", len(all))
			}
			c.srv.Check(t)
		})
	}
}

// A service that hears speech and says nothing more is given up once, and
// silence never is.
func TestStall(t *testing.T) {
	speaking := speech(t)
	for name, tt := range map[string]struct {
		fault  fakecloud.Fault
		pcm    []byte
		second bool
	}{
		"after text":         {fakecloud.Fault{Name: fakecloud.StallAfterPartial, Connection: 1}, speaking, true},
		"from the beginning": {fakecloud.Fault{Name: fakecloud.Stall, Connection: 1}, speaking, true},
		"heard, but no text": {fakecloud.Fault{Name: fakecloud.SpeechNoText, Connection: 1}, make([]byte, len(speaking)), true},
		"nothing in silence": {fakecloud.Fault{Name: fakecloud.EmptyResult}, make([]byte, len(speaking)), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := start(t, fakecloud.Scenario{Results: fakecloud.Sentences(48000, "Open the panel.", "Close it.", "打开面板。"), Audio: fakecloud.Sound{Exact: tt.pcm}, Faults: []fakecloud.Fault{tt.fault}, Most: map[string]int{fakecloud.Realtime: 2}}, nil)
			l := quick.limits
			l.start, l.finalize = patience, patience
			c.engine.limits = l
			c.tape.Write(tt.pcm)
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				if tt.second {
					c.srv.Wait(t.Context(), func([]fakecloud.Session) bool { return len(c.srv.Sessions(fakecloud.Realtime)) == 2 })
				} else {
					time.Sleep(4 * l.silence)
				}
				c.tape.Close(io.EOF)
			}()
			text, err := c.recognize()
			<-ended
			want := whole
			if !tt.second {
				want = ""
			}
			if text != want || err != nil {
				t.Errorf("%q, %v", text, err)
			}
			if all := c.journal(); (len(all) == 2) != tt.second {
				t.Errorf("%d connections", len(all))
			}
		})
	}
}

// A connection whose other side is gone without a word is noticed while
// nothing is sent.
func TestHalfOpen(t *testing.T) {
	c := start(t, fakecloud.Scenario{Faults: []fakecloud.Fault{{Name: fakecloud.NoPong, Connection: 1}}}, nil)
	c.engine.times = quick.Times
	c.tape.Write(fakecloud.Ramp(0, 8000))
	go func() {
		c.srv.Wait(t.Context(), func([]fakecloud.Session) bool { return len(c.srv.Sessions(fakecloud.Realtime)) == 2 })
		c.tape.Write(fakecloud.Ramp(8000, 40000))
		c.tape.Close(io.EOF)
	}()
	if text, err := c.recognize(); text != whole || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	all := c.journal()
	heardAll(t, all[len(all)-1], 48000)
}

// A service that reads slowly gets every sample once.
func TestSlowConsumer(t *testing.T) {
	c := start(t, fakecloud.Scenario{Faults: []fakecloud.Fault{{Name: fakecloud.SlowConsumer, Bytes: 200_000}}, Most: map[string]int{fakecloud.Realtime: 1}}, nil)
	const samples = 10 * 16000
	if text, err := c.run(samples); text != whole || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	heardAll(t, c.journal()[0], samples)
	c.srv.Check(t)
}

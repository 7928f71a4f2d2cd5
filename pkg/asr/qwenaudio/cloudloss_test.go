package qwenaudio

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"voice-input/pkg/asr/engine"
	"voice-input/pkg/asr/enginetest"
	"voice-input/pkg/asr/native"
	"voice-input/pkg/wire"
	"voice-input/tests/fakecloud"
)

// A12: what is refused before there is a connection is tried once, and told
// for what it is.
func TestCloudRefuses(t *testing.T) {
	type f = fakecloud.Fault
	for _, tt := range []struct {
		name       string
		fault      f
		kind, code string
		tcp        int
	}{
		{"A12 401", f{Name: fakecloud.HTTPStatus, Status: 401, Code: "InvalidApiKey"}, engine.Auth, "InvalidApiKey", 0},
		{"403", f{Name: fakecloud.HTTPStatus, Status: 403, Code: "AccessDenied"}, engine.Auth, "AccessDenied", 0},
		{"429", f{Name: fakecloud.HTTPStatus, Status: 429, Code: "Throttling"}, engine.Busy, "Throttling", 0},
		{"503", f{Name: fakecloud.HTTPStatus, Status: 503}, engine.Unavailable, "*", 0},
		{"redirect", f{Name: fakecloud.Redirect}, engine.Protocol, "redirect", 0},
		{"nobody listens", f{Name: fakecloud.Refuse}, engine.Unavailable, "not_connected", 0},
		{"reset", f{Name: fakecloud.ResetOnAccept}, engine.Unavailable, "not_connected", 2},
		{"garbage", f{Name: fakecloud.TLSGarbage}, engine.Unavailable, "not_connected", 2},
		{"hangs", f{Name: fakecloud.HangHandshake}, engine.Timeout, "not_connected", 0},
		{"no task-started", f{Name: fakecloud.NoTaskStarted}, engine.Timeout, "task_not_started", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := open(t, fakecloud.Scenario{Faults: []fakecloud.Fault{tt.fault}, Most: map[string]int{fakecloud.Task: 1, fakecloud.TCP: 2, fakecloud.Trap: 0}}, func(o *Options) { o.Connect = 700 * time.Millisecond })
			c.engine.limits.retry = 10 * time.Millisecond
			c.engine.region = "beijing" // as if it were there
			text, err := c.run(0, engine.Hints{})
			f := failureOf(err)
			if text != "" || f.Kind != tt.kind || f.Code != tt.code && tt.code != "*" || f.Code == "" {
				t.Errorf("%q, %v: kind %q, code %q", text, err, f.Kind, f.Code)
			}
			if strings.HasPrefix(tt.name, "A12") && !strings.Contains(f.Hint, `region = "singapore"`) {
				t.Errorf("hint %q", f.Hint)
			}
			c.srv.Check(t)
			if n := len(c.srv.Sessions(fakecloud.TCP)); tt.tcp > 0 && n != tt.tcp {
				t.Errorf("%d connections", n)
			}
		})
	}
}

// A service that is gone without a word is noticed by its silence.
func TestCloudIsGone(t *testing.T) {
	type f = fakecloud.Fault
	for _, fault := range []f{
		{Name: fakecloud.HalfOpen, Connection: 1, Event: 3, When: fakecloud.Started},
		{Name: fakecloud.NoPong, Connection: 1},
	} {
		t.Run(fault.Name, func(t *testing.T) {
			faults := []f{fault}
			if fault.Name == fakecloud.NoPong {
				faults = append(faults, f{Name: fakecloud.StallAfterPartial, Connection: 1})
			}
			c := open(t, fakecloud.Scenario{Faults: faults, Most: map[string]int{fakecloud.Task: 2}}, nil)
			c.engine.dial = dialer(quick)
			tape, take := enginetest.Live()
			tape.Write(c.pcm[:engine.BytesPerSecond])
			go func() {
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				defer cancel()
				if err := c.srv.Wait(ctx, func([]fakecloud.Session) bool { return len(c.tasks()) == 2 }); err != nil {
					t.Error(err)
				}
				tape.Write(c.pcm[engine.BytesPerSecond:])
				tape.Close(io.EOF)
			}()
			text, err := c.engine.Recognize(t.Context(), take, c.emit)
			if text != allSentences || err != nil {
				t.Errorf("%q, %v", text, err)
			}
			c.srv.Check(t)
		})
	}
}

// A service that reads slowly gets every sample once.
func TestC1CloudReadsSlowly(t *testing.T) {
	c := open(t, fakecloud.Scenario{Faults: []fakecloud.Fault{{Name: fakecloud.SlowConsumer, Bytes: 100_000}}}, nil)
	if text, err := c.run(0, engine.Hints{}); text != allSentences || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	c.srv.Check(t)
	if a := c.tasks()[0].Audio[0]; !a.Exact(48000) {
		t.Errorf("%+v", a)
	}
}

// The replay is no faster than four times speech, by the service's own clock.
func TestCloudReplayPace(t *testing.T) {
	pcm := speech(6 * time.Second)
	c := open(t, fakecloud.Scenario{
		Audio:  fakecloud.Sound{Exact: pcm},
		Faults: []fakecloud.Fault{{Name: fakecloud.CloseBefore, Connection: 1, Samples: 5 * engine.Rate, Status: 1006}},
	}, nil)
	if text, err := c.run(5*engine.BytesPerSecond, engine.Hints{}); text != allSentences || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	c.srv.Check(t)
	if a := c.tasks()[1].Audio[0]; !a.Exact(6*engine.Rate) || a.Pace > 4.4 {
		t.Errorf("pace %.2f", a.Pace)
	}
}

// A11, J6: the stream, its replacement and the native pass all carry the same
// context; the pass is asked once, and not by a healthy stream.
func TestA11CloudNativePass(t *testing.T) {
	type f = fakecloud.Fault
	for _, tt := range []struct {
		name   string
		mode   native.Mode
		faults []f
		split  int
		want   string
		passes int
	}{
		{"healthy", native.Adaptive, nil, 0, allSentences, 0},
		{"always", native.Always, nil, 0, "by the pass", 1},
		{"lost twice", native.Adaptive, []f{{Name: fakecloud.CloseBefore, Event: 3, Status: 1011}}, engine.BytesPerSecond, "by the pass", 1},
		{"empty", native.Adaptive, []f{{Name: fakecloud.EmptyResult, Protocol: fakecloud.Task}}, 0, "by the pass", 1},
		{"pass fails", native.Always, []f{{Name: fakecloud.HTTPStatus, Protocol: fakecloud.Native, Status: 500}}, 0, allSentences, 1},
		{"no connection", native.Adaptive, []f{{Name: fakecloud.HTTPStatus, Protocol: fakecloud.Task, Status: 503}}, 0, "by the pass", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := open(t, fakecloud.Scenario{Text: "by the pass", Faults: tt.faults, Most: map[string]int{fakecloud.Native: tt.passes}}, func(o *Options) { o.Native = tt.mode })
			text, err := c.run(tt.split, hintsOfTest)
			if text != tt.want || err != nil {
				t.Errorf("%q, %v", text, err)
			}
			c.srv.Check(t)
			passes := c.srv.Sessions(fakecloud.Native)
			if len(passes) != tt.passes {
				t.Fatalf("%d passes", len(passes))
			}
			for _, s := range append(passes, c.tasks()...) {
				for _, got := range s.Context {
					if got != hintsOfTest.Context {
						t.Errorf("%s: context %q", s.Protocol, got)
					}
				}
			}
			if tt.passes > 0 && (len(passes[0].Context) != 1 || !passes[0].Audio[0].Exact(int64(len(c.pcm)/2))) {
				t.Errorf("the pass was given %+v", passes[0])
			}
			if sent := strings.Count(strings.Join(c.events, ";"), wire.ASRContextSent); sent == 0 {
				t.Error("context_sent is missing")
			}
		})
	}
}

// Cancelling ends the connections at once, and nothing is sent behind that.
func TestRule_J1_CloudCancel(t *testing.T) {
	type f = fakecloud.Fault
	for _, tt := range []struct {
		name  string
		fault f
		mode  native.Mode
		ended bool
		ready func([]fakecloud.Session) bool
	}{
		{"handshake", f{Name: fakecloud.HangHandshake}, native.StreamingOnly, false, nil},
		{"asked", f{Name: fakecloud.NoTaskStarted}, native.StreamingOnly, false, nil},
		{"hearing", f{Name: fakecloud.NoHeartbeat}, native.StreamingOnly, false, func(all []fakecloud.Session) bool { return len(all[0].Audio) > 0 && all[0].Audio[0].Frames == 30 }},
		{"write waits", f{Name: fakecloud.SlowConsumer, Bytes: 2000}, native.StreamingOnly, true, nil},
		{"finishing", f{Name: fakecloud.NeverFinished}, native.StreamingOnly, true, func(all []fakecloud.Session) bool { return len(all[0].Audio) > 0 && all[0].Audio[0].Complete }},
		{"replacement", f{Name: fakecloud.CloseBefore, Connection: 1, Status: 1011}, native.StreamingOnly, false, func(all []fakecloud.Session) bool { return len(all) == 2 && len(all[1].Audio) > 0 }},
		{"native pass", f{Name: fakecloud.Hang, Protocol: fakecloud.Native}, native.Always, true, func(all []fakecloud.Session) bool { return len(all) == 2 }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := open(t, fakecloud.Scenario{Faults: []fakecloud.Fault{tt.fault}}, func(o *Options) { o.Native = tt.mode })
			tape, take := enginetest.Live()
			tape.Write(c.pcm)
			if tt.ended {
				tape.Close(io.EOF)
			}
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() {
				_, err := c.engine.Recognize(ctx, take, func(*wire.ASR) {})
				ended <- err
			}()
			waiting, stop := context.WithTimeout(t.Context(), patience)
			defer stop()
			if err := c.srv.Wait(waiting, func(all []fakecloud.Session) bool { return len(all) > 0 && (tt.ready == nil || tt.ready(all)) }); err != nil {
				t.Fatal(err)
			}
			cancel()
			select {
			case err := <-ended:
				if err != context.Canceled {
					t.Error(err)
				}
			case <-time.After(patience):
				t.Fatal("it goes on")
			}
			if err := c.srv.Wait(waiting, func(all []fakecloud.Session) bool {
				for _, s := range all {
					if s.Closed == nil {
						return false
					}
				}
				return true
			}); err != nil && tt.name != "write waits" { // the fake reads that one to its end, slowly
				t.Error(err)
			}
			for _, task := range c.tasks() {
				for _, a := range task.Audio {
					if a.Complete && !tt.ended {
						t.Error("the task was finished")
					}
				}
			}
		})
	}
}

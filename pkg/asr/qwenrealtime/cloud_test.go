package qwenrealtime

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"voice-input/pkg/asr/engine"
	"voice-input/pkg/asr/enginetest"
	"voice-input/pkg/asr/socket"
	"voice-input/pkg/internal/apikey"
	"voice-input/pkg/wire"
	"voice-input/tests/fakecloud"
)

// patience bounds each wait of the tests; nothing needs it but a failure.
const patience = 30 * time.Second

// quick are times for a service that is gone, and for one that says nothing.
var quick = struct {
	socket.Times
	limits
}{
	socket.Times{Write: time.Second, Ping: 100 * time.Millisecond, Silence: time.Second},
	limits{start: time.Second, active: 800 * time.Millisecond, silence: 800 * time.Millisecond, voiced: 500 * time.Millisecond, finalize: 1500 * time.Millisecond},
}

func keyOf(t testing.TB, s string) apikey.Key {
	t.Helper()
	k, err := apikey.Source{Environ: []string{"K"}}.Find(t.Context(), func(string) string { return s })
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// speech is somebody who speaks, for 10 s.
func speech(t testing.TB) []byte {
	t.Helper()
	b, err := os.ReadFile("../../../tests/testdata/speech/goforward.wav")
	if err != nil {
		t.Fatal(err)
	}
	pcm := b[44:]
	return append(append(append([]byte{}, pcm...), pcm...), pcm...)
}

// cloud is a recognition by the fake service, over a real connection.
type cloud struct {
	t      *testing.T
	srv    *fakecloud.Server
	engine *Engine
	tape   interface {
		Write([]byte) (int, error)
		Close(error)
	}
	take   engine.Take
	events []string
}

var hintsOfTest = engine.Hints{Words: []string{"语音", "RareModel"}, Context: "RareModel", Vocabulary: []wire.Vocabulary{{Text: "语音", Weight: 5}}}

// start starts a service that hears a sentence each second.
func start(t *testing.T, scenario fakecloud.Scenario, change func(*Options)) *cloud {
	t.Helper()
	if scenario.Results == nil {
		scenario.Results = fakecloud.Sentences(16000, "Open the panel.", "Close it.", "打开面板。")
	}
	srv, err := fakecloud.Start(scenario)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { srv.Close() })
	o := Options{
		Name: "qwen3-realtime", URL: srv.URL(fakecloud.RealtimePath), Key: keyOf(t, srv.Token()), Vocabulary: true,
		VADThreshold: 0.2, VADSilenceMS: 400, Connect: 10 * time.Second, Finalize: 10 * time.Second,
	}
	if change != nil {
		change(&o)
	}
	c := &cloud{t: t, srv: srv}
	if c.engine, err = New(o); err != nil {
		t.Fatal(err)
	}
	tape, take := enginetest.Live()
	take.Hints, take.Language = enginetest.Hints(hintsOfTest), "zh-CN"
	c.tape, c.take = tape, take
	t.Cleanup(func() { tape.Close(io.EOF) })
	return c
}

const whole = "Open the panel. Close it.打开面板。"

func (c *cloud) emit(ev *wire.ASR) {
	s := ev.Type
	if ev.Type == wire.ASRPartial {
		s = ev.Committed + "|" + ev.Draft
	}
	c.events = append(c.events, s)
}

// run recognises so much of the ramp that is all there.
func (c *cloud) run(samples int64) (string, error) {
	c.tape.Write(fakecloud.Ramp(0, samples))
	c.tape.Close(io.EOF)
	return c.recognize()
}

func (c *cloud) recognize() (string, error) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), patience)
	defer cancel()
	text, err := c.engine.Recognize(ctx, c.take, c.emit)
	if said := text + strings.Join(c.events, " ") + fmt.Sprint(err); strings.Contains(said, fakecloud.Sentinel) || strings.Contains(said, c.srv.Token()) {
		c.t.Errorf("%s", said)
	}
	return text, err
}

// journal waits until all sessions have ended.
func (c *cloud) journal() []fakecloud.Session {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), patience)
	defer cancel()
	if err := c.srv.Wait(ctx, func(all []fakecloud.Session) bool {
		for _, s := range all {
			if s.Closed == nil {
				return false
			}
		}
		return true
	}); err != nil {
		c.t.Fatalf("a session does not end: %v", err)
	}
	return c.srv.Sessions(fakecloud.Realtime)
}

// heardAll checks that a session got all samples once.
func heardAll(t *testing.T, s fakecloud.Session, samples int64) {
	t.Helper()
	if len(s.Audio) != 1 || !s.Audio[0].Exact(samples) || !s.Audio[0].Complete {
		t.Errorf("heard %+v", s.Audio)
	}
}

func TestTake(t *testing.T) {
	const samples = 3*16000 + 777
	c := start(t, fakecloud.Scenario{Audio: fakecloud.Sound{Total: samples}, Most: map[string]int{fakecloud.Realtime: 1}}, nil)
	text, err := c.run(samples)
	if text != whole || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	all := c.journal()
	c.srv.Check(t)
	heardAll(t, all[0], samples)
	if got := all[0].Context; len(got) != 1 || got[0] != "语音\nRareModel" {
		t.Errorf("context %q", got)
	}
	for size := range all[0].Audio[0].Sizes {
		if size != packet && size != samples*2%packet {
			t.Errorf("a packet of %d bytes", size)
		}
	}
	got := strings.Join(c.events, "; ")
	for _, want := range []string{"context_sent; ready; ", "|Open the; ", "Open the panel.|; ", "Open the panel. Close it.|打开面板"[:27], whole + "|"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %s", want, got)
		}
	}
}

// J3: the connection is made while the terms are waited for, and the session
// begins without them in time.
func TestRule_J3_TermsAreAwaited(t *testing.T) {
	for name, late := range map[string]bool{"in time": false, "too late": true} {
		t.Run(name, func(t *testing.T) {
			c := start(t, fakecloud.Scenario{}, func(o *Options) { o.Connect = 300 * time.Millisecond })
			c.take.Hints = func(ctx context.Context) engine.Hints {
				// Nobody comes before the connection is there.
				if err := c.srv.Wait(c.t.Context(), func(all []fakecloud.Session) bool { return len(all) == 1 }); err != nil {
					t.Error(err)
				}
				if late {
					<-ctx.Done()
					return engine.Hints{}
				}
				return hintsOfTest
			}
			if text, err := c.run(3 * 16000); text != whole || err != nil {
				t.Errorf("%q, %v", text, err)
			}
			if got := c.journal()[0].Context[0]; (got == "") != late {
				t.Errorf("context %q", got)
			}
			c.srv.Check(t)
		})
	}
}

// What is odd but right changes nothing.
func TestOddButRight(t *testing.T) {
	for _, name := range []string{
		fakecloud.RepeatFinal, fakecloud.CompletedFirst, fakecloud.MissedSpeech, fakecloud.UnknownEvent, fakecloud.DupTaskStarted,
		fakecloud.Binary, fakecloud.Fragments, fakecloud.Interleave, fakecloud.PingStorm, fakecloud.Compression, fakecloud.OnlyFinals, fakecloud.SlowAnswer,
		fakecloud.DelayFinished,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := start(t, fakecloud.Scenario{Faults: []fakecloud.Fault{{Name: name, For: 200}}, Most: map[string]int{fakecloud.Realtime: 1}}, nil)
			if text, err := c.run(3 * 16000); text != whole || err != nil {
				t.Errorf("%q, %v", text, err)
			}
			c.journal()
			c.srv.Check(t)
		})
	}
	t.Run("revised", func(t *testing.T) {
		c := start(t, fakecloud.Scenario{Faults: []fakecloud.Fault{{Name: fakecloud.ReviseFinal, Text: "Open the door."}}}, nil)
		if text, err := c.run(3 * 16000); text != "Open the door. Close it.打开面板。" || err != nil {
			t.Errorf("%q, %v", text, err)
		}
	})
	t.Run("invalid UTF-8", func(t *testing.T) {
		c := start(t, fakecloud.Scenario{Faults: []fakecloud.Fault{{Name: fakecloud.InvalidUTF8, Samples: 40000}}}, nil)
		text, err := c.run(3 * 16000)
		if !strings.HasPrefix(text, "Open the panel. Close it.") || err != nil {
			t.Errorf("%q, %v", text, err)
		}
	})
	t.Run("nothing heard", func(t *testing.T) {
		c := start(t, fakecloud.Scenario{Faults: []fakecloud.Fault{{Name: fakecloud.EmptyResult}}}, nil)
		if text, err := c.run(3 * 16000); text != "" || err != nil {
			t.Errorf("%q, %v", text, err)
		}
	})
	t.Run("nothing said", func(t *testing.T) {
		c := start(t, fakecloud.Scenario{}, nil)
		if text, err := c.run(0); err != nil {
			t.Errorf("%q, %v", text, err)
		}
	})
}

// A4: the last sentence comes well after the end of the samples.
func TestA4LateSentence(t *testing.T) {
	results := append(fakecloud.Sentences(16000, "Open the panel.", "Close it."), fakecloud.Result{Late: true, Text: "打开面板。", Final: true})
	c := start(t, fakecloud.Scenario{Results: results}, nil)
	if text, err := c.run(3 * 16000); text != whole || err != nil {
		t.Errorf("%q, %v", text, err)
	}
}

package qwenaudio

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"voice-input/pkg/asr/engine"
	"voice-input/pkg/asr/enginetest"
	"voice-input/pkg/asr/socket"
	"voice-input/pkg/wire"
	"voice-input/tests/fakecloud"
)

// patience bounds each wait of the tests; nothing needs it but a failure.
const patience = 30 * time.Second

// quick are the times of connections whose other side is gone.
var quick = socket.Times{Write: 300 * time.Millisecond, Ping: 30 * time.Millisecond, Silence: 300 * time.Millisecond}

// cloud is a recognition by the fake service, over a real connection.
type cloud struct {
	t      *testing.T
	srv    *fakecloud.Server
	engine *Engine
	pcm    []byte
	events []string
}

// sentences are what the fake service hears, one each second.
var sentences = fakecloud.Sentences(engine.Rate, "Open the panel.", "Close it.", "打开面板。")

const allSentences = "Open the panel. Close it.打开面板。"

// open starts a service that hears three sentences in 3 s of speech.
func open(t *testing.T, scenario fakecloud.Scenario, change func(*Options)) *cloud {
	t.Helper()
	c := &cloud{t: t, pcm: speech(3 * time.Second)}
	if scenario.Results == nil {
		scenario.Results = sentences
	}
	if scenario.Audio.Exact == nil {
		scenario.Audio.Exact = c.pcm
	}
	c.pcm = scenario.Audio.Exact
	var err error
	if c.srv, err = fakecloud.Start(scenario); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.srv.Close() })
	o := Options{
		Name: "qwen-audio3", URL: c.srv.URL(fakecloud.TaskPath), NativeURL: c.srv.URL(fakecloud.NativePath), Key: keyOf(t, c.srv.Token()),
		Connect: 10 * time.Second, Finalize: 10 * time.Second, Request: 10 * time.Second, Heartbeat: true, Vocabulary: true,
	}
	if change != nil {
		change(&o)
	}
	if c.engine, err = New(o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.engine.Close)
	c.engine.limits.drain = 200 * time.Millisecond
	return c
}

// emit notes an event, and fails if there is foreign text in it.
func (c *cloud) emit(ev *wire.ASR) {
	s := ev.Type
	if ev.Type == wire.ASRPartial {
		s += " " + ev.Committed + "|" + ev.Draft
	}
	c.events = append(c.events, s+ev.Text)
}

// run recognises the sound. Of a positive split so much is recorded, and the
// rest when there is a second connection.
func (c *cloud) run(split int, hints engine.Hints) (string, error) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), patience)
	defer cancel()
	tape, take := enginetest.Live()
	take.Hints = enginetest.Hints(hints)
	feeding := make(chan struct{})
	go func() {
		defer close(feeding)
		tape.Write(c.pcm[:split])
		if split > 0 {
			if err := c.srv.Wait(ctx, func([]fakecloud.Session) bool { return len(c.tasks()) > 1 }); err != nil {
				c.t.Error(err)
			}
		}
		tape.Write(c.pcm[split:])
		tape.Close(io.EOF)
	}()
	text, err := c.engine.Recognize(ctx, take, c.emit)
	tape.Close(io.EOF)
	<-feeding
	if said := fmt.Sprint(text, err, failureOf(err), c.events); strings.Contains(said, fakecloud.Sentinel) || strings.Contains(said, c.srv.Token()) {
		c.t.Errorf("foreign text in %s", said)
	}
	return text, err
}

// tasks returns the connections of the stream.
func (c *cloud) tasks() []fakecloud.Session { return c.srv.Sessions(fakecloud.Task) }

// A complete take: what is sent is what the documentation says, each sample
// once, in packets of 100 ms, and the text is whole.
func TestCloud(t *testing.T) {
	c := open(t, fakecloud.Scenario{Audio: fakecloud.Sound{Exact: speech(3*time.Second + 70*time.Millisecond), Total: 49120}}, func(o *Options) { o.LanguageHints = []string{"zh", "en"} })
	text, err := c.run(0, hintsOfTest)
	if err != nil || text != allSentences {
		t.Errorf("%q, %v", text, err)
	}
	c.srv.Check(t)
	task := c.tasks()[0]
	a := task.Audio[0]
	if !a.Exact(49120) || !a.Complete || a.Sizes[packet] != 30 || a.Sizes[2240] != 1 || len(a.Sizes) != 2 {
		t.Errorf("%+v", a.Sizes)
	}
	if len(task.Context) != 1 || task.Context[0] != hintsOfTest.Context {
		t.Errorf("context %q", task.Context)
	}
	events := strings.Join(c.events, "; ")
	for _, want := range []string{"context_sent; ready; partial |Open", "partial Open the panel.|; segmentOpen the panel.", "partial Open the panel. Close it.|打"} {
		if !strings.Contains(events, want) {
			t.Errorf("no %q in %s", want, events)
		}
	}
}

// Each preset, with everything, is taken by a service that is strict.
func TestCloudTakesEveryOrder(t *testing.T) {
	threshold := 0.5
	for _, change := range []func(*Options){
		func(o *Options) {},
		func(o *Options) { o.Preset = LowLatency },
		func(o *Options) { o.Preset, o.LanguageHints = LongForm, []string{"en", "zh", "ja", "ko", "fr"} },
		func(o *Options) {
			o.Preset, o.Custom = Custom, Segmentation{MaxSentenceSilenceMS: 6000, MultiThreshold: true, NoiseThreshold: &threshold}
		},
		func(o *Options) { o.Heartbeat, o.Vocabulary = false, false },
		func(o *Options) { o.Model = "fun-asr-realtime" },
		func(o *Options) { o.Model = "paraformer-realtime-v2" },
		func(o *Options) { o.Model = "qwen-audio-3.1-asr-flash-message" },
	} {
		c := open(t, fakecloud.Scenario{Task: fakecloud.TaskOptions{Refuse: true}}, change)
		if text, err := c.run(0, hintsOfTest); text != allSentences || err != nil {
			t.Errorf("%+v: %q, %v", c.engine.o, text, err)
		}
		c.srv.Check(t)
	}
}

// Everything that can go wrong on a connection that stands: the text is whole,
// or what there is of it is kept with the failure, and nothing is said twice.
func TestCloudFaults(t *testing.T) {
	type f = fakecloud.Fault
	const word = engine.BytesPerSecond
	for _, tt := range []struct {
		name  string
		fault f
		split int    // see run
		want  string // "!" and the code of the failure, its text behind a blank
		tasks int
	}{
		{"unknown event", f{Name: fakecloud.UnknownEvent, Samples: 8000}, 0, allSentences, 1},
		{"binary noise", f{Name: fakecloud.Binary, Samples: 8000}, 0, allSentences, 1},
		{"ping storm", f{Name: fakecloud.PingStorm}, 0, allSentences, 1},
		{"fragments", f{Name: fakecloud.Fragments, Bytes: 3}, 0, allSentences, 1},
		{"pings between fragments", f{Name: fakecloud.Interleave, Bytes: 5}, 0, allSentences, 1},
		{"compression", f{Name: fakecloud.Compression}, 0, allSentences, 1},
		{"3,000 words", f{Name: fakecloud.ManyWords}, 0, allSentences, 1},
		{"bad times", f{Name: fakecloud.BadTimestamps}, 0, "*", 1},
		{"invalid UTF-8", f{Name: fakecloud.InvalidUTF8}, 0, allSentences, 1},
		{"no heartbeat", f{Name: fakecloud.NoHeartbeat}, 0, allSentences, 1},
		{"heartbeat flood", f{Name: fakecloud.HeartbeatFlood}, 0, allSentences, 1},
		{"late task-started", f{Name: fakecloud.SlowAnswer, For: 300}, 0, allSentences, 1},
		{"A4 late task-finished", f{Name: fakecloud.DelayFinished, For: 500}, 0, allSentences, 1},

		{"repeated final", f{Name: fakecloud.RepeatFinal, Count: 3}, 0, allSentences, 1},
		{"revised final", f{Name: fakecloud.ReviseFinal, Text: "Open that panel."}, 0, "Open that panel. Close it.打开面板。", 1},
		{"late partial", f{Name: fakecloud.LatePartial}, 0, allSentences, 1},
		{"out of order", f{Name: fakecloud.SwapFinals}, 0, allSentences, 1},
		{"final 0", f{Name: fakecloud.ZeroFinal}, 0, allSentences, 1},
		{"final without number", f{Name: fakecloud.MissingID}, 0, allSentences, 1},
		{"final by its end", f{Name: fakecloud.MissingEnd}, 0, allSentences, 1},
		{"finals only", f{Name: fakecloud.OnlyFinals}, 0, allSentences, 1},
		{"partial behind the end", f{Name: fakecloud.FinishedText, Text: "and more"}, 0, "*" + "and more", 1},
		{"nothing recognised", f{Name: fakecloud.EmptyResult}, 0, "!no_words ", 1},
		{"punctuation only", f{Name: fakecloud.PunctuationOnly}, 0, ".", 1},

		{"malformed", f{Name: fakecloud.MalformedJSON, Samples: 16000, Event: 3}, 0, "!malformed Open the panel.", 1},
		{"cut", f{Name: fakecloud.TruncatedJSON, Event: 3}, 0, "!malformed Open the panel.", 1},
		{"text a number", f{Name: fakecloud.TextNotString, Event: 3}, 0, "!no_text Open the panel.", 1},
		{"text twice", f{Name: fakecloud.DupKeys, Event: 3}, 0, "!twice Open the panel.", 1},
		{"above 1 MiB", f{Name: fakecloud.Oversized, Event: 3}, 0, "!message_too_long Open the panel.", 1},
		{"1 MiB", f{Name: fakecloud.Oversized, Bytes: 1 << 20}, 0, allSentences, 1},
		{"deep", f{Name: fakecloud.DeepNesting, Event: 3}, 0, "!malformed Open the panel.", 1},
		{"null sentence", f{Name: fakecloud.NullSentence, Event: 3}, 0, "!no_text Open the panel.", 1},
		{"wrong task", f{Name: fakecloud.WrongTaskID, Event: 3}, 0, "!wrong_task Open the panel.", 1},
		{"started twice", f{Name: fakecloud.DupTaskStarted, Event: 3}, 0, "!order Open the panel.", 1},
		{"early result", f{Name: fakecloud.EarlyResult}, 0, "!order ", 1},
		{"extension", f{Name: fakecloud.Extension}, 0, "*", 1},

		{"task failed", f{Name: fakecloud.TaskFailed, Event: 3, Code: "Throttling.RateQuota"}, 0, "!Throttling.RateQuota Open the panel.", 1},
		{"task failed at once", f{Name: fakecloud.TaskFailed, Code: "InvalidApiKey"}, 0, "!InvalidApiKey ", 1},
		{"code of blanks", f{Name: fakecloud.TaskFailed, Event: 3, Code: fakecloud.Sentinel + " x"}, 0, "!service Open the panel.", 1},
		{"no valid audio", f{Name: fakecloud.TaskFailed, When: fakecloud.Finished, Code: "NO_VALID_AUDIO_ERROR"}, 0, "*", 1},

		{"A6 close 1000", f{Name: fakecloud.CloseBefore, Connection: 1, Event: 3, Status: 1000}, word, allSentences, 2},
		{"A6 close 1001", f{Name: fakecloud.CloseBefore, Connection: 1, Event: 3, Status: 1001}, word, allSentences, 2},
		{"A6 close 1011", f{Name: fakecloud.CloseBefore, Connection: 1, Event: 3, Status: 1011}, word, allSentences, 2},
		{"A6 close 1013", f{Name: fakecloud.CloseBefore, Connection: 1, Event: 3, Status: 1013}, word, allSentences, 2},
		{"A6 FIN", f{Name: fakecloud.CloseBefore, Connection: 1, Event: 3, How: "fin"}, word, allSentences, 2},
		{"A6 RST", f{Name: fakecloud.CloseBefore, Connection: 1, Event: 3, How: "rst"}, word, allSentences, 2},
		{"A6 closes twice", f{Name: fakecloud.CloseBefore, Event: 3, Status: 1011}, word, "!close_1011 Open the panel.", 2},
		{"idle", f{Name: fakecloud.TaskFailed, Connection: 1, Event: 3, Code: "CLIENT_ERROR", Message: "request timeout after 23 seconds."}, word, allSentences, 2},
		{"close before start", f{Name: fakecloud.Close, When: fakecloud.Asked, Status: 1011}, 0, "!close_1011 ", 1},
		{"close behind the end", f{Name: fakecloud.CloseAfter, Status: 1011}, 0, "!close_1011 *", 1},
		{"close behind late words", f{Name: fakecloud.CloseAfter, Event: 8, How: "rst"}, 0, "*", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := open(t, fakecloud.Scenario{Faults: []fakecloud.Fault{tt.fault}, Most: map[string]int{fakecloud.Task: tt.tasks}}, nil)
			text, err := c.run(tt.split, hintsOfTest)
			f := failureOf(err)
			got := text
			if err != nil {
				got = "!" + f.Code + " " + f.Text
			}
			if ok, exact := strings.CutPrefix(tt.want, "*"); exact && !strings.HasSuffix(got, ok) || !exact && got != tt.want && !wild(tt.want, got) {
				t.Errorf("%q, want %q (%v)", got, tt.want, err)
			}
			if err != nil && text != "" {
				t.Errorf("a failure with the text %q", text)
			}
			c.srv.Check(t)
			tasks := c.tasks()
			if len(tasks) != tt.tasks {
				t.Fatalf("%d connections", len(tasks))
			}
			if err == nil && !tasks[tt.tasks-1].Audio[0].Exact(int64(len(c.pcm)/2)) {
				t.Errorf("heard %+v", tasks[tt.tasks-1].Audio[0])
			}
			for _, task := range tasks {
				if len(task.Context) > 0 && task.Context[0] != hintsOfTest.Context {
					t.Errorf("context %q", task.Context)
				}
			}
		})
	}
}

// wild tells whether a text is what is wanted up to its star.
func wild(want, got string) bool {
	start, star := strings.CutSuffix(want, "*")
	return star && strings.HasPrefix(got, start)
}

package chain

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"voice-input/pkg/asr/engine"
	"voice-input/pkg/asr/enginetest"
	"voice-input/pkg/cli"
	"voice-input/pkg/wire"
)

// scripted is an engine that reads so many bytes of the samples, all of them
// if that is 0, tells its events and answers.
type scripted struct {
	name   string
	bytes  int64
	events []*wire.ASR
	text   string
	err    error

	heard  []byte
	hints  engine.Hints
	closed atomic.Int32
}

func (e *scripted) Name() string { return e.name }
func (e *scripted) Close()       { e.closed.Add(1) }

func (e *scripted) Recognize(ctx context.Context, take engine.Take, emit func(*wire.ASR)) (string, error) {
	emit(&wire.ASR{Type: wire.ASRReady})
	e.hints = take.Hints(ctx)
	limit := e.bytes
	if limit == 0 {
		limit = 1 << 40
	}
	var err error
	if e.heard, err = io.ReadAll(io.LimitReader(take.Samples, limit)); err != nil {
		return "", err
	}
	for _, ev := range e.events {
		emit(ev)
	}
	return e.text, e.err
}

func (e *scripted) link() Link {
	return Link{e.name, func(context.Context) (engine.Engine, error) { return e, nil }}
}

func failing(kind, text string) error {
	return &engine.Failure{Kind: kind, Code: kind + "_code", Err: errors.New("it failed with " + kind), Hint: "hint of " + kind, Text: text}
}

func partial(committed, draft string) *wire.ASR {
	return &wire.ASR{Type: wire.ASRPartial, Committed: committed, Draft: draft}
}

// show writes events in a line.
func show(events []*wire.ASR) string {
	var out []string
	for _, ev := range events {
		text := ev.Type
		if ev.Committed+ev.Draft+ev.Text != "" {
			text += "(" + ev.Committed + "|" + ev.Draft + ev.Text + ")"
		}
		out = append(out, text)
	}
	return strings.Join(out, " ")
}

func tried(c *Chain) string {
	var out []string
	for _, a := range c.Tried() {
		out = append(out, strings.TrimSpace(a.Engine+" "+a.Kind+" "+a.Code))
	}
	return strings.Join(out, ", ")
}

// said is what a test sees of a take.
func said(text string, err error) string {
	var f *engine.Failure
	switch {
	case errors.As(err, &f):
		return fmt.Sprintf("%s %s %q", f.Kind, f.Code, text)
	case err != nil:
		return err.Error()
	}
	return fmt.Sprintf("%q", text)
}

func TestChain(t *testing.T) {
	pcm := bytes.Repeat([]byte{1, 2, 3, 4}, 8000)
	internal := errors.New("a fault of ours")
	type e = scripted
	for _, tt := range []struct {
		name    string
		engines []*e
		want    string // text, or kind, code and text
		by      string // whose it is
		tried   string
		asked   int // how many engines were
		events  string
	}{
		{"the first one has it", []*e{{text: "open"}, {text: "other"}}, `"open"`, "a", "", 1, "ready"},
		{"nothing was said", []*e{{}, {text: "other"}}, `""`, "a", "", 1, "ready"},
		{"blank is nothing", []*e{{text: " \n"}, {text: "other"}}, `""`, "a", "", 1, "ready"},
		{"every kind of failure", []*e{
			{err: failing(engine.Unavailable, "")}, {err: failing(engine.Timeout, "")}, {err: failing(engine.Protocol, "")}, {err: failing(engine.Crashed, "")},
			{err: failing(engine.Language, "")}, {err: failing(engine.Audio, "")}, {err: failing(engine.Busy, "")}, {err: failing(engine.Auth, "")},
			{err: failing("its_own", "")}, {err: internal}, {text: "open"},
		}, `"open"`, "k", "a unavailable unavailable_code, b timeout timeout_code, c protocol protocol_code, d crashed crashed_code, " +
			"e language language_code, f audio audio_code, g busy busy_code, h auth auth_code, i its_own its_own_code, j internal internal",
			11, strings.TrimSpace(strings.Repeat("ready ", 11))},
		{"a whole text is better than a part", []*e{{err: failing(engine.Timeout, "open the very long")}, {text: "open"}}, `"open"`, "b", "a timeout timeout_code", 2, "ready ready"},
		{"the part is kept", []*e{{err: failing(engine.Timeout, "open the")}, {err: failing(engine.Crashed, "")}}, `timeout timeout_code "open the"`, "a", "b crashed crashed_code", 2, "ready ready"},
		{"the longer part is kept", []*e{{err: failing(engine.Timeout, "open")}, {err: failing(engine.Crashed, "open the")}}, `crashed crashed_code "open the"`, "b", "a timeout timeout_code", 2, "ready ready"},
		{"longer in characters", []*e{{err: failing(engine.Timeout, "打开面板")}, {err: failing(engine.Crashed, "öffne")}}, `crashed crashed_code "öffne"`, "b", "a timeout timeout_code", 2, "ready ready"},
		{"nothing does not undo a part", []*e{{err: failing(engine.Timeout, "open the")}, {}, {text: "other"}}, `timeout timeout_code "open the"`, "a", "b empty", 2, "ready ready"},
		{"nothing after a failure", []*e{{err: failing(engine.Timeout, "")}, {}, {text: "other"}}, `""`, "b", "a timeout timeout_code", 2, "ready ready"},
		{"all failed", []*e{{err: failing(engine.Auth, "")}, {err: failing(engine.Unavailable, " ")}}, `unavailable unavailable_code ""`, "b", "a auth auth_code", 2, "ready ready"},
		{"text beside a failure", []*e{{text: "open the", err: failing(engine.Timeout, "open")}, {err: internal}}, `timeout timeout_code "open the"`, "a", "b internal internal", 2, "ready ready"},
		{"settled text is kept", []*e{{events: []*wire.ASR{partial("open the", "fi")}, err: failing(engine.Timeout, "")}, {err: internal}}, `timeout timeout_code "open the"`, "a", "b internal internal", 2, "ready partial(open the|fi) ready"},
		{"taken back, not kept", []*e{{events: []*wire.ASR{partial("open", ""), {Type: wire.ASRReset}}, err: failing(engine.Timeout, "")}, {err: internal}}, `internal internal ""`, "b", "a timeout timeout_code", 2, "ready partial(open|) reset ready"},
		{"nothing after settled text is a failure", []*e{{events: []*wire.ASR{{Type: wire.ASRSegment, Text: "Open."}}}, {text: "Open it."}}, `"Open it."`, "b", "a protocol final_empty", 2, "ready segment(|Open.) ready"},
		{"settled text of one is not another's", []*e{{events: []*wire.ASR{partial("open", "")}, err: failing(engine.Timeout, "")}, {err: failing(engine.Crashed, "")}}, `timeout timeout_code "open"`, "a", "b crashed crashed_code", 2, "ready partial(open|) ready"},
		{"reset before the next one's text", []*e{{events: []*wire.ASR{partial("", "op")}, err: internal}, {events: []*wire.ASR{{Type: wire.ASRContextSent}, partial("", ""), partial("", "open"), partial("open", "")}, text: "open"}}, `"open"`, "b", "a internal internal", 2,
			"ready partial(|op) ready context_sent partial reset partial(|open) partial(open|)"},
		{"reset over an engine without events", []*e{{events: []*wire.ASR{partial("", "op")}, err: internal}, {err: internal}, {events: []*wire.ASR{{Type: wire.ASRSegment, Text: "Open."}}, text: "Open."}}, `"Open."`, "c", "a internal internal, b internal internal", 3,
			"ready partial(|op) ready ready reset segment(|Open.)"},
		{"no reset over nothing", []*e{{events: []*wire.ASR{partial("", "op"), {Type: wire.ASRReset}}, err: internal}, {events: []*wire.ASR{partial("", "open")}, text: "open"}}, `"open"`, "b", "a internal internal", 2,
			"ready partial(|op) reset ready partial(|open)"},
		{"one reset is enough", []*e{{events: []*wire.ASR{partial("", "op")}, err: internal}, {events: []*wire.ASR{{Type: wire.ASRReset}, partial("", "open")}, text: "open"}}, `"open"`, "b", "a internal internal", 2,
			"ready partial(|op) ready reset partial(|open)"},
		{"a failure that calls itself empty, or nothing", []*e{{err: failing(engine.Empty, "")}, {err: &engine.Failure{Err: internal}}, {text: "open"}}, `"open"`, "c", "a empty empty_code, b", 3, "ready ready ready"},
		{"an engine that stops reading", []*e{{bytes: 100, err: internal}, {bytes: 1, err: internal}, {text: "open"}}, `"open"`, "c", "a internal internal, b internal internal", 3, "ready ready ready"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var links []Link
			for i, e := range tt.engines {
				e.name = string(rune('a' + i))
				links = append(links, e.link())
			}
			c := New(t.Context(), links)
			var events []*wire.ASR
			take := enginetest.Whole(pcm)
			hints := engine.Hints{Words: []string{"kubectl"}, Context: "kubectl"}
			take.Hints = enginetest.Hints(hints)
			text, err := c.Recognize(t.Context(), take, func(ev *wire.ASR) { events = append(events, ev) })
			if got := said(text, err); got != tt.want || c.Name() != tt.by || tried(c) != tt.tried {
				t.Errorf("%s by %s, tried %q", got, c.Name(), tried(c))
			}
			if got := show(events); got != tt.events {
				t.Errorf("events %s", got)
			}
			for i, e := range tt.engines {
				switch asked := e.heard != nil; {
				case asked != (i < tt.asked):
					t.Errorf("%s was asked: %t", e.name, asked)
				case asked && e.bytes == 0 && !bytes.Equal(e.heard, pcm):
					t.Errorf("%s heard %d of %d bytes", e.name, len(e.heard), len(pcm))
				case asked && e.hints.Context != hints.Context:
					t.Errorf("%s got the hints %+v", e.name, e.hints)
				}
			}
			c.Close()
			for i, e := range tt.engines {
				if got := e.closed.Load(); got != 1 && i < tt.asked || got != 0 && i >= tt.asked {
					t.Errorf("%s was closed %d times", e.name, got)
				}
			}
		})
	}
}

// What all of them said is told, with the status of the last and the hint of
// the first.
func TestAllFailed(t *testing.T) {
	last := &engine.Failure{Kind: engine.Unavailable, Err: cli.Errorf(cli.StatusConfig, "b is away"), Hint: "wait"}
	c := New(t.Context(), []Link{(&scripted{name: "a", err: failing(engine.Auth, "")}).link(), (&scripted{name: "b", err: last}).link()})
	defer c.Close()
	_, err := c.Recognize(t.Context(), enginetest.Whole(nil), func(*wire.ASR) {})
	var f *engine.Failure
	if !errors.As(err, &f) || f.Error() != "it failed with auth; b is away" || f.Hint != "hint of auth" || cli.StatusOf(f.Err) != cli.StatusConfig {
		t.Errorf("%v, %+v", err, f)
	}
}

// The next engine begins at the first sample although the take still goes on,
// and what the one before has not read does not hold it up.
func TestNextEngineHearsATakeThatGoesOn(t *testing.T) {
	tape, take := enginetest.Live()
	tape.Write([]byte("first "))
	b := &scripted{name: "b", text: "open"}
	c := New(t.Context(), []Link{(&scripted{name: "a", bytes: 2, err: failing(engine.Timeout, "")}).link(), b.link()})
	defer c.Close()
	go func() {
		tape.Write([]byte("second"))
		tape.Close(io.EOF)
	}()
	text, err := c.Recognize(t.Context(), take, func(*wire.ASR) {})
	if text != "open" || err != nil || string(b.heard) != "first second" {
		t.Errorf("%q, %v, heard %q", text, err, b.heard)
	}
	if _, err := take.Samples.Read(make([]byte, 1)); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("the first engine's samples are still open: %v", err)
	}
}

// A take that was given up ends, whatever the engine makes of it.
func TestCancelledTakeAsksNobodyElse(t *testing.T) {
	why := errors.New("given up")
	for _, answer := range []error{why, failing(engine.Timeout, "open"), nil} {
		ctx, cancel := context.WithCancelCause(t.Context())
		b := &scripted{name: "b", text: "other"}
		c := New(t.Context(), []Link{(&scripted{name: "a", events: []*wire.ASR{partial("op", "")}, err: answer}).link(), b.link()})
		text, err := c.Recognize(ctx, enginetest.Whole([]byte("xx")), func(ev *wire.ASR) {
			if ev.Type == wire.ASRPartial {
				cancel(why)
			}
		})
		if text != "" || !errors.Is(err, why) || b.heard != nil {
			t.Errorf("%v: %q, %v", answer, text, err)
		}
		c.Close()
	}
}

// What one take leaves behind does not show in the next.
func TestTakesAreApart(t *testing.T) {
	a := &scripted{name: "a", events: []*wire.ASR{partial("open the", "")}, err: failing(engine.Timeout, "")}
	b := &scripted{name: "b", text: "open the file"}
	c := New(t.Context(), []Link{a.link(), b.link()})
	defer c.Close()
	c.Recognize(t.Context(), enginetest.Whole([]byte("xx")), func(*wire.ASR) {})
	a.events, a.err, a.text = []*wire.ASR{partial("", "cl")}, nil, ""
	var events []*wire.ASR
	text, err := c.Recognize(t.Context(), enginetest.Whole([]byte("xx")), func(ev *wire.ASR) { events = append(events, ev) })
	if text != "" || err != nil || c.Name() != "a" || tried(c) != "" || show(events) != "ready partial(|cl)" {
		t.Errorf("%q, %v, %s, %q, %s", text, err, c.Name(), tried(c), show(events))
	}
}

func TestOnlyTheFirstIsOpenedEarly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var opened []string
		link := func(e *scripted) Link {
			return Link{e.name, func(context.Context) (engine.Engine, error) { opened = append(opened, e.name); return e, nil }}
		}
		a, b := &scripted{name: "a", text: "open"}, &scripted{name: "b", text: "open"}
		c := New(t.Context(), []Link{link(a), link(b)})
		synctest.Wait()
		if fmt.Sprint(opened) != "[a]" {
			t.Fatalf("at the start: %v", opened)
		}
		recognize := func() { c.Recognize(t.Context(), enginetest.Whole([]byte("xx")), func(*wire.ASR) {}) }
		recognize()
		a.err = failing(engine.Busy, "")
		recognize()
		recognize()
		if fmt.Sprint(opened) != "[a b]" {
			t.Errorf("%v", opened)
		}
		c.Close()
	})
}

// An engine that cannot be opened is a failure like any other, and is tried
// again with the next take.
func TestEngineThatCannotBeOpened(t *testing.T) {
	a := &scripted{name: "whisper", text: "open"}
	there := false
	missing := error(cli.Errorf(cli.StatusUnavailable, "no such engine").WithHint("install it"))
	c := New(t.Context(), []Link{
		{"local", func(context.Context) (engine.Engine, error) {
			if !there {
				return nil, missing
			}
			return a, nil
		}},
		(&scripted{name: "b", err: failing(engine.Timeout, "")}).link(),
	})
	defer c.Close()
	recognize := func() (string, error) {
		return c.Recognize(t.Context(), enginetest.Whole([]byte("xx")), func(*wire.ASR) {})
	}
	_, err := recognize()
	var f *engine.Failure
	if !errors.As(err, &f) || tried(c) != "local unavailable not_opened" || f.Error() != `cannot open engine "local": no such engine; it failed with timeout` || f.Hint != "install it" {
		t.Errorf("%v, %q, %+v", err, tried(c), f)
	}
	missing = cli.Errorf(cli.StatusNoPerm, "no key")
	if recognize(); tried(c) != "local auth no_key" {
		t.Errorf("%q", tried(c))
	}
	there = true
	if text, err := recognize(); text != "open" || err != nil || c.Name() != "whisper" {
		t.Errorf("%q, %v by %s", text, err, c.Name())
	}
}

// Nobody waits for an engine that is being opened: neither a take that was
// given up nor, longer than that needs to end, the end of the chain.
func TestSlowOpening(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &scripted{name: "a", text: "open"}
		c := New(t.Context(), []Link{{"a", func(ctx context.Context) (engine.Engine, error) {
			<-ctx.Done()
			return a, nil // it had just succeeded
		}}})
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			synctest.Wait()
			cancel()
		}()
		if _, err := c.Recognize(ctx, enginetest.Whole([]byte("xx")), func(*wire.ASR) {}); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
		c.Close()
		if a.closed.Load() != 1 {
			t.Error("the engine was left open")
		}
		c.Close() // once more does no harm
		if _, err := c.Recognize(t.Context(), enginetest.Whole([]byte("xx")), func(*wire.ASR) {}); err == nil {
			t.Error("a closed chain goes on")
		}
	})
}

var _ interface {
	engine.Relay
	engine.Rereader
} = (*Chain)(nil)

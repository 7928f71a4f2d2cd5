package asr

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"voice-input/pkg/asr/audio"
	"voice-input/pkg/asr/engine"
	"voice-input/pkg/cli"
	"voice-input/pkg/wire"
)

// inProcess is an engine without a program: it tells the events, reads all
// samples and returns the text or the error.
type inProcess struct {
	events []*wire.ASR
	text   string
	err    error
}

func (e inProcess) Name() string { return "inprocess" }
func (e inProcess) Close()       {}

func (e inProcess) Recognize(ctx context.Context, take engine.Take, emit func(*wire.ASR)) (string, error) {
	take.Hints(ctx)
	for _, ev := range e.events {
		emit(ev)
	}
	if _, err := io.Copy(io.Discard, take.Samples); err != nil {
		return "", err
	}
	return e.text, e.err
}

// torn returns b and then an error.
func torn(b []byte, err error) io.Reader { return io.MultiReader(bytes.NewReader(b), failing{err}) }

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestRecognizer(t *testing.T) {
	said := spoken(t)
	settled := []*wire.ASR{{Type: wire.ASRPartial, Committed: "open the"}}
	broken := errors.New("input/output error")
	tests := []struct {
		name    string
		engine  inProcess
		samples io.Reader
		status  cli.Status
		want    string // outcome or kind, code, text
	}{
		{"all", inProcess{text: "open"}, bytes.NewReader(said), 0, "usable  open"},
		{"A13 the marks of Chinese", inProcess{text: "帮我看看,为什么?"}, bytes.NewReader(said), 0, "usable  帮我看看，为什么？"},
		{"A13 other marks", inProcess{text: "foo(a, b) 1,000 a.b,c and so on, yes?"}, bytes.NewReader(said), 0, "usable  foo(a, b) 1,000 a.b,c and so on, yes?"},
		{"reading breaks off", inProcess{text: "open"}, torn(said, broken), 0, "degraded unreadable open"},
		{"reading breaks off, no text", inProcess{}, torn(said, broken), 74, "audio unreadable "},
		{"reading breaks off, settled text", inProcess{events: settled}, torn(said, broken), 0, "degraded unreadable open the"},
		{"the samples stop", inProcess{}, torn(said, fmt.Errorf("%w for 30s", errStalled)), 75, "timeout audio_stalled "},
		{"nothing can be read", inProcess{text: "open"}, torn(nil, broken), 74, "audio unreadable "},
		{"half a sample", inProcess{text: "open", events: settled}, bytes.NewReader(said[1:]), 65, "audio odd_length "},
		{"engine is busy", inProcess{err: &engine.Failure{Kind: engine.Busy, Code: "429", Err: broken}}, bytes.NewReader(said), 75, "busy 429 "},
		{"engine breaks off", inProcess{events: settled, err: &engine.Failure{Kind: engine.Auth, Code: "401", Err: broken}}, bytes.NewReader(said), 0, "degraded 401 open the"},
		{"engine breaks off with more than it settled", inProcess{events: settled, err: &engine.Failure{Kind: engine.Timeout, Text: "open the file", Err: broken}}, bytes.NewReader(said), 0, "degraded  open the file"},
		{"engine takes all back and breaks off", inProcess{events: append(settled[:1:1], &wire.ASR{Type: wire.ASRReset}), err: &engine.Failure{Kind: engine.Timeout, Code: "x", Err: broken}}, bytes.NewReader(said), 75, "timeout x "},
		{"fault of ours", inProcess{err: broken}, bytes.NewReader(said), 70, "internal internal "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var events []*wire.ASR
			r := &recognizer{
				engine: tt.engine,
				emit:   func(r wire.Record) error { events = append(events, r.(*wire.ASR)); return nil },
				warn:   func(string, ...any) {},
			}
			err := r.do(t.Context(), testTake(tt.samples))
			if got := cli.StatusOf(err); got != tt.status {
				t.Errorf("status %d (%v), want %d", got, err, tt.status)
			}
			ev := events[len(events)-2]
			if got := fmt.Sprintf("%s%s %s %s", ev.Outcome, kindOfError(ev), ev.Code, ev.Text); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func kindOfError(ev *wire.ASR) string {
	if ev.Type == wire.ASRError {
		return ev.Kind
	}
	return ""
}

func testTake(samples io.Reader) take {
	return take{
		id:   "1",
		know: func(context.Context) knowledge { return knowledge{} },
		open: func(context.Context) (*audio.Reader, io.Closer, error) {
			r, err := audio.Raw(samples, audio.Format{Encoding: audio.S16, Rate: 16000, Channels: 1})
			return r, nil, err
		},
	}
}

// A take ends when nobody takes its events, or when its caller wants no more,
// although its samples go on.
func TestRecognizerEnds(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	full := errors.New("no space left on device")
	rec := &recognizer{
		engine: inProcess{events: []*wire.ASR{{Type: wire.ASRPartial, Draft: "x"}}},
		emit:   func(wire.Record) error { return full },
		warn:   func(string, ...any) {},
	}
	if err := rec.do(t.Context(), testTake(r)); !errors.Is(err, full) {
		t.Errorf("output: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	rec.emit = func(wire.Record) error { cancel(); return nil }
	if err := rec.do(ctx, testTake(r)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancel: %v", err)
	}
}

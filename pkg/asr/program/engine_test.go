package program

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"voice-input/pkg/asr/engine"
	"voice-input/pkg/asr/enginetest"
	"voice-input/pkg/wire"
)

// testEngine is the program in ../testdata/engine. Its behaviour depends on
// the name that it is called by.
var testEngine string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "vi-test-")
	if err != nil {
		panic(err)
	}
	testEngine = filepath.Join(dir, "engine")
	if out, err := exec.Command("go", "build", "-o", testEngine, "../testdata/engine").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%s", out)
		os.Exit(1)
	}
	status := m.Run()
	os.RemoveAll(dir)
	os.Exit(status)
}

// called returns a path of the test engine that ends in the name.
func called(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.Symlink(testEngine, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// short are limits for programs that misbehave.
func short() limits {
	l := defaults
	l.load, l.open, l.answer, l.perAudio = time.Second, 300*time.Millisecond, 400*time.Millisecond, 0.1
	return l
}

// open starts an engine in a runtime directory of its own, and checks at the
// end of the test that nothing is left.
func open(t *testing.T, ctx context.Context, name, model string, l limits) *Engine {
	t.Helper()
	runtime := t.TempDir()
	getenv := func(k string) string {
		if k == "XDG_RUNTIME_DIR" {
			return runtime
		}
		return ""
	}
	e, err := newEngine(ctx, name, called(t, name), model, getenv, l)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		e.Close()
		if e.process != nil {
			if alive := group(e.process.child.PID()); len(alive) > 0 {
				t.Errorf("processes of the program are still there: %v", alive)
			}
		}
		left, _ := os.ReadDir(filepath.Join(runtime, "voice-input"))
		if len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	})
	return e
}

// group returns the processes of a group that are alive: a zombie is not,
// whose new parent may never ask for it.
func group(pgid int) []string {
	var out []string
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		b, _ := os.ReadFile(path)
		_, rest, _ := strings.Cut(string(b), ") ")
		f := strings.Fields(rest)
		if len(f) > 2 && f[0] != "Z" && f[2] == strconv.Itoa(pgid) {
			out = append(out, filepath.Dir(path))
		}
	}
	return out
}

func random(n int) []byte {
	b := make([]byte, n)
	r := rand.NewChaCha8([32]byte{1})
	r.Read(b)
	return b
}

// recognize does a take and returns what was emitted.
func recognize(t *testing.T, ctx context.Context, e *Engine, samples io.Reader, hints ...string) (string, []string, error) {
	t.Helper()
	var events []string
	text, err := e.Recognize(ctx, engine.Take{
		Language: "en", Samples: enginetest.From(samples), Hints: enginetest.Hints(engine.Hints{Words: hints}),
	}, func(ev *wire.ASR) {
		events = append(events, strings.TrimSuffix(ev.Type+":"+ev.Committed+"|"+ev.Draft, ":|"))
	})
	return text, events, err
}

// pieces hands out samples in uneven pieces.
type pieces struct {
	b []byte
	n int
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.b) == 0 {
		return 0, io.EOF
	}
	p.n = p.n%997*7%997 + 1
	n := copy(b, p.b[:min(p.n, len(p.b))])
	p.b = p.b[n:]
	return n, nil
}

func TestEverySampleArrives(t *testing.T) {
	e := open(t, t.Context(), "count", "", defaults)
	pid := ""
	for _, n := range []int{2, 3200, 65536, 65538, 1 << 20, 5<<20 + 2} {
		b := random(n)
		text, events, err := recognize(t, t.Context(), e, &pieces{b: b}, "alpha", "beta gamma")
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(b)
		want := fmt.Sprintf("bytes %d sha %x s16le 16000 1 hints alpha+beta gamma language en", n, sum[:4])
		this, got, _ := strings.Cut(strings.TrimPrefix(text, "pid "), " ")
		if got != want {
			t.Errorf("%d bytes: %q, want %q", n, got, want)
		}
		if pid != "" && this != pid {
			t.Error("the program was started again between two takes")
		}
		pid = this
		if want := []string{"ready", "context_sent"}; !slices.Equal(events, want) {
			t.Errorf("events %q, want %q", events, want)
		}
	}
}

func TestNoSamples(t *testing.T) {
	e := open(t, t.Context(), "count", "", defaults)
	text, events, err := recognize(t, t.Context(), e, bytes.NewReader(nil))
	if text != "" || err != nil || len(events) > 0 {
		t.Errorf("%q, %q, %v", text, events, err)
	}
}

func TestEventsArePassedOn(t *testing.T) {
	e := open(t, t.Context(), "partials", "", defaults)
	_, events, err := recognize(t, t.Context(), e, bytes.NewReader(random(9600)))
	if want := []string{"ready", "partial:|open\n\u202e", "partial:open|the file"}; err != nil || !slices.Equal(events, want) {
		t.Errorf("events %q, %v, want %q", events, err, want)
	}
}

// Every way to break the protocol has its own, bounded failure, and the next
// take is not the worse for it.
func TestMisbehaviour(t *testing.T) {
	tests := []struct {
		mode, kind, code string
		message          string // a part
	}{
		{"no-ready", engine.Timeout, "load", "not ready within 1s"},
		{"refuses", engine.Unavailable, "exit_69", `before it was ready it ended: exit status 69: cannot load model "base"`},
		{"crashes-at-start", engine.Unavailable, "signal_9", "before it was ready it ended: signal: killed"},
		{"error-at-start", engine.Unavailable, "no_model", "it reports: unavailable (no_model)"},
		{"garbage-at-start", engine.Protocol, "not_a_record", "no vi.asr/1 record"},
		{"no-open", engine.Timeout, "fifo_not_opened", "did not open the samples within 300ms"},
		{"deaf", engine.Timeout, "fifo_not_opened", "did not open the samples"},
		{"language", engine.Language, "unsupported", "it reports: language (unsupported)"},
		{"own-kind", engine.Protocol, strings.Repeat("__", 20) + "_", ""},
		{"final-without-samples", engine.Protocol, "early_final", "before the end of the samples"},
		{"early", engine.Protocol, "early_final", "before the end of the samples"},
		{"floods-lines", engine.Protocol, "flood", "floods its output"},
		{"floods-bytes", engine.Protocol, "flood", "floods its output"},
		{"long-line", engine.Protocol, "line_too_long", "a line of more than 1048576 bytes"},
		{"garbage", engine.Protocol, "not_a_record", "no vi.asr/1 record"},
		{"newer", engine.Protocol, "not_a_record", "no vi.asr/1 record"},
		{"wrong-take", engine.Protocol, "wrong_take", "a take that is not running"},
		{"out-of-turn", engine.Protocol, "wrong_take", "a take that is not running"},
		{"dies", engine.Crashed, "exit_3", "it ended: exit status 3"},
		{"killed", engine.Crashed, "signal_9", "it ended: signal: killed"},
		{"dies-after-text", engine.Crashed, "exit_3", "it ended"},
		{"stops-reading", engine.Timeout, "stalled", "stopped reading"},
		{"closes-samples", engine.Protocol, "closed_early", "closed the samples"},
		{"closes-output", engine.Crashed, "closed_output", "closed its output"},
		{"no-final", engine.Timeout, "final", "no final event within"},
	}
	for _, tt := range tests {
		t.Run(tt.mode, func(t *testing.T) {
			t.Parallel()
			l := short()
			if tt.code == "flood" || tt.code == "line_too_long" {
				l = defaults // what ends it is the flood, however slow the machine
			}
			e := open(t, t.Context(), tt.mode, "base", l)
			// Twice: the second time with a program that was started anew.
			for range 2 {
				_, _, err := recognize(t, t.Context(), e, bytes.NewReader(random(200000)), "a hint")
				var f *engine.Failure
				if !errors.As(err, &f) {
					t.Fatalf("got %v (%T), want a *Failure", err, err)
				}
				if f.Kind != tt.kind || !strings.HasPrefix(f.Code, tt.code) || len(f.Code) > 64 || f.Code != engine.Code(f.Code) {
					t.Errorf("got %s %s, want %s %s", f.Kind, f.Code, tt.kind, tt.code)
				}
				if want := fmt.Sprintf("engine %q failed: ", tt.mode); !strings.HasPrefix(f.Error(), want) || !strings.Contains(f.Error(), tt.message) {
					t.Errorf("message %q, want %q with %q", f, want, tt.message)
				}
				if tt.mode == "early" && f.Text != "only the beginning" {
					t.Errorf("the text is lost: %q", f.Text)
				}
			}
		})
	}
}

// What is no breach is accepted.
func TestTolerance(t *testing.T) {
	for _, mode := range []string{"chatty", "dies-after-final", "ignores-term", "slow"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			e := open(t, t.Context(), mode, "", defaults)
			for range 2 {
				text, _, err := recognize(t, t.Context(), e, bytes.NewReader(random(70000)))
				if err != nil || text == "" {
					t.Errorf("%q, %v", text, err)
				}
			}
		})
	}
}

// The user's cancelling ends the program at once, wherever it is.
func TestCancel(t *testing.T) {
	for _, mode := range []string{"no-ready", "no-open", "stops-reading", "no-final", "ignores-term", "count"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			e := open(t, ctx, mode, "", defaults)
			r, w := io.Pipe()
			go w.Write(random(200000))
			go func() {
				time.Sleep(300 * time.Millisecond) // somewhere in the take
				cancel()
				w.CloseWithError(context.Canceled)
			}()
			_, _, err := recognize(t, ctx, e, r)
			if !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
			if _, _, err := recognize(t, context.Background(), e, bytes.NewReader(random(10))); err == nil {
				t.Error("it goes on after its end")
			}
		})
	}
}

// A take that fails while the samples still come does not wait for them.
func TestFailureDoesNotWaitForTheSamples(t *testing.T) {
	e := open(t, t.Context(), "dies", "", defaults)
	r, w := io.Pipe()
	defer w.Close()
	go w.Write(random(10000))
	_, _, err := recognize(t, t.Context(), e, r)
	var f *engine.Failure
	if !errors.As(err, &f) || f.Kind != engine.Crashed {
		t.Errorf("got %v", err)
	}
}

func TestFlooded(t *testing.T) {
	tests := []struct {
		events, bytes int
		since         time.Duration
		want          bool
	}{
		{0, 0, 0, false},
		{1000, 1 << 20, 0, false},
		{1001, 0, 0, true},
		{1001, 0, time.Second, false},
		{10, 5 << 20, 0, true},
		{10, 5 << 20, 2 * time.Second, false},
		{720000, 1000, time.Hour, false}, // 200 a second for an hour
	}
	for _, tt := range tests {
		if got := defaults.flooded(tt.events, tt.bytes, tt.since); got != tt.want {
			t.Errorf("%d events, %d bytes, %s: %v", tt.events, tt.bytes, tt.since, got)
		}
	}
	if got := defaults.final(32000*60, 32000); got != 190*time.Second {
		t.Errorf("limit for a minute is %s, want 10 s + 3 min", got)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"schema":"vi.asr/1","reason":"ok","type":"ready"}`))
	f.Add([]byte(`{"schema":"vi.asr/1","reason":"ok","type":"partial","take":"7","committed":"a","draft":"b"}`))
	f.Add([]byte(`{"schema":"vi.asr/1","reason":"failed","type":"error","take":"7","kind":"x","code":"Y z"}`))
	f.Add([]byte(`{"schema":"vi.asr/1","reason":"ok","type":"final","take":"8"}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		ev, bad := parse(line, "7")
		if bad != nil && (ev != nil || bad.Kind == "" || bad.Code != engine.Code(bad.Code)) {
			t.Fatalf("%+v, %+v", ev, bad)
		}
		if ev == nil {
			return
		}
		if ev.Take != "7" && ev.Type != wire.ASRReady && (ev.Type != wire.ASRError || ev.Take != "") {
			t.Fatalf("an event of another take: %+v", ev)
		}
		if ev.Type == wire.ASRError && (ev.Code != engine.Code(ev.Code) || ev.Kind != engine.KnownKind(ev.Kind)) {
			t.Fatalf("kind %q, code %q", ev.Kind, ev.Code)
		}
	})
}

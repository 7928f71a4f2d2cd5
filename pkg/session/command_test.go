package session

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"voice-input/pkg/cli"
	"voice-input/pkg/wire"
)

// run runs vi-session as its main does.
func (l *lab) run(stdin string, args ...string) (status int, stdout, stderr string) {
	var out, errs bytes.Buffer
	o := &cli.IO{
		Args: append([]string{"vi-session"}, args...), Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &errs,
		Getenv: func(name string) string {
			return map[string]string{"XDG_RUNTIME_DIR": filepath.Dir(l.runtime), "SECRET": "environment-sentinel"}[name]
		},
	}
	status = cli.Main(context.Background(), Command(), o)
	return status, out.String(), errs.String()
}

// newRunLab is a lab whose runtime directory has the name that the program
// looks for.
func newRunLab(t *testing.T) *lab {
	l := newLab(t)
	runtime := filepath.Join(l.dir, "xdg", "voice-input")
	if err := os.MkdirAll(filepath.Dir(runtime), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(l.runtime, runtime); err != nil {
		t.Fatal(err)
	}
	l.runtime = runtime
	return l
}

func line(t *testing.T, r wire.Record) string {
	t.Helper()
	b, err := wire.Encode(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Nothing but source.text carries text of a session, and --explain carries
// no title, path or environment either.
func TestRule_K2_NothingElseCarriesText(t *testing.T) {
	l := newRunLab(t)
	secret := filepath.Join(l.home, "path-sentinel")
	if err := os.Mkdir(secret, 0o700); err != nil {
		t.Fatal(err)
	}
	codex := l.start("codex", "codex", in(secret), withEnv("CODEX_HOME="+filepath.Join(l.home, ".codex")))
	codex.do("open", l.rollout(threadA, header(threadA, "cli", secret, `"base_instructions":{"text":"text-sentinel"}`), lines(
		started("text-sentinel"), asked("text-sentinel"), tool("text-sentinel"), said("text-sentinel", "commentary"), `{"type":"text-sentinel"}`, `{"type":"text_sentinel","payload":`,
		turn("x", "answer-sentinel"), said("text-sentinel", ""), `{"text-sentinel"`)...))
	pi := l.pi()
	l.publish(pi, l.piSession(l.piSessions(), piAsked("u", "", "text-sentinel"), piSaid("a", "u", "stop", "answer-sentinel"), piSaid("b", "a", "error", "text-sentinel")), "b", nil)
	broken := l.pi()
	l.publish(broken, "/text-sentinel/x", "text-sentinel", nil)
	asked := codex.focus()
	asked.Agent.Thread = threadA
	odd := codex.focus()
	odd.Agent.Kind, odd.Agent.Label, odd.Agent.Thread = "text-sentinel", "text-sentinel", "text-sentinel"
	input := line(t, codex.focus()) + line(t, asked) + line(t, pi.focus()) + line(t, broken.focus()) + line(t, odd)

	status, plain, silent := l.run(input, "--pretty=false")
	if status != 1 || silent != "" {
		t.Errorf("status %d, %q", status, silent)
	}
	_, stdout, stderr := l.run(input, "--explain", "--pretty=false")
	if stdout != plain {
		t.Errorf("--explain changed standard output\n%s\n%s", stdout, plain)
	}
	for _, word := range []string{"sentinel", l.home, threadA, piID} {
		if strings.Contains(stderr, word) {
			t.Errorf("%q in %s", word, stderr)
		}
	}
	var reasons []string
	for out := range strings.Lines(stdout) {
		r := &wire.Session{}
		if err := wire.Decode([]byte(out), r); err != nil {
			t.Fatal(err)
		}
		reasons = append(reasons, r.Reason)
		if r.Source != nil && r.Source.Text != "answer-sentinel" {
			t.Error(r.Source.Text)
		}
		r.Source = nil
		b, _ := json.Marshal(r)
		if regexp.MustCompile("text.sentinel|answer.sentinel|environment.sentinel").Match(b) {
			t.Errorf("a sentinel in %s", b)
		}
	}
	if want := []string{"ok", "ok", "ok", "not_started", "unsupported_agent"}; !slices.Equal(reasons, want) {
		t.Errorf("%v, want %v\n%s", reasons, want, stderr)
	}
	for _, want := range []string{"ok: an answer of 15 characters", "bytes", "skipped 2 lines", "records by type: ", "not_started: the session has no file yet"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("no %q in %s", want, stderr)
		}
	}
}

// J2: whatever is wrong ends with a record and status 1, never with a failure.
func TestRule_J2_FailSoft(t *testing.T) {
	l := newRunLab(t)
	self := os.Getpid()
	for input, reason := range map[string]string{
		`{"schema":"vi.focus/1","reason":"no_agent"}`:                                                                       "no_agent",
		`{"schema":"vi.focus/1","reason":"timeout","agent":{"kind":"pi","pid":1,"start_ticks":1}}`:                          "no_agent",
		`{"schema":"vi.focus/1","reason":"ok","agent":{"kind":"pi","pid":1073741824,"start_ticks":1}}`:                      "process_gone",
		`{"schema":"vi.focus/1","reason":"ok","agent":{"kind":"codex","pid":` + jsonInt(self) + `,"start_ticks":1}}`:        "wrong_process",
		`{"schema":"vi.focus/1","reason":"ok","agent":{"kind":"gemini","pid":` + jsonInt(self) + `,"start_ticks":1},"x":1}`: "unsupported_agent",
	} {
		status, stdout, stderr := l.run(input+"\n", "--pretty=false")
		r := &wire.Session{}
		if err := wire.Decode([]byte(strings.TrimSpace(stdout)), r); status != 1 || err != nil || r.Reason != reason || stderr != "" {
			t.Errorf("%s\n got %d, %s, %q, %v; want %s", input, status, stdout, stderr, err, reason)
		}
	}
	status, stdout, stderr := l.run("nonsense\n" + `{"schema":"vi.focus/1","reason":"no_agent"}` + "\n")
	if status != 65 || strings.Count(stdout, "schema") != 1 || !strings.Contains(stderr, "line 1: cannot read vi.focus/1 record") {
		t.Errorf("%d, %s, %s", status, stdout, stderr)
	}
}

func jsonInt(n int) string { b, _ := json.Marshal(n); return string(b) }

// A file system that does not answer does not hold the program up, nor do many
// of its look-ups gather.
func TestTimeoutIsHard(t *testing.T) {
	var out, errs bytes.Buffer
	l := &lookups{io: &cli.IO{Stdout: &out, Stderr: &errs, Getenv: os.Getenv}, limit: 20 * time.Millisecond, slots: make(chan struct{}, maxStuck)}
	release := make(chan struct{})
	defer close(release)
	for range maxStuck + 2 {
		err := l.emit(t.Context(), func(context.Context, *Finder) *wire.Session { <-release; return &wire.Session{} })
		if err != cli.ErrNothing {
			t.Fatal(err)
		}
	}
	if n := strings.Count(out.String(), `"reason":"timeout"`); n != maxStuck+2 || len(l.slots) != maxStuck {
		t.Errorf("%d records, %d look-ups left behind", n, len(l.slots))
	}
}

func TestSignalEndsALookUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	l := &lookups{io: &cli.IO{Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{}, Getenv: os.Getenv}, limit: time.Hour, slots: make(chan struct{}, maxStuck)}
	err := l.emit(ctx, func(ctx context.Context, _ *Finder) *wire.Session { cancel(); <-ctx.Done(); return &wire.Session{} })
	if err != context.Canceled {
		t.Error(err)
	}
}

// A FIFO where a file belongs is refused and not waited for.
func TestFIFOIsNotWaitedFor(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	want(t, (&Finder{}).File(t.Context(), "codex", path, ""), "", "unreadable")
}

// Every reason that the code gives is in the list, and every one of the list is
// given by the code.
func TestReasonsAreTheList(t *testing.T) {
	given := map[string]bool{wire.OK: true}
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	word := regexp.MustCompile(`Nothing\("(\w+)"\)|return "(\w+_\w+|timeout|forbidden|unreadable)"$|Reason: "(\w+)"`)
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for code := range strings.Lines(string(b)) {
			for _, m := range word.FindAllStringSubmatch(strings.TrimSpace(code), -1) {
				given[m[1]+m[2]+m[3]] = true
			}
		}
	}
	list := wire.Reasons(wire.SchemaSession)
	for _, reason := range list {
		if !given[reason] {
			t.Errorf("%s is never given", reason)
		}
	}
	for reason := range given {
		if !slices.Contains(list, reason) {
			t.Errorf("%s is not in the list", reason)
		}
	}
}

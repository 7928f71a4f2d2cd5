package session

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"voice-input/pkg/wire"
)

// duringRead makes a change at the moment after a file was read and before it
// is made sure of.
func duringRead(f *Finder, change func()) *Finder {
	f.Explain = func(format string, _ ...any) {
		if strings.HasPrefix(format, "read:") {
			change()
		}
	}
	return f
}

func TestRule_C1_PiChangesWhileRead(t *testing.T) {
	l := newLab(t)
	a, path := l.pi(), ""
	for _, tt := range []struct {
		name   string
		change func()
		reason string
	}{
		{"nothing", func() {}, wire.OK},
		{"more is said", func() { appendLine(t, path, piSaid("a2", "a1", "stop", "answer B")) }, wire.OK},
		{"another file has its name", func() { os.Remove(path); l.piSession(l.piSessions(), piSaid("a1", "", "stop", "answer A")) }, "changed_while_reading"},
		{"it is written anew", func() { write(t, path, []byte(piHead(piID)+"\n")) }, "changed_while_reading"},
		{"it is removed", func() { os.Remove(path) }, "changed_while_reading"},
		{"another session is published", func() { l.publish(a, path, "a1", map[string]any{"session_id": threadB}) }, "changed_while_reading"},
		{"the registry is taken away", func() { os.Remove(l.registry(a.pid)) }, "changed_while_reading"},
		{"the process ends", a.stop, "changed_while_reading"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			os.Remove(path)
			path = l.piSession(l.piSessions(), piSaid("a1", "", "stop", "answer A"))
			l.publish(a, path, "a1", nil)
			want(t, duringRead(l.finder(), tt.change).Find(t.Context(), a.focus()), map[bool]string{true: "answer A"}[tt.reason == wire.OK], tt.reason)
		})
	}
}

func TestRule_C1_CodexChangesWhileRead(t *testing.T) {
	l := newLab(t)
	write := func() string {
		return l.rollout(threadA, header(threadA, "cli", l.project), turn("a", "answer A")...)
	}
	for _, tt := range []struct {
		name   string
		change func(a *agent, path string)
		reason string
	}{
		{"nothing", func(*agent, string) {}, wire.OK},
		{"more is said", func(_ *agent, path string) { appendLine(t, path, said("answer B", "final_answer")) }, wire.OK},
		{"another file has its name", func(_ *agent, path string) { os.Remove(path); write() }, "changed_while_reading"},
		{"it becomes shorter", func(_ *agent, path string) { os.Truncate(path, 10) }, "changed_while_reading"},
		{"the process ends", func(a *agent, _ string) { a.stop() }, "changed_while_reading"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := write()
			a := l.start("codex", "codex")
			a.do("open", path)
			f := duringRead(l.finder(), func() { tt.change(a, path) })
			want(t, f.Find(t.Context(), a.focus()), map[bool]string{true: "answer A"}[tt.reason == wire.OK], tt.reason)
		})
	}
}

// A descriptor of a file that was replaced leads to no file that counts.
func TestRule_C1_DescriptorAndPathAreOneFile(t *testing.T) {
	l := newLab(t)
	path := l.rollout(threadA, header(threadA, "cli", l.project), turn("a", "answer A")...)
	a := l.start("codex", "codex")
	a.do("open", path)
	if err := os.Rename(path, path+".old"); err != nil {
		t.Fatal(err)
	}
	l.rollout(threadA, header(threadA, "cli", l.project), turn("b", "answer B")...)
	want(t, l.find(a.focus()), "", "no_session")
}

func appendLine(t *testing.T, path, line string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(line + "\n"); err != nil {
		t.Fatal(err)
	}
}

// A writer writes in pieces of any size while a reader reads. What the reader
// returns was the newest completed answer at some moment, and never older than
// what it has returned before.
func TestAnyInterleavingOfWrites(t *testing.T) {
	for _, agent := range []string{"codex", "pi"} {
		for seed := range uint64(6) {
			t.Run(agent, func(t *testing.T) { interleave(t, agent, rand.New(rand.NewPCG(seed, 7))) })
		}
	}
}

func interleave(t *testing.T, agent string, r *rand.Rand) {
	whole, answers := conversation(agent, r)
	path := filepath.Join(t.TempDir(), "rollout-s.jsonl")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	seen := -1
	check := func() {
		got := (&Finder{}).File(t.Context(), agent, path, "")
		if got.Reason != wire.OK {
			if seen >= 0 || got.Reason != "not_started" && got.Reason != "changed_while_reading" && got.Reason != "no_completed_answer" {
				t.Fatalf("%s after the answer %d", got.Reason, seen)
			}
			return
		}
		for i, a := range answers {
			if a == got.Source.Text {
				if i < seen {
					t.Fatalf("answer %d after %d", i, seen)
				}
				seen = i
				return
			}
		}
		t.Fatalf("%q was never an answer", got.Source.Text)
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for rest := whole; len(rest) > 0; {
			n := min(len(rest), 1+r.IntN(600))
			f.Write(rest[:n])
			rest = rest[n:]
			select {
			case <-stop:
				return
			default:
			}
		}
	}()
	defer func() { close(stop); <-stopped }()
	for done := false; !done; {
		select {
		case <-stopped:
			done = true
		default:
		}
		check()
	}
	if seen != len(answers)-1 {
		t.Errorf("the last answer was not found: %d of %d", seen, len(answers)-1)
	}
}

// conversation returns a session with answers of all kinds, and those that
// count, in order.
func conversation(agent string, r *rand.Rand) (whole []byte, answers []string) {
	out, parent := []string{header(threadA, "cli", "/")}, ""
	if agent == "pi" {
		out[0] = piHead(piID)
	}
	word := func() string {
		return strings.Repeat("汉字 kubectl ", 1+r.IntN(40)) + string(rune('a'+len(answers)%26)) + strings.Repeat("z", len(answers))
	}
	for i := range 60 {
		id, text := strings.Repeat("i", i+1), word()
		kind := r.IntN(5)
		if kind < 2 {
			answers = append(answers, text)
		}
		if agent == "pi" {
			stop := []string{"stop", "stop", "aborted", "error", "length"}[kind]
			out = append(out, piAsked("u"+id, parent, "q"), piSaid("a"+id, "u"+id, stop, text))
			parent = "a" + id
			continue
		}
		out = append(out, started(id), asked("q"), tool(strings.Repeat("x", r.IntN(5000))))
		switch kind {
		case 0:
			out = append(out, said(text, "final_answer"), complete(id, text))
		case 1:
			out = append(out, said("before "+text, "commentary"), said(text, ""), complete(id, text))
		case 2:
			out = append(out, said(text, ""), aborted(id))
		case 3:
			out = append(out, said(text, ""), complete(id, ""))
		case 4:
			out = append(out, said(text, "commentary"), complete(id, text))
		}
	}
	return []byte(strings.Join(out, "\n") + "\n"), answers
}

func TestDeadline(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	write(t, path, []byte(strings.Join(lines(header(threadA, "cli", "/"), turn("a", "A")), "\n")))
	want(t, (&Finder{}).File(ctx, "codex", path, ""), "", "timeout")
	if _, err := newTail(strings.NewReader("x"), 1, &window{left: 1}).next(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

package history

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"

	"voice-input/pkg/wire"
)

// newStore returns a store in a directory that does not exist yet.
func newStore(t *testing.T, limits Limits) *Store {
	t.Helper()
	return Open(filepath.Join(t.TempDir(), "state", "voice-input", "history.jsonl"), limits)
}

func mustAdd(t *testing.T, s *Store, ids ...string) {
	t.Helper()
	for _, id := range ids {
		if err := s.Add(t.Context(), &wire.History{ID: id, Text: "text of " + id}); err != nil {
			t.Fatal(err)
		}
	}
}

// list returns the ids, with an exclamation mark where the text was delivered,
// and the number of bad lines.
func list(t *testing.T, s *Store) (ids string, bad int) {
	t.Helper()
	entries, bad, err := s.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for _, h := range entries {
		word := h.ID
		if h.Delivery != nil && h.Delivery.Delivered {
			word += "!"
		}
		words = append(words, word)
	}
	return strings.Join(words, " "), bad
}

func wantList(t *testing.T, s *Store, want string, wantBad int) {
	t.Helper()
	if got, bad := list(t, s); got != want || bad != wantBad {
		t.Errorf("the history has %q and %d bad lines, want %q and %d", got, bad, want, wantBad)
	}
}

func mode(t *testing.T, path string) os.FileMode {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode()
}

func TestStore(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0)) // the modes must not depend on it
	s := newStore(t, Limits{})
	wantList(t, s, "", 0)
	if err := s.Prune(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(filepath.Dir(filepath.Dir(s.path))); err == nil {
		t.Error("looking made a directory")
	}
	odd := "esc \x1b[2J nul \x00 <&> “quotes” \u2028 说\nsecond line\t"
	want := &wire.History{
		ID: "20260506T120000.000000Z", At: "2026-05-06T12:00:00+02:00", Transcript: "heard " + odd, Text: odd, Engine: "whisper",
		Style: "formal", Outcome: wire.RefineKept, OutcomeReason: "ok", Review: &wire.Review{Score: 0.5, Signals: []string{"numbers"}},
	}
	if err := s.Add(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	// The entry is complete before the text is delivered.
	got, err := s.Get(t.Context(), "last")
	if err != nil || encode(got) != encode(want) {
		t.Errorf("%v\n got %swant %s", err, encode(got), encode(want))
	}
	if err := s.Delivered(t.Context(), want.ID, &wire.Delivery{Header: wire.Header{Reason: "ok"}, Delivered: true, Driver: "kitty"}); err != nil {
		t.Fatal(err)
	}
	want.Delivery = &wire.HistoryDelivery{Delivered: true, Driver: "kitty", Reason: "ok"}
	if got, err = s.Get(t.Context(), "2026"); err != nil || encode(got) != encode(want) {
		t.Errorf("%v\n got %swant %s", err, encode(got), encode(want))
	}
	for path, want := range map[string]os.FileMode{
		s.path: 0o600, filepath.Dir(s.path): os.ModeDir | 0o700, filepath.Dir(filepath.Dir(s.path)): os.ModeDir | 0o700,
		filepath.Join(filepath.Dir(s.path), lockName): 0o600,
	} {
		if got := mode(t, path); got != want {
			t.Errorf("%s has mode %v, want %v", filepath.Base(path), got, want)
		}
	}
	if err := s.Delivered(t.Context(), want.ID, nil); err != nil {
		t.Error(err)
	}
	if got, _ := s.Get(t.Context(), "last"); got.Delivery.Delivered || got.Delivery.Reason != "driver_failed" {
		t.Errorf("a delivery without a record: %+v", got.Delivery)
	}
}

func TestGet(t *testing.T) {
	s := newStore(t, Limits{})
	if _, err := s.Get(t.Context(), "last"); !errors.Is(err, ErrNone) {
		t.Errorf("empty: %v", err)
	}
	mustAdd(t, s, "a1", "a", "b22", "b21")
	for id, want := range map[string]string{"last": "b21", "a": "a", "a1": "a1", "b22": "b22"} {
		if h, err := s.Get(t.Context(), id); err != nil || h.ID != want {
			t.Errorf("%s: %v, %v", id, h, err)
		}
	}
	for id, want := range map[string]error{"b2": ErrAmbiguous, "b": ErrAmbiguous, "": ErrNone, "c": ErrNone, "b222": ErrNone} {
		if h, err := s.Get(t.Context(), id); !errors.Is(err, want) {
			t.Errorf("%q: %v, %v, want %v", id, h, err, want)
		}
	}
}

func TestLimits(t *testing.T) {
	s := newStore(t, Limits{Count: 3, Age: time.Hour})
	now := noon
	s.now = func() time.Time { return now }
	done := &wire.Delivery{Header: wire.Header{Reason: "ok"}, Delivered: true}
	for _, id := range []string{"a", "b", "c", "d"} {
		mustAdd(t, s, id)
		if err := s.Delivered(t.Context(), id, done); err != nil {
			t.Fatal(err)
		}
		now = now.Add(10 * time.Minute)
	}
	wantList(t, s, "b! c! d!", 0)
	// A line that a later version wrote stays as it is.
	later := strings.Replace(entry("e", now), `"id"`, `"later":{"x":[1, 2]},"id"`, 1)
	appendTo(t, s, later+"torn")
	now = noon.Add(time.Hour + 15*time.Minute)
	if err := s.Prune(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantList(t, s, "c! d! e", 1)
	if b, _ := os.ReadFile(s.path); !strings.HasSuffix(string(b), later+"torn") {
		t.Errorf("the later line was changed: %s", b)
	}
	now = now.Add(24 * time.Hour)
	if err := s.Prune(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantList(t, s, "", 0)
	if got := mode(t, s.path); got != 0o600 {
		t.Errorf("mode %v", got)
	}
}

func appendTo(t *testing.T, s *Store, text string) {
	t.Helper()
	f, err := os.OpenFile(s.path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

// What is torn, foreign or of a crash costs no entry beside it.
func TestBadLines(t *testing.T) {
	s := newStore(t, Limits{Count: 2})
	mustAdd(t, s, "a")
	appendTo(t, s, `{"schema":"vi.history/1","rea`)
	mustAdd(t, s, "b")
	appendTo(t, s, "\x00\x00\xff\n[]\n")
	mustAdd(t, s, "c")
	wantList(t, s, "a b c", 3)
	if err := os.WriteFile(s.path+newExt, []byte("half of it"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Prune(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantList(t, s, "b c", 3)
	if _, err := os.Lstat(s.path + newExt); err == nil {
		t.Error("what a crash left is still there")
	}
}

func TestClear(t *testing.T) {
	s := newStore(t, Limits{})
	if n, err := s.Clear(t.Context(), 0); n != 0 || err != nil {
		t.Errorf("nothing there: %d, %v", n, err)
	}
	now := noon
	s.now = func() time.Time { return now }
	mustAdd(t, s, "a", "b")
	now = now.Add(2 * time.Hour)
	mustAdd(t, s, "c")
	if n, err := s.Clear(t.Context(), time.Hour); n != 2 || err != nil {
		t.Errorf("older than an hour: %d, %v", n, err)
	}
	wantList(t, s, "c", 0)
	appendTo(t, s, "torn")
	if n, err := s.Clear(t.Context(), 0); n != 1 || err != nil {
		t.Errorf("everything: %d, %v", n, err)
	}
	left, _ := os.ReadDir(filepath.Dir(s.path))
	if len(left) != 1 || left[0].Name() != lockName {
		t.Errorf("left: %v", left)
	}
}

// Nothing but a file of the user's own is written to or read.
func TestRefusals(t *testing.T) {
	other := filepath.Join(t.TempDir(), "other")
	if err := os.WriteFile(other, []byte("precious"), 0o644); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name    string
		make    func(path string) error
		want    string
		cleared bool // Clear removes it
	}{
		{"symbolic link", func(p string) error { return os.Symlink(other, p) }, "is a symbolic link", true},
		{"dangling link", func(p string) error { return os.Symlink(other+"none", p) }, "is a symbolic link", true},
		{"directory", func(p string) error { return os.Mkdir(p, 0o700) }, "is a directory", false},
		{"FIFO", func(p string) error { return unix.Mkfifo(p, 0o600) }, "is not a file", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStore(t, Limits{Count: 1})
			if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := tt.make(s.path); err != nil {
				t.Fatal(err)
			}
			if err := s.Add(t.Context(), &wire.History{ID: "a", Text: "secret"}); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Add: %v", err)
			} else if strings.Contains(err.Error(), "secret") {
				t.Error("the error holds the text")
			}
			if _, _, err := s.List(t.Context()); err == nil {
				t.Error("List did not fail")
			}
			if err := s.Prune(t.Context()); err == nil {
				t.Error("Prune did not fail")
			}
			_, err := s.Clear(t.Context(), 0)
			if (err == nil) != tt.cleared {
				t.Errorf("Clear: %v", err)
			}
			if tt.cleared {
				mustAdd(t, s, "a")
			}
		})
	}
	if b, _ := os.ReadFile(other); string(b) != "precious" || mode(t, other) != 0o644 {
		t.Errorf("the file behind the link has %q, mode %v", b, mode(t, other))
	}
	t.Run("directory is a link", func(t *testing.T) {
		dir := t.TempDir()
		s := Open(filepath.Join(dir, "link", "history.jsonl"), Limits{})
		if err := os.Symlink(t.TempDir(), filepath.Join(dir, "link")); err != nil {
			t.Fatal(err)
		}
		if err := s.Add(t.Context(), &wire.History{ID: "a", Text: "x"}); err == nil || !strings.Contains(err.Error(), "is not a directory") {
			t.Errorf("%v", err)
		}
	})
	t.Run("no id or text", func(t *testing.T) {
		s := newStore(t, Limits{})
		for _, h := range []*wire.History{{ID: "a"}, {Text: "x"}, {ID: "a\n", Text: "x"}} {
			if s.Add(t.Context(), h) == nil {
				t.Errorf("%+v was taken", h)
			}
		}
		wantList(t, s, "", 0)
	})
	t.Run("too long", func(t *testing.T) {
		s := newStore(t, Limits{})
		if err := s.Add(t.Context(), &wire.History{ID: "a", Text: strings.Repeat("x", wire.MaxLine)}); !errors.Is(err, wire.ErrLineTooLong) {
			t.Errorf("%v", err)
		}
	})
}

// A mode that lets others read is put right.
func TestModesArePutRight(t *testing.T) {
	s := newStore(t, Limits{})
	mustAdd(t, s, "a")
	if err := errors.Join(os.Chmod(s.path, 0o644), os.Chmod(filepath.Dir(s.path), 0o755)); err != nil {
		t.Fatal(err)
	}
	mustAdd(t, s, "b")
	if mode(t, s.path) != 0o600 || mode(t, filepath.Dir(s.path)) != os.ModeDir|0o700 {
		t.Errorf("%v, %v", mode(t, s.path), mode(t, filepath.Dir(s.path)))
	}
}

// A process that holds the lock delays nobody for longer than the bound, and
// keeps no reader from reading.
func TestLockedByAnother(t *testing.T) {
	s := newStore(t, Limits{})
	mustAdd(t, s, "a")
	lock, err := os.OpenFile(filepath.Join(filepath.Dir(s.path), lockName), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	err = s.Add(t.Context(), &wire.History{ID: "b", Text: "x"})
	if err == nil || !strings.Contains(err.Error(), "no turn within 200ms") {
		t.Errorf("%v", err)
	}
	wantList(t, s, "a", 0)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Add(ctx, &wire.History{ID: "b", Text: "x"}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	unix.Flock(int(lock.Fd()), unix.LOCK_UN)
	mustAdd(t, s, "c")
	wantList(t, s, "a c", 0)
}

// A disk that hangs in a system call delays nobody either, and what piles up
// behind it is refused, not kept.
func TestHangingDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, Limits{})
		hang := make(chan struct{})
		started := time.Now()
		for range 5 {
			_, err := do(t.Context(), s, addTime, false, func() (int, error) { <-hang; return 1, nil })
			if err == nil || !strings.Contains(err.Error(), "no turn within 200ms") {
				t.Errorf("%v", err)
			}
		}
		if took := time.Since(started); took != 5*addTime {
			t.Errorf("5 calls took %v", took)
		}
		close(hang)
		synctest.Wait()
		if n, err := do(t.Context(), s, addTime, false, func() (int, error) { return 7, nil }); n != 7 || err != nil {
			t.Errorf("afterwards: %d, %v", n, err)
		}
	})
}

// A file beyond the bound is cut to it.
func TestHugeFile(t *testing.T) {
	s := newStore(t, Limits{})
	mustAdd(t, s, "a")
	junk := strings.Repeat(strings.Repeat("x", 1023)+"\n", 1024)
	for range maxFile>>20 + 1 {
		appendTo(t, s, junk)
	}
	mustAdd(t, s, "b")
	if err := s.Prune(t.Context()); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(s.path)
	if err != nil || info.Size() > maxFile {
		t.Errorf("%d bytes, %v", info.Size(), err)
	}
	if ids, _ := list(t, s); ids != "b" {
		t.Errorf("entries %q", ids)
	}
}

func ExamplePath() {
	fmt.Println(Path(func(k string) string { return map[string]string{"HOME": "/home/user"}[k] }))
	// Output: /home/user/.local/state/voice-input/history.jsonl
}

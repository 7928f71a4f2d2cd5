package session

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"voice-input/pkg/wire"
)

// Real sessions of 12 versions with the answers that were on the screen. A
// case with lines is the file as it was after so many lines: both agents only
// append.
func TestRealSessions(t *testing.T) {
	b, err := os.ReadFile("testdata/expected.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Agent, File, Leaf, Note string
		Lines                   int
		Expect                  *string
	}
	if err := json.Unmarshal(b, &cases); err != nil || len(cases) < 40 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	for i, tt := range cases {
		t.Run(fmt.Sprintf("%d_%s_%d", i, strings.Split(tt.File, "/")[1], tt.Lines), func(t *testing.T) {
			path := filepath.Join("testdata", tt.File)
			if tt.Lines > 0 {
				path = prefix(t, path, tt.Lines)
			}
			r := (&Finder{}).File(t.Context(), tt.Agent, path, tt.Leaf)
			want, reason := "", "no_completed_answer"
			if tt.Expect != nil {
				want, reason = *tt.Expect, wire.OK
			}
			if got := textOf(r); got != want || r.Reason != reason {
				t.Errorf("%s\n got %q, %s\nwant %q, %s", tt.Note, got, r.Reason, want, reason)
			}
			if r.SkippedLines != 0 {
				t.Errorf("%d lines of a real session were skipped", r.SkippedLines)
			}
		})
	}
}

// prefix copies the directory of a session and cuts the session after so many
// lines.
func prefix(t *testing.T, path string, lines int) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Dir(path))); err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(dir, filepath.Base(path))
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, bytes.Join(bytes.SplitAfter(b, []byte("\n"))[:lines], nil))
	return path
}

func textOf(r *wire.Session) string {
	if r.Source == nil {
		return ""
	}
	return r.Source.Text
}

func write(t testing.TB, path string, b []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// read reads a session that was made of lines.
func read(t testing.TB, agent, leaf string, lines ...string) *wire.Session {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rollout-x.jsonl")
	write(t, path, []byte(strings.Join(lines, "\n")+"\n"))
	return (&Finder{}).File(context.Background(), agent, path, leaf)
}

// want checks the outcome of a look-up: a text, or a reason.
func want(t testing.TB, r *wire.Session, text, reason string) {
	t.Helper()
	if textOf(r) != text || r.Reason != reason {
		t.Errorf("got %.80q, %s; want %.80q, %s", textOf(r), r.Reason, text, reason)
	}
}

package session

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"voice-input/pkg/wire"
)

// seeds are short real sessions and the odd lines of the tests.
func seeds(f *testing.F, agent string) {
	paths, _ := filepath.Glob("testdata/" + agent + "/*/sessions/*/*.jsonl")
	more, _ := filepath.Glob("testdata/" + agent + "/*/sessions/*/*/*/*.jsonl")
	for _, path := range append(paths, more...) {
		b, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		if len(b) < 4<<10 {
			f.Add(b, "")
		}
	}
	f.Add([]byte("\ufeff"+piHead(piID)+"\n"+piSaid("a", "a", "stop", "x")+"\n{\"type\":"), "a")
	f.Add([]byte(strings.Join(lines(header(threadA, "cli", "/"), turn("a", "A"), rolledBack(1), aborted("x")), "\n")), "")
}

// anyFile checks what holds of any file whatever: it yields a text or a word of
// the list, and no more than the file is read. It is File without a file, so
// that many can be tried.
func anyFile(t *testing.T, agent string, b []byte, leaf string) (string, error) {
	s := newSearch(anyUser)
	first, _, _ := bytes.Cut(b, []byte("\n"))
	var p picker
	if h, err := parsePiHeader(trim(first)); agent == "pi" && err == nil {
		p = newPiBranch(h, leaf)
	} else if _, err := parseCodexHeader(trim(first)); agent == "codex" && err == nil {
		p = &codexTurns{}
	} else {
		return "", Nothing("schema_unrecognised")
	}
	found, err := s.walk(t.Context(), bytes.NewReader(b), int64(len(b)), p)
	if err != nil || s.win.scanned > int64(len(b)) {
		t.Fatalf("%d of %d bytes, %v", s.win.scanned, len(b), err)
	}
	if !found && !p.end() {
		if !slices.Contains(wire.Reasons(wire.SchemaSession), p.reason()) {
			t.Fatal(p.reason())
		}
		return "", Nothing(p.reason())
	}
	if strings.TrimSpace(p.text()) == "" {
		t.Fatalf("%q", p.text())
	}
	return p.text(), nil
}

func FuzzCodex(f *testing.F) {
	seeds(f, "codex")
	f.Fuzz(func(t *testing.T, b []byte, _ string) {
		agree(t, "codex", b, b, "")
		// An answer that is added at the end is found.
		if _, err := anyFile(t, "codex", b, ""); err != Nothing("schema_unrecognised") {
			b = append(bytes.Clone(b), "\n"+strings.Join(turn("z", "the end"), "\n")+"\n"...)
			if text, err := anyFile(t, "codex", b, ""); text != "the end" {
				t.Fatalf("%q, %v", text, err)
			}
		}
	})
}

func FuzzPi(f *testing.F) {
	seeds(f, "pi")
	f.Fuzz(func(t *testing.T, b []byte, leaf string) {
		anyFile(t, "pi", b, leaf)
		for line := range bytes.SplitSeq(b, []byte("\n")) {
			if _, damaged := decoded(line); damaged {
				return // its entries may lead on
			}
		}
		agree(t, "pi", b, b, leaf)
	})
}

func FuzzRegistry(f *testing.F) {
	f.Add([]byte(`{"schema":"vi.pi-session/1","pid":1,"start_ticks":2,"mode":"tui","session_id":"a","session_file":"/a","session_dir":"/","leaf_id":null}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if e, err := parseRegistry(b); err == nil && (!filepath.IsAbs(e.file) || !filepath.IsAbs(e.dir) || e.id == "" || e.mode == "") {
			t.Fatalf("%+v", e)
		}
	})
}

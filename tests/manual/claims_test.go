package manual

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"voice-input/pkg/supervise"
)

// The table in voice-input.1 of what a command does in a phase is the one
// that the daemon follows.
func TestPhases(t *testing.T) {
	part := pageOf(t, "voice-input.1").section("DESCRIPTION").part("voice-input record")
	var rows [][]string
	for _, it := range part.items {
		if cells := strings.Split(strings.Join(it.head, " "), " Ta "); len(cells) > 1 {
			rows = append(rows, cells)
		}
	}
	phases := []supervise.Phase{supervise.Idle, supervise.Arming, supervise.Recording, supervise.Recognizing, supervise.Refining, supervise.Delivering}
	if len(rows) != 1+len(phases) {
		t.Fatalf("the table has %d rows, want a heading and %d phases", len(rows), len(phases))
	}
	for i, phase := range phases {
		row := rows[1+i]
		if row[0] != string(phase) || len(row) != len(rows[0]) {
			t.Errorf("row %d is %q, want one of phase %s", i+1, row, phase)
			continue
		}
		for j, cell := range row[1:] {
			command := supervise.Command(strings.TrimPrefix(rows[0][1+j], "Em "))
			if want := strings.ReplaceAll(string(supervise.Decide(phase, command)), "_", " "); cell != want {
				t.Errorf("%s in phase %s is %q in the page, %q in the daemon", command, phase, cell, want)
			}
		}
	}
	same(t, "commands of the table", columns(rows[0][1:]), recordCommands(t))
}

func columns(cells []string) []string {
	var out []string
	for _, c := range cells {
		out = append(out, strings.TrimPrefix(c, "Em "))
	}
	return out
}

func recordCommands(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, c := range tree(supervise.Program()) {
		if c.parent == "voice-input record" {
			out = append(out, c.Name)
		}
	}
	return out
}

// variable matches what a message has in place of a value.
var variable = regexp.MustCompile(`"[^"]*"|\.\.\.|[;:,]|\S*[0-9/]\S*|\b[A-Z][A-Z_]+\b`)

// A message that DIAGNOSTICS explains is one that a program can print: its
// first longer piece without values stands in the source.
func TestDiagnosticsExist(t *testing.T) {
	var source strings.Builder
	err := filepath.WalkDir(filepath.Join(root, "pkg"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		source.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	const longer = 12
	for _, p := range pages(t) {
		for _, it := range p.section("DIAGNOSTICS").parts[0].items {
			message := strings.Join(it.head, " ")
			piece := ""
			for _, s := range variable.Split(message, -1) {
				if s = strings.TrimSpace(s); len(s) >= longer {
					piece = s
					break
				}
			}
			if piece == "" || !strings.Contains(source.String(), piece) {
				t.Errorf("%s: no program prints %q (looked for %q)", p.file, message, piece)
			}
		}
	}
}

package manual

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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
	var heads []string
	for _, p := range phases {
		heads = append(heads, string(p))
	}
	if got := columns(rows[0][1:]); !slices.Equal(got, heads) {
		t.Fatalf("the table has the phases %q, want %q", got, heads)
	}
	var commands []string
	for _, row := range rows[1:] {
		commands = append(commands, row[0])
		if len(row) != 1+len(phases) {
			t.Errorf("the row of %s has %d cells", row[0], len(row))
			continue
		}
		for i, cell := range row[1:] {
			if want := strings.ReplaceAll(string(supervise.Decide(phases[i], supervise.Command(row[0]))), "_", " "); cell != want {
				t.Errorf("%s in phase %s is %q in the page, %q in the daemon", row[0], phases[i], cell, want)
			}
		}
	}
	same(t, "commands of the table", commands, recordCommands(t))
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

package redact

import (
	_ "embed"
	"strings"
	"testing"
)

// harmless holds lines of technical talk without a secret in them, about credentials and next to their words.
//
//go:embed testdata/harmless.txt
var harmless string

// TestRule_I1_HarmlessLinesStay is the over-redaction suite: every line stays as it is, byte for byte, alone and
// among the others.
func TestRule_I1_HarmlessLinesStay(t *testing.T) {
	var lines []string
	for line := range strings.Lines(harmless) {
		if line = strings.TrimSuffix(line, "\n"); line != "" {
			lines = append(lines, line)
		}
	}
	if len(lines) < 200 {
		t.Fatalf("%d lines are too few to say anything", len(lines))
	}
	kept := 0
	for _, line := range lines {
		if got := Text(line); got.Text != line || got.Count != 0 {
			t.Errorf("redacted\n\t%s\nto\n\t%s", line, got.Text)
			continue
		}
		kept++
	}
	if got := Text(harmless); got.Count != 0 {
		for i, line := range strings.Split(got.Text, "\n") {
			if want := strings.Split(harmless, "\n")[i]; line != want {
				t.Errorf("among the others, redacted\n\t%s\nto\n\t%s", want, line)
			}
		}
	}
	t.Logf("over-redaction suite: %d of %d harmless lines kept whole", kept, len(lines))
}

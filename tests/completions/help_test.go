package completions

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"voice-input/pkg/cli"
)

var helpLine = regexp.MustCompile(`(?m)^   (?:--)?([a-z0-9-]+)\b`)

// What is completed is what --help shows, no more and no less (P6).
func TestP6SameAsHelp(t *testing.T) {
	for _, program := range programs() {
		for _, n := range newNode(program, "", nil).all() {
			var help bytes.Buffer
			o := &cli.IO{
				Args: append(strings.Fields(n.path), "--help"), Stdin: strings.NewReader(""), Stdout: &help, Stderr: os.Stderr,
				Getenv: func(string) string { return "" },
			}
			if status := cli.Main(t.Context(), program, o); status != 0 {
				t.Fatalf("%s --help: status %d", n.path, status)
			}
			var shown, completed []string
			for _, m := range helpLine.FindAllStringSubmatch(help.String(), -1) {
				shown = append(shown, m[1])
			}
			for _, c := range n.commands {
				completed = append(completed, c.name)
			}
			for _, f := range n.flags {
				completed = append(completed, f.name)
			}
			slices.Sort(shown)
			slices.Sort(completed)
			if !slices.Equal(shown, completed) {
				t.Errorf("%s --help shows %q, %q are completed", n.path, shown, completed)
			}
		}
	}
}

// A word that is completed stands in the program's manual, or in that of
// vi-type, to which others refer for places.
func TestWordsAreInTheManual(t *testing.T) {
	names, err := modelNames(share)
	if err != nil {
		t.Fatal(err)
	}
	for _, program := range programs() {
		text := ""
		for _, page := range []string{program.Name, "vi-type"} {
			b, err := os.ReadFile(filepath.Join("../../man", page+".1"))
			if err != nil {
				t.Fatal(err)
			}
			text += string(b)
		}
		for _, n := range newNode(program, "", names).all() {
			words := slices.Clone(n.operand.words)
			for _, f := range n.flags {
				if f.value != nil {
					words = append(words, f.value.words...)
				}
			}
			for _, w := range words {
				if !slices.Contains(names, w) && !regexp.MustCompile(`(^|[\s|])`+regexp.QuoteMeta(w)+`([\s,.|]|$)`).MatchString(text) {
					t.Errorf("%s: %s.1 does not have the word %q", n.path, program.Name, w)
				}
			}
		}
	}
}

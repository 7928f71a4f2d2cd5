// Package prompt holds what a model is told to do with a transcript.
package prompt

import (
	"embed"
	"strings"
)

//go:embed *.txt
var files embed.FS

// Styles are the ways to write that vi.focus/1 names, each with a text of its
// own.
var Styles = []string{"agent-markdown", "message", "formal"}

// MaxWishes bounds the user's own wishes in bytes: several times what all our
// own instructions are long.
const MaxWishes = 8 << 10

// Instructions returns the instructions for a style. The user's wishes stand
// before the rules of the answer, so that they cannot take these back. The
// part about terms is last, and only there if terms go along.
func Instructions(style, wishes string, withTerms bool) string {
	parts := []string{text("edit"), text(style)}
	if wishes = strings.TrimSpace(wishes); wishes != "" {
		parts = append(parts, text("wishes")+"\n"+wishes)
	}
	parts = append(parts, text("answer"))
	if withTerms {
		parts = append(parts, text("terms"))
	}
	return strings.Join(parts, "\n\n")
}

func text(name string) string {
	b, err := files.ReadFile(name + ".txt")
	if err != nil {
		panic("prompt: no text " + name) // a test asks for each
	}
	return strings.TrimSpace(string(b))
}

package textdiff

import (
	"strings"
	"unicode"
)

// Plain shows pieces with marks: [-removed-] and {+added+}.
func Plain(pieces []Piece) string {
	return show(pieces, [2]string{"[-", "-]"}, [2]string{"{+", "+}"})
}

// Colored shows pieces for a terminal: what was removed red and struck out,
// what was added green and underlined, so that it can be told without colour.
func Colored(pieces []Piece) string {
	return show(pieces, [2]string{"\x1b[31;9m", "\x1b[0m"}, [2]string{"\x1b[32;4m", "\x1b[0m"})
}

func show(pieces []Piece, removed, added [2]string) string {
	var b strings.Builder
	for _, p := range pieces {
		text := strings.Map(visible, p.Text)
		switch p.Kind {
		case Removed:
			text = removed[0] + text + removed[1]
		case Added:
			text = added[0] + text + added[1]
		}
		b.WriteString(text)
	}
	return b.String()
}

// visible keeps a text from steering the terminal.
func visible(r rune) rune {
	if unicode.IsControl(r) && r != '\n' && r != '\t' {
		return unicode.ReplacementChar
	}
	return r
}

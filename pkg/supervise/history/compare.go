package history

import (
	"context"
	"fmt"
	"os"
	"strings"
	"unicode"

	"golang.org/x/sys/unix"
	"golang.org/x/text/width"

	"voice-input/pkg/cli"
	"voice-input/pkg/textdiff"
	"voice-input/pkg/wire"
)

// twoColumns is how wide a terminal has to be to show two texts beside each
// other: what is narrower leaves lines of fewer than six words.
const twoColumns = 80

// between parts the columns.
const between = " │ "

func runCompare(_ context.Context, o *cli.IO, _ *cli.Call, h *wire.History) error {
	if h.Transcript == "" {
		return cli.Errorf(cli.StatusNothing, "the entry has no transcript")
	}
	return printLine(o, compare(h, columns(o)))
}

// columns returns how wide the terminal is, or 0 if standard output is none or
// is not to be coloured.
func columns(o *cli.IO) int {
	f, ok := o.Stdout.(*os.File)
	if !ok || !cli.IsTerminal(f) || o.Getenv("NO_COLOR") != "" {
		return 0
	}
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil || size.Col == 0 {
		return twoColumns
	}
	return int(size.Col)
}

// compare shows what was recognised and what was made of it: beside each other
// where there is room for it, else below each other, and with marks in place
// of colours if cols is 0.
func compare(h *wire.History, cols int) string {
	pieces := textdiff.Diff(harmless(h.Transcript), harmless(h.Text))
	before, after := without(pieces, textdiff.Added), without(pieces, textdiff.Removed)
	left, right := "recognised"+inBrackets(h.Engine), "delivered"+inBrackets(h.Style, h.Outcome)
	switch {
	case cols == 0:
		return fmt.Sprintf("%s\n%s\n\n%s\n%s", left, textdiff.Plain(before), right, textdiff.Plain(after))
	case cols < twoColumns:
		return fmt.Sprintf("%s\n%s\n\n%s\n%s", left, textdiff.Colored(before), right, textdiff.Colored(after))
	}
	each := (cols - len([]rune(between))) / 2
	return beside(wrap(before, each), wrap(after, each), left, right, each)
}

func without(pieces []textdiff.Piece, kind textdiff.Kind) []textdiff.Piece {
	var out []textdiff.Piece
	for _, p := range pieces {
		if p.Kind != kind {
			out = append(out, p)
		}
	}
	return out
}

func inBrackets(words ...string) string {
	var known []string
	for _, w := range words {
		if w != "" {
			known = append(known, harmless(w))
		}
	}
	if len(known) == 0 {
		return ""
	}
	return " (" + strings.Join(known, ", ") + ")"
}

func beside(a, b [][]textdiff.Piece, left, right string, each int) string {
	var out strings.Builder
	row := func(a, b string, used int) {
		out.WriteString(a + strings.Repeat(" ", max(0, each-used)) + between + b + "\n")
	}
	row(left, right, textWidth(left))
	for i := range max(len(a), len(b)) {
		var l, r []textdiff.Piece
		if i < len(a) {
			l = a[i]
		}
		if i < len(b) {
			r = b[i]
		}
		used := 0
		for _, p := range l {
			used += textWidth(p.Text)
		}
		row(textdiff.Colored(l), textdiff.Colored(r), used)
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// mark is a character of a text with what became of it.
type mark struct {
	r    rune
	kind textdiff.Kind
}

// wrap breaks a text into lines of at most cols columns: at white space, or
// behind a character that is written without any, or anywhere if there is
// neither.
func wrap(pieces []textdiff.Piece, cols int) [][]textdiff.Piece {
	var lines [][]textdiff.Piece
	var at []mark // the line so far
	used, may := 0, 0
	end := func(n int) {
		lines = append(lines, join(at[:n]))
		at = at[n:]
		for len(at) > 0 && at[0].r == ' ' {
			at = at[1:]
		}
		used, may = 0, 0
		for _, m := range at {
			used += runeWidth(m.r)
		}
	}
	for _, p := range pieces {
		for _, r := range p.Text {
			if r == '\n' {
				end(len(at))
				continue
			}
			if r == '\t' {
				r = ' '
			}
			w := runeWidth(r)
			if used+w > cols {
				if may == 0 || r == ' ' {
					may = len(at)
				}
				end(may)
			}
			if r == ' ' && len(at) == 0 && len(lines) > 0 {
				continue
			}
			at = append(at, mark{r, p.Kind})
			if used += w; r == ' ' || w == 2 {
				may = len(at)
			}
		}
	}
	return append(lines, join(at))
}

// join makes pieces of what is of one kind.
func join(marks []mark) []textdiff.Piece {
	var out []textdiff.Piece
	for _, m := range marks {
		if n := len(out); n > 0 && out[n-1].Kind == m.kind {
			out[n-1].Text += string(m.r)
			continue
		}
		out = append(out, textdiff.Piece{Kind: m.kind, Text: string(m.r)})
	}
	return out
}

func textWidth(s string) int {
	n := 0
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}

// runeWidth is how many columns a terminal gives to a character.
func runeWidth(r rune) int {
	switch k := width.LookupRune(r).Kind(); {
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case k == width.EastAsianWide, k == width.EastAsianFullwidth:
		return 2
	}
	return 1
}

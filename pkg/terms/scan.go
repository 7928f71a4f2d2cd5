package terms

import (
	"strings"

	"voice-input/pkg/normalize/lexicon"
)

// kind says where in a Markdown text a piece stands.
type kind byte

const (
	prose kind = iota
	span       // `code span`
	block      // fenced code block
)

// A piece is a part of one line that is all of one kind.
type piece struct {
	text  string
	at    int // position in the source
	kind  kind
	start bool // prose: a sentence, a cell or a list item begins here
	title bool // prose: in a heading, where capitals mean nothing
	han   bool // the line is Chinese, so that a Latin word in it is a foreign one
}

// scanner takes a text apart into pieces, line by line.
type scanner struct {
	fence string // the fence that closes the block, "" outside
	start bool   // the next word begins a sentence
	emit  func(piece)
}

// text scans a text that begins at position at of the source.
func (s *scanner) text(text string, at int) {
	s.start = true
	for line := range strings.Lines(text) {
		s.line(strings.TrimRight(line, "\n"), at)
		at += len(line)
	}
}

func (s *scanner) line(line string, at int) {
	body := strings.TrimLeft(line, " \t>")
	if fence := fenceOf(body); fence != "" {
		switch {
		case s.fence == "":
			s.fence = fence
			return
		case strings.HasPrefix(fence, s.fence) && strings.Trim(body, fence[:1]+" \t") == "":
			s.fence = ""
			s.start = true
			return
		}
	}
	if s.fence != "" {
		s.emit(piece{text: line, at: at, kind: block})
		return
	}
	content := unmarked(body)
	title := strings.HasPrefix(body, "#") && content != body
	if content != body || content == "" {
		s.start = true
	}
	s.inline(content, at+len(line)-len(content), title)
	if title {
		s.start = true
	}
}

// inline emits the pieces of a line of prose.
func (s *scanner) inline(line string, at int, title bool) {
	han := chinese(line)
	text := func(from, to int) {
		if from < to {
			s.emit(piece{text: line[from:to], at: at + from, kind: prose, start: s.start, title: title, han: han})
			s.start = false
		}
	}
	from, quotes := 0, quoteRuns(line)
	for i := 0; i < len(quotes); i++ {
		open := quotes[i]
		for j := i + 1; j < len(quotes); j++ {
			if quotes[j].n != open.n {
				continue
			}
			text(from, open.at)
			s.emit(piece{text: line[open.at+open.n : quotes[j].at], at: at + open.at + open.n, kind: span, han: han})
			s.start = false
			from, i = quotes[j].at+open.n, j
			break
		}
		// With very many quotes the search for a partner would be quadratic.
		if i > maxQuotes {
			break
		}
	}
	text(from, len(line))
}

// chinese tells whether a line of prose is Chinese: it has Han characters, and
// no English sentence with a word or two of them.
func chinese(line string) bool {
	if !hasHan(line) {
		return false
	}
	code := false
	begin := -1
	for i := 0; i <= len(line); i++ {
		if i < len(line) && letter(line[i]) {
			if begin < 0 {
				begin = i
			}
			continue
		}
		// A function word that stands by itself, outside a code span.
		if begin >= 0 && !code && i-begin > 1 && i-begin < 12 && lonely(line, begin, i) && lexicon.Function(line[begin:i]) {
			return false
		}
		begin = -1
		if i < len(line) && line[i] == '`' {
			code = !code
		}
	}
	return true
}

// lonely tells whether a word has spaces or the ends of the line around it.
func lonely(line string, begin, end int) bool {
	return (begin == 0 || line[begin-1] == ' ') && (end == len(line) || line[end] == ' ')
}

// maxQuotes bounds the runs of backquotes of one line that are looked at.
const maxQuotes = 512

type quoteRun struct{ at, n int }

func quoteRuns(line string) []quoteRun {
	var runs []quoteRun
	for i := 0; i < len(line) && len(runs) < maxQuotes; i++ {
		if line[i] != '`' {
			continue
		}
		run := quoteRun{at: i}
		for i < len(line) && line[i] == '`' {
			i++
		}
		run.n = i - run.at
		runs = append(runs, run)
	}
	return runs
}

// fenceOf returns the fence at the beginning of a line, "" if there is none.
func fenceOf(line string) string {
	for _, char := range []string{"`", "~"} {
		n := len(line) - len(strings.TrimLeft(line, char))
		// A line such as ```code``` is no fence but a code span.
		if n >= 3 && !(char == "`" && strings.Contains(line[n:], char)) {
			return line[:n]
		}
	}
	return ""
}

// fenceAt returns the fence that is open at the end of text.
func fenceAt(text string) string {
	s := scanner{emit: func(piece) {}}
	for line := range strings.Lines(text) {
		body := strings.TrimLeft(line, " \t>")
		if strings.HasPrefix(body, "```") || strings.HasPrefix(body, "~~~") {
			s.line(strings.TrimRight(line, "\n"), 0)
		}
	}
	return s.fence
}

// unmarked returns a line without the mark of a heading, a list item or a
// table that it begins with.
func unmarked(line string) string {
	if rest := strings.TrimLeft(line, "#"); rest != line && strings.HasPrefix(rest, " ") {
		return strings.TrimLeft(rest, " ")
	}
	if rest := strings.TrimLeft(line, "|"); rest != line {
		return rest
	}
	rest := strings.TrimLeft(line, "0123456789")
	switch {
	case rest != line && (strings.HasPrefix(rest, ". ") || strings.HasPrefix(rest, ") ")):
		return unmarked(rest[2:])
	case strings.HasPrefix(line, "- [ ] "), strings.HasPrefix(line, "- [x] "):
		return line[6:]
	case strings.HasPrefix(line, "- "), strings.HasPrefix(line, "* "), strings.HasPrefix(line, "+ "), strings.HasPrefix(line, "• "):
		_, rest, _ := strings.Cut(line, " ")
		return strings.TrimLeft(rest, " ")
	}
	return line
}

package manual

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const root = "../.."

// page is a manual page as its macros structure it.
type page struct {
	file     string // "vi-asr.1"
	sections []*section
	displays []display
}

// section is what stands under a .Sh; its first part goes up to the first .Ss
// and has no title.
type section struct {
	title string
	parts []*part
}

// part is running text and the items of the lists in it.
type part struct {
	title string
	prose []string // lines outside the items
	items []item
}

// item is an .It of an outermost list.
type item struct {
	head []string // the words behind .It
	body []string // lines up to the next item
}

// display is a literal display with the note in the comment above it.
type display struct {
	note  string // "run", "file NAME" or ""
	lines []string
}

func pages(t *testing.T) []*page {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "man/*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no pages: %v", err)
	}
	var out []*page
	for _, f := range files {
		out = append(out, readPage(t, f))
	}
	return out
}

func pageOf(t *testing.T, file string) *page {
	t.Helper()
	return readPage(t, filepath.Join(root, "man", file))
}

func readPage(t *testing.T, path string) *page {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	p := &page{file: filepath.Base(path)}
	depth, literal, note := 0, false, ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if literal {
			if line == ".Ed" {
				literal = false
				continue
			}
			d := &p.displays[len(p.displays)-1]
			d.lines = append(d.lines, unescape(line))
			continue
		}
		if comment, ok := strings.CutPrefix(line, `.\" `); ok {
			note = comment
			continue
		}
		macro, rest := "", ""
		if strings.HasPrefix(line, ".") {
			macro, rest, _ = strings.Cut(line[1:], " ")
		}
		switch macro {
		case "Sh":
			p.sections = append(p.sections, &section{title: rest, parts: []*part{{}}})
		case "Ss":
			s := p.sections[len(p.sections)-1]
			s.parts = append(s.parts, &part{title: rest})
		case "Bl":
			depth++
		case "El":
			depth--
		case "Bd":
			literal = strings.HasPrefix(rest, "-literal")
			p.displays = append(p.displays, display{note: note})
			note = ""
		case "It":
			if depth == 1 {
				here := p.last()
				here.items = append(here.items, item{head: strings.Fields(unescape(rest))})
			}
		default:
			here := p.last()
			if here == nil {
				continue
			}
			if depth == 0 || len(here.items) == 0 {
				here.prose = append(here.prose, line)
			} else {
				it := &here.items[len(here.items)-1]
				it.body = append(it.body, line)
			}
		}
	}
	if depth != 0 || literal {
		t.Fatalf("%s: a list or a display is not closed", p.file)
	}
	return p
}

func (p *page) last() *part {
	if len(p.sections) == 0 {
		return nil
	}
	s := p.sections[len(p.sections)-1]
	return s.parts[len(s.parts)-1]
}

// section returns the section of a title, or an empty one.
func (p *page) section(title string) *section {
	for _, s := range p.sections {
		if s.title == title {
			return s
		}
	}
	return &section{title: title, parts: []*part{{}}}
}

// part returns the part of a title, or nil.
func (s *section) part(title string) *part {
	for _, p := range s.parts {
		if p.title == title {
			return p
		}
	}
	return nil
}

// macros returns the words behind each use of a macro at the beginning of a
// line, punctuation left out.
func macros(lines []string, macro string) []string {
	var out []string
	for _, line := range lines {
		if rest, ok := strings.CutPrefix(line, "."+macro+" "); ok {
			for _, word := range strings.Fields(rest) {
				if strings.Trim(word, ",.;:()") != "" {
					out = append(out, word)
				}
			}
		}
	}
	return out
}

// plain returns the text of lines without macros.
func plain(lines []string) string {
	var words []string
	for _, line := range lines {
		if strings.HasPrefix(line, ".") {
			_, line, _ = strings.Cut(line, " ")
		}
		words = append(words, strings.Fields(unescape(line))...)
	}
	return strings.Join(words, " ")
}

func unescape(s string) string {
	return strings.NewReplacer(`\(dq`, `"`, `\(aq`, `'`, `\e`, `\`, `\&`, ``, `\-`, `-`).Replace(s)
}

// same compares two sets and says what is missing on which side.
func same(t *testing.T, what string, page, code []string) {
	t.Helper()
	for _, s := range page {
		if !slices.Contains(code, s) {
			t.Errorf("%s: the page has %q, the program has not", what, s)
		}
	}
	for _, s := range code {
		if !slices.Contains(page, s) {
			t.Errorf("%s: %q is not in the page", what, s)
		}
	}
	sorted := slices.Sorted(slices.Values(page))
	if len(slices.Compact(sorted)) != len(page) {
		t.Errorf("%s: the page has something twice in %q", what, page)
	}
}

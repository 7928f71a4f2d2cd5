package readme

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// document is a Markdown file.
type document struct {
	name     string // below root
	lines    []string
	headings []heading
	blocks   []block
	spans    []span // code within prose
	links    []link
	rows     int // of tables
	images   int
}

type heading struct {
	level int
	text  string
}

// block is fenced code, or indented code, which counts as "sh". The note is the
// comment in the line above the fence:
//
//	<!-- from NAME -->    the output of a producer of that name
type block struct {
	language, note string
	lines          []string
	at             int // number of its first line, from 0
}

type span struct {
	text string
	line int // from 1
}

type link struct {
	target string
	line   int
}

var (
	headingLine = regexp.MustCompile(`^(#+) (.+)$`)
	noteLine    = regexp.MustCompile(`^<!-- (.+) -->$`)
	codeSpan    = regexp.MustCompile("`([^`]+)`")
	linkTarget  = regexp.MustCompile(`(!?)\[[^\]]*\]\(([^)\s]+)\)|(?:src|href|srcset)="([^"]+)"`)
)

// read takes a file apart.
func read(t *testing.T, name string) *document {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	d := &document{name: name, lines: strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")}
	var open *block
	indented := false
	for i, line := range d.lines {
		code, isCode := strings.CutPrefix(line, "    ")
		switch {
		case open != nil && !indented:
		case isCode && (indented || i > 0 && d.lines[i-1] == ""):
			if open == nil {
				open, indented = &block{language: "sh", at: i}, true
			}
			open.lines = append(open.lines, code)
			continue
		case indented:
			d.blocks, open, indented = append(d.blocks, *open), nil, false
		}
		if fence, ok := strings.CutPrefix(line, "```"); ok {
			if open != nil {
				d.blocks, open = append(d.blocks, *open), nil
				continue
			}
			open = &block{language: fence, at: i + 1}
			if i > 0 {
				if m := noteLine.FindStringSubmatch(d.lines[i-1]); m != nil {
					open.note = m[1]
				}
			}
			continue
		}
		if open != nil {
			open.lines = append(open.lines, line)
			continue
		}
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			t.Fatalf("%s:%d: a fence that does not begin its line is not seen", name, i+1)
		}
		if m := headingLine.FindStringSubmatch(line); m != nil {
			d.headings = append(d.headings, heading{len(m[1]), m[2]})
		}
		if strings.HasPrefix(line, "|") {
			d.rows++
		}
		for _, m := range codeSpan.FindAllStringSubmatch(line, -1) {
			d.spans = append(d.spans, span{m[1], i + 1})
		}
		for _, m := range linkTarget.FindAllStringSubmatch(codeSpan.ReplaceAllString(line, "`"), -1) {
			d.links = append(d.links, link{m[2] + m[3], i + 1})
			if m[1] == "!" || strings.HasPrefix(m[0], "src") {
				d.images++
			}
		}
	}
	if open != nil && !indented {
		t.Fatalf("%s: a block is not closed", name)
	}
	if open != nil {
		d.blocks = append(d.blocks, *open)
	}
	return d
}

// documents are all that a person reads besides the manual.
func documents(t *testing.T) (all []*document) {
	t.Helper()
	for _, pattern := range []string{"README*.md", "docs/*.md", "share/*/README.md", "tests/testdata/speech/README.md", "CHANGELOG.md"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, f := range files {
			name, err := filepath.Rel(root, f)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, read(t, name))
		}
	}
	return all
}

// anchor is how GitHub links to a heading.
func anchor(text string) string {
	text = strings.ToLower(strings.NewReplacer("`", "", "*", "").Replace(text))
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == ' ':
			b.WriteByte('-')
		case r == '-', r == '_', r > 0x7f && !strings.ContainsRune("，。、：；？！（）「」…", r), r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b.WriteRune(r)
		}
	}
	return b.String()
}

func TestAnchor(t *testing.T) {
	for in, want := range map[string]string{"Agent context": "agent-context", "The `vi-asr` program, in short": "the-vi-asr-program-in-short", "安装，运行": "安装运行"} {
		if got := anchor(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// Links to files and headings resolve. Those to other places need https.
func TestLinks(t *testing.T) {
	for _, d := range documents(t) {
		for _, l := range d.links {
			if scheme, _, ok := strings.Cut(l.target, "://"); ok {
				if scheme != "https" {
					t.Errorf("%s:%d: %s", d.name, l.line, l.target)
				}
				continue
			}
			file, fragment, _ := strings.Cut(l.target, "#")
			name := d.name
			if file != "" {
				name = filepath.Join(filepath.Dir(d.name), file)
			}
			if _, err := os.Stat(filepath.Join(root, name)); err != nil || strings.HasPrefix(name, "..") {
				t.Errorf("%s:%d: there is no %s", d.name, l.line, l.target)
				continue
			}
			if fragment == "" {
				continue
			}
			if !slices.ContainsFunc(read(t, name).headings, func(h heading) bool { return anchor(h.text) == fragment }) {
				t.Errorf("%s:%d: %s has no heading %s", d.name, l.line, name, fragment)
			}
		}
	}
}

var page = regexp.MustCompile(`\b((?:vi|voice)-[a-z]+(?:\.toml)?)\((\d)\)`)

// A page of a program is linked by its name: vi-asr(1) is man/vi-asr.1.
func TestPagesAreThere(t *testing.T) {
	for _, d := range documents(t) {
		for i, line := range d.lines {
			for _, m := range page.FindAllStringSubmatch(line, -1) {
				if _, err := os.Stat(filepath.Join(root, "man", m[1]+"."+m[2])); err != nil {
					t.Errorf("%s:%d: there is no page %s", d.name, i+1, m[0])
				}
			}
		}
	}
}

// The twins have the same build: headings of the same levels in the same
// order, the same code, in blocks and in prose, the same links, rows and
// pictures.
func TestTwins(t *testing.T) {
	en, zh := read(t, "README.md"), read(t, "README.zh.md")
	levels := func(d *document) (out []int) {
		for _, h := range d.headings {
			out = append(out, h.level)
		}
		return out
	}
	if a, b := levels(en), levels(zh); !slices.Equal(a, b) {
		t.Errorf("the headings have the levels %v and %v", a, b)
	}
	if en.rows != zh.rows || en.images != zh.images {
		t.Errorf("%d and %d rows of tables, %d and %d images", en.rows, zh.rows, en.images, zh.images)
	}
	for i := range min(len(en.blocks), len(zh.blocks)) {
		a, b := en.blocks[i], zh.blocks[i]
		if a.language != b.language || a.note != b.note || !slices.Equal(a.lines, b.lines) {
			t.Errorf("README.md:%d and README.zh.md:%d: the blocks differ", a.at+1, b.at+1)
		}
	}
	if len(en.blocks) != len(zh.blocks) {
		t.Errorf("%d and %d blocks", len(en.blocks), len(zh.blocks))
	}
	spans := func(d *document) (out []string) {
		for _, s := range d.spans {
			out = append(out, s.text)
		}
		slices.Sort(out)
		return slices.Compact(out)
	}
	if a, b := spans(en), spans(zh); !slices.Equal(a, b) {
		t.Errorf("the code in prose differs:\n%q\n%q", a, b)
	}
	targets := func(d *document) (out []string) {
		for _, l := range d.links {
			if !strings.HasPrefix(l.target, "README.") && !strings.HasPrefix(l.target, "#") {
				out = append(out, l.target)
			}
		}
		slices.Sort(out)
		return slices.Compact(out)
	}
	if a, b := targets(en), targets(zh); !slices.Equal(a, b) {
		t.Errorf("the links differ:\n%q\n%q", a, b)
	}
	shown := 0
	for i, closed := 0, false; i < len(en.lines); i++ {
		closed = closed || strings.HasPrefix(en.lines[i], "<details>")
		if !closed {
			shown++
		}
		closed = closed && en.lines[i] != "</details>"
	}
	if shown > 270 {
		t.Errorf("README.md has %d lines to read: nobody reads so much", shown)
	}
}

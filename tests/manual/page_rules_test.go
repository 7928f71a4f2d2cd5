package manual

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// order is that of the sections; a page has those that it needs.
var order = []string{
	"NAME", "SYNOPSIS", "DESCRIPTION", "INPUT AND OUTPUT", "ENVIRONMENT", "FILES", "EXIT STATUS", "EXAMPLES",
	"DIAGNOSTICS", "SECURITY", "SEE ALSO", "STANDARDS", "AUTHORS", "CAVEATS",
}

// needed are the sections of every page, and of a program's.
var (
	needed        = []string{"NAME", "DESCRIPTION", "EXAMPLES", "SECURITY", "SEE ALSO", "AUTHORS"}
	neededProgram = []string{"SYNOPSIS", "INPUT AND OUTPUT", "ENVIRONMENT", "FILES", "EXIT STATUS", "DIAGNOSTICS"}
)

func TestSections(t *testing.T) {
	for _, p := range pages(t) {
		var titles []string
		for _, s := range p.sections {
			titles = append(titles, s.title)
		}
		at := -1
		for _, title := range titles {
			i := slices.Index(order, title)
			if i <= at {
				t.Errorf("%s: section %q is unknown or out of order", p.file, title)
			}
			at = i
		}
		must := needed
		if strings.HasSuffix(p.file, ".1") {
			must = append(slices.Clone(needed), neededProgram...)
		}
		for _, title := range must {
			if !slices.Contains(titles, title) {
				t.Errorf("%s: section %q is missing", p.file, title)
			}
		}
	}
}

// The title line has the name and the section of the file.
func TestTitles(t *testing.T) {
	for _, p := range pages(t) {
		text, err := os.ReadFile(filepath.Join(root, "man", p.file))
		if err != nil {
			t.Fatal(err)
		}
		dot := strings.LastIndex(p.file, ".")
		if want := "\n.Dt " + strings.ToUpper(p.file[:dot]) + " " + p.file[dot+1:] + "\n"; !strings.Contains(string(text), want) {
			t.Errorf("%s: there is no line %q", p.file, strings.TrimSpace(want))
		}
	}
}

// Our own pages that are referred to exist, and the tour and SEE ALSO lead to
// every page.
func TestCrossReferences(t *testing.T) {
	var files []string
	for _, p := range pages(t) {
		files = append(files, p.file)
	}
	for _, p := range pages(t) {
		text, err := os.ReadFile(filepath.Join(root, "man", p.file))
		if err != nil {
			t.Fatal(err)
		}
		var refers []string
		for line := range strings.Lines(string(text)) {
			words := strings.Fields(line)
			for i, w := range words {
				if (w == ".Xr" || w == "Xr") && i+2 < len(words) {
					refers = append(refers, words[i+1]+"."+words[i+2])
				}
			}
		}
		for _, r := range refers {
			ours := strings.HasPrefix(r, "vi-") || strings.HasPrefix(r, "voice-input")
			if ours && !slices.Contains(files, r) {
				t.Errorf("%s refers to %s, which does not exist", p.file, r)
			}
			if r == p.file {
				t.Errorf("%s refers to itself", p.file)
			}
		}
		if p.file == "voice-input.7" {
			same(t, "voice-input.7 lists the pages", slices.Compact(slices.Sorted(slices.Values(slices.DeleteFunc(slices.Clone(refers), func(r string) bool { return !slices.Contains(files, r) })))),
				slices.DeleteFunc(slices.Clone(files), func(f string) bool { return f == p.file }))
		} else if !slices.Contains(refers, "voice-input.7") {
			t.Errorf("%s does not refer to voice-input.7", p.file)
		}
	}
}

func TestLint(t *testing.T) {
	need(t, "mandoc")
	files, _ := filepath.Glob(filepath.Join(root, "man/*"))
	out, err := exec.CommandContext(t.Context(), "mandoc", append([]string{"-T", "lint", "-W", "warning"}, files...)...).CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
}

// A reader has 80 columns; only displays, which are not filled, can be wider.
func TestWidth(t *testing.T) {
	for _, p := range pages(t) {
		for line := range strings.Lines(render(t, p.file, "80")) {
			if n := len([]rune(strings.TrimRight(line, "\n"))); n > 80 {
				t.Errorf("%s has a line of %d columns: %s", p.file, n, line)
			}
		}
	}
}

// render returns a page as text.
func render(t *testing.T, file, width string) string {
	t.Helper()
	need(t, "mandoc")
	out, err := exec.CommandContext(t.Context(), "mandoc", "-T", "ascii", "-O", "width="+width, filepath.Join(root, "man", file)).Output()
	if err != nil {
		t.Fatal(err)
	}
	// Bold and underlined letters are written twice with a backspace.
	var text []byte
	for _, b := range out {
		if b == '\b' {
			text = text[:len(text)-1]
			continue
		}
		text = append(text, b)
	}
	return string(text)
}

// need fails the test if a program is absent, or skips it where that is
// allowed.
func need(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err == nil {
		return
	}
	if os.Getenv("VI_TEST_ALLOW_SKIP") == "1" {
		t.Skipf("%s is not installed", program)
	}
	t.Fatalf("%s is not installed", program)
}

package manual

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A page reads like one that was set by hand: no blank stands before a mark
// that ends a phrase, and an example does not stick to what comes behind it.
func TestLayout(t *testing.T) {
	stray, command := regexp.MustCompile(`\S [.,;:)]( |$)`), regexp.MustCompile(`^ *[$>] `)
	for _, p := range pages(t) {
		for i, line := range strings.Split(render(t, p.file, "80"), "\n") {
			if stray.MatchString(line) && !command.MatchString(line) {
				t.Errorf("%s:%d at 80 columns: a blank before a mark: %s", p.file, i+1, strings.TrimSpace(line))
			}
		}
		source, err := os.ReadFile(filepath.Join(root, "man", p.file))
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(source), "\n")
		for i, line := range lines[:len(lines)-1] {
			if line == ".Ed" && lines[i+1] != "" && !strings.HasPrefix(lines[i+1], ".") {
				t.Errorf("%s:%d: no .Pp behind the example", p.file, i+1)
			}
		}
	}
}

package tests

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// rules are those of agent context, by the number of each letter: what is read
// and when, what may leave the machine, and how it fails.
var rules = []struct {
	letter string
	count  int
}{{"A", 2}, {"B", 3}, {"C", 8}, {"D", 5}, {"E", 2}, {"F", 5}, {"G", 6}, {"H", 3}, {"I", 3}, {"J", 6}, {"K", 4}}

// Each rule has a test that is named after it: TestRule_A1_…, or in JavaScript
// "F1: …".
func TestEveryRuleHasItsTest(t *testing.T) {
	name := regexp.MustCompile(`func Test\w*Rule((?:_[A-Z]\d+)+)|\b(?:test|it)\("([A-Z]\d+)(?:, [A-Z]\d+)*: `)
	tested := map[string]bool{}
	for _, top := range []string{"../pkg", ".", "../share/pi"} {
		err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, "_test.go") && !strings.HasSuffix(path, ".test.js") {
				return err
			}
			text, err := os.ReadFile(path)
			for _, m := range name.FindAllStringSubmatch(string(text), -1) {
				for id := range strings.SplitSeq(m[1]+m[2], "_") {
					tested[id] = true
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range rules {
		for i := 1; i <= r.count; i++ {
			if id := fmt.Sprint(r.letter, i); !tested[id] {
				t.Errorf("no test is named after rule %s", id)
			}
		}
	}
}

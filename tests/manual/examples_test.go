package manual

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"voice-input/pkg/cli"
)

// TestExamples runs the displays that are marked with a comment "run" above
// them: each "$ " line, with its "> " lines, must print what stands below it.
// A comment "file NAME" above a display makes a file of it for the others of
// the page.
func TestExamples(t *testing.T) {
	dir := t.TempDir()
	bin := filepath.Join(dir, "bin")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", bin+"/", root+"/cmd/...").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	ran := 0
	for _, p := range pages(t) {
		t.Run(p.file, func(t *testing.T) {
			home := t.TempDir()
			for _, d := range p.displays {
				if name, ok := strings.CutPrefix(d.note, "file "); ok {
					text := strings.Join(d.lines, "\n") + "\n"
					if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				if d.note != "run" {
					continue
				}
				for _, e := range examples(d.lines) {
					ran++
					cmd := exec.CommandContext(t.Context(), "sh", "-c", e.command)
					cmd.Dir, cmd.WaitDelay = home, time.Second
					cmd.Env = []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + home, "XDG_RUNTIME_DIR=" + home, "LC_ALL=C.UTF-8"}
					var stderr bytes.Buffer
					cmd.Stderr = &stderr
					out, err := cmd.Output()
					if err != nil || string(out) != e.output || stderr.Len() > 0 {
						t.Errorf("$ %s\n%v, printed\n%swant\n%sstandard error: %s", e.command, err, out, e.output, stderr.Bytes())
					}
				}
			}
		})
	}
	if ran == 0 {
		t.Error("no example is marked to be run")
	}
}

type example struct{ command, output string }

func examples(lines []string) []example {
	var out []example
	for _, line := range lines {
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			out = append(out, example{command: command})
			continue
		}
		e := &out[len(out)-1]
		if more, ok := strings.CutPrefix(line, "> "); ok && e.output == "" {
			e.command += "\n" + more
			continue
		}
		e.output += line + "\n"
	}
	return out
}

// Examples that cannot be run here, for want of a microphone, at least call
// our programs by commands and flags that exist.
func TestExamplesUseWhatExists(t *testing.T) {
	calls := 0
	for _, p := range pages(t) {
		for _, d := range p.displays {
			text := ends.ReplaceAllString(strings.Join(d.lines, "\n"), " $0 ")
			words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\"'()$", r) })
			for i, word := range words {
				for _, program := range programs() {
					if word == program.Name {
						calls++
						checkCall(t, p.file, program, words[i+1:])
					}
				}
			}
		}
	}
	if calls < 20 {
		t.Errorf("only %d calls of our programs were found in the examples", calls)
	}
}

// ends matches what ends a call in a shell, or in the file of a compositor.
var ends = regexp.MustCompile(`[|;<>&{}\n]`)

func checkCall(t *testing.T, file string, program *cli.Command, words []string) {
	t.Helper()
	current, path := program, program.Name
	allowed := []string{"version", "help"}
	known := func(c *cli.Command) {
		for _, f := range c.AllFlags() {
			allowed = append(allowed, f.Names()...)
		}
	}
	known(current)
	for _, word := range words {
		if ends.MatchString(word) {
			break
		}
		if i := slices.IndexFunc(current.Commands, func(c *cli.Command) bool { return c.Name == word }); i >= 0 {
			current = current.Commands[i]
			path += " " + word
			known(current)
			continue
		}
		if flag, ok := strings.CutPrefix(word, "--"); ok {
			name, _, _ := strings.Cut(flag, "=")
			if !slices.Contains(allowed, name) {
				t.Errorf("%s: an example calls %s with --%s, which does not exist", file, path, name)
			}
		}
	}
	if current.Run == nil {
		t.Errorf("%s: an example calls %s, which needs a command", file, path)
	}
}

package completions

import (
	"flag"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("u", false, "write the files")

const share = "../../share"

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

// The committed files are what would be written now, and there are no others.
func TestCommitted(t *testing.T) {
	want, err := files(share)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(share, "completions")
	if *update {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		for path, text := range want {
			path = filepath.Join(dir, path)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	got := map[string]string{}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		got[rel] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if !maps.Equal(got, want) {
		for _, path := range slices.Sorted(maps.Keys(want)) {
			if got[path] != want[path] {
				t.Errorf("%s differs", path)
			}
		}
		t.Error("share/completions is not what the tables of commands give: go test ./tests/completions -u")
	}
	programs, err := os.ReadDir("../../cmd")
	if err != nil {
		t.Fatal(err)
	}
	if len(want) != 3*len(programs) {
		t.Errorf("%d files for %d programs", len(want), len(programs))
	}
}

// The shells read the files without a word (P6).
func TestP6Syntax(t *testing.T) {
	for _, c := range []struct {
		dir  string
		argv []string
	}{
		{"bash", []string{"bash", "-n"}},
		{"bash", []string{"shellcheck", "-s", "bash"}},
		{"zsh", []string{"zsh", "-n"}},
		{"fish", []string{"fish", "-n"}},
	} {
		t.Run(c.argv[0], func(t *testing.T) {
			need(t, c.argv[0])
			files, err := filepath.Glob(filepath.Join(share, "completions", c.dir, "*"))
			if err != nil || len(files) == 0 {
				t.Fatal(files, err)
			}
			for _, file := range files {
				if out, err := exec.CommandContext(t.Context(), c.argv[0], append(c.argv[1:], file)...).CombinedOutput(); err != nil || len(out) > 0 {
					t.Errorf("%v %s: %v\n%s", c.argv, file, err, out)
				}
			}
		})
	}
}

// question is a line that somebody types up to the cursor, and the answers
// that a shell must give; nil where it may give none.
type question struct {
	line string
	want []string
}

// questions asks for everything: the flags and sub-commands of every command,
// and the words of every value.
func questions(t *testing.T) []question {
	t.Helper()
	names, err := modelNames(share)
	if err != nil {
		t.Fatal(err)
	}
	var out []question
	ask := func(line string, want ...string) {
		slices.Sort(want)
		out = append(out, question{line, want})
	}
	for _, program := range programs() {
		for _, n := range newNode(program, "", names).all() {
			var flags, commands []string
			for _, f := range n.flags {
				flags = append(flags, "--"+f.name)
				if f.value == nil {
					continue
				}
				switch {
				case len(f.value.words) > 0:
					ask(n.path+" --"+f.name+" ", f.value.words...)
				case f.value.files:
					ask(n.path+" --"+f.name+" some", "some.txt")
				case f.value.dirs:
					ask(n.path+" --"+f.name+" fol", "folder")
					ask(n.path + " --" + f.name + " some")
				}
			}
			ask(n.path+" --", flags...)
			for _, c := range n.commands {
				commands = append(commands, c.name)
			}
			if len(commands) > 0 {
				ask(n.path+" ", commands...)
			}
			if len(n.operand.words) > 0 {
				ask(n.path+" ", n.operand.words...)
			}
		}
	}
	// A beginning, another flag and its value before the cursor, and the form
	// with an equals sign.
	ask("voice-input record t", "toggle")
	ask("voice-input record start --pri", "--private")
	ask("voice-input --config record status --fo", "--follow", "--format")
	ask("voice-input status --follow --format w", "waybar")
	ask("vi-refine --style m", "message")
	ask("vi-refine --style=m", "message")
	ask("vi-refine --terms x --style a", "agent-markdown")
	ask("vi-asr --pace fast --format w", "wav")
	ask("vi-type --to no-such-place")
	ask("vi-asr --takes=")
	// Behind an operand nothing may stand.
	ask("voice-input history show last ")
	ask("voice-input history show last --")
	ask("voice-input history no-such-command ")
	return out
}

// compare reports where a shell answered something else.
func compare(t *testing.T, questions []question, answer map[string][]string) {
	t.Helper()
	for _, q := range questions {
		var got []string
		for _, a := range answer[q.line] {
			got = append(got, strings.TrimSuffix(a, "/")) // of a directory, by some shells
		}
		slices.Sort(got)
		if !slices.Equal(got, q.want) {
			t.Errorf("%q gives %q, want %q", q.line, got, q.want)
		}
	}
}

// answers reads what the scripts print: "? LINE", and the answers below.
func answers(t *testing.T, text string) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	line := ""
	for s := range strings.Lines(text) {
		s = strings.TrimRight(s, "\n")
		if rest, ok := strings.CutPrefix(s, "? "); ok {
			line = rest
		} else if s != "" && line != "" {
			out[line] = append(out[line], s)
		}
	}
	return out
}

// place returns a directory with a file and a folder to be completed.
func place(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "some.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

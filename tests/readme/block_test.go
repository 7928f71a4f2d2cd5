package readme

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"voice-input/pkg/config"
	"voice-input/tests/agents/fixture"
)

// demo is what "just demo" prints when its programs are built.
func demo(t *testing.T) string {
	t.Helper()
	fixture.Need(t, "pulseaudio", "python3", "pocketsphinx_continuous")
	// The demo takes the programs that lie in bin/ beside tests/.
	dir := t.TempDir()
	for _, name := range []string{"tests", "share"} {
		path, err := filepath.Abs(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(path, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(programs, filepath.Join(dir, "bin")); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "tests", "demo"))
	cmd.Env, cmd.WaitDelay = append(os.Environ(), "GORACE=exitcode=99 atexit_sleep_ms=0"), time.Second
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("the demo: %v\n%s", err, out)
	}
	return regexp.MustCompile(`\x1b\[[0-9;]*m`).ReplaceAllString(string(out), "")
}

// Marks of what differs from run to run.
var number = regexp.MustCompile(`\d+(\.\d+)?`)

// shows tells whether lines are what was printed. A line of "…" stands for any
// lines, and "…" in a line for any text. With loose any number stands for any
// other, and lines before the first and behind the last do not matter.
func shows(lines []string, printed string, loose bool) bool {
	var pattern strings.Builder
	for _, line := range lines {
		if line == "…" {
			pattern.WriteString(`(?:.*\n)*?`)
			continue
		}
		p := strings.ReplaceAll(regexp.QuoteMeta(line), "…", ".*")
		if loose {
			p = number.ReplaceAllString(strings.ReplaceAll(p, `\.`, "."), `\d+(?:\.\d+)?`)
		}
		pattern.WriteString(p + `\n`)
	}
	text := pattern.String()
	if loose {
		text = `(?m:^)` + text
	} else {
		text = `^` + text + `$`
	}
	return regexp.MustCompile(text).MatchString(printed)
}

func TestShows(t *testing.T) {
	for _, tt := range []struct {
		lines, printed string
		loose, want    bool
	}{
		{"a\nb", "a\nb\n", false, true},
		{"a\nb", "a\nb\nc\n", false, false},
		{"a\n…", "a\nb\nc\n", false, true},
		{"a\n…\nc", "a\nc\n", false, true},
		{"…\nc", "a\nb\n", false, false},
		{"is …/bin", "is /usr/bin\n", false, true},
		{"took 0.6 s", "x\ntook 12 s\ny\n", true, true},
		{"took 0.6 s", "took long\n", true, false},
		{"a.b", "axb\n", false, false},
	} {
		if got := shows(strings.Split(tt.lines, "\n"), tt.printed, tt.loose); got != tt.want {
			t.Errorf("%q, %q: %t", tt.lines, tt.printed, got)
		}
	}
}

// Every block is one that can be checked, and is what it should be.
//
//	sh        commands that a shell can read; TestCommandsExist looks at them
//	console   "$ " commands that are run, and what they print
//	toml      a configuration
//	nix       a module for Home Manager
//	jsonl     records
//	others    "from NAME": what a producer makes; "layers": TestLayers
func TestBlocks(t *testing.T) {
	made := map[string]string{}
	for _, d := range documents(t) {
		if d.name == "README.zh.md" {
			continue // it has the blocks of README.md: TestTwins
		}
		if strings.HasPrefix(d.name, "tests/") {
			continue // what recordings are from, with the licence as a block
		}
		for _, b := range slices.Backward(d.blocks) { // so that -u does not move those to come
			where := fmt.Sprintf("%s:%d", d.name, b.at)
			from, produced := strings.CutPrefix(b.note, "from ")
			switch {
			case b.note == "layers":
			case b.language == "sh":
				if out, err := exec.CommandContext(t.Context(), "bash", "-n", "-c", strings.Join(b.lines, "\n")).CombinedOutput(); err != nil {
					t.Errorf("%s: %v: %s", where, err, out)
				}
			case b.language == "nix":
				isModule(t, where, strings.Join(b.lines, "\n"))
			case b.language == "jsonl":
				for _, line := range b.lines {
					if what := record(line); what != "" {
						t.Errorf("%s: %s: %s", where, what, line)
					}
				}
			case b.language == "toml":
				if _, problems := config.Parse([]byte(strings.Join(b.lines, "\n"))); len(problems) > 0 {
					t.Errorf("%s: %v", where, problems)
				}
			case b.language == "console":
				runs(t, where, b)
			case produced && producers[from] != nil:
				if made[from] == "" {
					made[from] = producers[from](t)
				}
				switch {
				case from == "the demo":
					if !shows(b.lines, made[from], true) {
						t.Errorf("%s: the demo printed\n%s", where, made[from])
					}
				case strings.Join(b.lines, "\n")+"\n" == made[from]:
				case *update:
					write(t, d, b, made[from])
				default:
					t.Errorf("%s: %s is now (-u writes it)\n%s", where, from, made[from])
				}
			default:
				t.Errorf("%s: nothing checks this block", where)
			}
		}
	}
}

// write puts new lines into a block.
func write(t *testing.T, d *document, b block, text string) {
	t.Helper()
	lines := slices.Concat(d.lines[:b.at], strings.Split(strings.TrimSuffix(text, "\n"), "\n"), d.lines[b.at+len(b.lines):])
	d.lines = lines
	if err := os.WriteFile(filepath.Join(root, d.name), []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

// runs runs the commands of a block in a directory where the repository's tests
// are at hand, in order.
func runs(t *testing.T, where string, b block) {
	t.Helper()
	fixture.Need(t, "pocketsphinx_continuous")
	dir := t.TempDir()
	tests, err := filepath.Abs(root + "/tests")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(tests, filepath.Join(dir, "tests")); err != nil {
		t.Fatal(err)
	}
	type example struct {
		command string
		output  []string
	}
	var all []example
	for _, line := range b.lines {
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			all = append(all, example{command: command})
		} else if len(all) > 0 {
			all[len(all)-1].output = append(all[len(all)-1].output, line)
		}
	}
	for _, e := range all {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", e.command)
		cmd.Dir, cmd.Env, cmd.WaitDelay = dir, environment(dir), time.Second
		// A status is an answer too; what counts is what a person sees.
		out, err := cmd.CombinedOutput()
		if !shows(e.output, string(out), false) {
			t.Errorf("%s: $ %s\n%v, printed\n%s", where, e.command, err, out)
		}
	}
}

package readme

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"voice-input/pkg/asr"
	"voice-input/pkg/capture"
	"voice-input/pkg/cli"
	"voice-input/pkg/config"
	"voice-input/pkg/deliver"
	"voice-input/pkg/focus"
	"voice-input/pkg/refine"
	"voice-input/pkg/session"
	"voice-input/pkg/supervise"
	"voice-input/pkg/terms"
)

// commands are the programs by their names.
var commands = map[string]*cli.Command{}

func init() {
	for _, c := range []*cli.Command{
		focus.Command(), session.Command(), terms.Command(), capture.Command(), asr.Command(), refine.Command(), deliver.Command(), supervise.Program(),
	} {
		commands[c.Name] = c
	}
}

// separators part the commands of a line, and what they read and write.
var separators = regexp.MustCompile(`\|\|?|&&?|;|\$\(|\)|[<>]+ *[^ |;)]+`)

// quoted is one word, whatever is in it.
var quoted = regexp.MustCompile(`'[^']*'|"[^"]*"`)

// calls returns the simple commands of a shell line, as words. Words in quotes
// are Q.
func calls(line string) (out [][]string) {
	line, _, _ = strings.Cut(line, " # ")
	for _, part := range separators.Split(quoted.ReplaceAllString(line, "Q"), -1) {
		if words := strings.Fields(part); len(words) > 0 {
			out = append(out, words)
		}
	}
	return out
}

// wrong says what of a call does not exist, "" if all does or the program is
// none of ours.
func wrong(words []string, recipes []string) string {
	name := filepath.Base(words[0])
	switch {
	case words[0] == "./bootstrap" || name == "just":
		if len(words) > 1 && !slices.Contains(recipes, words[1]) {
			return "there is no recipe " + words[1]
		}
		return ""
	case strings.HasPrefix(words[0], "./") || strings.HasPrefix(words[0], "tests/"):
		if _, err := os.Stat(filepath.Join(root, words[0])); err != nil {
			return "there is no file " + words[0]
		}
		return ""
	}
	c := commands[name]
	if c == nil {
		if strings.HasPrefix(name, "vi-") && !strings.Contains(name, "*") {
			return "there is no program " + name
		}
		return ""
	}
	rest := words[1:]
	for len(rest) > 0 {
		i := slices.IndexFunc(c.Commands, func(sub *cli.Command) bool { return sub.Name == rest[0] })
		if i < 0 {
			break
		}
		c, rest = c.Commands[i], rest[1:]
	}
	if c.Run == nil && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
		return c.Name + " has no sub-command " + rest[0]
	}
	for _, w := range rest {
		flag, isFlag := strings.CutPrefix(w, "--")
		flag, _, _ = strings.Cut(flag, "=")
		if isFlag && !slices.ContainsFunc(c.AllFlags(), func(f cli.Flag) bool { return slices.Contains(f.Names(), flag) }) {
			return c.Name + " has no flag --" + flag
		}
	}
	if n := len(slices.DeleteFunc(slices.Clone(rest), func(w string) bool { return strings.HasPrefix(w, "-") })); n > 0 && c.MaxOperands == 0 && len(rest) == n {
		return c.Name + " takes no operand " + rest[0]
	}
	return ""
}

func TestWrong(t *testing.T) {
	recipes := []string{"demo", "test"}
	for line, want := range map[string]string{
		"voice-input record toggle":                             "",
		"bin/voice-input record start --private && sleep 5":     "",
		"voice-input record jump":                               "record has no sub-command jump",
		"voice-input history show --transcript last > said.txt": "",
		"vi-capture --for 5s | vi-asr --word x":                 "vi-asr has no flag --word",
		"echo 'vi-none' | vi-terms rank --counts":               "",
		"vi-none":                            "there is no program vi-none",
		"./bootstrap demo # it":              "",
		"just fly":                           "there is no recipe fly",
		"model=$(voice-input model paths x)": "model has no sub-command paths",
		"vi-focus now":                       "vi-focus takes no operand now",
		"git commit -m \"$(voice-input dictate)\"; voice-input -h": "",
	} {
		got := ""
		for _, words := range calls(line) {
			if got == "" {
				got = wrong(words, recipes)
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

// engineVariables are the variables that the engines in share/engines look at.
func engineVariables(t *testing.T) (names []string) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(root, "share/engines/*"))
	for _, f := range files {
		if b, err := os.ReadFile(f); err == nil {
			for _, m := range regexp.MustCompile(`environ\b[^\n]*?"([A-Z_]+)"`).FindAllStringSubmatch(string(b), -1) {
				names = append(names, m[1])
			}
		}
	}
	return names
}

// recipes returns the tasks of the justfile.
func recipes(t *testing.T) (names []string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, "justfile"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^([a-z-]+)(?: [^:=\n]*)?(?:="[^"]*")?:(?:[^=]|$)`).FindAllStringSubmatch(string(b), -1) {
		names = append(names, m[1])
	}
	if !slices.Contains(names, "demo") || !slices.Contains(names, "fuzz") {
		t.Fatalf("the justfile was misread: %v", names)
	}
	return names
}

// Every command that is shown exists, in blocks and in prose.
func TestCommandsExist(t *testing.T) {
	all := recipes(t)
	documents := documents(t)
	complain := func(d *document, line int, words []string) {
		if what := wrong(words, all); what != "" {
			t.Errorf("%s:%d: %s", d.name, line, what)
		}
	}
	for _, d := range documents {
		for _, s := range d.spans {
			if page.MatchString(s.text) {
				continue // TestPagesAreThere
			}
			for _, words := range calls(s.text) {
				// "record cancel" stands for "voice-input record cancel".
				if len(words) > 1 && slices.ContainsFunc(commands["voice-input"].Commands, func(c *cli.Command) bool { return c.Name == words[0] }) {
					words = append([]string{"voice-input"}, words...)
				}
				complain(d, s.line, words)
			}
		}
	}
	for _, d := range documents {
		for _, b := range d.blocks {
			for i, line := range b.lines {
				command, shown := strings.CutPrefix(line, "$ ")
				if b.language != "sh" && !(b.language == "console" && shown) {
					continue
				}
				for _, words := range calls(command) {
					complain(d, b.at+i+1, words)
				}
			}
		}
	}
}

// foreign are flags of other programs that the documents speak of: of Pi, and of
// a wrapper in nixpkgs.
var foreign = []string{"session-dir", "no-session", "suffix"}

// Flags in prose are those of a program, keys those of the configuration, and
// variables those that a program or a shipped engine looks at.
func TestNamesExist(t *testing.T) {
	flags, environ, keys := append([]string{"version"}, foreign...), engineVariables(t), []string(nil)
	var collect func(c *cli.Command)
	collect = func(c *cli.Command) {
		for _, f := range c.AllFlags() {
			flags = append(flags, f.Names()...)
		}
		environ = append(environ, c.Environ...)
		for _, sub := range c.Commands {
			collect(sub)
		}
	}
	for _, c := range commands {
		collect(c)
	}
	for _, k := range config.Keys() {
		keys = append(keys, k.Section+" "+k.Name)
	}
	flag, variable := regexp.MustCompile(`^--([a-z-]+)`), regexp.MustCompile(`\b(?:VI|VOICE_INPUT|DASHSCOPE|GROQ|OPENAI|OPENROUTER)_[A-Z_]+\b`)
	key := regexp.MustCompile(`^\[([a-z.]+)(?:\.[A-Za-z-]+)?\]\.? ?([a-z_]+)`)
	for _, d := range documents(t) {
		for _, s := range d.spans {
			if m := flag.FindStringSubmatch(s.text); m != nil && !slices.Contains(flags, m[1]) {
				t.Errorf("%s:%d: no program has %s", d.name, s.line, m[0])
			}
			for _, v := range variable.FindAllString(s.text, -1) {
				if !slices.Contains(environ, v) && !strings.HasPrefix(v, "VI_TEST_") && v != "VI_PICTURE" {
					t.Errorf("%s:%d: no program looks at %s", d.name, s.line, v)
				}
			}
			if m := key.FindStringSubmatch(s.text); m != nil && !slices.Contains(keys, strings.TrimSuffix(m[1], ".NAME")+" "+m[2]) {
				t.Errorf("%s:%d: there is no key %s", d.name, s.line, m[0])
			}
		}
	}
}

// Package manual keeps the manual pages true: what they say of flags,
// variables, statuses, records and keys is compared with the programs
// themselves, both ways, and the examples are run.
package manual

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"voice-input/pkg/asr"
	"voice-input/pkg/capture"
	"voice-input/pkg/cli"
	"voice-input/pkg/deliver"
	"voice-input/pkg/focus"
	"voice-input/pkg/refine"
	"voice-input/pkg/session"
	"voice-input/pkg/supervise"
	"voice-input/pkg/terms"
)

func programs() []*cli.Command {
	return []*cli.Command{focus.Command(), asr.Command(), capture.Command(), refine.Command(), session.Command(), terms.Command(), deliver.Command(), supervise.Program()}
}

// command is a program or a sub-command with the words that call it.
type command struct {
	*cli.Command
	parent string // "voice-input record", "" for a program
	path   string // "voice-input record start"
}

// tree returns a program and everything below it.
func tree(program *cli.Command) []command {
	var out []command
	var add func(c *cli.Command, parent string)
	add = func(c *cli.Command, parent string) {
		path := strings.TrimSpace(parent + " " + c.Name)
		out = append(out, command{c, parent, path})
		for _, sub := range c.Commands {
			add(sub, path)
		}
	}
	add(program, "")
	return out
}

func TestEveryProgramHasItsPage(t *testing.T) {
	entries, err := os.ReadDir(filepath.Join(root, "cmd"))
	if err != nil {
		t.Fatal(err)
	}
	var built, known, documented []string
	for _, e := range entries {
		built = append(built, e.Name())
	}
	for _, p := range programs() {
		known = append(known, p.Name)
	}
	for _, p := range pages(t) {
		if name, ok := strings.CutSuffix(p.file, ".1"); ok {
			documented = append(documented, name)
		}
	}
	same(t, "man/*.1 and cmd/", documented, built)
	same(t, "this test and cmd/", known, built)
}

// part returns where a command's flags are described: under its own heading,
// else under its parent's.
func describedIn(p *page, c command) *part {
	description := p.section("DESCRIPTION")
	if c.parent == "" {
		return description.parts[0]
	}
	for _, title := range []string{c.path, c.parent} {
		if found := description.part(title); found != nil {
			return found
		}
	}
	return &part{}
}

// help runs a command with --help.
func help(t *testing.T, program *cli.Command, path string) string {
	t.Helper()
	var stdout bytes.Buffer
	o := &cli.IO{
		Args: append(strings.Fields(path), "--help"), Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: os.Stderr,
		Getenv: func(string) string { return "" },
	}
	if status := cli.Main(context.Background(), program, o); status != 0 {
		t.Fatalf("%s --help: status %d", path, status)
	}
	return stdout.String()
}

var helpFlag = regexp.MustCompile(`(?m)^   --([a-z-]+)(?: \S+)?(?:, -([a-z]))?`)

// flagsOf returns the names of the flags that --help shows; those of a
// sub-command without the ones that every command has.
func flagsOf(t *testing.T, program *cli.Command, c command) []string {
	t.Helper()
	var names []string
	for _, m := range helpFlag.FindAllStringSubmatch(help(t, program, c.path), -1) {
		names = append(names, m[1])
		if m[2] != "" {
			names = append(names, m[2])
		}
	}
	if len(names) < 3 {
		t.Fatalf("%s --help shows no flags", c.path)
	}
	if c.parent != "" {
		shared := flagsOf(t, &cli.Command{Name: "x", Run: program.Run}, command{path: "x"})
		names = slices.DeleteFunc(names, func(n string) bool { return slices.Contains(shared, n) })
	}
	return names
}

// flagItems returns the items of a part that describe flags, by each name.
func flagItems(p *part) (names []string, by map[string]item) {
	by = map[string]item{}
	for _, it := range p.items {
		if len(it.head) == 0 || it.head[0] != "Fl" {
			continue
		}
		for _, word := range it.head[1:] {
			if word == "Ar" {
				break
			}
			if word != "," {
				name := strings.TrimPrefix(word, "-")
				names, by[name] = append(names, name), it
			}
		}
	}
	return names, by
}

func TestFlags(t *testing.T) {
	for _, program := range programs() {
		p := pageOf(t, program.Name+".1")
		inPage, inCode := map[*part][]string{}, map[*part][]string{}
		for _, c := range tree(program) {
			where := describedIn(p, c)
			inPage[where], _ = flagItems(where)
			for _, name := range flagsOf(t, program, c) {
				if !slices.Contains(inCode[where], name) {
					inCode[where] = append(inCode[where], name)
				}
			}
			flags := c.Flags
			if c.parent == "" {
				flags = c.AllFlags()
			}
			for _, f := range flags {
				checkFlag(t, c.path, where, f)
			}
		}
		for where := range inCode {
			same(t, strings.TrimSpace(p.file+" flags "+where.title), inPage[where], inCode[where])
		}
	}
}

// documented is what every type of flag can tell of itself.
type documented interface {
	TakesValue() bool
	GetUsage() string
	GetDefaultText() string
}

var placeholder = regexp.MustCompile("`([^`]+)`")

// checkFlag compares a flag's placeholder and default with its item.
func checkFlag(t *testing.T, path string, where *part, f cli.Flag) {
	t.Helper()
	name := f.Names()[0]
	_, by := flagItems(where)
	it, ok := by[name]
	d := f.(documented)
	if !ok || !d.TakesValue() {
		return // a missing one is reported by its name
	}
	want := ""
	if m := placeholder.FindStringSubmatch(d.GetUsage()); m != nil {
		want = m[1]
	}
	if got := strings.Join(it.head, " "); want == "" || !strings.HasSuffix(got, "Fl -"+name+" Ar "+want) {
		t.Errorf("%s --%s: the page calls it %q, --help calls its value %q", path, name, got, want)
	}
	value := strings.Trim(d.GetDefaultText(), `"`)
	if value == "" || value == "0s" {
		return
	}
	if !regexp.MustCompile(`The default is ` + regexp.QuoteMeta(value) + `[ .,]`).MatchString(plain(it.body) + " ") {
		t.Errorf("%s --%s: the page does not say \"The default is %s\"", path, name, value)
	}
}

// Every sub-command has a heading of its own or an item below its parent's,
// and there are no others.
func TestCommands(t *testing.T) {
	for _, program := range programs() {
		p := pageOf(t, program.Name+".1")
		description := p.section("DESCRIPTION")
		var inPage, inCode []string
		for _, c := range tree(program) {
			if c.parent != "" {
				inCode = append(inCode, c.path)
			}
			where := description.part(c.path)
			if where == nil || len(c.Commands) == 0 {
				continue
			}
			for _, it := range where.items {
				if len(it.head) > 1 && it.head[0] == "Cm" {
					inPage = append(inPage, c.path+" "+it.head[1])
				}
			}
		}
		for _, part := range description.parts {
			if strings.HasPrefix(part.title, program.Name+" ") {
				inPage = append(inPage, part.title)
			}
		}
		same(t, p.file+" sub-commands", inPage, inCode)
	}
}

func TestEnvironment(t *testing.T) {
	for _, program := range programs() {
		p := pageOf(t, program.Name+".1")
		var inPage, inCode []string
		add := func(names ...string) {
			for _, n := range names {
				if !slices.Contains(inCode, n) {
					inCode = append(inCode, n)
				}
			}
		}
		for _, c := range tree(program) {
			add(c.Environ...)
			for _, f := range c.Flags {
				if e, ok := f.(interface{ GetEnvVars() []string }); ok {
					add(e.GetEnvVars()...)
				}
			}
		}
		for _, part := range p.section("ENVIRONMENT").parts {
			for _, it := range part.items {
				if len(it.head) == 2 && it.head[0] == "Ev" {
					inPage = append(inPage, it.head[1])
				}
			}
		}
		same(t, p.file+" ENVIRONMENT", inPage, inCode)
	}
}

// The SYNOPSIS as it is rendered has the usage lines of --help.
func TestSynopsis(t *testing.T) {
	for _, program := range programs() {
		file := program.Name + ".1"
		_, rest, _ := strings.Cut(render(t, file, "200"), "\nSYNOPSIS\n")
		text, _, _ := strings.Cut(rest, "\n\n")
		var got, want []string
		for line := range strings.Lines(text) {
			got = append(got, strings.TrimSpace(line))
		}
		for _, c := range tree(program) {
			if c.parent == "" && c.Run == nil || strings.Contains(c.parent, " ") {
				continue // the lines of its sub-commands, or of its group, say it
			}
			usage := c.Synopsis(c.parent)
			if want := c.path + ": " + c.Usage + "\n\nusage: " + usage + "\n"; !strings.HasPrefix(help(t, program, c.path), want) {
				t.Errorf("%s --help does not begin with %q", c.path, want)
			}
			want = append(want, usage)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: SYNOPSIS is\n  %s\nwant\n  %s", file, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
		}
	}
}

func TestNamesAndSentences(t *testing.T) {
	for _, program := range programs() {
		name := pageOf(t, program.Name+".1").section("NAME").parts[0].prose
		if want := []string{".Nm " + program.Name, ".Nd " + program.Usage}; !slices.Equal(name, want) {
			t.Errorf("%s.1: NAME is %q, want %q", program.Name, name, want)
		}
	}
}

// statuses returns the numbers in a page's EXIT STATUS, with the items.
func statuses(t *testing.T, p *page) (numbers []int, items []item) {
	t.Helper()
	for _, it := range p.section("EXIT STATUS").parts[0].items {
		n, err := strconv.Atoi(it.head[0])
		if err != nil {
			t.Errorf("%s: EXIT STATUS has %q", p.file, it.head)
		}
		numbers, items = append(numbers, n), append(items, it)
	}
	return numbers, items
}

func TestExitStatuses(t *testing.T) {
	known := []int{}
	for _, s := range cli.Statuses {
		known = append(known, int(s.Status))
	}
	for _, program := range programs() {
		p := pageOf(t, program.Name+".1")
		numbers, _ := statuses(t, p)
		for _, n := range numbers {
			if !slices.Contains(known, n) {
				t.Errorf("%s: there is no status %d", p.file, n)
			}
		}
		// The frame alone can end every program with these.
		for _, s := range []cli.Status{cli.StatusOK, cli.StatusUsage, cli.StatusSoftware, cli.StatusIO} {
			if !slices.Contains(numbers, int(s)) {
				t.Errorf("%s: status %d is missing", p.file, s)
			}
		}
		if !slices.IsSorted(numbers) {
			t.Errorf("%s: EXIT STATUS is out of order", p.file)
		}
	}

	tour := pageOf(t, "voice-input.7")
	var got, want []string
	_, items := statuses(t, tour)
	for _, it := range items {
		got = append(got, strings.Join(it.head, " ")+": "+plain(it.body))
	}
	for _, s := range cli.Statuses {
		want = append(want, strconv.Itoa(int(s.Status))+" "+s.Name+": "+s.Meaning)
	}
	if !slices.Equal(got, want) {
		t.Errorf("voice-input.7: the table of statuses is\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

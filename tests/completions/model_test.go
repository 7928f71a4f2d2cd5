// Package completions writes what the shells need to complete the programs'
// commands, flags and values, from the programs' own tables of commands. The
// files lie in share/completions; TestCommitted keeps them as they would be
// written, and the shells themselves are asked for completions.
package completions

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"voice-input/pkg/asr"
	"voice-input/pkg/capture"
	"voice-input/pkg/cli"
	"voice-input/pkg/deliver"
	"voice-input/pkg/focus"
	"voice-input/pkg/models"
	"voice-input/pkg/refine"
	"voice-input/pkg/session"
	"voice-input/pkg/supervise"
	"voice-input/pkg/terms"
)

// programs returns the programs, in the order of the pipeline.
func programs() []*cli.Command {
	return []*cli.Command{
		focus.Command(), session.Command(), terms.Command(), capture.Command(), asr.Command(), refine.Command(), deliver.Command(), supervise.Program(),
	}
}

// shells are the shells that are known, each with what it calls the file for a
// program, and how that is written.
var shells = []struct {
	name  string
	file  func(program string) string
	write func(*node) string
}{
	{"bash", func(p string) string { return p }, bash},
	{"zsh", func(p string) string { return "_" + p }, zsh},
	{"fish", func(p string) string { return p + ".fish" }, fish},
}

// files returns every file, by its path below share/completions. The directory
// share has the list of models.
func files(share string) (map[string]string, error) {
	names, err := modelNames(share)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, program := range programs() {
		n := newNode(program, "", names)
		if err := n.unambiguous(); err != nil {
			return nil, err
		}
		for _, s := range shells {
			out[filepath.Join(s.name, s.file(program.Name))] = s.write(n)
		}
	}
	return out, nil
}

func modelNames(share string) ([]string, error) {
	data, err := os.ReadFile(filepath.Join(share, "models.toml"))
	if err != nil {
		return nil, err
	}
	m, err := models.Parse(data)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, model := range m.Models {
		names = append(names, model.Name)
	}
	return names, nil
}

// node is a program or one of its sub-commands.
type node struct {
	name, path, usage string // path is "voice-input record start"
	flags             []option
	operand           value
	commands          []*node
}

// option is a flag that a command takes. Those of every command are shared.
type option struct {
	name, usage string
	value       *value // nil for a flag that is given or not
	shared      bool
}

// value says what may stand for a placeholder.
type value struct {
	placeholder string
	words       []string
	files, dirs bool
}

var placeholder = regexp.MustCompile("`([^`]+)`")

func newNode(c *cli.Command, parent string, modelNames []string) *node {
	n := &node{name: c.Name, path: strings.TrimSpace(parent + " " + c.Name), usage: c.Usage}
	n.operand = value{placeholder: strings.Trim(c.Operands, "[]"), words: c.Words[""]}
	if n.path == "voice-input model get" || n.path == "voice-input model path" {
		n.operand.words = modelNames
	}
	for _, f := range c.AllFlags() {
		d := f.(interface {
			TakesValue() bool
			GetUsage() string
		})
		name := f.Names()[0]
		out := option{name: name, usage: strings.ReplaceAll(d.GetUsage(), "`", ""), shared: !slices.Contains(c.Flags, f)}
		if d.TakesValue() {
			out.value = &value{words: c.Words[name]}
			if m := placeholder.FindStringSubmatch(d.GetUsage()); m != nil {
				out.value.placeholder = m[1]
			}
			switch out.value.placeholder {
			case "FILE", "WAV", "DIR|FILE":
				out.value.files = true
			case "DIR":
				out.value.dirs = true
			}
		}
		n.flags = append(n.flags, out)
	}
	n.flags = append(n.flags, option{name: "help", usage: "show this help", shared: true})
	if parent == "" {
		n.flags = append(n.flags, option{name: "version", usage: "print the version"})
	}
	for _, sub := range c.Commands {
		n.commands = append(n.commands, newNode(sub, n.path, modelNames))
	}
	return n
}

// all returns a node and everything below it.
func (n *node) all() []*node {
	out := []*node{n}
	for _, c := range n.commands {
		out = append(out, c.all()...)
	}
	return out
}

// unambiguous makes sure that a flag of one name takes a value everywhere or
// nowhere: the words before the cursor are read by that.
func (n *node) unambiguous() error {
	takes := map[string]bool{}
	for _, c := range n.all() {
		for _, f := range c.flags {
			if before, known := takes[f.name]; known && before != (f.value != nil) {
				return fmt.Errorf("%s: --%s takes a value in one command and none in another", n.name, f.name)
			}
			takes[f.name] = f.value != nil
		}
	}
	return nil
}

// valueFlags returns the names of the flags that take a value, in any command.
func (n *node) valueFlags() []string {
	var names []string
	for _, c := range n.all() {
		for _, f := range c.flags {
			if f.value != nil {
				names = append(names, "--"+f.name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// below returns the paths of all sub-commands.
func (n *node) below() []string {
	var paths []string
	for _, c := range n.all()[1:] {
		paths = append(paths, c.path)
	}
	return paths
}

// identifier turns the name of a program into that of a shell's function.
func identifier(s string) string { return strings.NewReplacer("-", "_", " ", "_").Replace(s) }

// quoted returns s in single quotes, as bash and zsh read them.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

const header = "written by tests/completions from the program's table of commands"

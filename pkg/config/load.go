package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"voice-input/pkg/cli"
	"voice-input/pkg/internal/xdg"
)

// maxFile bounds the file: a configuration of every key is a few kilobytes.
const maxFile = 1 << 20

// Load reads the file named by path, or the user's own file if path is
// empty; that one may be missing. The error has status 78 for a wrong file
// and 66 for a missing one.
func Load(path string, getenv func(string) string) (Config, error) {
	own := path == ""
	if own {
		path = xdg.ConfigFile(getenv)
	}
	f, err := os.Open(path)
	switch {
	case errors.Is(err, os.ErrNotExist) && own:
		return Default(), nil
	case errors.Is(err, os.ErrNotExist):
		return Config{}, cli.Errorf(cli.StatusNoInput, "cannot read configuration: %w", err)
	case err != nil:
		return Config{}, cli.Errorf(cli.StatusConfig, "cannot read configuration: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	switch {
	case err != nil:
		return Config{}, cli.Errorf(cli.StatusConfig, "cannot read configuration: %w", err)
	case len(data) > maxFile:
		return Config{}, cli.Errorf(cli.StatusConfig, "cannot read configuration: %q is larger than 1 MiB", path)
	}
	cfg, problems := Parse(data)
	if len(problems) == 0 {
		return cfg, nil
	}
	lines := make([]string, len(problems))
	for i, p := range problems {
		lines[i] = path + ":" + p.String()
	}
	return Config{}, cli.Errorf(cli.StatusConfig, "%s", strings.Join(lines, "\n")).WithHint("voice-input config show prints every key with the value in force")
}

// Problem is one thing that is wrong with a file. It never holds a value.
type Problem struct {
	Line   int
	Key    string // "[section].key", "" for a fault of the syntax
	Reason string
}

func (p Problem) String() string {
	if p.Key == "" {
		return fmt.Sprintf("%d: %s", p.Line, p.Reason)
	}
	return fmt.Sprintf("%d: %s: %s", p.Line, p.Key, p.Reason)
}

// Parse reads a configuration and returns it with the defaults filled in, or
// everything that is wrong with it.
func Parse(data []byte) (Config, []Problem) {
	cfg := Default()
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	// The library's decoder finds faults of the syntax and the values; what
	// it would say of a wrong kind names Go types, so the kinds are checked
	// first, on the tree.
	if err := toml.Unmarshal(data, new(map[string]any)); err != nil {
		return cfg, []Problem{syntax(err)}
	}
	problems := checkTree(data)
	if len(problems) > 0 {
		return cfg, problems
	}
	if err := toml.Unmarshal(data, &cfg); err != nil {
		return cfg, []Problem{syntax(err)}
	}
	setElementDefaults(&cfg, data)
	lines := keyLines(data)
	for _, k := range Keys() {
		for _, s := range k.settings(cfg) {
			name := s.section + "." + k.Name
			if why := k.check(s.value); why != "" {
				problems = append(problems, Problem{lines[name], name, why})
			}
		}
	}
	slices.SortFunc(problems, func(a, b Problem) int { return a.Line - b.Line })
	return cfg, problems
}

// setElementDefaults gives the elements of maps their defaults, but for the
// keys that stand in the file.
func setElementDefaults(cfg *Config, data []byte) {
	given := keyLines(data)
	merged := map[string]bool{}
	for _, k := range Keys() {
		if m := reflect.ValueOf(cfg).Elem().FieldByIndex(k.index[:2]); k.Each && !merged[k.Section] {
			merged[k.Section] = true
			for _, name := range m.MapKeys() {
				m.SetMapIndex(name, merge(m.MapIndex(name), heading(k.Section, name.String()), given))
			}
		}
	}
}

// merge returns the defaults of an element with what the file gives in it.
func merge(read reflect.Value, head string, given map[string]int) reflect.Value {
	out := reflect.New(read.Type()).Elem()
	out.Set(elementDefaults(read.Type()))
	for i := range out.NumField() {
		if _, there := given[head+"."+out.Type().Field(i).Tag.Get("toml")]; there {
			out.Field(i).Set(read.Field(i))
		}
	}
	return out
}

func syntax(err error) Problem {
	var de *toml.DecodeError
	if !errors.As(err, &de) {
		return Problem{1, "", "not a TOML file"}
	}
	line, _ := de.Position()
	return Problem{line, "", strings.TrimPrefix(de.Error(), "toml: ")}
}

// entry is a key of the file with the kind of its value.
type entry struct {
	path []string
	line int
	kind string
}

// locate splits an entry's path into the section as Key has it, its heading,
// and the rest.
func locate(path []string) (section, head string, rest []string) {
	if len(path) > 2 && isEach(path[:2]) {
		section = path[0] + "." + path[1]
		return section, heading(section, path[2]), path[3:]
	}
	return path[0], "[" + path[0] + "]", path[1:]
}

// isEach tells whether there is a section below path for each of many things.
func isEach(path []string) bool {
	return slices.ContainsFunc(Keys(), func(k Key) bool { return k.Each && k.Section == strings.Join(path, ".") })
}

// checkTree reports keys that do not exist and values of the wrong kind.
func checkTree(data []byte) []Problem {
	keys := Keys()
	var sections []string
	for _, k := range keys {
		if !k.Each && !slices.Contains(sections, k.Section) {
			sections = append(sections, k.Section)
		}
	}
	var problems []Problem
	for _, e := range entries(data) {
		section, head, rest := locate(e.path)
		name := strings.Join(append([]string{head}, rest...), ".")
		known := slices.ContainsFunc(keys, func(k Key) bool { return k.Section == section })
		i := slices.IndexFunc(keys, func(k Key) bool { return k.Section == section && len(rest) == 1 && k.Name == rest[0] })
		switch {
		case i >= 0 && e.kind == keys[i].kind():
		case i >= 0:
			problems = append(problems, Problem{e.line, name, "needs " + keys[i].kind()})
		case !known:
			problems = append(problems, Problem{e.line, name, unknown("section", section, sections)})
		case isEach(e.path):
			if e.kind != "a section" {
				problems = append(problems, Problem{e.line, name, "is a section for each, write it as [" + strings.Join(e.path, ".") + ".NAME]"})
			}
		case len(rest) == 0 && e.kind != "a section":
			problems = append(problems, Problem{e.line, name, "is a section, write it as " + name})
		case len(rest) > 1:
			problems = append(problems, Problem{e.line, name, "unknown key"})
		case len(rest) == 1:
			var names []string
			for _, k := range keys {
				if k.Section == section {
					names = append(names, k.Name)
				}
			}
			problems = append(problems, Problem{e.line, name, unknown("key", rest[0], names)})
		}
	}
	return problems
}

func unknown(what, s string, words []string) string {
	if near := nearest(s, words); near != "" {
		return fmt.Sprintf("unknown %s; did you mean %s?", what, near)
	}
	return "unknown " + what
}

func keyLines(data []byte) map[string]int {
	lines := map[string]int{}
	for _, e := range entries(data) {
		if _, head, rest := locate(e.path); len(rest) == 1 {
			lines[head+"."+rest[0]] = e.line
		}
	}
	return lines
}

// entries lists the keys and the section headings of a file that is known to
// be TOML.
func entries(data []byte) []entry {
	var out []entry
	var section []string
	p := &unstable.Parser{}
	p.Reset(data)
	path := func(n *unstable.Node, under []string) ([]string, int) {
		full, line := slices.Clone(under), 0
		for it := n.Key(); it.Next(); {
			if line == 0 {
				line = p.Shape(it.Node().Raw).Start.Line
			}
			full = append(full, string(it.Node().Data))
		}
		return full, line
	}
	var add func(n *unstable.Node, under []string)
	add = func(n *unstable.Node, under []string) {
		full, line := path(n, under)
		value := n.Value()
		if value.Kind != unstable.InlineTable {
			out = append(out, entry{full, line, kindOf(value)})
			return
		}
		out = append(out, entry{full, line, "a section"})
		for it := value.Children(); it.Next(); {
			add(it.Node(), full)
		}
	}
	for p.NextExpression() {
		switch n := p.Expression(); n.Kind {
		case unstable.Table, unstable.ArrayTable:
			var line int
			section, line = path(n, nil)
			kind := "a section"
			if n.Kind == unstable.ArrayTable {
				kind = "an array of sections"
			}
			out = append(out, entry{section, line, kind})
		case unstable.KeyValue:
			add(n, section)
		}
	}
	return out
}

func kindOf(n *unstable.Node) string {
	switch n.Kind {
	case unstable.String:
		return "a string"
	case unstable.Integer:
		return "an integer"
	case unstable.Bool:
		return "true or false"
	case unstable.Array:
		for it := n.Children(); it.Next(); {
			if it.Node().Kind != unstable.String {
				return "an array"
			}
		}
		return "an array of strings"
	default:
		return n.Kind.String()
	}
}

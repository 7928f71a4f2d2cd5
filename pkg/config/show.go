package config

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Show writes cfg as a configuration file that has every key, its meaning as
// a comment above it. A section for each of many things stands there as a
// comment too, to be copied.
func Show(w io.Writer, cfg Config) error {
	var sections []string // as headed, in order
	lines := map[string][]string{}
	add := func(section string, text ...string) {
		if _, there := lines[section]; !there {
			sections = append(sections, section)
		}
		lines[section] = append(lines[section], text...)
	}
	for _, k := range Keys() {
		if k.Each {
			add("# ["+k.Section+".NAME]", "# # "+k.Doc, "# "+k.Name+" = "+Literal(k.Default))
		}
		for _, s := range k.settings(cfg) {
			add(s.section, "# "+k.Doc, k.Name+" = "+Literal(s.value))
		}
	}
	for i, section := range sections {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if _, err := fmt.Fprintf(w, "%s\n%s\n", section, strings.Join(lines[section], "\n")); err != nil {
			return err
		}
	}
	return nil
}

// Literal returns a value as TOML writes it.
func Literal(v any) string {
	switch v := v.(type) {
	case int:
		return strconv.Itoa(v)
	case bool:
		return strconv.FormatBool(v)
	case []string:
		quoted := make([]string, len(v))
		for i, s := range v {
			quoted[i] = Literal(s)
		}
		return "[" + strings.Join(quoted, ", ") + "]"
	default:
		// Control characters are refused by the check, so the two characters
		// that a basic string escapes are all there is.
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(v.(string)) + `"`
	}
}

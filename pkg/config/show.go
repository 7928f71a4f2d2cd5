package config

import (
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
)

// Show writes cfg as a configuration file that has every key, its meaning as
// a comment above it.
func Show(w io.Writer, cfg Config) error {
	section := ""
	for _, k := range Keys() {
		if k.Section != section {
			if section != "" {
				fmt.Fprintln(w)
			}
			section = k.Section
			fmt.Fprintf(w, "[%s]\n", section)
		}
		value := reflect.ValueOf(cfg).FieldByIndex(k.index).Interface()
		if _, err := fmt.Fprintf(w, "# %s\n%s = %s\n", k.Doc, k.Name, Literal(value)); err != nil {
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

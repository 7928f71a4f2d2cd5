package config

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"voice-input/pkg/internal/address"
)

// Key is one key of the configuration.
type Key struct {
	Section, Name string
	Doc           string
	Default       any // string, int, bool or []string
	// Each says that there is a section of the kind for each of many things,
	// as in [deliver.class.NAME].
	Each  bool
	tag   reflect.StructTag
	index []int // in Config; of a map, and then in its element
}

// Keys returns every key in the order of the sections.
func Keys() []Key {
	var keys []Key
	defaults := reflect.ValueOf(Default())
	for i := range defaults.NumField() {
		section := defaults.Type().Field(i)
		name := section.Tag.Get("toml")
		var each []Key
		for j := range section.Type.NumField() {
			f := section.Type.Field(j)
			if f.Type.Kind() != reflect.Map {
				keys = append(keys, Key{
					Section: name, Name: f.Tag.Get("toml"), Doc: f.Tag.Get("doc"),
					Default: defaults.Field(i).Field(j).Interface(), tag: f.Tag, index: []int{i, j},
				})
				continue
			}
			for k := range f.Type.Elem().NumField() {
				e := f.Type.Elem().Field(k)
				each = append(each, Key{
					Section: name + "." + f.Tag.Get("toml"), Name: e.Tag.Get("toml"), Doc: e.Tag.Get("doc"),
					Default: elementDefaults(f.Type.Elem()).Field(k).Interface(), Each: true, tag: e.Tag, index: []int{i, j, k},
				})
			}
		}
		keys = append(keys, each...)
	}
	return keys
}

// elementDefaults returns what an element of a map has before the file is
// read.
func elementDefaults(t reflect.Type) reflect.Value {
	if m := reflect.Zero(t).MethodByName("Defaults"); m.IsValid() {
		return m.Call(nil)[0]
	}
	return reflect.Zero(t)
}

func (k Key) String() string {
	if k.Each {
		return fmt.Sprintf("[%s.NAME].%s", k.Section, k.Name)
	}
	return fmt.Sprintf("[%s].%s", k.Section, k.Name)
}

// setting is the value that a key has in a configuration.
type setting struct {
	section string // as its heading has it
	value   any
}

// settings returns one value, or one for each section that the user named.
func (k Key) settings(cfg Config) []setting {
	if !k.Each {
		return []setting{{"[" + k.Section + "]", reflect.ValueOf(cfg).FieldByIndex(k.index).Interface()}}
	}
	var out []setting
	elements := reflect.ValueOf(cfg).FieldByIndex(k.index[:2])
	for _, name := range slices.SortedFunc(slices.Values(elements.MapKeys()), func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) }) {
		out = append(out, setting{heading(k.Section, name.String()), elements.MapIndex(name).Field(k.index[2]).Interface()})
	}
	return out
}

var bare = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// heading returns that of the section for one of many things.
func heading(section, name string) string {
	if !bare.MatchString(name) {
		name = Literal(name)
	}
	return "[" + section + "." + name + "]"
}

// kind names what the key's value has to be.
func (k Key) kind() string {
	switch k.Default.(type) {
	case int:
		return "an integer"
	case bool:
		return "true or false"
	case []string:
		return "an array of strings"
	default:
		return "a string"
	}
}

// check returns why a value of the right kind will not do, or "". The reason
// does not hold the value.
func (k Key) check(v any) string {
	switch v := v.(type) {
	case int:
		low, _ := strconv.Atoi(k.tag.Get("min"))
		high, _ := strconv.Atoi(k.tag.Get("max"))
		if v < low || v > high {
			return fmt.Sprintf("needs a value from %d to %d", low, high)
		}
	case string:
		if v == k.Default {
			return ""
		}
		if words := strings.Fields(k.tag.Get("oneof")); len(words) > 0 && !slices.Contains(words, v) {
			return "needs one of " + strings.Join(words, ", ")
		}
		if why := checkString(v); why != "" {
			return why
		}
		if why := checkForm(k.tag.Get("form"), v); v != "" && why != "" {
			return why
		}
	case []string:
		for _, s := range v {
			if why := checkString(s); why != "" {
				return why
			}
		}
		if (k.Section == "stages" || strings.HasSuffix(k.Name, "command")) && len(v) > 0 && v[0] == "" {
			return "needs the name of a program first"
		}
	}
	return ""
}

// checkForm returns why a string does not look like what it has to be, or "".
func checkForm(form, v string) string {
	switch form {
	case "chord":
		if !isChord(v) {
			return "needs a key, with ctrl, shift, alt or super before it, such as ctrl+shift+v"
		}
	case "url":
		if _, err := address.Parse(v); err != nil {
			return err.Error()
		}
	case "fraction", "share":
		low := map[string]float64{"fraction": -1, "share": 0}[form]
		if f, err := strconv.ParseFloat(v, 64); err != nil || !(f >= low && f <= 1) {
			return fmt.Sprintf("needs a number from %g to 1, in quotes", low)
		}
	}
	return ""
}

var (
	chordKey  = regexp.MustCompile(`^[a-z0-9]{1,32}$`)
	modifiers = []string{"ctrl", "shift", "alt", "super"}
)

// isChord tells whether s is a key with modifiers before it, each at most
// once.
func isChord(s string) bool {
	parts := strings.Split(s, "+")
	key := parts[len(parts)-1]
	for i, m := range parts[:len(parts)-1] {
		if !slices.Contains(modifiers, m) || slices.Contains(parts[:i], m) {
			return false
		}
	}
	return chordKey.MatchString(key) && !slices.Contains(modifiers, key)
}

// Words returns what a key that takes one of several words may be, or nil. The
// section of one for each of many things has no name: "asr.service".
func Words(section, name string) []string {
	for _, k := range Keys() {
		if k.Section == section && k.Name == name {
			return strings.Fields(k.tag.Get("oneof"))
		}
	}
	return nil
}

// maxString bounds a string value: the longest path that Linux takes.
const maxString = 4096

func checkString(s string) string {
	switch {
	case len(s) > maxString:
		return fmt.Sprintf("is longer than %d bytes", maxString)
	case strings.ContainsFunc(s, unicode.IsControl):
		return "holds a control character"
	}
	return ""
}

// nearest returns the word of the list that a typing mistake away from s, or
// "".
func nearest(s string, words []string) string {
	best, at := "", 3
	for _, w := range words {
		if d := distance(s, w); d < at && d < len(w) {
			best, at = w, d
		}
	}
	return best
}

// distance is the Levenshtein distance in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		prev := row[0]
		row[0]++
		for j := range len(b) {
			cost := prev
			if a[i] != b[j] {
				cost++
			}
			prev = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

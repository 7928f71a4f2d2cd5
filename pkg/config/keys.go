package config

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Key is one key of the configuration.
type Key struct {
	Section, Name string
	Doc           string
	Default       any // string, int, bool or []string
	tag           reflect.StructTag
	index         []int
}

// Keys returns every key in the order of the sections.
func Keys() []Key {
	var keys []Key
	defaults := reflect.ValueOf(Default())
	for i := range defaults.NumField() {
		section := defaults.Type().Field(i)
		for j := range section.Type.NumField() {
			f := section.Type.Field(j)
			keys = append(keys, Key{
				Section: section.Tag.Get("toml"), Name: f.Tag.Get("toml"), Doc: f.Tag.Get("doc"),
				Default: defaults.Field(i).Field(j).Interface(), tag: f.Tag, index: []int{i, j},
			})
		}
	}
	return keys
}

func (k Key) String() string { return fmt.Sprintf("[%s].%s", k.Section, k.Name) }

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
		if words := strings.Fields(k.tag.Get("oneof")); len(words) > 0 && !slices.Contains(words, v) {
			return "needs one of " + strings.Join(words, ", ")
		}
		return checkString(v)
	case []string:
		for _, s := range v {
			if why := checkString(s); why != "" {
				return why
			}
		}
		if len(v) > 0 && v[0] == "" {
			return "needs the name of a program first"
		}
	}
	return ""
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

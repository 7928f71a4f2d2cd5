package manual

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"voice-input/pkg/config"
	"voice-input/pkg/wire"
)

// members returns the members of a record as the page has them, "path (type)",
// and the names of those objects and arrays of objects that may be left out.
func members(t reflect.Type, prefix string) (leaves, optional []string) {
	for i := range t.NumField() {
		f := t.Field(i)
		tag, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous {
			continue // schema and reason
		}
		name, kind := prefix+tag, f.Type
		mayMiss := strings.Contains(opts, "omitempty")
		if kind.Kind() == reflect.Slice {
			name, kind = name+"[]", kind.Elem()
		}
		if kind.Kind() == reflect.Pointer {
			kind = kind.Elem()
		}
		if kind.Kind() == reflect.Struct {
			below, optionalBelow := members(kind, name+".")
			leaves, optional = append(leaves, below...), append(optional, optionalBelow...)
			if mayMiss {
				optional = append(optional, prefix+tag)
			}
			continue
		}
		text := name + " (" + jsonType(kind)
		if mayMiss {
			text += ", optional"
		}
		leaves = append(leaves, text+")")
	}
	return leaves, optional
}

func jsonType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Int, reflect.Int64, reflect.Uint64:
		return "integer"
	case reflect.Float64:
		return "number"
	}
	panic("no JSON type for " + t.String())
}

// described returns an item's head as members does.
func described(it item) string {
	if len(it.head) < 4 || it.head[2] != "Pq" {
		return strings.Join(it.head, " ")
	}
	return it.head[1] + " (" + strings.Join(it.head[3:], " ") + ")"
}

func TestRecords(t *testing.T) {
	description := pageOf(t, "vi-records.5").section("DESCRIPTION")
	var schemas, headings, header []string
	for _, part := range description.parts[1:] {
		headings = append(headings, part.title)
	}
	for _, r := range wire.Records() {
		schema := r.SchemaName()
		schemas = append(schemas, schema)
		part := description.part(schema)
		if part == nil {
			continue // reported below
		}
		var got, reasons []string
		for _, it := range part.items {
			if it.head[0] != "Sy" {
				got = append(got, described(it))
				continue
			}
			reasons = append(reasons, it.head[1])
			if said, want := plain(it.body), wire.ReasonMeaning(schema, it.head[1]); said != want {
				t.Errorf("%s: reason %s says %q, want %q", schema, it.head[1], said, want)
			}
		}
		leaves, optional := members(reflect.TypeOf(r).Elem(), "")
		same(t, schema+" members", got, leaves)
		same(t, schema+" optional as a whole", macros(part.prose, "Va"), optional)
		same(t, schema+" reasons", reasons, wire.Reasons(schema)[1:])
	}
	if !slices.Equal(headings, schemas) {
		t.Errorf("the page describes\n  %q\nthe records are\n  %q", headings, schemas)
	}
	for _, it := range description.parts[0].items {
		if len(it.head) > 0 && it.head[0] == "Va" {
			header = append(header, described(it))
		}
	}
	leaves, _ := members(reflect.TypeFor[wire.Header](), "")
	same(t, "every record", header, leaves)
}

func TestConfiguration(t *testing.T) {
	description := pageOf(t, "voice-input.toml.5").section("DESCRIPTION")
	var got, want []string
	for _, part := range description.parts[1:] {
		for _, it := range part.items {
			got = append(got, part.title+"."+described(it))
			if plain(it.body) == "" {
				t.Errorf("%s.%s is not explained", part.title, it.head[1])
			}
		}
	}
	for _, k := range config.Keys() {
		want = append(want, fmt.Sprintf("%s (%s, default %s)", k, allowed(t, k), config.Literal(k.Default)))
	}
	if !slices.Equal(got, want) {
		t.Errorf("the page describes\n  %s\nthe keys are\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// allowed says in words what a key may be, from the tags of its field.
func allowed(t *testing.T, k config.Key) string {
	t.Helper()
	by := func(typ reflect.Type, name string) reflect.StructField {
		for i := range typ.NumField() {
			if typ.Field(i).Tag.Get("toml") == name {
				return typ.Field(i)
			}
		}
		t.Fatalf("no field for %s", k)
		panic("unreachable")
	}
	section := reflect.TypeFor[config.Config]()
	for _, name := range strings.Split(k.Section, ".") {
		if section = by(section, name).Type; section.Kind() == reflect.Map {
			section = section.Elem()
		}
	}
	tag := by(section, k.Name).Tag
	if tag.Get("form") == "chord" {
		return "key"
	}
	switch k.Default.(type) {
	case bool:
		return "true or false"
	case int:
		return fmt.Sprintf("integer from %s to %s", tag.Get("min"), tag.Get("max"))
	case []string:
		return "array of strings"
	}
	if words := strings.Fields(tag.Get("oneof")); len(words) > 0 {
		return "one of " + strings.Join(words, ", ")
	}
	return "string"
}

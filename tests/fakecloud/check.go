package fakecloud

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A rule says what a value of a message must be, and reports what it is not.
type rule func(v any, path string, r reporter)

type reporter func(code, path, detail string)

// anObject is an object that has all of the required members, perhaps some of
// the optional ones, and no others.
func anObject(required, optional map[string]rule) rule {
	return func(v any, path string, r reporter) {
		m, ok := v.(map[string]any)
		if !ok {
			r(WrongKind, path, "no object")
			return
		}
		for _, name := range sorted(required) {
			if value, there := m[name]; there {
				required[name](value, join(path, name), r)
			} else {
				r(MissingField, join(path, name), "")
			}
		}
		for _, name := range sorted(m) {
			if _, known := required[name]; known {
				continue
			}
			if check, known := optional[name]; known {
				check(m[name], join(path, name), r)
			} else {
				r(UnknownField, join(path, name), "")
			}
		}
	}
}

// aString is a string, one of values if there are any.
func aString(values ...string) rule {
	return func(v any, path string, r reporter) {
		s, ok := v.(string)
		switch {
		case !ok:
			r(WrongKind, path, "no string")
		case len(values) > 0 && !slices.Contains(values, s):
			r(WrongValue, path, fmt.Sprintf("%.80q", s))
		case s == "" && len(values) == 0:
			r(WrongValue, path, "empty")
		}
	}
}

func aBool(values ...bool) rule {
	return func(v any, path string, r reporter) {
		b, ok := v.(bool)
		switch {
		case !ok:
			r(WrongKind, path, "no boolean")
		case len(values) > 0 && !slices.Contains(values, b):
			r(WrongValue, path, fmt.Sprint(b))
		}
	}
}

// anInt is a number written without a fraction.
func anInt(low, high int64) rule {
	return func(v any, path string, r reporter) {
		n, ok := v.(json.Number)
		if !ok {
			r(WrongKind, path, "no number")
			return
		}
		i, err := n.Int64()
		if err != nil {
			r(WrongKind, path, "no integer")
		} else if i < low || i > high {
			r(WrongValue, path, n.String())
		}
	}
}

func aNumber(low, high float64) rule {
	return func(v any, path string, r reporter) {
		n, ok := v.(json.Number)
		if !ok {
			r(WrongKind, path, "no number")
		} else if f, err := n.Float64(); err != nil || f < low || f > high {
			r(WrongValue, path, n.String())
		}
	}
}

func aList(low, high int, each rule) rule {
	return func(v any, path string, r reporter) {
		l, ok := v.([]any)
		if !ok {
			r(WrongKind, path, "no array")
			return
		}
		if len(l) < low || len(l) > high {
			r(WrongValue, path, fmt.Sprintf("%d elements", len(l)))
		}
		for i, value := range l {
			each(value, fmt.Sprintf("%s[%d]", path, i), r)
		}
	}
}

func nullOr(other rule) rule {
	return func(v any, path string, r reporter) {
		if v != nil {
			other(v, path, r)
		}
	}
}

func sorted[V any](m map[string]V) []string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// parse reads one value of JSON, numbers as json.Number, and reports names
// that an object has twice. It reports and returns false if it is no JSON.
func parse(data []byte, r reporter) (any, bool) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	v, err := value(d, "", r, 0)
	if err == nil {
		if _, more := d.Token(); more != io.EOF {
			err = errors.New("more than one value")
		}
	}
	if err != nil {
		r(BadJSON, "", err.Error())
		return nil, false
	}
	return v, true
}

func value(d *json.Decoder, path string, r reporter, depth int) (any, error) {
	if depth > 32 {
		return nil, errors.New("nested too deeply")
	}
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('['):
		l := []any{}
		for d.More() {
			v, err := value(d, fmt.Sprintf("%s[%d]", path, len(l)), r, depth+1)
			if err != nil {
				return nil, err
			}
			l = append(l, v)
		}
		_, err = d.Token()
		return l, err
	case json.Delim('{'):
		m := map[string]any{}
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return nil, err
			}
			key := name.(string)
			if _, twice := m[key]; twice {
				r(DuplicateField, join(path, key), "")
			}
			if m[key], err = value(d, join(path, key), r, depth+1); err != nil {
				return nil, err
			}
		}
		_, err = d.Token()
		return m, err
	}
	return token, nil
}

// at follows names into objects and numbers into arrays; nil if that leads
// nowhere.
func at(v any, path ...any) any {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[step]
		case int:
			l, _ := v.([]any)
			if step >= len(l) {
				return nil
			}
			v = l[step]
		}
	}
	return v
}

func textAt(v any, path ...any) string {
	s, _ := at(v, path...).(string)
	return s
}

// hideSound replaces the base64 of sound in a message by its length.
func hideSound(data []byte) string {
	const long = 512
	var b strings.Builder
	for {
		start := bytes.IndexByte(data, '"')
		if start < 0 {
			b.Write(data)
			return b.String()
		}
		end := start + 1
		for end < len(data) && data[end] != '"' {
			if data[end] == '\\' {
				end++
			}
			end++
		}
		end = min(end, len(data))
		s := data[start+1 : end]
		b.Write(data[:start+1])
		if comma := bytes.IndexByte(s, ','); bytes.HasPrefix(s, []byte("data:audio/")) && comma >= 0 {
			b.Write(s[:comma+1])
			s = s[comma+1:]
		}
		if len(s) > long && !bytes.ContainsAny(s, " \\,.") {
			fmt.Fprintf(&b, "<%d characters>", len(s))
		} else {
			b.Write(s)
		}
		data = data[end:]
		if len(data) > 0 {
			b.WriteByte('"')
			data = data[1:]
		}
	}
}

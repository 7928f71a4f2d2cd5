package session

import (
	"strings"
	"unsafe"

	"github.com/tidwall/gjson"
)

// A front is read at most so far. What the agents write first, type and ids,
// fits into a quarter of it.
const (
	maxFront   = 512
	maxMembers = 8
)

// front is the beginning of a record. Most records cannot hold the answer, and
// the agents write first what shows it, so the rest of them need not be looked
// at.
//
// It reads nothing but the shape that both agents write: no white space, no
// escapes, no array, and each object the last thing that is entered. A record
// that begins in another way is not wrong, its front just tells nothing.
type front struct {
	line string
	rest string // not read yet; of the line, whose bytes it shares
	seen []member
	room [maxMembers]member
	// object is the member that rest is the inside of, once its name was read
	// and until it is entered.
	object string
}

// member has the value "" unless that is a string, as in gjson.Result.Str.
type member struct{ name, value string }

// of starts with a line and returns the type of its record.
func (f *front) of(line []byte) (kind string, ok bool) {
	f.line = unsafe.String(unsafe.SliceData(line), len(line))
	f.rest, ok = strings.CutPrefix(f.line[:min(len(line), maxFront)], "{")
	f.seen, f.object = f.room[:0], ""
	if !ok {
		return "", false
	}
	return f.text("type")
}

// text returns the first member with a name in the object at hand.
func (f *front) text(name string) (string, bool) {
	for i := 0; i < len(f.seen) || f.more(); i++ {
		if f.seen[i].name == name {
			return f.seen[i].value, true
		}
	}
	return "", false
}

// enter goes into the first object within the object at hand, if it is the
// first member with that name.
func (f *front) enter(name string) bool {
	for f.more() {
	}
	if f.object != name {
		return false
	}
	for _, m := range f.seen {
		if m.name == name {
			return false
		}
	}
	f.seen, f.object = f.room[:0], ""
	return true
}

// search returns the string at a path, wherever in the record it stands. That
// is slower, but not by as much as making sure of the record.
func (f *front) search(path string) string { return gjson.Get(f.line, path).Str }

// more reads one member, until there is an object or anything unexpected.
func (f *front) more() bool {
	if f.object != "" || len(f.seen) == maxMembers {
		return false
	}
	name, rest, ok := plain(f.rest)
	if rest, ok2 := strings.CutPrefix(rest, ":"); ok && ok2 {
		f.rest = rest
	} else {
		return false
	}
	if rest, ok = strings.CutPrefix(f.rest, "{"); ok {
		f.rest, f.object = rest, name
		return false
	}
	value, rest, ok := plain(f.rest)
	if !ok {
		var word string
		word, _, ok = strings.Cut(f.rest, ",")
		if !ok || word != "null" && strings.Trim(word, "0123456789") != "" {
			return false
		}
		rest = f.rest[len(word):]
	}
	if f.rest, ok = strings.CutPrefix(rest, ","); !ok {
		return false
	}
	f.seen = append(f.seen, member{name, value})
	return true
}

// plain cuts a string without escapes from the start of s.
func plain(s string) (text, rest string, ok bool) {
	if s == "" || s[0] != '"' {
		return "", "", false
	}
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return s[1:i], s[i+1:], true
		case c < ' ' || c == '\\':
			return "", "", false
		}
	}
	return "", "", false
}

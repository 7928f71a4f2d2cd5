package session

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unsafe"

	"github.com/tidwall/gjson"
)

// picker recognises the answer. It is given the records of a session from the
// newest to the oldest.
type picker interface {
	// passes tells whether the front of a record of that type shows that it
	// holds no part of the answer. The picker has then taken what it needs and
	// is not given the record, of which nobody knows whether it is sound.
	passes(kind string, f *front) bool
	// record looks at one whole record and tells whether the answer is known
	// now.
	record(rec gjson.Result) bool
	// end is called once no older record can be seen; it tells whether the
	// answer is known now.
	end() bool
	// text returns the answer.
	text() string
	// reason says why there is none although the whole session was seen.
	reason() string
}

// search is one walk back through a session.
type search struct {
	uid     int // owner that the files must have, anyUser for any
	win     window
	skipped int
	types   map[string]*int // records by type, for --explain
	front   front
}

func newSearch(uid int) *search {
	return &search{uid: uid, win: window{left: Window}, types: map[string]*int{}}
}

// anyUser is for a file that was named by hand.
const anyUser = -1

// walk gives the records of r that lie before the offset end to the picker,
// the newest first, until it has its answer. It tells whether it has; if not,
// the start of the file was reached.
func (s *search) walk(ctx context.Context, r io.ReaderAt, end int64, p picker) (bool, error) {
	t := newTail(r, end, &s.win)
	ended := false // the last line may be half written
	for {
		line, err := t.next(ctx)
		if err == io.EOF {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		if s.line(line, ended, p) {
			s.rest(t)
			return true, nil
		}
		ended = true
	}
}

// rest looks at what else was read with the answer, so that the counts belong
// to the bytes that were scanned.
func (s *search) rest(t *tail) {
	for {
		line, ok := t.buffered()
		if !ok {
			return
		}
		s.line(line, true, answered{})
	}
}

// answered is a picker that has its answer.
type answered struct{ picker }

func (answered) passes(string, *front) bool { return true }
func (answered) record(gjson.Result) bool   { return false }

// line gives one line to the picker.
func (s *search) line(line []byte, ended bool, p picker) bool {
	line = trim(line)
	if ended && s.passes(line, p) || len(line) == 0 {
		return false
	}
	return s.whole(line, p)
}

// passes tells whether a line holds one record by its beginning and its end,
// and the picker need not see what is between.
func (s *search) passes(line []byte, p picker) bool {
	kind, ok := s.front.of(line)
	if !ok || line[len(line)-1] != '}' || touching(line) || !p.passes(kind, &s.front) {
		return false
	}
	s.count(kind)
	return true
}

// whole gives the records of one line to the picker. That is one record, but a
// writer that was killed before it wrote the line end leaves two.
func (s *search) whole(line []byte, p picker) bool {
	if gjson.ValidBytes(line) {
		return s.record(line, p)
	}
	records := glued(line)
	if len(records) == 0 {
		s.skipped++
	}
	for _, rec := range slices.Backward(records) {
		if s.record(rec, p) {
			return true
		}
	}
	return false
}

func (s *search) record(rec []byte, p picker) bool {
	// The parser copies what it is given. The view lives as long as the line,
	// and a picker copies what it keeps.
	parsed := gjson.Parse(unsafe.String(unsafe.SliceData(rec), len(rec)))
	if !parsed.IsObject() {
		s.skipped++
		return false
	}
	s.count(parsed.Get("type").Str)
	return p.record(parsed)
}

// maxTypes bounds the types that are counted by name.
const maxTypes = 32

// count counts a record by its type. A word that does not look like the name of
// a type is not repeated: it may be anything.
func (s *search) count(kind string) {
	if n := s.types[kind]; n != nil {
		*n++
		return
	}
	if kind == "" || len(kind) > 40 || strings.Trim(kind, "abcdefghijklmnopqrstuvwxyz_") != "" {
		kind = "other"
	}
	if s.types[kind] == nil && len(s.types) >= maxTypes {
		kind = "other"
	}
	n := s.types[kind]
	if n == nil {
		n = new(int)
		s.types[strings.Clone(kind)] = n
	}
	*n++
}

// counts lists the types for --explain.
func (s *search) counts() string {
	var out []string
	for _, kind := range slices.Sorted(maps.Keys(s.types)) {
		out = append(out, fmt.Sprintf("%s %d", kind, *s.types[kind]))
	}
	return strings.Join(out, ", ")
}

package history

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
	"time"
	"unicode"

	"voice-input/pkg/wire"
)

// Limits bound what is kept. A zero bounds nothing.
type Limits struct {
	Count int           // entries; the newest stay
	Age   time.Duration // since an entry was written
}

// maxFile bounds the file whatever the limits are. 10,000 entries, the most
// that can be configured, are about 10 MiB.
const maxFile = 32 << 20

// maxID bounds an id in bytes; ours have 23.
const maxID = 64

// line is a line of the file, or a run of lines that cannot be read.
type line struct {
	from, to int64
	record   *wire.History // nil if it cannot be read
	bad      int           // lines in the run
	at       time.Time     // see date
}

func (l *line) isEntry() bool    { return l.record != nil && l.record.Text != "" }
func (l *line) isDelivery() bool { return l.record != nil && l.record.Text == "" }

// scan reads lines. What cannot be read is no error: it is torn, of another
// program, of a later version, or too long.
func scan(r io.Reader, from int64, now time.Time) ([]line, error) {
	var lines []line
	b := bufio.NewReaderSize(r, 64<<10)
	for {
		content, n, err := next(b)
		if n > 0 {
			to := from + n
			lines = add(lines, from, to, content)
			from = to
		}
		if err == io.EOF {
			date(lines, now)
			return lines, nil
		} else if err != nil {
			return nil, err
		}
	}
}

// next returns a line, its length in the file, and io.EOF with the last one.
// The content of a line that is too long is nil.
func next(b *bufio.Reader) (content []byte, n int64, err error) {
	tooLong := false
	for {
		part, err := b.ReadSlice('\n')
		n += int64(len(part))
		if tooLong = tooLong || n > wire.MaxLine; tooLong {
			content = nil
		} else {
			content = append(content, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return content, n, err
		}
	}
}

func add(lines []line, from, to int64, content []byte) []line {
	if content != nil && len(bytes.TrimSpace(content)) == 0 {
		return lines
	}
	if h := parse(content); h != nil {
		return append(lines, line{from: from, to: to, record: h})
	}
	if last := len(lines) - 1; last >= 0 && lines[last].record == nil {
		lines[last].bad++
		lines[last].to = to
		return lines
	}
	return append(lines, line{from: from, to: to, bad: 1})
}

// parse returns the record in a line, or nil.
func parse(content []byte) *wire.History {
	h := new(wire.History)
	if wire.Decode(content, h) != nil || !validID(h.ID) || h.Text == "" && h.Delivery == nil {
		return nil
	}
	if _, err := time.Parse(time.RFC3339, h.At); err != nil {
		return nil
	}
	return h
}

func validID(id string) bool {
	return id != "" && len(id) <= maxID && !bytes.ContainsFunc([]byte(id), func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) })
}

// date gives each line the time from which its age counts. It is the time in
// the line, but no earlier than that of a line before it: a clock that had lost
// the time must not make an entry look old. A line that cannot be read has the
// time of the one before it, or of the first one that has any.
func date(lines []line, now time.Time) {
	var latest time.Time
	for i := range lines {
		l := &lines[i]
		if l.record != nil {
			l.at, _ = time.Parse(time.RFC3339, l.record.At)
		}
		switch {
		case l.at.After(now): // a clock that was ahead says nothing of the others
		case l.at.After(latest):
			latest = l.at
		default:
			l.at = latest
		}
	}
	if first := slices.IndexFunc(lines, func(l line) bool { return !l.at.IsZero() }); first > 0 {
		for i := range first {
			lines[i].at = lines[first].at
		}
	}
}

// keep returns the lines that stay within the limits. Of two entries with one
// id the later one counts, as does the last delivery behind it. Lines that
// cannot be read are not counted: they go by their age, and the oldest of all
// go when the file grows too large.
func keep(lines []line, limits Limits, now time.Time) []line {
	var kept []line // the last one first
	var size int64
	entries, deliveries := map[string]bool{}, map[string]bool{}
	for _, l := range slices.Backward(lines) {
		switch {
		case limits.Age > 0 && !l.at.IsZero() && now.Sub(l.at) > limits.Age:
			continue
		case l.isDelivery():
			if entries[l.record.ID] || deliveries[l.record.ID] {
				continue // of an entry that was replaced, or followed by another
			}
			deliveries[l.record.ID] = true
		case l.isEntry():
			if entries[l.record.ID] || limits.Count > 0 && len(entries) == limits.Count {
				continue
			}
			entries[l.record.ID] = true
		}
		if size += l.to - l.from; size > maxFile {
			break
		}
		kept = append(kept, l)
	}
	slices.Reverse(kept)
	// A delivery whose entry is gone tells nothing.
	return slices.DeleteFunc(kept, func(l line) bool { return l.isDelivery() && !entries[l.record.ID] })
}

// merge returns the entries, each with what became of it, the oldest first,
// and how many lines cannot be read.
func merge(lines []line) (entries []*wire.History, bad int) {
	at := map[string]int{}
	for _, l := range keep(lines, Limits{}, time.Time{}) {
		switch {
		case l.record == nil:
			bad += l.bad
		case l.isEntry():
			at[l.record.ID] = len(entries)
			entries = append(entries, l.record)
		default:
			entries[at[l.record.ID]].Delivery = l.record.Delivery
		}
	}
	return entries, bad
}

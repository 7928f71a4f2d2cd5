package session

import (
	"bytes"
	"context"
	"io"
)

// Window is how many bytes at the end of a session are searched for an answer.
const Window = 8 << 20

// block is how much is read at once: the answer nearly always lies in the
// first one.
const block = 64 << 10

// window is the part of Window that is left. The files of one session share it.
type window struct{ left, scanned int64 }

// tail hands out the lines of a file from the last to the first. It holds one
// line and at most one block more.
type tail struct {
	r   io.ReaderAt
	win *window
	off int64 // offset in the file of buf[start]
	// What was read and not handed out is buf[start:end], and ends are the
	// places of the line ends in it.
	buf        []byte
	start, end int
	ends       []int
	first      bool // the first line was handed out
}

// newTail reads backwards from the offset end.
func newTail(r io.ReaderAt, end int64, win *window) *tail {
	return &tail{r: r, win: win, off: end, first: end == 0}
}

// next returns the line before the last one, without its line end. The bytes
// are valid until the next call. The error is io.EOF at the start of the file,
// and source_too_large where the window ends; the line that the window cuts is
// not handed out.
func (t *tail) next(ctx context.Context) ([]byte, error) {
	for {
		if line, ok := t.buffered(); ok {
			return line, nil
		}
		switch {
		case t.first:
			return nil, io.EOF
		case t.off == 0:
			t.first = true
			return t.buf[t.start:t.end], nil
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := t.fill(); err != nil {
			return nil, err
		}
	}
}

// buffered is next without reading, for lines whose start is known.
func (t *tail) buffered() ([]byte, bool) {
	last := len(t.ends) - 1
	if last < 0 {
		return nil, false
	}
	i := t.ends[last]
	line := t.buf[i+1 : t.end]
	t.ends, t.end = t.ends[:last], i
	return line, true
}

// fill puts the block before what is held in front of it. What is held has no
// line end in it.
func (t *tail) fill() error {
	n := int(min(block, t.off, t.win.left))
	if n == 0 {
		return Nothing("source_too_large")
	}
	if t.start < n {
		t.makeRoom(n)
	}
	t.start -= n
	t.off -= int64(n)
	t.win.left -= int64(n)
	t.win.scanned += int64(n)
	got, err := t.r.ReadAt(t.buf[t.start:t.start+n], t.off)
	if got < n {
		if err == nil || err == io.EOF {
			return Nothing("changed_while_reading") // it has become shorter
		}
		return err
	}
	// Forwards it is quicker than backwards.
	for i := t.start; ; i++ {
		next := bytes.IndexByte(t.buf[i:t.start+n], '\n')
		if next < 0 {
			return nil
		}
		i += next
		t.ends = append(t.ends, i)
	}
}

// makeRoom moves what is held to the end of the buffer, of one twice as large
// if need be, so that n bytes fit in front of it. The window bounds the size.
func (t *tail) makeRoom(n int) {
	held := t.buf[t.start:t.end]
	buf := t.buf
	if len(held)+n > len(buf) {
		buf = make([]byte, max(2*len(buf), len(held)+n))
	}
	start := len(buf) - len(held)
	copy(buf[start:], held)
	t.buf, t.start, t.end = buf, start, len(buf)
}

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
	// What was read and not handed out is buf[start:end]; there is no line
	// end in buf[start:end] from searched on.
	buf                  []byte
	start, searched, end int
	first                bool // the first line was handed out
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
	i := lastLineEnd(t.buf[t.start:t.searched])
	if i < 0 {
		t.searched = t.start
		return nil, false
	}
	i += t.start
	line := t.buf[i+1 : t.end]
	t.searched, t.end = i, i
	return line, true
}

// lastLineEnd is bytes.LastIndexByte, which looks at one byte after the other,
// where bytes.IndexByte takes many at once.
func lastLineEnd(b []byte) int {
	const piece = 256
	for len(b) > piece && bytes.IndexByte(b[len(b)-piece:], '\n') < 0 {
		b = b[:len(b)-piece]
	}
	return bytes.LastIndexByte(b, '\n')
}

// fill puts the block before what is held in front of it.
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
	return nil
}

// makeRoom moves what is held to the end of the buffer, of one twice as large
// if need be, so that n bytes fit in front of it. The window bounds the size.
func (t *tail) makeRoom(n int) {
	held := t.buf[t.start:t.end]
	unsearched := t.searched - t.start
	buf := t.buf
	if len(held)+n > len(buf) {
		buf = make([]byte, max(2*len(buf), len(held)+n))
	}
	start := len(buf) - len(held)
	copy(buf[start:], held)
	t.buf, t.start, t.end = buf, start, len(buf)
	t.searched = start + unsearched
}

package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// Reader splits a stream into lines of at most MaxLine bytes. It holds one
// line at a time.
type Reader struct {
	r    *bufio.Reader
	max  int
	line int
	buf  []byte
}

// NewReader returns a Reader of r.
func NewReader(r io.Reader) *Reader {
	return &Reader{r: bufio.NewReaderSize(r, 64<<10), max: MaxLine}
}

// Next returns the next line that is not blank, without its line end. The
// bytes are valid until the next call. At the end of the stream it returns
// io.EOF; a last line without LF is a line. After ErrLineTooLong the next
// call continues with the line that follows.
func (r *Reader) Next() ([]byte, error) {
	for {
		line, err := r.next()
		if err != nil {
			return nil, err
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return line, nil
		}
	}
}

// Line is the number of the line that Next returned last, counted from 1.
func (r *Reader) Line() int { return r.line }

func (r *Reader) next() ([]byte, error) {
	r.line++
	r.buf = r.buf[:0]
	tooLong := false
	for {
		part, err := r.r.ReadSlice('\n')
		if !tooLong && len(r.buf)+len(bytes.TrimSuffix(part, []byte("\n"))) > r.max {
			tooLong = true
			r.buf = nil
		}
		if !tooLong {
			r.buf = append(r.buf, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case tooLong:
			return nil, ErrLineTooLong
		case err == io.EOF && len(r.buf) > 0:
			return r.buf, nil
		case err != nil:
			r.line--
			return nil, err
		}
		return r.buf, nil
	}
}

package openai

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// maxEvent bounds one event of a stream in bytes. The longest is the last one,
// with the whole text.
const maxEvent = 1 << 20

var errEvent = fmt.Errorf("it sent an event of more than %d MiB", maxEvent>>20)

// eventStream reads the data of server-sent events, however the service ends
// its lines. What is not data, such as comments and names, it skips.
type eventStream struct {
	lines *bufio.Scanner
	data  bytes.Buffer
}

func newEventStream(r io.Reader) *eventStream {
	s := &eventStream{lines: bufio.NewScanner(r)}
	s.lines.Buffer(nil, maxEvent)
	s.lines.Split(line)
	return s
}

// line is a bufio.SplitFunc for lines that end with CR LF, LF or CR. They come
// without their ends.
func line(b []byte, atEOF bool) (advance int, token []byte, err error) {
	i := bytes.IndexAny(b, "\r\n")
	switch {
	case i < 0 && atEOF && len(b) > 0:
		return len(b), b, nil
	case i < 0, b[i] == '\r' && i+1 == len(b) && !atEOF:
		return 0, nil, nil // LF may follow
	case b[i] == '\r' && i+1 < len(b) && b[i+1] == '\n':
		return i + 2, b[:i], nil
	}
	return i + 1, b[:i], nil
}

// next returns the data of the next event. It is valid until the next call.
// The error is io.EOF at the end; an event that the end cuts off still counts.
func (s *eventStream) next() ([]byte, error) {
	s.data.Reset()
	some := false
	for s.lines.Scan() {
		l := s.lines.Bytes()
		if len(l) == 0 && some {
			return s.data.Bytes(), nil
		}
		value, isData := bytes.CutPrefix(l, []byte("data:"))
		if !isData {
			continue
		}
		if some {
			s.data.WriteByte('\n')
		}
		some = true
		s.data.Write(bytes.TrimPrefix(value, []byte(" ")))
		if s.data.Len() > maxEvent {
			return nil, errEvent
		}
	}
	switch err := s.lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, errEvent
	case err != nil:
		return nil, err
	case some:
		return s.data.Bytes(), nil
	}
	return nil, io.EOF
}

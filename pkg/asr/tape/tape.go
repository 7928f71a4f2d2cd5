// Package tape keeps the samples of a take while it is being recorded, so that
// they can be read from the first one more than once: by a connection that
// replaces a lost one, by a second recogniser.
package tape

import (
	"errors"
	"io"
	"sync"
)

// block is what is allocated at once, in bytes: two seconds of samples.
const block = 64 << 10

// ErrDropped says that the first samples are no longer kept.
var ErrDropped = errors.New("the beginning of the recording is no longer kept")

// Tape is a bounded record of bytes with one writer and several readers.
type Tape struct {
	max  int64
	keep bool

	mu      sync.Mutex
	changed sync.Cond
	blocks  [][]byte // each of the size block but for the last
	dropped int64    // bytes that stood before blocks; a multiple of block
	end     int64    // bytes written
	err     error    // why nothing more is written; io.EOF is the regular end
	readers map[*Reader]bool
}

// New returns a tape that holds max bytes. What every reader has read is
// dropped at once, or, with keep, not before there is no room left.
func New(max int64, keep bool) *Tape {
	t := &Tape{max: max, keep: keep, readers: map[*Reader]bool{}}
	t.changed.L = &t.mu
	return t
}

// Write implements io.Writer. A tape that is full of what nobody has read yet
// holds up the writer.
func (t *Tape) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for n := 0; ; {
		for t.err == nil && n < len(b) && !t.room() {
			t.changed.Wait()
		}
		if t.err != nil {
			return n, io.ErrClosedPipe
		}
		if n == len(b) {
			return n, nil
		}
		last := len(t.blocks) - 1
		if last < 0 || len(t.blocks[last]) == block {
			t.blocks = append(t.blocks, make([]byte, 0, block))
			last++
		}
		k := min(len(b)-n, block-len(t.blocks[last]), int(t.max-(t.end-t.dropped)))
		t.blocks[last] = append(t.blocks[last], b[n:n+k]...)
		n, t.end = n+k, t.end+int64(k)
		t.changed.Broadcast()
	}
}

// room drops what may be dropped and tells whether a byte can be written.
func (t *Tape) room() bool {
	for (!t.keep || t.end-t.dropped >= t.max) && len(t.blocks) > 0 && len(t.blocks[0]) == block && t.passed(t.dropped+block) {
		t.blocks, t.dropped = t.blocks[1:], t.dropped+block
	}
	return t.end-t.dropped < t.max
}

// passed tells whether there are readers and all are at least there.
func (t *Tape) passed(at int64) bool {
	for r := range t.readers {
		if r.at < at {
			return false
		}
	}
	return len(t.readers) > 0
}

// Close ends the tape with an error, io.EOF for its regular end. Only the
// first call counts.
func (t *Tape) Close(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err == nil {
		t.err = err
	}
	t.changed.Broadcast()
}

// Len returns how many bytes were written.
func (t *Tape) Len() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.end
}

// Reader returns a reader that begins at the first byte. The error is
// ErrDropped.
func (t *Tape) Reader() (*Reader, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.dropped > 0 {
		return nil, ErrDropped
	}
	r := &Reader{tape: t}
	t.readers[r] = true
	return r, nil
}

// Reader reads a tape. Its methods may be called at the same time, Read by
// one goroutine.
type Reader struct {
	tape   *Tape
	at     int64
	closed bool
}

// Read implements io.Reader and waits for samples. What was written before the
// regular end comes first; any other end comes at once.
func (r *Reader) Read(p []byte) (int, error) {
	t := r.tape
	t.mu.Lock()
	defer t.mu.Unlock()
	for r.at == t.end && t.err == nil && !r.closed && len(p) > 0 {
		t.changed.Wait()
	}
	switch {
	case r.closed:
		return 0, io.ErrClosedPipe
	case t.err != nil && t.err != io.EOF:
		return 0, t.err
	case r.at == t.end:
		return 0, t.err
	}
	i := r.at - t.dropped
	n := copy(p, t.blocks[i/block][i%block:])
	r.at += int64(n)
	t.changed.Broadcast()
	return n, nil
}

// Buffered returns how many bytes can be read without waiting.
func (r *Reader) Buffered() int64 {
	r.tape.mu.Lock()
	defer r.tape.mu.Unlock()
	return r.tape.end - r.at
}

// Close ends a Read that waits, and lets the tape drop what this reader has
// not read. It returns nil.
func (r *Reader) Close() error {
	t := r.tape
	t.mu.Lock()
	defer t.mu.Unlock()
	r.closed = true
	delete(t.readers, r)
	t.changed.Broadcast()
	return nil
}

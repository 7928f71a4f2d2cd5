package asr

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// input is an open file or FIFO whose reads end with a context.
type input struct {
	ctx   context.Context // the reads' own; see Read
	f     *os.File
	stall time.Duration
	fifo  bool
	begun bool
	stop  func() bool
}

// errStalled says that a writer stopped without closing.
var errStalled = errors.New("nothing came")

// openInput opens a file or FIFO. It does not wait for a FIFO's writer: the
// first read does. A read fails with ctx's cause once ctx has ended, and with
// errStalled if nothing came for so long; 0 means no such limit.
func openInput(ctx context.Context, path string, stall time.Duration) (io.ReadCloser, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = fmt.Errorf("%q is a directory", path)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	in := &input{ctx: ctx, f: f, stall: stall, fifo: info.Mode()&os.ModeNamedPipe != 0}
	in.stop = context.AfterFunc(ctx, func() { f.SetReadDeadline(time.Now()) })
	return in, nil
}

// Read implements io.Reader.
func (in *input) Read(p []byte) (int, error) {
	if in.stall > 0 {
		in.f.SetReadDeadline(time.Now().Add(in.stall))
	}
	// The end of ctx sets a deadline in the past, which the line above may
	// have overwritten.
	if in.ctx.Err() != nil {
		return 0, context.Cause(in.ctx)
	}
	if in.fifo && !in.begun {
		if err := awaitWriter(in.f); err != nil {
			return 0, in.why(err)
		}
		in.begun = true
	}
	n, err := in.f.Read(p)
	if err != nil && err != io.EOF {
		err = in.why(err)
	}
	return n, err
}

func (in *input) why(err error) error {
	switch {
	case in.ctx.Err() != nil:
		return context.Cause(in.ctx)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("%w for %s", errStalled, in.stall)
	}
	return err
}

// Close implements io.Closer and ends a Read that waits.
func (in *input) Close() error {
	in.stop()
	return in.f.Close()
}

// awaitWriter waits until a FIFO has data or had a writer. Before that a read
// would return the end of the file.
func awaitWriter(f *os.File) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	return raw.Read(func(fd uintptr) bool {
		p := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		n, err := unix.Poll(p, 0)
		return err != nil && err != unix.EINTR || n > 0
	})
}

// maxQueued bounds the samples that wait for the engine: five minutes, more
// than a model needs to load. A queue that is full holds up the writer.
const maxQueued = 5 * 60 * 32000

// queue holds the samples that an engine has not read yet.
type queue struct {
	mu      sync.Mutex
	changed sync.Cond
	buf     []byte
	err     error // why nothing more is written, io.EOF at the end
}

func newQueue() *queue {
	q := &queue{}
	q.changed.L = &q.mu
	return q
}

// Write implements io.Writer. It waits for room.
func (q *queue) Write(b []byte) (int, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.buf)+len(b) > maxQueued && q.err == nil {
		q.changed.Wait()
	}
	if q.err != nil {
		return 0, io.ErrClosedPipe
	}
	q.buf = append(q.buf, b...)
	q.changed.Broadcast()
	return len(b), nil
}

// Read implements io.Reader. What was written before the regular end comes
// first; any other end comes at once.
func (q *queue) Read(p []byte) (int, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.buf) == 0 && q.err == nil {
		q.changed.Wait()
	}
	if len(q.buf) == 0 || q.err != nil && q.err != io.EOF {
		return 0, q.err
	}
	n := copy(p, q.buf)
	if q.buf = q.buf[n:]; len(q.buf) == 0 {
		q.buf = nil
	}
	q.changed.Broadcast()
	return n, nil
}

// close ends the queue with an error, io.EOF for its regular end. Only the
// first call counts.
func (q *queue) close(err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.err == nil {
		q.err = err
	}
	q.changed.Broadcast()
}

package asr

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
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

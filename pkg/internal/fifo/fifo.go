// Package fifo reads what another program is going to write, without waiting
// for it for ever.
package fifo

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// ReadFile reads a file, FIFO or pipe to its end, like os.ReadFile, but it
// waits no longer than ctx lasts and reads at most limit bytes. A FIFO that nobody
// has opened yet is waited for. The error wraps ctx's cause once ctx has ended.
func ReadFile(ctx context.Context, path string, limit int) ([]byte, error) {
	// Opened in this way a FIFO does not wait for its writer.
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	defer context.AfterFunc(ctx, func() { f.SetReadDeadline(time.Now()) })()
	if info.Mode()&os.ModeNamedPipe != 0 {
		err = awaitWriter(f)
	}
	var b []byte
	if err == nil {
		b, err = io.ReadAll(io.LimitReader(f, int64(limit)+1))
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, err
	case len(b) > limit:
		return nil, fmt.Errorf("%q has more than %d bytes", path, limit)
	}
	return b, nil
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

package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"voice-input/pkg/internal/xdg"
)

// dirPrefix begins the names of the private directories.
const dirPrefix = "asr-"

// directory is a private place for FIFOs. Its lock tells the living from what
// a killed process has left behind.
type directory struct {
	path string
	lock *os.File
	made int
}

// newDirectory makes a private directory below the user's runtime directory,
// or below $TMPDIR where there is none, and removes those of dead processes.
func newDirectory(getenv func(string) string) (*directory, error) {
	base := xdg.RuntimeDir(getenv)
	if xdg.PrivateDir(base) != nil {
		if base = getenv("TMPDIR"); !filepath.IsAbs(base) {
			base = os.TempDir()
		}
	}
	removeStale(base)
	// Another process that cleans up may take the directory away between its
	// making and its locking.
	for range 10 {
		path, err := os.MkdirTemp(base, dirPrefix)
		if err != nil {
			return nil, fmt.Errorf("cannot make private directory: %w", err)
		}
		if lock := lockDirectory(path); lock != nil {
			return &directory{path: path, lock: lock}, nil
		}
	}
	return nil, fmt.Errorf("cannot keep a private directory in %q: others remove it", base)
}

// lockDirectory returns nil if the directory is locked by a living process or
// gone.
func lockDirectory(path string) *os.File {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil
	}
	if unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil {
		f.Close()
		return nil
	}
	mine, err1 := f.Stat()
	there, err2 := os.Lstat(path)
	if err1 != nil || err2 != nil || !os.SameFile(mine, there) {
		f.Close()
		return nil
	}
	return f
}

func removeStale(base string) {
	entries, err := os.ReadDir(base)
	if err != nil {
		return
	}
	for _, e := range entries {
		path := filepath.Join(base, e.Name())
		var st unix.Stat_t
		if !strings.HasPrefix(e.Name(), dirPrefix) || !e.IsDir() || unix.Lstat(path, &st) != nil ||
			int(st.Uid) != os.Getuid() || st.Mode&0o777 != 0o700 {
			continue
		}
		if lock := lockDirectory(path); lock != nil {
			os.RemoveAll(path)
			lock.Close()
		}
	}
}

// fifo makes a FIFO and returns its path.
func (d *directory) fifo() (string, error) {
	d.made++
	path := filepath.Join(d.path, fmt.Sprintf("take-%d", d.made))
	if err := unix.Mkfifo(path, 0o600); err != nil {
		return "", fmt.Errorf("cannot make FIFO %q: %w", path, err)
	}
	return path, nil
}

func (d *directory) remove() {
	os.RemoveAll(d.path)
	d.lock.Close()
}

// errNotOpened says that nobody opened the FIFO in time.
var errNotOpened = errors.New("the FIFO was not opened")

// openForWriting waits until somebody has opened the FIFO for reading. There
// is no event for that which could be waited for together with ctx.
func openForWriting(ctx context.Context, path string, limit time.Duration) (*os.File, error) {
	end := time.Now().Add(limit)
	for pause := time.Millisecond; ; pause = min(2*pause, 20*time.Millisecond) {
		f, err := os.OpenFile(path, os.O_WRONLY|unix.O_NONBLOCK, 0)
		if !errors.Is(err, unix.ENXIO) {
			return f, err
		}
		if time.Now().After(end) {
			return nil, errNotOpened
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(pause):
		}
	}
}

// copySamples writes first and then all of r. Each write may take as long as
// limit says for the bytes written so far.
func copySamples(ctx context.Context, w *os.File, first []byte, r io.Reader, limit func(bytes int64) time.Duration) (int64, error) {
	// A write that blocks ends with ctx.
	stop := context.AfterFunc(ctx, func() { w.SetWriteDeadline(time.Now()) })
	defer stop()
	var written int64
	buf := make([]byte, 16<<10)
	for chunk := first; ; {
		w.SetWriteDeadline(time.Now().Add(limit(written)))
		if ctx.Err() != nil {
			return written, context.Cause(ctx)
		}
		n, err := w.Write(chunk)
		written += int64(n)
		if err != nil {
			return written, err
		}
		n, err = r.Read(buf)
		if chunk = buf[:n]; n > 0 {
			continue
		}
		if err == io.EOF {
			return written, nil
		}
		if err != nil {
			return written, err
		}
	}
}

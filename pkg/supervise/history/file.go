package history

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"voice-input/pkg/internal/xdg"
)

// lockName is the file whose lock says who changes the history. The history
// itself cannot carry it, for it is replaced.
const lockName = "history.lock"

// do runs f in this process's turn and with the lock, which a reader does
// without after addTime. When the time is over it returns although f may still be waiting
// for the disk; until f is done nothing else begins.
func do[T any](ctx context.Context, s *Store, bound time.Duration, change bool, f func() (T, error)) (result T, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, bound, fmt.Errorf("%q is in use or its disk hangs: no turn within %v", s.path, bound))
	defer cancel()
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return result, context.Cause(ctx)
	}
	type outcome struct {
		result T
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		defer func() { <-s.turn }()
		var o outcome
		patience, stop := ctx, context.CancelFunc(func() {})
		if !change {
			patience, stop = context.WithTimeout(ctx, addTime)
		}
		lock, err := s.lock(patience, change)
		stop()
		if err != nil && change {
			o.err = err
		} else {
			o.result, o.err = f()
		}
		if lock != nil {
			lock.Close() // which unlocks
		}
		done <- o
	}()
	select {
	case o := <-done:
		return o.result, o.err
	case <-ctx.Done():
		return result, context.Cause(ctx)
	}
}

// lock waits for the lock and returns the file that holds it.
func (s *Store) lock(ctx context.Context, change bool) (*os.File, error) {
	dir, flags, how := filepath.Dir(s.path), os.O_RDONLY, unix.LOCK_SH
	if change {
		if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
			return nil, fmt.Errorf("cannot make a directory: %w", err)
		}
		if err := xdg.PrivateDir(dir); err != nil {
			return nil, err
		}
		flags, how = os.O_RDWR|os.O_CREATE, unix.LOCK_EX
	}
	path := filepath.Join(dir, lockName)
	f, err := os.OpenFile(path, flags|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot lock the history: %w", err)
	}
	for {
		err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
		switch {
		case err == nil && ctx.Err() == nil: // else nobody waits any more
			return f, nil
		case err != nil && err != unix.EWOULDBLOCK && err != unix.EINTR:
			f.Close()
			return nil, fmt.Errorf("cannot lock %q: %w", path, err)
		}
		select {
		case <-time.After(lockPoll):
		case <-ctx.Done():
			f.Close()
			return nil, context.Cause(ctx)
		}
	}
}

// open opens the file and refuses what is not a file of this user's own.
func (s *Store) open(flags int) (*os.File, error) {
	// NONBLOCK, or a FIFO in its place would be waited for.
	f, err := os.OpenFile(s.path, flags|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0o600)
	if errors.Is(err, unix.ELOOP) {
		return nil, fmt.Errorf("%q is a symbolic link", s.path)
	} else if err != nil {
		return nil, err
	}
	var st unix.Stat_t
	err = unix.Fstat(int(f.Fd()), &st)
	switch {
	case err != nil:
	case st.Mode&unix.S_IFMT != unix.S_IFREG:
		err = fmt.Errorf("%q is not a file", s.path)
	case int(st.Uid) != os.Getuid():
		err = fmt.Errorf("%q belongs to another user", s.path)
	case st.Mode&0o077 != 0:
		err = f.Chmod(0o600)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

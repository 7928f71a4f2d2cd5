// Package unixsock is how a client talks to a server on a Unix socket: every
// step ends with the context, every answer has a limit, and who listens at
// the other end can be known before a byte is sent.
package unixsock

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Conn is a connection whose reads and writes fail once its context ends.
type Conn struct {
	*net.UnixConn
	ctx  context.Context
	stop func() bool
}

// ErrTooLong is returned for an answer that is longer than the limit.
var ErrTooLong = errors.New("the answer is too long")

// Dial connects to the socket at path; one that begins with @ is abstract.
func Dial(ctx context.Context, path string) (*Conn, error) {
	c, err := new(net.Dialer).DialContext(ctx, "unix", path)
	if err != nil {
		return nil, errors.Join(ctx.Err(), err)
	}
	if deadline, ok := ctx.Deadline(); ok {
		c.SetDeadline(deadline)
	}
	// A cancelled context interrupts what waits, by a deadline in the past.
	stop := context.AfterFunc(ctx, func() { c.SetDeadline(time.Unix(1, 0)) })
	return &Conn{c.(*net.UnixConn), ctx, stop}, nil
}

// Close closes the connection and forgets the context.
func (c *Conn) Close() error {
	c.stop()
	return c.UnixConn.Close()
}

// Read reads like the connection; its error is that of the context if that
// has ended.
func (c *Conn) Read(b []byte) (int, error) {
	n, err := c.UnixConn.Read(b)
	return n, c.explain(err)
}

// Write writes like the connection; its error is that of the context if that
// has ended.
func (c *Conn) Write(b []byte) (int, error) {
	n, err := c.UnixConn.Write(b)
	return n, c.explain(err)
}

func (c *Conn) explain(err error) error {
	switch {
	case err == nil || errors.Is(err, io.EOF):
		return err
	case c.ctx.Err() != nil:
		return c.ctx.Err()
	case errors.Is(err, os.ErrDeadlineExceeded):
		return context.DeadlineExceeded
	}
	return err
}

// ReadAll reads to the end of the stream, at most limit bytes.
func (c *Conn) ReadAll(limit int) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(c, int64(limit)+1))
	switch {
	case err != nil:
		return nil, err
	case len(b) > limit:
		return nil, ErrTooLong
	}
	return b, nil
}

// Peer returns the process that called listen on the socket, and its user.
func (c *Conn) Peer() (pid, uid int, err error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, 0, err
	}
	var cred *unix.Ucred
	ctrlErr := raw.Control(func(fd uintptr) {
		cred, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	})
	if err := errors.Join(ctrlErr, err); err != nil {
		return 0, 0, err
	}
	return int(cred.Pid), int(cred.Uid), nil
}

// The faults of a path that Owned finds.
var (
	ErrNotSocket  = errors.New("it is not a socket")
	ErrOtherOwner = errors.New("it belongs to another user")
)

// Owned returns an error unless path is a socket, not a link to one, that
// belongs to uid. An abstract address has no file to look at; Peer says whose
// it is.
func Owned(path string, uid int) error {
	if strings.HasPrefix(path, "@") {
		return nil
	}
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	sys, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case info.Mode().Type() != os.ModeSocket:
		return fmt.Errorf("%q: %w", path, ErrNotSocket)
	case !ok || int(sys.Uid) != uid:
		return fmt.Errorf("%q: %w", path, ErrOtherOwner)
	}
	return nil
}

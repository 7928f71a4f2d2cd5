package unixsock

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// serve answers each connection with f until the end of the test.
func serve(t *testing.T, path string, f func(net.Conn)) {
	t.Helper()
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				f(c)
			}()
		}
	}()
}

func dir(t *testing.T) string {
	t.Helper()
	d, err := os.MkdirTemp("", "vi-sock-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(d) })
	return d
}

func TestReadAllAndPeer(t *testing.T) {
	for _, path := range []string{filepath.Join(dir(t), "s"), "@vi-unixsock-test-" + filepath.Base(dir(t))} {
		serve(t, path, func(c net.Conn) { io.WriteString(c, "hello") })
		for _, tt := range []struct {
			limit int
			want  string
			err   error
		}{{5, "hello", nil}, {4, "", ErrTooLong}} {
			c, err := Dial(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			if pid, uid, err := c.Peer(); pid != os.Getpid() || uid != os.Getuid() || err != nil {
				t.Errorf("peer %d, %d, %v", pid, uid, err)
			}
			if b, err := c.ReadAll(tt.limit); string(b) != tt.want || !errors.Is(err, tt.err) {
				t.Errorf("limit %d: %q, %v", tt.limit, b, err)
			}
			c.Close()
		}
	}
}

// A server that says nothing does not keep a client beyond its context,
// whether that has a deadline or is cancelled.
func TestContextEndsARead(t *testing.T) {
	path := filepath.Join(dir(t), "s")
	ended := make(chan struct{})
	t.Cleanup(func() { close(ended) })
	serve(t, path, func(net.Conn) { <-ended })
	const soon = 200 * time.Millisecond // enough to connect in
	for want, end := range map[error]func() (context.Context, context.CancelFunc){
		context.DeadlineExceeded: func() (context.Context, context.CancelFunc) { return context.WithTimeout(t.Context(), soon) },
		context.Canceled: func() (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(soon, cancel)
			return ctx, cancel
		},
	} {
		ctx, cancel := end()
		defer cancel()
		c, err := Dial(ctx, path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.ReadAll(10); !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
		c.Close()
	}
}

func TestOwned(t *testing.T) {
	d := dir(t)
	socket, file, link := filepath.Join(d, "s"), filepath.Join(d, "f"), filepath.Join(d, "l")
	serve(t, socket, func(net.Conn) {})
	os.WriteFile(file, nil, 0o600)
	os.Symlink(socket, link)
	uid := os.Getuid()
	tests := []struct {
		path string
		uid  int
		want error
	}{
		{socket, uid, nil},
		{"@anything", uid, nil},
		{socket, uid + 1, ErrOtherOwner},
		{file, uid, ErrNotSocket},
		{link, uid, ErrNotSocket},
		{d, uid, ErrNotSocket},
		{filepath.Join(d, "none"), uid, os.ErrNotExist},
	}
	for _, tt := range tests {
		if err := Owned(tt.path, tt.uid); !errors.Is(err, tt.want) {
			t.Errorf("%s for %d: %v, want %v", tt.path, tt.uid, err, tt.want)
		}
	}
}

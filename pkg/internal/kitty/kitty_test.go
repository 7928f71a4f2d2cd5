package kitty

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// server answers each request on a socket with a text and counts what it was
// sent.
type server struct {
	net.Listener
	requests chan string
}

func serve(t *testing.T, path, answer string) *server {
	t.Helper()
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	s := &server{l, make(chan string, 10)}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			request, err := bufio.NewReader(c).ReadString('\\')
			if err == nil {
				s.requests <- request
				io.WriteString(c, answer)
			}
			c.Close()
		}
	}()
	return s
}

func socket(t *testing.T) Socket {
	t.Helper()
	dir, err := os.MkdirTemp("", "vi-kitty-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return Socket{Path: filepath.Join(dir, "k"), PID: os.Getpid(), UID: os.Getuid()}
}

func TestCall(t *testing.T) {
	tests := []struct {
		name, answer, want string
		err                error
	}{
		{"JSON in a string", "\x1bP@kitty-cmd{\"ok\": true, \"data\": \"[{\\\"id\\\": 1}]\"}\x1b\\", `[{"id": 1}]`, nil},
		{"no data", "\x1bP@kitty-cmd{\"ok\": true}\x1b\\", "", nil},
		{"noise before", "\x1b[?1;2c\x1bP@kitty-cmd{\"ok\":true,\"data\":[1]}\x1b\\rest", "[1]", nil},
		{"denied", "\x1bP@kitty-cmd{\"ok\":false,\"error\":\"private\"}\x1b\\", "", ErrDenied},
		{"not ours", "hello\x1b\\", "", ErrBadAnswer},
		{"not JSON", "\x1bP@kitty-cmd{\"ok\":tru\x1b\\", "", ErrBadAnswer},
		{"no verdict", "\x1bP@kitty-cmd{}\x1b\\", "", ErrBadAnswer},
		{"cut short", "\x1bP@kitty-cmd{\"ok\":", "", ErrNoAnswer},
		{"nothing", "", "", ErrNoAnswer},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := socket(t)
			server := serve(t, s.Path, tt.answer)
			got, err := s.Call(t.Context(), "ls", nil)
			if string(got) != tt.want || !errors.Is(err, tt.err) {
				t.Errorf("got %q, %v; want %q, %v", got, err, tt.want, tt.err)
			}
			if err != nil && strings.Contains(err.Error(), "private") {
				t.Error("the error holds what the other side said")
			}
			if got, want := <-server.requests, "\x1bP@kitty-cmd{\"cmd\":\"ls\",\"version\":[0,26,0],\"payload\":null}\x1b\\"; got != want {
				t.Errorf("sent %q, want %q", got, want)
			}
		})
	}
}

// Whatever is not the socket of that very process gets not a single byte.
func TestF7_WrongSocket(t *testing.T) {
	s := socket(t)
	server := serve(t, s.Path, "\x1bP@kitty-cmd{\"ok\":true}\x1b\\")
	file := socket(t)
	os.WriteFile(file.Path, nil, 0o600)
	link := socket(t)
	os.Symlink(s.Path, link.Path)
	dead := socket(t)
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: dead.Path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	l.Close()
	tests := []struct {
		name string
		Socket
		want error
	}{
		{"plain file", file, ErrUnsafe},
		{"link", link, ErrUnsafe},
		{"dead", dead, ErrNoAnswer},
		{"none", socket(t), ErrMissing},
		{"other process", Socket{s.Path, s.PID + 1, s.UID}, ErrUnsafe},
		{"other user", Socket{s.Path, s.PID, s.UID + 1}, ErrUnsafe},
		{"abstract, none", Socket{"@vi-kitty-none", s.PID, s.UID}, ErrNoAnswer},
	}
	for _, tt := range tests {
		if _, err := tt.Call(t.Context(), "ls", nil); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
		if _, err := os.Lstat(tt.Path); tt.want != ErrMissing && tt.Path[0] == '/' && err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	select {
	case r := <-server.requests:
		t.Errorf("a stranger was sent %q", r)
	default:
	}
}

// An idle client of Kitty before 0.42.2 makes all others wait; a call gives up
// in time and leaves no connection behind.
func TestRule_H3_BusyKitty(t *testing.T) {
	s := socket(t)
	l, err := net.Listen("unix", s.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	if _, err := s.Call(ctx, "ls", nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	c, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(20 * time.Second))
	if _, err := io.Copy(io.Discard, c); err != nil {
		t.Errorf("the connection was left open: %v", err)
	}
}

func TestPath(t *testing.T) {
	for address, want := range map[string]string{
		"unix:/tmp/k": "/tmp/k", "unix:@k": "@k", "unix:@": "", "unix:k": "", "unix:": "", "tcp:localhost:1": "", "fd:5": "", "": "",
	} {
		if got, ok := Path(address); (want != "") != ok || ok && got != want {
			t.Errorf("%q: %q, %t", address, got, ok)
		}
	}
}

func FuzzAnswer(f *testing.F) {
	f.Add([]byte("\x1bP@kitty-cmd{\"ok\": true, \"data\": \"[]\"}\x1b\\"))
	f.Add([]byte("\x1b\x1b\\\\"))
	f.Fuzz(func(t *testing.T, b []byte) {
		// In one piece or in single bytes, the answer is the same.
		whole, err1 := read(bytes.NewReader(b))
		pieces, err2 := read(iotest.OneByteReader(bytes.NewReader(b)))
		if !bytes.Equal(whole, pieces) || (err1 == nil) != (err2 == nil) {
			t.Errorf("%q, %v and %q, %v", whole, err1, pieces, err2)
		}
		decode(whole)
	})
}

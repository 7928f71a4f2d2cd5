package fifo

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	if b, err := ReadFile(t.Context(), plain, 4); err != nil || string(b) != "text" {
		t.Errorf("file: %q, %v", b, err)
	}
	if _, err := ReadFile(t.Context(), plain, 3); err == nil || !strings.Contains(err.Error(), "more than 3 bytes") {
		t.Errorf("too long: %v", err)
	}
	if _, err := ReadFile(t.Context(), filepath.Join(dir, "none"), 4); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
	if _, err := ReadFile(t.Context(), dir, 4); err == nil {
		t.Error("a directory was read")
	}
}

func mkfifo(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fifo")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A writer that opens late, writes in pieces, or writes nothing.
func TestReadFileWaitsForTheWriter(t *testing.T) {
	for _, pieces := range [][]string{{"a", "b"}, {}} {
		path := mkfifo(t)
		go func() {
			time.Sleep(50 * time.Millisecond)
			w, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				return
			}
			defer w.Close()
			for _, p := range pieces {
				w.WriteString(p)
				time.Sleep(10 * time.Millisecond)
			}
		}()
		b, err := ReadFile(t.Context(), path, 100)
		if want := strings.Join(pieces, ""); err != nil || string(b) != want {
			t.Errorf("%q, %v, want %q", b, err, want)
		}
	}
}

func TestReadFileEndsWithItsContext(t *testing.T) {
	why := errors.New("enough")
	for _, opened := range []bool{false, true} {
		path := mkfifo(t)
		if opened {
			w, err := os.OpenFile(path, os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			w.WriteString("the beginning")
		}
		ctx, cancel := context.WithTimeoutCause(t.Context(), 30*time.Millisecond, why)
		if b, err := ReadFile(ctx, path, 100); !errors.Is(err, why) {
			t.Errorf("opened %t: %q, %v", opened, b, err)
		}
		cancel()
	}
}

// A descriptor of this process, as a supervisor hands one over.
func TestReadFileOfAPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	w.WriteString("text")
	w.Close()
	name := filepath.Join("/proc/self/fd", strconv.Itoa(int(r.Fd())))
	if b, err := ReadFile(t.Context(), name, 100); err != nil || string(b) != "text" {
		t.Errorf("%q, %v", b, err)
	}
}

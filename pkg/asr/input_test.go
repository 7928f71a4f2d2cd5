package asr

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func mkfifo(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fifo")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func openTestInput(t *testing.T, ctx context.Context, path string, stall time.Duration) io.Reader {
	t.Helper()
	in, err := openInput(ctx, path, stall)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close() })
	return in
}

// A reader that is there first waits for the writer, also for one that takes
// its time before it writes.
func TestInputWaitsForTheWriter(t *testing.T) {
	path := mkfifo(t)
	in := openTestInput(t, t.Context(), path, 0)
	got := make(chan []byte)
	go func() {
		b, _ := io.ReadAll(in)
		got <- b
	}()
	time.Sleep(30 * time.Millisecond)
	w, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(30 * time.Millisecond)
	w.WriteString("a")
	time.Sleep(30 * time.Millisecond)
	w.WriteString("b")
	w.Close()
	if b := <-got; string(b) != "ab" {
		t.Errorf("%q", b)
	}
}

func TestInputEnds(t *testing.T) {
	cause := errors.New("enough")
	for _, tt := range []struct {
		name   string
		writer bool // there is one, which is silent
		stall  time.Duration
		want   error
	}{
		{"no writer, stall", false, 20 * time.Millisecond, errStalled},
		{"silent writer, stall", true, 20 * time.Millisecond, errStalled},
		{"no writer, cancelled", false, 0, cause},
		{"silent writer, cancelled", true, 0, cause},
		{"silent writer, cancelled before the stall", true, time.Hour, cause},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancelCause(t.Context())
			path := mkfifo(t)
			in := openTestInput(t, ctx, path, tt.stall)
			if tt.writer {
				w, err := os.OpenFile(path, os.O_WRONLY, 0)
				if err != nil {
					t.Fatal(err)
				}
				defer w.Close()
				w.WriteString("a")
				in.Read(make([]byte, 10))
			}
			if tt.want == cause {
				time.AfterFunc(30*time.Millisecond, func() { cancel(cause) })
			}
			defer cancel(nil)
			if n, err := in.Read(make([]byte, 10)); n > 0 || !errors.Is(err, tt.want) {
				t.Errorf("%d, %v, want %v", n, err, tt.want)
			}
		})
	}
}

func TestInputRefuses(t *testing.T) {
	if _, err := openInput(t.Context(), t.TempDir(), 0); err == nil {
		t.Error("a directory was opened")
	}
	if _, err := openInput(t.Context(), "/proc/none", 0); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

package paste

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

func TestParseChord(t *testing.T) {
	tests := []struct {
		in   string
		mods Mods
		key  string
		code uint8
	}{
		{"ctrl+v", Ctrl, "v", 47},
		{"Ctrl+Shift+V", Ctrl | Shift, "v", 47},
		{"shift+insert", Shift, "Insert", 110},
		{" control + y ", Ctrl, "y", 21},
		{"super+alt+p", Super | Alt, "p", 25},
		{"v", 0, "", 0},
		{"", 0, "", 0},
		{"ctrl+", 0, "", 0},
		{"ctrl+ctrl+v", 0, "", 0},
		{"hyper+v", 0, "", 0},
		{"ctrl+vv", 0, "", 0},
		{"ctrl+,activewindow", 0, "", 0},
		{"ctrl+f13", 0, "", 0},
	}
	for _, tt := range tests {
		c, err := ParseChord(tt.in)
		if (err == nil) != (tt.key != "") || c.Mods != tt.mods || c.Key.Name != tt.key || c.Key.Code != tt.code {
			t.Errorf("%q: %+v, %v", tt.in, c, err)
		}
	}
}

func TestChordKeys(t *testing.T) {
	c, err := ParseChord("shift+ctrl+v")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, k := range c.Keys() {
		names = append(names, k.Name)
	}
	if got := strings.Join(names, " "); got != "Control_L Shift_L v" {
		t.Errorf("got %q", got)
	}
	insert, _ := ParseChord("shift+insert")
	if c.Primary() || !insert.Primary() {
		t.Error("the wrong chord pastes the primary selection")
	}
}

func FuzzParseChord(f *testing.F) {
	f.Add("ctrl+shift+v")
	f.Add("+")
	f.Fuzz(func(t *testing.T, s string) {
		if c, err := ParseChord(s); err == nil && (c.Mods == 0 || c.Key.Code == 0) {
			t.Errorf("%q gives %+v", s, c)
		}
	})
}

func TestSnapshotLimits(t *testing.T) {
	s := NewSnapshot()
	defer s.Close()
	w, err := s.Add(false, Item{Type: "a"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(make([]byte, Limit-1)); err != nil {
		t.Fatal(err)
	}
	v, err := s.Add(true, Item{Type: "b"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := v.Write([]byte("x")); err != nil {
		t.Errorf("the last byte does not fit: %v", err)
	}
	if _, err := v.Write([]byte("y")); !errors.Is(err, ErrTooLarge) {
		t.Errorf("got %v", err)
	}
	r, size := s.Items(true)[0].Open()
	if b, _ := io.ReadAll(r); string(b) != "x" || size != 1 {
		t.Errorf("%q, %d", b, size)
	}
	for range maxItems - 2 {
		if _, err := s.Add(false, Item{}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Add(false, Item{}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("got %v", err)
	}
}

// One delivery at a time uses the clipboard; another waits, but not for ever.
func TestAlone(t *testing.T) {
	dir := t.TempDir()
	getenv := func(string) string { return dir }
	release, err := alone(t.Context(), getenv)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	if _, err := alone(ctx, getenv); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	time.AfterFunc(30*time.Millisecond, release)
	again, err := alone(t.Context(), getenv)
	if err != nil {
		t.Fatal(err)
	}
	again()
	// Where there is no place for the lock, deliveries go on without it.
	none, err := alone(t.Context(), func(string) string { return "/nonexistent" })
	if err != nil {
		t.Fatal(err)
	}
	none()
}

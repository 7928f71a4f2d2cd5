package wayland

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"voice-input/pkg/deliver/driver"
	"voice-input/pkg/internal/desktoptest"
	"voice-input/pkg/wire"
)

func newClipboard(t *testing.T, d *desk) *Clipboard {
	t.Helper()
	c, missing := NewClipboard(t.Context(), desktoptest.Getenv(d.env))
	if c == nil {
		t.Fatal(missing)
	}
	return c
}

// The text stays on the clipboard as text alone, in the memory of one process,
// until something else is copied. Nothing of it is in a file, an argument or an
// environment.
func TestClipboardHoldsTheText(t *testing.T) {
	d := newDesk(t)
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	c := newClipboard(t, d)
	d.copy(t, "text/plain", []byte("before"))
	files := buffers(t)
	for _, text := range texts {
		verified, warnings, err := c.Deliver(t.Context(), text)
		if err != nil || verified != wire.VerifiedReadBack || len(warnings) > 0 {
			t.Fatalf("%.20q: %s, %v, %v", text, verified, warnings, err)
		}
		holds := d.holds(t)
		var types []string
		for kind, data := range holds {
			types = append(types, kind)
			if data != text {
				t.Errorf("%s: %.20q, want %.20q", kind, data, text)
			}
		}
		slices.Sort(types)
		if want := slices.Sorted(slices.Values(textTypes)); !slices.Equal(types, want) {
			t.Errorf("%q, want %q", types, want)
		}
		desktoptest.Until(t, "one keeper", func() bool { return len(keepers(t, d)) == 1 })
		pid := keepers(t, d)[0]
		for _, name := range []string{"cmdline", "environ"} {
			if b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, name)); len(b) == 0 || len(text) > 2 && strings.Contains(string(b), text) {
				t.Errorf("%s of the keeper holds the text, or cannot be read", name)
			}
		}
	}
	if left, _ := os.ReadDir(tmp); len(left) > 0 || !slices.Equal(buffers(t), files) {
		t.Errorf("a file is left: %v, %v", left, buffers(t))
	}
	d.copy(t, "text/plain", []byte("after"))
	desktoptest.Until(t, "the keeper's end", func() bool { return len(keepers(t, d)) == 0 })
}

// buffers are the files in which wl-copy keeps what it was given.
func buffers(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir("/tmp")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "wl-copy-buffer-") {
			names = append(names, e.Name())
		}
	}
	return names
}

// A clipboard that cannot be read, or that has gone to somebody else, is a
// warning.
func TestClipboardReadBack(t *testing.T) {
	d := newDesk(t)
	b := testBoard(t, d)
	if got, err := b.text(t.Context(), 10); err == nil {
		t.Errorf("an empty clipboard holds %q", got)
	}
	d.copy(t, textTypes[0], []byte("something else"))
	if got, err := b.text(t.Context(), 10); got != "something " || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

func TestClipboardWithoutCompositor(t *testing.T) {
	for _, display := range []string{"", "/nonexistent/wayland-0"} {
		if c, missing := NewClipboard(t.Context(), func(name string) string {
			return map[string]string{"WAYLAND_DISPLAY": display}[name]
		}); c != nil || missing == "" {
			t.Errorf("%q: %v, %q", display, c, missing)
		}
	}
	c := &Clipboard{"/nonexistent/wayland-0", os.Getenv}
	if _, _, err := c.Deliver(t.Context(), "secret"); err == nil || !strings.Contains(err.Error(), driver.ErrUnsent.Error()) || strings.Contains(err.Error(), "secret") {
		t.Error(err)
	}
}

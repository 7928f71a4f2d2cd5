package wayland

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"voice-input/pkg/deliver/driver"
	"voice-input/pkg/deliver/paste"
	"voice-input/pkg/internal/desktoptest"
)

// desk is a compositor with a terminal that has the focus.
type desk struct {
	desktoptest.Compositor
	env    []string
	reader *desktoptest.Reader
}

func newDesk(t testing.TB) *desk {
	t.Helper()
	c := desktoptest.Sway(t)
	r := desktoptest.NewReader(t, true)
	c.Foot(t, r.Command...)
	r.Ready()
	return &desk{c, c.Env(t), r}
}

// copy puts data on the clipboard by wl-copy, whose process it returns. What
// wl-copy does not get as an argument it keeps in a file, which it removes when
// it loses the clipboard.
func (d *desk) copy(t testing.TB, kind string, data []byte) *os.Process {
	t.Helper()
	cmd := exec.Command(desktoptest.Path(t, "wl-copy"), "--foreground", "--type", kind)
	cmd.Env = d.env
	if len(data) > 1000 || !strings.HasPrefix(kind, "text/") {
		cmd.Stdin = bytes.NewReader(data)
	} else {
		cmd.Args = append(cmd.Args, "--", string(data))
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { cmd.Wait(); close(done) }()
	t.Cleanup(func() {
		if cmd.Stdin != nil {
			cmd.Process.Signal(syscall.SIGCONT)
			desktoptest.Run(t, d.env, "wl-copy", "--clear")
			select {
			case <-done:
			case <-time.After(10 * time.Second):
			}
		}
		cmd.Process.Kill()
		<-done
	})
	desktoptest.Until(t, "wl-copy", func() bool {
		out, err := d.paste("--no-newline", "--type", kind)
		return err == nil && bytes.Equal(out, data)
	})
	return cmd.Process
}

// offer puts several types on the clipboard.
func (d *desk) offer(t testing.TB, types []string, data map[string]string) {
	t.Helper()
	b := testBoard(t, d)
	b.mu.Lock()
	b.own[clipboard] = b.source(clipboard, types, func(kind string) (io.Reader, bool) { return strings.NewReader(data[kind]), false })
	b.mu.Unlock()
	if err := b.roundtrip(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func testBoard(t testing.TB, d *desk) *board {
	t.Helper()
	b, err := connect(t.Context(), d.Display, true, desktoptest.Getenv(d.env), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}

func (d *desk) paste(args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "wl-paste", args...)
	cmd.Env = d.env
	return cmd.Output()
}

// types returns what wl-paste says of the clipboard.
func (d *desk) types(t testing.TB) []string {
	t.Helper()
	desktoptest.Need(t, "wl-paste")
	out, err := d.paste("--list-types")
	if err != nil {
		return nil // nothing is copied
	}
	return strings.Fields(string(out))
}

// holds returns all of the clipboard, read by another program than ours.
func (d *desk) holds(t testing.TB) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, kind := range d.types(t) {
		out, err := d.paste("--no-newline", "--type", kind)
		if err != nil {
			t.Fatalf("wl-paste: %v", err)
		}
		all[kind] = string(out)
	}
	return all
}

func same(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		if w, ok := b[k]; !ok || v != w {
			return false
		}
	}
	return true
}

// brief describes a clipboard without its megabytes.
func brief(m map[string]string) string {
	var s []string
	for k, v := range m {
		s = append(s, fmt.Sprintf("%s: %d bytes %.20q", k, len(v), v))
	}
	slices.Sort(s)
	return strings.Join(s, ", ")
}

// noise is data that no wrong path makes by chance.
func noise(n int) []byte {
	b := make([]byte, n)
	x := uint32(1)
	for i := range b {
		x = x*1664525 + 1013904223
		b[i] = byte(x >> 24)
	}
	return b
}

// The clipboard holds afterwards what it held before, byte for byte.
func TestO4ClipboardComesBack(t *testing.T) {
	d := newDesk(t)
	png := append([]byte("\x89PNG\r\n\x1a\n"), noise(100_000)...)
	tests := []struct {
		name string
		set  func(t *testing.T)
	}{
		{"empty", func(*testing.T) {}},
		{"text", func(t *testing.T) { d.copy(t, "text/plain;charset=utf-8", []byte("旧 text\n")) }},
		{"picture", func(t *testing.T) { d.copy(t, "image/png", png) }},
		{"20 MiB", func(t *testing.T) { d.copy(t, "image/png", noise(20<<20)) }},
		{"several types", func(t *testing.T) {
			d.offer(t, []string{"text/html", "text/plain", "UTF8_STRING", "image/png", "application/x-empty", hintType}, map[string]string{
				"text/html": "<b>旧</b>", "text/plain": "old", "UTF8_STRING": "旧", "image/png": string(png), hintType: hintValue,
			})
		}},
		{"owner gone", func(t *testing.T) {
			d.copy(t, "text/plain", []byte("gone")).Kill()
			desktoptest.Until(t, "an empty clipboard", func() bool { return len(d.types(t)) == 0 })
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.set(t)
			before := d.holds(t)
			mustDeliver(t, newDriver(t, d.Compositor, options), "neu 新")
			want := desktoptest.Pasted("neu 新")
			if got := d.reader.Next(len(want)); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
			if after := d.holds(t); !same(before, after) {
				t.Errorf("the clipboard holds %s, not %s", brief(after), brief(before))
			}
			// Leave nothing to the next.
			if len(before) > 0 {
				desktoptest.Run(t, d.env, "wl-copy", "--clear")
			}
			desktoptest.Until(t, "the keeper's end", func() bool { return len(keepers(t, d)) == 0 })
		})
	}
}

func keepers(t testing.TB, d *desk) []int {
	t.Helper()
	var pids []int
	kept := desktoptest.WithEnv(t, "VI_TYPE_KEEP=wayland")
	for _, pid := range desktoptest.WithEnv(t, "WAYLAND_DISPLAY="+d.Display) {
		if slices.Contains(kept, pid) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// The primary selection comes back too.
func TestPrimaryComesBack(t *testing.T) {
	d := newDesk(t)
	cmd := exec.Command("wl-copy", "--primary", "--foreground", "--type", "text/plain", "marked")
	cmd.Env = d.env
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	primary := func() string { out, _ := d.paste("--primary", "--no-newline"); return string(out) }
	desktoptest.Until(t, "wl-copy", func() bool { return primary() == "marked" })
	d.copy(t, "text/plain", []byte("copied"))
	o := options
	o.Paste = "shift+insert"
	mustDeliver(t, newDriver(t, d.Compositor, o), "new")
	if d.reader.Next(15) != desktoptest.Pasted("new") || primary() != "marked" || d.holds(t)["text/plain"] != "copied" {
		t.Errorf("the selections hold %q and %q", primary(), d.holds(t))
	}
}

// What cannot be saved is not touched, and another driver may try.
func TestClipboardThatCannotBeSaved(t *testing.T) {
	t.Parallel() // it mostly waits
	d := newDesk(t)
	for name, tt := range map[string]struct {
		size int
		stop bool
		want error
	}{
		"too large": {paste.Limit + 1, false, paste.ErrTooLarge},
		"hangs":     {10, true, context.DeadlineExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			data := noise(tt.size)
			owner := d.copy(t, "image/png", data)
			if tt.stop {
				owner.Signal(syscall.SIGSTOP)
			}
			_, _, err := newDriver(t, d.Compositor, options).Deliver(t.Context(), "secret words")
			owner.Signal(syscall.SIGCONT)
			if !errors.Is(err, driver.ErrUnsent) || !errors.Is(err, tt.want) || strings.Contains(err.Error(), "secret") {
				t.Errorf("got %v", err)
			}
			if got := d.holds(t); got["image/png"] != string(data) {
				t.Errorf("the clipboard holds %s", brief(got))
			}
			if got := d.reader.All(); got != "" {
				t.Errorf("%q was typed", got)
			}
		})
	}
}

// A program that keeps a history and honours the hint stores nothing of the
// text; one that does not honour it does not disturb.
func TestClipboardHistory(t *testing.T) {
	d := newDesk(t)
	d.copy(t, "text/plain;charset=utf-8", []byte("old"))
	history := testBoard(t, d)
	var mu sync.Mutex
	stored := map[string]bool{}
	ctx, cancel := context.WithCancel(t.Context())
	var done sync.WaitGroup
	done.Go(func() {
		var last *offer
		for ctx.Err() == nil {
			history.mu.Lock()
			o := history.current[clipboard]
			history.mu.Unlock()
			if o == nil || o == last {
				time.Sleep(time.Millisecond)
				continue
			}
			last = o
			if slices.Contains(o.types, hintType) {
				continue
			}
			var b bytes.Buffer
			history.receive(ctx, o, "text/plain;charset=utf-8", &b)
			mu.Lock()
			stored[b.String()] = true
			mu.Unlock()
		}
	})
	defer done.Wait()
	defer cancel()
	// This one asks for the text at each change.
	log := desktoptest.Dir(t) + "/log"
	desktoptest.Start(t, d.env, "wl-paste", "--watch", "sh", "-c", "cat >>"+log)
	driver := newDriver(t, d.Compositor, options)
	for i := range 20 {
		text := fmt.Sprint("dictated ", i)
		mustDeliver(t, driver, text)
		if got := d.reader.Next(len(desktoptest.Pasted(text))); got != desktoptest.Pasted(text) {
			t.Fatalf("run %d: got %q", i, got)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if len(stored) != 1 || !stored["old"] {
		t.Errorf("%v were stored", stored)
	}
	if b, _ := os.ReadFile(log); !strings.Contains(string(b), "dictated") {
		t.Error("the other history program has seen nothing; the test shows less than it says")
	}
}

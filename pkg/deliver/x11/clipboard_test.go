package x11

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jezek/xgb/xproto"

	"voice-input/pkg/deliver/driver"
	"voice-input/pkg/deliver/paste"
	"voice-input/pkg/internal/desktoptest"
)

// desk is an X server with a terminal that has the focus.
type desk struct {
	env    []string
	board  *board // an onlooker
	reader *desktoptest.Reader
}

func newDesk(t testing.TB) *desk {
	t.Helper()
	e := screen(t)
	b := testBoard(t, e)
	return &desk{e, b, terminal(t, e, "xterm", b)}
}

func (d *desk) driver(t testing.TB) *Driver { return newDriver(t, d.env, "shift+insert") }

// copy puts data on the clipboard by xclip, whose process it returns.
func (d *desk) copy(t testing.TB, target string, data []byte) *os.Process {
	t.Helper()
	before, _ := d.board.owner(d.board.kinds[0])
	cmd := exec.Command(desktoptest.Path(t, "xclip"), "-quiet", "-selection", "clipboard", "-in", "-target", target)
	cmd.Env, cmd.Stdin = d.env, bytes.NewReader(data)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { cmd.Wait(); close(done) }()
	t.Cleanup(func() { cmd.Process.Kill(); <-done })
	desktoptest.Until(t, "xclip", func() bool {
		w, err := d.board.owner(d.board.kinds[0])
		return err == nil && w != 0 && w != before
	})
	return cmd.Process
}

func (d *desk) clear() {
	xproto.SetSelectionOwner(d.board.Conn, 0, d.board.kinds[0], xproto.TimeCurrentTime)
	d.board.Sync()
}

// holds returns all of the clipboard, read by another program than ours.
func (d *desk) holds(t testing.TB) map[string]string {
	t.Helper()
	read := func(target string) ([]byte, error) {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		cmd := exec.CommandContext(ctx, "xclip", "-selection", "clipboard", "-out", "-target", target)
		cmd.Env = d.env
		return cmd.Output()
	}
	all := map[string]string{}
	targets, err := read("TARGETS")
	if err != nil {
		return all
	}
	for _, name := range strings.Fields(string(targets)) {
		if slices.Contains(notContent, name) {
			continue
		}
		out, err := read(name)
		if err != nil {
			t.Fatalf("xclip: %v", err)
		}
		all[name] = string(out)
	}
	return all
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

// offer puts several targets on the clipboard.
func (d *desk) offer(t testing.TB, data map[string]string) {
	t.Helper()
	b := testBoard(t, d.env)
	var list []entry
	for name, value := range data {
		target, err := b.atom(name)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, entry{target, target, 8, false, func() (io.Reader, int64) { return strings.NewReader(value), int64(len(value)) }})
	}
	if _, err := b.take(t.Context(), 0, map[xproto.Atom][]entry{b.kinds[0]: list, b.kinds[1]: list}); err != nil {
		t.Fatal(err)
	}
}

// The clipboard holds afterwards what it held before, byte for byte.
func TestO4ClipboardComesBack(t *testing.T) {
	d := newDesk(t)
	png := append([]byte("\x89PNG\r\n\x1a\n"), noise(300_000)...)
	tests := []struct {
		name string
		set  func(t *testing.T)
	}{
		{"empty", func(*testing.T) {}},
		{"text", func(t *testing.T) { d.copy(t, "UTF8_STRING", []byte("旧 text\n")) }},
		{"picture", func(t *testing.T) { d.copy(t, "image/png", png) }},
		{"20 MiB", func(t *testing.T) { d.copy(t, "image/png", noise(20<<20)) }},
		{"several types", func(t *testing.T) {
			d.offer(t, map[string]string{
				"text/html": "<b>旧</b>", "UTF8_STRING": "旧", "STRING": "old", "image/png": string(png), hintName: hintValue, "text/x-moz-url": "",
			})
		}},
		{"owner gone", func(t *testing.T) {
			d.copy(t, "UTF8_STRING", []byte("gone")).Kill()
			desktoptest.Until(t, "an empty clipboard", func() bool { w, _ := d.board.owner(d.board.kinds[0]); return w == 0 })
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.set(t)
			before := d.holds(t)
			mustDeliver(t, d.driver(t), "neu 新")
			want := desktoptest.Pasted("neu 新")
			if got := d.reader.Next(len(want)); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
			if after := d.holds(t); !maps.Equal(before, after) {
				t.Errorf("the clipboard holds %s, not %s", brief(after), brief(before))
			}
			d.clear()
			xproto.SetSelectionOwner(d.board.Conn, 0, xproto.AtomPrimary, xproto.TimeCurrentTime)
			d.board.Sync()
			desktoptest.Until(t, "the keeper's end", func() bool { return len(keepers(t, d)) == 0 })
		})
	}
}

func keepers(t testing.TB, d *desk) []int {
	t.Helper()
	var pids []int
	kept := desktoptest.WithEnv(t, "VI_TYPE_KEEP=x11")
	for _, pid := range desktoptest.WithEnv(t, "DISPLAY="+desktoptest.Getenv(d.env)("DISPLAY")) {
		if slices.Contains(kept, pid) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// A text that does not fit into one property arrives in chunks.
func TestLongText(t *testing.T) {
	d := newDesk(t)
	text := strings.Repeat("长文 text ", 15_000)
	mustDeliver(t, d.driver(t), text)
	if got, want := d.reader.Next(len(desktoptest.Pasted(text))), desktoptest.Pasted(text); got != want {
		t.Errorf("got %d bytes %.40q, want %d bytes", len(got), got, len(want))
	}
}

// What cannot be saved is not touched, and another driver may try.
func TestClipboardThatCannotBeSaved(t *testing.T) {
	t.Parallel() // it mostly waits
	d := newDesk(t)
	for name, tt := range map[string]struct {
		set  func(t *testing.T)
		want error
	}{
		"too large": {func(t *testing.T) { d.copy(t, "image/png", noise(paste.Limit+1)) }, paste.ErrTooLarge},
		"hangs": {func(t *testing.T) {
			// A client that owns the clipboard and answers nothing.
			c, err := dial(t.Context(), desktoptest.Getenv(d.env)("DISPLAY"))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(c.Close)
			w, err := xproto.NewWindowId(c)
			if err != nil {
				t.Fatal(err)
			}
			xproto.CreateWindow(c, 0, w, d.board.root, 0, 0, 1, 1, 0, xproto.WindowClassInputOnly, 0, 0, nil)
			xproto.SetSelectionOwner(c, w, d.board.kinds[0], xproto.TimeCurrentTime)
			c.Sync()
		}, context.DeadlineExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			tt.set(t)
			before, err := d.board.owner(d.board.kinds[0])
			if err != nil || before == 0 {
				t.Fatal(before, err)
			}
			_, _, err = d.driver(t).Deliver(t.Context(), "secret words")
			if !errors.Is(err, driver.ErrUnsent) || !errors.Is(err, tt.want) || strings.Contains(err.Error(), "secret") {
				t.Errorf("got %v", err)
			}
			if after, err := d.board.owner(d.board.kinds[0]); err != nil || after != before {
				t.Errorf("the clipboard's owner is %x, was %x", after, before)
			}
			if got := d.reader.All(); got != "" {
				t.Errorf("%q was typed", got)
			}
		})
	}
}

// A program that keeps a history and honours the hint stores nothing of the
// text, and one that does not honour it is not taken for the target.
func TestClipboardHistory(t *testing.T) {
	for _, honours := range []bool{true, false} {
		d := newDesk(t)
		d.copy(t, "UTF8_STRING", []byte("old"))
		history := testBoard(t, d.env)
		stored := map[string]bool{}
		ctx, cancel := context.WithCancel(t.Context())
		var done sync.WaitGroup
		done.Go(func() {
			hint, _ := history.atom(hintName)
			utf8, _ := history.atom("UTF8_STRING")
			var last xproto.Window
			for ; ctx.Err() == nil; time.Sleep(time.Millisecond) {
				owner, err := history.owner(history.kinds[0])
				if err != nil || owner == 0 || owner == last {
					continue
				}
				last = owner
				if targets, err := history.targets(ctx, history.kinds[0]); err != nil || honours && slices.Contains(targets, hint) {
					continue
				}
				var b bytes.Buffer
				if history.convert(ctx, history.kinds[0], utf8, func(string, byte) (io.Writer, error) { return &b, nil }) == nil {
					stored[b.String()] = true
				}
			}
		})
		runs := 20
		if !honours {
			runs = 8
		}
		for i := range runs {
			text := fmt.Sprint("dictated ", i)
			mustDeliver(t, d.driver(t), text)
			if got := d.reader.Next(len(desktoptest.Pasted(text))); got != desktoptest.Pasted(text) {
				t.Fatalf("run %d: got %q", i, got)
			}
		}
		cancel()
		done.Wait()
		if honours && (len(stored) != 1 || !stored["old"]) || !honours && len(stored) < 2 {
			t.Errorf("honours the hint: %t; %v were stored", honours, stored)
		}
	}
}

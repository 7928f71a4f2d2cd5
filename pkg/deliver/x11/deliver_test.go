package x11

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jezek/xgb/xproto"

	"voice-input/pkg/deliver/driver"
	"voice-input/pkg/internal/desktoptest"
	"voice-input/pkg/wire"
)

// TestMain lets the test binary be the keeper that a delivery leaves behind.
func TestMain(m *testing.M) {
	if was, err := Keep(context.Background(), os.Getenv); was {
		if err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// texts are what has to arrive as it is.
var texts = []string{
	"go forward ten meters", "说 <b> & `code`", "--help", "-", "-rf 这个参数", "a\tb", "Grüße", "👩‍👩‍👧 👨🏽‍🚀", strings.Repeat("长文 text ", 1300),
}

func focused(context.Context) error { return nil }

// env is an environment for programs on a display.
func env(t testing.TB, display string) []string {
	dir := desktoptest.Dir(t)
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "XDG_RUNTIME_DIR=" + dir, "DISPLAY=" + display, "LC_ALL=C.UTF-8"}
}

// screen starts an X server with a window manager.
func screen(t testing.TB) []string {
	t.Helper()
	e := env(t, desktoptest.X11(t))
	desktoptest.Openbox(t, e)
	return e
}

func testBoard(t testing.TB, e []string) *board {
	t.Helper()
	b, err := open(t.Context(), true, desktoptest.Getenv(e))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}

// waitFocus waits until a window has the focus.
func waitFocus(t testing.TB, b *board) {
	t.Helper()
	desktoptest.Until(t, "a window with the focus", func() bool {
		active, err := b.atom("_NET_ACTIVE_WINDOW")
		if err != nil {
			t.Fatal(err)
		}
		r, err := xproto.GetProperty(b.Conn, false, b.root, active, xproto.AtomWindow, 0, 1).Reply()
		f, err2 := xproto.GetInputFocus(b.Conn).Reply()
		return err == nil && err2 == nil && len(r.Value) == 4 && string(r.Value) != "\x00\x00\x00\x00" && f.Focus > 1
	})
}

func newDriver(t testing.TB, e []string, key string) *Driver {
	t.Helper()
	d, missing := New(t.Context(), desktoptest.Getenv(e), driver.Options{Terminal: true, Paste: key, Focused: focused})
	if d == nil {
		t.Fatal(missing)
	}
	return d
}

func mustDeliver(t testing.TB, d *Driver, text string) {
	t.Helper()
	start := time.Now()
	verified, warnings, err := d.Deliver(context.Background(), text)
	if err != nil || verified != wire.VerifiedWritten || len(warnings) > 0 {
		t.Fatalf("%q, %v, %v after %v", verified, warnings, err, time.Since(start))
	}
}

// terminals are the commands that run a reader in a terminal.
var terminals = map[string]struct {
	key     string
	command []string
}{
	"xterm": {"shift+insert", []string{"xterm", "-u8", "-e"}},
	"kitty": {"ctrl+shift+v", []string{"kitty", "--config", "NONE", "-o", "update_check_interval=0"}},
}

// terminal starts a terminal with a reader and waits until it has the focus.
func terminal(t testing.TB, e []string, name string, b *board) *desktoptest.Reader {
	t.Helper()
	r := desktoptest.NewReader(t, true)
	desktoptest.Start(t, append(e, "LIBGL_ALWAYS_SOFTWARE=1"), append(terminals[name].command, r.Command...)...)
	r.Ready()
	waitFocus(t, b)
	return r
}

// Every text arrives in a program that reads the terminal as it is, 20 times.
func TestTerminals(t *testing.T) {
	for name, terminalOf := range terminals {
		t.Run(name, func(t *testing.T) {
			e := screen(t)
			r := terminal(t, e, name, testBoard(t, e))
			d := newDriver(t, e, terminalOf.key)
			for run := range 20 {
				text := texts[run%len(texts)]
				mustDeliver(t, d, text)
				if got, want := r.Next(len(desktoptest.Pasted(text))), desktoptest.Pasted(text); got != want {
					t.Fatalf("run %d: got %.80q, want %.80q", run, got, want)
				}
			}
		})
	}
}

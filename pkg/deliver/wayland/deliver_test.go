package wayland

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

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
	"go forward ten meters", "说 <b> & `code`", "--help", "-", "-rf 这个参数", "a\tb", "one\ntwo", "👩‍👩‍👧 👨🏽‍🚀", strings.Repeat("长文 text ", 1300),
}

func focused(context.Context) error { return nil }

// options are those of a terminal that has the focus.
var options = driver.Options{Terminal: true, Paste: "ctrl+shift+v", Focused: focused}

func newDriver(t testing.TB, c desktoptest.Compositor, o driver.Options) *Driver {
	t.Helper()
	d, missing := New(t.Context(), desktoptest.Getenv(c.Env(t)), o)
	if d == nil {
		t.Fatal(missing)
	}
	return d
}

// deliver delivers and fails the test unless it worked without a warning.
func mustDeliver(t testing.TB, d *Driver, text string) {
	t.Helper()
	start := time.Now()
	verified, warnings, err := d.Deliver(context.Background(), text)
	if err != nil || verified != wire.VerifiedWritten || len(warnings) > 0 {
		t.Fatalf("%q, %v, %v after %v", verified, warnings, err, time.Since(start))
	}
}

// Every text arrives in a program that reads the terminal as it is, 20 times.
func TestFoot(t *testing.T) {
	c := desktoptest.Sway(t)
	for i, key := range []string{"ctrl+shift+v", "shift+insert"} {
		t.Run(key, func(t *testing.T) {
			if i == 1 {
				plugIn(t, c)
			}
			r := desktoptest.NewReader(t, true)
			c.Foot(t, r.Command...)
			r.Ready()
			o := options
			o.Paste = key
			d := newDriver(t, c, o)
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

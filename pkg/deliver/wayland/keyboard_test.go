package wayland

import (
	"context"
	"testing"

	"voice-input/pkg/deliver/driver"
	"voice-input/pkg/deliver/paste"
	"voice-input/pkg/internal/desktoptest"
)

// No modifier stays behind, not even if the process dies with keys down.
func TestO11NoModifierStays(t *testing.T) {
	d := newDesk(t)
	mustDeliver(t, newDriver(t, d.Compositor, options), "text")
	d.reader.Next(len(desktoptest.Pasted("text")))
	var keys paste.Keyboard
	b, err := connect(t.Context(), d.Display, false, desktoptest.Getenv(d.env), &keys)
	if err != nil {
		t.Fatal(err)
	}
	k := keys.(*keyboard)
	if err := k.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, m := range paste.ModKeys {
		k.key(m.Key, 1)
	}
	k.mods(paste.Ctrl | paste.Shift | paste.Alt | paste.Super)
	if err := k.roundtrip(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.Close()
	desktoptest.Run(t, d.env, "wtype", "-s", "30", "plain")
	if got := d.reader.Next(len("plain")); got != "plain" {
		t.Errorf("got %q", got)
	}
}

// Return is pressed behind the text only when asked, and only if the target
// still has the focus.
func TestSubmit(t *testing.T) {
	d := newDesk(t)
	for _, stays := range []bool{true, false} {
		o := options
		o.Submit = true
		looks := 0
		o.Focused = func(context.Context) error {
			if looks++; looks > 1 && !stays {
				return driver.ErrTargetChanged
			}
			return nil
		}
		_, warnings, err := newDriver(t, d.Compositor, o).Deliver(t.Context(), "text")
		want, warned := desktoptest.Pasted("text"), 1
		if stays {
			want, warned = want+"\r", 0
		}
		if err != nil || len(warnings) != warned {
			t.Errorf("%v, %v", warnings, err)
		}
		if got := d.reader.Next(len(want)); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// Kitty takes the text as foot does.
func TestKitty(t *testing.T) {
	c := desktoptest.Sway(t)
	plugIn(t, c)
	r := desktoptest.NewReader(t, true)
	env := append(c.Env(t), "LIBGL_ALWAYS_SOFTWARE=1")
	desktoptest.Start(t, env, append([]string{"kitty", "--config", "NONE", "-o", "linux_display_server=wayland", "-o", "update_check_interval=0"}, r.Command...)...)
	c.Focused(t, "kitty")
	r.Ready()
	d := newDriver(t, c, options)
	for run := range 20 {
		text := texts[run%len(texts)]
		mustDeliver(t, d, text)
		if got, want := r.Next(len(desktoptest.Pasted(text))), desktoptest.Pasted(text); got != want {
			t.Fatalf("run %d: got %.80q, want %.80q", run, got, want)
		}
	}
}

// plugIn gives the compositor a keyboard, as a real desktop has one.
func plugIn(t testing.TB, c desktoptest.Compositor) {
	t.Helper()
	var keys paste.Keyboard
	b, err := connect(t.Context(), c.Display, false, desktoptest.Getenv(c.Env(t)), &keys)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	if err := keys.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
}

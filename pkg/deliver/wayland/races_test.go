package wayland

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"voice-input/pkg/deliver/driver"
	"voice-input/pkg/deliver/paste"
	"voice-input/pkg/internal/desktoptest"
)

// What the user copies meanwhile stays, the key comes after the text, and
// two deliveries at once give the first clipboard back.
func TestO6Races(t *testing.T) {
	d := newDesk(t)
	const kind = "text/plain;charset=utf-8"
	check := func(t *testing.T, want string) {
		t.Helper()
		if got := d.holds(t)[kind]; got != want {
			t.Errorf("the clipboard holds %q, want %q", got, want)
		}
	}
	t.Run("copied before the key", func(t *testing.T) {
		d.copy(t, kind, []byte("old"))
		o := options
		o.Focused = func(context.Context) error { d.copy(t, kind, []byte("fresh")); return nil }
		_, warnings, err := newDriver(t, d.Compositor, o).Deliver(t.Context(), "text")
		if !errors.Is(err, paste.ErrLost) || !slices.Equal(warnings, []string{paste.WarnReplaced}) || !errors.Is(err, driver.ErrUnsent) {
			t.Errorf("%v, %v", warnings, err)
		}
		check(t, "fresh")
		if got := d.reader.All(); got != "" {
			t.Errorf("%q was pasted", got)
		}
	})
	t.Run("copied after the text was read", func(t *testing.T) {
		d.copy(t, kind, []byte("old"))
		b := testBoard(t, d)
		s, err := b.Save(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if err := b.Offer(t.Context(), "text"); err != nil {
			t.Fatal(err)
		}
		d.copy(t, kind, []byte("fresh"))
		if err := b.Restore(t.Context(), s); !errors.Is(err, paste.ErrLost) {
			t.Errorf("got %v", err)
		}
		// Also when the copy comes between the last look and the keeper.
		if err := s.Keep(t.Context(), desktop, b.token, desktoptest.Getenv(d.env)); !errors.Is(err, paste.ErrLost) {
			t.Errorf("got %v", err)
		}
		check(t, "fresh")
	})
	t.Run("the key comes after the text", func(t *testing.T) {
		d.copy(t, kind, []byte("old"))
		o := options
		o.Focused = func(context.Context) error { check(t, "text"); return nil }
		mustDeliver(t, newDriver(t, d.Compositor, o), "text")
		check(t, "old")
	})
	t.Run("two at once", func(t *testing.T) {
		d.copy(t, kind, []byte("old"))
		d.reader.Next(len(desktoptest.Pasted("text"))) // of the one before
		driver := newDriver(t, d.Compositor, options)
		var both sync.WaitGroup
		for _, text := range []string{"one", "two"} {
			both.Go(func() {
				if _, _, err := driver.Deliver(context.Background(), text); err != nil {
					t.Error(err)
				}
			})
		}
		both.Wait()
		one, two := desktoptest.Pasted("one"), desktoptest.Pasted("two")
		got := d.reader.Next(len(one + two))
		if got != one+two && got != two+one {
			t.Errorf("got %q", got)
		}
		check(t, "old")
	})
}

// If the target has changed nothing is typed and the clipboard is back.
func TestTargetChanged(t *testing.T) {
	d := newDesk(t)
	d.copy(t, "text/plain", []byte("old"))
	o := options
	o.Focused = func(context.Context) error { return fmt.Errorf("another window: %w", driver.ErrTargetChanged) }
	_, warnings, err := newDriver(t, d.Compositor, o).Deliver(t.Context(), "text")
	if !errors.Is(err, driver.ErrTargetChanged) || errors.Is(err, driver.ErrUnsent) || len(warnings) > 0 {
		t.Errorf("%v, %v", warnings, err)
	}
	if d.holds(t)["text/plain"] != "old" || d.reader.All() != "" {
		t.Errorf("the clipboard holds %q, typed was %q", d.holds(t), d.reader.All())
	}
}

// Where nothing reads the text that is said in time, and the clipboard is
// back.
func TestO9NothingReads(t *testing.T) {
	t.Parallel() // it mostly waits
	c := desktoptest.Sway(t)
	d := &desk{Compositor: c, env: c.Env(t)}
	d.copy(t, "text/plain", []byte("old"))
	_, _, err := newDriver(t, c, options).Deliver(t.Context(), "text")
	if !errors.Is(err, paste.ErrNotTaken) || !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, driver.ErrUnsent) {
		t.Errorf("got %v", err)
	}
	if d.holds(t)["text/plain"] != "old" {
		t.Errorf("the clipboard holds %q", d.holds(t))
	}
}

// The process that keeps the clipboard holds nothing of the text, is alone,
// small, and ends when something else is copied.
func TestKeeper(t *testing.T) {
	d := newDesk(t)
	kind := strings.Join([]string{"application", "x-unusual"}, "/")
	d.copy(t, kind, []byte("the old clipboard"))
	driver := newDriver(t, d.Compositor, options)
	text := strings.Join([]string{"dictated", "private"}, "-and-") // not as a constant of the program
	for range 3 {
		mustDeliver(t, driver, text)
	}
	var pid int
	desktoptest.Until(t, "one keeper", func() bool {
		all := keepers(t, d)
		if len(all) == 1 {
			pid = all[0]
		}
		return len(all) == 1
	})
	if desktoptest.InMemory(t, pid, text) {
		t.Error("the keeper's memory holds the text")
	}
	if !desktoptest.InMemory(t, pid, kind) {
		t.Error("the search does not find what is there")
	}
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	var rss int
	for line := range strings.Lines(string(status)) {
		fmt.Sscanf(line, "RssAnon: %d", &rss)
	}
	if rss == 0 || !raceEnabled && rss > 8<<10 {
		t.Errorf("the keeper has %d KiB of its own", rss)
	}
	if d.holds(t)[kind] != "the old clipboard" {
		t.Errorf("the clipboard holds %q", d.holds(t))
	}
	d.copy(t, "text/plain", []byte("new"))
	desktoptest.Until(t, "the keeper's end", func() bool { return len(keepers(t, d)) == 0 })
}

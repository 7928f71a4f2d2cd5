package x11

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jezek/xgb/xproto"

	"voice-input/pkg/deliver/driver"
	"voice-input/pkg/deliver/paste"
	"voice-input/pkg/internal/desktoptest"
)

// What the user copies meanwhile stays, and two deliveries at once give the
// first clipboard back.
func TestO6Races(t *testing.T) {
	d := newDesk(t)
	check := func(t *testing.T, want string) {
		t.Helper()
		if got := d.holds(t)["UTF8_STRING"]; got != want {
			t.Errorf("the clipboard holds %q, want %q", got, want)
		}
	}
	t.Run("copied after the text", func(t *testing.T) {
		d.copy(t, "UTF8_STRING", []byte("old"))
		b := testBoard(t, d.env)
		s, err := b.Save(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if err := b.Offer(t.Context(), "text"); err != nil {
			t.Fatal(err)
		}
		check(t, "text")
		d.copy(t, "UTF8_STRING", []byte("fresh"))
		if err := s.Keep(t.Context(), desktop, fmt.Sprint(b.window), desktoptest.Getenv(d.env)); !errors.Is(err, paste.ErrLost) {
			t.Errorf("got %v", err)
		}
		check(t, "fresh")
	})
	t.Run("two at once", func(t *testing.T) {
		d.copy(t, "UTF8_STRING", []byte("old"))
		driver := d.driver(t)
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
		if got := d.reader.Next(len(one + two)); got != one+two && got != two+one {
			t.Errorf("got %q", got)
		}
		check(t, "old")
	})
	t.Run("the target has changed", func(t *testing.T) {
		driver1 := d.driver(t)
		driver1.options.Focused = func(context.Context) error { check(t, "text"); return driver.ErrTargetChanged }
		if _, _, err := driver1.Deliver(t.Context(), "text"); !errors.Is(err, driver.ErrTargetChanged) || errors.Is(err, driver.ErrUnsent) {
			t.Errorf("got %v", err)
		}
		check(t, "old")
	})
	t.Run("copied before the key", func(t *testing.T) {
		d.reader.Next(0)
		already := d.reader.All()
		driver1 := d.driver(t)
		driver1.options.Focused = func(context.Context) error { d.copy(t, "UTF8_STRING", []byte("fresh")); return nil }
		if _, _, err := driver1.Deliver(t.Context(), "text"); !errors.Is(err, paste.ErrLost) || !errors.Is(err, driver.ErrUnsent) {
			t.Errorf("got %v", err)
		}
		check(t, "fresh")
		if got := d.reader.All(); got != already {
			t.Errorf("%q was pasted", got)
		}
	})
}

// A modifier that the user holds is waited for, within bounds, and none stays
// behind.
func TestO11HeldModifier(t *testing.T) {
	t.Parallel() // it mostly waits
	d := newDesk(t)
	d.copy(t, "UTF8_STRING", []byte("old"))
	k := keyboard{d.board}
	codes, err := k.codes([]paste.Key{paste.ModKeys[3].Key})
	if err != nil {
		t.Fatal(err)
	}
	k.fake(xproto.KeyPress, codes[0])
	k.Sync()
	_, _, err = d.driver(t).Deliver(t.Context(), "text")
	if !errors.Is(err, paste.ErrHeld) || !errors.Is(err, driver.ErrUnsent) || d.reader.All() != "" {
		t.Errorf("%v, %q was typed", err, d.reader.All())
	}
	time.AfterFunc(200*time.Millisecond, func() {
		k.fake(xproto.KeyRelease, codes[0])
		k.Sync()
	})
	mustDeliver(t, d.driver(t), "text")
	if got, want := d.reader.Next(len(desktoptest.Pasted("text"))), desktoptest.Pasted("text"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if p, err := xproto.QueryPointer(d.board.Conn, d.board.root).Reply(); err != nil || p.Mask&chordMods != 0 {
		t.Errorf("modifiers %x, %v", p.Mask, err)
	}
	if got := d.holds(t)["UTF8_STRING"]; got != "old" {
		t.Errorf("the clipboard holds %q", got)
	}
}

// Where nothing reads the text that is said in time, and the clipboard is
// back.
func TestO9NothingReads(t *testing.T) {
	t.Parallel() // it mostly waits
	e := screen(t)
	d := &desk{env: e, board: testBoard(t, e)}
	d.copy(t, "UTF8_STRING", []byte("old"))
	_, _, err := d.driver(t).Deliver(t.Context(), "text")
	if !errors.Is(err, paste.ErrNotTaken) || errors.Is(err, driver.ErrUnsent) {
		t.Errorf("got %v", err)
	}
	if got := d.holds(t)["UTF8_STRING"]; got != "old" {
		t.Errorf("the clipboard holds %q", got)
	}
}

// The process that keeps the clipboard holds nothing of the text, is alone,
// and ends when something else is copied.
func TestKeeper(t *testing.T) {
	d := newDesk(t)
	kind := strings.Join([]string{"application", "x-unusual"}, "/")
	d.copy(t, kind, []byte("the old clipboard"))
	text := strings.Join([]string{"dictated", "private"}, "-and-") // not as a constant of the program
	for range 3 {
		mustDeliver(t, d.driver(t), text)
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
	d.copy(t, "UTF8_STRING", []byte("new"))
	desktoptest.Until(t, "the keeper's end", func() bool { return len(keepers(t, d)) == 0 })
}

func TestLatin1(t *testing.T) {
	for in, want := range map[string]string{"": "", "abc": "abc", "Grüße": "Gr\xfc\xdfe", "é€": "-", "汉": "-"} {
		if got, ok := latin1(in); ok != (want != "-") || ok && got != want {
			t.Errorf("%q: %q, %t", in, got, ok)
		}
	}
}

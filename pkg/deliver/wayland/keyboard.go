package wayland

import (
	"context"
	"os"
	"time"

	"voice-input/pkg/deliver/paste"
)

const keyboardManager = "zwp_virtual_keyboard_manager_v1"

// keymap is a US keyboard with the usual codes: programs that look at the
// symbol and those that look at the code both see the right key, whatever the
// layout of the user.
const keymap = `xkb_keymap {
xkb_keycodes { include "evdev+aliases(qwerty)" };
xkb_types { include "complete" };
xkb_compat { include "complete" };
xkb_symbols { include "pc+us+inet(evdev)" };
};
` + "\x00"

// keyboard is a virtual keyboard. Its state is its own: keys that are held on
// another keyboard do not join its chord, and which are cannot be known, so
// nothing is waited for.
type keyboard struct {
	*conn
	id    uint32
	start time.Time
	ready time.Time
}

// settle is how long the programs of a seat without a keyboard have to bind
// its first one; keys that come before are lost. Where there is a keyboard,
// nothing is to be bound: the new one is told by the same object, in order.
const settle = 100 * time.Millisecond

// newKeyboard makes a keyboard for a seat, which has none before if first is
// true.
func newKeyboard(ctx context.Context, c *conn, registry, seat uint32, all map[string]global, first bool) (*keyboard, error) {
	f, err := os.CreateTemp("", "vi-keymap-")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	os.Remove(f.Name())
	if _, err := f.WriteString(keymap); err != nil {
		return nil, err
	}
	k := &keyboard{conn: c, start: time.Now()}
	if first {
		k.ready = k.start.Add(settle)
	}
	c.mu.Lock()
	manager := c.bind(registry, all[keyboardManager], keyboardManager, 1, nil)
	k.id = c.object(nil)
	c.request(manager, 0, seat, k.id)
	const xkbV1 = 1
	c.request(k.id, 0, uint32(xkbV1), f, uint32(len(keymap)))
	c.mu.Unlock()
	return k, c.roundtrip(ctx)
}

// Ready implements paste.Keyboard.
func (k *keyboard) Ready(ctx context.Context) error {
	return paste.Sleep(ctx, time.Until(k.ready))
}

// Press implements paste.Keyboard. Each press has its release, and if this
// process dies in between the compositor releases the keys of the keyboard
// that is gone.
func (k *keyboard) Press(ctx context.Context, chord paste.Chord) error {
	keys := chord.Keys()
	mods, key := keys[:len(keys)-1], keys[len(keys)-1]
	for _, m := range mods {
		k.key(m, 1)
	}
	k.mods(chord.Mods)
	time.Sleep(paste.KeyGap)
	k.key(key, 1)
	time.Sleep(paste.KeyGap)
	k.key(key, 0)
	for i := len(mods) - 1; i >= 0; i-- {
		k.key(mods[i], 0)
	}
	k.mods(0)
	return k.roundtrip(ctx)
}

func (k *keyboard) key(key paste.Key, state uint32) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.request(k.id, 1, uint32(time.Since(k.start).Milliseconds()), uint32(key.Code), state)
}

func (k *keyboard) mods(m paste.Mods) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.request(k.id, 2, uint32(m), uint32(0), uint32(0), uint32(0))
}

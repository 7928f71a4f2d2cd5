package x11

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jezek/xgb/xproto"
	"github.com/jezek/xgb/xtest"

	"voice-input/pkg/deliver/driver"
	"voice-input/pkg/deliver/paste"
)

// keyboard presses keys of the server's own keyboard by XTEST, so keys that
// the user holds would join the chord.
type keyboard struct{ *board }

// chordMods are the modifiers that would change the chord. The locks (Caps,
// Num) do not.
const chordMods = uint16(paste.Shift|paste.Ctrl|paste.Alt|paste.Super) | xproto.ModMask5

// Ready implements paste.Keyboard.
func (k keyboard) Ready(ctx context.Context) error {
	for {
		p, err := xproto.QueryPointer(k.Conn, k.root).Reply()
		if err != nil || p == nil {
			return errors.Join(err, errEndedIf(err == nil))
		}
		if p.Mask&chordMods == 0 {
			return nil
		}
		if paste.Sleep(ctx, 10*time.Millisecond) != nil {
			return fmt.Errorf("%w: %w", paste.ErrHeld, ctx.Err())
		}
	}
}

// Press implements paste.Keyboard.
func (k keyboard) Press(_ context.Context, chord paste.Chord) error {
	codes, err := k.codes(chord.Keys())
	if err != nil {
		return fmt.Errorf("%w: %w", driver.ErrUnsent, err)
	}
	for i, c := range codes {
		if i == len(codes)-1 {
			time.Sleep(paste.KeyGap)
		}
		k.fake(xproto.KeyPress, c)
	}
	time.Sleep(paste.KeyGap)
	for _, c := range slices.Backward(codes) {
		k.fake(xproto.KeyRelease, c)
	}
	k.Sync()
	return nil
}

func (k keyboard) fake(kind byte, code xproto.Keycode) {
	xtest.FakeInput(k.Conn, kind, byte(code), 0, k.root, 0, 0, 0)
}

// codes finds the keys on the keyboard as the layout has it. Where a layout
// has no such key, as a Russian one has no V, it is the one in its place.
func (k keyboard) codes(keys []paste.Key) ([]xproto.Keycode, error) {
	setup := xproto.Setup(k.Conn)
	count := int(setup.MaxKeycode) - int(setup.MinKeycode) + 1
	m, err := xproto.GetKeyboardMapping(k.Conn, setup.MinKeycode, byte(count)).Reply()
	if err != nil || m == nil {
		return nil, errors.Join(err, errEndedIf(err == nil))
	}
	var codes []xproto.Keycode
	for _, key := range keys {
		code := xproto.Keycode(key.Code + 8)
		for i := range count {
			if uint32(m.Keysyms[i*int(m.KeysymsPerKeycode)]) == key.Sym {
				code = setup.MinKeycode + xproto.Keycode(i)
				break
			}
		}
		codes = append(codes, code)
	}
	return codes, nil
}

// Released waits until the user holds no modifier key: at most
// paste.HeldTimeout, then it returns paste.ErrHeld.
func Released(ctx context.Context, getenv func(string) string) error {
	ctx, cancel := context.WithTimeout(ctx, paste.HeldTimeout)
	defer cancel()
	b, err := newBoard(ctx, false, getenv)
	if err != nil {
		return err
	}
	defer b.Close()
	return keyboard{b}.Ready(ctx)
}

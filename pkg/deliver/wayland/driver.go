package wayland

import (
	"context"
	"fmt"

	"voice-input/pkg/deliver/driver"
	"voice-input/pkg/deliver/paste"
)

// Driver delivers by the clipboard and a key of a virtual keyboard, to the
// window that has the focus.
type Driver struct {
	path    string
	getenv  func(string) string
	options driver.Options
}

// New returns the driver, or why it cannot work here. It asks the compositor.
func New(ctx context.Context, getenv func(string) string, o driver.Options) (*Driver, string) {
	path, missing := probe(ctx, getenv, true)
	if missing != "" {
		return nil, missing
	}
	return &Driver{path, getenv, o}, ""
}

// probe returns the socket of a compositor that has what is needed.
func probe(ctx context.Context, getenv func(string) string, needKeyboard bool) (path, missing string) {
	path = socketPath(getenv)
	if path == "" {
		return "", "WAYLAND_DISPLAY is not set"
	}
	c, err := dial(ctx, path)
	if err != nil {
		return "", err.Error()
	}
	defer c.close()
	_, all, err := c.globals(ctx)
	if err != nil {
		return "", err.Error()
	}
	return path, lacks(all, needKeyboard)
}

// lacks names what the compositor lacks, or returns "".
func lacks(all map[string]global, needKeyboard bool) string {
	if _, ok := all["wl_seat"]; !ok {
		return "the compositor has no seat"
	}
	if _, ok := dataControlOf(all); !ok {
		return "the compositor has no data control"
	}
	if _, ok := all[keyboardManager]; !ok && needKeyboard {
		return "the compositor has no virtual keyboard"
	}
	return ""
}

// Name implements deliver.Driver.
func (*Driver) Name() string { return "wayland" }

// Deliver implements deliver.Driver.
func (d *Driver) Deliver(ctx context.Context, text string) (string, []string, error) {
	return deliver(ctx, d.path, d.getenv, d.options, text, nil)
}

// deliver delivers with the keyboard given, or a virtual one if it is nil.
func deliver(ctx context.Context, path string, getenv func(string) string, o driver.Options, text string, keys paste.Keyboard) (string, []string, error) {
	chord, err := paste.ParseChord(o.Paste)
	if err != nil {
		return "", nil, fmt.Errorf("%w: %w", driver.ErrUnsent, err)
	}
	b, err := connect(ctx, path, chord.Primary(), getenv, &keys)
	if err != nil {
		return "", nil, fmt.Errorf("%w: %w", driver.ErrUnsent, err)
	}
	defer b.Close()
	return paste.Text(ctx, getenv, b, keys, chord, o, text)
}

// connect connects to the clipboard and, if keys is not nil and holds
// nothing, makes a keyboard.
func connect(ctx context.Context, path string, primary bool, getenv func(string) string, keys *paste.Keyboard) (b *board, err error) {
	c, err := dial(ctx, path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			c.close()
		}
	}()
	registry, all, err := c.globals(ctx)
	if err != nil {
		return nil, err
	}
	makeKeyboard := keys != nil && *keys == nil
	if missing := lacks(all, makeKeyboard); missing != "" {
		return nil, fmt.Errorf("cannot deliver: %s", missing)
	}
	hasKeyboard := false
	c.mu.Lock()
	seat := c.bind(registry, all["wl_seat"], "wl_seat", 1, func(event uint16, m *message) {
		const capabilities, keyboards = 0, 2
		if event == capabilities {
			hasKeyboard = m.uint()&keyboards != 0
		}
	})
	c.mu.Unlock()
	if makeKeyboard {
		if err := c.roundtrip(ctx); err != nil {
			return nil, err
		}
		c.mu.Lock()
		first := !hasKeyboard
		c.mu.Unlock()
		// First of all, for programs have to bind it while the clipboard is read.
		if *keys, err = newKeyboard(ctx, c, registry, seat, all, first); err != nil {
			return nil, err
		}
	}
	return newBoard(ctx, c, registry, seat, all, primary, getenv)
}

package x11

import (
	"context"
	"fmt"

	"github.com/jezek/xgb/xtest"

	"voice-input/pkg/deliver/driver"
	"voice-input/pkg/deliver/paste"
)

// Driver delivers by the clipboard and a key of XTEST, to the window that has
// the focus.
type Driver struct {
	getenv  func(string) string
	options driver.Options
}

// New returns the driver, or why it cannot work here. It asks the server.
func New(ctx context.Context, getenv func(string) string, o driver.Options) (*Driver, string) {
	if getenv("DISPLAY") == "" {
		return nil, "DISPLAY is not set"
	}
	b, err := open(ctx, false, getenv)
	if err != nil {
		return nil, err.Error()
	}
	b.Close()
	return &Driver{getenv, o}, ""
}

// open connects to a server that can press keys.
func open(ctx context.Context, usePrimary bool, getenv func(string) string) (*board, error) {
	b, err := newBoard(ctx, usePrimary, getenv)
	if err != nil {
		return nil, err
	}
	if err := xtest.Init(b.Conn); err != nil {
		b.Close()
		return nil, fmt.Errorf("the X server has no XTEST: %w", err)
	}
	return b, nil
}

// Name implements deliver.Driver.
func (*Driver) Name() string { return "x11" }

// Deliver implements deliver.Driver.
func (d *Driver) Deliver(ctx context.Context, text string) (string, []string, error) {
	chord, err := paste.ParseChord(d.options.Paste)
	if err != nil {
		return "", nil, fmt.Errorf("%w: %w", driver.ErrUnsent, err)
	}
	b, err := open(ctx, chord.Primary(), d.getenv)
	if err != nil {
		return "", nil, fmt.Errorf("%w: %w", driver.ErrUnsent, err)
	}
	defer b.Close()
	defer b.watchdog(ctx)()
	return paste.Text(ctx, d.getenv, b, keyboard{b}, chord, d.options, text)
}

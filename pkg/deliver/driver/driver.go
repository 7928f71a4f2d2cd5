// Package driver is what the drivers of vi-type have in common: what they are
// told of the target, and how they say that nothing was sent. The drivers
// themselves are in the packages beside it.
package driver

import (
	"context"
	"errors"

	"voice-input/pkg/wire"
)

// Errors that a driver wraps, so that the caller knows what may follow.
var (
	// ErrTargetChanged says that the target is gone or something else has the
	// focus. Nothing was sent, and nothing may be.
	ErrTargetChanged = errors.New("the target changed")
	// ErrUnsent says that nothing of the text was sent and nothing stays
	// changed, so that another driver may try. Without it an error may mean
	// that the text arrived, and nothing follows.
	ErrUnsent = errors.New("nothing was sent")
)

// Warnings of what was read back from a clipboard.
const (
	NotReadable = "clipboard_not_readable"
	Differs     = "clipboard_differs"
)

// Options is what a driver is told besides the text.
type Options struct {
	// Target is the focus at the stop. It is nil if none is known, and then
	// what has the focus is meant.
	Target *wire.Focus
	// Terminal says that the window is one of a terminal emulator.
	Terminal bool
	// Paste is the key that pastes, as in "ctrl+shift+v": modifiers of ctrl,
	// shift, alt and super, then a key. It is never empty.
	Paste string
	// Submit asks for Return to be pressed behind the text.
	Submit bool
	// Focused returns an error that wraps ErrTargetChanged unless the target
	// still has the focus. A driver that sends keys to whatever has the focus
	// calls it right before the first of them and returns the error as it is.
	// It is never nil.
	Focused func(context.Context) error
}

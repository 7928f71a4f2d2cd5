package paste

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"voice-input/pkg/deliver/driver"
	"voice-input/pkg/deliver/ime"
	"voice-input/pkg/wire"
)

// Bounds of the steps. Programs answer within milliseconds; these are what a
// loaded machine may take.
const (
	SaveTimeout    = 2 * time.Second // to read the old clipboard
	TakenTimeout   = 2 * time.Second // from the key to the request for the text
	RestoreTimeout = 2 * time.Second // to give the clipboard back
	HeldTimeout    = 2 * time.Second // until the user lets go of modifiers
	AloneTimeout   = 3 * time.Second // until another delivery has ended
)

// KeyGap is the pause between the press of modifiers, the press of the key
// and the release. Some programs look at the modifiers late and would else
// type the letter.
const KeyGap = 4 * time.Millisecond

// Linger is how long the text is served on after it was first read: a
// clipboard manager may have been first, and some programs read twice.
const Linger = 50 * time.Millisecond

// Errors of the steps.
var (
	// ErrHeld says that the user holds a modifier key, which would turn the
	// chord into another one.
	ErrHeld = errors.New("a modifier key is held")
	// ErrNotTaken says that nothing has read the text.
	ErrNotTaken = fmt.Errorf("the window did not read the text: %w", context.DeadlineExceeded)
	// ErrLost says that something else owns the clipboard by now.
	ErrLost = errors.New("another program took the clipboard")
)

// Warnings of a delivery that succeeded.
const (
	WarnNotRestored  = "clipboard_not_restored"  // what it held before is lost
	WarnReplaced     = "clipboard_replaced"      // by another program during the delivery, so it was left alone
	WarnNotSubmitted = "not_submitted"           // the text arrived, Return was not pressed
	WarnOtherReader  = "taken_by_another_window" // nothing but another program has read the text
)

// Board is a desktop's clipboard for one delivery.
type Board interface {
	// Save returns all that the selections hold.
	Save(context.Context) (*Snapshot, error)
	// Offer takes the selections for the text and returns when the desktop
	// knows it.
	Offer(ctx context.Context, text string) error
	// Arm is called right before the key: only who reads the text from now on
	// can be the target. It returns ErrLost if the selections hold something
	// else by now, which must not be pasted.
	Arm(context.Context) error
	// Taken waits until the text was read since Arm, and Linger longer. It
	// returns ErrNotTaken or ErrLost else.
	Taken(context.Context) (warnings []string, err error)
	// Restore gives the selections back if they still hold the text, and
	// returns ErrLost if they do not.
	Restore(context.Context, *Snapshot) error
	// Close ends the connection.
	Close()
}

// Keyboard presses keys for whatever has the focus.
type Keyboard interface {
	// Ready waits until the keyboard can be used and, where the desktop tells
	// it, no modifier is held: at most HeldTimeout, then it returns ErrHeld.
	Ready(context.Context) error
	// Press presses and releases a chord. An error that wraps
	// driver.ErrUnsent says that nothing was pressed.
	Press(context.Context, Chord) error
}

// Text delivers text. The error wraps driver.ErrUnsent if no key was pressed
// and the clipboard is as it was.
func Text(ctx context.Context, getenv func(string) string, board Board, keys Keyboard, chord Chord, o driver.Options, text string) (verified string, warnings []string, err error) {
	waiting, cancel := context.WithTimeout(ctx, AloneTimeout)
	defer cancel()
	release, err := alone(waiting, getenv)
	if err != nil {
		return "", nil, unsent(err)
	}
	defer release()
	if err := ready(ctx, keys); err != nil {
		return "", nil, unsent(err)
	}
	saving, cancel := context.WithTimeout(ctx, SaveTimeout)
	defer cancel()
	old, err := board.Save(saving)
	if err != nil {
		return "", nil, unsent(fmt.Errorf("cannot save the clipboard: %w", err))
	}
	defer old.Close()
	pressed, warnings, err := offered(ctx, board, keys, chord, o, text)
	// Also when time is up, the user's clipboard comes back.
	restoring, cancel := context.WithTimeout(context.WithoutCancel(ctx), RestoreTimeout)
	defer cancel()
	switch restored := board.Restore(restoring, old); {
	case errors.Is(restored, ErrLost):
		warnings = append(warnings, WarnReplaced)
	case restored != nil:
		warnings = append(warnings, WarnNotRestored)
	}
	if err != nil {
		changed := slices.Contains(warnings, WarnNotRestored) || slices.Contains(warnings, ime.WarnNotRestored)
		if !pressed && !changed && !errors.Is(err, driver.ErrTargetChanged) {
			err = unsent(err)
		}
		return "", warnings, err
	}
	verified = wire.VerifiedWritten
	if slices.Contains(warnings, WarnOtherReader) {
		verified = wire.VerifiedNothing
	}
	return verified, warnings, nil
}

// offered is what is done while the clipboard holds the text.
func offered(ctx context.Context, board Board, keys Keyboard, chord Chord, o driver.Options, text string) (pressed bool, warnings []string, err error) {
	resume := ime.Off(ctx)
	defer func() { warnings = append(warnings, resume()...) }()
	if err := board.Offer(ctx, text); err != nil {
		return false, nil, err
	}
	if err := ready(ctx, keys); err != nil {
		return false, nil, err
	}
	if err := o.Focused(ctx); err != nil {
		return false, nil, err
	}
	if err := board.Arm(ctx); err != nil {
		return false, nil, err
	}
	if err := keys.Press(ctx, chord); err != nil {
		return !errors.Is(err, driver.ErrUnsent), nil, err
	}
	taking, cancel := context.WithTimeout(ctx, TakenTimeout)
	defer cancel()
	warnings, err = board.Taken(taking)
	if err != nil || !o.Submit {
		return true, warnings, err
	}
	if o.Focused(ctx) != nil || ready(ctx, keys) != nil || keys.Press(ctx, Return) != nil {
		warnings = append(warnings, WarnNotSubmitted)
	}
	return true, warnings, nil
}

func ready(ctx context.Context, keys Keyboard) error {
	ctx, cancel := context.WithTimeout(ctx, HeldTimeout)
	defer cancel()
	return keys.Ready(ctx)
}

func unsent(err error) error {
	if errors.Is(err, driver.ErrUnsent) {
		return err
	}
	return fmt.Errorf("%w: %w", driver.ErrUnsent, err)
}

// Sleep waits for d or until ctx ends.
func Sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

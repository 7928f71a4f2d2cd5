// Package deliver puts text where the user wants it and says what it saw of
// its arrival. It never puts the text into an argument, an environment, a log
// or an error.
package deliver

import (
	"context"
	"errors"
	"time"

	"voice-input/pkg/internal/child"
	"voice-input/pkg/wire"
)

// Timeout bounds one program that a driver runs. wl-copy and xclip take about
// 10 ms; a compositor under load was seen to take a second.
const Timeout = 2 * time.Second

// Driver is one way to deliver text.
type Driver interface {
	// Name is the word in vi.delivery/1.
	Name() string
	// Deliver returns what it saw for itself, one of the wire.Verified words.
	// An error means that the text was not taken.
	Deliver(ctx context.Context, text string) (verified string, warnings []string, err error)
}

// Text delivers text by a driver; a nil driver means that there is none.
// The record is never nil; the error, if any, is why the text was not taken.
func Text(ctx context.Context, d Driver, text string) (*wire.Delivery, error) {
	r := &wire.Delivery{Warnings: []string{}, Verified: wire.VerifiedNothing}
	switch {
	case text == "":
		r.Reason = "no_text"
		return r, nil
	case d == nil:
		r.Reason = "no_driver"
		return r, errors.New("cannot deliver: no program or socket can take the text")
	}
	r.Driver = d.Name()
	verified, warnings, err := d.Deliver(ctx, text)
	r.Warnings = append(r.Warnings, warnings...)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		r.Reason = "timeout"
	case err != nil:
		r.Reason = "driver_failed"
	default:
		r.Delivered, r.Verified = true, verified
	}
	return r, err
}

// run runs a helper program of a driver within Timeout.
func run(ctx context.Context, spec child.Spec) error {
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	return child.Run(ctx, spec)
}

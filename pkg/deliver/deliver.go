// Package deliver puts text where the user wants it and says what it saw of
// its arrival. It never puts the text into an argument, an environment, a log
// or an error.
package deliver

import (
	"context"
	"errors"
	"fmt"
	"time"

	"voice-input/pkg/deliver/driver"
	"voice-input/pkg/internal/child"
	"voice-input/pkg/wire"
)

// Timeout bounds one program or one request of a driver. wl-copy and xclip
// take about 10 ms; a compositor under load was seen to take a second.
const Timeout = 2 * time.Second

// totalTime bounds the delivery of one text by all drivers together.
const totalTime = 5 * time.Second

// Driver is one way to deliver text.
type Driver interface {
	// Name is the word in vi.delivery/1.
	Name() string
	// Deliver returns what it saw for itself, one of the wire.Verified words,
	// and warnings. An error may mean that the text arrived, unless it wraps
	// driver.ErrUnsent or driver.ErrTargetChanged.
	Deliver(ctx context.Context, text string) (verified string, warnings []string, err error)
}

// Route is a driver that may be tried.
type Route struct {
	Name  string
	Lines Lines // what becomes of line ends on this way
	// LastResort says that the text does not get to the target in this way.
	LastResort bool
	// Open makes the driver ready. It returns nil and what is missing if it
	// cannot work here.
	Open func(context.Context) (d Driver, missing string)
}

// Text delivers text by the first route that takes it. Another one is tried
// only if it is certain that nothing was sent. The record is never nil; the
// error, if any, is why the text was not delivered. What happens is told to
// explain.
func Text(ctx context.Context, routes []Route, text string, explain func(format string, args ...any)) (*wire.Delivery, error) {
	ctx, cancel := context.WithTimeout(ctx, totalTime)
	defer cancel()
	r := &wire.Delivery{Warnings: []string{}, Verified: wire.VerifiedNothing}
	var tried []error
	for _, route := range routes {
		clean := Clean(text, route.Lines)
		if clean == "" {
			r.Reason = "no_text"
			return r, nil
		}
		d, missing := route.Open(ctx)
		if d == nil {
			explain("%s: %s", route.Name, missing)
			tried = append(tried, fmt.Errorf("%s: %s", route.Name, missing))
			continue
		}
		verified, warnings, err := d.Deliver(ctx, clean)
		r.Driver = d.Name()
		r.Warnings = append(r.Warnings, warnings...)
		if err == nil {
			explain("%s: took the text, verified %s", r.Driver, verified)
			r.Reason, r.Delivered, r.Verified = "", true, verified
			if route.LastResort {
				r.Warnings = append(r.Warnings, leftOnClipboard)
			}
			return r, nil
		}
		explain("%s: %v", r.Driver, err)
		r.Reason = reasonOf(err)
		if r.Reason == "target_changed" || !errors.Is(err, driver.ErrUnsent) {
			return r, err
		}
		tried = append(tried, err)
	}
	if r.Reason == "" {
		r.Reason = "no_driver"
	}
	if tried == nil {
		tried = append(tried, errors.New("there is no way"))
	}
	return r, errors.Join(tried...)
}

// leftOnClipboard is the warning that the text waits on the clipboard for the
// user to paste it.
const leftOnClipboard = "left_on_clipboard"

func reasonOf(err error) string {
	switch {
	case errors.Is(err, driver.ErrTargetChanged):
		return "target_changed"
	case errors.Is(err, driver.ErrUnsent):
		return "driver_failed"
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	}
	return "driver_failed"
}

// run runs a helper program of a driver within Timeout.
func run(ctx context.Context, spec child.Spec) error {
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	return child.Run(ctx, spec)
}

package deliver

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"time"

	"voice-input/pkg/deliver/driver"
	"voice-input/pkg/deliver/wayland"
	"voice-input/pkg/internal/child"
	"voice-input/pkg/wire"
)

// Clipboard puts the text on the clipboard by a program that stays behind to
// serve it.
type Clipboard struct {
	name        string
	copy, paste []string
}

// textType is fixed, for wl-copy would else guess it from the text with a
// program of its own, which takes 80 ms and is wrong for some text.
const textType = "text/plain;charset=utf-8"

var (
	wlClipboard = Clipboard{
		name:  "wl-copy",
		copy:  []string{"wl-copy", "--type", textType},
		paste: []string{"wl-paste", "--no-newline", "--type", textType},
	}
	xClipboard = Clipboard{
		name:  "xclip",
		copy:  []string{"xclip", "-selection", "clipboard", "-in"},
		paste: []string{"xclip", "-selection", "clipboard", "-out"},
	}
)

// FindClipboard returns the clipboard of the desktop that the environment
// names, Wayland before X11, or nil with the reason. A program is asked only
// where the compositor lets no other than the focused window have it.
func FindClipboard(ctx context.Context, getenv func(string) string) (Driver, string) {
	missing := "neither WAYLAND_DISPLAY nor DISPLAY is set"
	if getenv("WAYLAND_DISPLAY") != "" {
		if d, _ := wayland.NewClipboard(ctx, getenv); d != nil {
			return d, ""
		}
	}
	for _, c := range []struct {
		variable string
		driver   Clipboard
	}{{"WAYLAND_DISPLAY", wlClipboard}, {"DISPLAY", xClipboard}} {
		if getenv(c.variable) == "" {
			continue
		}
		if _, err := exec.LookPath(c.driver.copy[0]); err == nil {
			return c.driver, ""
		}
		missing = c.variable + " is set and " + c.driver.copy[0] + " is not installed"
	}
	return nil, missing
}

// Name implements Driver.
func (c Clipboard) Name() string { return c.name }

// Deliver implements Driver. The text is read back; a clipboard that cannot
// be read, as where only the focused window may, is a warning.
func (c Clipboard) Deliver(ctx context.Context, text string) (string, []string, error) {
	// The program forks a server that keeps its output open for as long as the
	// text is on the clipboard, so it gets no pipe there.
	spec := child.Spec{Argv: c.copy, Stdin: strings.NewReader(text), LeavesDaemon: true}
	if dir := os.Getenv("XDG_RUNTIME_DIR"); dir != "" {
		// wl-copy keeps the text in a file; there it lies in memory, and not for
		// longer than the session.
		spec.Env = append(os.Environ(), "TMPDIR="+dir)
	}
	err := run(ctx, spec)
	if err != nil {
		return "", nil, err
	}
	warning, again := c.readBack(ctx, text)
	// xclip ends before its server has told X that the clipboard is its own.
	for wait := 10 * time.Millisecond; again && wait < settle; wait *= 2 {
		time.Sleep(wait)
		warning, again = c.readBack(ctx, text)
	}
	if warning != "" {
		return wire.VerifiedNothing, []string{warning}, nil
	}
	return wire.VerifiedReadBack, nil, nil
}

// settle is how long a clipboard may take to change hands: xclip was seen to
// need some milliseconds on a machine under load.
const settle = 400 * time.Millisecond

// readBack returns why the text cannot be read from the clipboard, or "", and
// whether that may be because it has just changed hands.
func (c Clipboard) readBack(ctx context.Context, text string) (warning string, again bool) {
	got := &child.Output{Max: len(text) + 1}
	var exit *child.ExitError
	switch err := run(ctx, child.Spec{Argv: c.paste, Stdout: got}); {
	case err != nil:
		return driver.NotReadable, errors.As(err, &exit)
	case got.String() != text:
		return driver.Differs, true
	}
	return "", false
}

// Package typed delivers text by typing it with another program, only when
// asked: it is slow (5 ms a character), moves with the focus, and presses
// Return for a newline.
//
// wtype (Wayland) and xdotool (X11) read the text from standard input, where
// other users cannot see it and a dash at its start is no option. ydotool is
// left out: it types by key codes of a US keyboard, so that other layouts and
// all that is not ASCII come out wrong, and it needs rights on /dev/uinput.
package typed

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
	"unicode/utf8"

	"voice-input/pkg/deliver/driver"
	"voice-input/pkg/deliver/ime"
	"voice-input/pkg/deliver/paste"
	"voice-input/pkg/deliver/x11"
	"voice-input/pkg/internal/child"
	"voice-input/pkg/wire"
)

// piece is how many characters are typed between two looks at the focus:
// about half a second.
const piece = 100

// perPiece bounds the program for one piece.
const perPiece = 2 * time.Second

// program is one that types.
type program struct {
	name string
	// variable names the desktop.
	variable string
	// argv types what is on standard input, enter presses Return.
	argv, enter []string
	// ascii says that nothing else is typed right.
	ascii bool
}

var (
	// wtype makes a keyboard for each run. Programs need a moment to bind it,
	// or the first character is lost in two of three runs; hence -s.
	wtype = program{"wtype", "WAYLAND_DISPLAY", []string{"wtype", "-s", "30", "-"}, []string{"wtype", "-s", "30", "-k", "Return"}, false}
	// xdotool changes the layout for what it lacks, which programs see too
	// late: of 10 texts in Chinese 5 to 10 came out wrong.
	xdotool = program{"xdotool", "DISPLAY", []string{"xdotool", "type", "--file", "-"}, []string{"xdotool", "key", "Return"}, true}
)

// Driver types the text into whatever has the focus.
type Driver struct {
	program
	getenv  func(string) string
	options driver.Options
}

// New returns the driver, or why it cannot work here.
func New(_ context.Context, getenv func(string) string, o driver.Options) (*Driver, string) {
	programs := []program{wtype, xdotool}
	if t := o.Target; t != nil && t.Desktop != nil && t.Desktop.Kind == "x11" {
		programs = []program{xdotool}
	}
	missing := "neither WAYLAND_DISPLAY nor DISPLAY is set"
	for _, p := range programs {
		if getenv(p.variable) == "" {
			continue
		}
		if _, err := exec.LookPath(p.name); err == nil {
			return &Driver{p, getenv, o}, ""
		}
		missing = p.variable + " is set and " + p.name + " is not installed"
	}
	return nil, missing
}

// Name implements deliver.Driver.
func (*Driver) Name() string { return "type" }

// Deliver implements deliver.Driver. Nothing can be seen of the arrival.
func (d *Driver) Deliver(ctx context.Context, text string) (verified string, warnings []string, err error) {
	if err := d.check(ctx, text); err != nil {
		return "", nil, fmt.Errorf("%w: %w", driver.ErrUnsent, err)
	}
	resume := ime.Off(ctx)
	defer func() { warnings = append(warnings, resume()...) }()
	for first := true; text != ""; first = false {
		if err := d.options.Focused(ctx); err != nil {
			return "", nil, err
		}
		now, rest := cut(text)
		if err := d.run(ctx, d.argv, now); err != nil {
			if missing := new(child.NotFoundError); first && errors.As(err, &missing) {
				err = fmt.Errorf("%w: %w", driver.ErrUnsent, err)
			}
			return "", nil, err
		}
		text = rest
	}
	if d.options.Submit && (d.options.Focused(ctx) != nil || d.run(ctx, d.enter, "") != nil) {
		warnings = append(warnings, paste.WarnNotSubmitted)
	}
	return wire.VerifiedNothing, warnings, nil
}

// check returns why the text cannot be typed.
func (d *Driver) check(ctx context.Context, text string) error {
	const perChar = 6 * time.Millisecond
	deadline, bounded := ctx.Deadline()
	switch {
	case strings.ContainsAny(text, "\r\n") && !d.options.Submit:
		return errors.New("cannot type a newline, it would press Return")
	case d.ascii && strings.ContainsFunc(text, func(r rune) bool { return r > '~' }):
		return fmt.Errorf("%s types nothing but ASCII right", d.name)
	case bounded && time.Duration(utf8.RuneCountInString(text))*perChar > time.Until(deadline):
		return errors.New("the text is too long to be typed in time")
	case d.variable == "DISPLAY":
		return x11.Released(ctx, d.getenv)
	}
	return nil
}

// cut returns the first characters of a text, and the others.
func cut(text string) (first, rest string) {
	n := 0
	for i := range text {
		if n == piece {
			return text[:i], text[i:]
		}
		n++
	}
	return text, ""
}

func (d *Driver) run(ctx context.Context, argv []string, text string) error {
	ctx, cancel := context.WithTimeout(ctx, perPiece)
	defer cancel()
	return child.Run(ctx, child.Spec{Argv: argv, Env: d.environ(), Stdin: strings.NewReader(text)})
}

// environ is what the program needs to find the desktop.
func (d *Driver) environ() []string {
	var env []string
	for _, name := range []string{"PATH", "HOME", "WAYLAND_DISPLAY", "DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR"} {
		if v := d.getenv(name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	return append(env, "LC_ALL=C.UTF-8") // the locale says how standard input is encoded
}

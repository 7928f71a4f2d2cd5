package deliver

import (
	"context"
	"strings"

	"voice-input/pkg/internal/child"
	"voice-input/pkg/wire"
)

// External gives the text to a command of the user's on its standard input.
type External struct{ argv []string }

// NewExternal returns the driver for a command, or nil and why not.
func NewExternal(argv []string) (*External, string) {
	if len(argv) == 0 {
		return nil, "the configuration has no [deliver].command"
	}
	return &External{argv}, ""
}

// Name implements Driver.
func (*External) Name() string { return "command" }

// Deliver implements Driver. That the command ended with status 0 is all that
// is known.
func (d *External) Deliver(ctx context.Context, text string) (string, []string, error) {
	if err := child.Run(ctx, child.Spec{Argv: d.argv, Stdin: strings.NewReader(text)}); err != nil {
		return "", nil, err
	}
	return wire.VerifiedWritten, nil, nil
}

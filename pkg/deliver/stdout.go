package deliver

import (
	"context"
	"fmt"
	"io"

	"voice-input/pkg/wire"
)

// Stdout writes the text and a line end to W.
type Stdout struct{ W io.Writer }

// Name implements Driver.
func (Stdout) Name() string { return "stdout" }

// Deliver implements Driver.
func (d Stdout) Deliver(_ context.Context, text string) (string, []string, error) {
	if _, err := io.WriteString(d.W, text+"\n"); err != nil {
		return "", nil, fmt.Errorf("cannot write to standard output: %w", err)
	}
	return wire.VerifiedWritten, nil, nil
}

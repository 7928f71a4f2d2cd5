// Package enginetest has what the tests of engines give them.
package enginetest

import (
	"context"
	"io"

	"voice-input/pkg/asr/engine"
	"voice-input/pkg/asr/tape"
)

// From makes samples of any reader; nothing is ever buffered.
func From(r io.Reader) engine.Samples { return unbuffered{io.NopCloser(r)} }

type unbuffered struct{ io.ReadCloser }

func (unbuffered) Buffered() int64 { return 0 }

// Live returns a take whose samples are still being written to the tape, which
// keeps all of them. The hints are empty; set another function for others.
func Live() (*tape.Tape, engine.Take) {
	t := tape.New(3600*engine.BytesPerSecond, true)
	again := func() (engine.Samples, error) {
		r, err := t.Reader()
		if err != nil {
			return nil, err
		}
		return r, nil
	}
	first, _ := again() // a tape without a byte has dropped none
	return t, engine.Take{Samples: first, Again: again, Hints: Hints(engine.Hints{})}
}

// Whole returns a take whose samples are all there.
func Whole(pcm []byte) engine.Take {
	t, take := Live()
	t.Write(pcm)
	t.Close(io.EOF)
	return take
}

// Hints are hints that are known at once.
func Hints(h engine.Hints) func(context.Context) engine.Hints {
	return func(context.Context) engine.Hints { return h }
}

package supervise

import (
	"context"
	"errors"
	"io"
	"os"

	"voice-input/pkg/internal/child"
	"voice-input/pkg/wire"
)

// resident is a running program that reads records and writes records, kept
// for as long as it is of use.
type resident struct {
	proc  *child.Process
	stdin *os.File
}

// startResident starts a program; a nil env is this process's own. Each line that it writes goes to line, on
// one goroutine; then ended is called, once. Lines that are too long are
// dropped.
func startResident(argv, env []string, log io.Writer, line func([]byte), ended func()) (*resident, error) {
	stdin, toStdin, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	fromStdout, stdout, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, stdin.Close(), toStdin.Close())
	}
	proc, err := child.Start(context.Background(), child.Spec{Argv: argv, Env: env, Stdin: stdin, Stdout: stdout, Stderr: log})
	stdin.Close()
	stdout.Close()
	if err != nil {
		return nil, errors.Join(err, toStdin.Close(), fromStdout.Close())
	}
	go func() {
		defer fromStdout.Close()
		defer ended()
		lines := wire.NewReader(fromStdout)
		for {
			switch l, err := lines.Next(); {
			case errors.Is(err, wire.ErrLineTooLong):
			case err != nil:
				return
			default:
				line(l)
			}
		}
	}()
	return &resident{proc: proc, stdin: toStdin}, nil
}

// alive tells whether the program has not ended.
func (r *resident) alive() bool {
	if r == nil {
		return false
	}
	select {
	case <-r.proc.Done():
		return false
	default:
		return true
	}
}

// kill ends the program with all that it has started.
func (r *resident) kill() {
	r.proc.Kill()
	r.stdin.Close()
}

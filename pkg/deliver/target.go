package deliver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"voice-input/pkg/cli"
	"voice-input/pkg/config"
	"voice-input/pkg/deliver/driver"
	"voice-input/pkg/internal/child"
	"voice-input/pkg/internal/proc"
	"voice-input/pkg/wire"
)

// maxRecord bounds a focus record, which has a few hundred bytes.
const maxRecord = 64 << 10

// readTarget reads the record of the focus at the stop. One that names no
// window is a target that is not known.
func readTarget(path string) (*wire.Focus, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, cli.Errorf(cli.StatusNoInput, "cannot read target: %w", err)
	}
	defer f.Close()
	line, err := io.ReadAll(io.LimitReader(f, maxRecord+1))
	switch {
	case err != nil:
		return nil, cli.Errorf(cli.StatusIO, "cannot read target: %w", err)
	case len(line) > maxRecord:
		return nil, cli.Errorf(cli.StatusData, "cannot read target: it is longer than 64 KiB")
	}
	var target wire.Focus
	if err := wire.Decode(bytes.TrimSpace(line), &target); err != nil {
		return nil, fmt.Errorf("cannot read target: %w", err)
	}
	return &target, nil
}

// processes is where the kernel tells of them.
const processes = proc.Root

// gone calls a process that has ended a change of the target.
func gone(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("its process has ended: %w", driver.ErrTargetChanged)
	}
	return fmt.Errorf("%w: %w", driver.ErrUnsent, err)
}

// inForeground returns an error unless the agent is the process that it was
// and has the foreground of the terminal with the device number tty.
func inForeground(fs proc.FS, a *wire.Agent, tty int) error {
	s, err := fs.Stat(a.PID)
	switch {
	case err != nil:
		return fmt.Errorf("the agent: %w", gone(err))
	case s.StartTicks != a.StartTicks:
		return fmt.Errorf("process %d is another one than the agent: %w", a.PID, driver.ErrTargetChanged)
	case s.TTY != tty:
		return fmt.Errorf("the agent is on another terminal: %w", driver.ErrTargetChanged)
	case s.PGRP != s.TPGID:
		return fmt.Errorf("the agent is in the background: %w", driver.ErrTargetChanged)
	}
	return nil
}

// ticks is how many clock ticks the kernel tells of a second, on every
// architecture that Go knows.
const ticks = 100

// older returns an error if a process began after the time of a record: its
// number was given to another one then. Without a time there is nothing to
// compare.
func older(fs proc.FS, pid int, at string) error {
	s, err := fs.Stat(pid)
	if err != nil {
		return gone(err)
	}
	recorded, err := time.Parse(time.RFC3339, at)
	if err != nil {
		return nil
	}
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &now); err != nil {
		return fmt.Errorf("%w: %w", driver.ErrUnsent, err)
	}
	age := time.Duration(now.Nano()) - time.Duration(s.StartTicks)*(time.Second/ticks)
	if time.Now().Add(-age).After(recorded) {
		return fmt.Errorf("process %d is younger than the target: %w", pid, driver.ErrTargetChanged)
	}
	return nil
}

// focusTime bounds the look at the focus before a key is pressed; vi-focus
// gives up after a second itself.
const focusTime = 1500 * time.Millisecond

// focused returns the check of driver.Options: vi-focus, which knows every
// desktop, looks again, and what the target names has to be the same.
func focused(target *wire.Focus, cfg config.Config) func(context.Context) error {
	return func(ctx context.Context) error {
		if !known(target) {
			return nil
		}
		ctx, cancel := context.WithTimeout(ctx, focusTime)
		defer cancel()
		out := child.Output{Max: maxRecord}
		// Status 1 comes with a record that says why there is no focus.
		err := child.Run(ctx, child.Spec{Argv: focusCommand(cfg), Stdout: &out})
		var now wire.Focus
		if decodeErr := wire.Decode(bytes.TrimSpace(out.Bytes()), &now); decodeErr != nil {
			return fmt.Errorf("cannot tell what has the focus: %w: %w", driver.ErrUnsent, errors.Join(err, decodeErr))
		}
		if !same(target, &now) {
			return fmt.Errorf("something else has the focus: %w", driver.ErrTargetChanged)
		}
		return nil
	}
}

// focusCommand is the command that looks at the focus: the user's own, or the
// vi-focus that was installed with this program.
func focusCommand(cfg config.Config) []string {
	if own := cfg.Stages.Focus; len(own) > 0 {
		return own
	}
	name := "vi-focus"
	if self, err := os.Executable(); err == nil {
		if beside := filepath.Join(filepath.Dir(self), name); isFile(beside) {
			name = beside
		}
	}
	return []string{name, "--config", os.DevNull}
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// same tells whether all that a record names is in another one as well.
func same(target, now *wire.Focus) bool {
	switch {
	case !known(target) || !known(now):
		return false
	case target.Desktop != nil && (now.Desktop == nil || *now.Desktop != *target.Desktop):
		return false
	case *now.Window != *target.Window:
		return false
	case target.Terminal != nil && (now.Terminal == nil || *now.Terminal != *target.Terminal):
		return false
	case target.Multiplexer != nil && (now.Multiplexer == nil || now.Multiplexer.Socket != target.Multiplexer.Socket || now.Multiplexer.Pane != target.Multiplexer.Pane):
		return false
	case target.Agent != nil && (now.Agent == nil || now.Agent.PID != target.Agent.PID || now.Agent.StartTicks != target.Agent.StartTicks):
		return false
	}
	return true
}

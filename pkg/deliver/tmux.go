package deliver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"voice-input/pkg/deliver/driver"
	"voice-input/pkg/internal/child"
	"voice-input/pkg/internal/unixsock"
	"voice-input/pkg/wire"
)

// Tmux pastes the text into a pane of tmux from a buffer of its own. What the
// client shows and whether the pane is in a mode does not matter.
type Tmux struct {
	target *wire.Focus
	submit bool
}

// NewTmux returns the driver for a target, or nil and why it is not one.
func NewTmux(o driver.Options) (*Tmux, string) {
	if !inTmux(o.Target) {
		return nil, "the target is not a pane of tmux"
	}
	if _, err := exec.LookPath("tmux"); err != nil {
		return nil, "tmux is not installed"
	}
	return &Tmux{o.Target, o.Submit}, ""
}

// Name implements Driver.
func (*Tmux) Name() string { return "tmux" }

// Deliver implements Driver. The text was pasted if tmux says so and has
// deleted the buffer, as it does once a pane took it.
func (d *Tmux) Deliver(ctx context.Context, text string) (string, []string, error) {
	inMode, err := d.check(ctx)
	if err != nil {
		return "", nil, err
	}
	var warnings []string
	if joined := Clean(text, JoinLines); inMode && joined != text {
		// tmux 3.3 makes no brackets for a pane in copy mode.
		text, warnings = joined, []string{"lines_joined"}
	}
	buffer := fmt.Sprintf("vi-type-%d", os.Getpid())
	pane := d.target.Multiplexer.Pane
	argv := []string{
		"load-buffer", "-b", buffer, "-", ";",
		"paste-buffer", "-p", "-r", "-d", "-b", buffer, "-t", pane, ";",
	}
	if d.submit {
		// A key would go to the mode that the pane may be in.
		enter := buffer + "-enter"
		argv = append(argv, "set-buffer", "-b", enter, "\r", ";", "paste-buffer", "-r", "-d", "-b", enter, "-t", pane, ";")
	}
	left, err := d.run(ctx, text, append(argv, "list-buffers", "-F", "#{buffer_name}")...)
	if err == nil && slices.Contains(strings.Fields(left), buffer) {
		err = errors.New("the buffer is still there")
	}
	if err != nil {
		d.forget(ctx, buffer)
		return "", nil, fmt.Errorf("cannot paste into pane %s of tmux: %w", pane, err)
	}
	return wire.VerifiedWritten, warnings, nil
}

// forget deletes the buffer, which holds the text, even if there is no time
// left.
func (d *Tmux) forget(ctx context.Context, buffer string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	d.run(ctx, "", "delete-buffer", "-b", buffer)
}

// check makes sure that the pane is there and as it was, and tells whether it
// is in a mode.
func (d *Tmux) check(ctx context.Context) (inMode bool, err error) {
	m := d.target.Multiplexer
	if err := unixsock.Owned(m.Socket, os.Getuid()); err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return false, fmt.Errorf("the server of tmux is gone: %w", driver.ErrTargetChanged)
		}
		return false, fmt.Errorf("tmux: %w: %w", driver.ErrUnsent, err)
	}
	out, err := d.run(ctx, "", "display-message", "-p", "-t", m.Pane, "#{pane_id} #{pane_pid} #{pane_dead} #{pane_in_mode}")
	var exit *child.ExitError
	switch {
	case errors.As(err, &exit):
		return false, fmt.Errorf("the server of tmux or the pane is gone: %w", driver.ErrTargetChanged)
	case err != nil:
		return false, fmt.Errorf("cannot ask tmux for pane %s: %w: %w", m.Pane, driver.ErrUnsent, err)
	}
	// tmux answers with blanks for a pane that it does not have.
	f := strings.Fields(out)
	if len(f) != 4 || f[0] != m.Pane || f[2] != "0" {
		return false, fmt.Errorf("pane %s of tmux is gone: %w", m.Pane, driver.ErrTargetChanged)
	}
	inMode = f[3] != "0"
	pid, err := strconv.Atoi(f[1])
	if err != nil {
		return false, fmt.Errorf("cannot read what tmux says of pane %s: %w", m.Pane, driver.ErrUnsent)
	}
	if err := older(processes, pid, d.target.At); err != nil || d.target.Agent == nil {
		return inMode, err
	}
	s, err := processes.Stat(pid)
	if err != nil {
		return false, fmt.Errorf("pane %s of tmux: %w", m.Pane, gone(err))
	}
	return inMode, inForeground(processes, d.target.Agent, s.TTY)
}

// maxOutput bounds what tmux may print: a name for each buffer.
const maxOutput = 1 << 20

func (d *Tmux) run(ctx context.Context, stdin string, args ...string) (string, error) {
	out := child.Output{Max: maxOutput}
	err := run(ctx, child.Spec{
		Argv:  append([]string{"tmux", "-u", "-S", d.target.Multiplexer.Socket}, args...),
		Stdin: strings.NewReader(stdin), Stdout: &out,
		// Without TMUX, which would make it a client of another server.
		Env: []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8"},
	})
	return out.String(), err
}

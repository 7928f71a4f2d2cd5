// Package ime makes input methods inactive while keys are pressed, so that
// they do not take them, and active again afterwards.
package ime

import (
	"bytes"
	"context"
	"os"
	"strings"
	"time"

	"voice-input/pkg/internal/child"
	"voice-input/pkg/internal/proc"
)

// timeout bounds each program that is run. They take 5 to 50 ms.
const timeout = 800 * time.Millisecond

// WarnNotRestored is the warning that an input method stayed off.
const WarnNotRestored = "input_method_not_restored"

// method is an input method that its own program controls.
type method struct {
	// daemon is part of its process's name; Nix puts a dot before it.
	daemon string
	// state asks for the state.
	state []string
	// off returns how to make it inactive and active again, or nil if that
	// state is inactive already.
	off func(state string) (off, on []string)
}

var methods = []method{
	// fcitx5-remote answers 0 for no answer, 1 for inactive, 2 for active.
	{"fcitx5", []string{"fcitx5-remote"}, func(state string) (off, on []string) {
		if state != "2" {
			return nil, nil
		}
		return []string{"fcitx5-remote", "-c"}, []string{"fcitx5-remote", "-o"}
	}},
	// IBus has engines; those named xkb:… are plain keyboard layouts.
	{"ibus-daemon", []string{"ibus", "engine"}, func(state string) (off, on []string) {
		if state == "" || strings.HasPrefix(state, "xkb:") || strings.HasPrefix(state, "-") || strings.ContainsAny(state, " \t\n") {
			return nil, nil
		}
		return []string{"ibus", "engine", "xkb:us::eng"}, []string{"ibus", "engine", state}
	}},
}

// Off makes the input methods that are active inactive. One that is not
// installed, does not run or does not answer is left alone. What it returns
// makes them active again, even if ctx has ended, and returns warnings.
func Off(ctx context.Context) (resume func() (warnings []string)) {
	var resumes [][]string
	for _, m := range running() {
		var state answer
		if run(ctx, m.state, &state) != nil {
			continue
		}
		off, on := m.off(strings.TrimSpace(state.String()))
		if off == nil {
			continue
		}
		// Also one that failed may have worked.
		run(ctx, off, nil)
		resumes = append(resumes, on)
	}
	return func() []string {
		var warnings []string
		for _, on := range resumes {
			if run(context.WithoutCancel(ctx), on, nil) != nil {
				warnings = []string{WarnNotRestored}
			}
		}
		return warnings
	}
}

// running returns the methods whose daemon runs as this user. Without that
// look, the question alone would have D-Bus start a fcitx5 that is installed,
// and that replaces an IBus that runs.
func running() []method {
	table, err := proc.Root.Table()
	if err != nil {
		return nil
	}
	var found []method
	for _, m := range methods {
		for pid, s := range table {
			if !strings.Contains(s.Comm, m.daemon) || strings.Contains(s.Comm, "remote") {
				continue
			}
			if uid, err := proc.Root.UID(pid); err == nil && uid == os.Getuid() {
				found = append(found, m)
				break
			}
		}
	}
	return found
}

func run(ctx context.Context, argv []string, out *answer) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	spec := child.Spec{Argv: argv}
	if out != nil {
		spec.Stdout = out
	}
	return child.Run(ctx, spec)
}

// answer keeps the first 256 bytes of what is written to it.
type answer struct{ bytes.Buffer }

func (a *answer) Write(p []byte) (int, error) {
	a.Buffer.Write(p[:min(len(p), 256-a.Len())])
	return len(p), nil
}

package focus

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"voice-input/pkg/cli"
	"voice-input/pkg/config"
	"voice-input/pkg/wire"
)

// timeout is how long a look may take. A hotkey that does nothing for longer
// feels broken.
const timeout = time.Second

// Command is vi-focus.
func Command() *cli.Command {
	return &cli.Command{
		Name:  "vi-focus",
		Usage: "say which window, pane and coding agent have the focus",
		Words: map[string][]string{"desktop": Kinds()},
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "desktop", Usage: "ask the desktop of this `KIND` only: " + strings.Join(Kinds(), ", ")},
			&cli.BoolFlag{Name: "follow", Usage: "go on, with a record whenever something changed"},
			&cli.DurationFlag{Name: "timeout", Value: timeout, Usage: "give up a look after `DURATION`"},
			&cli.BoolFlag{Name: "where", Usage: "say where the pane is in its multiplexer"},
		},
		Environ: []string{
			"DISPLAY", "HYPRLAND_INSTANCE_SIGNATURE", "NIRI_SOCKET", "PATH", "SWAYSOCK", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR",
		},
		Run: run,
	}
}

func run(ctx context.Context, o *cli.IO, c *cli.Call) error {
	l := &Looker{
		Getenv: o.Getenv, Explain: o.Explain,
		Desktop: c.String("desktop"), Timeout: cli.Value[time.Duration](c, "timeout"), Where: c.Bool("where"),
	}
	switch {
	case c.IsSet("desktop") && !slices.Contains(Kinds(), l.Desktop):
		return cli.ErrUsage("no desktop of kind %q", l.Desktop).WithHint("one of %s", strings.Join(Kinds(), ", "))
	case l.Timeout <= 0:
		return cli.ErrUsage("--timeout needs more than nothing")
	}
	cfg, err := config.Load(c.String("config"), o.Getenv)
	if err != nil {
		return err
	}
	l.Messaging = cfg.Focus.Messaging
	emit := func(f *wire.Focus) error {
		if o.Pretty() && f.Multiplexer != nil && f.Multiplexer.Location != nil {
			return where(o.Stdout, f.Multiplexer)
		}
		return o.Emit(f)
	}
	if c.Bool("follow") {
		return l.Follow(ctx, emit)
	}
	f := l.Look(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err := emit(f); err != nil {
		return err
	}
	if f.Reason != wire.OK {
		return cli.ErrNothing
	}
	return nil
}

// where writes a pane's location for a person. Names are quoted, so that one
// with a control character does nothing to the terminal.
func where(w io.Writer, m *wire.Multiplexer) error {
	at := m.Location
	marks := func(active, zoomed bool) string {
		s := ""
		if active {
			s += ", active"
		}
		if zoomed {
			s += ", zoomed"
		}
		return s
	}
	_, err := fmt.Fprintf(w, "session %q in %s\nwindow  %d %q%s, layout %s\npane    %d of %d (%s)%s\n",
		at.Session, m.Kind, at.Window, at.WindowName, marks(at.WindowActive, at.Zoomed), at.Layout,
		at.Pane, at.Panes, m.Pane, marks(at.PaneActive, false))
	if err != nil {
		return cli.Errorf(cli.StatusIO, "cannot write to standard output: %w", err)
	}
	return nil
}

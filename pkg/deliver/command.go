package deliver

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"

	"voice-input/pkg/cli"
	"voice-input/pkg/config"
	"voice-input/pkg/deliver/wayland"
	"voice-input/pkg/deliver/x11"
	"voice-input/pkg/internal/child"
	"voice-input/pkg/wire"
)

// maxText bounds raw text on standard input; an hour of speech is about
// 60 KiB.
const maxText = 1 << 20

// Command is vi-type.
func Command() *cli.Command {
	return &cli.Command{
		Name:  "vi-type",
		Usage: "deliver text",
		Words: map[string][]string{"to": Places},
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "target", Usage: "deliver to what the vi.focus/1 record in `FILE` names"},
			&cli.StringFlag{Name: "to", Value: "auto", Usage: "`PLACE` for the text: " + strings.Join(Places, ", ")},
			&cli.BoolFlag{Name: "text", Usage: "read plain text instead of records"},
			&cli.StringFlag{Name: "report", Usage: "write the record to `FILE` instead of standard output"},
		},
		Environ: []string{"DISPLAY", "HYPRLAND_INSTANCE_SIGNATURE", "PATH", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR"},
		Run:     runType,
	}
}

func runType(ctx context.Context, o *cli.IO, c *cli.Call) error {
	// The process that serves the old clipboard on is this program too.
	for _, keep := range []func(context.Context, func(string) string) (bool, error){wayland.Keep, x11.Keep} {
		if is, err := keep(ctx, o.Getenv); is {
			return err
		}
	}
	cfg, err := config.Load(c.String("config"), o.Getenv)
	if err != nil {
		return err
	}
	p := plan{place: c.StringOr("to", cfg.Deliver.To), cfg: cfg, getenv: o.Getenv, stdout: o.Stdout}
	if !slices.Contains(Places, p.place) {
		return cli.ErrUsage("no place %q", p.place).WithHint("one of %s", strings.Join(Places, ", "))
	}
	if path := c.String("target"); path != "" {
		if p.target, err = readTarget(path); err != nil {
			return err
		}
	}
	p.focused = focused(p.target, cfg)
	routes := p.routes()
	report := o.Emit
	if slices.ContainsFunc(routes, func(r Route) bool { return r.Name == "stdout" }) {
		report = func(wire.Record) error { return nil }
	}
	if path := c.String("report"); path != "" {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
		if err != nil {
			return cli.Errorf(cli.StatusCantCreate, "cannot write report: %w", err)
		}
		defer f.Close()
		report = func(r wire.Record) error { return wire.Write(f, r) }
	}
	one := func(text string) error {
		rec, failed := Text(ctx, routes, text, o.Explain)
		if rec.Reason == "target_changed" && cfg.Deliver.ClipboardIfChanged {
			p.hold(ctx, rec, text, o.Explain)
		}
		if err := report(rec); err != nil {
			return err
		}
		return result(rec, failed)
	}
	if c.Bool("text") {
		return plain(o, one)
	}
	return o.EachRecord(func(line []byte) error {
		var r wire.Refine
		if err := wire.Decode(line, &r); err != nil {
			return err
		}
		return one(r.Text)
	})
}

// hold leaves a text whose target is gone on the clipboard.
func (p plan) hold(ctx context.Context, rec *wire.Delivery, text string, explain func(string, ...any)) {
	p.place, p.target = "clipboard", nil
	held, _ := Text(ctx, p.routes(), text, explain)
	rec.Warnings = append(rec.Warnings, held.Warnings...)
	if held.Delivered {
		rec.Warnings = append(rec.Warnings, leftOnClipboard)
	}
}

func plain(o *cli.IO, deliver func(string) error) error {
	if cli.IsTerminal(o.Stdin) {
		return cli.ErrUsage("standard input is a terminal, text is needed")
	}
	text, err := io.ReadAll(io.LimitReader(o.Stdin, maxText+1))
	switch {
	case err != nil:
		return cli.Errorf(cli.StatusIO, "cannot read standard input: %w", err)
	case len(text) > maxText:
		return cli.Errorf(cli.StatusData, "the text is longer than 1 MiB")
	}
	return deliver(strings.TrimSuffix(string(text), "\n"))
}

// result maps what became of the text to the program's error.
func result(rec *wire.Delivery, failed error) error {
	var notFound *child.NotFoundError
	switch {
	case rec.Delivered:
		return nil
	case rec.Reason == "no_text":
		return cli.ErrNothing
	case rec.Reason == "no_driver":
		return cli.Errorf(cli.StatusUnavailable, "cannot deliver: no program or socket can take the text: %w", failed).
			WithHint("install wl-clipboard (Wayland) or xclip (X11), or use --to stdout")
	case rec.Reason == "target_changed", rec.Reason == "timeout" && !errors.As(failed, &notFound):
		return cli.Errorf(cli.StatusTempFail, "cannot deliver: %w", failed)
	case rec.Driver == "stdout":
		return &cli.Error{Status: cli.StatusIO, Err: failed}
	default:
		return cli.Errorf(cli.StatusUnavailable, "cannot deliver: %w", failed)
	}
}

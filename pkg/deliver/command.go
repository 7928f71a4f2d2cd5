package deliver

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"voice-input/pkg/cli"
	"voice-input/pkg/config"
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
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "to", Value: "clipboard", Usage: "`PLACE` for the text: clipboard, stdout"},
			&cli.BoolFlag{Name: "text", Usage: "read plain text instead of records"},
			&cli.StringFlag{Name: "report", Usage: "write the record to `FILE` instead of standard output"},
		},
		Environ: []string{"WAYLAND_DISPLAY", "DISPLAY", "XDG_CONFIG_HOME"},
		Run:     runType,
	}
}

func runType(ctx context.Context, o *cli.IO, c *cli.Call) error {
	cfg, err := config.Load(c.String("config"), o.Getenv)
	if err != nil {
		return err
	}
	var driver Driver
	var missing string
	report := o.Emit
	switch to := c.StringOr("to", cfg.Deliver.To); to {
	case "stdout":
		driver = Stdout{o.Stdout}
		report = func(wire.Record) error { return nil }
	case "clipboard":
		driver, missing = FindClipboard(o.Getenv)
	default:
		return cli.ErrUsage("no place %q", to).WithHint("one of clipboard, stdout")
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
		rec, failed := Text(ctx, driver, text)
		o.Explain("driver %q, delivered %t, verified %s", rec.Driver, rec.Delivered, rec.Verified)
		if err := report(rec); err != nil {
			return err
		}
		return result(rec, failed, missing)
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
func result(rec *wire.Delivery, failed error, missing string) error {
	var notFound *child.NotFoundError
	switch {
	case rec.Delivered:
		return nil
	case rec.Reason == "no_text":
		return cli.ErrNothing
	case rec.Reason == "no_driver":
		return cli.Errorf(cli.StatusUnavailable, "%w: %s", failed, missing).WithHint("install wl-clipboard (Wayland) or xclip (X11), or use --to stdout")
	case errors.As(failed, &notFound):
		return cli.Errorf(cli.StatusUnavailable, "cannot deliver: %w", failed)
	case rec.Reason == "timeout":
		return cli.Errorf(cli.StatusTempFail, "cannot deliver: %w", failed)
	case rec.Driver == "stdout":
		return &cli.Error{Status: cli.StatusIO, Err: failed}
	default:
		return cli.Errorf(cli.StatusUnavailable, "cannot deliver: %w", failed)
	}
}

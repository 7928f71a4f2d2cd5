package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"voice-input/pkg/cli"
	"voice-input/pkg/internal/child"
	"voice-input/pkg/wire"
)

// copyTime bounds vi-type, whose drivers have 2 s a program.
const copyTime = 10 * time.Second

// Deliver asks the daemon to deliver an entry of the history.
type Deliver func(ctx context.Context, o *cli.IO, id string) error

// Command returns "history", whose sub-commands show and use what was
// dictated. They read no configuration, so that a broken one keeps nobody from
// his words or from clearing them.
func Command(deliver Deliver) *cli.Command {
	environ := []string{"HOME", "NO_COLOR", "XDG_STATE_HOME"}
	one := func(name, usage string, run func(ctx context.Context, o *cli.IO, c *cli.Call, h *wire.History) error, flags ...cli.Flag) *cli.Command {
		return &cli.Command{
			Name: name, Usage: usage, Operands: "[ID]", MaxOperands: 1, Environ: environ, Flags: flags,
			Words: map[string][]string{"": {"last"}},
			Run: func(ctx context.Context, o *cli.IO, c *cli.Call) error {
				h, err := wanted(ctx, o, c.Args())
				if err != nil {
					return err
				}
				return run(ctx, o, c, h)
			},
		}
	}
	return &cli.Command{
		Name: "history", Usage: "show, use or clear what was dictated",
		Environ: environ,
		Commands: []*cli.Command{
			{
				Name: "list", Usage: "print a line for each entry, the oldest first", Environ: environ, Run: runList,
				Words: map[string][]string{"format": {"text", "json"}},
				Flags: []cli.Flag{&cli.StringFlag{Name: "format", Value: "text", Usage: "write as `FORMAT`: text, json"}},
			},
			one("show", "print the text of an entry", runShow, &cli.BoolFlag{Name: "transcript", Usage: "as it was recognised"}),
			one("copy", "put the text of an entry on the clipboard", runCopy),
			one("deliver", "deliver the text of an entry to the window in focus", func(ctx context.Context, o *cli.IO, _ *cli.Call, h *wire.History) error {
				return deliver(ctx, o, h.ID)
			}),
			one("compare", "show what was recognised beside what was made of it", runCompare),
			{
				Name: "clear", Usage: "remove all entries", Environ: environ, Run: runClear,
				Flags: []cli.Flag{&cli.DurationFlag{Name: "older", Usage: "remove those that are older than `TIME`, such as 24h"}},
			},
		},
	}
}

func store(o *cli.IO) *Store { return Open(Path(o.Getenv), Limits{}) }

// wanted returns the entry that the operand names; without one the newest.
func wanted(ctx context.Context, o *cli.IO, args []string) (*wire.History, error) {
	id := "last"
	if len(args) > 0 {
		id = args[0]
	}
	h, err := store(o).Get(ctx, id)
	switch {
	case errors.Is(err, ErrNone) && id == "last":
		return nil, cli.Errorf(cli.StatusNothing, "the history is empty")
	case errors.Is(err, ErrNone):
		return nil, cli.Errorf(cli.StatusNoInput, "cannot find %q: %w", id, err).WithHint("voice-input history list shows the ids")
	case errors.Is(err, ErrAmbiguous):
		return nil, cli.Errorf(cli.StatusUsage, "cannot choose %q: %w", id, err).WithHint("write more of it")
	case err != nil:
		return nil, cli.Errorf(cli.StatusIO, "%w", err)
	}
	return h, nil
}

func runList(ctx context.Context, o *cli.IO, c *cli.Call) error {
	show := o.Emit
	switch format := c.String("format"); format {
	case "json":
	case "text":
		show = func(r wire.Record) error {
			return printLine(o, summary(r.(*wire.History), time.Local))
		}
	default:
		return cli.ErrUsage("no format %q", format).WithHint("one of text, json")
	}
	entries, bad, err := store(o).List(ctx)
	if err != nil {
		return cli.Errorf(cli.StatusIO, "%w", err)
	}
	for _, h := range entries {
		if err := show(h); err != nil {
			return err
		}
	}
	if bad > 0 {
		o.Warn("lines of the history that cannot be read: %d", bad)
	}
	if len(entries) == 0 {
		return cli.ErrNothing
	}
	return nil
}

func printLine(o *cli.IO, text string) error {
	if _, err := io.WriteString(o.Stdout, text+"\n"); err != nil {
		return cli.Errorf(cli.StatusIO, "cannot write to standard output: %w", err)
	}
	return nil
}

func runShow(_ context.Context, o *cli.IO, c *cli.Call, h *wire.History) error {
	text := h.Text
	if c.Bool("transcript") {
		text = h.Transcript
	}
	if text == "" {
		return cli.Errorf(cli.StatusNothing, "the entry has no transcript")
	}
	return printLine(o, harmless(text))
}

// runCopy gives the text to the vi-type that lies beside this program.
func runCopy(ctx context.Context, o *cli.IO, c *cli.Call, h *wire.History) error {
	self, err := os.Executable()
	if err != nil {
		return cli.Errorf(cli.StatusOSFile, "cannot find vi-type: %w", err)
	}
	argv := []string{filepath.Join(filepath.Dir(self), "vi-type"), "--to", "clipboard"}
	if path := c.String("config"); path != "" {
		if path, err = filepath.Abs(path); err != nil {
			return cli.Errorf(cli.StatusOSFile, "cannot find the configuration: %w", err)
		}
		argv = append(argv, "--config", path)
	}
	line, err := wire.Encode(&wire.Refine{Text: h.Text, Outcome: wire.RefineKept})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, copyTime)
	defer cancel()
	err = child.Run(ctx, child.Spec{Argv: argv, Stdin: bytes.NewReader(line), Stderr: o.Stderr, LeavesDaemon: true})
	var exit *child.ExitError
	var missing *child.NotFoundError
	switch {
	case errors.As(err, &exit) && exit.Code() > 0:
		return cli.Errorf(cli.Status(exit.Code()), "cannot copy: %w", err)
	case errors.As(err, &missing):
		return cli.Errorf(cli.StatusOSFile, "cannot copy: %w", err)
	case err != nil:
		return cli.Errorf(cli.StatusTempFail, "cannot copy: %w", err)
	}
	return nil
}

func runClear(ctx context.Context, o *cli.IO, c *cli.Call) error {
	older := cli.Value[time.Duration](c, "older")
	if c.IsSet("older") && older <= 0 {
		return cli.ErrUsage("--older needs a time above zero")
	}
	n, err := store(o).Clear(ctx, older)
	if err != nil {
		return cli.Errorf(cli.StatusIO, "cannot clear the history: %w", err)
	}
	o.Explain("entries removed: %d", n)
	return nil
}

// summary is an entry in a line for a person.
func summary(h *wire.History, zone *time.Location) string {
	at, _ := time.Parse(time.RFC3339, h.At) // an entry without one is not read
	driver := "-"
	if h.Delivery != nil && h.Delivery.Delivered {
		driver = h.Delivery.Driver
	}
	return fmt.Sprintf("%s  %s  %-9s  %5d  %s", h.ID, at.In(zone).Format("2006-01-02 15:04"), harmless(driver), len([]rune(h.Text)), beginning(h.Text))
}

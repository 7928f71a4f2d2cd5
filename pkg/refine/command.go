package refine

import (
	"context"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"voice-input/pkg/cli"
	"voice-input/pkg/wire"
)

// styles are those that vi.focus/1 names.
var styles = []string{"agent-markdown", "message", "formal"}

// Command is vi-refine.
func Command() *cli.Command {
	return &cli.Command{
		Name:  "vi-refine",
		Usage: "turn a transcript into the text to deliver",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "engine", Value: "none", Usage: "`NAME` of what refines; none keeps the text"},
			&cli.StringFlag{Name: "style", Usage: "write in `STYLE`: " + strings.Join(styles, ", ")},
			&cli.StringFlag{Name: "terms", Usage: "take the context from `FILE`, a vi.terms/1 record"},
		},
		Run: run,
	}
}

func run(_ context.Context, o *cli.IO, c *cli.Call) error {
	if engine := c.String("engine"); engine != "none" {
		return cli.ErrUsage("no engine %q", engine).WithHint("this version has the engine none")
	}
	style := c.String("style")
	if style != "" && !slices.Contains(styles, style) {
		return cli.ErrUsage("no style %q", style).WithHint("one of %s", strings.Join(styles, ", "))
	}
	if path := c.String("terms"); path != "" {
		if err := checkTerms(path); err != nil {
			return err
		}
		o.Explain("terms: read and not used, the engine none changes nothing")
	}
	ended := false
	err := o.EachRecord(func(line []byte) error {
		start := time.Now()
		text, final, err := Transcript(line)
		if err != nil || !final {
			return err
		}
		ended = true
		r := Keep(text, style, time.Since(start))
		if err := o.Emit(r); err != nil {
			return err
		}
		if text == "" {
			o.Explain("the recognition ended without text")
			return cli.ErrNothing
		}
		o.Explain("kept: the engine is none")
		return nil
	})
	if err == nil && !ended {
		return cli.Errorf(cli.StatusData, "standard input holds no final event").WithHint("the recogniser ended early; look at its own message")
	}
	return err
}

func checkTerms(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return cli.Errorf(cli.StatusNoInput, "cannot read terms: %w", err)
	}
	defer f.Close()
	line, err := wire.NewReader(f).Next()
	if err == io.EOF {
		return cli.Errorf(cli.StatusData, "cannot read terms: %q holds no record", path)
	}
	if err != nil {
		return cli.Errorf(cli.StatusData, "cannot read terms: %w", err)
	}
	return wire.Decode(line, new(wire.Terms))
}

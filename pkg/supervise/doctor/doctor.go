// Package doctor looks at each part that a take needs and says what is wrong
// with it and what to do about it. It asks the programs of the pipeline, as a
// person would, and reads their records. What it says holds no text, title,
// address, path of the user's, id or key, so that it can be shown to anybody.
package doctor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"voice-input/pkg/cli"
	"voice-input/pkg/config"
	"voice-input/pkg/internal/apikey"
	"voice-input/pkg/internal/child"
	"voice-input/pkg/internal/proc"
	"voice-input/pkg/internal/xdg"
	"voice-input/pkg/wire"
)

// Bounds of a look.
const (
	// partTime bounds one part; an engine that loads a model to see whether it
	// works may take seconds.
	partTime = 15 * time.Second
	// maxOutput bounds what a program prints.
	maxOutput = 1 << 20
)

// clinic is what the looks have in common.
type clinic struct {
	dir       string // of the programs
	runtime   string // directory
	config    string // --config, "" for the user's own
	cfg       config.Config
	configErr error
	getenv    func(string) string
	proc      proc.FS
	look      wire.Focus // what has the focus
	lookErr   error
}

// part is a look at one part.
type part struct {
	name string
	look func(context.Context, *clinic) []wire.Check
}

// parts are the looks in the order in which they are told.
var parts = []part{
	{"programs", programs}, {"configuration", configuration}, {"runtime directory", runtimeDir}, {"daemon", daemon}, {"service", unit},
	{"sound", sound}, {"desktop", desktop}, {"kitty", kitty}, {"agents", codingAgents},
	{"recogniser", recogniser}, {"model", model}, {"delivery", delivery},
}

// Command is "voice-input doctor".
func Command() *cli.Command {
	return &cli.Command{
		Name: "doctor", Usage: "look at each part and say what is wrong with it, and what to do",
		Words:   map[string][]string{"format": {"text", "json"}},
		Flags:   []cli.Flag{&cli.StringFlag{Name: "format", Value: "text", Usage: "write as `FORMAT`: text, json"}},
		Environ: []string{"XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "CODEX_HOME", "WAYLAND_DISPLAY", "DISPLAY", "PATH"},
		Run:     run,
	}
}

func run(ctx context.Context, o *cli.IO, c *cli.Call) error {
	format := c.String("format")
	if format != "text" && format != "json" {
		return cli.ErrUsage("no format %q", format).WithHint("one of text, json")
	}
	self, err := os.Executable()
	if err != nil {
		return cli.Errorf(cli.StatusOSFile, "cannot find this program: %w", err)
	}
	d := &clinic{dir: filepath.Dir(self), runtime: xdg.RuntimeDir(o.Getenv), config: c.String("config"), getenv: o.Getenv, proc: proc.Root}
	if d.cfg, d.configErr = config.Load(d.config, o.Getenv); d.configErr != nil {
		d.cfg = config.Default()
	}
	focus, cancel := context.WithTimeout(ctx, partTime)
	defer cancel()
	lines, err := d.ask(focus, "vi-focus")
	if d.lookErr = err; len(lines) > 0 {
		d.lookErr = wire.Decode(lines[0], &d.look)
	}
	bad := false
	for _, checks := range d.all(ctx) {
		for _, check := range checks {
			bad = bad || check.State == wire.CheckFailed
			if err := show(o, format, &check); err != nil {
				return err
			}
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if bad {
		return cli.ErrNothing
	}
	return nil
}

// all looks at the parts, two at a time, and keeps their order.
func (d *clinic) all(ctx context.Context) [][]wire.Check {
	results := make([][]wire.Check, len(parts))
	places := make(chan struct{}, 2)
	var wg sync.WaitGroup
	for i, p := range parts {
		places <- struct{}{}
		wg.Go(func() {
			defer func() { <-places }()
			ctx, cancel := context.WithTimeout(ctx, partTime)
			defer cancel()
			results[i] = p.look(ctx, d)
			for j := range results[i] {
				results[i][j].Part = p.name
			}
		})
	}
	wg.Wait()
	return results
}

func show(o *cli.IO, format string, c *wire.Check) error {
	if format == "json" {
		return o.Emit(c)
	}
	line := fmt.Sprintf("%-8s %s: %s\n", c.State, c.Part, c.Detail)
	if c.Fix != "" {
		line += fmt.Sprintf("%-8s %s\n", "", c.Fix)
	}
	if _, err := fmt.Fprint(o.Stdout, line); err != nil {
		return cli.Errorf(cli.StatusIO, "cannot write to standard output: %w", err)
	}
	return nil
}

// ask runs a program of ours and returns the lines that it prints. A program
// that ends with status 1 has answered.
func (d *clinic) ask(ctx context.Context, program string, args ...string) ([][]byte, error) {
	argv := append([]string{filepath.Join(d.dir, program)}, args...)
	if d.config != "" {
		argv = append(argv, "--config", d.config)
	}
	env := apikey.Scrub(os.Environ())
	if program == "vi-asr" || program == "vi-refine" {
		env = nil
	}
	out := &child.Output{Max: maxOutput}
	err := child.Run(ctx, child.Spec{Argv: argv, Env: env, Stdout: out})
	var exit *child.ExitError
	if errors.As(err, &exit) && exit.Code() == int(cli.StatusNothing) {
		err = nil
	}
	var lines [][]byte
	for line := range bytes.Lines(out.Bytes()) {
		lines = append(lines, bytes.TrimSpace(line))
	}
	return lines, err
}

func one(state, detail, fix string) []wire.Check {
	return []wire.Check{{State: state, Detail: detail, Fix: fix}}
}

func ok(detail string) []wire.Check { return one(wire.CheckOK, detail, "") }

package asr

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"voice-input/pkg/asr/engine"
	"voice-input/pkg/asr/program"
	"voice-input/pkg/cli"
	"voice-input/pkg/wire"
)

// local is the name that stands for the best engine program of this machine.
const local = "local"

// preferred is the order in which local takes them: by how well they do.
var preferred = []string{"whisper", "pocketsphinx"}

// choice is which engine to use.
type choice struct {
	name  string
	model string // "" is the engine's default
}

// openEngine returns the engine of a name. Engines that are no programs have
// their names here; every other name is a program's.
func openEngine(ctx context.Context, o *cli.IO, c choice) (engine.Engine, error) {
	finder := finderFor(o)
	if strings.Contains(c.model, "/") {
		// Programs run in another directory.
		path, err := filepath.Abs(c.model)
		if err != nil {
			return nil, err
		}
		c.model = path
	}
	var path string
	var err error
	switch c.name {
	case local:
		c.name, path, err = bestLocal(ctx, o, finder, c.model)
	default:
		path, err = finder.Find(c.name)
	}
	var missing *program.NotFoundError
	switch {
	case errors.As(err, &missing):
		return nil, cli.Errorf(cli.StatusUnavailable, "%w", err).WithHint("looked for %s", strings.Join(missing.Looked, ", "))
	case errors.Is(err, program.ErrName):
		return nil, cli.ErrUsage("no engine can be called %q: %v", c.name, err)
	case err != nil:
		return nil, err
	}
	o.Explain("engine %q is %q", c.name, path)
	e, err := program.New(ctx, filepath.Base(c.name), path, c.model, o.Getenv)
	if err != nil {
		return nil, &cli.Error{Status: cli.StatusCantCreate, Err: err}
	}
	return e, nil
}

func finderFor(o *cli.IO) program.Finder {
	self, err := os.Executable()
	if err == nil {
		self, err = filepath.EvalSymlinks(self)
	}
	if err != nil {
		self = ""
	}
	return program.Finder{Executable: self, Getenv: o.Getenv}
}

// bestLocal returns the first of the preferred engines that is there and says
// that it can work.
func bestLocal(ctx context.Context, o *cli.IO, finder program.Finder, model string) (name, path string, err error) {
	var why []string
	for _, name := range preferred {
		path, err := finder.Find(name)
		if err == nil {
			err = program.Check(ctx, path, model)
		}
		if ctx.Err() != nil {
			return "", "", ctx.Err()
		}
		if err == nil {
			o.Explain("local engine is %q, the first of %s that works here", name, strings.Join(preferred, ", "))
			return name, path, nil
		}
		o.Explain("local engine is not %q: %v", name, err)
		why = append(why, fmt.Sprintf("%s: %v", name, err))
	}
	return "", "", cli.Errorf(cli.StatusUnavailable, "no local engine works here: %s", strings.Join(why, "; ")).
		WithHint("install whisper.cpp with a model, or pocketsphinx with its en-us model; or name an engine with --engine")
}

// enginesCommand is "vi-asr engines".
func enginesCommand() *cli.Command {
	return &cli.Command{
		Name:  "engines",
		Usage: "list the engine programs of this machine, one vi.engine/1 record each",
		Flags: []cli.Flag{modelFlag()},
		Run: func(ctx context.Context, o *cli.IO, c *cli.Call) error {
			available := false
			for _, found := range finderFor(o).List() {
				r := &wire.Engine{Name: found.Name, Path: found.Path, Available: true}
				if err := program.Check(ctx, found.Path, c.String("model")); err != nil {
					r.Reason, r.Available, r.Detail = "unavailable", false, err.Error()
				}
				if ctx.Err() != nil {
					return ctx.Err()
				}
				available = available || r.Available
				if err := o.Emit(r); err != nil {
					return err
				}
			}
			if !available {
				return cli.ErrNothing
			}
			return nil
		},
	}
}

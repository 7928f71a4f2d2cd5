package asr

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"voice-input/pkg/asr/chain"
	"voice-input/pkg/asr/engine"
	"voice-input/pkg/asr/program"
	"voice-input/pkg/cli"
	"voice-input/pkg/config"
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

// openEngine returns the engine that is asked first, and behind it those that
// are asked if it fails. Services have a section in the configuration or the
// name of a protocol; every other name is that of a program. A service without
// a key is no error here: there may be one for the next take, or another
// engine.
func openEngine(ctx context.Context, o *cli.IO, cfg config.ASR, first choice, fallback []string) (engine.Engine, error) {
	// A service has the model of its own section; [asr].model is that of a
	// program, wherever it stands.
	program := func(c choice) choice {
		c.model = cmp.Or(c.model, cfg.Model)
		return c
	}
	choices := []choice{first}
	for _, name := range fallback {
		choices = append(choices, choice{name: name})
	}
	var links []chain.Link
	anyService := false
	for _, c := range choices {
		s, isService, err := serviceOf(cfg, c.name)
		if err != nil {
			return nil, err
		}
		open := func(ctx context.Context) (engine.Engine, error) { return openProgram(ctx, o, program(c)) }
		if isService {
			anyService = true
			open = func(ctx context.Context) (engine.Engine, error) { return s.open(ctx, o, c.model) }
		}
		links = append(links, chain.Link{Name: c.name, Open: open})
	}
	if len(links) == 1 && !anyService {
		return openProgram(ctx, o, program(first))
	}
	return chain.New(ctx, links), nil
}

// openProgram starts the engine program of a name.
func openProgram(ctx context.Context, o *cli.IO, c choice) (engine.Engine, error) {
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
		Usage: "list the engine programs of this machine and the services, one vi.engine/1 record each",
		Flags: []cli.Flag{modelFlag()},
		Run: func(ctx context.Context, o *cli.IO, c *cli.Call) error {
			cfg, err := config.Load(c.String("config"), o.Getenv)
			if err != nil {
				return err
			}
			available := false
			tell := func(r *wire.Engine, err error) error {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				if r.Available = err == nil; err != nil {
					r.Reason, r.Detail = "unavailable", err.Error()
				}
				available = available || r.Available
				return o.Emit(r)
			}
			for _, found := range finderFor(o).List() {
				err := program.Check(ctx, found.Path, c.String("model"))
				if err := tell(&wire.Engine{Name: found.Name, Kind: wire.EngineProgram, Path: found.Path}, err); err != nil {
					return err
				}
			}
			for _, name := range services(cfg.ASR) {
				s, _, err := serviceOf(cfg.ASR, name)
				if err == nil {
					err = s.check(ctx, o.Getenv)
				}
				if err := tell(&wire.Engine{Name: name, Kind: wire.EngineService, Protocol: s.Protocol}, err); err != nil {
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

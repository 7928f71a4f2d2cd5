package program

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"voice-input/pkg/internal/apikey"
	"voice-input/pkg/internal/child"
)

// prefix begins the names of engine programs in directories that hold other
// programs too.
const prefix = "vi-engine-"

// Finder knows where engine programs are looked for.
type Finder struct {
	Executable string // path of vi-asr itself
	Getenv     func(string) string
}

// place is a directory, and what an engine's file name begins with there.
type place struct{ dir, prefix string }

func (f Finder) places() []place {
	var out []place
	for _, dir := range filepath.SplitList(f.Getenv("VI_ENGINES")) {
		if filepath.IsAbs(dir) {
			out = append(out, place{dir: dir})
		}
	}
	if f.Executable != "" {
		dir := filepath.Dir(f.Executable)
		out = append(out,
			place{dir: filepath.Join(dir, "../share/voice-input/engines")},
			place{dir: filepath.Join(dir, "../share/engines")},
			place{dir, prefix})
	}
	for _, dir := range filepath.SplitList(f.Getenv("PATH")) {
		if filepath.IsAbs(dir) {
			out = append(out, place{dir, prefix})
		}
	}
	return out
}

// NotFoundError says that no engine program of a name is there.
type NotFoundError struct {
	Name   string
	Looked []string // the paths that were tried
}

func (e *NotFoundError) Error() string { return fmt.Sprintf("no engine %q", e.Name) }

// ErrName is returned for a name that no engine can have.
var ErrName = errors.New("an engine's name has letters, digits, '.', '_' and '-' only")

// Find returns the absolute path of an engine program. A name with a slash is
// a path. The error is a *NotFoundError or ErrName.
func (f Finder) Find(name string) (string, error) {
	if strings.Contains(name, "/") {
		path, err := filepath.Abs(name)
		if err != nil || !executable(path) {
			return "", &NotFoundError{Name: name, Looked: []string{name}}
		}
		return path, nil
	}
	if !validName(name) {
		return "", ErrName
	}
	missing := &NotFoundError{Name: name}
	for _, p := range f.places() {
		path := filepath.Join(p.dir, p.prefix+name)
		if executable(path) {
			return path, nil
		}
		missing.Looked = append(missing.Looked, path)
	}
	return "", missing
}

func validName(name string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	return name != "" && len(name) <= 64 && strings.Trim(name, letters+"._-") == "" && strings.ContainsAny(name[:1], letters)
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}

// Found is an engine program on this machine.
type Found struct{ Name, Path string }

// List returns the engines that Find finds by name, sorted.
func (f Finder) List() []Found {
	var out []Found
	for _, p := range f.places() {
		entries, err := os.ReadDir(p.dir)
		if err != nil {
			continue
		}
		for _, e := range entries {
			name, ok := strings.CutPrefix(e.Name(), p.prefix)
			path := filepath.Join(p.dir, e.Name())
			seen := slices.ContainsFunc(out, func(f Found) bool { return f.Name == name })
			if ok && !seen && validName(name) && executable(path) {
				out = append(out, Found{name, path})
			}
		}
	}
	slices.SortFunc(out, func(a, b Found) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// Check asks an engine program whether it can work here, without loading its
// model. The error says why not, in the program's own words if it has any.
func Check(ctx context.Context, path, model string) error {
	ctx, cancel := context.WithTimeout(ctx, defaults.check)
	defer cancel()
	var said child.FirstLine
	err := child.Run(ctx, child.Spec{Argv: argv(path, model, "--check"), Env: environ(), Stderr: &said})
	var exit *child.ExitError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("no answer to --check within %s", defaults.check)
	case errors.As(err, &exit) && said.String() != "":
		return errors.New(printable(said.String()))
	case errors.As(err, &exit):
		return fmt.Errorf("its --check failed: %s", exit.State)
	default:
		return err
	}
}

func argv(path, model string, flags ...string) []string {
	out := append([]string{path}, flags...)
	if model != "" {
		out = append(out, "--model", model)
	}
	return out
}

// environ is the environment of engine programs. None of them needs a key.
func environ() []string { return apikey.Scrub(os.Environ()) }

// printable makes what a program wrote safe for a terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return ' '
		}
		return r
	}, s)
}

package models

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"text/tabwriter"
	"time"

	"voice-input/pkg/cli"
	"voice-input/pkg/internal/xdg"
)

// Command returns "model", whose sub-commands list, fetch and find the models
// of local recognisers. Their standard output is for people and for $(…): a
// table, or one path.
func Command() *cli.Command {
	environ := []string{"XDG_DATA_HOME", "HOME", "VI_SHARE", "HTTPS_PROXY", "NO_PROXY"}
	return &cli.Command{
		Name: "model", Usage: "list, fetch and find the models of local recognisers",
		Environ: environ,
		Commands: []*cli.Command{{
			Name: "list", Usage: "show what is installed and what can be fetched",
			Environ: environ, Run: list,
		}, {
			Name: "get", Usage: "fetch a model, check it and print its path", Operands: "NAME",
			MinOperands: 1, MaxOperands: 1, Environ: environ, Run: get,
			Flags: []cli.Flag{&cli.StringFlag{Name: "from", Usage: "take the files from `DIR|FILE` instead of the network"}},
		}, {
			Name: "path", Usage: "print the path of an installed model", Operands: "NAME",
			MinOperands: 1, MaxOperands: 1, Environ: environ, Run: path,
		}},
	}
}

// open reads the manifest and finds the store.
func open(o *cli.IO) (*Manifest, Store, error) {
	store := Store{Dir: filepath.Join(xdg.DataDir(o.Getenv), "models")}
	program, err := os.Executable()
	if err != nil {
		return nil, store, cli.Errorf(cli.StatusOSFile, "cannot find the program's own file: %w", err)
	}
	path, err := ManifestPath(o.Getenv("VI_SHARE"), program)
	if err != nil {
		return nil, store, cli.Errorf(cli.StatusOSFile, "%w", err).WithHint("set VI_SHARE to the directory that holds it")
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, store, cli.Errorf(cli.StatusOSFile, "cannot read the list of models: %w", err)
	}
	m, err := Parse(data)
	if err != nil {
		return nil, store, cli.Errorf(cli.StatusOSFile, "cannot read the list of models %q: %w", path, err)
	}
	return m, store, nil
}

// named returns the model that the operand names.
func named(o *cli.IO, c *cli.Call) (*Model, Store, error) {
	manifest, store, err := open(o)
	if err != nil {
		return nil, store, err
	}
	name := c.Args()[0]
	m := manifest.Find(name)
	if m == nil {
		return nil, store, cli.Errorf(cli.StatusNoInput, "no such model %q", name).WithHint("see: voice-input model list")
	}
	return m, store, nil
}

func list(_ context.Context, o *cli.IO, _ *cli.Call) error {
	manifest, store, err := open(o)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(o.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tHERE\tMB\tENGINE\tLANGUAGES\tLICENCE\tABOUT")
	for _, m := range manifest.Models {
		here := "no"
		if store.Has(&m) {
			here = "yes"
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\t%s\t%s\n", m.Name, here, m.Size()/1e6, m.Engine, m.Languages, m.Licence, m.Summary)
	}
	if err := w.Flush(); err != nil {
		return cli.Errorf(cli.StatusIO, "cannot write to standard output: %w", err)
	}
	return nil
}

func path(_ context.Context, o *cli.IO, c *cli.Call) error {
	m, store, err := named(o, c)
	if err != nil {
		return err
	}
	if !store.Has(m) {
		return cli.Errorf(cli.StatusNoInput, "model %q is not installed", m.Name).WithHint("fetch it with: voice-input model get %s", m.Name)
	}
	return printPath(o, store, m)
}

func printPath(o *cli.IO, store Store, m *Model) error {
	if _, err := fmt.Fprintln(o.Stdout, store.Path(m.Name)); err != nil {
		return cli.Errorf(cli.StatusIO, "cannot write to standard output: %w", err)
	}
	return nil
}

func get(ctx context.Context, o *cli.IO, c *cli.Call) error {
	m, store, err := named(o, c)
	if err != nil {
		return err
	}
	if store.Has(m) {
		err := store.Verify(ctx, m)
		if err == nil {
			return printPath(o, store, m)
		}
		if !errors.Is(err, errMismatch) {
			return cli.Errorf(cli.StatusIO, "cannot check model %q: %w", m.Name, err)
		}
		o.Warn("model %q is damaged and is fetched again", m.Name)
	}
	p := &progress{w: o.Stderr, terminal: cli.IsTerminal(o.Stderr), total: m.Size(), name: m.Name}
	src := fromDisk(c.String("from"))
	if !c.IsSet("from") {
		fetcher := NewFetcher(nil)
		fetcher.Progress = p.file
		src = fetcher.Fetch
		p.line("fetching %s, %d MB, licence %s, to %s", m.Name, m.Size()/1e6, m.Licence, store.Path(m.Name))
	}
	err = store.Install(ctx, m, src)
	p.end()
	if err != nil {
		return err
	}
	return printPath(o, store, m)
}

// sparse is how often a line is written where no person watches.
const sparse = 10 * time.Second

// progress shows how far a download is: one line that changes on a terminal,
// else a new line every ten seconds.
type progress struct {
	w        io.Writer
	terminal bool
	name     string
	total    int64 // bytes of all files

	current string // name of the file that is being fetched
	have    int64  // bytes of it
	done    int64  // bytes of the files before it
	shown   time.Time
}

func (p *progress) line(format string, args ...any) {
	fmt.Fprintf(p.w, "voice-input: "+format+"\n", args...)
	p.shown = time.Now()
}

func (p *progress) file(f File, have int64) {
	if f.Name != p.current {
		p.done, p.current = p.done+p.have, f.Name
	}
	p.have = have
	since, sum := time.Since(p.shown), p.done+p.have
	switch {
	case p.terminal && since > 200*time.Millisecond:
		fmt.Fprintf(p.w, "\r\033[Kvoice-input: %s %d of %d MB, %d %%", p.name, sum/1e6, p.total/1e6, 100*sum/p.total)
		p.shown = time.Now()
	case !p.terminal && since > sparse:
		p.line("%s %d of %d MB", p.name, sum/1e6, p.total/1e6)
	}
}

// end takes the changing line away.
func (p *progress) end() {
	if p.terminal && p.current != "" {
		fmt.Fprint(p.w, "\r\033[K")
	}
}

package terms

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"voice-input/pkg/cli"
	"voice-input/pkg/config"
	"voice-input/pkg/internal/xdg"
	"voice-input/pkg/vocabulary"
	"voice-input/pkg/wire"
)

// Command is vi-terms.
func Command() *cli.Command {
	return &cli.Command{
		Name:  "vi-terms",
		Usage: "take the terms out of an agent's answer",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "text", Usage: "read plain text instead of records"},
			maxFlag(), dirFlag(), projectFlag(),
		},
		Environ:  environ,
		Commands: []*cli.Command{redactCommand(), rankCommand(), viewCommand(), normalizeCommand(), vocabularyCommand()},
		Run:      run,
	}
}

var environ = []string{"HOME", "XDG_CONFIG_HOME", "VI_SHARE"}

func maxFlag() cli.Flag {
	return &cli.IntFlag{Name: "max-chars", Value: DefaultSource, Usage: "look at `N` characters of the text, from 500 to 12000"}
}

func dirFlag() cli.Flag {
	return &cli.StringFlag{Name: "dict-dir", Usage: "take the dictionaries of Chinese from `DIR`"}
}

func projectFlag() cli.Flag {
	return &cli.StringFlag{Name: "project", Usage: "use the vocabulary of the project that `DIR` is in as well"}
}

// filter is a running vi-terms.
type filter struct {
	io         *cli.IO
	max        int
	dictionary *Dictionary
	lists      lists
	ofSession  bool // the project is that of each session
	reported   bool // that the dictionary cannot be used
}

func newFilter(o *cli.IO, c *cli.Call) (*filter, error) {
	cfg, err := config.Load(c.String("config"), o.Getenv)
	if err != nil {
		return nil, err
	}
	max := cfg.LLM.AgentContextMaxChars
	if c.IsSet("max-chars") {
		max = cli.Value[int](c, "max-chars")
	}
	if max < MinSource || max > MaxSource {
		return nil, cli.ErrUsage("--max-chars needs a number from %d to %d", MinSource, MaxSource)
	}
	program, err := os.Executable()
	if err != nil {
		program = o.Args[0]
	}
	dirs := DictionaryDirs(c.String("dict-dir"), o.Getenv("VI_SHARE"), program)
	return &filter{io: o, max: max, dictionary: NewDictionary(dirs), lists: newLists(o, c.String("project")), ofSession: cfg.Vocabulary.Project && !c.IsSet("project")}, nil
}

func run(ctx context.Context, o *cli.IO, c *cli.Call) error {
	f, err := newFilter(o, c)
	if err != nil {
		return err
	}
	if c.Bool("text") {
		text, err := readText(o)
		if err != nil {
			return err
		}
		return f.answer(ctx, &wire.Session{Header: wire.Header{Reason: wire.OK}, Source: &wire.Source{Text: text}})
	}
	return o.EachRecord(func(line []byte) error {
		var s wire.Session
		if err := wire.Decode(line, &s); err != nil {
			return err
		}
		return f.answer(ctx, &s)
	})
}

// answer writes the record of one session.
func (f *filter) answer(ctx context.Context, s *wire.Session) error {
	if f.ofSession {
		f.lists = f.lists.of(s.Project)
	}
	t, failed := Record(ctx, f.dictionary, s, f.lists.load(), f.max)
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := f.io.Emit(t); err != nil {
		return err
	}
	f.io.Explain("%s; source: %d characters; candidates: %d; chosen: %d; view of asr: %d terms, %d characters; view of refine: %d terms, %d characters; vocabulary: %d words, %d replacements; %d µs",
		t.Reason, t.SourceChars, t.Candidates, len(t.Terms), t.Views.ASR.Count, t.Views.ASR.Chars, len(t.Views.Refine.Terms), t.Views.Refine.Chars,
		len(t.Vocabulary), len(t.Replacements), t.ElapsedUS)
	if err := f.dictionaryError(failed); err != nil {
		return err
	}
	if len(t.Terms) == 0 && len(t.Vocabulary) == 0 && len(t.Replacements) == 0 {
		return cli.ErrNothing
	}
	return nil
}

// dictionaryError returns what is said, once, about a dictionary that cannot
// be used. The record has been written without the words of Chinese.
func (f *filter) dictionaryError(err error) error {
	if err == nil || f.reported {
		return nil
	}
	f.reported = true
	hint := "install voice-input again, or name the directory with --dict-dir; until then there are no Chinese terms"
	if errors.Is(err, fs.ErrNotExist) {
		hint = "name the directory that has it with --dict-dir, or set VI_SHARE; until then there are no Chinese terms"
	}
	return cli.Errorf(cli.StatusOSFile, "%w", err).WithHint("%s", hint)
}

// lists are the user's vocabulary files.
type lists struct {
	io    *cli.IO
	files []*vocabulary.File
}

// newLists returns the user's own file, and that of the project that dir is in
// unless dir is "".
func newLists(o *cli.IO, dir string) lists {
	own := &vocabulary.File{Path: filepath.Join(filepath.Dir(xdg.ConfigFile(o.Getenv)), vocabulary.Name)}
	return lists{io: o, files: []*vocabulary.File{own}}.of(dir)
}

// of returns the lists for another project. What was read of a file stays
// known as long as the project is the same.
func (l lists) of(dir string) lists {
	path := ""
	if dir != "" {
		path = vocabulary.ProjectFile(dir)
	}
	switch {
	case path == "":
		l.files = l.files[:1]
	case len(l.files) == 1 || l.files[1].Path != path:
		l.files = []*vocabulary.File{l.files[0], {Path: path}}
	}
	return l
}

// load returns what the files say now. What is wrong with one is told once and
// costs nothing but the lines that are wrong.
func (l lists) load() vocabulary.List {
	var all vocabulary.List
	for _, f := range l.files {
		list, changed, err := f.Load()
		if err != nil && changed {
			l.io.Warn("%v", err)
		}
		all = all.With(list)
	}
	return all
}

// readText reads plain text from standard input.
func readText(o *cli.IO) (string, error) {
	if cli.IsTerminal(o.Stdin) {
		return "", cli.ErrUsage("standard input is a terminal, text is needed").WithHint("pipe it in, for example from a file: %s < notes.md", o.Args[0])
	}
	b, err := io.ReadAll(io.LimitReader(o.Stdin, wire.MaxLine+1))
	switch {
	case err != nil:
		return "", cli.Errorf(cli.StatusIO, "cannot read standard input: %w", err)
	case len(b) > wire.MaxLine:
		return "", cli.Errorf(cli.StatusData, "standard input is longer than 16 MiB")
	}
	return string(b), nil
}

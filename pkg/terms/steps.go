package terms

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"voice-input/pkg/cli"
	"voice-input/pkg/normalize"
	"voice-input/pkg/redact"
	"voice-input/pkg/vocabulary"
	"voice-input/pkg/wire"
)

// The sub-commands run single steps by hand: text comes in, text goes out.

func redactCommand() *cli.Command {
	return &cli.Command{
		Name: "redact", Usage: "write the text without its secrets",
		Run: func(_ context.Context, o *cli.IO, _ *cli.Call) error {
			text, err := readText(o)
			if err != nil {
				return err
			}
			r := redact.Text(text)
			o.Explain("redacted: %d", r.Count)
			return write(o, r.Text)
		},
	}
}

func rankCommand() *cli.Command {
	return &cli.Command{
		Name: "rank", Usage: "write the terms of a text, rare ones first, one a line",
		Flags:   []cli.Flag{&cli.BoolFlag{Name: "counts", Usage: "write before each how often it stands in the text"}, maxFlag(), dirFlag()},
		Environ: environ,
		Run: func(ctx context.Context, o *cli.IO, c *cli.Call) error {
			f, err := newFilter(o, c)
			if err != nil {
				return err
			}
			text, err := readText(o)
			if err != nil {
				return err
			}
			snapshot, failed := Rank(ctx, f.dictionary, text, f.max)
			if err := ctx.Err(); err != nil {
				return err
			}
			var b strings.Builder
			for _, t := range snapshot.Terms {
				if c.Bool("counts") {
					fmt.Fprintf(&b, "%d\t", t.Count)
				}
				b.WriteString(t.Text + "\n")
			}
			o.Explain("source: %d characters; redacted: %d; candidates: %d; chosen: %d", snapshot.SourceChars, snapshot.Redacted, snapshot.Candidates, len(snapshot.Terms))
			if err := write(o, b.String()); err != nil {
				return err
			}
			if err := f.dictionaryError(failed); err != nil {
				return err
			}
			return nothingIf(len(snapshot.Terms) == 0)
		},
	}
}

func viewCommand() *cli.Command {
	return &cli.Command{
		Name: "view", Usage: "choose of terms, one a line, those that a program is shown",
		Operands: "asr|refine", MinOperands: 1, MaxOperands: 1,
		Words: map[string][]string{"": {"asr", "refine"}},
		Run: func(_ context.Context, o *cli.IO, c *cli.Call) error {
			name := c.Args()[0]
			if name != "asr" && name != "refine" {
				return cli.ErrUsage("no view %q", name).WithHint("one of asr, refine")
			}
			text, err := readText(o)
			if err != nil {
				return err
			}
			var terms []string
			for line := range strings.Lines(text) {
				terms = append(terms, strings.TrimSpace(line))
			}
			asr, refine := ASRView(terms), RefineView(terms)
			chosen, chars := asr.Text, asr.Chars
			if name == "refine" {
				chosen, chars = strings.Join(refine.Terms, "\n"), refine.Chars
			}
			o.Explain("view of %s: %d characters", name, chars)
			if chosen == "" {
				return cli.ErrNothing
			}
			return write(o, chosen+"\n")
		},
	}
}

func normalizeCommand() *cli.Command {
	return &cli.Command{
		Name: "normalize", Usage: "write the text with the terms in their written form",
		Flags: []cli.Flag{&cli.StringFlag{Name: "terms", Usage: "take the terms from `FILE`, a vi.terms/1 record"}},
		Run: func(_ context.Context, o *cli.IO, c *cli.Call) error {
			path := c.String("terms")
			if path == "" {
				return cli.ErrUsage("normalize needs --terms").WithHint("vi-terms --text < notes.md > terms.json makes the file")
			}
			t, err := readRecord(path)
			if err != nil {
				return err
			}
			text, err := readText(o)
			if err != nil {
				return err
			}
			out := normalize.FromRecord(t).Apply(text)
			o.Explain("changed: %t", out != text)
			return write(o, out)
		},
	}
}

// readRecord reads the vi.terms/1 record of a file.
func readRecord(path string) (*wire.Terms, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, cli.Errorf(cli.StatusNoInput, "cannot read terms: %w", err)
	}
	defer f.Close()
	line, err := wire.NewReader(f).Next()
	if errors.Is(err, io.EOF) {
		return nil, cli.Errorf(cli.StatusData, "cannot read terms: %q holds no record", path)
	}
	if err != nil {
		return nil, cli.Errorf(cli.StatusData, "cannot read terms: %w", err)
	}
	var t wire.Terms
	return &t, wire.Decode(line, &t)
}

func vocabularyCommand() *cli.Command {
	return &cli.Command{
		Name: "vocabulary", Usage: "check your own lists and write them as they are in force",
		Flags:   []cli.Flag{projectFlag()},
		Environ: environ,
		Run: func(_ context.Context, o *cli.IO, c *cli.Call) error {
			var all vocabulary.List
			var wrong []string
			for _, f := range newLists(o, c.String("project")).files {
				list, _, err := f.Load()
				if err != nil {
					wrong = append(wrong, err.Error())
				}
				o.Explain("%s: %d words, %d replacements", f.Path, len(list.Words), len(list.Replacements))
				all = all.With(list)
			}
			if err := show(o, all); err != nil {
				return err
			}
			if len(wrong) > 0 {
				return cli.Errorf(cli.StatusConfig, "%s", strings.Join(wrong, "\n"))
			}
			return nothingIf(all.Empty())
		},
	}
}

// show writes a list as a file of the same meaning.
func show(o *cli.IO, l vocabulary.List) error {
	if l.Empty() {
		return nil
	}
	type word struct {
		Text   string  `toml:"text"`
		Weight float64 `toml:"weight,omitempty"`
	}
	type replacement struct {
		From string `toml:"from"`
		To   string `toml:"to"`
	}
	out := struct {
		Words        []word        `toml:"words,inline,multiline,omitempty"`
		Replacements []replacement `toml:"replacements,omitempty"`
	}{}
	for _, w := range l.Words {
		out.Words = append(out.Words, word(w))
	}
	for _, r := range l.Replacements {
		out.Replacements = append(out.Replacements, replacement(r))
	}
	b, err := toml.Marshal(out)
	if err != nil {
		return cli.Errorf(cli.StatusSoftware, "cannot write the list: %w", err)
	}
	return write(o, string(b))
}

func nothingIf(empty bool) error {
	if empty {
		return cli.ErrNothing
	}
	return nil
}

func write(o *cli.IO, text string) error {
	if _, err := io.WriteString(o.Stdout, text); err != nil {
		return cli.Errorf(cli.StatusIO, "cannot write to standard output: %w", err)
	}
	return nil
}

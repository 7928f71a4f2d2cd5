package refine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"voice-input/pkg/cli"
	"voice-input/pkg/config"
	"voice-input/pkg/internal/address"
	"voice-input/pkg/refine/prompt"
)

// Bounds of --timeout, as those of [llm].timeout_ms.
const (
	minTimeout = time.Second
	maxTimeout = 30 * time.Second
)

// leastLimit stands for a max_change of 0, which would be none to package
// review: less than any change of a transcript that may be sent.
const leastLimit = 1e-6

// engines are those that --engine knows.
var engines = []string{"none", "openai"}

// Command is vi-refine.
func Command() *cli.Command {
	environ := []string{"CREDENTIALS_DIRECTORY", "HTTPS_PROXY", "NO_PROXY", "XDG_CONFIG_HOME", ownKey}
	for _, p := range providerKeys {
		environ = append(environ, p.variable)
	}
	return &cli.Command{
		Name:  "vi-refine",
		Usage: "turn a transcript into the text to deliver",
		Words: map[string][]string{"engine": engines, "style": prompt.Styles},
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "engine", Usage: "`NAME` of what refines: none or openai; that of the configuration without it"},
			&cli.StringFlag{Name: "style", Value: "formal", Usage: "write in `STYLE`: " + strings.Join(prompt.Styles, ", ")},
			&cli.StringFlag{Name: "terms", Usage: "take the context from `FILE`, a vi.terms/1 record"},
			&cli.StringFlag{Name: "url", Usage: "base `ADDRESS` of the service, instead of that of the configuration"},
			&cli.StringFlag{Name: "model", Usage: "`NAME` of the model, instead of that of the configuration"},
			&cli.DurationFlag{Name: "timeout", Usage: "keep the transcript if refining takes longer than `TIME`, such as 15s"},
		},
		Environ: environ,
		Run:     run,
	}
}

func run(ctx context.Context, o *cli.IO, c *cli.Call) error {
	cfg, err := config.Load(c.String("config"), o.Getenv)
	if err != nil {
		return err
	}
	e, err := newEditor(ctx, o, c, cfg.LLM)
	if err != nil {
		return err
	}
	// Nothing but the end of the program interrupts a read of standard input.
	ended := make(chan error, 1)
	go func() { ended <- e.each(ctx, o) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// each edits every transcript of standard input.
func (e *editor) each(ctx context.Context, o *cli.IO) error {
	ended := false
	err := o.EachRecord(func(line []byte) error {
		text, final, err := Transcript(line)
		if err != nil || !final {
			return err
		}
		ended = true
		r, why := e.edit(ctx, text)
		if r == nil {
			return why
		}
		if why != nil {
			warn(o, why)
		}
		if err := o.Emit(r); err != nil {
			return err
		}
		if r.Text == "" {
			o.Explain("the recognition ended without text")
			return cli.ErrNothing
		}
		return nil
	})
	if err == nil && !ended {
		return cli.Errorf(cli.StatusData, "standard input holds no final event").WithHint("the recogniser ended early; look at its own message")
	}
	return err
}

// warn says why the model's text is not used, and what the user can do.
func warn(o *cli.IO, why error) {
	text := fmt.Sprintf("the transcript is kept: %v", why)
	var s *setback
	var withHint *cli.Error
	if errors.As(why, &s) && errors.As(s.err, &withHint) && withHint.Hint != "" {
		text += "; " + withHint.Hint
	}
	o.Warn("%s", text)
}

// newEditor puts together what the flags and the configuration say.
func newEditor(ctx context.Context, o *cli.IO, c *cli.Call, cfg config.LLM) (*editor, error) {
	engine := "none"
	if cfg.Enabled {
		engine = "openai"
	}
	engine = c.StringOr("engine", engine)
	if !slices.Contains(engines, engine) {
		return nil, cli.ErrUsage("no engine %q", engine).WithHint("one of %s", strings.Join(engines, ", "))
	}
	style := c.String("style")
	if !slices.Contains(prompt.Styles, style) {
		return nil, cli.ErrUsage("no style %q", style).WithHint("one of %s", strings.Join(prompt.Styles, ", "))
	}
	timeout := time.Duration(cfg.TimeoutMS) * time.Millisecond
	if c.IsSet("timeout") {
		timeout = cli.Value[time.Duration](c, "timeout")
	}
	if timeout < minTimeout || timeout > maxTimeout {
		return nil, cli.ErrUsage("--timeout: %s is not in %s to %s", timeout, minTimeout, maxTimeout)
	}
	terms := c.String("terms")
	if terms != "" {
		if _, err := os.Stat(terms); err != nil {
			return nil, cli.Errorf(cli.StatusNoInput, "cannot read terms: %w", err)
		}
	}
	e := &editor{style: style, timeout: timeout, minChars: cfg.MinChars, terms: later(ctx, terms, o.Warn), explain: o.Explain}
	if engine == "none" {
		return e, nil
	}
	cfg.URL, cfg.Model = c.StringOr("url", cfg.URL), c.StringOr("model", cfg.Model)
	base, err := address.Parse(cfg.URL)
	if err != nil {
		return nil, cli.ErrUsage("the address of the service %v", err)
	}
	if base.Scheme != "http" && base.Scheme != "https" {
		return nil, cli.ErrUsage("the address of the service is %s, not https", base.Scheme)
	}
	if e.limit, err = strconv.ParseFloat(cfg.MaxChange, 64); err != nil {
		return nil, cli.Errorf(cli.StatusConfig, "[llm].max_change is no number")
	}
	e.limit = max(e.limit, leastLimit)
	if e.wishes, err = readWishes(cfg.PromptFile); err != nil {
		return nil, cli.Errorf(cli.StatusConfig, "cannot read [llm].prompt_file: %w", err)
	}
	e.model = openAI(base, cfg, o.Getenv)
	return e, nil
}

// readWishes reads the user's additions to the instructions.
func readWishes(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, prompt.MaxWishes+1))
	switch {
	case err != nil:
		return "", err
	case len(b) > prompt.MaxWishes:
		return "", fmt.Errorf("%q is larger than %d KiB", path, prompt.MaxWishes>>10)
	}
	return strings.ToValidUTF8(string(b), "\ufffd"), nil
}

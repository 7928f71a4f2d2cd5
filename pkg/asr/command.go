package asr

import (
	"context"
	"errors"
	"io"
	"os"
	"regexp"
	"slices"
	"sync"

	"voice-input/pkg/asr/audio"
	"voice-input/pkg/asr/engine"
	"voice-input/pkg/cli"
	"voice-input/pkg/config"
	"voice-input/pkg/wire"
)

// Command returns vi-asr.
func Command() *cli.Command {
	return &cli.Command{
		Name:  "vi-asr",
		Usage: "recognise the speech on standard input, a WAV file or bare samples",
		Words: map[string][]string{
			"engine": slices.Concat([]string{local}, preferred, protocols),
			"pace":   {"fast", "realtime"}, "format": {"auto", "wav", "s16le"},
		},
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "engine", Value: local, Usage: "`NAME` of a service or an engine program, path of a program, or local: the best program that works here"},
			modelFlag(),
			&cli.StringFlag{Name: "language", Usage: "language that is spoken, as a BCP 47 `TAG`; the engine decides without it"},
			&cli.StringFlag{Name: "terms", Usage: "take hints and spellings from the vi.terms/1 record in `FILE`"},
			&cli.StringFlag{Name: "file", Usage: "recognise the audio in `FILE` instead of standard input"},
			&cli.StringFlag{Name: "pace", Value: "fast", Usage: "give the engine the samples at this `PACE`: fast, as they can be read, or realtime, as they were spoken"},
			&cli.StringFlag{Name: "format", Value: "auto", Usage: "`FORM` of the audio: auto, wav or s16le"},
			&cli.IntFlag{Name: "rate", Value: audio.OutRate, Usage: "sample rate of bare samples in `HZ`"},
			&cli.BoolFlag{Name: "takes", Usage: "stay, and recognise one vi.take/1 record a line"},
		},
		Environ: []string{
			"VI_ENGINES", "PATH", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "TMPDIR", "CREDENTIALS_DIRECTORY",
			"DASHSCOPE_API_KEY", "OPENAI_API_KEY", "GROQ_API_KEY", "VOICE_INPUT_ASR_API_KEY", "HTTPS_PROXY", "NO_PROXY",
		},
		Commands: []*cli.Command{enginesCommand()},
		Run:      run,
	}
}

func modelFlag() cli.Flag {
	return &cli.StringFlag{Name: "model", Usage: "`MODEL` of the engine, a name or a path; its own default without it"}
}

// languageTag is the shape of BCP 47; engines know which they support.
var languageTag = regexp.MustCompile(`^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,7}$`)

func checkLanguage(tag string) error {
	if tag != "" && !languageTag.MatchString(tag) {
		return errors.New("language is not a BCP 47 tag such as en or zh-CN")
	}
	return nil
}

func run(ctx context.Context, o *cli.IO, c *cli.Call) error {
	cfg, err := config.Load(c.String("config"), o.Getenv)
	if err != nil {
		return err
	}
	if err := checkFlags(o, c); err != nil {
		return err
	}
	language := c.StringOr("language", cfg.ASR.Language)
	if err := checkLanguage(language); err != nil {
		return cli.ErrUsage("--language: %v", err)
	}
	fallback := cfg.ASR.Fallback
	if c.IsSet("engine") {
		fallback = nil // that one is to be tried
	}
	e, err := openEngine(ctx, o, cfg.ASR, choice{c.StringOr("engine", cfg.ASR.Engine), c.String("model")}, fallback)
	if err != nil {
		return err
	}
	defer e.Close()
	r := newRecognizer(o, e)
	if c.Bool("takes") {
		return until(ctx, func() error { return r.resident(ctx, o, language) })
	}
	return until(ctx, func() error { return r.oneShot(ctx, o, c, language) })
}

// until returns when f does or when ctx ends: f may be stuck in standard input
// or output, which nothing but the end of the program interrupts.
func until(ctx context.Context, f func() error) error {
	ended := make(chan error, 1)
	go func() { ended <- f() }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// oneShot recognises standard input or one file.
func (r *recognizer) oneShot(ctx context.Context, o *cli.IO, c *cli.Call, language string) error {
	return r.do(ctx, take{
		language: language,
		realtime: c.String("pace") == "realtime",
		know:     later(ctx, c.String("terms"), r.warn),
		open: func(ctx context.Context) (*audio.Reader, io.Closer, error) {
			bare := audio.Format{Encoding: audio.S16, Rate: cli.Value[int](c, "rate"), Channels: 1}
			in, file := o.Stdin, io.Closer(nil)
			if path := c.String("file"); path != "" {
				f, err := openInput(ctx, path, audioStall)
				if err != nil {
					return nil, nil, err
				}
				in, file = f, f
			}
			samples, err := openAudio(in, c.String("format"), bare)
			return samples, file, err
		},
	})
}

func checkFlags(o *cli.IO, c *cli.Call) error {
	if c.Bool("takes") {
		for _, name := range []string{"terms", "file", "pace", "format", "rate"} {
			if c.IsSet(name) {
				return cli.ErrUsage("--%s does not go with --takes: each take brings its own", name)
			}
		}
		return nil
	}
	if c.String("file") == "" && cli.IsTerminal(o.Stdin) {
		return cli.ErrUsage("standard input is a terminal, audio is needed").WithHint("for example: vi-capture --for 5s | vi-asr")
	}
	switch c.String("format") {
	case "auto", "wav", "s16le":
	default:
		return cli.ErrUsage("no such format %q", c.String("format")).WithHint("one of auto, wav, s16le")
	}
	switch c.String("pace") {
	case "fast", "realtime":
	default:
		return cli.ErrUsage("no such pace %q", c.String("pace")).WithHint("one of fast, realtime")
	}
	bare := audio.Format{Encoding: audio.S16, Rate: cli.Value[int](c, "rate"), Channels: 1}
	if err := bare.Check(); err != nil {
		return cli.ErrUsage("--rate: %d Hz is not in %d to %d", bare.Rate, audio.MinRate, audio.MaxRate)
	}
	for what, path := range map[string]string{"terms": c.String("terms"), "audio": c.String("file")} {
		if path == "" {
			continue
		}
		if _, err := os.Stat(path); err != nil {
			return cli.Errorf(cli.StatusNoInput, "cannot read %s: %w", what, err)
		}
	}
	return nil
}

func openAudio(r io.Reader, format string, bare audio.Format) (*audio.Reader, error) {
	switch format {
	case "wav":
		return audio.WAV(r)
	case "s16le":
		return audio.Raw(r, bare)
	default:
		return audio.Auto(r, bare)
	}
}

// newRecognizer writes to o, one line at a time from whatever goroutine.
func newRecognizer(o *cli.IO, e engine.Engine) *recognizer {
	var mu sync.Mutex
	return &recognizer{
		engine: e,
		emit: func(r wire.Record) error {
			mu.Lock()
			defer mu.Unlock()
			return o.Emit(r)
		},
		warn: func(format string, args ...any) {
			mu.Lock()
			defer mu.Unlock()
			o.Warn(format, args...)
		},
	}
}

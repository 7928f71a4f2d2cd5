package capture

import (
	"context"
	"os"
	"time"

	"voice-input/pkg/cli"
	"voice-input/pkg/config"
)

var environ = []string{"PULSE_SERVER", "PULSE_RUNTIME_PATH", "PULSE_COOKIE", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "HOME"}

// Command returns vi-capture.
func Command() *cli.Command {
	return &cli.Command{
		Name:  "vi-capture",
		Usage: "record a microphone to standard output",
		Words: map[string][]string{"format": {"s16le", "wav"}},
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "source", Usage: "record the source `NAME` instead of the default one"},
			&cli.DurationFlag{Name: "for", DefaultText: "until INT or TERM", Usage: "end after `DURATION`, to the sample"},
			&cli.StringFlag{Name: "format", Value: "s16le", Usage: "write `FORMAT`: s16le (bare samples) or wav; 16 kHz, mono"},
			&cli.IntFlag{Name: "fragment", Value: DefaultFragment, Usage: "ask the server for `BYTES` at a time"},
			&cli.DurationFlag{Name: "stall", Value: DefaultStall, Usage: "give up when no samples come for `DURATION`"},
			&cli.IntFlag{Name: "events-fd", Value: -1, DefaultText: "none", Usage: "write vi.capture/1 events to file descriptor `N`"},
		},
		Environ: environ,
		Run:     run,
		Commands: []*cli.Command{{
			Name:    "sources",
			Usage:   "list what can be recorded, one vi.source/1 a line",
			Environ: environ,
			Run:     runSources,
		}},
	}
}

func runSources(ctx context.Context, o *cli.IO, _ *cli.Call) error {
	list, server, err := Sources(ctx, o.Getenv)
	if err != nil {
		return err
	}
	o.Explain("server: %s", server)
	for i := range list {
		if err := o.Emit(&list[i]); err != nil {
			return err
		}
	}
	if len(list) == 0 {
		return cli.ErrNothing
	}
	return nil
}

// settings are the flags of a recording.
type settings struct {
	options Options
	samples int64 // 0: no limit
	wav     bool
}

func readSettings(c *cli.Call, getenv func(string) string) (settings, error) {
	cfg, err := config.Load(c.String("config"), getenv)
	if err != nil {
		return settings{}, err
	}
	s := settings{options: Options{
		Source:   c.StringOr("source", cfg.Audio.Source),
		Fragment: cli.Value[int](c, "fragment"),
		Stall:    time.Duration(cfg.Audio.StallMS) * time.Millisecond,
		Getenv:   getenv,
	}}
	if c.IsSet("stall") {
		s.options.Stall = cli.Value[time.Duration](c, "stall")
	}
	limit := cli.Value[time.Duration](c, "for")
	s.samples = samplesIn(limit)
	switch format := c.String("format"); format {
	case "s16le":
	case "wav":
		s.wav = true
	default:
		return s, cli.ErrUsage("no such format %q", format).WithHint("s16le or wav")
	}
	switch f := s.options.Fragment; {
	case f < SampleSize || f > 64<<10 || f%SampleSize != 0:
		return s, cli.ErrUsage("cannot use fragments of %d bytes: it must be an even number from 2 to 65536", f)
	case s.options.Stall < 100*time.Millisecond:
		return s, cli.ErrUsage("cannot use --stall %s: it must be 100ms or more", s.options.Stall)
	case c.IsSet("for") && s.samples < 1:
		return s, cli.ErrUsage("cannot record for %s: it must be one sample (62.5µs) or more", limit)
	}
	return s, nil
}

// samplesIn returns how many whole samples last d.
func samplesIn(d time.Duration) int64 {
	seconds, rest := int64(d/time.Second), int64(d%time.Second)
	return seconds*Rate + rest*Rate/int64(time.Second)
}

func run(ctx context.Context, o *cli.IO, c *cli.Call) error {
	started := time.Now()
	s, err := readSettings(c, o.Getenv)
	if err != nil {
		return err
	}
	if cli.IsTerminal(o.Stdout) {
		return cli.ErrUsage("standard output is a terminal, audio is binary").WithHint("pipe it or write a file: vi-capture --for 5s --format wav >speech.wav")
	}
	events, err := openEvents(cli.Value[int](c, "events-fd"))
	if err != nil {
		return err
	}
	out := o.Stdout
	if f, ok := out.(*os.File); ok {
		// Not as descriptor 1: a closed pipe must be an error to us.
		own, err := duplicate(int(f.Fd()))
		if err != nil {
			return cli.Errorf(cli.StatusIO, "cannot write to standard output: %w", err)
		}
		defer own.Close()
		out = own
	}
	stream, err := Open(ctx, s.options)
	if err != nil {
		events.end(openReason(ctx, err), 0)
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	explain(o, stream, s.options)
	r := &recorder{stream: stream, out: out, events: events, wav: s.wav, limit: s.samples, started: started}
	err = r.run(ctx)
	reason, problem := outcome(err)
	samples := r.samples.Load()
	if event := lostEvent(err, samples); event != nil {
		events.emit(event)
	}
	events.end(reason, samples)
	return problem
}

// openReason is the reason of the only event of a recording that could not
// begin.
func openReason(ctx context.Context, err error) string {
	switch {
	case ctx.Err() != nil:
		return "interrupted"
	case cli.StatusOf(err) == cli.StatusNoInput:
		return "device_lost"
	default:
		return "server_lost"
	}
}

func explain(o *cli.IO, s *Stream, opts Options) {
	o.Explain("server: %s", s.Server)
	how := "named with --source"
	if opts.Source == "" {
		how = "the server's default"
	}
	o.Explain("source: %s (%s), %s, %d Hz, %d channels", s.Source.Name, how, s.Source.State, s.Source.Rate, s.Source.Channels)
	o.Explain("fragment: %d bytes asked, %d granted (%.1f ms)", opts.Fragment, s.Fragment, float64(s.Fragment)*1000/(Rate*SampleSize))
	if s.Woken {
		o.Explain("source was suspended; the server was asked to wake it")
	}
	if s.Source.Muted {
		o.Warn("source %q is muted: it delivers silence", s.Source.Name)
	}
	if s.Muted {
		o.Warn("the sound server mutes what this program records")
	}
	if !s.Source.Available {
		o.Warn("source %q is unplugged", s.Source.Name)
	}
}

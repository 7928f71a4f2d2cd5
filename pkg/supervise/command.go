package supervise

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"voice-input/pkg/cli"
	"voice-input/pkg/config"
	"voice-input/pkg/internal/sdnotify"
	"voice-input/pkg/internal/xdg"
	"voice-input/pkg/models"
	"voice-input/pkg/wire"
)

// Program is the command voice-input.
func Program() *cli.Command {
	return &cli.Command{
		Name:    "voice-input",
		Usage:   "dictate on a hotkey",
		Environ: []string{"XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "NOTIFY_SOCKET"},
		Commands: []*cli.Command{
			{Name: "daemon", Usage: "run the supervisor in the foreground", Run: runDaemon},
			recordCommand(),
			statusCommand(),
			dictateCommand(),
			configCommand(),
			models.Command(),
		},
	}
}

func runDaemon(ctx context.Context, o *cli.IO, c *cli.Call) error {
	cfg, err := config.Load(c.String("config"), o.Getenv)
	if err != nil {
		return err
	}
	runtimeDir := xdg.RuntimeDir(o.Getenv)
	if err := xdg.PrivateDir(runtimeDir); err != nil {
		return cli.Errorf(cli.StatusCantCreate, "%w", err).WithHint("XDG_RUNTIME_DIR must name a directory of yours")
	}
	lock, err := only(runtimeDir)
	if err != nil {
		return err
	}
	defer lock.Close()
	d, err := newDaemon(cfg, runtimeDir, "daemon.toml", o.Stderr)
	if err != nil {
		return err
	}
	s, err := listen(d, runtimeDir)
	if err != nil {
		return err
	}
	defer s.close()
	go s.serve(ctx)
	if err := sdnotify.Notify(o.Getenv, "READY=1"); err != nil {
		o.Warn("cannot tell the service manager: %v", err)
	}
	d.loop(ctx)
	return nil
}

func recordCommand() *cli.Command {
	usage := map[Command]string{
		Start:   "begin a take",
		Stop:    "end the take and deliver its text",
		Toggle:  "begin a take, or end the one at hand",
		Cancel:  "end the take without its text",
		Restart: "throw the take away and begin another",
		Retry:   "recognise the newest take that was not delivered",
	}
	cmd := &cli.Command{Name: "record", Usage: "tell the daemon what to do"}
	for _, command := range commands {
		cmd.Commands = append(cmd.Commands, &cli.Command{
			Name:  string(command),
			Usage: usage[command],
			Flags: []cli.Flag{&cli.BoolFlag{Name: "wait", Usage: "come back when the take has ended"}},
			Run: func(ctx context.Context, o *cli.IO, c *cli.Call) error {
				return runRecord(ctx, o, command, c.Bool("wait"))
			},
		})
	}
	return cmd
}

// runRecord needs no configuration, so that a broken one does not keep the
// microphone open.
func runRecord(ctx context.Context, o *cli.IO, command Command, wait bool) error {
	r, err := ask(ctx, xdg.RuntimeDir(o.Getenv), &wire.Control{Command: string(command), Wait: wait})
	if err != nil {
		return err
	}
	if err := o.Emit(r); err != nil {
		return err
	}
	return replyError(r)
}

// replyError maps a reply to the client's end: the daemon chose the status.
func replyError(r *wire.Reply) error {
	switch {
	case r.Status == 0:
		return nil
	case r.Status == int(cli.StatusNothing):
		return cli.ErrNothing
	}
	err := cli.Errorf(cli.Status(r.Status), "%s", r.Detail)
	err.Hint = r.Hint
	return err
}

func configCommand() *cli.Command {
	return &cli.Command{
		Name: "config", Usage: "check or show the configuration",
		Commands: []*cli.Command{
			{Name: "check", Usage: "read the configuration and say what is wrong with it", Run: func(_ context.Context, o *cli.IO, c *cli.Call) error {
				_, err := config.Load(c.String("config"), o.Getenv)
				return err
			}},
			{Name: "show", Usage: "print every key with the value in force", Run: func(_ context.Context, o *cli.IO, c *cli.Call) error {
				cfg, err := config.Load(c.String("config"), o.Getenv)
				if err != nil {
					return err
				}
				return config.Show(o.Stdout, cfg)
			}},
		},
	}
}

func dictateCommand() *cli.Command {
	return &cli.Command{
		Name: "dictate", Usage: "record, recognise and deliver once, without the daemon",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "file", Usage: "recognise `WAV` instead of recording"},
			&cli.DurationFlag{Name: "for", Usage: "record for `TIME`; else until Enter or INT"},
			&cli.StringFlag{Name: "to", Value: "stdout", Usage: "`PLACE` for the text, as vi-type takes it"},
		},
		Run: runDictate,
	}
}

// runDictate runs a daemon of its own that nobody else can reach.
func runDictate(ctx context.Context, o *cli.IO, c *cli.Call) error {
	if c.IsSet("file") && c.IsSet("for") {
		return cli.ErrUsage("--file and --for exclude each other")
	}
	cfg, err := config.Load(c.String("config"), o.Getenv)
	if err != nil {
		return err
	}
	cfg.Deliver.To = c.String("to")
	if places := config.Words("deliver", "to"); !slices.Contains(places, cfg.Deliver.To) {
		return cli.ErrUsage("no place %q", cfg.Deliver.To).WithHint("one of %s", strings.Join(places, ", "))
	}
	d, err := newDaemon(cfg, xdg.RuntimeDir(o.Getenv), fmt.Sprintf("dictate-%d.toml", os.Getpid()), o.Stderr)
	if err != nil {
		return err
	}
	d.stages.length = cli.Value[time.Duration](c, "for")
	ended := make(chan *wire.Reply, 1)
	begin := func() *wire.Reply { return d.begin(ended) }
	if path := c.String("file"); path != "" {
		sm, err := openFile(absolute(path))
		if err != nil {
			return err
		}
		begin = func() *wire.Reply { return d.recognizeWhole(newID(time.Now()), sm, ended) }
	}
	// The first INT stops the recording, so the work behind it must not end
	// with ctx; the second one kills.
	work, stopWork := context.WithCancel(context.WithoutCancel(ctx))
	defer stopWork()
	over := make(chan struct{})
	go func() {
		defer close(over)
		d.loop(work)
	}()
	d.post(func() {
		if r := begin(); r.Status != 0 {
			ended <- r
		}
	})
	if !c.IsSet("file") {
		d.stopLater(ctx, o)
	}
	r := <-ended
	stopWork()
	<-over
	return replyError(r)
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// stopLater stops the take at Enter or at the end of ctx.
func (d *daemon) stopLater(ctx context.Context, o *cli.IO) {
	stop := func() { d.post(func() { d.command(Stop, nil) }) }
	if cli.IsTerminal(o.Stdin) {
		fmt.Fprintln(o.Stderr, "recording; Enter ends it")
		go func() {
			o.Stdin.Read(make([]byte, 1))
			stop()
		}()
	}
	context.AfterFunc(ctx, stop)
}

// describe returns a status in a word or two, for a person.
func describe(s *wire.Status) string {
	var b strings.Builder
	b.WriteString(s.Phase)
	if s.Phase == string(Recording) {
		fmt.Fprintf(&b, " %d s", s.RecordingMS/1000)
	}
	if s.Error != nil {
		fmt.Fprintf(&b, "; %s: %s", s.Error.Stage, s.Error.Detail)
	}
	if s.Last != nil && slices.Contains(s.Last.Warnings, "left_on_clipboard") {
		b.WriteString("; the text is on the clipboard")
	}
	if s.Recoverable > 0 {
		fmt.Fprintf(&b, "; %d to retry", s.Recoverable)
	}
	return b.String()
}

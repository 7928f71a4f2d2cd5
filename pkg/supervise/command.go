package supervise

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"voice-input/pkg/cli"
	"voice-input/pkg/config"
	"voice-input/pkg/internal/sdnotify"
	"voice-input/pkg/internal/xdg"
	"voice-input/pkg/models"
	"voice-input/pkg/supervise/doctor"
	"voice-input/pkg/supervise/history"
	"voice-input/pkg/supervise/notify"
	"voice-input/pkg/supervise/setup"
	"voice-input/pkg/wire"
)

// Program is the command voice-input.
func Program() *cli.Command {
	return &cli.Command{
		Name:    "voice-input",
		Usage:   "dictate on a hotkey",
		Environ: []string{"XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "NOTIFY_SOCKET", "LISTEN_PID", "LISTEN_FDS", "DBUS_SESSION_BUS_ADDRESS"},
		Commands: []*cli.Command{
			{Name: "daemon", Usage: "run the supervisor in the foreground", Run: runDaemon},
			recordCommand(),
			statusCommand(),
			diagnosticsCommand(),
			doctor.Command(),
			history.Command(deliverEntry),
			dictateCommand(),
			configCommand(),
			models.Command(),
			setup.Command(),
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
	d, err := newDaemon(cfg, options{runtimeDir: runtimeDir, frozen: "daemon.toml", log: o.Stderr, getenv: o.Getenv, served: true})
	if err != nil {
		return err
	}
	noCores()
	d.reloadOnHUP(ctx, c.String("config"), o.Getenv)
	s, err := listen(d, runtimeDir)
	if err != nil {
		return err
	}
	defer s.close()
	go s.serve(ctx)
	announced := d.announce(ctx)
	if err := sdnotify.Notify(o.Getenv, "READY=1"); err != nil {
		o.Warn("cannot tell the service manager: %v", err)
	}
	d.loop(ctx)
	<-announced
	return nil
}

// announce shows on the desktop what becomes of takes. What it returns is
// closed when nothing is shown any more after the end of ctx.
func (d *daemon) announce(ctx context.Context) <-chan struct{} {
	over := make(chan struct{})
	feedback := d.cfg.Feedback
	go func() {
		defer close(over)
		for ctx.Err() == nil {
			own, cancel := context.WithCancel(ctx)
			n := notify.Start(own, notify.Options{Getenv: d.getenv, Notifications: feedback.Notifications, Sounds: feedback.Sounds, Failed: func(err error) {
				fmt.Fprintf(d.log, "voice-input: warning: cannot show a notification: %v\n", err)
			}})
			feedback = d.follow(own, n)
			cancel()
			<-n.Done()
		}
	}()
	return over
}

// follow tells the notifier of every change until ctx ends or another
// configuration is in force.
func (d *daemon) follow(ctx context.Context, n *notify.Notifier) config.Feedback {
	for {
		now, changed := d.board.get(false)
		n.Show(now)
		select {
		case <-changed:
		case other := <-d.told:
			return other
		case <-ctx.Done():
			return config.Feedback{}
		}
	}
}

// noCores keeps what is said out of core files, those of the stages included.
// Where a handler takes cores, such as systemd's, it heeds the limit too.
func noCores() { unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}) }

func recordCommand() *cli.Command {
	usage := map[Command]string{
		Start:   "begin a take",
		Stop:    "end the take and deliver its text",
		Toggle:  "begin a take, or end the one at hand",
		Cancel:  "end the take without its text",
		Restart: "throw the take away and begin another",
		Retry:   "recognise the newest take that was not delivered",

		Press:      "the key of push-to-talk goes down: begin a take",
		Release:    "the key of push-to-talk goes up: end the take and deliver its text",
		UndoCancel: "recognise the take that was cancelled last",
		Repeat:     "deliver the last text again, to what has the focus now",
	}
	cmd := &cli.Command{Name: "record", Usage: "tell the daemon what to do"}
	for _, command := range commands {
		if command == Deliver {
			continue // that of voice-input history
		}
		flags := []cli.Flag{&cli.BoolFlag{Name: "wait", Usage: "come back when the take has ended"}}
		switch command {
		case Start, Toggle, Press, Restart:
			flags = append(flags, &cli.BoolFlag{Name: "private", Usage: "keep nothing of the take: no history, and no samples after its end"})
		}
		switch command {
		case Stop, Cancel:
			flags = append(flags, &cli.StringFlag{Name: "job", Usage: "act on the take `ID` alone, as start answered it"})
		}
		cmd.Commands = append(cmd.Commands, &cli.Command{
			Name: string(command), Usage: usage[command], Flags: flags,
			Run: func(ctx context.Context, o *cli.IO, c *cli.Call) error {
				return runRecord(ctx, o, &wire.Control{Command: string(command), Wait: c.Bool("wait"), Private: c.Bool("private"), Job: c.String("job")})
			},
		})
	}
	return cmd
}

// deliverEntry asks the daemon to deliver an entry of the history.
func deliverEntry(ctx context.Context, o *cli.IO, id string) error {
	r, err := ask(ctx, xdg.RuntimeDir(o.Getenv), &wire.Control{Command: string(Deliver), Entry: id, Wait: true})
	if err != nil {
		return err
	}
	return replyError(r)
}

// runRecord needs no configuration, so that a broken one does not keep the
// microphone open.
func runRecord(ctx context.Context, o *cli.IO, c *wire.Control) error {
	r, err := ask(ctx, xdg.RuntimeDir(o.Getenv), c)
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
		Words: map[string][]string{"to": config.Words("deliver", "to")},
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
	noCores()
	d, err := newDaemon(cfg, options{runtimeDir: xdg.RuntimeDir(o.Getenv), frozen: fmt.Sprintf("dictate-%d.toml", os.Getpid()), log: o.Stderr, getenv: o.Getenv})
	if err != nil {
		return err
	}
	d.stages.length = cli.Value[time.Duration](c, "for")
	ended := make(chan *wire.Reply, 1)
	begin := func() *wire.Reply { return d.begin(false, false, ended) }
	if path := c.String("file"); path != "" {
		sm, err := openFile(absolute(path))
		if err != nil {
			return err
		}
		begin = func() *wire.Reply { return d.recognizeWhole(d.spool.newID(), sm, ended) }
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
	stop := func() { d.post(func() { d.command(wire.Control{Command: string(Stop)}, nil) }) }
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

package session

import (
	"context"
	"fmt"
	"os"
	"time"

	"voice-input/pkg/cli"
	"voice-input/pkg/internal/agents"
	"voice-input/pkg/internal/proc"
	"voice-input/pkg/internal/xdg"
	"voice-input/pkg/wire"
)

// timeout is the default limit of one look-up.
const timeout = time.Second

// maxStuck is how many look-ups may be held up at once by a file system that
// does not answer; further ones are not begun.
const maxStuck = 4

// Command is vi-session.
func Command() *cli.Command {
	return &cli.Command{
		Name:    "vi-session",
		Usage:   "read the newest completed answer of the focused coding agent",
		Words:   map[string][]string{"agent": {"codex", "pi"}},
		Environ: []string{"XDG_RUNTIME_DIR"},
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "agent", Usage: "the session in --file is of `AGENT`: codex, pi"},
			&cli.StringFlag{Name: "file", Usage: "read the session in `FILE`, and neither standard input nor a process"},
			&cli.StringFlag{Name: "leaf", Usage: "the branch on the screen ends with the entry `ID`; only for pi"},
			&cli.DurationFlag{Name: "timeout", Value: timeout, Usage: "give up after `TIME`"},
		},
		Run: run,
	}
}

func run(ctx context.Context, o *cli.IO, c *cli.Call) error {
	l := &lookups{io: o, limit: cli.Value[time.Duration](c, "timeout"), slots: make(chan struct{}, maxStuck)}
	if l.limit <= 0 {
		return cli.ErrUsage("the timeout %v is not positive", l.limit)
	}
	agent, path, leaf := c.String("agent"), c.String("file"), c.String("leaf")
	if path != "" {
		if err := checkFile(agent, path, leaf); err != nil {
			return err
		}
		return l.emit(ctx, func(ctx context.Context, f *Finder) *wire.Session { return f.File(ctx, agent, path, leaf) })
	}
	if agent != "" || leaf != "" {
		return cli.ErrUsage("--agent and --leaf need --file")
	}
	return o.EachRecord(func(line []byte) error {
		focus := &wire.Focus{}
		if err := wire.Decode(line, focus); err != nil {
			return err
		}
		return l.emit(ctx, func(ctx context.Context, f *Finder) *wire.Session { return f.Find(ctx, focus) })
	})
}

// checkFile refuses what a person has mistyped; what is in the file is a matter
// of the record.
func checkFile(agent, path, leaf string) error {
	switch {
	case agents.Label(agent) == "":
		return cli.ErrUsage("--file needs --agent").WithHint("one of codex, pi")
	case leaf != "" && agent != "pi":
		return cli.ErrUsage("--leaf is only for sessions of pi")
	}
	if _, err := os.Stat(path); err != nil {
		return fmt.Errorf("cannot open session: %w", err)
	}
	return nil
}

// lookups runs one look-up after the other, each within the limit.
type lookups struct {
	io    *cli.IO
	limit time.Duration
	slots chan struct{}
}

// emit runs a look-up and writes its record. A file system that hangs cannot be
// interrupted; its look-up is left behind.
func (l *lookups) emit(whole context.Context, find func(context.Context, *Finder) *wire.Session) error {
	ctx, cancel := context.WithTimeout(whole, l.limit)
	defer cancel()
	type outcome struct {
		record *wire.Session
		said   []string
	}
	done := make(chan outcome, 1)
	select {
	case l.slots <- struct{}{}:
		go func() {
			defer func() { <-l.slots }()
			var said []string
			f := &Finder{
				Proc: proc.Root, UID: os.Getuid(), RuntimeDir: xdg.RuntimeDir(l.io.Getenv),
				Explain: func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) },
			}
			r := find(ctx, f)
			done <- outcome{r, said}
		}()
	default:
	}
	var out outcome
	select {
	case out = <-done:
	case <-ctx.Done():
		out.record = &wire.Session{Header: wire.Header{Reason: "timeout"}}
		out.said = []string{"timeout: " + wire.ReasonMeaning(wire.SchemaSession, "timeout")}
	}
	if err := whole.Err(); err != nil {
		return err // a signal, not the limit
	}
	for _, line := range out.said {
		l.io.Explain("%s", line)
	}
	if err := l.io.Emit(out.record); err != nil {
		return err
	}
	if out.record.Reason != wire.OK {
		return cli.ErrNothing
	}
	return nil
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	urfave "github.com/urfave/cli/v2"
)

// Flag types, so that no other package needs to know the library.
type (
	Flag         = urfave.Flag
	BoolFlag     = urfave.BoolFlag
	StringFlag   = urfave.StringFlag
	IntFlag      = urfave.IntFlag
	DurationFlag = urfave.DurationFlag
)

// Command describes a program, or one of its sub-commands.
type Command struct {
	Name  string
	Usage string // what it does, in one line
	// Operands is the synopsis of what follows the flags, "" for none.
	Operands string
	// MinOperands and MaxOperands bound their number.
	MinOperands, MaxOperands int
	Flags                    []Flag
	// Words are those that the value of a flag, by its name, may be, or the
	// operand, by the name "": what a shell completes. Other values may be
	// right too.
	Words map[string][]string
	// Environ names the variables that the program itself looks at.
	Environ  []string
	Commands []*Command
	// Run does the work. INT and TERM cancel its context; a program for which
	// that is the usual end returns nil then. It is nil for a program that has
	// only sub-commands.
	Run func(ctx context.Context, o *IO, c *Call) error
}

// Call is one invocation: the values of the flags, and the operands.
type Call struct{ ctx *urfave.Context }

// String returns the value of a string flag.
func (c *Call) String(name string) string { return c.ctx.String(name) }

// StringOr returns the value of a string flag that was given, else other: what
// the configuration says.
func (c *Call) StringOr(name, other string) string {
	if c.IsSet(name) {
		return c.String(name)
	}
	return other
}

// Bool returns the value of a boolean flag.
func (c *Call) Bool(name string) bool { return c.ctx.Bool(name) }

// IsSet tells whether a flag was given.
func (c *Call) IsSet(name string) bool { return c.ctx.IsSet(name) }

// Args returns the operands.
func (c *Call) Args() []string { return c.ctx.Args().Slice() }

// Value returns the value of a flag of any type.
func Value[T any](c *Call, name string) T {
	v, _ := c.ctx.Value(name).(T)
	return v
}

// sharedFlags are accepted by every program and every sub-command.
func sharedFlags() []Flag {
	return []Flag{
		&BoolFlag{Name: "pretty", Usage: "indent the records; the default on a terminal"},
		&BoolFlag{Name: "explain", Usage: "say on standard error why the answer is what it is"},
		&StringFlag{Name: "config", Usage: "read `FILE` instead of the user's configuration"},
	}
}

// AllFlags returns the flags of a command as --help shows them, the shared
// ones included.
func (c *Command) AllFlags() []Flag {
	return append(slices.Clone(c.Flags), sharedFlags()...)
}

// Synopsis returns the line that --help and the manual show.
func (c *Command) Synopsis(parent string) string {
	s := strings.TrimSpace(parent+" "+c.Name) + " [flags]"
	if len(c.Commands) > 0 && c.Run == nil {
		return strings.TrimSuffix(s, " [flags]") + " COMMAND [flags]"
	}
	if c.Operands != "" {
		s += " " + c.Operands
	}
	return s
}

// Main runs a program and returns its exit status. The first INT or TERM
// cancels the context, the second kills. A program that they end before its
// work is done exits with 130 or 143.
func Main(ctx context.Context, cmd *Command, o *IO) int {
	o.name = cmd.Name
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	defer signal.Stop(signals)
	go func() {
		select {
		case s := <-signals:
			signal.Stop(signals)
			cancel(signalError{s.(syscall.Signal)})
		case <-ctx.Done():
		}
	}()

	err := build(cmd, o).RunContext(ctx, o.Args)
	var s signalError
	if err != nil && errors.As(context.Cause(ctx), &s) && errors.Is(err, context.Canceled) {
		o.say("error", s.Error())
		return 128 + int(s.Signal)
	}
	o.report(err)
	return int(StatusOf(err))
}

// signalError is the cause of a context that a signal cancelled.
type signalError struct{ Signal syscall.Signal }

func (e signalError) Error() string { return "ended by signal: " + e.Signal.String() }

func build(cmd *Command, o *IO) *urfave.App {
	urfave.HelpFlag = &urfave.BoolFlag{Name: "help", Aliases: []string{"h"}, Usage: "show this help"}
	app := urfave.NewApp()
	app.Name = cmd.Name
	app.HelpName = cmd.Name
	app.Usage = cmd.Usage
	app.Reader = o.Stdin
	app.Writer = o.Stdout
	app.ErrWriter = io.Discard
	app.HideVersion = true
	app.HideHelpCommand = true
	app.Suggest = false
	app.ExitErrHandler = func(*urfave.Context, error) {}
	app.Flags = append(cmd.AllFlags(), &BoolFlag{Name: "version", Usage: "print the version"})
	app.UsageText = cmd.Synopsis("")
	app.OnUsageError = usageError
	app.CustomAppHelpTemplate = helpTemplate
	app.Action = action(cmd, o)
	for _, sub := range cmd.Commands {
		app.Commands = append(app.Commands, buildSub(sub, cmd.Name, o))
	}
	return app
}

func buildSub(cmd *Command, parent string, o *IO) *urfave.Command {
	out := &urfave.Command{
		Name: cmd.Name, Usage: cmd.Usage, UsageText: cmd.Synopsis(parent),
		Flags:              cmd.AllFlags(),
		HideHelpCommand:    true,
		OnUsageError:       usageError,
		Action:             action(cmd, o),
		CustomHelpTemplate: helpTemplate,
	}
	for _, sub := range cmd.Commands {
		out.Subcommands = append(out.Subcommands, buildSub(sub, parent+" "+cmd.Name, o))
	}
	return out
}

func usageError(_ *urfave.Context, err error, _ bool) error {
	return &Error{Status: StatusUsage, Err: err}
}

func action(cmd *Command, o *IO) urfave.ActionFunc {
	return func(uc *urfave.Context) error {
		if uc.Bool("version") {
			_, err := fmt.Fprintln(o.Stdout, Version())
			return err
		}
		args := uc.Args().Slice()
		if cmd.Run == nil {
			return missingCommand(cmd, uc, args)
		}
		if err := checkOperands(cmd, uc, args); err != nil {
			return err
		}
		o.pretty = IsTerminal(o.Stdout)
		for _, c := range uc.Lineage() {
			if c.IsSet("pretty") {
				o.pretty = c.Bool("pretty")
				break
			}
		}
		for _, c := range uc.Lineage() {
			o.explain = o.explain || c.Bool("explain")
		}
		return cmd.Run(uc.Context, o, &Call{uc})
	}
}

func missingCommand(cmd *Command, uc *urfave.Context, args []string) error {
	var names []string
	for _, sub := range cmd.Commands {
		names = append(names, sub.Name)
	}
	hint := fmt.Sprintf("one of %s", strings.Join(names, ", "))
	if len(args) == 0 {
		return Errorf(StatusUsage, "%s needs a command", uc.App.Name).WithHint("%s", hint)
	}
	return Errorf(StatusUsage, "no such command %q", args[0]).WithHint("%s", hint)
}

func checkOperands(cmd *Command, uc *urfave.Context, args []string) error {
	for _, arg := range args {
		// The library stops at the first operand, so a flag behind it would
		// be taken for one more operand.
		if strings.HasPrefix(arg, "-") && arg != "-" {
			return Errorf(StatusUsage, "flag %q stands behind an operand", arg).WithHint("put flags first")
		}
	}
	switch {
	case len(args) < cmd.MinOperands:
		return Errorf(StatusUsage, "too few operands").WithHint("usage: %s", uc.Command.UsageText+uc.App.UsageText)
	case len(args) > cmd.MaxOperands:
		return Errorf(StatusUsage, "unexpected operand %q", args[cmd.MaxOperands])
	}
	return nil
}

// ErrUsage returns a usage error.
func ErrUsage(format string, args ...any) *Error {
	return Errorf(StatusUsage, format, args...)
}

const helpTemplate = `{{.HelpName}}: {{.Usage}}

usage: {{.UsageText}}
{{- if .VisibleCommands}}

commands:
{{- range .VisibleCommands}}
   {{join .Names ", "}}{{"\t"}}{{.Usage}}{{end}}{{end}}
{{- if .VisibleFlags}}

flags:
{{- range .VisibleFlags}}
   {{.}}{{end}}{{end}}
`

package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"voice-input/pkg/wire"
)

// IO is everything of the outside that a program may touch without asking
// the operating system itself. Tests put buffers in it.
type IO struct {
	Args   []string // os.Args: the program's name first
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	Getenv func(string) string

	name    string // "vi-asr", set by Main
	pretty  bool
	explain bool
}

// OS returns the IO of the running process.
func OS() *IO {
	return &IO{Args: os.Args, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv}
}

// IsTerminal tells whether f, one of the three streams, is a terminal.
func IsTerminal(f any) bool {
	file, ok := f.(*os.File)
	if !ok {
		return false
	}
	_, err := unix.IoctlGetTermios(int(file.Fd()), unix.TCGETS)
	return err == nil
}

// Emit writes a record to standard output at once, indented with --pretty.
func (o *IO) Emit(r wire.Record) error {
	line, err := wire.Encode(r)
	if err != nil {
		return Errorf(StatusSoftware, "cannot write record: %w", err)
	}
	if o.pretty {
		line = wire.Indent(line)
	}
	if _, err := o.Stdout.Write(line); err != nil {
		return Errorf(StatusIO, "cannot write to standard output: %w", err)
	}
	return nil
}

// Pretty tells whether a person reads standard output: with --pretty, and by
// default on a terminal.
func (o *IO) Pretty() bool { return o.pretty }

// Explain writes a line to standard error when --explain was given. It must
// not be given dictated text, titles, terms or keys.
func (o *IO) Explain(format string, args ...any) {
	if o.explain {
		o.say("explain", fmt.Sprintf(format, args...))
	}
}

// Warn writes a warning to standard error.
func (o *IO) Warn(format string, args ...any) { o.say("warning", fmt.Sprintf(format, args...)) }

func (o *IO) say(kind, text string) {
	var b bytes.Buffer
	for line := range strings.Lines(strings.TrimSpace(text)) {
		fmt.Fprintf(&b, "%s: %s: %s\n", o.name, kind, strings.TrimRight(line, "\n"))
	}
	o.Stderr.Write(b.Bytes())
}

// EachRecord is the loop of every filter: it calls f with each line of
// standard input until the end. A line that f cannot do is reported with its
// number and skipped; the worst status is remembered and returned as an
// error. An f that returns ErrNothing has written its record.
func (o *IO) EachRecord(f func(line []byte) error) error {
	if IsTerminal(o.Stdin) {
		return Errorf(StatusUsage, "standard input is a terminal, a record is needed").WithHint("pipe one in, for example from a file: %s < record.json", o.name)
	}
	r := wire.NewReader(o.Stdin)
	var worst error
	lines := 0
	for {
		line, err := r.Next()
		if err == io.EOF {
			break
		}
		lines++
		switch {
		case errors.Is(err, wire.ErrLineTooLong):
		case err != nil:
			return Errorf(StatusIO, "cannot read standard input: %w", err)
		default:
			err = f(line)
		}
		if err == nil {
			continue
		}
		if StatusOf(err) > StatusOf(worst) {
			worst = &Error{Status: StatusOf(err), Err: errReported}
		}
		if StatusOf(err) == StatusData {
			err = fmt.Errorf("line %d: %w", r.Line(), err)
		}
		o.report(err)
	}
	if lines == 0 {
		return &Error{Status: StatusData, Err: ErrNoRecord}
	}
	return worst
}

// ErrNoRecord says that standard input ended before the first record.
var ErrNoRecord = errors.New("standard input holds no record")

// errReported ends a program whose messages have been printed already.
var errReported = errors.New("reported")

// report prints an error and its hint.
func (o *IO) report(err error) {
	if err == nil || errors.Is(err, errReported) || errors.Is(err, ErrNothing) {
		return
	}
	o.say("error", err.Error())
	var e *Error
	if errors.As(err, &e) && e.Hint != "" {
		o.say("hint", e.Hint)
	}
}

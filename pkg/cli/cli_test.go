package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"voice-input/pkg/wire"
)

func program(run func(ctx context.Context, o *IO, c *Call) error) *Command {
	return &Command{
		Name: "vi-test", Usage: "test the frame", Operands: "[FILE]", MaxOperands: 1,
		Flags: []Flag{&StringFlag{Name: "source", Usage: "record `NAME`"}, &DurationFlag{Name: "for"}, &IntFlag{Name: "fd"}},
		Run:   run,
		Commands: []*Command{
			{Name: "list", Usage: "list things", Run: run},
		},
	}
}

func invoke(cmd *Command, stdin string, args ...string) (status int, stdout, stderr string) {
	var out, errb bytes.Buffer
	o := &IO{Args: append([]string{cmd.Name}, args...), Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &errb, Getenv: func(string) string { return "" }}
	status = Main(context.Background(), cmd, o)
	return status, out.String(), errb.String()
}

func ok(context.Context, *IO, *Call) error { return nil }

func TestUsageErrors(t *testing.T) {
	tests := []struct {
		name string
		args []string
		want string
	}{
		{"unknown flag", []string{"--nope"}, "flag provided but not defined: -nope"},
		{"flag without value", []string{"--source"}, "flag needs an argument: -source"},
		{"bad duration", []string{"--for", "soon"}, "invalid value"},
		{"bad integer", []string{"--fd", "x"}, "invalid value"},
		{"unknown flag of a sub-command", []string{"list", "--nope"}, "flag provided but not defined: -nope"},
		{"operand of a sub-command", []string{"list", "x"}, `unexpected operand "x"`},
		{"too many operands", []string{"a", "b"}, `unexpected operand "b"`},
		{"flag behind an operand", []string{"a", "--pretty"}, `flag "--pretty" stands behind an operand`},
		{"help is no command", []string{"help", "x"}, `unexpected operand "x"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			status, stdout, stderr := invoke(program(ok), "", tt.args...)
			if status != int(StatusUsage) || stdout != "" || !strings.HasPrefix(stderr, "vi-test: error: "+tt.want) {
				t.Errorf("status %d, stdout %q, stderr %q", status, stdout, stderr)
			}
		})
	}
}

func TestHelpAndVersionAreOnStdout(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"-h"}, {"list", "--help"}, {"--version"}} {
		status, stdout, stderr := invoke(program(ok), "", args...)
		if status != 0 || stdout == "" || stderr != "" {
			t.Errorf("%v: status %d, stdout %q, stderr %q", args, status, stdout, stderr)
		}
		if strings.Count(stdout, "usage:") > 1 {
			t.Errorf("%v: help is printed twice", args)
		}
	}
	if _, stdout, _ := invoke(program(ok), "", "--version"); stdout != Version()+"\n" {
		t.Errorf("--version prints %q, want the bare version", stdout)
	}
}

func TestStatusOf(t *testing.T) {
	tests := []struct {
		err  error
		want Status
	}{
		{nil, StatusOK},
		{ErrNothing, StatusNothing},
		{fmt.Errorf("x: %w", ErrNothing), StatusNothing},
		{&wire.Error{}, StatusData},
		{wire.ErrLineTooLong, StatusData},
		{fs.ErrNotExist, StatusNoInput},
		{fs.ErrPermission, StatusNoPerm},
		{context.DeadlineExceeded, StatusTempFail},
		{errors.New("x"), StatusSoftware},
		{Errorf(StatusConfig, "x: %w", fs.ErrNotExist), StatusConfig},
		{fmt.Errorf("x: %w", Errorf(StatusProtocol, "y")), StatusProtocol},
	}
	for _, tt := range tests {
		if got := StatusOf(tt.err); got != tt.want {
			t.Errorf("StatusOf(%v) = %d, want %d", tt.err, got, tt.want)
		}
	}
	for _, s := range Statuses {
		if s.Name == "" || s.Meaning == "" {
			t.Errorf("status %d has no name or meaning", s.Status)
		}
	}
	if !slices.IsSortedFunc(Statuses, func(a, b struct {
		Status        Status
		Name, Meaning string
	}) int {
		return int(a.Status - b.Status)
	}) {
		t.Error("the table is not in order")
	}
}

func TestErrorsAndHints(t *testing.T) {
	status, stdout, stderr := invoke(program(func(context.Context, *IO, *Call) error {
		return Errorf(StatusNoInput, "cannot open %q: %w", "x", fs.ErrNotExist).WithHint("see vi-test list")
	}), "")
	want := "vi-test: error: cannot open \"x\": file does not exist\nvi-test: hint: see vi-test list\n"
	if status != 66 || stdout != "" || stderr != want {
		t.Errorf("status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
}

func TestExplainLeavesStdoutAlone(t *testing.T) {
	run := func(_ context.Context, o *IO, _ *Call) error {
		o.Explain("asked %d servers", 2)
		return o.Emit(&wire.Transcript{Text: "a<b"})
	}
	_, plain, quiet := invoke(program(run), "")
	for _, args := range [][]string{{"--explain"}, {"--explain", "list"}, {"list", "--explain"}} {
		_, stdout, stderr := invoke(program(run), "", args...)
		if stdout != plain || quiet != "" || stderr != "vi-test: explain: asked 2 servers\n" {
			t.Errorf("%v: stdout %q, stderr %q", args, stdout, stderr)
		}
	}
	if _, pretty, _ := invoke(program(run), "", "list", "--pretty"); pretty == plain || strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(pretty, "\n", ""), "  ", ""), ": ", ":") != strings.TrimSpace(plain) {
		t.Errorf("--pretty changed more than white space: %q", pretty)
	}
}

func TestEachRecord(t *testing.T) {
	var seen []string
	run := func(_ context.Context, o *IO, _ *Call) error {
		seen = nil
		return o.EachRecord(func(line []byte) error {
			var tr wire.Transcript
			if err := wire.Decode(line, &tr); err != nil {
				return err
			}
			if tr.Text == "" {
				return ErrNothing
			}
			seen = append(seen, tr.Text)
			return nil
		})
	}
	line := func(s string) string { return `{"schema":"vi.transcript/1","reason":"ok","text":"` + s + `"}` + "\n" }
	tests := []struct {
		name, in string
		status   int
		seen     []string
		stderr   string
	}{
		{"one", line("a"), 0, []string{"a"}, ""},
		{"two", line("a") + line("b"), 0, []string{"a", "b"}, ""},
		{"nothing", line(""), 1, nil, ""},
		{"none at all", "", 65, nil, "vi-test: error: standard input holds no record\n"},
		{"bad line in the middle", line("a") + "{\n" + line("b"), 65, []string{"a", "b"}, "vi-test: error: line 2: cannot read vi.transcript/1 record: not JSON at byte 1\n"},
		{"the worst status counts", line("") + "{\n" + line(""), 65, nil, "vi-test: error: line 2: cannot read vi.transcript/1 record: not JSON at byte 1\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			status, _, stderr := invoke(program(run), tt.in)
			if status != tt.status || !slices.Equal(seen, tt.seen) || stderr != tt.stderr {
				t.Errorf("status %d, seen %q, stderr %q", status, seen, stderr)
			}
		})
	}
}

func TestSignals(t *testing.T) {
	for sig, want := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		status, _, stderr := invoke(program(func(ctx context.Context, _ *IO, _ *Call) error {
			syscall.Kill(syscall.Getpid(), sig)
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(10 * time.Second):
				return errors.New("the signal did not cancel the context")
			}
		}), "")
		if status != want || !strings.HasPrefix(stderr, "vi-test: error: ended by signal") {
			t.Errorf("%v: status %d, stderr %q", sig, status, stderr)
		}
	}
	// A program that treats the signal as its usual end decides for itself.
	status, _, stderr := invoke(program(func(ctx context.Context, _ *IO, _ *Call) error {
		syscall.Kill(syscall.Getpid(), syscall.SIGTERM)
		<-ctx.Done()
		return nil
	}), "")
	if status != 0 || stderr != "" {
		t.Errorf("status %d, stderr %q", status, stderr)
	}
}

package supervise

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"voice-input/pkg/cli"
	"voice-input/pkg/config"
	"voice-input/pkg/internal/apikey"
	"voice-input/pkg/internal/child"
	"voice-input/pkg/wire"
)

// stages knows the command of each stage.
type stages struct {
	cfg config.Config
	dir string // where the programs lie
	log io.Writer
	// frozen is a file with cfg for the programs: what the user changes in his
	// own meanwhile must not break a take.
	frozen string
	// length is how long vi-capture records; 0 is until it is stopped.
	length time.Duration
}

// newStages looks for the programs beside the running one. The name is that of
// the file in the runtime directory that holds their configuration.
func newStages(cfg config.Config, runtimeDir, name string, log io.Writer) (*stages, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, cli.Errorf(cli.StatusOSFile, "cannot find the programs of the stages: %w", err)
	}
	s := &stages{dir: filepath.Dir(self), log: log, frozen: filepath.Join(runtimeDir, name)}
	return s.with(cfg)
}

// with returns stages with another configuration, in the same file: a program
// that has read it already does not look again.
func (s stages) with(cfg config.Config) (*stages, error) {
	s.cfg = cfg
	var b bytes.Buffer
	if err := config.Show(&b, cfg); err != nil {
		return nil, err
	}
	// A program that starts now reads the one or the other, whole.
	whole := s.frozen + ".new"
	if err := errors.Join(os.WriteFile(whole, b.Bytes(), 0o600), os.Rename(whole, s.frozen)); err != nil {
		return nil, cli.Errorf(cli.StatusCantCreate, "cannot write the configuration of the stages: %w", err)
	}
	return &s, nil
}

// close removes what newStages made.
func (s *stages) close() { os.Remove(s.frozen) }

// own returns the command of a program of ours, by its path beside this one.
func (s *stages) own(name string, args ...string) []string {
	return append([]string{filepath.Join(s.dir, name), "--config", s.frozen}, args...)
}

// capture returns the command that records. It has descriptor 3 for events.
func (s *stages) capture() []string {
	if argv := s.cfg.Stages.Capture; len(argv) > 0 {
		return argv
	}
	argv := s.own("vi-capture", "--events-fd", "3")
	if s.length > 0 {
		argv = append(argv, "--for", s.length.String())
	}
	return argv
}

// asr returns the command that recognises, and whether it is resident: ours
// is, a command of the user's is started for each take.
func (s *stages) asr() (argv []string, resident bool) {
	if argv := s.cfg.Stages.ASR; len(argv) > 0 {
		return argv, false
	}
	return s.own("vi-asr", "--takes"), true
}

// refine runs vi-refine on the final event. When it fails the words are kept
// as they were recognised; the error says why and is no reason to stop.
func (s *stages) refine(ctx context.Context, final *wire.ASR, style string, terms []byte) (*wire.Refine, error) {
	argv := s.own("vi-refine", "--style", style)
	var extra []*os.File
	if own := s.cfg.Stages.Refine; len(own) > 0 {
		argv = own
	} else if len(terms) > 0 {
		if r, err := pipeOf(terms); err == nil {
			defer r.Close()
			argv, extra = append(argv, "--terms", "/dev/fd/3"), []*os.File{r}
		}
	}
	ctx, cancel := context.WithTimeout(ctx, refineTime(s.cfg))
	defer cancel()
	var r wire.Refine
	err := s.filter(ctx, child.Spec{Argv: argv, Extra: extra}, final, &r)
	if err == nil && r.Text == "" {
		err = errors.New("it returned no text")
	}
	if err != nil {
		return &wire.Refine{Text: final.Text, Outcome: wire.RefineKept}, fmt.Errorf("refining failed, the words are kept as recognised: %w", err)
	}
	return &r, nil
}

// deliver runs vi-type for the window that was in focus at the stop. The
// record is not nil if vi-type wrote one. Standard output belongs to the text
// where that is its place.
func (s *stages) deliver(ctx context.Context, text *wire.Refine, target *wire.Focus, stdout *os.File) (*wire.Delivery, error) {
	ctx, cancel := context.WithTimeout(ctx, deliverTime)
	defer cancel()
	var d wire.Delivery
	var err error
	if own := s.cfg.Stages.Type; len(own) > 0 {
		err = s.filter(ctx, child.Spec{Argv: own, Env: scrubbed()}, text, &d)
	} else {
		err = s.deliverByOwn(ctx, text, target, &d, stdout)
	}
	switch {
	case d.Schema == "":
		return nil, err
	case d.Delivered:
		return &d, nil
	case err == nil:
		err = errors.New("not delivered")
	}
	return &d, fmt.Errorf("%s: %w", wire.ReasonMeaning(wire.SchemaDelivery, d.Reason), err)
}

// deliverByOwn runs our vi-type, which writes its record to descriptor 3 and
// reads the target from 4.
func (s *stages) deliverByOwn(ctx context.Context, text *wire.Refine, target *wire.Focus, d *wire.Delivery, stdout *os.File) error {
	line, err := wire.Encode(text)
	if err != nil {
		return err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	defer r.Close()
	argv, extra := s.own("vi-type", "--report", "/dev/fd/3"), []*os.File{w}
	if target != nil {
		if b, err := wire.Encode(target); err == nil {
			if t, err := pipeOf(b); err == nil {
				defer t.Close()
				argv, extra = append(argv, "--target", "/dev/fd/4"), append(extra, t)
			}
		}
	}
	p, err := child.Start(ctx, child.Spec{Argv: argv, Stdin: bytes.NewReader(line), Stdout: stdout, Stderr: s.log, Extra: extra, LeavesDaemon: true, Env: scrubbed()})
	w.Close()
	if err != nil {
		return err
	}
	report := make(chan []byte, 1)
	go func() {
		b, _ := io.ReadAll(io.LimitReader(r, maxOutput))
		report <- b
	}()
	err = p.Wait()
	// A program that serves the clipboard may hold the descriptor open.
	r.SetReadDeadline(time.Now().Add(time.Second))
	b := <-report
	if decodeErr := wire.Decode(bytes.TrimSpace(b), d); err == nil {
		err = decodeErr
	}
	return err
}

// scrubbed is the environment of every program but those of recognising and
// refining, which are the only ones that need keys.
func scrubbed() []string { return apikey.Scrub(os.Environ()) }

// filter runs a program that turns one record into one record. A program that
// ends with status 1 has written a record too.
func (s *stages) filter(ctx context.Context, spec child.Spec, in, out wire.Record) error {
	line, err := wire.Encode(in)
	if err != nil {
		return err
	}
	stdout := &child.Output{Max: maxOutput}
	spec.Stdin, spec.Stdout, spec.Stderr = bytes.NewReader(line), stdout, s.log
	err = child.Run(ctx, spec)
	var exit *child.ExitError
	if err != nil && !(errors.As(err, &exit) && stdout.Len() > 0) {
		return err
	}
	first, _, _ := bytes.Cut(stdout.Bytes(), []byte("\n"))
	if decodeErr := wire.Decode(first, out); decodeErr != nil {
		return errors.Join(err, fmt.Errorf("%s: %w", spec.Argv[0], decodeErr))
	}
	return err
}

// pipeOf returns a pipe that holds b, written as it is read.
func pipeOf(b []byte) (*os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	go func() {
		defer w.Close()
		w.Write(b) // fails when nobody reads any more
	}()
	return r, nil
}

package asr

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"voice-input/pkg/asr/audio"
	"voice-input/pkg/cli"
	"voice-input/pkg/wire"
)

// audioStall is how long a take waits for the next samples. A recorder that
// lives sends some every 100 ms.
const audioStall = 30 * time.Second

// maxID bounds the id of a take, which comes back in every event.
const maxID = 128

// resident does one take after the other until the end of standard input. How
// a take ended its events tell; only lines that are no takes count for the
// status. Language is that of takes that name none.
func (r *recognizer) resident(ctx context.Context, o *cli.IO, language string) error {
	err := o.EachRecord(func(line []byte) error { return r.line(ctx, line, language) })
	if errors.Is(err, cli.ErrNoRecord) {
		return nil
	}
	return err
}

// line does the take of one line.
func (r *recognizer) line(ctx context.Context, line []byte, language string) error {
	var req wire.Take
	if err := wire.Decode(line, &req); err != nil {
		return err
	}
	if err := check(&req); err != nil {
		return cli.Errorf(cli.StatusData, "cannot do take: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	t := take{id: req.ID, language: cmp.Or(req.Language, language), know: later(ctx, req.TermsPath, r.warn)}
	if req.TermsPath == "" {
		given := know(&wire.Terms{Terms: terms(req.Hints)})
		t.know = func(context.Context) knowledge { return given }
	}
	t.open = func(ctx context.Context) (*audio.Reader, io.Closer, error) {
		in, err := openInput(ctx, req.Audio.Path, audioStall)
		if err != nil {
			return nil, nil, err
		}
		bare := audio.Format{Encoding: audio.S16, Rate: req.Audio.Rate, Channels: req.Audio.Channels}
		samples, err := openAudio(in, req.Audio.Format, bare)
		return samples, in, err
	}
	err := r.do(ctx, t)
	switch {
	case err == nil, errors.Is(err, cli.ErrNothing):
		return nil
	case errors.Is(err, context.Canceled), errors.As(err, new(*outputError)):
		return err
	}
	// The take's error event has been written; this is for the person who
	// reads the log.
	r.warn("take failed: %v", err)
	return nil
}

// check returns what makes a take impossible, without a value from the line.
func check(t *wire.Take) error {
	switch {
	case t.ID == "" || len(t.ID) > maxID || clean(t.ID) != t.ID:
		return fmt.Errorf("id must have 1 to %d bytes of printable characters", maxID)
	case t.Audio.Path == "":
		return errors.New("audio.path is missing")
	}
	switch t.Audio.Format {
	case "", "auto", "wav", "s16le":
	default:
		return errors.New("audio.format must be s16le, wav or auto")
	}
	if t.Audio.Format == "s16le" {
		if err := (audio.Format{Rate: t.Audio.Rate, Channels: t.Audio.Channels}).Check(); err != nil {
			return err
		}
	}
	return checkLanguage(t.Language)
}

func terms(texts []string) []wire.Term {
	out := make([]wire.Term, len(texts))
	for i, t := range texts {
		out[i].Text = t
	}
	return out
}

package capture

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"syscall"
	"time"

	"voice-input/pkg/cli"
	"voice-input/pkg/wire"
)

// drainLimit is how long a reader of the samples may take, after the
// recording is over, for what is still to be written.
const drainLimit = 5 * time.Second

// errStuck says that the reader did not.
var errStuck = fmt.Errorf("it was not read for %s", drainLimit)

// recorder moves the samples of a stream to an output.
type recorder struct {
	stream  *Stream
	out     io.Writer
	events  *events
	wav     bool
	limit   int64 // samples, 0 for no limit
	started time.Time

	samples atomic.Int64 // written so far
	meter   meter
}

// run copies until the limit, the end of the stream, or the end of ctx,
// which closes the stream. The error is nil for the limit, io.EOF for a
// closed stream, a *LostError, or what the output said. The microphone has
// been let go when run returns.
func (r *recorder) run(ctx context.Context) error {
	defer r.stream.Close()
	stop := context.AfterFunc(ctx, r.stream.Close)
	defer stop()
	copied := make(chan error, 1)
	go func() { copied <- r.copy() }()
	select {
	case err := <-copied:
		return err
	case <-r.stream.Ended():
	}
	select {
	case err := <-copied:
		return err
	case <-time.After(drainLimit):
		return errStuck
	}
}

func (r *recorder) copy() error {
	if !r.wav {
		return r.copySamples()
	}
	header, err := newWAV(r.out)
	if err != nil {
		return err
	}
	err = r.copySamples()
	problem := header.finish(r.samples.Load() * SampleSize)
	if err == nil || err == io.EOF {
		err = cmp.Or(problem, err)
	}
	return err
}

func (r *recorder) copySamples() error {
	buf := make([]byte, 32<<10)
	for first := true; ; first = false {
		room := buf
		if r.limit > 0 {
			left := r.limit - r.samples.Load()
			if left == 0 {
				return nil
			}
			room = buf[:min(int64(len(buf)), left*SampleSize)]
		}
		n, err := r.stream.Read(room)
		if err != nil {
			return err
		}
		if first {
			r.events.emit(&wire.Capture{Type: wire.CaptureReady, Source: r.stream.Source.Name, StartMS: time.Since(r.started).Milliseconds()})
		}
		n, err = r.out.Write(buf[:n])
		r.samples.Add(int64(n / SampleSize))
		r.meter.add(buf[:n], func(rms, peak float64) {
			r.events.emit(&wire.Capture{Type: wire.CaptureLevel, Samples: r.samples.Load(), RMS: rms, Peak: peak})
		})
		if err != nil {
			return err
		}
	}
}

// outcome turns the end of run into the reason of the last event and the
// error of the program.
func outcome(err error) (reason string, _ error) {
	var lost *LostError
	switch {
	case err == nil:
		return wire.OK, nil
	case errors.Is(err, io.EOF), errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.ECONNRESET), errors.Is(err, context.Canceled):
		return "interrupted", nil
	case errors.As(err, &lost):
		return lost.Reason, &cli.Error{Status: lostStatus(lost.Reason), Err: lost, Hint: lostHints[lost.Reason]}
	case errors.Is(err, errStuck):
		return "overflow", cli.Errorf(cli.StatusIO, "cannot write samples to standard output: %w", err).WithHint("%s", lostHints["overflow"])
	default:
		return "interrupted", cli.Errorf(cli.StatusIO, "cannot write samples to standard output: %w", err)
	}
}

func lostStatus(reason string) cli.Status {
	switch reason {
	case "no_data":
		return cli.StatusTempFail
	case "overflow":
		return cli.StatusIO
	default:
		return cli.StatusUnavailable
	}
}

var lostHints = map[string]string{
	"device_lost": "plug it in again; " + listHint,
	"suspended":   "wake it: pactl suspend-source NAME 0",
	"no_data":     "the device or the sound server hangs, or it needs a longer --stall",
	"overflow":    "the program that reads the samples is too slow",
}

// lostEvent returns the event that goes before the end, or nil.
func lostEvent(err error, samples int64) *wire.Capture {
	var lost *LostError
	if !errors.As(err, &lost) {
		return nil
	}
	event := &wire.Capture{Header: wire.Header{Reason: lost.Reason}, Type: wire.CaptureDeviceLost, Source: lost.Source, Samples: samples}
	switch lost.Reason {
	case "device_moved":
		event.Type, event.Source = wire.CaptureDeviceMoved, lost.MovedTo
	case "device_lost", "suspended", "server_lost":
	default:
		return nil
	}
	return event
}

package supervise

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"voice-input/pkg/internal/child"
	"voice-input/pkg/wire"
)

// recorder is one run of vi-capture. A take is a stretch of its stream: swap
// moves from one take to the next between two chunks, so that they share no
// sample and lose none.
type recorder struct {
	proc *child.Process
	done chan struct{} // closed when the stream has ended and all is written

	mu   sync.Mutex
	sink *samples
	max  int64 // bytes that sink may take
	err  error // of writing to sink
}

// recorderEvents is what a recorder tells. The functions are called on its
// own goroutines, one at a time each, ended last.
type recorderEvents struct {
	event func(*wire.Capture) // an event of vi-capture
	full  func(*samples)      // sink has its maximum
	ended func(error)         // the stream has ended; nil after stop
}

// startRecorder starts vi-capture into sink. It runs until stop.
func startRecorder(argv []string, log io.Writer, sink *samples, max time.Duration, on recorderEvents) (*recorder, error) {
	stdoutR, stdoutW, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	eventsR, eventsW, err := os.Pipe()
	if err != nil {
		stdoutR.Close()
		stdoutW.Close()
		return nil, err
	}
	proc, err := child.Start(context.Background(), child.Spec{Argv: argv, Stdout: stdoutW, Stderr: log, Extra: []*os.File{eventsW}})
	stdoutW.Close()
	eventsW.Close()
	if err != nil {
		stdoutR.Close()
		eventsR.Close()
		return nil, err
	}
	r := &recorder{proc: proc, done: make(chan struct{}), sink: sink, max: maxBytes(max)}
	var both sync.WaitGroup
	var last wire.Capture
	both.Go(func() {
		defer eventsR.Close()
		r.readEvents(eventsR, &last, on)
	})
	both.Go(func() {
		defer stdoutR.Close()
		r.pump(stdoutR, on)
	})
	go func() {
		both.Wait()
		err := proc.Wait()
		r.swap(nil)
		close(r.done)
		on.ended(r.why(err, &last))
	}()
	return r, nil
}

func maxBytes(d time.Duration) int64 {
	return int64(d/time.Millisecond) * sampleRate / 1000 * bytesPerSample
}

// why says why the stream ended, nil for the usual end. The event of
// vi-capture is more telling than its exit status.
func (r *recorder) why(exit error, last *wire.Capture) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.err != nil:
		return r.err
	case exit == nil, last.Type == wire.CaptureEnd && last.Reason == "interrupted":
		return nil // a slow end after stop is an end all the same
	case last.Type == wire.CaptureEnd && last.Reason != wire.OK:
		return fmt.Errorf("recording ended: %s", wire.ReasonMeaning(wire.SchemaCapture, last.Reason))
	default:
		return exit
	}
}

func (r *recorder) readEvents(f io.Reader, last *wire.Capture, on recorderEvents) {
	lines := wire.NewReader(f)
	for {
		line, err := lines.Next()
		if err != nil && !errors.Is(err, wire.ErrLineTooLong) {
			return
		}
		var e wire.Capture
		if err == nil && wire.Decode(line, &e) == nil {
			*last = e
			on.event(&e)
		}
	}
}

// pump writes the stream to whatever sink is attached, whole samples only.
func (r *recorder) pump(f io.Reader, on recorderEvents) {
	buf := make([]byte, 64<<10)
	odd := 0
	for {
		n, err := f.Read(buf[odd:])
		n += odd
		odd = n % bytesPerSample
		if full := r.write(buf[:n-odd]); full != nil {
			on.full(full)
		}
		copy(buf, buf[n-odd:n])
		if err != nil {
			return
		}
	}
}

// write appends b to the sink and returns the sink if it is full with that.
func (r *recorder) write(b []byte) (full *samples) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sink == nil || len(b) == 0 {
		return nil
	}
	room := r.max - r.sink.bytes()
	if int64(len(b)) >= room {
		b, full = b[:max(room, 0)], r.sink
	}
	_, err := r.sink.Write(b)
	if err != nil {
		r.err = err
		r.proc.Signal(syscall.SIGTERM)
	}
	if err != nil || full != nil {
		r.sink.finish()
		r.sink = nil
	}
	return full
}

// swap completes the samples that the stream goes to and makes it go to next
// from its next sample on; nil is nowhere.
func (r *recorder) swap(next *samples) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sink != nil {
		r.sink.finish()
	}
	r.sink = next
}

// stop ends the recording. What vi-capture still holds is written before done
// is closed; a vi-capture that does not end is killed.
func (r *recorder) stop() {
	r.proc.Signal(syscall.SIGTERM)
	timer := time.AfterFunc(drainCapture, r.proc.Kill)
	go func() {
		<-r.done
		timer.Stop()
	}()
}

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
// sample and lose none. A recorder with pre-roll stays between takes and
// remembers what it heard since the last one.
type recorder struct {
	proc *child.Process
	done chan struct{} // closed when the stream has ended and all is written
	spec recording

	mu     sync.Mutex
	ready  bool     // the first samples have come
	sink   *samples // nil between takes
	before []byte   // heard since the last take, at most the pre-roll
	err    error    // why the supervisor ended it
	asked  bool     // to end, by stop
	last   wire.Capture
}

// recording says how to record.
type recording struct {
	argv    []string
	log     io.Writer
	max     int64         // bytes that one take may have
	preRoll int64         // bytes of what was heard before a take; 0: it ends with its take
	stall   time.Duration // without samples for so long it is dead
	on      recorderEvents
}

// recorderEvents is what a recorder tells. The functions are called on its
// own goroutines, one at a time each, ended last.
type recorderEvents struct {
	event func(*wire.Capture) // an event of vi-capture
	full  func(*samples)      // a take has its maximum
	ended func(error)         // the stream has ended; nil after stop
}

// startRecorder starts vi-capture. Its stream goes to sink, which is nil for a
// recorder that waits for a take.
func startRecorder(spec recording, sink *samples) (*recorder, error) {
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
	proc, err := child.Start(context.Background(), child.Spec{Argv: spec.argv, Stdout: stdoutW, Stderr: spec.log, Extra: []*os.File{eventsW}, Env: scrubbed()})
	stdoutW.Close()
	eventsW.Close()
	if err != nil {
		stdoutR.Close()
		eventsR.Close()
		return nil, err
	}
	r := &recorder{proc: proc, done: make(chan struct{}), spec: spec, sink: sink}
	var both sync.WaitGroup
	both.Go(func() {
		defer eventsR.Close()
		r.readEvents(eventsR)
	})
	both.Go(func() {
		defer stdoutR.Close()
		r.pump(stdoutR)
	})
	go func() {
		both.Wait()
		err := proc.Wait()
		r.swap(nil)
		close(r.done)
		spec.on.ended(r.why(err))
	}()
	return r, nil
}

func maxBytes(d time.Duration) int64 {
	return int64(d/time.Millisecond) * sampleRate / 1000 * bytesPerSample
}

// why says why the stream ended, nil for the usual end. The event of
// vi-capture is more telling than its exit status.
func (r *recorder) why(exit error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.err != nil:
		return r.err
	case exit == nil, r.asked && terminated(exit), r.last.Type == wire.CaptureEnd && r.last.Reason == "interrupted":
		return nil // a slow end after stop is an end all the same
	case r.last.Type == wire.CaptureEnd && r.last.Reason != wire.OK:
		return fmt.Errorf("recording ended: %s", wire.ReasonMeaning(wire.SchemaCapture, r.last.Reason))
	default:
		return exit
	}
}

// terminated tells whether TERM ended a program, as it does those that do not
// catch it.
func terminated(exit error) bool {
	var e *child.ExitError
	if !errors.As(exit, &e) {
		return false
	}
	status, ok := e.State.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGTERM
}

func (r *recorder) readEvents(f io.Reader) {
	lines := wire.NewReader(f)
	for {
		line, err := lines.Next()
		if err != nil && !errors.Is(err, wire.ErrLineTooLong) {
			return
		}
		var e wire.Capture
		if err != nil || wire.Decode(line, &e) != nil {
			continue
		}
		r.mu.Lock()
		r.last = e
		r.ready = r.ready || e.Type == wire.CaptureReady
		r.mu.Unlock()
		r.spec.on.event(&e)
	}
}

// pump writes the stream to whatever sink is attached, whole samples only. A
// stream that stalls is given up: a recorder that is stopped, or one of the
// user's that watches nothing, would record silence for ever.
func (r *recorder) pump(f io.Reader) {
	stall := time.AfterFunc(r.spec.stall, func() {
		r.give(fmt.Errorf("recording ended: no samples came for %s", r.spec.stall))
		r.proc.Kill()
	})
	defer stall.Stop()
	buf := make([]byte, 64<<10)
	odd := 0
	for {
		n, err := f.Read(buf[odd:])
		stall.Reset(r.spec.stall)
		n += odd
		odd = n % bytesPerSample
		if full := r.write(buf[:n-odd]); full != nil {
			r.spec.on.full(full)
		}
		copy(buf, buf[n-odd:n])
		if err != nil {
			return
		}
	}
}

// give notes why the recorder is ended; the first reason counts.
func (r *recorder) give(why error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.err = why
	}
}

// write appends b to the sink and returns the sink if it is full with that.
func (r *recorder) write(b []byte) (full *samples) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sink == nil || len(b) == 0 {
		r.remember(b)
		return nil
	}
	var rest []byte
	room := r.spec.max - r.sink.bytes()
	if int64(len(b)) >= room {
		b, rest, full = b[:max(room, 0)], b[max(room, 0):], r.sink
	}
	_, err := r.sink.Write(b)
	if err != nil {
		r.err = err
		r.proc.Signal(syscall.SIGTERM)
	}
	if err != nil || full != nil {
		r.sink.finish()
		r.sink = nil
		r.remember(rest)
	}
	return full
}

// remember keeps the last of what is heard between takes.
func (r *recorder) remember(b []byte) {
	if r.spec.preRoll == 0 {
		return
	}
	r.before = append(r.before, b...)
	// Twice the pre-roll before it is moved keeps the moving cheap.
	if most := int(r.spec.preRoll); len(r.before) > 2*most {
		r.before = append(r.before[:0], r.before[len(r.before)-most:]...)
	}
}

// attach makes the stream go to sink from its next sample on, after the
// pre-roll, in one step. What belonged to an earlier take is never in it.
func (r *recorder) attach(sink *samples) (ready bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case <-r.done:
		return false, errors.New("the recorder has ended")
	default:
	}
	before := r.before[max(0, len(r.before)-int(r.spec.preRoll)):]
	r.before = r.before[:0]
	if _, err := sink.Write(before); err != nil {
		return false, err
	}
	r.sink = sink
	return r.ready, nil
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

// finish ends the recording of one take. A recorder that has moved on to
// another one is left alone.
func (r *recorder) finish(sm *samples) {
	if r.spec.preRoll == 0 {
		r.stop()
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sink == sm {
		r.sink.finish()
		r.sink = nil
	}
}

// finished is closed when nothing more is written for a take after finish.
func (r *recorder) finished() <-chan struct{} {
	if r.spec.preRoll == 0 {
		return r.done
	}
	already := make(chan struct{})
	close(already)
	return already
}

// stop ends the recorder. What vi-capture still holds is written before done
// is closed; a vi-capture that does not end is killed.
func (r *recorder) stop() {
	r.mu.Lock()
	r.asked = true
	r.mu.Unlock()
	r.proc.Signal(syscall.SIGTERM)
	timer := time.AfterFunc(drainCapture, r.proc.Kill)
	go func() {
		<-r.done
		timer.Stop()
	}()
}

package capture

import (
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"voice-input/pkg/cli"
	"voice-input/pkg/wire"
)

const (
	// eventQueue is how many levels wait for a slow reader of the events; more
	// are dropped. The few other events have room of their own.
	eventQueue = 32
	eventSpare = 8
	// flushLimit is how long the program stays for such a reader at its end.
	flushLimit = 200 * time.Millisecond
)

// events tells another program what happens, and never waits for it. A nil
// *events tells nobody.
type events struct {
	queue   chan []byte
	flushed chan struct{}

	mu    sync.Mutex
	ended bool
}

// openEvents returns the events for a file descriptor, nil for -1.
func openEvents(fd int) (*events, error) {
	switch {
	case fd == -1:
		return nil, nil
	case fd < 2:
		return nil, cli.ErrUsage("cannot write events to descriptor %d: it must be 2 or more", fd)
	}
	own, err := duplicate(fd)
	if err != nil {
		return nil, cli.ErrUsage("cannot write events to descriptor %d: %v", fd, err).WithHint("open it, for example: --events-fd 3 3>events.jsonl")
	}
	return newEvents(own), nil
}

// duplicate returns a descriptor of our own for the same file. Writing to a
// closed pipe as descriptor 1 or 2 would kill a Go program.
func duplicate(fd int) (*os.File, error) {
	own, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(own), ""), nil
}

func newEvents(w io.WriteCloser) *events {
	e := &events{queue: make(chan []byte, eventQueue+eventSpare), flushed: make(chan struct{})}
	go func() {
		defer close(e.flushed)
		defer w.Close()
		for line := range e.queue {
			if _, err := w.Write(line); err != nil {
				break // nobody reads; the rest stays in the queue
			}
		}
	}()
	return e
}

// emit queues an event. After an end event it does nothing.
func (e *events) emit(c *wire.Capture) {
	if e == nil {
		return
	}
	line, err := wire.Encode(c)
	if err != nil {
		panic(err) // a reason that is not in the list
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ended || c.Type == wire.CaptureLevel && len(e.queue) >= eventQueue {
		return
	}
	select {
	case e.queue <- line:
	default:
	}
	if c.Type == wire.CaptureEnd {
		e.ended = true
		close(e.queue)
	}
}

// end emits the last event and gives its reader a moment to take it.
func (e *events) end(reason string, samples int64) {
	if e == nil {
		return
	}
	e.emit(&wire.Capture{Header: wire.Header{Reason: reason}, Type: wire.CaptureEnd, Samples: samples})
	select {
	case <-e.flushed:
	case <-time.After(flushLimit):
	}
}

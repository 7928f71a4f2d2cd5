package qwenaudio

import (
	"errors"
	"io"
	"sync"
	"time"

	"voice-input/pkg/asr/vad"
	"voice-input/pkg/wire"
)

// recording follows the samples of a take as they come: how many there are,
// whether anybody speaks, and when they end. What is sent is read again from
// the first one on, so that a service that is slow holds up nobody.
type recording struct {
	ended chan struct{} // closed at the end

	mu    sync.Mutex
	bytes int64
	meter vad.Meter
	err   error // why the samples ended before their time
}

func newRecording() *recording { return &recording{ended: make(chan struct{})} }

// follow reads the samples to their end.
func (r *recording) follow(samples io.Reader) {
	defer close(r.ended)
	buf := make([]byte, 16<<10)
	for {
		n, err := samples.Read(buf)
		r.mu.Lock()
		r.bytes += int64(n)
		r.meter.Write(buf[:n])
		if err != nil && !errors.Is(err, io.EOF) {
			r.err = err
		}
		r.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// size returns how many bytes have come.
func (r *recording) size() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.bytes
}

// length returns how long the recording is so far.
func (r *recording) length() time.Duration { return duration(r.size()) }

// speech returns what was heard so far, by local evidence.
func (r *recording) speech() wire.Speech {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.meter.Speech()
}

// over tells whether the recording has ended, and the error that it ended
// with if it was not at its end.
func (r *recording) over() (bool, error) {
	select {
	case <-r.ended:
		r.mu.Lock()
		defer r.mu.Unlock()
		return true, r.err
	default:
		return false, nil
	}
}

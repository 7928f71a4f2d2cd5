package qwenrealtime

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"voice-input/pkg/asr/engine"
	"voice-input/pkg/asr/vad"
)

// packet is what is sent at once, in bytes: 100 ms, as the provider advises.
const packet = engine.BytesPerSecond / 10

// pace is how fast samples are sent that have waited, in times of their
// length. Faster ones a service may refuse.
const pace = 4

// burst is what may be sent without pace at the beginning of a take: clips of
// that length were taken in one go.
const burst = 30 * time.Second

// evidence measures the speech that the service was sent and has not answered.
type evidence struct {
	mu    sync.Mutex
	meter vad.Meter
}

func (e *evidence) hear(pcm []byte) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.meter.Write(pcm)
}

// answered forgets what was sent before an event.
func (e *evidence) answered() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.meter = vad.Meter{}
}

func (e *evidence) voiced() time.Duration {
	e.mu.Lock()
	defer e.mu.Unlock()
	return time.Duration(e.meter.Speech().SpeechMS) * time.Millisecond
}

// feeder sends the samples of a take to a session that was accepted.
type feeder struct {
	w        *writer
	samples  engine.Samples
	evidence *evidence
	burst    time.Duration
	ending   func() // called before the end is told
}

// errLost says that the connection takes nothing more. Reading it tells why.
var errLost = errors.New("the connection is lost")

// run sends all samples and then says that they are all. The length is that of
// what was sent. The error is errLost, ctx's, or the samples' own.
func (f *feeder) run(ctx context.Context) (length time.Duration, err error) {
	begin := time.Now()
	buf := make([]byte, packet)
	for {
		n, err := io.ReadFull(f.samples, buf)
		if n &^= 1; n > 0 {
			if wait := due(length, f.burst, time.Since(begin)); wait > 0 {
				if err := sleep(ctx, wait); err != nil {
					return length, err
				}
			}
			if f.w.append(buf[:n]) != nil {
				return length, errLost
			}
			f.evidence.hear(buf[:n])
			length += time.Duration(n) * time.Second / engine.BytesPerSecond
		}
		switch {
		case err == io.EOF, errors.Is(err, io.ErrUnexpectedEOF):
			f.ending()
			if f.w.finish() != nil {
				return length, errLost
			}
			return length, nil
		case err != nil:
			return length, err
		}
	}
}

// due returns how long to wait with the samples behind those of a length that
// were sent since the beginning, some of which without pace.
func due(sent, burst, since time.Duration) time.Duration {
	return max(0, (sent-burst)/pace-since)
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

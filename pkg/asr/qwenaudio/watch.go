package qwenaudio

import (
	"sync"
	"time"

	"voice-input/pkg/asr/vad"
)

// watch notices a service that is told speech and has nothing to say to it. A
// pause, however long, and noise are no reason to say something, so what
// counts is speech by local evidence.
type watch struct {
	limits limits

	mu     sync.Mutex
	meter  vad.Meter // of what was sent since the last answer
	enough time.Time // since when that has enough speech in it
}

// hear takes in what was sent.
func (w *watch) hear(pcm []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.meter.Write(pcm)
}

// answered says that the service had something to say.
func (w *watch) answered() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.meter, w.enough = vad.Meter{}, time.Time{}
}

// longPause is what the watch looks back at, at most. It has a limit, as
// looking takes longer the more there is.
const longPause = 30 * time.Second

// stalled tells whether the service has stalled. It is to be asked once in a
// limits.look.
func (w *watch) stalled(now time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.enough.IsZero() {
		s := w.meter.Speech()
		if time.Duration(s.SpeechMS)*time.Millisecond >= w.limits.speech {
			w.enough = now
		} else if time.Duration(s.AudioMS)*time.Millisecond > longPause {
			w.meter = vad.Meter{}
		}
	}
	return !w.enough.IsZero() && now.Sub(w.enough) >= w.limits.stall
}

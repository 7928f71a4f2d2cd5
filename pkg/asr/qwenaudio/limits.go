package qwenaudio

import (
	"time"

	"voice-input/pkg/asr/engine"
)

// packet is what is sent at once, in bytes: 100 ms, as the provider advises.
const packet = engine.BytesPerSecond / 10

// replaySpeed is how fast a replacement is told what was said before it, in
// times of its length.
const replaySpeed = 4

// maxReplay bounds the recording that a replacement is told, in bytes: 300 s,
// which take 75 s to tell. It is below the 10 MiB that may be kept for it.
const maxReplay = 300 * engine.BytesPerSecond

// Bounds of what a service sends beside those of the package socket.
const (
	maxSentence  = 16 << 10  // bytes of one sentence; what is more is cut off
	maxText      = 256 << 10 // bytes of all; an hour of speech has 60 kB
	maxSentences = 1 << 14   // an hour has some thousand
)

// limits are the waits that the configuration does not set.
type limits struct {
	hints       time.Duration // for the terms, at most; rule J3
	replacement time.Duration // for a replacement to begin, at most
	retry       time.Duration // before a connection that did not come about is tried again
	stall       time.Duration // for an answer to speech, once enough has been sent
	speech      time.Duration // so much is enough: a service may take a cough for noise
	look        time.Duration // between two looks at the speech
	drain       time.Duration // for what the service may have said before it closed
}

var defaults = limits{
	hints:       5 * time.Second,
	replacement: 5 * time.Second,
	retry:       250 * time.Millisecond,
	stall:       8 * time.Second, // several times the longest that a working service was seen to be silent
	speech:      2 * time.Second,
	look:        time.Second,
	drain:       time.Second,
}

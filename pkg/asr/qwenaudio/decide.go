package qwenaudio

import (
	"time"

	"voice-input/pkg/asr/engine"
	"voice-input/pkg/asr/native"
)

// loss is a task that has come to an end before its time.
type loss struct {
	Transport bool  // the connection was lost or fell silent; the service refused nothing
	Started   bool  // the task had begun
	Finished  bool  // finish-task was written
	Again     bool  // it was a replacement itself
	Bytes     int64 // of the recording so far
}

// replaceable tells whether another task is to take the place of one. It hears
// the recording from its first sample on, so there must not be too much of it.
func replaceable(l loss) bool {
	return l.Transport && l.Started && !l.Finished && !l.Again && l.Bytes <= maxReplay
}

// duration is the length of so many bytes of samples.
func duration(bytes int64) time.Duration {
	return time.Duration(bytes) * time.Second / engine.BytesPerSecond
}

// nativeTime estimates how long the native pass takes: 3 s were measured for
// sentences (the slowest of twenty), and a slow line sends the recording at 15
// times its length.
func nativeTime(length time.Duration) time.Duration { return 3*time.Second + length/15 }

// abandon tells whether a replacement is given up at the end of the recording,
// as its text would come later than that of the native pass. Left is what it
// has still to be told.
func abandon(left, length time.Duration, pass native.Mode) bool {
	return pass == native.Adaptive && left/replaySpeed > nativeTime(length)
}

// delivery is how long, after the end of the recording, the service may take
// to take the rest of it. With an adaptive pass that is not much longer than
// the pass itself; else as long as a replacement that hears it from the start.
// A service that takes longer has been slow for the whole recording.
func delivery(length, finalize time.Duration, pass native.Mode) time.Duration {
	if pass == native.Adaptive {
		return nativeTime(length) + time.Second
	}
	return finalize + length/replaySpeed
}

// certain tells whether the native pass is run whatever the stream brings, so
// that it need not be waited for. Finished is that the stream was healthy.
func certain(s native.Situation) bool {
	for _, end := range []native.Situation{
		{Stream: native.Usable, Finished: true},
		{Stream: native.Empty, Finished: true},
		{Stream: native.Degraded, Interrupted: true},
		{Stream: native.Failed, Interrupted: true},
	} {
		s.Stream, s.Finished, s.Interrupted = end.Stream, end.Finished, end.Interrupted
		if run, _ := native.Decide(s); !run {
			return false
		}
	}
	return true
}

package qwenrealtime

import (
	"time"
)

// limits are the waits of a session.
type limits struct {
	start    time.Duration // from session.update to the service's answer
	active   time.Duration // no text while the service hears speech
	silence  time.Duration // no event at all while somebody speaks
	voiced   time.Duration // so much speech counts as somebody speaking
	finalize time.Duration // no event after session.finish
}

// The rules for a session that has come to a stop. 8 s is several times the
// longest pause between two events that a working service makes; steady noise
// is no speech, so that silence is never taken for a stop.
const (
	stalledActive  = 8 * time.Second
	stalledSilence = 8 * time.Second
	voicedEvidence = time.Second
)

// watch knows when to give a session up. Nothing in it reads a clock.
type watch struct {
	limits
	updated  time.Time // session.update was written
	accepted bool      // and answered
	last     time.Time // the last event, or the beginning of the samples
	hearing  bool      // the service says that somebody speaks
	text     time.Time // the last event with text, or the beginning of the speech
	finished time.Time // session.finish was written
	length   time.Duration
}

// event says that the service sent something.
func (w *watch) event(kind string, now time.Time) {
	w.last = now
	switch kind {
	case sessionUpdated:
		w.accepted = true
	case speechStarted:
		w.hearing, w.text = true, now
	case speechStopped:
		w.hearing = false
	case textEvent, textCompleted, textFailed:
		w.text = now
	}
}

// end says that session.finish was written behind samples of a length.
func (w *watch) end(length time.Duration, now time.Time) {
	w.finished, w.last, w.length = now, now, length
}

// Why a session is given up.
const (
	noAnswer   = "start"    // session.update was not answered
	stalled    = "stalled"  // nothing comes although somebody speaks
	unfinished = "finalize" // nothing comes after session.finish
)

// check returns why to give up now, or when to look again. Voiced is how much
// speech was sent since the last event; it is asked only if it matters.
func (w *watch) check(now time.Time, voiced func() time.Duration) (why string, next time.Duration) {
	switch {
	case !w.finished.IsZero():
		// As long as something comes the service is working: a long recording
		// may take it longer than one wait. But not for ever.
		until := min(w.last.Add(w.finalize).Sub(now), w.finished.Add(w.finalize+w.length).Sub(now))
		if until <= 0 {
			return unfinished, 0
		}
		return "", until
	case w.updated.IsZero():
		return "", time.Hour // dialling and the hints have limits of their own
	case !w.accepted:
		if until := w.updated.Add(w.start).Sub(now); until > 0 {
			return "", until
		}
		return noAnswer, 0
	}
	next = w.last.Add(w.silence).Sub(now)
	if next <= 0 {
		if voiced() >= w.voiced {
			return stalled, 0
		}
		next = w.voiced // speech may have begun just now
	}
	if w.hearing {
		until := w.text.Add(w.active).Sub(now)
		if until <= 0 {
			return stalled, 0
		}
		next = min(next, until)
	}
	return "", next
}

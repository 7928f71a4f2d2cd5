package program

import "time"

// limits is the one table of how long and how much.
type limits struct {
	check    time.Duration // ENGINE --check: imports and looks, loads nothing
	load     time.Duration // start to "ready": a model of 3 GB from a slow disk
	open     time.Duration // take line to the opening of the FIFO
	answer   time.Duration // the part of the final limit that does not depend on the length
	perAudio float64       // seconds per second of audio: slower is of no use for dictation
	quit     time.Duration // end of standard input to the program's end
	kill     time.Duration // TERM to KILL when the user cancels

	line    int     // bytes of a line: an hour of speech has 60 kB of text
	bytes   float64 // a program may send this much at once …
	perSec  float64 // … and this much more in each second
	events  float64
	eventsS float64
}

var defaults = limits{
	check:    10 * time.Second,
	load:     60 * time.Second,
	open:     5 * time.Second,
	answer:   10 * time.Second,
	perAudio: 3,
	quit:     time.Second,
	kill:     40 * time.Millisecond,

	line:    1 << 20,
	bytes:   4 << 20,
	perSec:  1 << 20,
	events:  1000,
	eventsS: 200,
}

// final is how long a program may think about so many bytes of samples.
func (l limits) final(bytes, perSecond int64) time.Duration {
	audio := time.Duration(bytes) * time.Second / time.Duration(perSecond)
	return l.answer + time.Duration(l.perAudio*float64(audio))
}

// flooded tells whether a program has sent too much in the time since the
// take began.
func (l limits) flooded(events, bytes int, since time.Duration) bool {
	s := since.Seconds()
	return float64(events) > l.events+l.eventsS*s || float64(bytes) > l.bytes+l.perSec*s
}

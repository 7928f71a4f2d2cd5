package notify

import (
	"context"
	"sync"
	"time"

	"github.com/godbus/dbus/v5"

	"voice-input/pkg/wire"
)

const (
	// refresh is how often a note of progress is shown again; see expiry.
	refresh = 2 * time.Second
	// meterPause is the least time between two notes that differ in the level
	// of the microphone alone.
	meterPause = 300 * time.Millisecond
	// retryPause is how long progress is not even tried after a failure.
	retryPause = 30 * time.Second
)

// Options are what a Notifier is made with.
type Options struct {
	Getenv func(string) string
	// Notifications is off, errors or all, as [feedback].notifications has it.
	Notifications string
	// Sounds asks the server to play sounds; nothing is played here.
	Sounds bool
	// Failed is told when notifications cease to work, once until they work
	// again. It may be nil.
	Failed func(error)
}

// Notifier shows notes. Its methods may be called from any goroutine.
type Notifier struct {
	o    Options
	next chan Note // holds the newest that was not shown yet
	done chan struct{}

	mu     sync.Mutex
	prev   wire.Status
	last   Note // the newest that was wanted
	passed time.Time
}

// Start returns a Notifier that works until ctx ends, and then takes away what
// it shows. It does not touch the bus before there is something to show.
func Start(ctx context.Context, o Options) *Notifier {
	n := &Notifier{o: o, next: make(chan Note, 1), done: make(chan struct{})}
	go n.loop(ctx)
	return n
}

// Done is closed when nothing is shown any more after the end of the context
// that Start was given; it takes at most 2 s.
func (n *Notifier) Done() <-chan struct{} { return n.done }

// Show is told of every change of the status. It never waits.
func (n *Notifier) Show(s wire.Status) {
	n.mu.Lock()
	defer n.mu.Unlock()
	note, changed := Message(n.prev, s)
	n.prev = s
	if !changed {
		return
	}
	if !wanted(n.o.Notifications, note) {
		note = Note{}
	}
	now := time.Now()
	if note == n.last || meterOnly(n.last, note) && now.Sub(n.passed) < meterPause {
		return
	}
	n.last, n.passed = note, now
	select {
	case <-n.next:
	default:
	}
	n.next <- note // has room: only Show fills it
}

// wanted tells whether the user wants to see a note.
func wanted(notifications string, n Note) bool {
	switch notifications {
	case "all":
		return true
	case "errors":
		return n.Level > Progress
	}
	return false
}

// meterOnly tells whether two notes differ in the level of the microphone
// alone.
func meterOnly(a, b Note) bool {
	if a.Value == 0 || b.Value == 0 {
		return false
	}
	a.Value = b.Value
	return a == b
}

// screen is what the loop knows of the screen.
type screen struct {
	server    *server
	shown     Note
	dismissed bool // the user does not want to see the progress of this take
	failing   bool
	failedAt  time.Time
}

func (n *Notifier) loop(ctx context.Context) {
	defer close(n.done)
	var s screen
	for {
		var signals <-chan *dbus.Signal
		var again <-chan time.Time
		if s.server != nil {
			signals = s.server.signals
			if s.shown.Level == Progress {
				again = time.After(refresh)
			}
		}
		select {
		case note := <-n.next:
			n.put(ctx, &s, note)
		case <-again:
			n.put(ctx, &s, s.shown)
		case sig, open := <-signals:
			s.heard(sig, open)
		case <-ctx.Done():
			s.hangUp(context.WithoutCancel(ctx))
			return
		}
	}
}

// put brings the screen from what is shown to a note.
func (n *Notifier) put(ctx context.Context, s *screen, note Note) {
	if note.Level > Progress || note.None() {
		s.dismissed = false
	}
	if note.None() || note.Level == Progress && s.dismissed {
		s.hangUp(ctx)
		return
	}
	if s.server == nil {
		if note.Level == Progress && s.failing && time.Since(s.failedAt) < retryPause {
			return
		}
		var err error
		if s.server, err = connect(ctx, n.o.Getenv); err != nil {
			n.failed(s, err)
			return
		}
	}
	if err := s.server.show(ctx, note, n.sound(s.shown, note)); err != nil {
		s.drop()
		n.failed(s, err)
		return
	}
	s.shown, s.failing = note, false
}

func (n *Notifier) failed(s *screen, err error) {
	if !s.failing && n.o.Failed != nil {
		n.o.Failed(err)
	}
	s.failing, s.failedAt = true, time.Now()
}

// sound returns the name of the sound for a note that follows another, after
// the freedesktop sound naming specification, or "".
func (n *Notifier) sound(before, note Note) string {
	if !n.o.Sounds || before.Summary == note.Summary {
		return ""
	}
	switch note.Level {
	case Problem:
		return "dialog-error"
	case Notice:
		return "dialog-information"
	}
	if note.Summary == phases["recording"] {
		return "bell"
	}
	return ""
}

// heard takes note of a signal of the server, or of the end of the connection.
func (s *screen) heard(sig *dbus.Signal, open bool) {
	if !open {
		s.drop()
		return
	}
	reason, gone := s.server.ended(sig)
	if !gone {
		return
	}
	switch {
	case s.shown.Level > Progress:
	case reason == dismissed:
		s.dismissed = true
	default:
		return // shown again in a moment
	}
	s.drop()
}

// drop ends the connection.
func (s *screen) drop() {
	s.server.conn.Close()
	s.server, s.shown = nil, Note{}
}

// hangUp takes away what is shown and ends the connection.
func (s *screen) hangUp(ctx context.Context) {
	if s.server != nil {
		s.server.close(ctx)
		s.drop()
	}
}

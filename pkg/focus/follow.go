package focus

import (
	"context"
	"reflect"
	"time"

	"voice-input/pkg/wire"
)

const (
	// settle is waited after an event, for desktops send several for one
	// change of the focus, with no window in between.
	settle = 20 * time.Millisecond
	// poll is how often a terminal is looked into, whose tabs, panes and
	// processes change without an event, and a desktop that sends none.
	poll = time.Second
)

// Follow calls emit with the focus now and whenever something in it changed,
// until ctx ends, which is no error, or emit returns one.
func (l *Looker) Follow(ctx context.Context, emit func(*wire.Focus) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	changed := make(chan struct{}, 1)
	notify := func() {
		select {
		case changed <- struct{}{}:
		default: // one is as good as many
		}
	}
	watching, ended := false, make(chan error, 1)
	var since time.Time // the watch began
	var last *wire.Focus
	for {
		f, d := l.lookWith(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if last == nil || !same(last, f) {
			if err := emit(f); err != nil {
				return err
			}
		}
		last = f
		if d != nil && !watching {
			watching, since = true, time.Now()
			go func() { ended <- d.watch(ctx, notify) }()
		}
		var tick <-chan time.Time
		// Some desktops do not say when they have begun to tell.
		if !watching || f.Terminal != nil || time.Since(since) < poll {
			tick = time.After(poll)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick:
		case err := <-ended:
			watching = false
			l.Explain("desktop: no events: %v", err)
			if !pause(ctx, poll) {
				return nil
			}
		case <-changed:
			if !pause(ctx, settle) {
				return nil
			}
			select {
			case <-changed:
			default:
			}
		}
	}
}

// pause waits and tells whether ctx still goes on.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// same compares two records in all but their time. The schema is set when a
// record is written, and only then.
func same(a, b *wire.Focus) bool {
	x, y := *a, *b
	x.At, y.At = "", ""
	x.Schema, y.Schema = "", ""
	return reflect.DeepEqual(x, y)
}

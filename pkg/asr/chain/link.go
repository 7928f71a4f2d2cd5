package chain

import (
	"context"
	"sync"

	"voice-input/pkg/asr/engine"
)

// Link is an engine that may be needed.
type Link struct {
	// Name is for messages until the engine is open.
	Name string
	// Open makes the engine. What it starts may live as long as its context,
	// which is that of the chain; it returns soon after that has ended.
	Open func(context.Context) (engine.Engine, error)
}

// link is an engine that is opened once.
type link struct {
	Link
	mu      sync.Mutex
	pending *opening // nil before, and again after an error
}

// opening is an engine that is being opened, or is open.
type opening struct {
	done   chan struct{}
	engine engine.Engine
	err    error
}

// begin opens the engine if nobody has yet, and does not wait for it.
func (l *link) begin(life context.Context) *opening {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pending == nil {
		o := &opening{done: make(chan struct{})}
		l.pending = o
		go func() {
			defer close(o.done)
			if o.err = life.Err(); o.err == nil {
				o.engine, o.err = l.Open(life)
			}
		}()
	}
	return l.pending
}

// open returns the engine. After an error the next take tries again.
func (l *link) open(ctx, life context.Context) (engine.Engine, error) {
	o := l.begin(life)
	select {
	case <-o.done:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if o.err != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.pending == o {
			l.pending = nil
		}
	}
	return o.engine, o.err
}

// close closes the engine if it is open, or is being opened and wait is set.
func (l *link) close(wait bool) {
	l.mu.Lock()
	o := l.pending
	l.mu.Unlock()
	if o == nil {
		return
	}
	if !wait {
		select {
		case <-o.done:
		default:
			return
		}
	}
	<-o.done
	l.mu.Lock()
	again := l.pending != o // somebody else has closed it
	l.pending = nil
	l.mu.Unlock()
	if !again && o.engine != nil {
		o.engine.Close()
	}
}

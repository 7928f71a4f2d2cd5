package capture

import "sync"

// queue holds the samples that have arrived and were not read yet, and then
// why no more will come.
type queue struct {
	arrived chan struct{} // holds one token after a change
	ended   chan struct{} // closed with the first end

	mu    sync.Mutex
	bytes []byte
	end   error
	limit int
}

func newQueue(limit int) *queue {
	return &queue{arrived: make(chan struct{}, 1), ended: make(chan struct{}), limit: limit}
}

// push appends a copy of b. It tells whether there was room for it; after
// the end there is always room, and nothing is kept.
func (q *queue) push(b []byte) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.end != nil {
		return true
	}
	if len(q.bytes)+len(b) > q.limit {
		return false
	}
	q.bytes = append(q.bytes, b...)
	q.wake()
	return true
}

// finish says that nothing follows, and why. The first call counts.
func (q *queue) finish(why error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.end == nil {
		q.end = why
		close(q.ended)
		q.wake()
	}
}

// pop moves what has arrived to p. It returns the reason of the end once
// everything before it was taken, and 0 and nil if there is nothing yet.
func (q *queue) pop(p []byte) (int, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.bytes) == 0 {
		return 0, q.end
	}
	n := copy(p, q.bytes)
	q.bytes = q.bytes[n:]
	if len(q.bytes) == 0 {
		q.bytes = nil // gives back what a slow reader made it grow to
	}
	return n, nil
}

func (q *queue) wake() {
	select {
	case q.arrived <- struct{}{}:
	default:
	}
}

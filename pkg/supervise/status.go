package supervise

import (
	"crypto/rand"
	"encoding/hex"
	"sync"

	"voice-input/pkg/wire"
)

// board holds the status and tells readers of changes. A slow reader gets the
// newest state, never a backlog.
type board struct {
	mu      sync.Mutex
	now     wire.Status
	text    string // of the take at hand; only for those who ask
	changed chan struct{}
}

func newBoard() *board {
	id := make([]byte, 8)
	rand.Read(id)
	return &board{now: wire.Status{Instance: hex.EncodeToString(id), Phase: string(Idle)}, changed: make(chan struct{})}
}

// change edits the status. Readers hold the old one, so pointers in it are
// replaced and never written through.
func (b *board) change(f func(s *wire.Status)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f(&b.now)
	b.bump()
}

// setText sets the dictated text.
func (b *board) setText(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.text = text
	b.bump()
}

func (b *board) bump() {
	b.now.Rev++
	close(b.changed)
	b.changed = make(chan struct{})
}

// get returns the status and a channel that is closed at the next change.
func (b *board) get(extended bool) (wire.Status, <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.now
	if extended {
		s.Text = b.text
	}
	return s, b.changed
}

package wayland

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"voice-input/pkg/deliver/paste"
)

// textTypes are the names under which programs ask for text.
var textTypes = []string{"text/plain;charset=utf-8", "text/plain", "UTF8_STRING", "STRING", "TEXT"}

// Programs that keep a history of the clipboard leave an offer with this type
// and value alone.
const (
	hintType  = "x-kde-passwordManagerHint"
	hintValue = "secret"
)

// tokenType with a token behind it marks an offer as that of a delivery. It
// is how the keeper knows what it may replace, and how a second delivery
// knows that this is not the user's clipboard.
const tokenType = "application/x-voice-input;token="

// serveTimeout bounds a program that asks for the clipboard and does not read
// it, and maxServed how many may do so at once.
const (
	serveTimeout = 10 * time.Second
	maxServed    = 32
)

// Selections by their number.
const (
	clipboard = iota
	primary
	selections
)

// board is the clipboard of a compositor by data control. The protocols ext
// and wlr have the same requests and events.
// (https://wayland.app/protocols/ext-data-control-v1)
type board struct {
	*conn
	getenv          func(string) string
	manager, device uint32
	kinds           int // selections that are used: only the clipboard, or both
	offers          map[uint32]*offer
	current         [selections]*offer
	own             [selections]*source
	token           string
	armed           bool
	changed         chan struct{} // replaced and closed at each change of what Taken waits for
	takenAt         time.Time     // when text was read last since Arm
	serving         chan struct{}
}

// offer is what another program, or ours, holds in a selection.
type offer struct {
	id    uint32
	types []string
}

// source is what this process holds in a selection.
type source struct {
	id   uint32
	lost bool
}

// dataControl are the managers, the newer one first.
var dataControl = []string{"ext_data_control_manager_v1", "zwlr_data_control_manager_v1"}

func dataControlOf(all map[string]global) (string, bool) {
	for _, name := range dataControl {
		if _, ok := all[name]; ok {
			return name, true
		}
	}
	return "", false
}

// newBoard binds the clipboard of a seat. usePrimary asks for the primary
// selection too.
func newBoard(ctx context.Context, c *conn, registry, seat uint32, all map[string]global, usePrimary bool, getenv func(string) string) (*board, error) {
	name, _ := dataControlOf(all)
	b := &board{
		conn: c, getenv: getenv, kinds: 1, offers: map[uint32]*offer{},
		changed: make(chan struct{}), serving: make(chan struct{}, maxServed),
	}
	// The first version of wlr has no primary selection.
	if usePrimary && (name == dataControl[0] || all[name].version >= 2) {
		b.kinds = selections
	}
	c.mu.Lock()
	b.manager = c.bind(registry, all[name], name, 2, nil)
	b.device = c.object(b.deviceEvent)
	c.request(b.manager, 1, b.device, seat)
	c.mu.Unlock()
	// The selections are told at once.
	return b, c.roundtrip(ctx)
}

func (b *board) deviceEvent(event uint16, m *message) {
	switch event {
	case 0: // data_offer
		o := &offer{id: m.uint()}
		b.offers[o.id] = o
		b.handlers[o.id] = func(_ uint16, m *message) {
			if t := m.string(); len(o.types) <= maxTypes {
				o.types = append(o.types, t)
			}
		}
	case 1: // selection
		b.selected(clipboard, m.uint())
	case 3: // primary_selection
		b.selected(primary, m.uint())
	}
}

// maxTypes bounds the types of an offer; paste.Snapshot takes fewer.
const maxTypes = 1000

// selected is told of the offer that a selection holds now; mu is held.
func (b *board) selected(kind int, id uint32) {
	if old := b.current[kind]; old != nil {
		delete(b.offers, old.id)
		delete(b.handlers, old.id)
		b.request(old.id, 1) // destroy
	}
	b.current[kind] = b.offers[id] // nil for 0, which is nothing
}

// Save implements paste.Board.
func (b *board) Save(ctx context.Context) (*paste.Snapshot, error) {
	for {
		s, again, err := b.save(ctx)
		if !again {
			return s, err
		}
		if err := paste.Sleep(ctx, 10*time.Millisecond); err != nil {
			return nil, err
		}
	}
}

// save returns again if the clipboard changed meanwhile, or is that of a
// delivery which has not given it back yet.
func (b *board) save(ctx context.Context) (s *paste.Snapshot, again bool, err error) {
	s = paste.NewSnapshot()
	s.HasPrimary = b.kinds > primary
	b.mu.Lock()
	before := b.current
	b.mu.Unlock()
	for kind, o := range before[:b.kinds] {
		if o == nil {
			continue
		}
		b.mu.Lock()
		types := slices.Clone(o.types)
		b.mu.Unlock()
		if slices.ContainsFunc(types, func(t string) bool { return strings.HasPrefix(t, tokenType) }) {
			again = true
			break
		}
		for _, t := range types {
			var w io.Writer
			if w, err = s.Add(kind == primary, paste.Item{Type: t}); err == nil {
				err = b.receive(ctx, o, t, w)
			}
			if err != nil {
				break
			}
		}
	}
	if err2 := b.roundtrip(ctx); err == nil {
		err = err2
	}
	b.mu.Lock()
	again = again || b.current != before
	b.mu.Unlock()
	if errors.Is(err, paste.ErrTooLarge) || ctx.Err() != nil {
		again = false
	}
	if err != nil || again {
		s.Close()
		s = nil
	}
	return s, again, err
}

// receive copies what an offer holds in a type.
func (b *board) receive(ctx context.Context, o *offer, kind string, to io.Writer) error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	defer r.Close()
	b.mu.Lock()
	if b.offers[o.id] == o { // else the answer is none, and the change is seen
		b.request(o.id, 0, kind, w)
	}
	b.mu.Unlock()
	w.Close()
	stop := context.AfterFunc(ctx, func() { r.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	_, err = io.Copy(to, r)
	if ctx.Err() != nil {
		return fmt.Errorf("its owner does not answer: %w", ctx.Err())
	}
	return err
}

// Offer implements paste.Board.
func (b *board) Offer(ctx context.Context, text string) error {
	b.mu.Lock()
	b.token = paste.Token()
	types := append(slices.Clone(textTypes), hintType, tokenType+b.token)
	for kind := range b.kinds {
		b.own[kind] = b.source(kind, types, func(kind string) (io.Reader, bool) {
			switch {
			case kind == hintType:
				return strings.NewReader(hintValue), false
			case slices.Contains(textTypes, kind):
				return strings.NewReader(text), true
			}
			return strings.NewReader(""), false
		})
	}
	b.mu.Unlock()
	return b.roundtrip(ctx)
}

// source takes a selection; mu is held. open returns what to send for a type
// and whether that is the text.
func (b *board) source(kind int, types []string, open func(kind string) (io.Reader, bool)) *source {
	s := &source{}
	s.id = b.object(func(event uint16, m *message) {
		switch event {
		case 0: // send
			t, f := m.string(), m.file()
			if f == nil {
				return
			}
			select {
			case b.serving <- struct{}{}:
				go b.serve(f, t, open, b.armed)
			default:
				f.Close()
			}
		case 1: // cancelled: something else has the selection
			s.lost = true
			b.request(s.id, 1)
			b.note()
		}
	})
	b.request(b.manager, 0, s.id)
	for _, t := range types {
		b.request(s.id, 0, t)
	}
	b.request(b.device, selectOp[kind], s.id)
	return s
}

// selectOp are the requests of a device that set the selections.
var selectOp = [selections]uint16{0, 2}

// serve writes what was asked for. Text that was asked for after Arm counts
// as taken once all of it was written.
func (b *board) serve(f *os.File, kind string, open func(string) (io.Reader, bool), armed bool) {
	defer func() { <-b.serving }()
	r, isText := open(kind)
	f.SetWriteDeadline(time.Now().Add(serveTimeout))
	_, err := io.Copy(f, r)
	f.Close()
	if err == nil && isText && armed {
		b.mu.Lock()
		b.takenAt = time.Now()
		b.note()
		b.mu.Unlock()
	}
}

// note wakes whoever waits for a change; mu is held.
func (b *board) note() {
	close(b.changed)
	b.changed = make(chan struct{})
}

// Arm implements paste.Board.
func (b *board) Arm(ctx context.Context) error {
	if err := b.roundtrip(ctx); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.lost() {
		return paste.ErrLost
	}
	b.armed = true
	return nil
}

// lost tells whether a selection was taken away; mu is held.
func (b *board) lost() bool {
	return slices.ContainsFunc(b.own[:b.kinds], func(s *source) bool { return s == nil || s.lost })
}

// allLost tells whether nothing is left to serve; mu is held.
func (b *board) allLost() bool {
	return !slices.ContainsFunc(b.own[:], func(s *source) bool { return s != nil && !s.lost })
}

// Taken implements paste.Board. Who reads is not known on Wayland, so a
// reader after the key is taken for the target.
func (b *board) Taken(ctx context.Context) ([]string, error) {
	for {
		b.mu.Lock()
		at, lost, changed := b.takenAt, b.lost(), b.changed
		b.mu.Unlock()
		if !at.IsZero() && (lost || time.Since(at) >= paste.Linger) {
			return nil, nil
		}
		if lost {
			return nil, paste.ErrLost
		}
		var calm <-chan time.Time
		if !at.IsZero() {
			calm = time.After(time.Until(at.Add(paste.Linger)))
		}
		select {
		case <-changed:
		case <-calm:
		case <-b.done:
			return nil, b.err
		case <-ctx.Done():
			if at.IsZero() {
				return nil, paste.ErrNotTaken
			}
			return nil, nil
		}
	}
}

// Restore implements paste.Board. What is not nothing is served by a process
// of its own, for it has to be there when this one has ended.
func (b *board) Restore(ctx context.Context, s *paste.Snapshot) error {
	if err := b.roundtrip(ctx); err != nil {
		return err
	}
	b.mu.Lock()
	offered, gone, lost := b.own[clipboard] != nil, b.allLost(), b.own[clipboard] != nil && b.own[clipboard].lost
	b.mu.Unlock()
	switch {
	case !offered:
		return nil
	case gone:
		return paste.ErrLost
	case !s.Empty():
		return s.Keep(ctx, desktop, b.token, b.getenv)
	}
	b.mu.Lock()
	for kind := range b.kinds {
		if !b.own[kind].lost {
			b.request(b.device, selectOp[kind], uint32(0))
		}
	}
	b.mu.Unlock()
	if err := b.roundtrip(ctx); err != nil || !lost {
		return err
	}
	return paste.ErrLost
}

// Close implements paste.Board.
func (b *board) Close() { b.close() }

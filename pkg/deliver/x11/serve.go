package x11

import (
	"io"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// chunk is how much goes into one property. What is larger goes in chunks
// (ICCCM, 2.7.2); the protocol's requests end at 256 KiB.
const chunk = 128 << 10

// Bounds of the transfers in chunks that run at once, and of the pause in one.
const (
	maxTransfers = 32
	stalled      = 10 * time.Second
)

type transferKey struct {
	requestor xproto.Window
	property  xproto.Atom
}

// transfer is one in chunks.
type transfer struct {
	transferKey
	entry
	r    io.Reader
	last time.Time
	end  bool
}

// serve answers a request for a selection.
func (b *board) serve(e xproto.SelectionRequestEvent) {
	property := e.Property
	if property == 0 { // as old clients do
		property = e.Target
	}
	answer := xproto.SelectionNotifyEvent{Time: e.Time, Requestor: e.Requestor, Selection: e.Selection, Target: e.Target}
	if b.put(e, property) {
		answer.Property = property
	}
	xproto.SendEvent(b.Conn, false, e.Requestor, 0, string(answer.Bytes()))
}

// put writes what was asked for into the property, or begins to.
func (b *board) put(e xproto.SelectionRequestEvent, property xproto.Atom) bool {
	targets, err1 := b.atom("TARGETS")
	timestamp, err2 := b.atom("TIMESTAMP")
	incr, err3 := b.atom("INCR")
	if err1 != nil || err2 != nil || err3 != nil {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	own := b.own[e.Selection]
	if own == nil || own.lost {
		return false
	}
	switch e.Target {
	case targets:
		list := put32(nil, uint32(targets), uint32(timestamp))
		for _, i := range own.entries {
			list = put32(list, uint32(i.target))
		}
		b.change(e.Requestor, property, xproto.AtomAtom, 32, list)
		return true
	case timestamp:
		b.change(e.Requestor, property, xproto.AtomInteger, 32, put32(nil, uint32(own.since)))
		return true
	}
	for _, i := range own.entries {
		if i.target != e.Target {
			continue
		}
		r, size := i.open()
		if size <= chunk {
			data, err := io.ReadAll(r)
			if err != nil {
				return false
			}
			b.change(e.Requestor, property, i.kind, i.format, data)
			if i.text {
				b.read(e.Requestor)
			}
			return true
		}
		for k, t := range b.transfers {
			if time.Since(t.last) > stalled {
				delete(b.transfers, k)
			}
		}
		if len(b.transfers) >= maxTransfers {
			return false
		}
		t := &transfer{transferKey{e.Requestor, property}, i, r, time.Now(), false}
		b.transfers[t.transferKey] = t
		b.watch(e.Requestor, xproto.EventMaskPropertyChange|xproto.EventMaskStructureNotify)
		b.change(e.Requestor, property, incr, 32, put32(nil, uint32(size)))
		return true
	}
	return false
}

// next sends the next chunk of a transfer, after the one before was read. The
// last one is empty. mu is held.
func (b *board) next(t *transfer) {
	if t.end {
		delete(b.transfers, t.transferKey)
		b.watch(t.requestor, 0)
		if t.text {
			b.read(t.requestor)
		}
		return
	}
	data := make([]byte, chunk)
	n, err := io.ReadFull(t.r, data)
	t.last, t.end = time.Now(), n == 0 && err != nil
	b.change(t.requestor, t.property, t.kind, t.format, data[:n])
}

// watch selects the events of another client's window, unless it is needed by
// another transfer; mu is held.
func (b *board) watch(w xproto.Window, mask uint32) {
	for k := range b.transfers {
		if mask == 0 && k.requestor == w {
			return
		}
	}
	xproto.ChangeWindowAttributes(b.Conn, w, xproto.CwEventMask, []uint32{mask})
}

// read is told that a client has read the text; mu is held.
func (b *board) read(requestor xproto.Window) {
	switch {
	case !b.armed:
	case b.target == 0 || b.sameClient(requestor, b.target):
		b.takenAt = time.Now()
	default:
		b.others = true
	}
}

// sameClient tells whether two windows were made by one client: their numbers
// begin alike.
func (b *board) sameClient(v, w xproto.Window) bool {
	return (uint32(v)^uint32(w))&^xproto.Setup(b.Conn).ResourceIdMask == 0
}

func (b *board) change(w xproto.Window, property, kind xproto.Atom, format byte, data []byte) {
	xproto.ChangeProperty(b.Conn, xproto.PropModeReplace, w, property, kind, format, uint32(len(data)/int(format/8)), data)
}

func put32(b []byte, values ...uint32) []byte {
	for _, v := range values {
		var word [4]byte
		xgb.Put32(word[:], v)
		b = append(b, word[:]...)
	}
	return b
}

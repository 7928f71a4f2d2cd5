package x11

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"slices"
	"sync"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// The library would else say on standard error that there is no ~/.Xauthority.
func init() { xgb.Logger = log.New(io.Discard, "", 0) }

var errEnded = errors.New("the X server closed the connection")

// dial connects to a server. The library cannot be interrupted while it
// connects, so one that is too late is closed when it comes.
func dial(ctx context.Context, display string) (*xgb.Conn, error) {
	type result struct {
		conn *xgb.Conn
		err  error
	}
	done := make(chan result)
	go func() {
		c, err := xgb.NewConnDisplay(display)
		select {
		case done <- result{c, err}:
		case <-ctx.Done():
			if err == nil {
				c.Close()
			}
		}
	}()
	select {
	case r := <-done:
		if r.err != nil {
			return nil, fmt.Errorf("cannot connect to X server %q: %w", display, r.err)
		}
		return r.conn, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("cannot connect to X server %q: %w", display, ctx.Err())
	}
}

// board is a client of the server with a window that owns selections.
type board struct {
	*xgb.Conn
	getenv  func(string) string
	root    xproto.Window
	window  xproto.Window
	kinds   []xproto.Atom // CLIPBOARD, and PRIMARY if it is used
	closing sync.Once
	done    chan struct{} // closed when the connection has ended

	mu        sync.Mutex
	atoms     map[string]xproto.Atom
	names     map[xproto.Atom]string
	changed   chan struct{} // replaced and closed at each change of what follows
	notified  []xproto.SelectionNotifyEvent
	values    int // new values of the property for what is read
	clock     xproto.Timestamp
	own       map[xproto.Atom]*owned
	transfers map[transferKey]*transfer
	target    xproto.Window // of the focus at Arm; 0 is unknown
	armed     bool
	takenAt   time.Time // by the target
	others    bool      // another client has read the text since Arm
}

// owned is what is offered in a selection.
type owned struct {
	since   xproto.Timestamp
	entries []entry
	lost    bool
}

// entry is what is offered as a target.
type entry struct {
	target, kind xproto.Atom
	format       byte
	text         bool // it is the text of a delivery
	open         func() (io.Reader, int64)
}

// newBoard connects; usePrimary asks for the primary selection too.
func newBoard(ctx context.Context, usePrimary bool, getenv func(string) string) (*board, error) {
	c, err := dial(ctx, getenv("DISPLAY"))
	if err != nil {
		return nil, err
	}
	b := &board{
		Conn: c, getenv: getenv, root: xproto.Setup(c).DefaultScreen(c).Root, done: make(chan struct{}),
		atoms: map[string]xproto.Atom{}, names: map[xproto.Atom]string{}, changed: make(chan struct{}),
		own: map[xproto.Atom]*owned{}, transfers: map[transferKey]*transfer{},
	}
	go b.events()
	if b.window, err = xproto.NewWindowId(c); err == nil {
		err = xproto.CreateWindowChecked(c, 0, b.window, b.root, 0, 0, 1, 1, 0, xproto.WindowClassInputOnly, 0,
			xproto.CwEventMask, []uint32{xproto.EventMaskPropertyChange}).Check()
	}
	var clipboard xproto.Atom
	if err == nil {
		clipboard, err = b.atom("CLIPBOARD")
	}
	if err != nil {
		b.Close()
		return nil, fmt.Errorf("cannot use the X server: %w", err)
	}
	b.kinds = []xproto.Atom{clipboard}
	if usePrimary {
		b.kinds = append(b.kinds, xproto.AtomPrimary)
	}
	return b, nil
}

// Close implements paste.Board.
func (b *board) Close() {
	b.closing.Do(b.Conn.Close)
	<-b.done
}

// events hands out what the server sends until the connection ends.
func (b *board) events() {
	defer close(b.done)
	for {
		event, err := b.WaitForEvent()
		if event == nil && err == nil {
			return
		}
		b.mu.Lock()
		switch e := event.(type) {
		case xproto.SelectionNotifyEvent:
			b.notified = append(b.notified[max(0, len(b.notified)-8):], e)
		case xproto.PropertyNotifyEvent:
			b.property(e)
		case xproto.SelectionRequestEvent:
			b.mu.Unlock()
			b.serve(e) // asks the server for names
			b.mu.Lock()
		case xproto.SelectionClearEvent:
			if o := b.own[e.Selection]; o != nil {
				o.lost = true
			}
		case xproto.DestroyNotifyEvent:
			for k := range b.transfers {
				if k.requestor == e.Window {
					delete(b.transfers, k)
				}
			}
		}
		close(b.changed)
		b.changed = make(chan struct{})
		b.mu.Unlock()
	}
}

// property is told of a property that was set or deleted; mu is held.
func (b *board) property(e xproto.PropertyNotifyEvent) {
	if e.Window != b.window {
		if t := b.transfers[transferKey{e.Window, e.Atom}]; t != nil && e.State == xproto.PropertyDelete {
			b.next(t)
		}
		return
	}
	if e.State == xproto.PropertyNewValue {
		b.clock = e.Time
		if e.Atom == b.atoms[incomingName] {
			b.values++
		}
	}
}

// wait waits until met, which is called with mu held, returns true.
func (b *board) wait(ctx context.Context, met func() bool) error {
	for {
		b.mu.Lock()
		ok, changed := met(), b.changed
		b.mu.Unlock()
		if ok {
			return nil
		}
		select {
		case <-changed:
		case <-b.done:
			return errEnded
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// atom returns the number of a name.
func (b *board) atom(name string) (xproto.Atom, error) {
	b.mu.Lock()
	a, ok := b.atoms[name]
	b.mu.Unlock()
	if ok {
		return a, nil
	}
	reply, err := xproto.InternAtom(b.Conn, false, uint16(len(name)), name).Reply()
	if err != nil || reply == nil {
		return 0, errors.Join(err, errEndedIf(err == nil))
	}
	b.mu.Lock()
	b.atoms[name], b.names[reply.Atom] = reply.Atom, name
	b.mu.Unlock()
	return reply.Atom, nil
}

// name returns the name of a number.
func (b *board) name(a xproto.Atom) (string, error) {
	b.mu.Lock()
	name, ok := b.names[a]
	b.mu.Unlock()
	if ok {
		return name, nil
	}
	reply, err := xproto.GetAtomName(b.Conn, a).Reply()
	if err != nil || reply == nil {
		return "", errors.Join(err, errEndedIf(err == nil))
	}
	b.mu.Lock()
	b.atoms[reply.Name], b.names[a] = a, reply.Name
	b.mu.Unlock()
	return reply.Name, nil
}

// errEndedIf returns errEnded: the library returns neither a reply nor an
// error for a request that the end of the connection overtook.
func errEndedIf(ended bool) error {
	if ended {
		return errEnded
	}
	return nil
}

// now returns the server's time, which comes with an event that an empty
// change of a property makes.
func (b *board) now(ctx context.Context) (xproto.Timestamp, error) {
	b.mu.Lock()
	b.clock = 0
	b.mu.Unlock()
	xproto.ChangeProperty(b.Conn, xproto.PropModeAppend, b.window, xproto.AtomWmName, xproto.AtomString, 8, 0, nil)
	var t xproto.Timestamp
	err := b.wait(ctx, func() bool { t = b.clock; return t != 0 })
	return t, err
}

// owner returns the window that owns a selection, or 0.
func (b *board) owner(selection xproto.Atom) (xproto.Window, error) {
	reply, err := xproto.GetSelectionOwner(b.Conn, selection).Reply()
	if err != nil || reply == nil {
		return 0, errors.Join(err, errEndedIf(err == nil))
	}
	return reply.Owner, nil
}

// take makes this client the owner of the selections for which there are
// entries, and nobody that of those for which there are none. With from it
// does so only where that window is the owner; the server does nothing else
// in between. It returns the selections that were taken.
func (b *board) take(ctx context.Context, from xproto.Window, entries map[xproto.Atom][]entry) (taken []xproto.Atom, err error) {
	t, err := b.now(ctx)
	if err != nil {
		return nil, err
	}
	xproto.GrabServer(b.Conn)
	defer func() {
		xproto.UngrabServer(b.Conn)
		b.Sync()
	}()
	for _, kind := range b.kinds {
		if from != 0 {
			if owner, err := b.owner(kind); err != nil || owner != from {
				continue
			}
		}
		window := b.window
		if len(entries[kind]) == 0 {
			window = 0
		} else {
			b.mu.Lock()
			b.own[kind] = &owned{since: t, entries: entries[kind]}
			b.mu.Unlock()
		}
		xproto.SetSelectionOwner(b.Conn, window, kind, t)
		if owner, err := b.owner(kind); err != nil || owner != window {
			return taken, errors.Join(err, errors.New("the X server does not give the selection away"))
		}
		taken = append(taken, kind)
	}
	return taken, nil
}

// lost tells whether the selection was taken away; mu is held.
func (b *board) lost(kind xproto.Atom) bool { return b.own[kind] == nil || b.own[kind].lost }

// allLost tells whether nothing is left to serve; mu is held.
func (b *board) allLost() bool {
	return !slices.ContainsFunc(b.kinds, func(k xproto.Atom) bool { return !b.lost(k) })
}

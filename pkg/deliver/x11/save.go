package x11

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"

	"voice-input/pkg/deliver/paste"
)

// incomingName is the property by which selections are read.
const incomingName = "VI_INCOMING"

// markName is a target that marks the offer of a delivery, which is not the
// user's clipboard.
const markName = "application/x-voice-input"

// notContent are targets that are questions to the owner, not content.
var notContent = []string{"TARGETS", "MULTIPLE", "TIMESTAMP", "SAVE_TARGETS", "DELETE", "INSERT_PROPERTY", "INSERT_SELECTION"}

// errAgain says that the clipboard changed while it was read, or is that of a
// delivery which has not given it back yet.
var errAgain = errors.New("the clipboard does not come to rest")

// errRefused says that an owner does not give what it offers.
var errRefused = errors.New("refused")

// Save implements paste.Board.
func (b *board) Save(ctx context.Context) (*paste.Snapshot, error) {
	for {
		s, err := b.save(ctx)
		if !errors.Is(err, errAgain) {
			return s, err
		}
		if paste.Sleep(ctx, 10*time.Millisecond) != nil {
			return nil, errors.Join(errAgain, ctx.Err())
		}
	}
}

func (b *board) save(ctx context.Context) (s *paste.Snapshot, err error) {
	s = paste.NewSnapshot()
	s.HasPrimary = len(b.kinds) > 1
	defer func() {
		if err != nil {
			s.Close()
			s = nil
		}
	}()
	for _, kind := range b.kinds {
		before, err := b.owner(kind)
		if err != nil {
			return s, err
		}
		if before == 0 {
			continue
		}
		err = b.saveOne(ctx, kind, s)
		if after, err2 := b.owner(kind); err2 != nil {
			return s, err2
		} else if after != before {
			return s, errAgain
		}
		if err != nil {
			return s, err
		}
	}
	return s, nil
}

// saveOne saves all targets of a selection.
func (b *board) saveOne(ctx context.Context, kind xproto.Atom, s *paste.Snapshot) error {
	targets, err := b.targets(ctx, kind)
	if err != nil {
		return err
	}
	names := make([]string, len(targets))
	for i, t := range targets {
		if names[i], err = b.name(t); err != nil {
			return err
		}
	}
	if slices.Contains(names, markName) {
		return errAgain
	}
	var seen []xproto.Atom
	for i, t := range targets {
		if slices.Contains(notContent, names[i]) || slices.Contains(seen, t) {
			continue
		}
		seen = append(seen, t)
		err := b.convert(ctx, kind, t, func(kindName string, format byte) (io.Writer, error) {
			return s.Add(kind == xproto.AtomPrimary, paste.Item{Type: names[i], Kind: kindName, Format: format})
		})
		if err != nil && !errors.Is(err, errRefused) {
			return err
		}
	}
	return nil
}

// targets returns what an owner offers. One that does not say so has text.
func (b *board) targets(ctx context.Context, selection xproto.Atom) ([]xproto.Atom, error) {
	ask, err := b.atom("TARGETS")
	if err != nil {
		return nil, err
	}
	var list atoms
	err = b.convert(ctx, selection, ask, func(string, byte) (io.Writer, error) { return &list, nil })
	if errors.Is(err, errRefused) {
		utf8, err := b.atom("UTF8_STRING")
		return []xproto.Atom{utf8, xproto.AtomString}, err
	}
	var all []xproto.Atom
	for n := list; len(n) >= 4; n = n[4:] {
		if a := xproto.Atom(xgb.Get32(n)); a != 0 {
			all = append(all, a)
		}
	}
	return all, err
}

// atoms takes a list of targets, which is bounded.
type atoms []byte

func (a *atoms) Write(p []byte) (int, error) {
	if len(*a)+len(p) > 4*1024 {
		return 0, paste.ErrTooLarge
	}
	*a = append(*a, p...)
	return len(p), nil
}

// convert reads what a selection holds as a target. begin is called once,
// with the name of the type and the format.
func (b *board) convert(ctx context.Context, selection, target xproto.Atom, begin func(kind string, format byte) (io.Writer, error)) error {
	property, err := b.atom(incomingName)
	if err != nil {
		return err
	}
	incr, err := b.atom("INCR")
	if err != nil {
		return err
	}
	t, err := b.now(ctx)
	if err != nil {
		return err
	}
	xproto.DeleteProperty(b.Conn, b.window, property)
	b.mu.Lock()
	b.notified = nil
	b.mu.Unlock()
	xproto.ConvertSelection(b.Conn, b.window, selection, target, property, t)
	var answer xproto.SelectionNotifyEvent
	err = b.wait(ctx, func() bool {
		for _, n := range b.notified {
			if n.Selection == selection && n.Target == target {
				answer = n
				return true
			}
		}
		return false
	})
	if err != nil {
		return fmt.Errorf("its owner does not answer: %w", err)
	}
	if answer.Property == 0 {
		return errRefused
	}
	var w io.Writer
	first := func(kind xproto.Atom, format byte) error {
		if w != nil {
			return nil
		}
		name, err := b.name(kind)
		if err == nil {
			w, err = begin(name, format)
		}
		return err
	}
	b.mu.Lock()
	values := b.values // of chunks that have been seen
	b.mu.Unlock()
	kind, _, err := b.collect(property, incr, first, &w)
	if err != nil || kind != incr {
		return err
	}
	// The deletion of the property asks for the first chunk.
	for {
		err := b.wait(ctx, func() bool { return b.values > values })
		if err != nil {
			return fmt.Errorf("its owner does not go on: %w", err)
		}
		values++
		_, n, err := b.collect(property, 0, first, &w)
		if err != nil || n == 0 {
			return err
		}
	}
}

// collect copies the property to *w, which first has set, and deletes it. It
// copies nothing if the property's type is skip.
func (b *board) collect(property, skip xproto.Atom, first func(xproto.Atom, byte) error, w *io.Writer) (kind xproto.Atom, n int, err error) {
	const words = 64 << 10 // 256 KiB at once
	for offset := uint32(0); ; offset += words {
		reply, err := xproto.GetProperty(b.Conn, true, b.window, property, xproto.GetPropertyTypeAny, offset, words).Reply()
		if err != nil || reply == nil {
			return 0, n, errors.Join(err, errEndedIf(err == nil))
		}
		if reply.Type == 0 || reply.Type == skip {
			return reply.Type, n, nil
		}
		if err := first(reply.Type, reply.Format); err != nil {
			return 0, n, err
		}
		if _, err := (*w).Write(reply.Value); err != nil {
			return 0, n, err
		}
		n += len(reply.Value)
		if reply.BytesAfter == 0 { // and the server has deleted it
			return reply.Type, n, nil
		}
	}
}

package x11

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/jezek/xgb/xproto"

	"voice-input/pkg/deliver/paste"
)

// Programs that keep a history of the clipboard leave an offer with this
// target and value alone.
const (
	hintName  = "x-kde-passwordManagerHint"
	hintValue = "secret"
)

// Offer implements paste.Board.
func (b *board) Offer(ctx context.Context, text string) error {
	list, err := b.textEntries(text)
	if err != nil {
		return err
	}
	entries := map[xproto.Atom][]entry{}
	for _, kind := range b.kinds {
		entries[kind] = list
	}
	_, err = b.take(ctx, 0, entries)
	return err
}

// textEntries are the targets of the text. STRING is Latin-1 (ICCCM, 2.6.2),
// so it is there only for text that can be written so.
func (b *board) textEntries(text string) ([]entry, error) {
	utf8 := []string{"UTF8_STRING", "text/plain;charset=utf-8", "text/plain", "TEXT"}
	var list []entry
	add := func(target, kind, value string, isText bool) error {
		t, err := b.atom(target)
		if err != nil {
			return err
		}
		k, err := b.atom(kind)
		open := func() (io.Reader, int64) { return strings.NewReader(value), int64(len(value)) }
		list = append(list, entry{t, k, 8, isText, open})
		return err
	}
	for _, name := range utf8 {
		kind := name
		if name == "TEXT" {
			kind = "UTF8_STRING"
		}
		if err := add(name, kind, text, true); err != nil {
			return nil, err
		}
	}
	if value, ok := latin1(text); ok {
		if err := add("STRING", "STRING", value, true); err != nil {
			return nil, err
		}
	}
	if err := add(hintName, hintName, hintValue, false); err != nil {
		return nil, err
	}
	return list, add(markName, markName, "", false)
}

func latin1(text string) (string, bool) {
	b := make([]byte, 0, len(text))
	for _, r := range text {
		if r > 0xff {
			return "", false
		}
		b = append(b, byte(r))
	}
	return string(b), true
}

// Arm implements paste.Board. The target is the client whose window has the
// focus.
func (b *board) Arm(context.Context) error {
	for _, kind := range b.kinds {
		if owner, err := b.owner(kind); err != nil {
			return err
		} else if owner != b.window {
			return paste.ErrLost
		}
	}
	reply, err := xproto.GetInputFocus(b.Conn).Reply()
	if err != nil || reply == nil {
		return errors.Join(err, errEndedIf(err == nil))
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	const pointerRoot = 1 // the focus follows the pointer
	if reply.Focus > pointerRoot {
		b.target = reply.Focus
	}
	b.armed = true
	return nil
}

// Taken implements paste.Board.
func (b *board) Taken(ctx context.Context) ([]string, error) {
	clipboard := b.kinds[0]
	var taken, others, lost bool
	err := b.wait(ctx, func() bool {
		taken, others, lost = !b.takenAt.IsZero(), b.others, b.lost(clipboard)
		return taken || lost
	})
	switch {
	case taken:
		// Some read twice, for example after asking for the targets again.
		return nil, paste.Sleep(context.WithoutCancel(ctx), paste.Linger)
	case lost:
		return nil, paste.ErrLost
	case others:
		return []string{paste.WarnOtherReader}, nil
	case ctx.Err() != nil:
		return nil, paste.ErrNotTaken
	}
	return nil, err
}

// Restore implements paste.Board. What is not nothing is served by a process
// of its own, for it has to be there when this one has ended.
func (b *board) Restore(ctx context.Context, s *paste.Snapshot) error {
	b.mu.Lock()
	offered, gone, lost := b.own[b.kinds[0]] != nil, b.allLost(), b.lost(b.kinds[0])
	b.mu.Unlock()
	switch {
	case !offered:
		return nil
	case gone:
		return paste.ErrLost
	case !s.Empty():
		return s.Keep(ctx, desktop, strconv.Itoa(int(b.window)), b.getenv)
	}
	if _, err := b.take(ctx, b.window, nil); err != nil || !lost {
		return err
	}
	return paste.ErrLost
}

// desktop is the word by which a keeper knows that it is one of this package.
const desktop = "x11"

// Keep is the life of a process that serves the old clipboard; see
// paste.Snapshot.Keep. It returns false at once if this process is none.
func Keep(ctx context.Context, getenv func(string) string) (bool, error) {
	s, token, answer, err := paste.Charge(desktop, getenv)
	if s == nil {
		return err != nil, err
	}
	b, err := newBoard(ctx, s.HasPrimary, getenv)
	if err != nil {
		return true, err
	}
	defer b.Close()
	from, err := strconv.ParseUint(token, 10, 32)
	if err != nil || from == 0 {
		return true, err
	}
	entries := map[xproto.Atom][]entry{}
	for _, kind := range b.kinds {
		for _, i := range s.Items(kind == xproto.AtomPrimary) {
			target, err1 := b.atom(i.Type)
			k, err2 := b.atom(i.Kind)
			if err1 != nil || err2 != nil || i.Format%8 != 0 || i.Format == 0 {
				continue
			}
			entries[kind] = append(entries[kind], entry{target, k, i.Format, false, i.Open})
		}
	}
	starting, cancel := context.WithTimeout(ctx, paste.RestoreTimeout)
	taken, err := b.take(starting, xproto.Window(from), entries)
	cancel()
	answer(err == nil && len(taken) > 0 && taken[0] == b.kinds[0])
	if err != nil {
		return true, err
	}
	b.wait(ctx, b.allLost) // or the end of the server
	return true, nil
}

// watchdog closes the connection some time after the end of ctx, so that a
// server which hangs does not keep a request for ever, and the clipboard can
// be given back else.
func (b *board) watchdog(ctx context.Context) (stop func() bool) {
	return context.AfterFunc(ctx, func() {
		select {
		case <-time.After(2 * paste.RestoreTimeout):
			b.closing.Do(b.Conn.Close)
		case <-b.done:
		}
	})
}

package wayland

import (
	"context"
	"io"
	"slices"

	"voice-input/pkg/deliver/paste"
)

// desktop is the word by which a keeper knows that it is one of this package.
const desktop = "wayland"

// Keep is the life of a process that serves the old clipboard; see
// paste.Snapshot.Keep. It returns false at once if this process is none.
func Keep(ctx context.Context, getenv func(string) string) (bool, error) {
	s, token, answer, err := paste.Charge(desktop, getenv)
	if s == nil {
		return err != nil, err
	}
	b, err := connect(ctx, socketPath(getenv), s.HasPrimary, getenv, nil)
	if err != nil {
		return true, err
	}
	defer b.Close()
	taken, err := b.replace(ctx, token, s)
	answer(taken && err == nil)
	if err != nil {
		return true, err
	}
	b.keep(ctx)
	return true, nil
}

// replace puts a snapshot in the place of the offers with the token. A
// selection that holds something else by now is left alone; it returns false
// if that is the clipboard.
func (b *board) replace(ctx context.Context, token string, s *paste.Snapshot) (taken bool, err error) {
	b.mu.Lock()
	for kind := range b.kinds {
		if o := b.current[kind]; o == nil || !slices.Contains(o.types, tokenType+token) {
			continue
		}
		taken = taken || kind == clipboard
		items := s.Items(kind == primary)
		if len(items) == 0 {
			b.request(b.device, selectOp[kind], uint32(0))
			continue
		}
		var types []string
		for _, i := range items {
			types = append(types, i.Type)
		}
		b.own[kind] = b.source(kind, types, func(t string) (io.Reader, bool) {
			i := slices.Index(types, t)
			if i < 0 {
				return io.MultiReader(), false
			}
			r, _ := items[i].Open()
			return r, false
		})
	}
	b.mu.Unlock()
	return taken, b.roundtrip(ctx)
}

// keep serves until nothing is left to serve, or the compositor has ended.
func (b *board) keep(ctx context.Context) {
	for {
		b.mu.Lock()
		gone, changed := b.allLost(), b.changed
		b.mu.Unlock()
		if gone {
			return
		}
		select {
		case <-changed:
		case <-b.done:
			return
		case <-ctx.Done():
			return
		}
	}
}

package wayland

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"voice-input/pkg/deliver/driver"
	"voice-input/pkg/deliver/paste"
	"voice-input/pkg/wire"
)

// Clipboard leaves the text on the clipboard, where a process of its own serves
// it from memory. wl-copy would put it into a file, which stays if wl-copy is
// killed or the compositor ends.
type Clipboard struct {
	path   string
	getenv func(string) string
}

// NewClipboard returns the driver, or why it cannot work here. It asks the
// compositor.
func NewClipboard(ctx context.Context, getenv func(string) string) (*Clipboard, string) {
	path, missing := probe(ctx, getenv, false)
	if missing != "" {
		return nil, missing
	}
	return &Clipboard{path, getenv}, ""
}

// Name implements deliver.Driver.
func (*Clipboard) Name() string { return "clipboard" }

// Deliver implements deliver.Driver. The text is read back.
func (c *Clipboard) Deliver(ctx context.Context, text string) (string, []string, error) {
	b, err := connect(ctx, c.path, false, c.getenv, nil)
	if err != nil {
		return "", nil, fmt.Errorf("%w: %w", driver.ErrUnsent, err)
	}
	defer b.Close()
	s := paste.NewSnapshot()
	defer s.Close()
	for _, t := range textTypes {
		w, err := s.Add(false, paste.Item{Type: t})
		if err == nil {
			_, err = io.WriteString(w, text)
		}
		if err != nil {
			return "", nil, fmt.Errorf("%w: %w", driver.ErrUnsent, err)
		}
	}
	// The offer is what the other process replaces, if nobody else did.
	if err := b.Offer(ctx, text); err != nil {
		return "", nil, err
	}
	if err := s.Keep(ctx, desktop, b.token, c.getenv); err != nil {
		return "", nil, fmt.Errorf("cannot leave the text on the clipboard: %w", err)
	}
	switch got, err := b.text(ctx, len(text)+1); {
	case err != nil:
		return wire.VerifiedNothing, []string{driver.NotReadable}, nil
	case got != text:
		return wire.VerifiedNothing, []string{driver.Differs}, nil
	}
	return wire.VerifiedReadBack, nil, nil
}

// text returns what the clipboard holds as text, up to a number of bytes.
func (b *board) text(ctx context.Context, limit int) (string, error) {
	if err := b.roundtrip(ctx); err != nil {
		return "", err
	}
	b.mu.Lock()
	o := b.current[clipboard]
	b.mu.Unlock()
	if o == nil {
		return "", errors.New("the clipboard is empty")
	}
	got := &limited{max: limit}
	err := b.receive(ctx, o, textTypes[0], got)
	if errors.Is(err, io.ErrShortWrite) {
		err = nil
	}
	return got.kept.String(), err
}

// limited keeps the first bytes.
type limited struct {
	kept bytes.Buffer
	max  int
}

func (l *limited) Write(p []byte) (int, error) {
	n := min(len(p), l.max-l.kept.Len())
	l.kept.Write(p[:n])
	if n < len(p) {
		return n, io.ErrShortWrite
	}
	return n, nil
}

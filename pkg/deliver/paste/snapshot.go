package paste

import (
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// Limit bounds what is saved of a clipboard: 32 MiB in all types together. An
// uncompressed picture of a 4K screen has 33 MB; desktops offer them as PNG
// too, which is smaller, but not instead.
const Limit = 32 << 20

// maxItems bounds the number of types. Office programs offer some thirty.
const maxItems = 256

// ErrTooLarge says that the clipboard holds more than is saved.
var ErrTooLarge = errors.New("the clipboard holds more than 32 MiB or 256 types")

// Item is what a selection held in one type.
type Item struct {
	Type string `json:"type"` // MIME type, or the name of the X11 target
	// Kind and Format are the type and the unit (8, 16, 32 bits) of the X11
	// property that the owner answered with.
	Kind   string `json:"kind,omitempty"`
	Format byte   `json:"format,omitempty"`
	file   *os.File
}

// Open returns the bytes, from the start, and their number.
func (i *Item) Open() (io.Reader, int64) {
	info, err := i.file.Stat()
	if err != nil {
		return io.MultiReader(), 0
	}
	return io.NewSectionReader(i.file, 0, info.Size()), info.Size()
}

// Snapshot is what the selections held. An empty one held nothing.
type Snapshot struct {
	Clipboard, Primary []*Item
	// HasPrimary says that the primary selection was saved too.
	HasPrimary bool
	left       int64
}

// NewSnapshot returns an empty snapshot.
func NewSnapshot() *Snapshot { return &Snapshot{left: Limit} }

// Add adds an item to the clipboard or the primary selection and returns a
// writer for its bytes, whose error is ErrTooLarge when there are too many.
func (s *Snapshot) Add(primary bool, item Item) (io.Writer, error) {
	if len(s.Clipboard)+len(s.Primary) >= maxItems {
		return nil, ErrTooLarge
	}
	fd, err := unix.MemfdCreate("clipboard", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("cannot save the clipboard: %w", err)
	}
	item.file = os.NewFile(uintptr(fd), "clipboard")
	if primary {
		s.Primary = append(s.Primary, &item)
	} else {
		s.Clipboard = append(s.Clipboard, &item)
	}
	return &budgeted{item.file, &s.left}, nil
}

// Items returns those of the primary selection or of the clipboard.
func (s *Snapshot) Items(primary bool) []*Item {
	if primary {
		return s.Primary
	}
	return s.Clipboard
}

// Empty tells whether nothing was held.
func (s *Snapshot) Empty() bool { return len(s.Clipboard)+len(s.Primary) == 0 }

// Close frees the memory.
func (s *Snapshot) Close() {
	for _, i := range append(s.Clipboard[:len(s.Clipboard):len(s.Clipboard)], s.Primary...) {
		i.file.Close()
	}
}

type budgeted struct {
	w    io.Writer
	left *int64
}

func (b *budgeted) Write(p []byte) (int, error) {
	if *b.left -= int64(len(p)); *b.left < 0 {
		return 0, ErrTooLarge
	}
	return b.w.Write(p)
}

package history

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"voice-input/pkg/internal/xdg"
	"voice-input/pkg/wire"
)

const (
	// addTime bounds Add, which a delivery waits for. A line is written in
	// microseconds; what takes longer is a disk that hangs or another process
	// that rewrites the file.
	addTime = 200 * time.Millisecond
	// tidyTime bounds everything else: 32 MiB are rewritten in less.
	tidyTime = 5 * time.Second
	// lockPoll is how often a lock that another process holds is tried again.
	lockPoll = 5 * time.Millisecond
)

// Store is the file of what was dictated. Any number of stores and processes
// may use one file at once.
type Store struct {
	path   string
	limits Limits
	now    func() time.Time
	turn   chan struct{} // held by the one call that works
}

// Path returns where the history of the user lies:
// $XDG_STATE_HOME/voice-input/history.jsonl.
func Path(getenv func(string) string) string {
	return filepath.Join(xdg.StateDir(getenv), "history.jsonl")
}

// Open returns the store of a file that need not exist. It touches nothing:
// the directory, which only the user can look into, is made when there is
// something to put in it.
func Open(path string, limits Limits) *Store {
	return &Store{path: path, limits: limits, now: time.Now, turn: make(chan struct{}, 1)}
}

// Add writes an entry. It is called before the text is delivered and takes at
// most 200 ms; an error is no reason not to deliver. An entry without a time
// gets that of now.
func (s *Store) Add(ctx context.Context, h *wire.History) error {
	if !validID(h.ID) || h.Text == "" {
		return errors.New("cannot add to the history: the entry has no id or no text")
	}
	if err := s.write(ctx, addTime, *h); err != nil {
		return fmt.Errorf("cannot add to the history: %w", err)
	}
	return nil
}

// Delivered writes what became of an entry and then removes what is over the
// limits. It may take seconds where the disk is slow. A nil record is that of a
// delivery which left none.
func (s *Store) Delivered(ctx context.Context, id string, d *wire.Delivery) error {
	h := wire.History{ID: id, Delivery: &wire.HistoryDelivery{Reason: "driver_failed"}}
	if d != nil {
		h.Delivery = &wire.HistoryDelivery{Delivered: d.Delivered, Driver: d.Driver, Reason: d.Reason}
	}
	if err := s.write(ctx, tidyTime, h); err != nil {
		return fmt.Errorf("cannot complete the history: %w", err)
	}
	return s.Prune(ctx)
}

// Prune removes what is over the limits.
func (s *Store) Prune(ctx context.Context) error {
	_, err := s.remove(ctx, s.limits)
	return err
}

// Clear removes everything, or the entries older than a time, and returns how
// many they were. It removes even what stands in the place of the file, if
// that is no directory.
func (s *Store) Clear(ctx context.Context, older time.Duration) (removed int, err error) {
	if older > 0 {
		return s.remove(ctx, Limits{Age: older})
	}
	if s.missing() {
		return 0, nil
	}
	return do(ctx, s, tidyTime, true, func() (int, error) {
		all, err := s.read()
		for _, path := range []string{s.path, s.path + newExt} {
			// Not os.Remove, which takes an empty directory too.
			if e := unix.Unlink(path); e != nil && e != unix.ENOENT {
				return 0, errors.Join(fmt.Errorf("cannot remove %q: %w", path, e), err)
			}
		}
		return len(all.entries), nil
	})
}

// missing tells whether there is nothing to read or to remove.
func (s *Store) missing() bool {
	_, err := os.Lstat(s.path)
	return errors.Is(err, os.ErrNotExist)
}

// Get returns an entry by its id, or the beginning of it if no other id begins
// so, or the newest one for "last". The error is ErrNone or ErrAmbiguous if
// there is not one such entry.
func (s *Store) Get(ctx context.Context, id string) (*wire.History, error) {
	entries, _, err := s.List(ctx)
	if err != nil {
		return nil, err
	}
	return find(entries, id)
}

// The ways in which an entry is not found.
var (
	ErrNone      = errors.New("the history has no such entry")
	ErrAmbiguous = errors.New("several entries have an id that begins so")
)

func find(entries []*wire.History, id string) (found *wire.History, err error) {
	if id == "last" && len(entries) > 0 {
		return entries[len(entries)-1], nil
	}
	for _, h := range entries {
		switch {
		case h.ID == id:
			return h, nil
		case id == "" || !strings.HasPrefix(h.ID, id):
		case found != nil:
			err = ErrAmbiguous // unless the id itself comes
		default:
			found = h
		}
	}
	if err != nil {
		return nil, err
	}
	if found == nil {
		return nil, ErrNone
	}
	return found, nil
}

// contents is what the file holds.
type contents struct {
	entries []*wire.History
	bad     int
}

// List returns the entries, each with what became of it, the oldest first, and
// how many lines cannot be read. It is what the file holds, whatever the limits
// are.
func (s *Store) List(ctx context.Context) (entries []*wire.History, bad int, err error) {
	if s.missing() {
		return nil, 0, nil
	}
	all, err := do(ctx, s, tidyTime, false, s.read)
	if err != nil {
		return nil, 0, fmt.Errorf("cannot read the history: %w", err)
	}
	return all.entries, all.bad, nil
}

func (s *Store) read() (contents, error) {
	f, err := s.open(os.O_RDONLY)
	if err != nil {
		return contents{}, err
	}
	defer f.Close()
	lines, _, err := s.scan(f)
	if err != nil {
		return contents{}, err
	}
	entries, bad := merge(lines)
	return contents{entries, bad}, nil
}

// scan reads the file, or the last maxFile bytes of it: whole tells which. The
// first line of a part is cut and left out.
func (s *Store) scan(f *os.File) (lines []line, whole bool, err error) {
	info, err := f.Stat()
	if err != nil {
		return nil, false, fmt.Errorf("cannot read %q: %w", s.path, err)
	}
	from := max(0, info.Size()-maxFile)
	lines, err = scan(io.NewSectionReader(f, from, info.Size()-from), from, s.now())
	if err != nil {
		return nil, false, fmt.Errorf("cannot read %q: %w", s.path, err)
	}
	if from > 0 && len(lines) > 0 {
		lines = lines[1:]
	}
	return lines, from == 0, nil
}

// write appends a record.
func (s *Store) write(ctx context.Context, bound time.Duration, h wire.History) error {
	if h.At == "" {
		h.At = s.now().Format(time.RFC3339)
	}
	b, err := wire.Encode(&h)
	if err != nil {
		return err
	}
	if len(b) > wire.MaxLine {
		return wire.ErrLineTooLong
	}
	_, err = do(ctx, s, bound, true, func() (struct{}, error) {
		f, err := s.open(os.O_RDWR | os.O_CREATE | os.O_APPEND)
		if err != nil {
			return struct{}{}, err
		}
		defer f.Close()
		return struct{}{}, s.append(f, b)
	})
	return err
}

// append writes a line as a whole or not at all. One that was torn before it
// must not take it along.
func (s *Store) append(f *os.File, b []byte) error {
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("cannot write %q: %w", s.path, err)
	}
	if size := info.Size(); size > 0 {
		last := make([]byte, 1)
		if _, err := f.ReadAt(last, size-1); err != nil {
			return fmt.Errorf("cannot write %q: %w", s.path, err)
		}
		if last[0] != '\n' {
			b = append([]byte("\n"), b...)
		}
	}
	if _, err := f.Write(b); err != nil {
		return errors.Join(fmt.Errorf("cannot write %q: %w", s.path, err), f.Truncate(info.Size()))
	}
	return nil
}

// newExt marks the file that takes the place of the old one.
const newExt = ".new"

// remove rewrites the file without what is over the limits and returns how many
// entries that were. The lines that stay are copied byte by byte: they may have
// members of a later version.
func (s *Store) remove(ctx context.Context, limits Limits) (int, error) {
	if s.missing() {
		return 0, nil
	}
	removed, err := do(ctx, s, tidyTime, true, func() (int, error) {
		unix.Unlink(s.path + newExt) // left by a crash
		f, err := s.open(os.O_RDONLY)
		if err != nil {
			return 0, err
		}
		defer f.Close()
		lines, whole, err := s.scan(f)
		if err != nil {
			return 0, err
		}
		kept := keep(lines, limits, s.now())
		if whole && len(kept) == len(lines) {
			return 0, nil
		}
		before, _ := merge(lines)
		after, _ := merge(kept)
		return len(before) - len(after), s.replace(f, kept)
	})
	if err != nil {
		return 0, fmt.Errorf("cannot tidy the history: %w", err)
	}
	return removed, nil
}

func (s *Store) replace(old *os.File, kept []line) (err error) {
	path := s.path + newExt
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("cannot rewrite %q: %w", s.path, err)
	}
	defer func() {
		if err != nil {
			os.Remove(path)
			err = fmt.Errorf("cannot rewrite %q: %w", s.path, err)
		}
	}()
	for _, l := range kept {
		if _, err := io.Copy(f, io.NewSectionReader(old, l.from, l.to-l.from)); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	// A file that was renamed but not written yet would be empty after a power
	// cut, and the whole history gone.
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(path, s.path)
}

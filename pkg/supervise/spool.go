package supervise

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"voice-input/pkg/cli"
	"voice-input/pkg/internal/xdg"
)

// spool is the directory of the takes whose text was not delivered yet. A
// take is one file of samples, named by its id, so that the newest sorts
// last. A take at hand is locked, and the kernel unlocks it when its process
// ends; that is all a new daemon needs to go on after a crash.
type spool struct {
	dir  string
	last time.Duration // of the newest id
}

const spoolExt = ".s16le"

func openSpool(runtimeDir string) (*spool, error) {
	s := &spool{dir: filepath.Join(runtimeDir, "spool")}
	if err := xdg.PrivateDir(runtimeDir); err != nil {
		return nil, err
	}
	return s, xdg.PrivateDir(s.dir)
}

// newID returns an id that sorts after all earlier ones since the machine was
// started: it begins with the time since then, which, unlike the clock, never
// jumps. The clock's time makes it unique for good.
func (s *spool) newID() string {
	for _, id := range s.ids() {
		if at, ok := sinceBoot(id); ok {
			s.last = max(s.last, at)
		}
	}
	s.last = max(uptime().Truncate(time.Microsecond), s.last+time.Microsecond)
	return takeID(s.last, time.Now())
}

func takeID(boot time.Duration, clock time.Time) string {
	return fmt.Sprintf("%016d-%s", boot.Microseconds(), clock.UTC().Format("20060102T150405Z"))
}

// sinceBoot returns the time since the start of the machine at which an id was
// made.
func sinceBoot(id string) (time.Duration, bool) {
	digits, _, ok := strings.Cut(id, "-")
	n, err := strconv.ParseInt(digits, 10, 64)
	return time.Duration(n) * time.Microsecond, ok && err == nil && len(digits) == 16
}

// uptime is the time since the machine was started, suspended or not.
func uptime() time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts); err != nil {
		return 0 // ids are in order even so
	}
	return time.Duration(ts.Nano())
}

func (s *spool) path(id string) string { return filepath.Join(s.dir, id+spoolExt) }

// ids lists the takes that nobody has at hand, the oldest first.
func (s *spool) ids() []string {
	entries, _ := os.ReadDir(s.dir)
	var ids []string
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), spoolExt)
		if !ok || !e.Type().IsRegular() {
			continue
		}
		if f, err := os.Open(s.path(id)); err == nil {
			if lock(f) == nil {
				ids = append(ids, id)
			}
			f.Close()
		}
	}
	slices.Sort(ids)
	return ids
}

func lock(f *os.File) error   { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) }
func unlock(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_UN) }

func (s *spool) remove(id string) { os.Remove(s.path(id)) }

func (s *spool) has(id string) bool {
	_, err := os.Lstat(s.path(id))
	return err == nil
}

// prune removes what is too old or too much, and takes without a sample; now
// is the uptime. Age is that of the id, so that a clock which is set does not make takes old.
func (s *spool) prune(now time.Duration) {
	ids := s.ids()
	for i, id := range ids {
		at, known := sinceBoot(id)
		info, err := os.Stat(s.path(id))
		if err == nil && (len(ids)-i > spoolTakes || known && now-at > spoolAge || info.Size() < bytesPerSample) {
			s.remove(id)
		}
	}
}

// create makes the file of a new take.
func (s *spool) create(id string) (*samples, error) {
	f, err := os.OpenFile(s.path(id), os.O_RDWR|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot spool samples: %w", err)
	}
	if err := lock(f); err != nil {
		return nil, errors.Join(fmt.Errorf("cannot lock spooled samples: %w", err), f.Close())
	}
	return newSamples(f), nil
}

// open opens the file of an earlier take; its samples are complete.
func (s *spool) open(id string) (*samples, error) {
	f, err := os.Open(s.path(id))
	if err != nil {
		return nil, fmt.Errorf("cannot read spooled samples: %w", err)
	}
	info, err := f.Stat()
	if err == nil {
		err = lock(f)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("cannot read spooled samples: %w", err), f.Close())
	}
	sm := newSamples(f)
	sm.size = info.Size() - info.Size()%bytesPerSample // a crash may have cut one in two
	sm.complete = true
	return sm, nil
}

// openFile opens a recording that is not the spool's own.
func openFile(path string) (*samples, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, cli.Errorf(cli.StatusNoInput, "cannot read recording: %w", err)
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, cli.Errorf(cli.StatusNoInput, "cannot read recording: %q is not a file", path)
	}
	sm := newSamples(f)
	sm.size, sm.complete, sm.format = info.Size(), true, "wav"
	return sm, nil
}

// samples is a file of samples that one goroutine appends to and others
// follow.
type samples struct {
	f        *os.File
	format   string // s16le, or wav for a file of the user's
	mu       sync.Mutex
	grown    chan struct{} // closed and replaced at each change
	size     int64
	complete bool
}

func newSamples(f *os.File) *samples {
	return &samples{f: f, format: "s16le", grown: make(chan struct{})}
}

// Write appends samples.
func (s *samples) Write(b []byte) (int, error) {
	n, err := s.f.Write(b)
	s.change(func() { s.size += int64(n) })
	if err != nil {
		return n, fmt.Errorf("cannot spool samples: %w", err)
	}
	return n, nil
}

// finish says that nothing more will be written.
func (s *samples) finish() { s.change(func() { s.complete = true }) }

func (s *samples) change(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
	close(s.grown)
	s.grown = make(chan struct{})
}

func (s *samples) state() (size int64, complete bool, grown <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.size, s.complete, s.grown
}

// bytes is the size so far.
func (s *samples) bytes() int64 {
	size, _, _ := s.state()
	return size
}

// length is how long the samples sound so far.
func (s *samples) length() time.Duration { return audioTime(s.bytes()) }

// wait returns once the samples are complete.
func (s *samples) wait(ctx context.Context) error {
	for {
		_, complete, grown := s.state()
		if complete {
			return nil
		}
		select {
		case <-grown:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// copyTo writes all samples to w as they come, until they are complete.
func (s *samples) copyTo(ctx context.Context, w io.Writer) error {
	buf := make([]byte, 32<<10)
	var at int64
	for {
		size, complete, grown := s.state()
		if at == size {
			if complete {
				return nil
			}
			select {
			case <-grown:
				continue
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		n, err := s.f.ReadAt(buf[:min(int64(len(buf)), size-at)], at)
		if n == 0 {
			return fmt.Errorf("cannot read spooled samples: %w", errors.Join(err, io.ErrUnexpectedEOF))
		}
		if _, err := w.Write(buf[:n]); err != nil {
			return err
		}
		at += int64(n)
	}
}

// release lets others have the take although its last samples may still be
// on their way.
func (s *samples) release() { unlock(s.f) }

func (s *samples) close() { s.f.Close() }

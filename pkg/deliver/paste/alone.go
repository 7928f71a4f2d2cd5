package paste

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"voice-input/pkg/internal/xdg"
)

// alone waits until no other delivery of the user changes the clipboard: a
// second one would take the text of the first for the user's own. The lock
// ends with the process that holds it. Where there is no place for it, none
// is taken.
func alone(ctx context.Context, getenv func(string) string) (release func(), err error) {
	dir := xdg.RuntimeDir(getenv)
	if xdg.PrivateDir(dir) != nil {
		return func() {}, nil
	}
	f, err := os.OpenFile(filepath.Join(dir, "clipboard.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return func() {}, nil
	}
	for unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil {
		if err := Sleep(ctx, 10*time.Millisecond); err != nil {
			f.Close()
			return nil, fmt.Errorf("another delivery uses the clipboard: %w", err)
		}
	}
	return func() { f.Close() }, nil
}

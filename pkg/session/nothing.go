package session

import (
	"context"
	"errors"
	"io/fs"
)

// Nothing is an error that says in one word of vi.session/1 why there is no
// answer.
type Nothing string

func (n Nothing) Error() string { return "no answer: " + string(n) }

// reasonOf maps an error of a look-up to its word. What the kernel refuses and
// what it no longer has are ordinary answers here, not failures.
func reasonOf(err error) string {
	var n Nothing
	switch {
	case errors.As(err, &n):
		return string(n)
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return "timeout"
	case errors.Is(err, fs.ErrPermission):
		return "forbidden"
	default:
		return "unreadable"
	}
}

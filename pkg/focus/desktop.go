package focus

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"voice-input/pkg/internal/unixsock"
)

// window is the focused window as a desktop names it.
type window struct {
	class, initialClass string
	pid                 int
	address             string // the desktop's own name of the window
	x11                 uint32 // the number of the X11 window, 0 if it is none
	xwayland            bool
}

// desktop is a compositor or X server that can be asked.
type desktop interface {
	// focused returns the focused window. The error is errNoWindow if there is
	// none and errUnreachable if nobody answers.
	focused(ctx context.Context) (window, error)
	// watch calls changed whenever another window may have the focus. It
	// returns an error when it cannot go on, at the latest when ctx ends.
	watch(ctx context.Context, changed func()) error
}

// How a desktop fails to name a window. Other errors are those of a context.
var (
	errNoWindow    = errors.New("no window has the focus")
	errUnreachable = errors.New("nobody answers")
	errBadAnswer   = errors.New("the answer cannot be read")
	errNoDesktop   = errors.New("no compositor or X server could be asked")
	errSeveral     = errors.New("several desktops are running")
)

// maxAnswer bounds what a desktop may answer; a tree of a thousand windows
// has about a megabyte.
const maxAnswer = 16 << 20

// family is a kind of desktop: how it is found, and how a client is made for
// one that was.
type family struct {
	kind string
	// named returns the endpoints that the environment names.
	named func(getenv func(string) string) []string
	// pattern matches the sockets in the runtime directory, for a service
	// whose environment is older than the session. "" is none.
	pattern string
	open    func(endpoint string) desktop
}

// families are asked in this order; X11, which has no pattern, is the last.
var families = []family{hyprlandFamily, swayFamily, niriFamily, x11Family}

// Kinds returns the desktops that can be asked, in the order in which they
// are tried.
func Kinds() []string {
	var out []string
	for _, f := range families {
		out = append(out, f.kind)
	}
	return out
}

// runtimeDir is where the sockets of a session lie.
func runtimeDir(getenv func(string) string) string {
	if dir := getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join("/run/user", strconv.Itoa(os.Getuid()))
}

// look asks the desktops that the environment names, then those whose sockets
// are found, until one answers.
func (l *Looker) look(ctx context.Context) (desktop, string, window, error) {
	for _, f := range families {
		if l.Desktop != "" && l.Desktop != f.kind {
			continue
		}
		// A Wayland desktop has an X server too, which does not know its other
		// windows. In a session of X11 alone, a compositor is somebody else's
		// screen or runs in a window.
		if f.pattern == "" && l.Getenv("WAYLAND_DISPLAY") != "" {
			if d, kind, w, err := l.search(ctx); !errors.Is(err, errNoDesktop) {
				return d, kind, w, err
			}
		}
		for _, endpoint := range f.named(l.Getenv) {
			if d, w, err := l.ask(ctx, f, endpoint); !errors.Is(err, errUnreachable) {
				return d, f.kind, w, err
			}
		}
	}
	return l.search(ctx)
}

// search asks the desktop whose socket lies in the runtime directory. Where
// several are alive it is the one of this WAYLAND_DISPLAY, or none.
func (l *Looker) search(ctx context.Context) (desktop, string, window, error) {
	type found struct {
		family
		path string
	}
	var alive []found
	for _, f := range families {
		if f.pattern == "" || l.Desktop != "" && l.Desktop != f.kind {
			continue
		}
		paths, _ := filepath.Glob(filepath.Join(runtimeDir(l.Getenv), f.pattern))
		for _, path := range paths {
			if err := unixsock.Owned(path, os.Getuid()); err != nil {
				l.Explain("desktop: %s: %v", f.kind, err)
				continue
			}
			if conn, err := unixsock.Dial(ctx, path); err != nil {
				l.Explain("desktop: %s: nobody answers at %q", f.kind, path)
			} else {
				conn.Close()
				alive = append(alive, found{f, path})
			}
		}
	}
	if len(alive) > 1 {
		for _, a := range alive {
			if display := l.Getenv("WAYLAND_DISPLAY"); display != "" && display == waylandDisplay(a.path) {
				alive = []found{a}
				break
			}
		}
	}
	switch len(alive) {
	case 0:
		return nil, "", window{}, errNoDesktop
	case 1:
		d, w, err := l.ask(ctx, alive[0].family, alive[0].path)
		if errors.Is(err, errUnreachable) {
			err = errNoDesktop
		}
		return d, alive[0].kind, w, err
	}
	l.Explain("desktop: %d are alive and the environment names none of them", len(alive))
	return nil, "", window{}, errSeveral
}

// ask asks one desktop and says how that went.
func (l *Looker) ask(ctx context.Context, f family, endpoint string) (desktop, window, error) {
	d := f.open(endpoint)
	w, err := d.focused(ctx)
	if err != nil {
		l.Explain("desktop: %s at %q: %v", f.kind, endpoint, err)
	} else {
		l.Explain("desktop: %s at %q: window %s of process %d with class %q", f.kind, endpoint, w.address, w.pid, w.class)
	}
	return d, w, err
}

// request sends one request on a connection of its own and returns all that
// comes back.
func request(ctx context.Context, path, text string) ([]byte, error) {
	conn, err := dial(ctx, path)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	if _, err := conn.Write([]byte(text)); err != nil {
		return nil, lost(ctx, err)
	}
	b, err := conn.ReadAll(maxAnswer)
	if err != nil {
		return nil, lost(ctx, err)
	}
	return b, nil
}

func dial(ctx context.Context, path string) (*unixsock.Conn, error) {
	conn, err := unixsock.Dial(ctx, path)
	if err != nil {
		return nil, lost(ctx, err)
	}
	return conn, nil
}

// lost calls an error of a connection by what it means for a desktop.
func lost(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, syscall.EAGAIN): // its queue is full
		return context.DeadlineExceeded
	case errors.Is(err, unixsock.ErrTooLong), errors.Is(err, errBadAnswer):
		return errBadAnswer
	}
	return errUnreachable
}

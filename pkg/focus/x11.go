package focus

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"regexp"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/res"
	"github.com/jezek/xgb/xproto"
)

// X11 is asked by the Extended Window Manager Hints, which every common
// window manager keeps (https://specifications.freedesktop.org/wm-spec/).
var x11Family = family{
	kind: "x11",
	named: func(getenv func(string) string) []string {
		// A display on another machine, or one by way of TCP, shows windows whose
		// processes are not here.
		if display := getenv("DISPLAY"); localDisplay.MatchString(display) {
			return []string{display}
		}
		return nil
	},
	open: func(endpoint string) desktop { return x11{endpoint} },
}

var localDisplay = regexp.MustCompile(`^(unix)?:[0-9]{1,5}(\.[0-9]{1,5})?$`)

// The library would else say on standard error that there is no ~/.Xauthority.
func init() { xgb.Logger = log.New(io.Discard, "", 0) }

type x11 struct{ display string }

// x11Slots bounds the connections that wait for a server which does not
// answer. The library cannot be interrupted while it connects.
var x11Slots = make(chan struct{}, 4)

// connect returns a connection, which the context closes.
func (x x11) connect(ctx context.Context) (*xgb.Conn, error) {
	type result struct {
		conn *xgb.Conn
		err  error
	}
	select {
	case x11Slots <- struct{}{}:
	default:
		return nil, context.DeadlineExceeded
	}
	done := make(chan result)
	go func() {
		defer func() { <-x11Slots }()
		conn, err := xgb.NewConnDisplay(x.display)
		select {
		case done <- result{conn, err}:
		case <-ctx.Done():
			if conn != nil {
				conn.Close()
			}
		}
	}()
	select {
	case r := <-done:
		if r.err != nil {
			return nil, errUnreachable
		}
		context.AfterFunc(ctx, r.conn.Close)
		return r.conn, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (x x11) focused(ctx context.Context) (window, error) {
	// The connection is closed when this returns, and when time is up before.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	conn, err := x.connect(ctx)
	if err != nil {
		return window{}, err
	}
	type result struct {
		window
		err error
	}
	done := make(chan result, 1)
	go func() {
		w, err := x11Focused(conn)
		done <- result{w, err}
	}()
	select {
	case r := <-done:
		if r.err != nil && ctx.Err() != nil {
			r.err = ctx.Err()
		}
		return r.window, r.err
	case <-ctx.Done():
		return window{}, ctx.Err()
	}
}

func x11Focused(conn *xgb.Conn) (window, error) {
	active, err := x11Atom(conn, "_NET_ACTIVE_WINDOW")
	if err != nil {
		return window{}, err
	}
	id, err := x11Number(conn, xproto.Setup(conn).DefaultScreen(conn).Root, active, xproto.AtomWindow)
	if err != nil {
		return window{}, err
	}
	if id == 0 {
		return window{}, errNoWindow
	}
	w := window{x11: id, address: fmt.Sprintf("0x%x", id)}
	// Two strings: the instance's name and the class.
	names, err := x11Property(conn, xproto.Window(id), xproto.AtomWmClass, xproto.AtomString)
	if err != nil {
		return window{}, err
	}
	if parts := bytes.Split(names, []byte{0}); len(parts) > 1 {
		w.class = string(parts[1])
	}
	if w.pid, err = x11PID(conn, xproto.Window(id)); err != nil {
		return window{}, err
	}
	return w, nil
}

// x11PID returns the process of a window: the one that the server saw connect,
// or the one that the window says if it also says that it is of this machine.
func x11PID(conn *xgb.Conn, w xproto.Window) (int, error) {
	if res.Init(conn) == nil {
		spec := []res.ClientIdSpec{{Client: uint32(w), Mask: res.ClientIdMaskLocalClientPID}}
		reply, err := res.QueryClientIds(conn, uint32(len(spec)), spec).Reply()
		if err == nil && reply != nil {
			for _, id := range reply.Ids {
				if len(id.Value) > 0 && id.Value[0] > 0 {
					return int(id.Value[0]), nil
				}
			}
		}
	}
	atom, err := x11Atom(conn, "_NET_WM_PID")
	if err != nil {
		return 0, err
	}
	machine, err := x11Property(conn, w, xproto.AtomWmClientMachine, xproto.AtomString)
	if host, hostErr := os.Hostname(); err != nil || hostErr != nil || string(machine) != host {
		return 0, err
	}
	pid, err := x11Number(conn, w, atom, xproto.AtomCardinal)
	return int(pid), err
}

func x11Atom(conn *xgb.Conn, name string) (xproto.Atom, error) {
	reply, err := xproto.InternAtom(conn, false, uint16(len(name)), name).Reply()
	if err != nil || reply == nil {
		return 0, errUnreachable
	}
	return reply.Atom, nil
}

// x11Property returns a property, empty if there is none. A window manager may
// go on naming a window that has gone; then there is no window.
func x11Property(conn *xgb.Conn, w xproto.Window, name, kind xproto.Atom) ([]byte, error) {
	const words = 256 // a class of 1 KiB is longer than any
	reply, err := xproto.GetProperty(conn, false, w, name, kind, 0, words).Reply()
	switch {
	case err == nil && reply != nil:
		return reply.Value, nil
	case errors.As(err, new(xproto.WindowError)):
		return nil, errNoWindow
	}
	return nil, errUnreachable
}

func x11Number(conn *xgb.Conn, w xproto.Window, name, kind xproto.Atom) (uint32, error) {
	b, err := x11Property(conn, w, name, kind)
	if err != nil || len(b) < 4 {
		return 0, err
	}
	return xgb.Get32(b), nil
}

// watch asks for the changes of the root window's properties, and for the end
// of windows, for a window manager may then leave the property as it is.
func (x x11) watch(ctx context.Context, changed func()) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	conn, err := x.connect(ctx)
	if err != nil {
		return err
	}
	active, err := x11Atom(conn, "_NET_ACTIVE_WINDOW")
	if err != nil {
		return err
	}
	root := xproto.Setup(conn).DefaultScreen(conn).Root
	events := []uint32{xproto.EventMaskPropertyChange | xproto.EventMaskSubstructureNotify}
	if xproto.ChangeWindowAttributesChecked(conn, root, xproto.CwEventMask, events).Check() != nil {
		return errUnreachable
	}
	changed() // what came before is told by no event
	for {
		event, xerr := conn.WaitForEvent()
		if event == nil && xerr == nil {
			return errors.Join(ctx.Err(), errUnreachable)
		}
		switch e := event.(type) {
		case xproto.PropertyNotifyEvent:
			if e.Atom == active {
				changed()
			}
		case xproto.UnmapNotifyEvent, xproto.DestroyNotifyEvent:
			changed()
		}
	}
}

package capture

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jfreymuth/pulse/proto"
	"golang.org/x/sys/unix"

	"voice-input/pkg/cli"
)

const (
	// connectLimit bounds the attempt to reach one server, authentication
	// included. It takes 1 to 3 ms.
	connectLimit = 2 * time.Second
	// requestLimit bounds one request. The slowest, to create a stream on
	// PipeWire, takes 9 to 17 ms.
	requestLimit = 2 * time.Second
)

// connection is a session with a sound server.
type connection struct {
	server string // path of its socket
	client *proto.Client
	conn   net.Conn
}

// guarded is the library's view of the socket: what comes in goes through
// frames, no write blocks for ever, and the end of reading is told to lost,
// whatever it is; the library itself tells of a plain end of file only.
type guarded struct {
	net.Conn
	frames *frames
	lost   func(error)
}

func (g *guarded) Read(p []byte) (int, error) {
	n, err := g.frames.Read(p)
	if err != nil {
		g.lost(err)
	}
	return n, err
}

func (g *guarded) Write(p []byte) (int, error) {
	g.SetWriteDeadline(time.Now().Add(requestLimit))
	return g.Conn.Write(p)
}

// connect reaches the first server that answers. Messages that are no reply
// are handed to handle, on the goroutine that reads the socket: it must not
// make requests. Lost is called there when the connection that was returned
// breaks.
func connect(ctx context.Context, getenv func(string) string, handle func(any), lost func(error)) (*connection, error) {
	sockets, refused := servers(here(getenv))
	if len(sockets) == 0 {
		if len(refused) == 0 {
			return nil, cli.Errorf(cli.StatusUnavailable, "cannot find a sound server: PULSE_SERVER names none for this machine").
				WithHint("unset PULSE_SERVER or set it to unix:PATH")
		}
		return nil, cli.Errorf(cli.StatusUnavailable, "cannot use sound server %q: it is not a unix socket on this machine", strings.Join(refused, " ")).
			WithHint("unset PULSE_SERVER or set it to unix:PATH; audio is never taken over the network")
	}
	var first error
	for _, socket := range sockets {
		c, err := dial(ctx, socket, cookie(getenv), handle, lost)
		if err == nil {
			return c, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if first == nil {
			first = connectError(socket, err)
		}
	}
	return nil, first
}

func dial(ctx context.Context, socket string, cookie []byte, handle func(any), lost func(error)) (*connection, error) {
	ctx, cancel := context.WithTimeout(ctx, connectLimit)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", socket)
	if err != nil {
		return nil, err
	}
	if err := showCredentials(conn.(*net.UnixConn)); err != nil {
		conn.Close()
		return nil, err
	}
	greeted := make(chan struct{})
	broken := make(chan error, 1) // why the connection broke before that
	c := &connection{server: socket, conn: conn, client: &proto.Client{Callback: handle}}
	c.client.SetTimeout(requestLimit)
	c.client.Open(&guarded{Conn: conn, frames: newFrames(conn), lost: func(err error) {
		select {
		case <-greeted:
			lost(err)
		default:
			broken <- err
		}
	}})
	reply := proto.AuthReply{}
	err = c.request(ctx, &proto.Auth{Version: c.client.Version(), Cookie: cookie}, &reply)
	if err != nil {
		conn.Close()
		select {
		case cause := <-broken:
			if errors.Is(cause, errNonsense) {
				err = cause
			}
		default:
		}
		return nil, err
	}
	c.client.SetVersion(reply.Version)
	if err := c.request(ctx, &proto.SetClientName{Props: clientProperties()}, &proto.SetClientNameReply{}); err != nil {
		conn.Close()
		return nil, err
	}
	close(greeted)
	return c, nil
}

// showCredentials has the kernel put this process's user id beside what is
// sent, by which PulseAudio admits a client without a cookie. It asks for it
// only after accepting a connection, and what was sent before has none.
func showCredentials(conn *net.UnixConn) error {
	raw, err := conn.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = raw.Control(func(fd uintptr) { failed = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_PASSCRED, 1) })
	return cmp.Or(err, failed)
}

// request makes one request. If it fails, reply must not be looked at: a
// late answer may still be written to it. A request cannot be taken back, so
// the end of ctx ends the whole connection.
func (c *connection) request(ctx context.Context, args proto.RequestArgs, reply proto.Reply) error {
	stop := context.AfterFunc(ctx, c.close)
	defer stop()
	err := c.client.Request(args, reply)
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

func (c *connection) close() { c.conn.Close() }

// connectError says why a server cannot be used and which status that is.
func connectError(socket string, err error) error {
	var path *net.OpError
	if errors.As(err, &path) {
		err = path.Err // without the address, which is named already
	}
	var call *os.SyscallError
	if errors.As(err, &call) {
		err = call.Err
	}
	if hungUp(err) {
		err = errors.New("it closed the connection")
	}
	const start = "start it, for example: systemctl --user start pipewire-pulse (or pulseaudio)"
	what := fmt.Sprintf("cannot use sound server %q", socket)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return cli.Errorf(cli.StatusTempFail, "%s: no answer within %s", what, connectLimit).WithHint("the server hangs; restart it")
	case errors.Is(err, fs.ErrPermission), errors.Is(err, proto.ErrAccessDenied):
		return cli.Errorf(cli.StatusNoPerm, "%s: %w", what, err).WithHint("run this as the user whose session it is")
	case errors.Is(err, errNonsense), errors.Is(err, proto.ErrProtocolError), errors.Is(err, proto.ErrIncompatibleProtocolVersion):
		return cli.Errorf(cli.StatusProtocol, "%s: %w", what, err)
	case errors.Is(err, fs.ErrNotExist):
		return cli.Errorf(cli.StatusUnavailable, "%s: there is none", what).WithHint("%s", start)
	default:
		return cli.Errorf(cli.StatusUnavailable, "%s: %w", what, err).WithHint("%s", start)
	}
}

// hungUp tells whether the server closed the connection. It is a reset if
// there was something that it had not read.
func hungUp(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// requestError gives a failed request its status.
func requestError(what string, err error) error {
	switch {
	case errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, context.DeadlineExceeded):
		return cli.Errorf(cli.StatusTempFail, "%s: the sound server did not answer within %s", what, requestLimit)
	case hungUp(err):
		return cli.Errorf(cli.StatusUnavailable, "%s: the sound server closed the connection", what)
	case errors.Is(err, proto.ErrNoSuchEntity):
		return cli.Errorf(cli.StatusNoInput, "%s: no such source", what).WithHint("%s", listHint)
	case errors.Is(err, proto.ErrAccessDenied):
		return cli.Errorf(cli.StatusNoPerm, "%s: %w", what, err)
	default:
		return cli.Errorf(cli.StatusUnavailable, "%s: %w", what, err)
	}
}

// clientProperties name the program in a volume control. The library cannot
// send more than 1,000 bytes of them.
func clientProperties() proto.PropList {
	return proto.PropList{
		"application.name":           proto.PropListString("voice-input"),
		"application.icon_name":      proto.PropListString("audio-input-microphone"),
		"application.process.id":     proto.PropListString(strconv.Itoa(os.Getpid())),
		"application.process.binary": proto.PropListString("vi-capture"),
	}
}

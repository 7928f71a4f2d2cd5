package supervise

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"voice-input/pkg/cli"
	"voice-input/pkg/internal/sdnotify"
	"voice-input/pkg/wire"
)

// socketPath is where the daemon listens.
func socketPath(runtimeDir string) string { return filepath.Join(runtimeDir, "control.sock") }

// server is the control socket.
type server struct {
	d    *daemon
	l    *net.UnixListener
	busy chan struct{} // a place for each client that is served
}

// only makes this process the one daemon of the user for as long as the file
// that it returns is open. So a socket left by a crash is known to be dead and
// may be replaced.
func only(runtimeDir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(runtimeDir, "daemon.lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, cli.Errorf(cli.StatusCantCreate, "cannot listen: %w", err)
	}
	if err := lock(f); err != nil {
		f.Close()
		return nil, cli.Errorf(cli.StatusCantCreate, "cannot listen on %q: another daemon runs", socketPath(runtimeDir)).WithHint("voice-input status shows what it does")
	}
	return f, nil
}

// listen makes the control socket in the runtime directory of the only daemon,
// or takes the one that the service manager has made.
func listen(d *daemon, runtimeDir string) (*server, error) {
	l, err := sdnotify.Listener()
	if err != nil {
		return nil, cli.Errorf(cli.StatusOSFile, "cannot listen: %w", err)
	}
	if l == nil {
		if l, err = ownSocket(socketPath(runtimeDir)); err != nil {
			return nil, cli.Errorf(cli.StatusCantCreate, "cannot listen: %w", err)
		}
	}
	return &server{d: d, l: l, busy: make(chan struct{}, maxClients)}, nil
}

// ownSocket makes a socket for this user alone.
func ownSocket(path string) (*net.UnixListener, error) {
	os.Remove(path)
	// The umask makes the socket private from its first moment.
	old := unix.Umask(0o177)
	defer unix.Umask(old)
	return net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
}

// close ends the serving, and removes the socket if it is our own.
func (s *server) close() { s.l.Close() }

// serve accepts clients until close.
func (s *server) serve(ctx context.Context) {
	for {
		conn, err := s.l.AcceptUnix()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			// Out of descriptors, say: clients that end will free some.
			time.Sleep(100 * time.Millisecond)
			continue
		}
		select {
		case s.busy <- struct{}{}:
			go func() {
				defer func() { <-s.busy }()
				defer conn.Close()
				s.client(ctx, conn)
			}()
		default:
			send(conn, &wire.Reply{Header: wire.Header{Reason: "busy"}, Status: int(cli.StatusTempFail), Detail: "too many clients"})
			conn.Close()
		}
	}
}

// client serves one connection: one command, its reply, and what follows.
func (s *server) client(ctx context.Context, conn *net.UnixConn) {
	if err := sameUser(conn); err != nil {
		fmt.Fprintf(s.d.log, "voice-input: warning: refused a client: %v\n", err)
		return
	}
	conn.SetReadDeadline(time.Now().Add(controlRead))
	line, err := wire.NewReader(&limitedConn{conn, maxCommand}).Next()
	var c wire.Control
	if err == nil {
		err = wire.Decode(line, &c)
	}
	if err != nil {
		send(conn, &wire.Reply{Header: wire.Header{Reason: "bad_command"}, Status: int(cli.StatusData), Detail: "cannot read the command"})
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		// A client says nothing more; its end is all there is to read.
		conn.SetReadDeadline(time.Time{})
		conn.Read(make([]byte, 1))
		cancel()
	}()
	switch c.Command {
	case "status":
		s.status(ctx, conn, c)
		return
	case "diagnostics":
		s.diagnostics(conn)
		return
	}
	s.record(ctx, conn, c)
}

func (s *server) record(ctx context.Context, conn net.Conn, c wire.Control) {
	replies := make(chan *wire.Reply, 1)
	var done chan *wire.Reply
	if c.Wait {
		done = make(chan *wire.Reply, 1)
	}
	s.d.post(func() { replies <- s.d.command(c, done) })
	var r *wire.Reply
	select {
	case r = <-replies:
	case <-s.d.gone:
		return
	}
	if send(conn, r) != nil || !c.Wait || r.Status != 0 || c.Command == string(Cancel) {
		return
	}
	select {
	case r := <-done:
		send(conn, r)
	case <-ctx.Done():
	}
}

func (s *server) diagnostics(conn net.Conn) {
	report := make(chan *wire.Diagnostics, 1)
	s.d.post(func() { report <- s.d.diagnostics() })
	select {
	case r := <-report:
		send(conn, r)
	case <-s.d.gone:
	}
}

func (s *server) status(ctx context.Context, conn net.Conn, c wire.Control) {
	for {
		now, changed := s.d.board.get(c.Extended)
		if send(conn, &now) != nil || !c.Follow {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

func send(conn net.Conn, r wire.Record) error {
	conn.SetWriteDeadline(time.Now().Add(controlWrite))
	return wire.Write(conn, r)
}

// sameUser refuses a peer of another user. The mode of the socket does that
// already; a copy of its descriptor would get round the mode.
func sameUser(conn *net.UnixConn) error {
	raw, err := conn.SyscallConn()
	if err != nil {
		return err
	}
	var cred *unix.Ucred
	var credErr error
	if err := raw.Control(func(fd uintptr) {
		cred, credErr = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}); err != nil {
		return err
	}
	switch {
	case credErr != nil:
		return credErr
	case int(cred.Uid) != os.Getuid():
		return fmt.Errorf("it belongs to user %d", cred.Uid)
	}
	return nil
}

// limitedConn ends a stream after so many bytes.
type limitedConn struct {
	net.Conn
	left int
}

func (l *limitedConn) Read(b []byte) (int, error) {
	if l.left <= 0 {
		return 0, wire.ErrLineTooLong
	}
	n, err := l.Conn.Read(b[:min(len(b), l.left)])
	l.left -= n
	return n, err
}

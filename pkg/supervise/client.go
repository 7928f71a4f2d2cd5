package supervise

import (
	"context"
	"errors"
	"io"
	"net"
	"syscall"
	"time"

	"voice-input/pkg/cli"
	"voice-input/pkg/wire"
)

// errNotRunning says that there is no daemon to talk to.
func errNotRunning(cause error) error {
	return cli.Errorf(cli.StatusUnavailable, "cannot reach the daemon: %w", cause).WithHint("start it: voice-input daemon, or systemctl --user start voice-input")
}

// call sends a command and hands each line of the answer to f until the
// connection ends or f returns an error.
func call(ctx context.Context, runtimeDir string, c *wire.Control, f func(line []byte) error) error {
	dialer := net.Dialer{Timeout: dialTime}
	conn, err := dialer.DialContext(ctx, "unix", socketPath(runtimeDir))
	if err != nil {
		var sys syscall.Errno
		if errors.As(err, &sys) {
			err = sys // the path is the same for everybody and says nothing
		}
		return errNotRunning(err)
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	conn.SetWriteDeadline(time.Now().Add(controlWrite))
	if err := wire.Write(conn, c); err != nil {
		return errNotRunning(err)
	}
	if !c.Wait && !c.Follow {
		conn.SetReadDeadline(time.Now().Add(replyTime))
	}
	lines := wire.NewReader(conn)
	for {
		line, err := lines.Next()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == io.EOF:
			return nil
		case err != nil:
			return cli.Errorf(cli.StatusTempFail, "no answer from the daemon: %w", err)
		}
		if err := f(line); err != nil {
			return err
		}
	}
}

// ask sends a record command and returns the last reply: the second one if
// the command waits for the end of the take.
func ask(ctx context.Context, runtimeDir string, c *wire.Control) (*wire.Reply, error) {
	var last *wire.Reply
	err := call(ctx, runtimeDir, c, func(line []byte) error {
		r := new(wire.Reply)
		if err := wire.Decode(line, r); err != nil {
			return cli.Errorf(cli.StatusProtocol, "the daemon answered nonsense: %w", err)
		}
		last = r
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case last == nil:
		return nil, errNotRunning(io.ErrUnexpectedEOF)
	case c.Wait && last.Status == 0 && !last.Done && c.Command != string(Cancel):
		return nil, errNotRunning(errors.New("it ended before the take did"))
	}
	return last, nil
}

// Package kitty is a client for the remote control protocol of the Kitty
// terminal (https://sw.kovidgoyal.net/kitty/rc_protocol/). It speaks over
// Kitty's socket alone, never by way of a terminal, and only to the very
// Kitty process that it was told of.
//
// Each call has a connection of its own, closed when the answer is there:
// Kitty before 0.42.2 serves nobody else while a connection is idle.
package kitty

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"voice-input/pkg/internal/unixsock"
)

// Timeout bounds what a user waits for Kitty: 0.26 takes 12 ms to answer ls
// on a machine with a few hundred processes.
const Timeout = time.Second

// maxAnswer bounds an answer. ls has up to a few kilobytes for each window,
// and with one window its whole environment, which Linux limits to megabytes.
const maxAnswer = 16 << 20

// version is the oldest protocol that is spoken. Kitty refuses a client that
// is newer than itself and accepts any that is older.
var version = [3]int{0, 26, 0}

// The ways in which a call fails. An error may also be that of the context.
var (
	ErrMissing   = errors.New("there is no such socket")
	ErrUnsafe    = errors.New("the socket is not that of this Kitty")
	ErrNoAnswer  = errors.New("nothing answers at the socket")
	ErrBadAnswer = errors.New("the answer is not one of Kitty")
	ErrDenied    = errors.New("remote control is refused")
)

// Socket is a Kitty process and where it is said to listen.
type Socket struct {
	Path string // a path, or an abstract name with @ before it
	PID  int    // the process that has to be at the other end
	UID  int    // the user that the socket and the process have to belong to
}

// Path returns the path in an address as KITTY_LISTEN_ON has it, with @
// before an abstract name. Addresses of a network are none.
func Path(address string) (path string, ok bool) {
	path, ok = strings.CutPrefix(address, "unix:")
	return path, ok && (strings.HasPrefix(path, "/") || len(path) > 1 && path[0] == '@')
}

// Call sends a command and returns the data of the answer. Nothing is sent
// unless the socket and the process behind it are the right ones.
func (s Socket) Call(ctx context.Context, command string, payload any) ([]byte, error) {
	return s.CallAfter(ctx, nil, command, payload)
}

// CallAfter is a Call with commands before it that get no answer of their own:
// some versions answer none of those, and Kitty carries out what comes on one
// connection in order, so that one answer vouches for all. Kitty drops a
// connection on which one command has more than 64 KiB.
func (s Socket) CallAfter(ctx context.Context, before []Command, command string, payload any) ([]byte, error) {
	var request []byte
	for _, c := range before {
		message, err := encode(c.Name, c.Payload, true)
		if err != nil {
			return nil, err
		}
		request = append(request, message...)
	}
	message, err := encode(command, payload, false)
	if err != nil {
		return nil, err
	}
	conn, err := s.dial(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	if _, err := conn.Write(append(request, message...)); err != nil {
		return nil, unanswered(ctx, err)
	}
	answer, err := read(conn)
	if err != nil {
		return nil, unanswered(ctx, err)
	}
	return decode(answer)
}

// Command is a command with what it is told.
type Command struct {
	Name    string
	Payload any
}

// unanswered keeps an error of the context or of the answer and calls any
// other one ErrNoAnswer.
func unanswered(ctx context.Context, err error) error {
	if ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrBadAnswer) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrNoAnswer, err)
}

func (s Socket) dial(ctx context.Context) (*unixsock.Conn, error) {
	if err := unixsock.Owned(s.Path, s.UID); err != nil {
		kind := ErrUnsafe
		if errors.Is(err, os.ErrNotExist) {
			kind = ErrMissing
		}
		return nil, fmt.Errorf("%w: %w", kind, err)
	}
	conn, err := unixsock.Dial(ctx, s.Path)
	if err != nil {
		return nil, unanswered(ctx, err)
	}
	pid, uid, err := conn.Peer()
	if err == nil && (pid != s.PID || uid != s.UID) {
		err = fmt.Errorf("process %d of user %d listens there", pid, uid)
	}
	if err != nil {
		conn.Close()
		return nil, fmt.Errorf("%w: %w", ErrUnsafe, err)
	}
	return conn, nil
}

// A message stands between these; JSON never holds a bare escape character.
var prefix, suffix = []byte("\x1bP@kitty-cmd"), []byte("\x1b\\")

func encode(command string, payload any, silent bool) ([]byte, error) {
	body, err := json.Marshal(struct {
		Command string `json:"cmd"`
		Version [3]int `json:"version"`
		Silent  bool   `json:"no_response,omitempty"`
		Payload any    `json:"payload"`
	}{command, version, silent, payload})
	if err != nil {
		return nil, err
	}
	return bytes.Join([][]byte{prefix, body, suffix}, nil), nil
}

// read returns what stands before the first suffix.
func read(r io.Reader) ([]byte, error) {
	var answer []byte
	chunk := make([]byte, 64<<10)
	for len(answer) <= maxAnswer {
		n, err := r.Read(chunk)
		from := max(0, len(answer)-1) // the suffix may be cut in two
		answer = append(answer, chunk[:n]...)
		if end := bytes.Index(answer[from:], suffix); end >= 0 {
			return answer[:from+end], nil
		}
		if err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%w: it is longer than %d bytes", ErrBadAnswer, maxAnswer)
}

// decode returns the data of an answer. What Kitty says of a failure may hold
// private text and is not passed on.
func decode(answer []byte) ([]byte, error) {
	start := bytes.Index(answer, prefix)
	if start < 0 {
		return nil, ErrBadAnswer
	}
	var body struct {
		OK   *bool           `json:"ok"`
		Data json.RawMessage `json:"data"`
	}
	if json.Unmarshal(answer[start+len(prefix):], &body) != nil || body.OK == nil {
		return nil, ErrBadAnswer
	}
	if !*body.OK {
		return nil, ErrDenied
	}
	// Commands that return JSON return it as a string.
	var text string
	if len(body.Data) > 0 && body.Data[0] == '"' {
		if json.Unmarshal(body.Data, &text) != nil {
			return nil, ErrBadAnswer
		}
		return []byte(text), nil
	}
	return body.Data, nil
}

// Package socket is what the recognisers that speak over a websocket have in
// common: a connection that comes about in bounded time, notices that the
// other side is gone, and takes no message without a limit.
package socket

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"voice-input/pkg/internal/address"
)

// MaxMessage bounds one message of the service in bytes. The longest that one
// was seen to send, a sentence with a time stamp for each word, has 40 kB.
const MaxMessage = 1 << 20

// Times are the waits of a connection.
type Times struct {
	// Write is how long the service may not take a message.
	Write time.Duration
	// Ping is how often the service is asked whether it is there.
	Ping time.Duration
	// Silence is how long it may send nothing at all, no answer to a ping
	// either.
	Silence time.Duration
}

// Default are the times against a real service. A network that moves from one
// access point to the next is back within 10 s, or it needs a new connection.
var Default = Times{Write: 5 * time.Second, Ping: 5 * time.Second, Silence: 15 * time.Second}

// Conn is a connection. Read is for one goroutine and Write for one.
type Conn struct {
	ws    *websocket.Conn
	times Times
	once  sync.Once
	done  chan struct{} // closed by Close
}

// HandshakeError says that the service refused the connection.
type HandshakeError struct {
	Status int    // of HTTP
	Body   []byte // at most 1 KiB of what it said; never shown
}

func (e *HandshakeError) Error() string { return "the service refused the connection" }

// ErrRedirect says that a service wanted the connection to go elsewhere, where
// the key must not go.
var ErrRedirect = errors.New("the service answered with a redirect, which is not followed")

// Dial connects to url, whose scheme may be that of HTTP too. The head may
// hold a key. The errors are ctx's, an *HandshakeError, ErrRedirect, or say
// that there is no connection; none names the address.
func Dial(ctx context.Context, url string, head http.Header, t Times) (*Conn, error) {
	u, err := address.Parse(url)
	if err != nil {
		return nil, errors.New("the address " + err.Error())
	}
	u.Scheme = strings.Replace(u.Scheme, "http", "ws", 1)
	release := func() bool { return true }
	dialer := websocket.Dialer{
		Proxy: http.ProxyFromEnvironment,
		// The default, a page for each direction, is less than one packet.
		ReadBufferSize: 16 << 10, WriteBufferSize: 16 << 10,
		NetDialContext: func(dialing context.Context, network, address string) (net.Conn, error) {
			conn, err := new(net.Dialer).DialContext(dialing, network, address)
			if err == nil {
				// The library notices ctx's deadline but not its cancellation
				// while it waits for the answer to the handshake.
				release = context.AfterFunc(ctx, func() { conn.Close() })
			}
			return conn, err
		},
	}
	ws, answer, err := dialer.DialContext(ctx, u.String(), head)
	if !release() && err == nil {
		ws.Close()
		err = ctx.Err()
	}
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.Is(err, websocket.ErrBadHandshake) && answer != nil && answer.StatusCode/100 == 3:
		return nil, ErrRedirect
	case errors.Is(err, websocket.ErrBadHandshake) && answer != nil:
		body, _ := io.ReadAll(io.LimitReader(answer.Body, 1<<10)) // gorilla has it in memory
		return nil, &HandshakeError{Status: answer.StatusCode, Body: body}
	default:
		return nil, noConnection(err)
	}
	c := &Conn{ws: ws, times: t, done: make(chan struct{})}
	ws.SetReadLimit(MaxMessage)
	alive := func(string) error { return ws.SetReadDeadline(time.Now().Add(t.Silence)) }
	alive("")
	answerPing := ws.PingHandler()
	ws.SetPingHandler(func(data string) error {
		alive("")
		return answerPing(data)
	})
	ws.SetPongHandler(alive)
	go c.ping()
	return c, nil
}

// noConnection reduces an error of dialling to one that names no address.
func noConnection(err error) error {
	var dns *net.DNSError
	var op *net.OpError
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.As(err, &dns):
		return errors.New("the service's host name is not known")
	case errors.As(err, &certificate):
		return errors.New("the service's certificate is not trusted")
	case errors.As(err, &op) && op.Timeout():
		return context.DeadlineExceeded // a moment before ctx knows
	case errors.As(err, &op):
		return fmt.Errorf("no connection to the service: %w", op.Err)
	}
	return errors.New("no connection to the service: it does not speak the protocol")
}

// ping asks the service whether it is there until the connection is closed.
func (c *Conn) ping() {
	ticker := time.NewTicker(c.times.Ping)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			// A ping that cannot be sent is noticed by the missing answer.
			c.ws.WriteControl(websocket.PingMessage, nil, time.Now().Add(c.times.Write))
		case <-c.done:
			return
		}
	}
}

// Text and Binary are the kinds of message.
const (
	Text   = websocket.TextMessage
	Binary = websocket.BinaryMessage
)

// Write sends one message whole. After an error the connection is lost, and
// nothing more of it must be used.
func (c *Conn) Write(kind int, message []byte) error {
	c.ws.SetWriteDeadline(time.Now().Add(c.times.Write))
	if err := c.ws.WriteMessage(kind, message); err != nil {
		return c.lost(err)
	}
	return nil
}

// Read returns the next text message and skips all others. The error is a
// *LostError or ErrTooLong; after it nothing more can be read.
func (c *Conn) Read() ([]byte, error) {
	for {
		kind, message, err := c.ws.ReadMessage()
		switch {
		case errors.Is(err, websocket.ErrReadLimit):
			return nil, ErrTooLong
		case err != nil:
			return nil, c.lost(err)
		}
		c.ws.SetReadDeadline(time.Now().Add(c.times.Silence))
		if kind == websocket.TextMessage {
			return message, nil
		}
	}
}

// ErrTooLong says that a message has more than MaxMessage bytes.
var ErrTooLong = errors.New("the service sent a message of more than 1 MiB")

// LostError says that a connection broke off, or was closed by the service.
type LostError struct {
	// Code is what the service said when it closed, 1006 if it said nothing.
	Code int
	// Silent says that it was given up, as the service no longer answered.
	Silent bool
}

func (e *LostError) Error() string {
	switch {
	case e.Silent:
		return "the service no longer answers"
	case e.Code == websocket.CloseAbnormalClosure:
		return "the connection broke off"
	}
	return "the service closed the connection"
}

func (c *Conn) lost(err error) error {
	e := &LostError{Code: websocket.CloseAbnormalClosure}
	var closed *websocket.CloseError
	var network net.Error
	if errors.As(err, &closed) {
		e.Code = closed.Code
	} else if errors.As(err, &network) {
		e.Silent = network.Timeout()
	}
	return e
}

// Close ends the connection at once; a Read or Write that waits returns. It
// may be called more than once and from any goroutine.
func (c *Conn) Close() {
	c.once.Do(func() {
		close(c.done)
		// The service is told if that takes no waiting.
		c.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseNormalClosure, ""), time.Now().Add(10*time.Millisecond))
		c.ws.Close()
	})
}

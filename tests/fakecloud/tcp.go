package fakecloud

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

var quiet = log.New(io.Discard, "", 0)

// smallBuffer is the receive buffer of a server that reads slowly or not at
// all, in bytes, so that its clients notice soon.
const smallBuffer = 4096

// lingering is how long the server waits for a client to close its side.
const lingering = time.Second

// door is the listener. It does the faults that come before any request.
type door struct {
	srv     *Server
	address string

	count int      // of connections; for Accept alone
	port  *os.File // keeps the port while nothing listens; for Accept alone

	mu    sync.Mutex
	inner net.Listener
	conns map[*tcpConn]bool
}

func open(s *Server, address string) (*door, error) {
	small := false
	for _, f := range s.Scenario.Faults {
		small = small || f.Name == SlowConsumer || f.Name == HalfOpen
	}
	config := net.ListenConfig{Control: func(_, _ string, raw syscall.RawConn) error {
		if !small {
			return nil
		}
		// Connections inherit it; set later, it would not bound the window.
		return raw.Control(func(fd uintptr) { unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVBUF, smallBuffer) })
	}}
	host, _, err := net.SplitHostPort(address)
	if ip := net.ParseIP(host); err == nil && (ip == nil || !ip.IsLoopback() || ip.To4() == nil) {
		err = errors.New("the address is not in 127.0.0.0/8")
	}
	var inner net.Listener
	if err == nil {
		inner, err = config.Listen(context.Background(), "tcp4", address)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %q: %w", address, err)
	}
	d := &door{srv: s, inner: inner, address: inner.Addr().String(), conns: map[*tcpConn]bool{}}
	if _, refuses := d.refusal(1); refuses {
		// Now, so that it refuses once Start has returned.
		if err := d.shut(); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// refusal is the fault that refuses the n-th connection.
func (d *door) refusal(n int) (Fault, bool) {
	for _, f := range d.srv.Scenario.Faults {
		if f.Name == Refuse && max(f.Connection, 1) == n {
			return f, true
		}
	}
	return Fault{}, false
}

// Accept returns the next connection that becomes a request.
func (d *door) Accept() (net.Conn, error) {
	for {
		if f, refuses := d.refusal(d.count + 1); refuses {
			if err := d.refuse(f.For.Duration()); err != nil {
				return nil, err
			}
		}
		c, err := d.listener().Accept()
		if err != nil {
			return nil, err
		}
		d.count++
		conn := &tcpConn{TCPConn: c.(*net.TCPConn), door: d, closed: make(chan struct{})}
		d.mu.Lock()
		d.conns[conn] = true
		d.mu.Unlock()
		fault := d.first(d.count)
		if fault == "" {
			return conn, nil
		}
		if !d.srv.enter() {
			return nil, net.ErrClosed
		}
		go func() {
			defer d.srv.live.Done()
			d.spoil(conn, fault)
		}()
	}
}

// first is the fault of the n-th connection.
func (d *door) first(n int) string {
	for _, f := range d.srv.Scenario.faultsOf(TCP, n) {
		if f.Name != Refuse {
			return f.Name
		}
	}
	return ""
}

// spoil does a fault to a connection that never becomes a request.
func (d *door) spoil(c *tcpConn, fault string) {
	one := d.srv.begin(TCP, nil)
	defer one.end()
	defer c.Close()
	one.fault(fault)
	switch fault {
	case ResetOnAccept:
		c.reset()
		one.close("server", "rst", 0)
	case TLSGarbage:
		c.SetReadDeadline(time.Now().Add(lingering))
		c.Read(make([]byte, 4096))
		// A TLS record of a kind, a version and a length that do not exist.
		c.Write([]byte("\x63\xff\x07\xff\xffgarbage\x00\x01\x02\x03"))
		one.close("server", "fin", 0)
		c.CloseWrite()
		io.Copy(io.Discard, c)
	case HangHandshake:
		io.Copy(io.Discard, c)
		one.close("client", "aborted", 0)
	}
}

// shut stops listening but keeps the port, so that connections are refused and
// nobody else gets it.
func (d *door) shut() error {
	address := d.listener().Addr().(*net.TCPAddr)
	d.listener().Close()
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	d.port = os.NewFile(uintptr(fd), "port")
	unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1)
	return unix.Bind(fd, &unix.SockaddrInet4{Port: address.Port, Addr: [4]byte(address.IP.To4())})
}

// refuse refuses connections for a time, or until the server is closed if that
// is 0.
func (d *door) refuse(pause time.Duration) error {
	if d.port == nil {
		if err := d.shut(); err != nil {
			return err
		}
	}
	defer func() { d.port.Close(); d.port = nil }()
	var again <-chan time.Time
	if pause > 0 {
		timer := time.NewTimer(pause)
		defer timer.Stop()
		again = timer.C
	}
	select {
	case <-d.srv.done:
		return net.ErrClosed
	case <-again:
	}
	if err := unix.Listen(int(d.port.Fd()), 128); err != nil {
		return err
	}
	inner, err := net.FileListener(d.port)
	if err != nil {
		return err
	}
	d.mu.Lock()
	d.inner = inner
	d.mu.Unlock()
	d.count++ // as if it had been accepted: it is refused once
	return nil
}

func (d *door) listener() net.Listener {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.inner
}

// Close ends listening.
func (d *door) Close() error { return d.listener().Close() }

// Addr returns the address.
func (d *door) Addr() net.Addr { return d.listener().Addr() }

// closeAll ends every connection, also those that are no longer the http
// server's.
func (d *door) closeAll() {
	d.mu.Lock()
	conns := d.conns
	d.conns = nil
	d.mu.Unlock()
	for c := range conns {
		c.Close()
	}
}

type tcpKey struct{}

// tcpOf is the connection that a request came by.
func tcpOf(r *http.Request) *tcpConn { return r.Context().Value(tcpKey{}).(*tcpConn) }

// tcpConn is an accepted connection that can be maltreated.
type tcpConn struct {
	*net.TCPConn
	door   *door
	once   sync.Once
	closed chan struct{}

	mu      sync.Mutex
	stalled bool
	rate    int // bytes per second that are read; 0 is no limit
}

// Read reads no more than the faults let it.
func (c *tcpConn) Read(p []byte) (int, error) {
	c.mu.Lock()
	rate := c.rate
	c.mu.Unlock()
	if rate > 0 {
		p = p[:min(len(p), max(rate/20, 1))]
	}
	n, err := c.TCPConn.Read(p)
	if rate > 0 && n > 0 {
		c.pause(time.Duration(n) * time.Second / time.Duration(rate))
	}
	c.mu.Lock()
	stalled := c.stalled
	c.mu.Unlock()
	if stalled {
		<-c.closed
		return 0, net.ErrClosed
	}
	return n, err
}

func (c *tcpConn) pause(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-c.closed:
	}
}

// stall stops reading for good, without a word to the other side.
func (c *tcpConn) stall() {
	c.mu.Lock()
	c.stalled = true
	c.mu.Unlock()
}

// throttle bounds the bytes read per second.
func (c *tcpConn) throttle(rate int) {
	c.mu.Lock()
	c.rate = rate
	c.mu.Unlock()
}

// reset ends the connection with RST.
func (c *tcpConn) reset() {
	c.SetLinger(0)
	c.Close()
}

// Close closes the connection.
func (c *tcpConn) Close() error {
	c.once.Do(func() {
		close(c.closed)
		c.door.mu.Lock()
		delete(c.door.conns, c)
		c.door.mu.Unlock()
	})
	return c.TCPConn.Close()
}

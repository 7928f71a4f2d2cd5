package wayland

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"
)

// display is the object that exists from the start.
const display = 1

// writeTimeout bounds a compositor that does not read.
const writeTimeout = 2 * time.Second

// maxMessage is the largest message; its size is a 16-bit number.
const maxMessage = 1<<16 - 1

// conn is a connection to a compositor
// (https://wayland.freedesktop.org/docs/html/ch04.html).
type conn struct {
	sock *net.UnixConn
	// mu guards what follows, and all state of the objects: handlers run with
	// it held, and so does whoever sends requests.
	mu       sync.Mutex
	last     uint32 // the newest object
	handlers map[uint32]handler
	err      error
	done     chan struct{} // closed when the connection has ended, err says why
}

// handler takes the events of an object.
type handler func(event uint16, m *message)

// socketPath returns where WAYLAND_DISPLAY points, or "" if it is not set.
func socketPath(getenv func(string) string) string {
	name := getenv("WAYLAND_DISPLAY")
	if name == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(getenv("XDG_RUNTIME_DIR"), name)
}

// dial connects. The connection lives until close or until ctx ends.
func dial(ctx context.Context, path string) (*conn, error) {
	s, err := new(net.Dialer).DialContext(ctx, "unix", path)
	if err != nil {
		return nil, fmt.Errorf("cannot connect to the compositor: %w", err)
	}
	c := &conn{sock: s.(*net.UnixConn), last: display, handlers: map[uint32]handler{}, done: make(chan struct{})}
	c.handlers[display] = func(event uint16, m *message) {
		if event == 0 { // error; the message names objects by numbers only
			m.uint()
			code := m.uint()
			c.fail(fmt.Errorf("the compositor refuses: error %d: %.200q", code, m.string()))
		}
	}
	go c.read()
	return c, nil
}

func (c *conn) close() {
	c.mu.Lock()
	c.fail(net.ErrClosed)
	c.mu.Unlock()
	<-c.done
}

// fail ends the connection; the first reason is kept. mu is held.
func (c *conn) fail(err error) {
	if c.err == nil {
		c.err = err
		c.sock.Close()
	}
}

// read hands events to their objects until the connection ends.
func (c *conn) read() {
	var p parser
	defer close(c.done)
	defer p.close()
	buf := make([]byte, maxMessage+1)
	// A message of the kernel's holds at most 253 descriptors; libwayland sends
	// at most 28 at once.
	oob := make([]byte, syscall.CmsgSpace(253*4))
	for {
		n, on, _, _, err := c.sock.ReadMsgUnix(buf, oob)
		if err == nil && n == 0 {
			err = errors.New("the compositor closed the connection")
		}
		c.mu.Lock()
		if err == nil {
			err = p.add(buf[:n], oob[:on])
		}
		for err == nil && c.err == nil {
			var m *message
			if m, err = p.next(); m == nil {
				break
			}
			if h := c.handlers[m.object]; h != nil {
				h(m.event, m)
			}
			if m.bad {
				err = errBadMessage
			}
		}
		if err != nil {
			c.fail(err)
		}
		ended := c.err != nil
		c.mu.Unlock()
		if ended {
			return
		}
	}
}

// object makes a new object; mu is held. Numbers are not used again: a
// delivery needs some twenty.
func (c *conn) object(h handler) uint32 {
	c.last++
	c.handlers[c.last] = h
	return c.last
}

// request sends a request; mu is held. Arguments are uint32, string and
// *os.File. An error ends the connection and shows at the next roundtrip.
func (c *conn) request(object uint32, opcode uint16, args ...any) {
	if c.err != nil {
		return
	}
	b, fds := encode(object, opcode, args...)
	c.sock.SetWriteDeadline(time.Now().Add(writeTimeout))
	if len(b) > maxMessage {
		c.fail(errors.New("a request is too long"))
	} else if _, _, err := c.sock.WriteMsgUnix(b, fds, nil); err != nil {
		c.fail(err)
	}
}

// roundtrip waits until the compositor has done all that was asked before.
func (c *conn) roundtrip(ctx context.Context) error {
	answered := make(chan struct{})
	c.mu.Lock()
	c.request(display, 0, c.object(func(uint16, *message) { close(answered) }))
	c.mu.Unlock()
	return c.wait(ctx, answered)
}

// wait waits for an event, the end of the connection or that of ctx.
func (c *conn) wait(ctx context.Context, event <-chan struct{}) error {
	select {
	case <-event:
		return nil
	case <-c.done:
		return c.err
	case <-ctx.Done():
		return fmt.Errorf("the compositor does not answer: %w", ctx.Err())
	}
}

// global is something that the compositor offers to bind.
type global struct{ name, version uint32 }

// globals returns what can be bound, and the object by which it is.
func (c *conn) globals(ctx context.Context) (registry uint32, all map[string]global, err error) {
	all = map[string]global{}
	c.mu.Lock()
	registry = c.object(func(event uint16, m *message) {
		if event != 0 {
			return
		}
		g := global{name: m.uint()}
		name := m.string()
		g.version = m.uint()
		if _, there := all[name]; !there && len(all) < 1000 {
			all[name] = g
		}
	})
	c.request(display, 1, registry)
	c.mu.Unlock()
	return registry, all, c.roundtrip(ctx)
}

// bind binds a global in at most the version given; mu is held.
func (c *conn) bind(registry uint32, g global, interfaceName string, version uint32, h handler) uint32 {
	id := c.object(h)
	c.request(registry, 0, g.name, interfaceName, min(version, g.version), id)
	return id
}

// encode writes a request.
func encode(object uint32, opcode uint16, args ...any) (b, fds []byte) {
	b = binary.NativeEndian.AppendUint32(b, object)
	b = binary.NativeEndian.AppendUint32(b, 0)
	for _, a := range args {
		switch a := a.(type) {
		case uint32:
			b = binary.NativeEndian.AppendUint32(b, a)
		case string:
			b = binary.NativeEndian.AppendUint32(b, uint32(len(a)+1))
			b = append(b, a...)
			b = append(b, make([]byte, 4-len(a)%4)...) // its NUL, to a multiple of four
		case *os.File:
			fds = syscall.UnixRights(int(a.Fd()))
		}
	}
	binary.NativeEndian.PutUint32(b[4:], uint32(len(b))<<16|uint32(opcode))
	return b, fds
}

// parser cuts the stream of events into messages.
type parser struct {
	b   []byte
	fds []int
}

var errBadMessage = errors.New("the compositor sent a message that cannot be read")

func (p *parser) add(b, oob []byte) error {
	p.b = append(p.b, b...)
	messages, err := syscall.ParseSocketControlMessage(oob)
	if err != nil {
		return err
	}
	for _, m := range messages {
		if fds, err := syscall.ParseUnixRights(&m); err == nil {
			for _, fd := range fds {
				syscall.CloseOnExec(fd)
			}
			p.fds = append(p.fds, fds...)
		}
	}
	return nil
}

// next returns a whole message or nil.
func (p *parser) next() (*message, error) {
	if len(p.b) < 8 {
		return nil, nil
	}
	word := binary.NativeEndian.Uint32(p.b[4:])
	size := int(word >> 16)
	switch {
	case size < 8 || size%4 != 0:
		return nil, errBadMessage
	case len(p.b) < size:
		return nil, nil
	}
	m := &message{object: binary.NativeEndian.Uint32(p.b), event: uint16(word), b: slices.Clone(p.b[8:size]), fds: &p.fds}
	p.b = p.b[:copy(p.b, p.b[size:])]
	return m, nil
}

func (p *parser) close() {
	for _, fd := range p.fds {
		syscall.Close(fd)
	}
}

// message is an event. Its arguments are read in order; bad says that there
// was one less than was read.
type message struct {
	object uint32
	event  uint16
	b      []byte
	fds    *[]int
	bad    bool
}

func (m *message) uint() uint32 {
	if len(m.b) < 4 {
		m.bad, m.b = true, nil
		return 0
	}
	v := binary.NativeEndian.Uint32(m.b)
	m.b = m.b[4:]
	return v
}

func (m *message) string() string {
	n := int(m.uint()) // with its NUL; 0 is null
	padded := (n + 3) &^ 3
	switch {
	case n == 0:
		return ""
	case n > maxMessage || padded > len(m.b):
		m.bad, m.b = true, nil
		return ""
	}
	s := string(m.b[:n-1])
	m.b = m.b[padded:]
	return s
}

// file returns a descriptor as a file that does not block.
func (m *message) file() *os.File {
	if len(*m.fds) == 0 {
		m.bad = true
		return nil
	}
	fd := (*m.fds)[0]
	*m.fds = (*m.fds)[1:]
	syscall.SetNonblock(fd, true)
	return os.NewFile(uintptr(fd), "pipe")
}

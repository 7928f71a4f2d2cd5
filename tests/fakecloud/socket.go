package fakecloud

import (
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"syscall"
	"time"

	"github.com/gorilla/websocket"
)

// maxIncoming bounds a message of a client: an append of 15 MiB in base64.
const maxIncoming = 24 << 20

// socket is a websocket of any protocol: its loop reads messages, keeps time
// and does faults; a dialogue does the rest. All but the reading happens on
// one goroutine.
type socket struct {
	srv  *Server
	s    *session
	ws   *websocket.Conn
	tcp  *tcpConn
	talk dialogue

	progress
	coming []Fault          // that are not due yet
	active map[string]Fault // that change what is done from now on
	timers map[string]timer
	ended  bool
}

// dialogue is one protocol on a socket.
type dialogue interface {
	// opened is called first.
	opened()
	// message is called with each text or binary message.
	message(kind int, data []byte)
	// inject does a fault at once; false leaves it in active.
	inject(Fault) bool
}

type timer struct {
	at time.Time
	do func()
}

type incoming struct {
	kind int
	data []byte
	err  error
}

// socket serves a websocket of a protocol.
func (s *Server) socket(protocol string, talk func(*socket) dialogue) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		one := s.begin(protocol, r)
		defer one.end()
		c := &socket{srv: s, s: one, tcp: tcpOf(r), active: map[string]Fault{}, timers: map[string]timer{},
			progress: progress{moment: Opened, since: time.Now(), task: 1}}
		c.coming = s.Scenario.faultsOf(protocol, one.s.Nth)
		x := &exchange{srv: s, s: one, w: w, r: r, faults: c.coming}
		if x.refused() {
			return
		}
		c.coming = x.faults
		c.talk = talk(c)
		if c.upgrade(w, r) {
			c.serve()
		}
	}
}

func (c *socket) upgrade(w http.ResponseWriter, r *http.Request) bool {
	up := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
	header := http.Header{}
	for _, f := range c.coming {
		switch f.Name {
		case Compression:
			up.EnableCompression = true
			c.s.fault(f.Name)
		case Extension:
			// In this spelling, for the library wants to manage the others.
			header["sec-websocket-extensions"] = []string{"x-nobody-asked"}
			c.s.fault(f.Name)
		}
	}
	ws, err := up.Upgrade(w, r, header)
	if err != nil {
		c.s.violate(BadFrame, "", err.Error())
		c.s.close("server", "answer", http.StatusBadRequest)
		return false
	}
	c.ws = ws
	ws.EnableWriteCompression(up.EnableCompression)
	ws.SetReadLimit(maxIncoming)
	return true
}

// serve runs until the connection has ended.
func (c *socket) serve() {
	in := make(chan incoming)
	gone := make(chan struct{})
	pings := make(chan string, 16)
	c.ws.SetPingHandler(func(text string) error {
		select {
		case pings <- text:
		case <-gone:
		}
		return nil
	})
	c.ws.SetPongHandler(func(text string) error {
		c.s.note(Message{From: "client", Kind: "pong", Bytes: len(text)})
		return nil
	})
	c.ws.SetCloseHandler(func(int, string) error { return nil }) // the loop answers
	reading := make(chan struct{})
	go func() {
		defer close(reading)
		for {
			kind, data, err := c.ws.ReadMessage()
			select {
			case in <- incoming{kind, data, err}:
			case <-gone:
			}
			if err != nil {
				return
			}
		}
	}()
	c.settle()
	if !c.ended {
		c.talk.opened()
	}
	for !c.ended {
		c.settle()
		if c.ended {
			break
		}
		wake := c.nextTimer()
		select {
		case m := <-in:
			c.read(m)
		case text := <-pings:
			c.s.note(Message{From: "client", Kind: "ping", Bytes: len(text)})
			if _, silent := c.active[NoPong]; !silent {
				c.control(websocket.PongMessage, []byte(text))
			}
		case <-wake:
			c.runTimers()
		case <-c.tcp.closed:
			c.end("server", "fin", 0)
		}
	}
	close(gone)
	// The client may still be sending: what it sends is read, not heard, so
	// that closing does not become a reset.
	select {
	case <-reading:
	case <-c.tcp.closed:
	case <-time.After(lingering):
	}
	c.tcp.Close()
	<-reading
}

// read takes a message of the client.
func (c *socket) read(m incoming) {
	var closing *websocket.CloseError
	switch {
	case errors.As(m.err, &closing) && closing.Code != websocket.CloseAbnormalClosure:
		c.s.note(Message{From: "client", Kind: "close"})
		c.control(websocket.CloseMessage, websocket.FormatCloseMessage(answerable(closing.Code), ""))
		c.end("client", "frame", closing.Code)
	case errors.As(m.err, &closing):
		c.end("client", "fin", 0)
	case errors.Is(m.err, syscall.ECONNRESET):
		c.end("client", "rst", 0)
	case m.err != nil && !errors.Is(m.err, net.ErrClosed):
		c.s.violate(BadFrame, "", m.err.Error())
		c.closeWith(websocket.CloseProtocolError)
	case m.err != nil:
		c.end("server", "fin", 0)
	default:
		kind, text := "binary", ""
		if m.kind == websocket.TextMessage {
			kind, text = "text", hideSound(m.data)
		}
		c.s.note(Message{From: "client", Kind: kind, Bytes: len(m.data), Text: text})
		c.talk.message(m.kind, m.data)
	}
}

// answerable is a code that a close frame may have.
func answerable(code int) int {
	if code == websocket.CloseNoStatusReceived {
		return websocket.CloseNormalClosure
	}
	return code
}

// reach says that a moment has come.
func (c *socket) reach(m Moment) {
	c.moment, c.since = m, time.Now()
	c.settle()
}

// settle does what is due.
func (c *socket) settle() {
	if c.ended {
		return
	}
	ripe, left, wait := due(c.coming, c.progress, time.Now())
	c.coming = left
	if wait > 0 {
		c.after("faults", wait, func() {}) // the loop settles after each timer
	}
	for _, f := range ripe {
		if c.ended {
			return
		}
		if f.Name != Compression && f.Name != Extension { // done by upgrade
			c.s.fault(f.Name)
		}
		if !c.inject(f) && !c.talk.inject(f) {
			c.active[f.Name] = f
		}
	}
}

// after does something later, in place of what had the same name.
func (c *socket) after(name string, d time.Duration, do func()) {
	c.timers[name] = timer{time.Now().Add(d), do}
}

func (c *socket) nextTimer() <-chan time.Time {
	var first time.Time
	for _, t := range c.timers {
		if first.IsZero() || t.at.Before(first) {
			first = t.at
		}
	}
	if first.IsZero() {
		return nil
	}
	return time.After(time.Until(first))
}

func (c *socket) runTimers() {
	for _, name := range sorted(c.timers) {
		if t, there := c.timers[name]; there && !t.at.After(time.Now()) && !c.ended {
			delete(c.timers, name)
			t.do()
		}
	}
}

// on says whether a fault changes what is done.
func (c *socket) on(name string) bool { _, there := c.active[name]; return there }

// take is on for something that happens once.
func (c *socket) take(name string) (Fault, bool) {
	f, there := c.active[name]
	delete(c.active, name)
	return f, there
}

// stalled says that the server sends nothing more.
func (c *socket) stalled() bool {
	return c.on(Stall) || c.on(StallAfterPartial) || c.on(StallHeartbeats) || c.on(HalfOpen)
}

// send sends a message of JSON.
func (c *socket) send(v any) {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // all that is sent is made of maps and strings
	}
	c.sendText(data)
}

// end ends the loop.
func (c *socket) end(by, how string, code int) {
	c.s.close(by, how, code)
	c.ended = true
}

package fakecloud

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"strings"
	"time"

	"github.com/gorilla/websocket"
)

// writing bounds how long the server waits for a client that does not read.
const writing = 10 * time.Second

// inject does the faults that are the same in every protocol.
func (c *socket) inject(f Fault) bool {
	switch f.Name {
	case Close, CloseBefore, CloseAfter:
		c.hangUp(f)
	case HalfOpen:
		c.active[HalfOpen] = f
		c.tcp.stall()
	case SlowConsumer:
		c.tcp.throttle(orInt(f.Bytes, 4000))
	case PingStorm:
		for range orInt(f.Count, 1000) {
			c.control(websocket.PingMessage, []byte("storm"))
		}
	case Binary:
		noise := bytes.Repeat([]byte{0x00, 0xff, 0x7b, 0x80}, orInt(f.Bytes, 512)/4+1)[:orInt(f.Bytes, 512)]
		c.write(websocket.BinaryMessage, noise)
	case MalformedJSON:
		c.sendText([]byte(`{"header":{"event":` + Sentinel + `,"type":}`))
	default:
		return false
	}
	return true
}

// hangUp closes as a fault says.
func (c *socket) hangUp(f Fault) {
	code := orInt(f.Status, websocket.CloseAbnormalClosure)
	if f.How == "frame" && f.Status == 0 {
		code = websocket.CloseNormalClosure
	}
	switch {
	case f.How == "rst":
		c.tcp.reset()
		c.end("server", "rst", 0)
	case f.How == "fin" || code == websocket.CloseAbnormalClosure:
		c.tcp.CloseWrite()
		c.end("server", "fin", 0)
	default:
		c.closeWith(code)
	}
}

// closeWith sends a close frame and ends.
func (c *socket) closeWith(code int) {
	c.control(websocket.CloseMessage, websocket.FormatCloseMessage(code, ""))
	c.end("server", "frame", code)
}

// sendText sends a text message, in frames if a fault says so.
func (c *socket) sendText(data []byte) {
	f, fragments := c.active[Fragments]
	g, interleave := c.active[Interleave]
	switch {
	case c.ended || c.on(HalfOpen):
	case fragments || interleave:
		c.sendFrames(data, max(orInt(f.Bytes, orInt(g.Bytes, 7)), 1), interleave)
	default:
		c.write(websocket.TextMessage, data)
	}
}

func (c *socket) write(kind int, data []byte) {
	if c.ended || c.on(HalfOpen) {
		return
	}
	m := Message{From: "server", Kind: "binary", Bytes: len(data)}
	if kind == websocket.TextMessage {
		m.Kind, m.Text = "text", shortened(data)
	}
	c.s.note(m)
	c.ws.SetWriteDeadline(time.Now().Add(writing))
	if c.ws.WriteMessage(kind, data) != nil {
		c.end("client", "rst", 0)
	}
}

// shortened is a message of the server for the journal.
func shortened(data []byte) string {
	const most = 8192
	return strings.ToValidUTF8(string(data[:min(len(data), most)]), "?")
}

func (c *socket) control(kind int, data []byte) {
	if c.ended || c.on(HalfOpen) {
		return
	}
	names := map[int]string{websocket.PingMessage: "ping", websocket.PongMessage: "pong", websocket.CloseMessage: "close"}
	c.s.note(Message{From: "server", Kind: names[kind], Bytes: len(data)})
	if c.ws.WriteControl(kind, data, time.Now().Add(writing)) != nil && kind != websocket.CloseMessage {
		c.end("client", "rst", 0)
	}
}

// sendFrames writes a message in frames of a size by hand: the library makes
// frames only of what does not fit its buffer.
func (c *socket) sendFrames(data []byte, size int, interleave bool) {
	c.s.note(Message{From: "server", Kind: "text", Bytes: len(data), Text: shortened(data)})
	var out []byte
	opcode := byte(websocket.TextMessage)
	for first := true; first || len(data) > 0; first = false {
		part := data[:min(len(data), size)]
		data = data[len(part):]
		if len(data) == 0 {
			opcode |= 0x80 // the last
		}
		out = append(out, opcode)
		if len(part) < 126 {
			out = append(out, byte(len(part)))
		} else {
			out = append(out, 127)
			out = binary.BigEndian.AppendUint64(out, uint64(len(part)))
		}
		out = append(out, part...)
		opcode = 0 // a continuation
		if interleave && len(data) > 0 {
			out = append(out, 0x80|websocket.PingMessage, 1, 'i')
		}
	}
	c.tcp.SetWriteDeadline(time.Now().Add(writing))
	if _, err := c.tcp.Write(out); err != nil {
		c.end("client", "rst", 0)
	}
}

// sendResult sends a result whose text is under the name key, changed as the
// faults for the next result say.
func (c *socket) sendResult(v any, key string) {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // as in send
	}
	member := []byte(`"` + key + `":`)
	start := bytes.Index(data, member)
	if start < 0 { // a null sentence
		c.sendText(data)
		return
	}
	valueAt := start + len(member)
	valueEnd := valueAt + jsonStringLength(data[valueAt:])
	insert := func(at int, what string) { data = []byte(string(data[:at]) + what + string(data[at:])) }
	if _, yes := c.take(InvalidUTF8); yes {
		insert(valueEnd-1, "\xff\xc0\xaf\xed\xa0\x80")
	} else if _, yes := c.take(DupKeys); yes {
		insert(start, string(member)+`"`+Sentinel+`",`)
	} else if _, yes := c.take(TextNotString); yes {
		data = []byte(string(data[:valueAt]) + "12345" + string(data[valueEnd:]))
	}
	if f, yes := c.take(DeepNesting); yes {
		n := orInt(f.Count, 20000)
		insert(1, `"extra":`+strings.Repeat("[", n)+strings.Repeat("]", n)+",")
	}
	if f, yes := c.take(Oversized); yes {
		frame := len(`"extra":"",`)
		insert(1, `"extra":"`+strings.Repeat("x", max(orInt(f.Bytes, 1<<20+1)-len(data)-frame, 0))+`",`)
	}
	if _, yes := c.take(TruncatedJSON); yes {
		data = data[:len(data)/2]
	}
	c.sendText(data)
}

// jsonStringLength is how long the string at the start of data is, with its
// quotes.
func jsonStringLength(data []byte) int {
	for i := 1; i < len(data); i++ {
		switch data[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(data)
}

func orInt(n, other int) int {
	if n == 0 {
		return other
	}
	return n
}

func orText(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

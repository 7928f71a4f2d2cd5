package fakecloud

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// patience bounds each wait of the tests; nothing needs it but a failure.
const patience = 20 * time.Second

func start(t *testing.T, s Scenario) *Server {
	t.Helper()
	srv, err := Start(s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := srv.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return srv
}

// until waits for the journal to be as wanted and returns it.
func until(t *testing.T, srv *Server, wanted func([]Session) bool) []Session {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := srv.Wait(ctx, wanted); err != nil {
		t.Fatalf("%v: %+v", err, srv.Journal())
	}
	return srv.Journal()
}

// closed says that n sessions have ended.
func closed(n int) func([]Session) bool {
	return func(all []Session) bool {
		ended := 0
		for _, j := range all {
			if j.Closed != nil {
				ended++
			}
		}
		return ended >= n
	}
}

// violations are the codes of all violations, each once, sorted.
func violations(srv *Server) string {
	var codes []string
	for _, v := range srv.Violations() {
		codes = append(codes, v.Code)
	}
	slices.Sort(codes)
	return strings.Join(slices.Compact(codes), " ")
}

// check reports violations by clients that are still connected and have read
// all their answers, so that it need not wait as Check does.
func check(t *testing.T, srv *Server) {
	t.Helper()
	for _, v := range srv.Violations() {
		t.Errorf("violation: %v", v)
	}
}

// conn is the client's side of a websocket.
type conn struct {
	t  *testing.T
	ws *websocket.Conn
	id string
}

func dial(t *testing.T, srv *Server, path string) *conn {
	t.Helper()
	c, err := tryDial(t, srv, path, srv.Token())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func tryDial(t *testing.T, srv *Server, path, key string) (*conn, error) {
	dialer := websocket.Dialer{HandshakeTimeout: patience, EnableCompression: true}
	ws, answer, err := dialer.Dial(srv.URL(path), http.Header{"Authorization": {"Bearer " + key}})
	if err != nil {
		if answer != nil {
			return nil, fmt.Errorf("%w: %s", err, answer.Status)
		}
		return nil, err
	}
	ws.SetReadDeadline(time.Now().Add(patience))
	t.Cleanup(func() { ws.Close() })
	return &conn{t, ws, ""}, nil
}

func (c *conn) send(v any) {
	c.t.Helper()
	if err := c.ws.WriteJSON(v); err != nil {
		c.t.Fatal(err)
	}
}

func (c *conn) sendText(s string) {
	c.t.Helper()
	if err := c.ws.WriteMessage(websocket.TextMessage, []byte(s)); err != nil {
		c.t.Fatal(err)
	}
}

func (c *conn) sendAudio(pcm []byte) error { return c.ws.WriteMessage(websocket.BinaryMessage, pcm) }

// read returns the next message as it is.
func (c *conn) read() (string, error) {
	_, data, err := c.ws.ReadMessage()
	return string(data), err
}

// next returns the next message, which must be JSON.
func (c *conn) next() map[string]any {
	c.t.Helper()
	data, err := c.read()
	if err != nil {
		c.t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal([]byte(data), &m); err != nil {
		c.t.Fatalf("%v: %.200s", err, data)
	}
	return m
}

// rest reads to the end and returns all messages and how it ended.
func (c *conn) rest() ([]string, error) {
	var all []string
	for {
		data, err := c.read()
		if err != nil {
			return all, err
		}
		all = append(all, data)
	}
}

func (c *conn) close() {
	c.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(1000, ""), time.Now().Add(time.Second))
	c.ws.Close()
}

// closeCode is the code of the close frame that ended a connection, 0 without.
func closeCode(err error) int {
	var e *websocket.CloseError
	if errors.As(err, &e) {
		return e.Code
	}
	return 0
}

// object is a message to change in parts.
type object = map[string]any

// edit sets, or with nil removes, the member that a path leads to.
func edit(m object, path string, value any) object {
	var copied object
	data, _ := json.Marshal(m)
	json.Unmarshal(data, &copied)
	steps := strings.Split(path, ".")
	at := copied
	for _, step := range steps[:len(steps)-1] {
		at = at[step].(object)
	}
	if last := steps[len(steps)-1]; value == nil {
		delete(at, last)
	} else {
		at[last] = value
	}
	return copied
}

func deadline() time.Time { return time.Now().Add(time.Second) }

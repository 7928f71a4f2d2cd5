package socket

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// quick are times for a test in which the other side is gone.
var quick = Times{Write: 200 * time.Millisecond, Ping: 20 * time.Millisecond, Silence: 200 * time.Millisecond}

// serve runs f for each connection and returns the address.
func serve(t *testing.T, f func(*websocket.Conn)) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		up := websocket.Upgrader{EnableCompression: true}
		ws, err := up.Upgrade(w, r, nil)
		if err != nil {
			return
		}
		defer ws.Close()
		f(ws)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// wait reads until the other side closes.
func wait(ws *websocket.Conn) {
	for {
		if _, _, err := ws.ReadMessage(); err != nil {
			return
		}
	}
}

func dial(t *testing.T, url string, times Times) *Conn {
	t.Helper()
	c, err := Dial(t.Context(), url, nil, times)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func TestMessages(t *testing.T) {
	url := serve(t, func(ws *websocket.Conn) {
		kind, b, _ := ws.ReadMessage()
		ws.WriteMessage(websocket.BinaryMessage, []byte("skipped"))
		ws.WriteControl(websocket.PingMessage, []byte("x"), time.Now().Add(time.Second))
		ws.WriteMessage(kind, b)
		wait(ws)
	})
	c := dial(t, url, Default)
	if err := c.Write(Text, []byte("hello")); err != nil {
		t.Fatal(err)
	}
	if b, err := c.Read(); err != nil || string(b) != "hello" {
		t.Errorf("%q, %v", b, err)
	}
}

// A message may come in fragments with a ping between them.
func TestFragments(t *testing.T) {
	url := serve(t, func(ws *websocket.Conn) {
		w, _ := ws.NextWriter(websocket.TextMessage)
		for range 4 {
			io.WriteString(w, strings.Repeat("x", 70_000))
			ws.WriteControl(websocket.PingMessage, nil, time.Now().Add(time.Second))
		}
		w.Close()
		wait(ws)
	})
	if b, err := dial(t, url, Default).Read(); err != nil || len(b) != 280_000 {
		t.Errorf("%d bytes, %v", len(b), err)
	}
}

func TestTooLong(t *testing.T) {
	for size, want := range map[int]error{MaxMessage: nil, MaxMessage + 1: ErrTooLong} {
		url := serve(t, func(ws *websocket.Conn) {
			ws.WriteMessage(websocket.TextMessage, make([]byte, size))
			wait(ws)
		})
		if _, err := dial(t, url, Default).Read(); !errors.Is(err, want) {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}

func TestLost(t *testing.T) {
	for name, tt := range map[string]struct {
		end    func(*websocket.Conn)
		code   int
		silent bool
	}{
		"closed": {func(ws *websocket.Conn) {
			ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(1011, "sentinel"), time.Now().Add(time.Second))
		}, 1011, false},
		"ended":     {func(ws *websocket.Conn) { ws.NetConn().Close() }, 1006, false},
		"reset":     {func(ws *websocket.Conn) { ws.NetConn().(*net.TCPConn).SetLinger(0); ws.NetConn().Close() }, 1006, false},
		"half open": {func(ws *websocket.Conn) { time.Sleep(2 * time.Second) }, 1006, true}, // reads nothing
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := dial(t, serve(t, tt.end), quick)
			_, err := c.Read()
			var lost *LostError
			if !errors.As(err, &lost) || lost.Code != tt.code || lost.Silent != tt.silent || strings.Contains(err.Error(), "sentinel") {
				t.Errorf("%+v: %v", lost, err)
			}
		})
	}
}

// A service that only answers pings is there.
func TestPings(t *testing.T) {
	var pings atomic.Int32
	url := serve(t, func(ws *websocket.Conn) {
		answer := ws.PingHandler()
		ws.SetPingHandler(func(s string) error {
			if pings.Add(1) == 30 {
				ws.WriteMessage(websocket.TextMessage, []byte("late"))
			}
			return answer(s)
		})
		wait(ws)
	})
	if b, err := dial(t, url, quick).Read(); err != nil || string(b) != "late" {
		t.Errorf("%q, %v", b, err)
	}
}

// A service that takes nothing more ends a write.
func TestStuckWrite(t *testing.T) {
	stop := make(chan struct{})
	defer close(stop)
	c := dial(t, serve(t, func(*websocket.Conn) { <-stop }), Times{Write: 100 * time.Millisecond, Ping: time.Hour, Silence: time.Hour})
	for {
		if err := c.Write(Binary, make([]byte, 1<<20)); err != nil {
			var lost *LostError
			if !errors.As(err, &lost) || !lost.Silent {
				t.Errorf("%v", err)
			}
			return
		}
	}
}

func TestRefused(t *testing.T) {
	for _, status := range []int{401, 403, 429, 503} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Bearer sentinel" {
				t.Error("no key")
			}
			http.Error(w, `{"code":"InvalidApiKey"}`, status)
		}))
		_, err := Dial(t.Context(), s.URL, http.Header{"Authorization": {"Bearer sentinel"}}, Default)
		s.Close()
		var refused *HandshakeError
		if !errors.As(err, &refused) || refused.Status != status || !strings.Contains(string(refused.Body), "InvalidApiKey") || strings.Contains(err.Error(), "sentinel") {
			t.Errorf("%d: %+v %v", status, refused, err)
		}
	}
}

func TestRedirectIsNotFollowed(t *testing.T) {
	trap := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("followed") }))
	defer trap.Close()
	s := httptest.NewServer(http.RedirectHandler(trap.URL, http.StatusTemporaryRedirect))
	defer s.Close()
	if _, err := Dial(t.Context(), s.URL, nil, Default); !errors.Is(err, ErrRedirect) {
		t.Errorf("%v", err)
	}
}

func TestNoConnection(t *testing.T) {
	garbage, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer garbage.Close()
	go func() {
		for {
			conn, err := garbage.Accept()
			if err != nil {
				return
			}
			io.WriteString(conn, "no TLS, no HTTP\n")
			conn.Close()
		}
	}()
	untrusted := httptest.NewTLSServer(http.NotFoundHandler())
	untrusted.Config.ErrorLog = log.New(io.Discard, "", 0)
	defer untrusted.Close()
	for url, want := range map[string]string{
		"ws://127.0.0.1:1/sentinel":        "connection refused",
		"wss://sentinel.invalid/":          "host name",
		"http://sentinel.example/":         "only https and wss",
		"wss://" + garbage.Addr().String(): "does not speak the protocol",
		"ws://" + garbage.Addr().String():  "does not speak the protocol",
		untrusted.URL:                      "certificate is not trusted",
	} {
		_, err := Dial(t.Context(), url, nil, Default)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "sentinel") || strings.Contains(err.Error(), "127.0.0.1") {
			t.Errorf("%s: %v", url, err)
		}
	}
}

// The end of the context ends a handshake that waits, and Close a read.
func TestCancel(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0") // accepts, says nothing
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	for _, scheme := range []string{"ws://", "wss://"} {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(50*time.Millisecond, cancel)
		if _, err := Dial(ctx, scheme+silent.Addr().String(), nil, Default); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", scheme, err)
		}
		ctx, cancel = context.WithTimeout(t.Context(), 50*time.Millisecond)
		if _, err := Dial(ctx, scheme+silent.Addr().String(), nil, Default); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", scheme, err)
		}
		cancel()
	}
	c := dial(t, serve(t, wait), Default)
	time.AfterFunc(50*time.Millisecond, c.Close)
	if _, err := c.Read(); err == nil {
		t.Error("read goes on")
	}
}

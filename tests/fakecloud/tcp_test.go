package fakecloud

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// raw connects without a request.
func raw(t *testing.T, srv *Server) (net.Conn, error) {
	t.Helper()
	c, err := net.DialTimeout("tcp", strings.TrimPrefix(srv.Base(), "http://"), patience)
	if err == nil {
		c.SetDeadline(time.Now().Add(patience))
		t.Cleanup(func() { c.Close() })
	}
	return c, err
}

func TestFaultRefuse(t *testing.T) {
	t.Run("from the first on", func(t *testing.T) {
		srv := start(t, Scenario{Faults: []Fault{{Name: Refuse}}})
		for range 2 {
			if _, err := raw(t, srv); !errors.Is(err, syscall.ECONNREFUSED) {
				t.Errorf("dial: %v", err)
			}
		}
	})
	t.Run("from the second on", func(t *testing.T) {
		srv := start(t, Scenario{Faults: []Fault{{Name: Refuse, Connection: 2}}})
		c := dialTask(t, srv, 1)
		if _, err := raw(t, srv); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("dial: %v", err)
		}
		c.finishTask() // the first one still works
	})
	t.Run("for a time", func(t *testing.T) {
		srv := start(t, Scenario{Faults: []Fault{{Name: Refuse, Connection: 1, For: 300}}})
		if _, err := raw(t, srv); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("dial: %v", err)
		}
		for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
			if _, err := raw(t, srv); err == nil {
				break
			}
			if time.Now().After(end) {
				t.Fatal("it refuses for ever")
			}
		}
		dialTask(t, srv, 1).finishTask()
	})
}

func TestFaultResetOnAccept(t *testing.T) {
	srv := start(t, Scenario{Faults: []Fault{{Name: ResetOnAccept, Connection: 1}}})
	c, err := raw(t, srv)
	if err == nil {
		_, err = c.Read(make([]byte, 1))
	}
	if !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("read: %v", err)
	}
	dialTask(t, srv, 1).finishTask()
	j := until(t, srv, closed(1))[0]
	if j.Protocol != TCP || j.Closed.How != "rst" || j.Faults[0] != ResetOnAccept {
		t.Errorf("journal = %+v", j)
	}
}

func TestFaultTLSGarbage(t *testing.T) {
	srv := start(t, Scenario{Faults: []Fault{{Name: TLSGarbage}}})
	c, err := raw(t, srv)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(c, "GET / HTTP/1.1\r\n\r\n")
	got, err := io.ReadAll(c)
	if err != nil || len(got) == 0 || bytes.HasPrefix(got, []byte("HTTP/")) {
		t.Errorf("%q, %v", got, err)
	}
}

func TestFaultHangHandshake(t *testing.T) {
	srv := start(t, Scenario{Faults: []Fault{{Name: HangHandshake}}})
	c, err := raw(t, srv)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(c, "GET / HTTP/1.1\r\n\r\n")
	c.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
	if n, err := c.Read(make([]byte, 1)); n != 0 || !isTimeout(err) {
		t.Errorf("read: %d, %v", n, err)
	}
	c.Close()
	if j := until(t, srv, closed(1))[0]; j.Closed.By != "client" {
		t.Errorf("closed = %+v", j.Closed)
	}
}

func isTimeout(err error) bool {
	var e net.Error
	return errors.As(err, &e) && e.Timeout()
}

// fill sends frames of noise until the client may not write any more for a
// time, and returns how many bytes went through.
func fill(t *testing.T, c *conn, most int) int {
	t.Helper()
	frame := make([]byte, 16000)
	for sent := 0; sent < most; sent += len(frame) {
		c.ws.SetWriteDeadline(time.Now().Add(300 * time.Millisecond))
		if err := c.sendAudio(frame); err != nil {
			if !isTimeout(err) {
				t.Fatal(err)
			}
			return sent
		}
	}
	return most
}

func TestFaultHalfOpen(t *testing.T) {
	srv := start(t, Scenario{Audio: Sound{Any: true}, Faults: []Fault{{Name: HalfOpen, Samples: 1600}}})
	c := dialTask(t, srv, 1)
	c.stream(0, 1600)
	const most = 32 << 20
	if n := fill(t, c, most); n == most {
		t.Error("it reads on")
	}
	c.ws.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
	if _, err := c.rest(); !isTimeout(err) {
		t.Errorf("end: %v", err)
	}
	if a := srv.Journal()[0].Audio[0]; a.Samples > 2*1600+8000 {
		t.Errorf("it heard %d samples", a.Samples)
	}
	happened(t, srv, HalfOpen)
}

func TestFaultSlowConsumer(t *testing.T) {
	srv := start(t, Scenario{Faults: []Fault{{Name: SlowConsumer, Bytes: 20000}}})
	c := dial(t, srv, TaskPath)
	c.id = taskID(1)
	c.send(aRun(c.id))
	c.next()
	began := time.Now()
	c.stream(0, 16000) // 32 kB
	c.finishTask()
	if took := time.Since(began); took < time.Second {
		t.Errorf("it read 32 kB in %v", took)
	}
	if a := srv.Journal()[0].Audio[0]; !a.Exact(16000) {
		t.Errorf("audio = %+v", a)
	}
}

func TestFaultsOfTheHandshake(t *testing.T) {
	for name, c := range map[string]struct {
		fault Fault
		want  string
	}{
		"401":      {Fault{Name: HTTPStatus, Status: 401, Code: "InvalidApiKey"}, "401"},
		"403":      {Fault{Name: HTTPStatus, Status: 403, Code: "AccessDenied"}, "403"},
		"429":      {Fault{Name: HTTPStatus, Status: 429, Header: []Field{{"Retry-After", "7"}}}, "429"},
		"503":      {Fault{Name: HTTPStatus, Status: 503}, "503"},
		"redirect": {Fault{Name: Redirect}, "307"},
	} {
		t.Run(name, func(t *testing.T) {
			srv := start(t, Scenario{Faults: []Fault{c.fault}})
			if _, err := tryDial(t, srv, TaskPath, srv.Token()); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("dial: %v", err)
			}
			happened(t, srv, c.fault.Name)
			check(t, srv)
		})
	}
	t.Run("hang", func(t *testing.T) {
		srv := start(t, Scenario{Faults: []Fault{{Name: Hang}}})
		dialer := websocket.Dialer{HandshakeTimeout: 100 * time.Millisecond}
		if _, _, err := dialer.Dial(srv.URL(TaskPath), nil); !isTimeout(err) {
			t.Errorf("dial: %v", err)
		}
		if j := until(t, srv, closed(1))[0]; j.Closed.How != "aborted" {
			t.Errorf("closed = %+v", j.Closed)
		}
	})
	t.Run("slow", func(t *testing.T) {
		srv := start(t, Scenario{Faults: []Fault{{Name: SlowAnswer, For: 200}}})
		began := time.Now()
		dialTask(t, srv, 1)
		if took := time.Since(began); took < 200*time.Millisecond {
			t.Errorf("it took %v", took)
		}
	})
	t.Run("extension", func(t *testing.T) {
		srv := start(t, Scenario{Faults: []Fault{{Name: Extension}}})
		ws, answer, err := websocket.DefaultDialer.Dial(srv.URL(TaskPath), http.Header{"Authorization": {"Bearer " + srv.Token()}})
		if err != nil || answer.Header.Get("Sec-Websocket-Extensions") != "x-nobody-asked" {
			t.Fatalf("dial: %v %v", err, answer.Header)
		}
		ws.Close()
	})
	t.Run("compression", func(t *testing.T) {
		srv := start(t, Scenario{Faults: []Fault{{Name: Compression}}})
		dialer := websocket.Dialer{EnableCompression: true}
		ws, answer, err := dialer.Dial(srv.URL(TaskPath), http.Header{"Authorization": {"Bearer " + srv.Token()}})
		if err != nil || !strings.HasPrefix(answer.Header.Get("Sec-Websocket-Extensions"), "permessage-deflate") {
			t.Fatalf("dial: %v %v", err, answer.Header)
		}
		ws.Close()
	})
}

func TestPings(t *testing.T) {
	for _, silent := range []bool{false, true} {
		scenario := Scenario{}
		if silent {
			scenario.Faults = []Fault{{Name: NoPong}}
		}
		srv := start(t, scenario)
		c := dialTask(t, srv, 1)
		pongs := 0
		c.ws.SetPongHandler(func(text string) error {
			if text != "hello" {
				t.Errorf("pong %q", text)
			}
			pongs++
			return nil
		})
		c.ws.WriteControl(websocket.PingMessage, []byte("hello"), deadline())
		until(t, srv, func(all []Session) bool {
			for _, m := range all[0].Messages {
				if m.Kind == "ping" && m.From == "client" {
					return true
				}
			}
			return false
		})
		c.finishTask()
		if want := map[bool]int{false: 1, true: 0}[silent]; pongs != want {
			t.Errorf("no-pong=%v: %d pongs", silent, pongs)
		}
	}
}

// What a client may not do below the messages.
func TestFrames(t *testing.T) {
	srv := start(t, Scenario{})
	c := dialTask(t, srv, 1)
	c.ws.NetConn().Write([]byte{0x83, 0x80, 0, 0, 0, 0}) // an opcode that does not exist
	if _, err := c.rest(); closeCode(err) != websocket.CloseProtocolError {
		t.Errorf("end: %v", err)
	}
	// The close frame is the library's, which is faster than the journal.
	until(t, srv, func([]Session) bool { return violations(srv) == BadFrame })
	c = dialTask(t, srv, 2)
	c.ws.NetConn().Close()
	c = dialTask(t, srv, 3)
	c.ws.NetConn().(*net.TCPConn).SetLinger(0)
	c.ws.NetConn().Close()
	all := until(t, srv, closed(3))
	if all[1].Closed.How != "fin" || all[2].Closed.How != "rst" || all[1].Closed.By != "client" {
		t.Errorf("closed = %+v, %+v", all[1].Closed, all[2].Closed)
	}
}

func TestOnlyTheLoopback(t *testing.T) {
	for _, address := range []string{"0.0.0.0:0", "localhost:0", ":0", "192.0.2.1:0"} {
		if srv, err := Start(Scenario{Address: address}); err == nil {
			srv.Close()
			t.Errorf("it listens on %s", address)
		}
	}
}

// Close ends whatever is going on.
func TestCloseEndsAll(t *testing.T) {
	srv := start(t, Scenario{Faults: []Fault{{Name: HalfOpen, Connection: 1, When: Started}, {Name: Hang, Protocol: Transcriptions}}})
	dialTask(t, srv, 1)
	c := dial(t, srv, TaskPath)
	go http.Post(srv.URL(TranscriptionsPath), "text/plain", strings.NewReader(""))
	until(t, srv, func(all []Session) bool { return len(all) == 3 && len(all[2].Faults) == 1 })
	done := make(chan error, 1)
	go func() { done <- srv.Close() }()
	select {
	case <-done:
	case <-time.After(patience):
		t.Fatal("Close does not return")
	}
	if _, err := c.rest(); err == nil {
		t.Error("a connection is still open")
	}
	if _, err := raw(t, srv); err == nil {
		t.Error("it still listens")
	}
}

package remote

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
)

func TestRedirectIsNotFollowed(t *testing.T) {
	reached := false
	trap := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer trap.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		server := httptest.NewServer(http.RedirectHandler(trap.URL, status))
		req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, strings.NewReader("x"))
		req.Header.Set("Authorization", "Bearer sentinel")
		_, err := NewClient(time.Second).Do(req)
		if !errors.Is(Cause(err), ErrRedirect) || reached {
			t.Errorf("%d: %v, reached %t", status, err, reached)
		}
		server.Close()
	}
}

func TestCauseHidesTheAddress(t *testing.T) {
	untrusted := httptest.NewTLSServer(http.NotFoundHandler())
	untrusted.Config.ErrorLog = log.New(io.Discard, "", 0)
	defer untrusted.Close()
	reset := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, _ := http.NewResponseController(w).Hijack()
		conn.(*net.TCPConn).SetLinger(0)
		conn.Close()
	}))
	defer reset.Close()
	for _, address := range []string{"http://127.0.0.1:1/sentinel", "http://sentinel.invalid/", untrusted.URL, reset.URL} {
		_, err := NewClient(time.Second).Get(address)
		if err == nil || strings.Contains(Cause(err).Error(), "sentinel") || strings.Contains(Cause(err).Error(), "127.0.0.1") {
			t.Errorf("%q: %v", address, Cause(err))
		}
	}
}

// An error of a connection that holds another, and what net/http quotes of an
// answer.
func TestCauseOfOddErrors(t *testing.T) {
	address := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1}
	inner := &net.OpError{Op: "write", Net: "tcp", Source: address, Addr: address, Err: errors.New("reset")}
	for want, err := range map[string]error{
		"the connection broke off: reset":         &net.OpError{Op: "read", Net: "tcp", Err: inner},
		"no connection: reset":                    &url.Error{Op: "Post", URL: "http://sentinel", Err: &net.OpError{Op: "dial", Net: "tcp", Err: fmt.Errorf("sentinel: %w", inner)}},
		"the service does not answer as one does": errors.New(`net/http: malformed HTTP response "sentinel"`),
		"unexpected EOF":                          &url.Error{Op: "Post", URL: "http://sentinel", Err: io.ErrUnexpectedEOF},
	} {
		if got := Cause(err).Error(); got != want {
			t.Errorf("%v: %q, want %q", err, got, want)
		}
	}
}

func TestReadBody(t *testing.T) {
	if b, err := ReadBody(strings.NewReader(strings.Repeat("x", MaxBody))); err != nil || len(b) != MaxBody {
		t.Errorf("at the limit: %d, %v", len(b), err)
	}
	if _, err := ReadBody(strings.NewReader(strings.Repeat("x", MaxBody+1))); !errors.Is(err, ErrTooLarge) {
		t.Errorf("above it: %v", err)
	}
}

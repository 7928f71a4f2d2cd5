// Package remote holds what every request to a service has in common: a
// client that follows no redirect, bodies that are bounded, and errors that
// name no address.
package remote

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// MaxBody bounds an answer in bytes. The longest text of an hour of speech is
// 60 kB; services add time stamps for each word.
const MaxBody = 2 << 20

// ErrRedirect says that a service wanted to send the request elsewhere, where
// the key must not go.
var ErrRedirect = errors.New("the service answered with a redirect, which is not followed")

// NewClient returns a client whose connections take at most connect to come
// about. It follows no redirect: one is an error that wraps ErrRedirect.
// Proxies are taken from the environment, as everywhere.
func NewClient(connect time.Duration) *http.Client {
	dialer := &net.Dialer{Timeout: connect}
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return ErrRedirect },
		Transport: &http.Transport{
			Proxy:               http.ProxyFromEnvironment,
			DialContext:         dialer.DialContext,
			TLSHandshakeTimeout: connect,
			ForceAttemptHTTP2:   true,
			MaxIdleConns:        4,
			IdleConnTimeout:     90 * time.Second,
			// The largest answer head that services send is a few kilobytes.
			MaxResponseHeaderBytes: 64 << 10,
		},
	}
}

// ErrTooLarge says that an answer has more than MaxBody bytes.
var ErrTooLarge = fmt.Errorf("the answer is larger than %d MiB", MaxBody>>20)

// ReadBody reads an answer to its end, at most MaxBody bytes of it.
func ReadBody(r io.Reader) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, MaxBody+1))
	if len(b) > MaxBody {
		return nil, ErrTooLarge
	}
	return b, err
}

// Cause reduces an error of a request to what may be shown: net/http puts the
// address into its errors, and pieces of the answer, which are nobody's
// business.
func Cause(err error) error {
	var late net.Error
	var op *net.OpError
	var dns *net.DNSError
	var certificate *tls.CertificateVerificationError
	if err == nil {
		return nil
	}
	for _, known := range []error{context.Canceled, context.DeadlineExceeded, ErrRedirect, ErrTooLarge, io.ErrUnexpectedEOF, io.EOF} {
		if errors.Is(err, known) {
			return known
		}
	}
	switch {
	case errors.As(err, &dns):
		return errors.New("the service's host name is not known")
	case errors.As(err, &late) && late.Timeout():
		return context.DeadlineExceeded
	case errors.As(err, &op) && op.Op == "dial":
		return fmt.Errorf("no connection: %w", innermost(op))
	case errors.As(err, &op):
		return fmt.Errorf("the connection broke off: %w", innermost(op))
	case errors.As(err, &certificate):
		return errors.New("the service's certificate is not trusted")
	}
	return errors.New("the service does not answer as one does")
}

// innermost returns what the operating system said: an error of a connection
// may hold another with its addresses.
func innermost(op *net.OpError) error {
	for inner := (*net.OpError)(nil); errors.As(op.Err, &inner); {
		op = inner
	}
	return op.Err
}

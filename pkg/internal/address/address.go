// Package address says which addresses of services are allowed.
package address

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
)

// maxLength bounds an address in bytes.
const maxLength = 2048

// Parse reads the address of a service. It has to be https or wss; http
// and ws are for this machine alone, as what is said would be read on the way.
// The error does not hold the address, which may hold a key.
func Parse(s string) (*url.URL, error) {
	u, err := url.Parse(s)
	switch {
	case len(s) > maxLength:
		return nil, fmt.Errorf("is longer than %d bytes", maxLength)
	case err != nil, u.Opaque != "":
		return nil, errors.New("is no address such as https://example.com/v1")
	case u.Host == "" || u.Hostname() == "":
		return nil, errors.New("names no host, an address such as https://example.com/v1 is needed")
	case u.User != nil:
		return nil, errors.New("holds a user name or a password; name a key file instead")
	case u.Fragment != "":
		return nil, errors.New("has a fragment, the part behind #")
	}
	switch u.Scheme {
	case "https", "wss":
	case "http", "ws":
		if !Loopback(u.Hostname()) {
			return nil, fmt.Errorf("is %s, which anybody on the way can read; only https and wss may leave this machine", u.Scheme)
		}
	default:
		return nil, errors.New("needs https, wss, or http and ws to this machine")
	}
	return u, nil
}

// Loopback tells whether a host is this machine without asking anybody:
// localhost, 127.0.0.0/8 or ::1.
func Loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}

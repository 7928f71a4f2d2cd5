// Package sdnotify tells the service manager how far a service is.
package sdnotify

import (
	"net"
)

// Notify tells the service manager of a state such as "READY=1", as
// sd_notify(3) does. Without a service manager it does nothing.
func Notify(getenv func(string) string, state string) error {
	path := getenv("NOTIFY_SOCKET")
	if path == "" {
		return nil
	}
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		return err
	}
	defer conn.Close()
	_, err = conn.Write([]byte(state))
	return err
}

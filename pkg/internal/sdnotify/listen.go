package sdnotify

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"syscall"
)

// firstFD is the first descriptor that the service manager hands over, after
// sd_listen_fds(3).
const firstFD = 3

// Listener returns the socket that the service manager listens on for this
// process, or nil if there is none. The variables that tell of it are removed
// from the environment: what this process starts must not take them for its
// own.
func Listener() (*net.UnixListener, error) {
	pid, fds := os.Getenv("LISTEN_PID"), os.Getenv("LISTEN_FDS")
	for _, name := range []string{"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"} {
		os.Unsetenv(name)
	}
	if pid == "" || pid != strconv.Itoa(os.Getpid()) {
		return nil, nil // meant for a parent of this process
	}
	if fds != "1" {
		return nil, fmt.Errorf("the service manager hands over %q sockets, one is needed", fds)
	}
	syscall.CloseOnExec(firstFD)
	f := os.NewFile(firstFD, "socket of the service manager")
	defer f.Close()
	l, err := net.FileListener(f)
	if err != nil {
		return nil, fmt.Errorf("the service manager hands over what cannot be listened on: %w", err)
	}
	u, ok := l.(*net.UnixListener)
	if !ok {
		l.Close()
		return nil, fmt.Errorf("the service manager hands over a socket of another family than unix")
	}
	return u, nil
}

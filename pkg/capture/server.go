package capture

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// place is what the process knows about where it runs. It is an argument so
// that finding the server is a pure function.
type place struct {
	getenv   func(string) string
	uid      int
	machines []string // names that mean this machine in a server string
}

func here(getenv func(string) string) place {
	p := place{getenv: getenv, uid: os.Getuid()}
	if host, err := os.Hostname(); err == nil {
		p.machines = append(p.machines, host)
	}
	if id, err := os.ReadFile("/etc/machine-id"); err == nil {
		p.machines = append(p.machines, strings.TrimSpace(string(id)))
	}
	return p
}

// servers returns the paths of the sockets to try, in order, and the entries
// of $PULSE_SERVER that are no unix socket. The order is libpulse's: the
// variable alone if it is set, else the runtime directory. Server strings are
// described in "Server Strings" of PulseAudio's documentation.
func servers(p place) (sockets, refused []string) {
	list := p.getenv("PULSE_SERVER")
	if strings.TrimSpace(list) == "" {
		return []string{defaultSocket(p)}, nil
	}
	for _, entry := range strings.Fields(list) {
		address := entry
		if rest, ok := strings.CutPrefix(entry, "{"); ok {
			machine, after, closed := strings.Cut(rest, "}")
			if closed && !slices.Contains(p.machines, machine) {
				continue // meant for another machine
			}
			address = after
		}
		path, _ := strings.CutPrefix(address, "unix:")
		if filepath.IsAbs(path) {
			sockets = append(sockets, path)
		} else {
			refused = append(refused, entry)
		}
	}
	return sockets, refused
}

func defaultSocket(p place) string {
	if dir := p.getenv("PULSE_RUNTIME_PATH"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "native")
	}
	if dir := p.getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "pulse/native")
	}
	return filepath.Join("/run/user", strconv.Itoa(p.uid), "pulse/native")
}

// cookieSize is the length of the secret that a server wants from a client
// it does not know by its user id.
const cookieSize = 256

// cookie returns the user's cookie. A missing or unreadable one is no error:
// over a unix socket the server knows the user, and any bytes will do.
func cookie(getenv func(string) string) []byte {
	home := getenv("HOME")
	config := getenv("XDG_CONFIG_HOME")
	if config == "" {
		config = filepath.Join(home, ".config")
	}
	out := make([]byte, cookieSize)
	for _, path := range []string{getenv("PULSE_COOKIE"), filepath.Join(config, "pulse/cookie"), filepath.Join(home, ".pulse-cookie")} {
		if path == "" {
			continue
		}
		if f, err := os.Open(path); err == nil {
			f.Read(out)
			f.Close()
			break
		}
	}
	return out
}

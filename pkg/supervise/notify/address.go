package notify

import (
	"net/url"
	"path/filepath"
	"strings"
)

// addresses returns the sockets of the session bus, abstract ones with @ before
// them. Of the kinds of addresses only these are used: others would reach over
// the network or start a program.
func addresses(getenv func(string) string) []string {
	if list := getenv("DBUS_SESSION_BUS_ADDRESS"); list != "" {
		return parse(list)
	}
	if dir := getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		return []string{filepath.Join(dir, "bus")}
	}
	return nil
}

// parse reads a list of addresses as the D-Bus specification has them:
// unix:path=/run/user/1000/bus,guid=…;unix:abstract=…
func parse(list string) []string {
	var out []string
	for _, address := range strings.Split(list, ";") {
		members, ok := strings.CutPrefix(address, "unix:")
		if !ok {
			continue
		}
		for _, member := range strings.Split(members, ",") {
			key, value, _ := strings.Cut(member, "=")
			value, err := url.PathUnescape(value)
			switch {
			case err != nil || strings.ContainsRune(value, 0):
			case key == "path" && filepath.IsAbs(value):
				out = append(out, value)
			case key == "abstract" && value != "":
				out = append(out, "@"+value)
			}
		}
	}
	return out
}

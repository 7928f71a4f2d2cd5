package focus

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
)

// Hyprland answers a request for each connection and closes it
// (https://wiki.hyprland.org/IPC/). An instance has a directory of its own.
var hyprlandFamily = family{
	kind: "hyprland",
	named: func(getenv func(string) string) []string {
		name := getenv("HYPRLAND_INSTANCE_SIGNATURE")
		if name == "" || strings.Contains(name, "/") {
			return nil
		}
		return []string{filepath.Join(runtimeDir(getenv), "hypr", name, ".socket.sock")}
	},
	pattern: "hypr/*/.socket.sock",
	open:    func(endpoint string) desktop { return hyprland{endpoint} },
}

type hyprland struct{ path string }

func (h hyprland) focused(ctx context.Context) (window, error) {
	answer, err := request(ctx, h.path, "j/activewindow")
	if err != nil {
		return window{}, err
	}
	return parseHyprland(answer)
}

// parseHyprland reads the answer to j/activewindow. Without a window it is
// {}, or Invalid in old versions.
func parseHyprland(answer []byte) (window, error) {
	var w struct {
		Address      string
		Class        string
		InitialClass string
		PID          int
		XWayland     bool
	}
	switch strings.TrimSpace(string(answer)) {
	case "", "null", "Invalid":
		return window{}, errNoWindow
	}
	if json.Unmarshal(printable(answer), &w) != nil {
		return window{}, errBadAnswer
	}
	if w.PID <= 0 && w.Class == "" && w.Address == "" {
		return window{}, errNoWindow
	}
	return window{class: w.Class, initialClass: w.InitialClass, pid: max(0, w.PID), address: w.Address, xwayland: w.XWayland}, nil
}

// printable replaces bare control characters by blanks. Hyprland copies
// titles into its JSON as they are; between values they are blanks anyway,
// and in a title they do not matter.
func printable(b []byte) []byte {
	return bytes.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, b)
}

// watch reads the second socket, where each event is a line NAME>>DATA. Which
// it is does not matter: after a pause, the window is asked for.
func (h hyprland) watch(ctx context.Context, changed func()) error {
	conn, err := dial(ctx, filepath.Join(filepath.Dir(h.path), ".socket2.sock"))
	if err != nil {
		return err
	}
	defer conn.Close()
	changed() // what came before is told by no event
	return eachLine(conn, func(line []byte) {
		switch name, _, _ := bytes.Cut(line, []byte(">>")); string(name) {
		case "activewindow", "activewindowv2", "workspace", "focusedmon", "closewindow":
			changed()
		}
	})
}

// waylandDisplay returns the WAYLAND_DISPLAY of a Hyprland instance, which
// stands in the second line of a file beside its socket, or "".
func waylandDisplay(socket string) string {
	b, err := os.ReadFile(filepath.Join(filepath.Dir(socket), "hyprland.lock"))
	lines := strings.Split(string(b), "\n")
	if err != nil || len(lines) < 2 {
		return ""
	}
	return strings.TrimSpace(lines[1])
}

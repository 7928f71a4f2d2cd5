package focus

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"voice-input/pkg/internal/kitty"
	"voice-input/pkg/internal/proc"
	"voice-input/pkg/wire"
)

// kittyDir is where Kitty puts a socket when it is told no other place.
const kittyDir = "/tmp"

// kitty asks Kitty for the window that shows and looks at what runs in it.
func (l *Looker) kitty(ctx context.Context, w window, f *wire.Focus) string {
	if w.pid == 0 {
		l.Explain("terminal: the desktop does not say which process Kitty is")
		return "kitty_socket_missing"
	}
	socket, answer, err := l.askKitty(ctx, w.pid)
	if err != nil {
		l.Explain("terminal: kitty: %v", err)
		return kittyReason(err)
	}
	f.Terminal.Socket = "unix:" + socket.Path
	shown, reason := parseKitty(answer, w.x11)
	if reason != "" {
		l.Explain("terminal: kitty: no window can be told: %s", reason)
		return reason
	}
	f.Terminal.WindowID = shown.ID
	l.Explain("terminal: kitty window %d, process %d", shown.ID, shown.PID)
	table, err := l.processes().Table()
	if err != nil {
		return "no_agent"
	}
	if !table.Descends(shown.PID, w.pid) {
		l.Explain("terminal: process %d is not below Kitty", shown.PID)
		return "changed"
	}
	reason = l.foreground(ctx, table, l.members(kittyGroup(table, shown)), f)
	// Kitty's own list is read at another moment. It lacks what has a blank in
	// its name, and so everything that runs tmux.
	if f.Agent != nil && f.Multiplexer == nil && len(shown.Foreground) > 0 && !slices.Contains(shown.pids(), f.Agent.PID) {
		l.Explain("terminal: Kitty does not list process %d", f.Agent.PID)
		f.Agent = nil
		return "changed"
	}
	if f.Multiplexer == nil {
		point(f, shown.Title)
	}
	return reason
}

// kittyGroup returns the foreground group of a window's line, or what Kitty
// says it is where the window's process has none.
func kittyGroup(table proc.Table, shown kittyWindow) []proc.Stat {
	if tty := table[shown.PID].TTY; tty != 0 {
		return table.Foreground(tty)
	}
	var group []proc.Stat
	for _, pid := range shown.pids() {
		if s, ok := table[pid]; ok {
			group = append(group, s)
		}
	}
	return group
}

func kittyReason(err error) string {
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return "timeout"
	case errors.Is(err, kitty.ErrUnsafe):
		return "kitty_socket_refused"
	case errors.Is(err, kitty.ErrNoAnswer):
		return "kitty_no_answer"
	case errors.Is(err, kitty.ErrDenied):
		return "kitty_denied"
	case errors.Is(err, kitty.ErrBadAnswer):
		return "kitty_bad_answer"
	}
	return "kitty_socket_missing"
}

// askKitty sends ls to the first socket of a Kitty process that exists. One
// that is there and not right is not passed over for another.
func (l *Looker) askKitty(ctx context.Context, pid int) (kitty.Socket, []byte, error) {
	for _, find := range []func(int) []string{defaultSocket, l.childrensSocket, l.ownSockets} {
		for _, path := range find(pid) {
			socket := kitty.Socket{Path: path, PID: pid, UID: os.Getuid()}
			answer, err := socket.Call(ctx, "ls", struct{}{})
			if errors.Is(err, kitty.ErrMissing) {
				l.Explain("terminal: kitty: no socket at %q", path)
				continue
			}
			return socket, answer, err
		}
	}
	return kitty.Socket{}, nil, kitty.ErrMissing
}

func defaultSocket(pid int) []string {
	return []string{fmt.Sprintf("%s/kitty-%d", kittyDir, pid)}
}

// childrensSocket returns the address that Kitty tells the programs in its
// windows, whatever the configuration and the version made of it.
func (l *Looker) childrensSocket(pid int) []string {
	table, err := l.processes().Table()
	if err != nil {
		return nil
	}
	var paths []string
	for _, c := range table.Children(pid) {
		address, _, err := l.processes().Env(c.PID, "KITTY_LISTEN_ON")
		if path, ok := kitty.Path(address); err == nil && ok && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return paths
}

// ownSockets returns the sockets at which the process itself listens and that
// carry its number, as a listen_on of the configuration file makes them. It
// is for windows whose programs were started without their environment.
func (l *Looker) ownSockets(pid int) []string {
	open := map[string]bool{}
	fds, err := l.processes().FDs(pid)
	if err != nil {
		return nil
	}
	for _, fd := range fds {
		if inode, ok := strings.CutPrefix(fd.Path, "socket:["); ok {
			open[strings.TrimSuffix(inode, "]")] = true
		}
	}
	file, err := os.Open(filepath.Join(string(l.processes()), "net/unix"))
	if err != nil {
		return nil
	}
	defer file.Close()
	var paths []string
	for lines := bufio.NewScanner(file); lines.Scan(); {
		// Num RefCount Protocol Flags Type St Inode Path
		fields := strings.Fields(lines.Text())
		const listening = "00010000"
		if len(fields) == 8 && fields[3] == listening && open[fields[6]] && strings.HasSuffix(fields[7], "-"+strconv.Itoa(pid)) {
			paths = append(paths, fields[7])
		}
	}
	return paths
}

// What is read of the answer to ls. Environments are not.
type (
	kittyOSWindow struct {
		Focused  bool   `json:"is_focused"`
		Platform uint32 `json:"platform_window_id"` // of X11, else null
		Tabs     []kittyTab
	}
	kittyTab struct {
		kittyActive
		Focused *bool `json:"is_focused"`
		Windows []kittyWindow
	}
	kittyWindow struct {
		kittyActive
		ID         int64
		Title      string // for point only
		Focused    bool   `json:"is_focused"`
		PID        int
		Foreground []struct{ PID int } `json:"foreground_processes"`
	}
	// kittyActive is the mark of the tab or window that shows; its name
	// changed after 0.26.
	kittyActive struct {
		Active    bool `json:"is_active"`
		OldTab    bool `json:"is_active_tab"`
		OldWindow bool `json:"is_active_window"`
	}
)

func (a kittyActive) active() bool { return a.Active || a.OldTab || a.OldWindow }

func (w kittyWindow) pids() []int {
	var out []int
	for _, p := range w.Foreground {
		out = append(out, p.PID)
	}
	return out
}

// parseKitty returns the window that shows in the focused OS window: its tab
// is the active one, and it is the active one there. A window's own is_focused
// is true in every tab, so it alone decides nothing. x11, unless 0, is the
// window that the desktop named. The reason says why there is none.
func parseKitty(answer []byte, x11 uint32) (kittyWindow, string) {
	var all []kittyOSWindow
	if json.Unmarshal(answer, &all) != nil {
		return kittyWindow{}, "kitty_bad_answer"
	}
	var shown []kittyWindow
	focused := 0
	for _, o := range all {
		if !o.Focused || x11 != 0 && o.Platform != 0 && o.Platform != x11 {
			continue
		}
		focused++
		for _, t := range o.Tabs {
			if !t.active() || t.Focused != nil && !*t.Focused {
				continue
			}
			for _, w := range t.Windows {
				if w.active() && w.Focused && w.PID > 0 {
					shown = append(shown, w)
				}
			}
		}
	}
	switch {
	case len(shown) == 1:
		return shown[0], ""
	case focused == 0:
		return kittyWindow{}, "changed"
	}
	return kittyWindow{}, "ambiguous"
}

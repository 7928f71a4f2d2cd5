package focus

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"voice-input/pkg/internal/child"
	"voice-input/pkg/internal/proc"
	"voice-input/pkg/internal/unixsock"
	"voice-input/pkg/wire"
)

// tmux asks the server of a client for the pane that the client shows and
// looks at what runs in that.
func (l *Looker) tmux(ctx context.Context, table proc.Table, client process, f *wire.Focus) string {
	f.Multiplexer = &wire.Multiplexer{Kind: "tmux"}
	path := l.tmuxSocket(client)
	if err := unixsock.Owned(path, os.Getuid()); err != nil {
		l.Explain("multiplexer: tmux: %v", err)
		return "multiplexer_failed"
	}
	f.Multiplexer.Socket = path
	out, err := listClients(ctx, tmuxProgram(client), path)
	if err != nil {
		l.Explain("multiplexer: tmux at %q: %v", path, err)
		if ctx.Err() != nil {
			return "timeout"
		}
		return "multiplexer_failed"
	}
	pane, err := findClient(out, client.PID)
	if err == nil && device(pane.clientTTY) != client.TTY {
		err = errors.New("the client is on another terminal")
	}
	if err == nil && pane.ownActive {
		// Such a client has an active pane of its own, which is not told.
		l.Explain("multiplexer: tmux: the client has an active pane of its own")
		return "ambiguous"
	}
	if err == nil && (device(pane.tty) == 0 || table[pane.pid].TTY != device(pane.tty)) {
		err = fmt.Errorf("process %d is not on the terminal of pane %s", pane.pid, pane.id)
	}
	if err != nil {
		l.Explain("multiplexer: tmux at %q: %v", path, err)
		return "multiplexer_failed"
	}
	f.Multiplexer.Pane = pane.id
	if l.Where {
		f.Multiplexer.Location = &pane.location
	}
	l.Explain("multiplexer: tmux at %q, pane %s", path, pane.id)
	reason := l.foreground(ctx, table, l.members(table.Foreground(device(pane.tty))), f)
	point(f, findTitle(out, client.PID))
	return reason
}

// tmuxSocket returns the socket of a client, which it finds in the same way:
// -S, -L, the server that it was started in, the default. That it is the right
// one is proved by the server, which lists the client.
func (l *Looker) tmuxSocket(client process) string {
	label, path := tmuxFlags(client.args)
	if path == "" && label == "" {
		outer, _, _ := l.processes().Env(client.PID, "TMUX")
		path, _, _ = strings.Cut(outer, ",")
	}
	if path != "" && !filepath.IsAbs(path) {
		cwd, _ := l.processes().Cwd(client.PID)
		path = filepath.Join(cwd, path)
	}
	if path != "" {
		return path
	}
	dir, _, _ := l.processes().Env(client.PID, "TMUX_TMPDIR")
	if dir == "" {
		dir = "/tmp"
	}
	if label == "" {
		label = "default"
	}
	return filepath.Join(dir, fmt.Sprintf("tmux-%d", os.Getuid()), label)
}

// tmuxFlags reads -L and -S of tmux's arguments as getopt does.
func tmuxFlags(args []string) (label, path string) {
	const withValue = "cfLST"
	for i := 1; i < len(args) && len(args[i]) > 1 && args[i][0] == '-' && args[i] != "--"; i++ {
		for j := 1; j < len(args[i]); j++ {
			c := args[i][j]
			if !strings.ContainsRune(withValue, rune(c)) {
				continue
			}
			value := args[i][j+1:]
			if value == "" && i+1 < len(args) {
				i++
				value = args[i]
			}
			switch c {
			case 'L':
				label = value
			case 'S':
				path = value
			}
			break
		}
	}
	return label, path
}

// clientFormat is a line for each client. A session's name has no colon, and
// a window's is the last and may have any character but a line end.
const clientFormat = "#{client_pid}:#{client_tty}:#{client_flags}:#{pane_id}:#{pane_pid}:#{pane_tty}:" +
	"#{window_index}:#{window_active}:#{pane_index}:#{pane_active}:#{window_panes}:#{window_zoomed_flag}:#{window_layout}:" +
	"#{session_name}:#{window_name}"

// titleFormat is another line for each client: the title of its pane, which
// may have any character too.
const (
	titleMark   = "title:"
	titleFormat = titleMark + "#{client_pid}:#{pane_title}"
)

// maxClients bounds the list; a line has a few hundred bytes.
const maxClients = 1 << 20

// tmuxProgram is the tmux on PATH. A service may have none there; then it is
// the one that the user runs.
func tmuxProgram(client process) string {
	if _, err := exec.LookPath("tmux"); err != nil && filepath.Base(client.exe) == "tmux" {
		return client.exe
	}
	return "tmux"
}

func listClients(ctx context.Context, program, socket string) ([]byte, error) {
	out := child.Output{Max: maxClients}
	// It is not asked to end in time but killed, for a look has no time left.
	p, err := child.Start(context.WithoutCancel(ctx), child.Spec{
		Argv: []string{program, "-u", "-S", socket, "list-clients", "-F", clientFormat, ";", "list-clients", "-F", titleFormat},
		// Without TMUX, which would make it a client of another server.
		Env:    []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8"},
		Stdout: &out,
	})
	if err != nil {
		return nil, err
	}
	defer context.AfterFunc(ctx, p.Kill)()
	err = p.Wait()
	return out.Bytes(), err
}

// pane is a client's line.
type pane struct {
	clientPID int
	clientTTY string
	ownActive bool
	id        string
	pid       int
	tty       string
	location  wire.Location
}

var paneID = regexp.MustCompile(`^%[0-9]+$`)

// findClient returns the line of one client.
func findClient(out []byte, pid int) (pane, error) {
	var found []pane
	for line := range bytes.Lines(out) {
		if bytes.HasPrefix(line, []byte(titleMark)) {
			continue
		}
		p, err := parseClient(strings.TrimSuffix(string(line), "\n"))
		if err != nil {
			return pane{}, err
		}
		if p.clientPID == pid {
			found = append(found, p)
		}
	}
	if len(found) != 1 {
		return pane{}, fmt.Errorf("it lists the client %d times", len(found))
	}
	return found[0], nil
}

// findTitle returns the title of the pane that a client shows, or "".
func findTitle(out []byte, pid int) string {
	for line := range bytes.Lines(out) {
		if title, ok := bytes.CutPrefix(line, fmt.Appendf(nil, "%s%d:", titleMark, pid)); ok {
			return string(bytes.TrimSuffix(title, []byte("\n")))
		}
	}
	return ""
}

func parseClient(line string) (pane, error) {
	f := strings.SplitN(line, ":", 15)
	if len(f) < 15 {
		return pane{}, errors.New("its list cannot be read")
	}
	var err error
	number := func(s string) int {
		n, e := strconv.Atoi(s)
		err = errors.Join(err, e)
		return n
	}
	p := pane{clientPID: number(f[0]), clientTTY: f[1], ownActive: strings.Contains(f[2], "active-pane"), id: f[3], pid: number(f[4]), tty: f[5]}
	p.location = wire.Location{
		Window: number(f[6]), WindowActive: f[7] == "1", Pane: number(f[8]), PaneActive: f[9] == "1",
		Panes: number(f[10]), Zoomed: f[11] == "1", Layout: compact(f[12]),
		Session: strings.ToValidUTF8(f[13], "\uFFFD"), WindowName: strings.ToValidUTF8(f[14], "\uFFFD"),
	}
	if err != nil || !paneID.MatchString(p.id) {
		return pane{}, errors.New("its list cannot be read")
	}
	return p, nil
}

// cell is a pane or a group of panes in a layout: its size, its place and, if
// it is a pane, its number.
var cell = regexp.MustCompile(`[0-9]+x[0-9]+,[0-9]+,[0-9]+(?:,([0-9]+))?`)

// compact leaves of a layout how the panes lie and which they are: of
// b25d,80x24,0,0{40x24,0,0,1,39x24,41,0,2} it leaves {%1,%2}.
func compact(layout string) string {
	_, cells, ok := strings.Cut(layout, ",") // a checksum comes first
	if !ok {
		return ""
	}
	return cell.ReplaceAllStringFunc(cells, func(s string) string {
		if id := cell.FindStringSubmatch(s)[1]; id != "" {
			return "%" + id
		}
		return ""
	})
}

// device returns the number of a terminal as /proc/PID/stat has it, or 0.
func device(path string) int {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	sys, ok := info.Sys().(*syscall.Stat_t)
	if !ok || info.Mode()&os.ModeCharDevice == 0 {
		return 0
	}
	major, minor := unix.Major(sys.Rdev), unix.Minor(sys.Rdev)
	return int(minor&0xff | major<<8 | minor&^0xff<<12)
}

package session

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"voice-input/pkg/internal/agents"
	"voice-input/pkg/internal/proc"
)

// codexNative returns the process that does the work: the launcher of the npm
// package, where it stays, is its parent.
func (p *process) codexNative() (*process, error) {
	native, script, err := p.runs("codex")
	switch {
	case err != nil:
		return nil, err
	case native:
		return p, nil
	case !script:
		return nil, Nothing("wrong_process")
	}
	pids, err := p.fs.PIDs()
	if err != nil {
		return nil, err
	}
	var found *process
	for _, pid := range pids {
		stat, err := p.fs.Stat(pid)
		if err != nil || stat.PPID != p.pid {
			continue
		}
		child, err := newProcess(p.fs, pid, stat.StartTicks, p.uid)
		if err != nil {
			continue
		}
		if native, _, err := child.runs("codex"); err != nil || !native {
			continue
		}
		if found != nil {
			return nil, Nothing("ambiguous")
		}
		found = child
	}
	if found == nil {
		return nil, Nothing("no_session")
	}
	return found, nil
}

// codexDaemon returns the app server that keeps the session for the process p.
// That it runs in the same home is not enough: others may use it too, so it
// must be the one at the other end of one of p's sockets.
func (p *process) codexDaemon(home string) (*process, error) {
	const none = Nothing("no_session")
	f, err := openFile(filepath.Join(home, "app-server-daemon", "daemon.pid"), p.uid)
	if err != nil {
		return nil, none
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, 64<<10))
	if err != nil || !gjson.ValidBytes(b) {
		return nil, none
	}
	rec := gjson.ParseBytes(b)
	boot, err := os.ReadFile(filepath.Join(string(p.fs), "sys/kernel/random/boot_id"))
	if err != nil || rec.Get("processIdentity.bootId").Str != strings.TrimSpace(string(boot)) {
		return nil, none
	}
	d, err := newProcess(p.fs, int(rec.Get("pid").Int()), rec.Get("processIdentity.startTicks").Uint(), p.uid)
	if err != nil {
		return nil, none
	}
	if exe, err := p.fs.Exe(d.pid); err != nil || !within(exe, home) && agents.Named(exe) != "codex" {
		return nil, none
	}
	connected, err := p.connected(d)
	if err != nil {
		return nil, err
	}
	if !connected {
		return nil, none
	}
	return d, nil
}

// rival tells whether another terminal than p is connected to the daemon and
// works in a directory.
func (p *process) rival(daemon *process, dir string) (bool, error) {
	pids, err := p.fs.PIDs()
	if err != nil {
		return false, err
	}
	for _, pid := range pids {
		exe, err := p.fs.Exe(pid)
		if err != nil || pid == p.pid || pid == daemon.pid || agents.Named(exe) != "codex" {
			continue
		}
		if args, err := p.fs.Cmdline(pid); err != nil || slices.Contains(args, "app-server") {
			continue // a daemon's helper
		}
		// A process that is gone or closed to us by now is no rival to fear.
		other := &process{fs: p.fs, pid: pid, uid: p.uid}
		if there, err := other.worksIn(); err != nil || there != dir {
			continue
		}
		if connected, err := other.connected(daemon); err == nil && connected {
			return true, nil
		}
	}
	return false, nil
}

// connected tells whether a Unix socket leads from one process to another.
func (p *process) connected(to *process) (bool, error) {
	from, err := p.sockets()
	if err != nil {
		return false, err
	}
	there, err := to.sockets()
	if err != nil {
		return false, err
	}
	peers, err := proc.UnixPeers()
	if err != nil {
		return false, err
	}
	for inode := range from {
		if there[peers[inode]] {
			return true, nil
		}
	}
	return false, nil
}

func (p *process) sockets() (map[uint64]bool, error) {
	fds, err := p.fs.FDs(p.pid)
	if err != nil {
		return nil, ended(err)
	}
	inodes := map[uint64]bool{}
	for _, fd := range fds {
		if inode, ok := fd.Socket(); ok {
			inodes[inode] = true
		}
	}
	return inodes, nil
}

package session

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"voice-input/pkg/internal/agents"
	"voice-input/pkg/internal/proc"
)

// process is one process that was made sure of: its number alone may belong to
// another one a moment later.
type process struct {
	fs    proc.FS
	pid   int
	ticks uint64
	uid   int
}

// namespaces must be shared, or paths and process numbers mean something else.
var namespaces = []string{"pid", "mnt", "user"}

// newProcess makes sure that pid is the process that started at ticks, runs
// under uid, and lives in the namespaces of this program.
func newProcess(fs proc.FS, pid int, ticks uint64, uid int) (*process, error) {
	p := &process{fs, pid, ticks, uid}
	if err := p.same(); err != nil {
		return nil, err
	}
	for _, kind := range namespaces {
		own, err := fs.Namespace(os.Getpid(), kind)
		if err != nil {
			return nil, err
		}
		switch other, err := fs.Namespace(pid, kind); {
		case err != nil:
			return nil, ended(err)
		case other != own:
			return nil, Nothing("container_boundary")
		}
	}
	return p, nil
}

// same makes sure that the number still belongs to the process.
func (p *process) same() error {
	stat, err := p.fs.Stat(p.pid)
	if err != nil {
		return ended(err)
	}
	if stat.State == 'Z' || stat.State == 'X' {
		return Nothing("process_gone")
	}
	if stat.StartTicks != p.ticks {
		return Nothing("wrong_process")
	}
	status, err := p.fs.Status(p.pid)
	switch {
	case err != nil:
		return ended(err)
	case status.UID != p.uid:
		return Nothing("other_user")
	case status.Depth > 0:
		return Nothing("container_boundary")
	}
	return nil
}

// after makes sure of the same once everything was read.
func (p *process) after() error {
	if p.same() != nil {
		return Nothing("changed_while_reading")
	}
	return nil
}

// ended tells a process that is gone from one that may not be looked at.
func ended(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
		return Nothing("process_gone")
	}
	return err
}

// env returns a variable of the environment that the process was started with,
// "" for none.
func (p *process) env(name string) (string, error) {
	value, _, err := p.fs.Env(p.pid, name)
	if err != nil {
		return "", ended(err)
	}
	return value, nil
}

// runs tells whether a process is the agent: its executable has the name
// (native), or a JavaScript runtime runs its script. Argument 0 counts only
// for a runtime, whose script may have put its title there: anybody can be
// started under any name.
func (p *process) runs(kind string) (native, script bool, err error) {
	exe, err := p.fs.Exe(p.pid)
	if err != nil {
		return false, false, ended(err)
	}
	args, err := p.fs.Cmdline(p.pid)
	if err != nil {
		return false, false, ended(err)
	}
	native, script = isAgent(kind, exe, args)
	return native, script, nil
}

// isAgent is the decision of runs.
func isAgent(kind, exe string, args []string) (native, script bool) {
	if agents.Named(exe) == kind {
		return true, false
	}
	if !agents.IsRuntime(exe) || len(args) == 0 {
		return false, false
	}
	return false, args[0] == kind || agents.Scripted(args) == kind
}

package focus

import (
	"context"
	"errors"
	"os"
	"time"

	"voice-input/pkg/internal/agents"
	"voice-input/pkg/internal/kitty"
	"voice-input/pkg/internal/proc"
	"voice-input/pkg/wire"
)

// Looker looks at the focus. All its members have to be set.
type Looker struct {
	Getenv func(string) string
	// Desktop is the one to ask, a word of Kinds, or "" for the one that is
	// there.
	Desktop string
	// Timeout bounds a look as a whole.
	Timeout time.Duration
	// Messaging names more classes of messaging clients.
	Messaging []string
	// Where adds a pane's location to the record.
	Where bool
	// Explain is told each step. It never gets a title, an argument or a
	// variable of a process.
	Explain func(format string, args ...any)

	proc proc.FS // a test's own; "" is proc.Root
}

// Look looks once. The record's reason is ok if there is a focused window;
// what is in that window may still be unknown.
func (l *Looker) Look(ctx context.Context) *wire.Focus {
	f, _ := l.lookWith(ctx)
	return f
}

// lookWith returns the desktop that answered too, nil if none did.
func (l *Looker) lookWith(ctx context.Context) (*wire.Focus, desktop) {
	ctx, cancel := context.WithTimeout(ctx, l.Timeout)
	defer cancel()
	f := &wire.Focus{At: time.Now().Format("2006-01-02T15:04:05.000Z07:00"), Style: styleFormal}
	d, kind, w, err := l.look(ctx)
	if kind == x11Family.kind {
		w.xwayland = l.Getenv("WAYLAND_DISPLAY") != ""
	}
	if kind != "" {
		f.Desktop = &wire.Desktop{Kind: kind, XWayland: w.xwayland}
	}
	if f.Reason = reasonOf(err); f.Reason != wire.OK {
		l.Explain("result: %s", f.Reason)
		return f, d
	}
	f.Window = &wire.Window{Class: w.class, InitialClass: w.initialClass, PID: w.pid, Address: w.address}
	f.AgentReason = l.inside(ctx, w, f)
	f.Style = styleOf(w, f.Agent != nil, l.Messaging)
	l.Explain("result: style %s", f.Style)
	return f, d
}

func reasonOf(err error) string {
	switch {
	case err == nil:
		return wire.OK
	case errors.Is(err, errNoWindow):
		return "no_window"
	case errors.Is(err, errSeveral):
		return "ambiguous"
	case errors.Is(err, errBadAnswer):
		return "bad_answer"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return "timeout"
	}
	return "no_desktop"
}

// inside looks into a window and returns why there is no agent, or "".
func (l *Looker) inside(ctx context.Context, w window, f *wire.Focus) string {
	kind := terminals[w.class]
	if kind == "" {
		l.Explain("terminal: class %q is none that is known", w.class)
		return "not_terminal"
	}
	f.Terminal = &wire.Terminal{Kind: kind}
	if kind != "kitty" {
		return l.plainTerminal(ctx, w, f)
	}
	ctx, cancel := context.WithTimeout(ctx, kitty.Timeout)
	defer cancel()
	return l.kitty(ctx, w, f)
}

// processes is the file system of processes.
func (l *Looker) processes() proc.FS {
	if l.proc != "" {
		return l.proc
	}
	return proc.Root
}

// members judges processes.
func (l *Looker) members(stats []proc.Stat) []member {
	var out []member
	for _, s := range stats {
		p := process{Stat: s}
		p.exe, _ = l.processes().Exe(s.PID)
		p.args, _ = l.processes().Cmdline(s.PID)
		m := member{p, judge(p)}
		switch m.role {
		case agent, wrapper:
			l.Explain("process %d: %s, %s", s.PID, m.kind, m.how)
		case tmux, barrier:
			l.Explain("process %d: %s", s.PID, m.how)
		}
		out = append(out, m)
	}
	return out
}

// foreground finds what the foreground group of a terminal's line is about:
// an agent, which is put into the record, or a client of tmux, which is
// looked into.
func (l *Looker) foreground(ctx context.Context, table proc.Table, group []member, f *wire.Focus) string {
	if len(group) == 0 {
		l.Explain("agent: nothing is in the foreground")
		return "no_agent"
	}
	found, reason := choose(group)
	if reason != "" {
		l.Explain("agent: none of %d processes in the foreground: %s", len(group), reason)
		return reason
	}
	if found.role == tmux {
		if f.Multiplexer != nil {
			l.Explain("agent: tmux runs in tmux")
			return "nested"
		}
		return l.tmux(ctx, table, found.process, f)
	}
	return l.confirm(found, f)
}

// confirm puts an agent into the record if it is this user's, in no container,
// and still the process that was judged.
func (l *Looker) confirm(m member, f *wire.Focus) string {
	status, err := l.processes().Status(m.PID)
	now, statErr := l.processes().Stat(m.PID)
	switch {
	case err != nil || statErr != nil || now.StartTicks != m.StartTicks || now.PGRP != m.PGRP || now.TPGID != m.TPGID:
		l.Explain("agent: process %d is not what it was", m.PID)
		return "changed"
	case status.UID != os.Getuid():
		l.Explain("agent: process %d is of user %d", m.PID, status.UID)
		return "other_user"
	case status.Depth > 0:
		l.Explain("agent: process %d is in a container", m.PID)
		return "container_boundary"
	}
	f.Agent = &wire.Agent{Kind: m.kind, Label: agents.Label(m.kind), PID: m.PID, StartTicks: m.StartTicks}
	l.Explain("agent: %s, process %d", m.kind, m.PID)
	return ""
}

// point adds the conversation that a title names to the agent. It is all of a
// title that ever leaves this package, and only a pointer: whoever writes to
// the terminal can write it, so vi-session proves it.
func point(f *wire.Focus, title string) {
	if f.Agent != nil && f.Agent.Kind == "codex" {
		f.Agent.Thread = agents.Thread(title)
	}
}

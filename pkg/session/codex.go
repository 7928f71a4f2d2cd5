package session

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"voice-input/pkg/internal/agents"
)

// holding is what a process has open in Codex's home.
type holding struct {
	rollouts []rollout
	// locks are the ids of the threads that it writes, since 0.148 also of
	// one in which nothing was said yet and which has no rollout.
	locks []string
}

// rollout is a session file that a process has open.
type rollout struct {
	*file
	name   string // of the file; ends with the thread's id, and a segment's
	header codexHeader
	err    error // why the header could not be read
	// elsewhere says that the thread was begun in another directory than the
	// focused process works in.
	elsewhere bool
}

func (h holding) empty() bool { return len(h.rollouts) == 0 && len(h.locks) == 0 }

func (h holding) close() {
	for _, r := range h.rollouts {
		if r.file != nil {
			r.file.Close()
		}
	}
}

// codex finds and reads the session of a focused Codex process. Its own open
// files decide; only if it has none, those of the daemon that works for it.
func (f *Finder) codex(ctx context.Context, s *search, p *process, thread string) (answer, error) {
	thread = agents.Thread(thread)
	p, err := p.codexNative()
	if err != nil {
		return answer{}, err
	}
	home, err := p.codexHome()
	if err != nil {
		return answer{}, err
	}
	held, err := p.holds(home)
	if err != nil {
		return answer{}, err
	}
	holder := p
	if held.empty() {
		if holder, err = p.codexDaemon(home); err != nil {
			return answer{}, err
		}
		f.explain("codex: the process holds no session, its daemon does")
		if held, err = holder.holds(home); err != nil {
			return answer{}, err
		}
	}
	defer held.close()
	if holder != p {
		if err := p.shares(holder, held, thread); err != nil {
			return answer{}, err
		}
	}
	f.explain("codex: %d rollouts open, %d threads without one, title names a thread: %t", len(held.rollouts), len(held.waiting()), thread != "")
	i, err := choose(held, thread, holder != p)
	if err == error(Nothing("unproved")) && !hasRollout(filepath.Join(home, "sessions"), thread) {
		err = Nothing("not_started") // before 0.148 there are no locks to show it
	}
	if err != nil {
		return answer{}, err
	}
	r := held.rollouts[i]
	if thread == "" && len(held.locks) == 0 && left(home, r.file) {
		return answer{}, Nothing("ambiguous")
	}
	a := answer{session: r.record(r.header.id)}
	if err := ctx.Err(); err != nil {
		return a, err
	}
	a.text, err = s.readCodex(ctx, r.file, r.header)
	f.explain("read: %d bytes searched, now making sure that it is still the same process and file", s.win.scanned)
	for _, check := range []func() error{p.after, holder.after, r.unchanged} {
		if changed := check(); changed != nil {
			return a, changed
		}
	}
	return a, err
}

// left tells whether the conversation in a rollout may have been left for one
// in which nothing was said yet. Codex before 0.148 has no lock that would show
// that one, but puts a snapshot of the shell aside when a conversation begins,
// under the thread's id. A younger one without a rollout may be on the screen,
// unless the rollout was written to since: then it still is.
func left(home string, r *file) bool {
	entries, err := os.ReadDir(filepath.Join(home, "shell_snapshots"))
	if err != nil {
		return false // that can be switched off
	}
	for _, e := range entries {
		id, _, _ := strings.Cut(e.Name(), ".")
		if begun, ok := uuidTime(id); ok && agents.IsUUID(id) && begun.After(r.written) && !hasRollout(filepath.Join(home, "sessions"), id) {
			return true
		}
	}
	return false
}

// shares prepares the choice among the sessions of a daemon: it marks those of
// other directories, and refuses if another terminal of the daemon works in
// the same directory and no title tells the two apart. That one may show the
// session, and p a list of sessions or nothing.
func (p *process) shares(daemon *process, held holding, thread string) error {
	dir, err := p.worksIn()
	if err != nil {
		return err
	}
	held.markElsewhere(dir)
	if thread != "" {
		return nil
	}
	rival, err := p.rival(daemon, dir)
	if err == nil && rival {
		err = Nothing("ambiguous")
	}
	return err
}

// markElsewhere marks the threads that were not begun in a directory.
func (h holding) markElsewhere(dir string) {
	for i := range h.rollouts {
		there, err := canonical(h.rollouts[i].header.cwd)
		h.rollouts[i].elsewhere = err != nil || there != dir
	}
}

// worksIn returns the canonical directory that a Codex process works in, "" if
// there is none.
func (p *process) worksIn() (string, error) {
	cwd, err := p.fs.Cwd(p.pid)
	if err != nil {
		return "", ended(err)
	}
	args, err := p.fs.Cmdline(p.pid)
	if err != nil {
		return "", ended(err)
	}
	if dir := workDir(args); filepath.IsAbs(dir) {
		cwd = dir
	} else if dir != "" {
		cwd = filepath.Join(cwd, dir)
	}
	if cwd, err = canonical(cwd); err != nil {
		return "", nil
	}
	return cwd, nil
}

// workDir returns the directory that Codex was told to work in, "" for its own.
func workDir(args []string) string {
	for i, arg := range args {
		if (arg == "-C" || arg == "--cd") && i+1 < len(args) {
			return args[i+1]
		}
		if dir, ok := strings.CutPrefix(arg, "--cd="); ok {
			return dir
		}
	}
	return ""
}

// codexHome returns the canonical directory that a Codex process keeps its
// files in.
func (p *process) codexHome() (string, error) {
	home, err := p.env("CODEX_HOME")
	if err != nil {
		return "", err
	}
	if home == "" {
		if home, err = p.env("HOME"); err != nil {
			return "", err
		}
		home = filepath.Join(home, ".codex")
	}
	if !filepath.IsAbs(home) {
		cwd, err := p.fs.Cwd(p.pid)
		if err != nil {
			return "", ended(err)
		}
		home = filepath.Join(cwd, home)
	}
	if home, err = canonical(home); err != nil {
		return "", Nothing("no_session")
	}
	return home, nil
}

// holds opens the rollouts that a process has open. Each file counts once, however
// many descriptors lead to it.
func (p *process) holds(home string) (holding, error) {
	fds, err := p.fs.FDs(p.pid)
	if err != nil {
		return holding{}, ended(err)
	}
	// Either directory may be a link; what a descriptor leads to never is.
	sessions, _ := canonical(filepath.Join(home, "sessions"))
	locks, _ := canonical(filepath.Join(home, "thread-writer-locks"))
	var h holding
	seen := map[identity]bool{}
	for _, fd := range fds {
		switch {
		case within(fd.Path, locks) && filepath.Ext(fd.Path) == ".lock":
			h.locks = append(h.locks, strings.TrimSuffix(filepath.Base(fd.Path), ".lock"))
		case within(fd.Path, sessions) && filepath.Ext(fd.Path) == ".jsonl":
			r := rollout{name: filepath.Base(fd.Path)}
			r.file, r.header, r.err = openRollout(fd.Path, p.uid)
			held, err := identityOf(filepath.Join(string(p.fs), strconv.Itoa(p.pid), "fd", strconv.Itoa(fd.Num)))
			if err != nil {
				held = identity{} // closed meanwhile
			}
			if r.file != nil && (held != r.id || seen[r.id]) {
				r.file.Close()
				continue
			}
			seen[held] = true
			h.rollouts = append(h.rollouts, r)
		}
	}
	return h, nil
}

// choose returns the index of the session on the screen. Thread is the start of
// the id in the terminal's title, "" if it shows none. Shared says that the
// files are those of the daemon, which works for several terminals.
func choose(h holding, thread string, shared bool) (int, error) {
	var usable, named []int
	why := error(Nothing("no_session"))
	for i, r := range h.rollouts {
		switch {
		case r.err != nil:
			why = r.err
		case !r.header.typedByUser():
			why = Nothing("not_cli")
		case shared && r.elsewhere:
		default:
			usable = append(usable, i)
		}
		if r.err == nil && thread != "" && strings.HasPrefix(r.header.id, thread) {
			named = append(named, i)
		}
	}
	waiting := h.waiting()
	if thread != "" {
		return chooseNamed(h, thread, shared, named, waiting)
	}
	switch {
	case len(waiting) > 0 && (!shared || len(usable) == 0):
		// The screen shows a conversation in which nothing was said, and what
		// is open beside it is the one before.
		return 0, Nothing("not_started")
	case len(waiting) > 0, len(usable) > 1:
		return 0, Nothing("ambiguous")
	case len(usable) == 0:
		return 0, why
	}
	return usable[0], nil
}

// chooseNamed is choose for a title that names a thread. The title may be a lie
// or late: it counts only if the process itself holds that thread.
func chooseNamed(h holding, thread string, shared bool, named []int, waiting []string) (int, error) {
	switch {
	case len(named) > 1:
		return 0, Nothing("ambiguous")
	case len(named) == 1:
		r := h.rollouts[named[0]]
		if !r.header.typedByUser() {
			return 0, Nothing("not_cli")
		}
		if shared && r.elsewhere {
			return 0, Nothing("unproved")
		}
		return named[0], nil
	}
	for _, id := range waiting {
		if strings.HasPrefix(id, thread) {
			return 0, Nothing("not_started")
		}
	}
	return 0, Nothing("unproved")
}

// waiting lists the threads that are locked and have no open rollout.
func (h holding) waiting() []string {
	var ids []string
locks:
	for _, id := range h.locks {
		for _, r := range h.rollouts {
			if r.header.id == id || strings.Contains(r.name, id) {
				continue locks
			}
		}
		ids = append(ids, id)
	}
	return ids
}

package session

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"voice-input/pkg/wire"
)

// The daemon holds the sessions of all terminals of its home.
func TestRule_G4_Daemon(t *testing.T) {
	l := newLab(t)
	other := filepath.Join(l.home, "other")
	if err := os.Mkdir(other, 0o700); err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(l.dir, "s")
	d := l.start("codex", "codex", in("/"))
	d.do("listen", socket)
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		t.Fatal(err)
	}
	publish := func(pid int, ticks uint64, boot string) {
		write(t, filepath.Join(l.home, ".codex", "app-server-daemon", "daemon.pid"),
			fmt.Appendf(nil, `{"pid":%d,"processIdentity":{"bootId":%q,"startTicks":%d}}`, pid, strings.TrimSpace(boot), ticks))
	}
	publish(d.pid, d.ticks, string(boot))
	pathA := l.rollout(threadA, header(threadA, "vscode", l.project, byTUI, byUser), turn("a", "answer A")...)
	pathB := l.rollout(threadB, header(threadB, "vscode", other, byTUI, byUser), turn("b", "answer B")...)
	pathC := l.rollout(threadC, header(threadC, "vscode", l.project, byTUI, byUser), turn("c", "answer C")...)
	d.do("open", pathA)
	d.do("open", pathB)

	stranger := l.start("codex", "codex")
	want(t, l.find(stranger.focus()), "", "no_session") // not connected to it
	a, b := l.start("codex", "codex"), l.start("codex", "codex", in(other))
	connect := func(a *agent) {
		a.do("dial", socket)
		d.do("accept", socket)
	}
	connect(a)
	connect(b)
	want(t, l.find(a.focus()), "answer A", wire.OK)
	want(t, l.find(b.focus()), "answer B", wire.OK)
	// Two terminals in one directory: one of them may show a list.
	elsewhere := l.start("codex", "codex", in("/"), withArgs("codex", "-C", other))
	connect(elsewhere)
	want(t, l.find(elsewhere.focus()), "", "ambiguous")
	want(t, l.find(b.focus()), "", "ambiguous")
	f := elsewhere.focus()
	f.Agent.Thread = threadB
	want(t, l.find(f), "answer B", wire.OK)
	b.stop()
	want(t, l.find(elsewhere.focus()), "answer B", wire.OK)

	d.do("open", pathC)
	want(t, l.find(a.focus()), "", "ambiguous")
	named := func(thread string) *wire.Focus {
		f := a.focus()
		f.Agent.Thread = thread
		return f
	}
	want(t, l.find(named(threadC[:29])), "answer C", wire.OK)
	want(t, l.find(named(threadB)), "", "unproved") // a title of another folder's
	d.do("close", pathC)
	lock := filepath.Join(l.home, ".codex", "thread-writer-locks", threadC+".lock")
	write(t, lock, nil)
	d.do("open", lock)
	want(t, l.find(a.focus()), "", "ambiguous") // whose is it?
	want(t, l.find(named(threadC)), "", "not_started")
	want(t, l.find(named(threadA)), "answer A", wire.OK)
	d.do("close", lock)

	for name, publish := range map[string]func(){
		"another boot":    func() { publish(d.pid, d.ticks, "00000000-0000-0000-0000-000000000000") },
		"another start":   func() { publish(d.pid, d.ticks+1, string(boot)) },
		"no such process": func() { publish(1<<30, d.ticks, string(boot)) },
		"the stranger":    func() { publish(stranger.pid, stranger.ticks, string(boot)) },
		"nonsense": func() {
			write(t, filepath.Join(l.home, ".codex", "app-server-daemon", "daemon.pid"), []byte("12\n"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			publish()
			want(t, l.find(a.focus()), "", "no_session")
		})
	}
}

// All that the choice depends on, without processes.
func TestChoose(t *testing.T) {
	open := func(id string, change ...func(*rollout)) rollout {
		r := rollout{name: "rollout-t-" + id + ".jsonl", header: codexHeader{id: id, source: "cli"}}
		for _, c := range change {
			c(&r)
		}
		return r
	}
	elsewhere := func(r *rollout) { r.elsewhere = true }
	exec := func(r *rollout) { r.header.source = "exec" }
	unread := func(r *rollout) { r.header = codexHeader{}; r.err = Nothing("schema_unrecognised") }
	A, B := threadA, threadB
	for _, tt := range []struct {
		name     string
		rollouts []rollout
		locks    []string
		thread   string
		shared   bool
		index    int
		reason   string
	}{
		{name: "nothing", reason: "no_session"},
		{name: "one", rollouts: []rollout{open(A)}},
		{name: "one with its lock", rollouts: []rollout{open(A)}, locks: []string{A}},
		{name: "two", rollouts: []rollout{open(A), open(B)}, reason: "ambiguous"},
		{name: "one of a person", rollouts: []rollout{open(A, exec), open(B)}, index: 1},
		{name: "none of a person", rollouts: []rollout{open(A, exec)}, reason: "not_cli"},
		{name: "one that can be read", rollouts: []rollout{open(A, unread), open(B)}, index: 1},
		{name: "none that can be read", rollouts: []rollout{open(A, unread)}, reason: "schema_unrecognised"},
		{name: "a lock alone", locks: []string{A}, reason: "not_started"},
		{name: "a lock beside the one before", rollouts: []rollout{open(A)}, locks: []string{A, B}, reason: "not_started"},
		{name: "lock of one that cannot be read", rollouts: []rollout{open(A, unread), open(B)}, locks: []string{A, B}, index: 1},
		{name: "own file, begun elsewhere", rollouts: []rollout{open(A, elsewhere)}},
		{name: "shared, begun elsewhere", rollouts: []rollout{open(A, elsewhere)}, shared: true, reason: "no_session"},
		{name: "shared, one begun here", rollouts: []rollout{open(A, elsewhere), open(B)}, shared: true, index: 1},
		{name: "shared, a lock alone", locks: []string{A}, shared: true, reason: "not_started"},
		{name: "shared, somebody's lock", rollouts: []rollout{open(A)}, locks: []string{B}, shared: true, reason: "ambiguous"},
		{name: "named", rollouts: []rollout{open(A), open(B)}, thread: B[:29], index: 1},
		{name: "named and locked", rollouts: []rollout{open(A)}, locks: []string{B}, thread: B, reason: "not_started"},
		{name: "named, a lock beside", rollouts: []rollout{open(A)}, locks: []string{B}, thread: A},
		{name: "named, not held", rollouts: []rollout{open(A)}, thread: B, reason: "unproved"},
		{name: "named, not of a person", rollouts: []rollout{open(A, exec), open(B)}, thread: A, reason: "not_cli"},
		{name: "named, two segments", rollouts: []rollout{open(A), open(A)}, thread: A, reason: "ambiguous"},
		{name: "named, shared, elsewhere", rollouts: []rollout{open(A, elsewhere)}, thread: A, shared: true, reason: "unproved"},
		{name: "named, cannot be read", rollouts: []rollout{open(A, unread)}, thread: A, reason: "unproved"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			i, err := choose(holding{tt.rollouts, tt.locks}, tt.thread, tt.shared)
			reason := ""
			if err != nil {
				reason = reasonOf(err)
			}
			if reason != tt.reason || err == nil && i != tt.index {
				t.Errorf("got %d, %q; want %d, %q", i, reason, tt.index, tt.reason)
			}
		})
	}
}

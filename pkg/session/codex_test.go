package session

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"voice-input/pkg/wire"
)

func TestRule_G1_CodexHome(t *testing.T) {
	l := newLab(t)
	path := l.rollout(threadA, header(threadA, "cli", l.project), turn("a", "answer A")...)
	moved := filepath.Join(l.dir, "moved")
	if err := os.Rename(filepath.Join(l.home, ".codex"), moved); err != nil {
		t.Fatal(err)
	}
	path = strings.Replace(path, filepath.Join(l.home, ".codex"), moved, 1)
	link := filepath.Join(l.dir, "link")
	if err := os.Symlink(moved, link); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, home, reason string }{
		{"named", moved, wire.OK},
		{"through a link", link, wire.OK},
		{"relative to the process", "../../moved", wire.OK},
		{"empty is as if unset", "", "no_session"},
		{"elsewhere", l.project, "no_session"},
		{"not there", "/nonexistent", "no_session"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := l.start("codex", "codex", withEnv("CODEX_HOME="+tt.home))
			a.do("open", path)
			text := map[bool]string{true: "answer A"}[tt.reason == wire.OK]
			want(t, l.find(a.focus()), text, tt.reason)
		})
	}
	if err := os.Rename(moved, filepath.Join(l.home, ".codex")); err != nil {
		t.Fatal(err)
	}
	a := l.start("codex", "codex")
	a.do("open", strings.Replace(path, moved, filepath.Join(l.home, ".codex"), 1))
	want(t, l.find(a.focus()), "answer A", wire.OK)
}

// S13: two agents in one directory. The process decides, not the newest file.
func TestRule_G2_S13_OpenDescriptorsDecide(t *testing.T) {
	l := newLab(t)
	pathA := l.rollout(threadA, header(threadA, "cli", l.project, byUser), turn("a", "answer A")...)
	pathB := l.rollout(threadB, header(threadB, "cli", l.project, byUser), turn("b", "answer B")...)
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(pathB, later, later); err != nil {
		t.Fatal(err)
	}
	a, b := l.start("codex", "codex"), l.start("codex", "codex")
	a.do("open", pathA)
	b.do("open", pathB)
	want(t, l.find(a.focus()), "answer A", wire.OK)
	want(t, l.find(b.focus()), "answer B", wire.OK)
	a.do("close", pathA)
	want(t, l.find(a.focus()), "", "no_session")
}

func TestRule_G3_WhoseSession(t *testing.T) {
	for _, tt := range []struct {
		name   string
		source string
		more   []string
		user   bool
	}{
		{"as specified", "cli", []string{byUser}, true},
		{"before 0.133", "cli", nil, true},
		{"by the daemon", "vscode", []string{byTUI, byUser}, true},
		{"an editor", "vscode", []string{`"originator":"vscode"`, byUser}, false},
		{"an editor without a name", "vscode", []string{byUser}, false},
		{"exec", "exec", []string{`"originator":"codex_exec"`, byUser}, false},
		{"sub-agent", `{"subagent":{"thread_spawn":{}}}`, []string{`"thread_source":"subagent"`}, false},
		{"sub-agent that says user", `{"subagent":"review"}`, []string{byUser, byTUI}, false},
		{"thread of a sub-agent", "cli", []string{`"thread_source":"subagent"`}, false},
		{"thread source is an object", "cli", []string{`"thread_source":{"x":1}`}, false},
		{"none", "", nil, false},
		{"custom", `{"custom":"x"}`, []string{byUser}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h, err := parseCodexHeader([]byte(header(threadA, tt.source, "/", tt.more...)))
			if err != nil || h.typedByUser() != tt.user {
				t.Errorf("%t, %v", h.typedByUser(), err)
			}
		})
	}
	for _, bad := range []string{"", "{", "[]", `{"type":"session_meta"}`, `{"type":"session_meta","payload":{"id":7}}`, `{"type":"event_msg","payload":{"id":"x"}}`,
		header(threadA, "cli", "/", `"history_base":{"thread_id":"../../x","end_byte_offset":9}`),
		header(threadA, "cli", "/", `"history_base":{"thread_id":"`+threadB+`","end_byte_offset":-1}`)} {
		if _, err := parseCodexHeader([]byte(bad)); reasonOf(err) != "schema_unrecognised" {
			t.Errorf("%.60q: %v", bad, err)
		}
	}
}

// The headers of real sessions, each with what the terminal shows.
func TestRule_G3_RealHeaders(t *testing.T) {
	paths, _ := filepath.Glob("testdata/codex/*/sessions/*/*/*/*.jsonl")
	for _, path := range paths {
		f, h, err := openRollout(path, anyUser)
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
		name := path[strings.Index(path, "codex/")+6:]
		other := strings.HasPrefix(name, "0.171.0-exec") || strings.Contains(name, "0.171.0-multiagent") && !strings.Contains(name, "T20-35-28")
		if h.typedByUser() == other {
			t.Errorf("%s: %+v", name, h)
		}
	}
	if len(paths) < 15 {
		t.Errorf("%d sessions", len(paths))
	}
}

// S12: what cannot be read as a header never passes the filter.
func TestRule_G3_S12_SubAgentsDoNotPass(t *testing.T) {
	l := newLab(t)
	user := l.rollout(threadA, header(threadA, "cli", l.project, byUser), turn("a", "answer A")...)
	review := l.rollout(threadB, header(threadB, `{"subagent":"review"}`, l.project), turn("b", "answer B")...)
	odd := l.rollout(threadC, said("answer C", "final_answer"), turn("c", "answer C")...)
	a := l.start("codex", "codex")
	for _, path := range []string{review, odd, user} {
		a.do("open", path)
	}
	want(t, l.find(a.focus()), "answer A", wire.OK)
	a.do("close", user)
	r := l.find(a.focus())
	if textOf(r) != "" || r.Reason != "not_cli" && r.Reason != "schema_unrecognised" {
		t.Errorf("%q, %s", textOf(r), r.Reason)
	}
}

// A path that only looks as if it lay in the sessions does not count, nor does
// another kind of file, nor one that was deleted.
func TestRule_G3_CanonicalPath(t *testing.T) {
	l := newLab(t)
	good := l.rollout(threadA, header(threadA, "cli", l.project), turn("a", "answer A")...)
	b, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(l.home, ".codex", "sessions-old", filepath.Base(good))
	write(t, outside, b)
	link := filepath.Join(filepath.Dir(good), "rollout-link.jsonl")
	if err := os.Symlink(outside, link); err != nil {
		t.Fatal(err)
	}
	text := filepath.Join(filepath.Dir(good), "notes.txt")
	write(t, text, b)
	deleted := l.rollout(threadB, header(threadB, "cli", l.project), turn("b", "answer B")...)
	a := l.start("codex", "codex")
	for _, path := range []string{outside, link, text, deleted} {
		a.do("open", path)
	}
	os.Remove(deleted)
	want(t, l.find(a.focus()), "", "no_session")
	a.do("open", good)
	want(t, l.find(a.focus()), "answer A", wire.OK)
}

// The directory of the sessions may be a link to another disk.
func TestRule_G3_SessionsThroughALink(t *testing.T) {
	l := newLab(t)
	path := l.rollout(threadA, header(threadA, "cli", l.project), turn("a", "answer A")...)
	sessions, disk := filepath.Join(l.home, ".codex", "sessions"), filepath.Join(l.dir, "disk")
	if err := errors.Join(os.Rename(sessions, disk), os.Symlink(disk, sessions)); err != nil {
		t.Fatal(err)
	}
	a := l.start("codex", "codex")
	a.do("open", path)
	want(t, l.find(a.focus()), "answer A", wire.OK)
}

func TestRule_G4_ExactlyOneFile(t *testing.T) {
	l := newLab(t)
	pathA := l.rollout(threadA, header(threadA, "cli", l.project), turn("a", "answer A")...)
	pathB := l.rollout(threadB, header(threadB, "cli", l.project), turn("b", "answer B")...)
	a := l.start("codex", "codex")
	want(t, l.find(a.focus()), "", "no_session")
	a.do("open", pathA)
	a.do("open", pathA) // one file, two descriptors
	want(t, l.find(a.focus()), "answer A", wire.OK)
	a.do("open", pathB)
	want(t, l.find(a.focus()), "", "ambiguous")

	// The title tells them apart, if it names what the process holds.
	for _, tt := range []struct{ thread, text, reason string }{
		{threadA, "answer A", wire.OK},
		{threadB[:29], "answer B", wire.OK},
		{threadB[:29] + "...", "answer B", wire.OK},
		{threadB[:8], "", "ambiguous"}, // too short to point
		{"not a thread", "", "ambiguous"},
		{threadC, "", "unproved"},
	} {
		f := a.focus()
		f.Agent.Thread = tt.thread
		want(t, l.find(f), tt.text, tt.reason)
	}
}

// After /new and before the first prompt the only rollout is that of the
// conversation before.
func TestRule_G4_LockWithoutRollout(t *testing.T) {
	l := newLab(t)
	path := l.rollout(threadA, header(threadA, "cli", l.project), turn("a", "answer A")...)
	locks := filepath.Join(l.home, ".codex", "thread-writer-locks")
	for _, id := range []string{threadA, threadB} {
		write(t, filepath.Join(locks, id+".lock"), nil)
	}
	a := l.start("codex", "codex")
	a.do("open", path)
	a.do("open", filepath.Join(locks, threadA+".lock"))
	want(t, l.find(a.focus()), "answer A", wire.OK)
	a.do("open", filepath.Join(locks, threadB+".lock"))
	want(t, l.find(a.focus()), "", "not_started")
	f := a.focus()
	f.Agent.Thread = threadB
	want(t, l.find(f), "", "not_started")
	f.Agent.Thread = threadA
	want(t, l.find(f), "answer A", wire.OK)
}

func TestRule_G6_TheLauncherOfThePackage(t *testing.T) {
	l := newLab(t)
	path := l.rollout(threadA, header(threadA, "cli", l.project), turn("a", "answer A")...)
	// A launcher that stays: node, whose only child is the program. Here a
	// shell is node.
	script := filepath.Join(l.dir, "x", "codex")
	write(t, script, []byte(l.program("codex")+"\nexit\n"))
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(sh)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(l.dir, "bin", "node"), b, 0o700); err != nil {
		t.Fatal(err)
	}
	a := l.start("codex", "node", withArgs("node", script))
	a.do("open", path)
	want(t, l.find(a.focus()), "answer A", wire.OK)
}

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

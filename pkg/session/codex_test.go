package session

import (
	"errors"
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
		{threadC, "", "not_started"},
	} {
		f := a.focus()
		f.Agent.Thread = tt.thread
		want(t, l.find(f), tt.text, tt.reason)
	}
	l.rollout(threadC, header(threadC, "cli", l.project), turn("c", "answer C")...)
	f := a.focus()
	f.Agent.Thread = threadC
	want(t, l.find(f), "", "unproved")
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

// Before 0.148 there are no locks; what tells of a conversation in which nothing
// was said is the snapshot of its shell.
func TestRule_G4_LeftForANewConversation(t *testing.T) {
	l := newLab(t)
	path := l.rollout(threadA, header(threadA, "cli", l.project), turn("a", "answer A")...)
	begun, _ := uuidTime(threadC)
	written := func(at time.Time) {
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	a := l.start("codex", "codex")
	a.do("open", path)
	snapshots := filepath.Join(l.home, ".codex", "shell_snapshots")
	write(t, filepath.Join(snapshots, "notes.sh"), nil)
	write(t, filepath.Join(snapshots, threadA+".1796082251700938713.sh"), nil)
	written(begun.Add(-time.Minute))
	want(t, l.find(a.focus()), "answer A", wire.OK)
	write(t, filepath.Join(snapshots, threadC+".1796082251700938713.sh"), nil)
	want(t, l.find(a.focus()), "", "ambiguous")
	f := a.focus()
	f.Agent.Thread = threadC[:29]
	want(t, l.find(f), "", "not_started")
	f.Agent.Thread = threadA[:29]
	want(t, l.find(f), "answer A", wire.OK)
	// It was gone on with since.
	written(begun.Add(time.Minute))
	want(t, l.find(a.focus()), "answer A", wire.OK)
	// The other conversation is another terminal's, and something was said there.
	written(begun.Add(-time.Minute))
	l.rollout(threadC, header(threadC, "cli", l.project), turn("c", "answer C")...)
	want(t, l.find(a.focus()), "answer A", wire.OK)
	f.Agent.Thread = threadC
	want(t, l.find(f), "", "unproved")
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

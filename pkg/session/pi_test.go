package session

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"voice-input/pkg/wire"
)

const piID = "01a22e39-8f29-736a-b746-26f5d3c01ee9"

// pi starts a process that is Pi by its title: an interpreter whose first
// argument says pi.
func (l *lab) pi(env ...string) *agent {
	l.t.Helper()
	return l.start("pi", "node", withArgs("pi"), withEnv(env...))
}

func (l *lab) piSessions() string { return filepath.Join(l.home, ".pi", "agent", "sessions", "--p--") }

func (l *lab) piSession(dir string, lines ...string) string {
	l.t.Helper()
	path := filepath.Join(dir, "2026-11-30T20-50-53-867Z_"+piID+".jsonl")
	write(l.t, path, []byte(strings.Join(append([]string{piHead(piID)}, lines...), "\n")+"\n"))
	return path
}

func (l *lab) registry(pid int) string {
	return filepath.Join(l.runtime, "agent-sessions", fmt.Sprintf("pi-%d.json", pid))
}

// publish writes what the extension would, changed by the members given.
func (l *lab) publish(a *agent, file, leaf string, change map[string]any) {
	l.t.Helper()
	e := map[string]any{
		"schema": "vi.pi-session/1", "pid": a.pid, "start_ticks": a.ticks, "mode": "tui", "session_id": piID, "session_file": file,
		"session_dir": filepath.Dir(file), "leaf_id": leaf, "generation": "g", "updated_at_ms": 1,
	}
	maps.Copy(e, change)
	for k, v := range e {
		if v == "absent" {
			delete(e, k)
		}
	}
	b, err := json.Marshal(e)
	if err != nil {
		l.t.Fatal(err)
	}
	write(l.t, l.registry(a.pid), b)
}

func TestRule_F2_Registry(t *testing.T) {
	l := newLab(t)
	a := l.pi()
	path := l.piSession(l.piSessions(), piAsked("u1", "", "hello"), piSaid("a1", "u1", "stop", "answer A"))
	want(t, l.find(a.focus()), "", "not_registered")
	for _, tt := range []struct {
		name   string
		change map[string]any
		reason string
	}{
		{"as agreed", nil, wire.OK},
		{"members of a later minor", map[string]any{"grease": []int{1}}, wire.OK},
		{"another major", map[string]any{"schema": "vi.pi-session/2"}, "registry_version"},
		{"another schema", map[string]any{"schema": "vi.focus/1"}, "registry_invalid"},
		{"no schema", map[string]any{"schema": "absent"}, "registry_invalid"},
		{"another process", map[string]any{"pid": a.pid + 1}, "registry_stale"},
		{"S17: an earlier process of that number", map[string]any{"start_ticks": a.ticks - 1}, "registry_stale"},
		{"not at a terminal", map[string]any{"mode": "json"}, "not_cli"},
		{"another session", map[string]any{"session_id": threadA}, "header_mismatch"},
		{"no leaf", map[string]any{"leaf_id": "absent"}, "registry_invalid"},
		{"leaf is a number", map[string]any{"leaf_id": 1}, "registry_invalid"},
		{"leaf is empty", map[string]any{"leaf_id": ""}, "registry_invalid"},
		{"before the first entry", map[string]any{"leaf_id": nil}, "no_completed_answer"},
		{"a leaf that is not there", map[string]any{"leaf_id": "zz"}, "branch_broken"},
		{"pid is a string", map[string]any{"pid": fmt.Sprint(a.pid)}, "registry_invalid"},
		{"relative path", map[string]any{"session_file": "x.jsonl"}, "registry_invalid"},
		{"no path", map[string]any{"session_file": "absent"}, "registry_invalid"},
		{"file not there yet", map[string]any{"session_file": filepath.Join(l.piSessions(), "new.jsonl")}, "not_started"},
		{"too large", map[string]any{"grease": strings.Repeat("x", maxRegistry)}, "registry_invalid"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l.publish(a, path, "a1", tt.change)
			want(t, l.find(a.focus()), map[bool]string{true: "answer A"}[tt.reason == wire.OK], tt.reason)
		})
	}
	t.Run("half a file", func(t *testing.T) {
		write(t, l.registry(a.pid), []byte(`{"schema":"vi.pi-session/1","pid":`))
		want(t, l.find(a.focus()), "", "registry_invalid")
	})
	t.Run("others can write it", func(t *testing.T) {
		l.publish(a, path, "a1", nil)
		os.Chmod(l.registry(a.pid), 0o620)
		want(t, l.find(a.focus()), "", "registry_invalid")
		os.Chmod(l.registry(a.pid), 0o600)
		want(t, l.find(a.focus()), "answer A", wire.OK)
	})
	t.Run("a link", func(t *testing.T) {
		if err := os.Rename(l.registry(a.pid), l.registry(a.pid)+".real"); err != nil {
			t.Fatal(err)
		}
		os.Symlink(l.registry(a.pid)+".real", l.registry(a.pid))
		want(t, l.find(a.focus()), "", "registry_invalid")
		os.Remove(l.registry(a.pid))
	})
	t.Run("a FIFO", func(t *testing.T) {
		if err := syscall.Mkfifo(l.registry(a.pid), 0o600); err != nil {
			t.Fatal(err)
		}
		want(t, l.find(a.focus()), "", "registry_invalid")
		os.Remove(l.registry(a.pid))
	})
}

// S17: right number, right ticks, but it is not Pi.
func TestRule_F2_S17_ItMustBePi(t *testing.T) {
	l := newLab(t)
	path := l.piSession(l.piSessions(), piAsked("u1", "", "hello"), piSaid("a1", "u1", "stop", "answer A"))
	a := l.start("pi", "sleep", withArgs("pi"))
	l.publish(a, path, "a1", nil)
	want(t, l.find(a.focus()), "", "wrong_process")
	b := l.start("pi", "pi")
	l.publish(b, path, "a1", nil)
	want(t, l.find(b.focus()), "answer A", wire.OK)
}

// The sessions may lie anywhere, but it is the process itself that says where.
func TestRule_F2_CanonicalPath(t *testing.T) {
	l := newLab(t)
	said := []string{piAsked("u1", "", "hello"), piSaid("a1", "u1", "stop", "answer A")}
	elsewhere := filepath.Join(l.dir, "elsewhere")
	moved := l.piSession(elsewhere, said...)
	usual := l.piSession(l.piSessions(), said...)
	link := filepath.Join(l.piSessions(), "link.jsonl")
	if err := os.Symlink(moved, link); err != nil {
		t.Fatal(err)
	}
	linkedDir := filepath.Join(l.dir, "linked")
	if err := os.Symlink(elsewhere, linkedDir); err != nil {
		t.Fatal(err)
	}
	agentDir := l.piSession(filepath.Join(l.dir, "agent", "sessions", "--q--"), said...)
	for _, tt := range []struct {
		name, file, dir, env, reason string
	}{
		{"the usual place", usual, l.piSessions(), "X=", wire.OK},
		{"--session-dir, PI_CODING_AGENT_SESSION_DIR, sessionDir", moved, elsewhere, "X=", wire.OK},
		{"through a link to the directory", filepath.Join(linkedDir, filepath.Base(moved)), linkedDir, "X=", wire.OK},
		{"/resume of another project", usual, elsewhere, "X=", wire.OK},
		{"/resume below PI_CODING_AGENT_DIR", agentDir, elsewhere, "PI_CODING_AGENT_DIR=" + filepath.Join(l.dir, "agent"), wire.OK},
		{"below an agent folder that is not the process's", agentDir, elsewhere, "X=", "outside_sessions"},
		{"outside", moved, l.piSessions(), "X=", "outside_sessions"},
		{"a link that leads outside", link, l.piSessions(), "X=", "outside_sessions"},
		{"dots that lead outside", l.piSessions() + "/../../../../../elsewhere/" + filepath.Base(moved), l.piSessions(), "X=", "outside_sessions"},
		{"a sister whose name begins alike", moved, elsewhere[:len(elsewhere)-1], "X=", "outside_sessions"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := l.pi(tt.env)
			l.publish(a, tt.file, "a1", map[string]any{"session_dir": tt.dir})
			want(t, l.find(a.focus()), map[bool]string{true: "answer A"}[tt.reason == wire.OK], tt.reason)
		})
	}
}

func TestRule_F5_Branch(t *testing.T) {
	deep := []string{piHead(piID)}
	parent := ""
	for i := range 3000 {
		id := fmt.Sprintf("e%d", i)
		if i == 0 {
			deep = append(deep, piSaid(id, parent, "stop", "the first"))
		} else {
			deep = append(deep, entry(id, parent, "an_unknown_type", `"x":{"id":"e1"}`))
		}
		parent = id
	}
	block := func(kind, text, signature string) string {
		if signature != "" {
			signature = `,"textSignature":` + quote(signature)
		}
		return fmt.Sprintf(`{"type":%q,"text":%s,"thinking":"t","name":"n"%s}`, kind, quote(text), signature)
	}
	blocks := func(id, parent string, blocks ...string) string {
		return entry(id, parent, "message", `"message":{"role":"assistant","stopReason":"stop","content":[`+strings.Join(blocks, ",")+`]}`)
	}
	phase := func(p string) string { return `{"v":1,"id":"m","phase":"` + p + `"}` }
	h := piHead(piID)
	for _, tt := range []struct {
		name, leaf   string
		lines        []string
		text, reason string
	}{
		{"newest of the branch", "", lines(h, piAsked("u", "", "q"), piSaid("a", "u", "stop", "A"), piSaid("b", "a", "stop", "B")), "B", wire.OK},
		{"only stop", "", lines(h, piSaid("a", "", "stop", "A"), piSaid("b", "a", "length", "B"), piSaid("c", "b", "error", "C"), piSaid("d", "c", "aborted", "D"), piSaid("e", "d", "toolUse", "E"), piSaid("f", "e", "deferred", "F")), "A", wire.OK},
		{"an empty one is passed", "", lines(h, piSaid("a", "", "stop", "A"), piSaid("b", "a", "stop", " \n")), "A", wire.OK},
		{"text blocks only", "", lines(h, blocks("a", "", block("thinking", "no", ""), block("text", "A1", "msg_1"), block("toolCall", "no", ""), block("text", "A2", ""))), "A1\nA2", wire.OK},
		{"the final phase only", "", lines(h, blocks("a", "", block("text", "no", phase("commentary")), block("text", "A", phase("final_answer")))), "A", wire.OK},
		{"nothing but commentary", "", lines(h, piSaid("a", "", "stop", "A"), blocks("b", "a", block("text", "no", phase("commentary")))), "A", wire.OK},
		{"text that is a string", "", lines(h, entry("a", "", "message", `"message":{"role":"assistant","stopReason":"stop","content":"A"}`)), "A", wire.OK},
		{"a cycle", "b", lines(h, piAsked("a", "b", "q"), piAsked("b", "a", "q")), "", "branch_broken"},
		{"its own parent", "a", lines(h, piAsked("a", "a", "q")), "", "branch_broken"},
		{"a missing parent", "c", lines(h, piSaid("a", "", "stop", "A"), piAsked("c", "b", "q")), "", "branch_broken"},
		{"a long branch", "e2999", deep, "the first", wire.OK},
		{"several roots", "d", lines(h, piSaid("a", "", "stop", "A"), piAsked("c", "", "q"), piSaid("d", "c", "error", "D")), "", "no_completed_answer"},
		{"the leaf is not the last line", "a", lines(h, piSaid("a", "", "stop", "A"), piSaid("b", "a", "stop", "B")), "A", wire.OK},
		{"a line between is broken", "b", lines(h, piSaid("a", "", "stop", "A"), `{"type":`, piAsked("b", "a", "q")), "A", wire.OK},
		{"no ids", "", lines(h, `{"type":"message","message":{}}`, `{"kind":"x"}`), "", "schema_unrecognised"},
		{"nothing yet", "", lines(h), "", "no_completed_answer"},
		{"no header", "", lines(piSaid("a", "", "stop", "A")), "", "schema_unrecognised"},
	} {
		t.Run(tt.name, func(t *testing.T) { want(t, read(t, "pi", tt.leaf, tt.lines...), tt.text, tt.reason) })
	}
}

// S15: an abandoned answer stands in the file before the branch on the screen.
func TestRule_F5_S15_DeadBranches(t *testing.T) {
	file := lines(piHead(piID), piAsked("root", "", "q"), piAsked("u1", "root", "q"), piSaid("a1", "u1", "stop", "用 Redis"),
		piAsked("u2", "root", "q"), piSaid("a2", "u2", "stop", "用 SQLite"))
	want(t, read(t, "pi", "", file...), "用 SQLite", wire.OK)
	want(t, read(t, "pi", "", file[:5]...), "", "no_completed_answer")
}

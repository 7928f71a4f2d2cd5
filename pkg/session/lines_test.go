package session

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Threads of the tests, as Codex names them.
const (
	threadA = "01a22e20-99d4-7ca0-9380-22f81ae69102"
	threadB = "01a22e23-2e63-78d0-af31-f989fc9545a9"
	threadC = "01a22e28-73e9-77c0-b114-f36da4f40cd2"
)

// quote writes a string as JSON does.
func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// header is a rollout's first line. More members of the payload may follow.
func header(id, source, cwd string, more ...string) string {
	if !strings.HasPrefix(source, "{") {
		source = quote(source)
	}
	return fmt.Sprintf(`{"timestamp":"t","type":"session_meta","payload":{"id":%s,"cwd":%s,"source":%s%s}}`,
		quote(id), quote(cwd), source, strings.Join(append([]string{""}, more...), ","))
}

const (
	byUser = `"thread_source":"user"`
	byTUI  = `"originator":"codex-tui"`
)

func event(kind string, members ...string) string {
	return fmt.Sprintf(`{"timestamp":"t","type":"event_msg","payload":{"type":%q%s}}`, kind, strings.Join(append([]string{""}, members...), ","))
}

func started(turn string) string { return event("task_started", `"turn_id":`+quote(turn)) }
func aborted(turn string) string { return event("turn_aborted", `"turn_id":`+quote(turn)) }
func rolledBack(n int) string    { return event("thread_rolled_back", fmt.Sprintf(`"num_turns":%d`, n)) }
func asked(text string) string   { return event("user_message", `"message":`+quote(text)) }

func complete(turn, last string) string {
	if last == "" {
		return event("task_complete", `"turn_id":`+quote(turn), `"last_agent_message":null`)
	}
	return event("task_complete", `"turn_id":`+quote(turn), `"last_agent_message":`+quote(last))
}

// said is an answer of the model with a phase, "" for none.
func said(text, phase string) string {
	if phase != "" {
		phase = `,"phase":` + quote(phase)
	}
	return fmt.Sprintf(`{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":%s}]%s}}`, quote(text), phase)
}

func tool(output string) string {
	return fmt.Sprintf(`{"timestamp":"t","type":"response_item","payload":{"type":"function_call_output","output":%s}}`, quote(output))
}

// turn is a whole turn that ends well.
func turn(id, text string) []string {
	return []string{started(id), asked("question " + id), said(text, "final_answer"), complete(id, text)}
}

func lines(groups ...any) []string {
	var out []string
	for _, g := range groups {
		switch g := g.(type) {
		case string:
			out = append(out, g)
		case []string:
			out = append(out, g...)
		}
	}
	return out
}

// rollout writes a rollout where Codex would and returns its path.
func (l *lab) rollout(id, header string, lines ...string) string {
	l.t.Helper()
	path := filepath.Join(l.home, ".codex", "sessions", "2026", "11", "30", "rollout-2026-11-30T20-00-00-"+id+".jsonl")
	write(l.t, path, []byte(strings.Join(append([]string{header}, lines...), "\n")+"\n"))
	return path
}

// entry is one entry of a Pi session.
func entry(id, parent, kind string, members ...string) string {
	p := "null"
	if parent != "" {
		p = quote(parent)
	}
	return fmt.Sprintf(`{"type":%q,"id":%q,"parentId":%s%s}`, kind, id, p, strings.Join(append([]string{""}, members...), ","))
}

func piSaid(id, parent, stop, text string) string {
	return entry(id, parent, "message", fmt.Sprintf(`"message":{"role":"assistant","content":[{"type":"text","text":%s}],"stopReason":%q}`, quote(text), stop))
}

func piAsked(id, parent, text string) string {
	return entry(id, parent, "message", `"message":{"role":"user","content":`+quote(text)+`}`)
}

func piHead(id string) string {
	return fmt.Sprintf(`{"type":"session","version":3,"id":%q,"cwd":"/"}`, id)
}

// waitFor polls until a condition holds.
func waitFor(t *testing.T, condition func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !condition(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("waited in vain")
		}
	}
}

package session

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"voice-input/pkg/wire"
)

func item(kind, text, phase string) string {
	if phase != "" {
		phase = `,"phase":` + quote(phase)
	}
	return event("item_completed", fmt.Sprintf(`"item":{"type":%q,"content":[{"type":"Text","text":%s}]%s}`, kind, quote(text), phase))
}

func TestRule_C3_G5_NewestCompletedTurn(t *testing.T) {
	h := header(threadA, "cli", "/")
	for _, tt := range []struct {
		name         string
		lines        []string
		text, reason string
	}{
		{"a final answer", turn("a", "A"), "A", wire.OK},
		{"a newer one", lines(turn("a", "A"), turn("b", "B")), "B", wire.OK},
		{"the newer turn beats the mark", lines(turn("a", "A"), started("b"), said("B", ""), complete("b", "B")), "B", wire.OK},
		{"no message in the file, only at the turn's end", lines(turn("a", "A"), started("b"), complete("b", "B")), "B", wire.OK},
		{"the turn's end without its start", lines(complete("b", "B")), "B", wire.OK},
		{"commentary", lines(turn("a", "A"), started("b"), said("B", "commentary")), "A", wire.OK},
		{"commentary that the turn names", lines(turn("a", "A"), started("b"), said("B", "commentary"), complete("b", "B")), "A", wire.OK},
		{"a part", lines(turn("a", "A"), started("b"), said("B", "partial_answer"), complete("b", "B")), "A", wire.OK},
		{"final before commentary", lines(started("b"), said("B", "final_answer"), said("C", "commentary"), complete("b", "C")), "B", wire.OK},
		{"a phase of the future", lines(turn("a", "A"), started("b"), said("B", "answer_v2"), complete("b", "B")), "B", wire.OK},
		{"two final ones", lines(started("b"), said("A", "final_answer"), said("B", "final_answer"), complete("b", "B")), "B", wire.OK},
		{"failed, the answer is whole", lines(turn("a", "A"), started("b"), said("B", "final_answer"), complete("b", "")), "B", wire.OK},
		{"failed, without a mark", lines(turn("a", "A"), started("b"), said("B", ""), complete("b", "")), "A", wire.OK},
		{"compaction", lines(turn("a", "A"), started("b"), said("summary", ""), `{"type":"compacted","payload":{"message":"m","replacement_history":[{"role":"assistant"}]}}`, complete("b", "")), "A", wire.OK},
		{"compaction, marked", lines(turn("a", "A"), started("b"), strings.Replace(said("summary", "final_answer"), `"payload"`, `"metadata":{"compaction_output":true},"payload"`, 1), complete("b", "")), "A", wire.OK},
		{"compaction of 0.58", lines(turn("a", "A"), event("agent_message", `"message":"Compact task completed"`)), "A", wire.OK},
		{"aborted", lines(turn("a", "A"), started("b"), asked("q"), said("B", ""), aborted("b")), "A", wire.OK},
		{"aborted, marked", lines(turn("a", "A"), started("b"), asked("q"), said("B", "final_answer"), aborted("b")), "A", wire.OK},
		{"aborted, without turns", lines(asked("q"), said("A", "final_answer"), asked("q"), said("B", "final_answer"), event("turn_aborted")), "A", wire.OK},
		{"aborted, its start is lost", lines(turn("a", "A"), said("B", "final_answer"), aborted("b")), "A", wire.OK},
		{"taken back", lines(turn("a", "A"), turn("b", "B"), rolledBack(1)), "A", wire.OK},
		{"taken back twice", lines(turn("a", "A"), turn("b", "B"), turn("c", "C"), rolledBack(1), rolledBack(1)), "A", wire.OK},
		{"taken back and gone on", lines(turn("a", "A"), turn("b", "B"), rolledBack(1), turn("c", "C"), rolledBack(1)), "A", wire.OK},
		{"taken back over a taken back one", lines(turn("a", "A"), turn("b", "B"), turn("c", "C"), rolledBack(1), turn("d", "D"), rolledBack(2)), "A", wire.OK},
		{"an aborted one taken back", lines(turn("a", "A"), started("b"), asked("q"), aborted("b"), rolledBack(1)), "A", wire.OK},
		{"all taken back", lines(turn("a", "A"), rolledBack(7)), "", "no_completed_answer"},
		{"nothing taken back", lines(turn("a", "A"), rolledBack(0), rolledBack(-3)), "A", wire.OK},
		{"the turn's end is a boundary", lines(started("a"), complete("a", "A"), rolledBack(0)), "A", wire.OK},
		{"between agents", lines(turn("a", "A"), `{"type":"response_item","payload":{"type":"agent_message","role":"assistant","phase":"final_answer","content":[{"type":"output_text","text":"no"}]}}`), "A", wire.OK},
		{"what the user says", lines(turn("a", "A"), strings.Replace(said("no", "final_answer"), "assistant", "user", 1)), "A", wire.OK},
		{"an empty one", lines(turn("a", "A"), started("b"), said(" \n", "final_answer"), complete("b", " ")), "A", wire.OK},
		{"only a question", lines(started("a"), asked("q")), "", "no_completed_answer"},
		{"nothing", nil, "", "no_completed_answer"},
		{"several blocks", []string{`{"type":"response_item","payload":{"type":"message","role":"assistant","phase":"final_answer","content":[{"type":"output_text","text":"A"},{"type":"image"},{"type":"output_text","text":"B"}]}}`}, "A\nB", wire.OK},
		{"headers that were copied", lines(header(threadB, "exec", "/"), turn("a", "A"), header(threadC, "exec", "/")), "A", wire.OK},
		{"records that are no objects", lines(turn("a", "A"), `[]`, `"x"`, `1`, `{"type":7,"payload":[]}`), "A", wire.OK},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want(t, read(t, "codex", "", append([]string{h}, tt.lines...)...), tt.text, tt.reason)
		})
	}
}

// S8: providers that send no phase. The turn's end marks the answer.
func TestRule_G5_S8_NoPhase(t *testing.T) {
	before := lines(header(threadA, "cli", "/"), turn("a", "before"))
	whole := lines(before, started("b"), said("先看一下 logs", ""), tool("output"), said("用 kubectl rollout", ""), complete("b", "用 kubectl rollout"))
	want(t, read(t, "codex", "", whole...), "用 kubectl rollout", wire.OK)
	want(t, read(t, "codex", "", whole[:len(whole)-1]...), "before", wire.OK)
	want(t, read(t, "codex", "", lines(whole[:len(whole)-1], aborted("b"))...), "before", wire.OK)
	want(t, read(t, "codex", "", lines(before, started("b"), said("先看一下 logs", "commentary"), complete("b", "先看一下 logs"))...), "before", wire.OK)
}

// S9: one reply in three records is one answer.
func TestRule_G5_S9_OneReplyOnce(t *testing.T) {
	text := "rollout kubectl"
	r := read(t, "codex", "", header(threadA, "cli", "/"), started("a"), event("agent_message", `"message":`+quote(text), `"phase":"final_answer"`),
		item("AgentMessage", text, "final_answer"), said(text, "final_answer"), complete("a", text))
	want(t, r, text, wire.OK)
	if r.Source.Chars != len(text) {
		t.Error(r.Source.Chars)
	}
}

// S10: turns that are written as items only, and a format of the future.
func TestRule_G5_S10_ItemsOnlyAndUnknownRecords(t *testing.T) {
	h := header(threadA, "cli", "/")
	want(t, read(t, "codex", "", h, started("a"), item("UserMessage", "q", ""), item("CommandExecution", "x", ""), item("AgentMessage", "no", "commentary"),
		item("AgentMessage", "A", "final_answer"), complete("a", "A")), "A", wire.OK)

	unknown := []string{h}
	for i := range 200 {
		unknown = append(unknown, fmt.Sprintf(`{"timestamp":"t","type":"turn_v%d","payload":{"text":"sentinel-text"}}`, i%2), `{"kind":"sentinel kind"}`)
	}
	var said strings.Builder
	f := &Finder{Explain: func(format string, args ...any) { fmt.Fprintf(&said, format+"\n", args...) }}
	path := filepath.Join(t.TempDir(), "s.jsonl")
	write(t, path, []byte(strings.Join(unknown, "\n")))
	want(t, f.File(t.Context(), "codex", path, ""), "", "schema_unrecognised")
	if s := said.String(); !strings.Contains(s, "other 400, session_meta 1") || strings.Contains(s, "sentinel") {
		t.Error(s)
	}
	want(t, read(t, "codex", "", h), "", "no_completed_answer")
}

// A session that goes on from other files: forks and rewinds.
func TestRule_G5_HistoryBase(t *testing.T) {
	root := filepath.Join(t.TempDir(), "sessions")
	day := filepath.Join(root, "2026", "11", "30")
	base := func(id string, end int) string {
		return fmt.Sprintf(`"history_base":{"thread_id":%q,"end_ordinal_exclusive":1,"end_byte_offset":%d}`, id, end)
	}
	text := func(lines ...string) []byte { return []byte(strings.Join(lines, "\n") + "\n") }
	file := func(dir, name string, b []byte) string {
		path := filepath.Join(dir, "rollout-t-"+name+".jsonl")
		write(t, path, b)
		return path
	}
	read := func(path string) *wire.Session { return (&Finder{}).File(t.Context(), "codex", path, "") }

	kept := text(lines(header(threadA, "cli", "/"), turn("a", "A"))...)
	whole := append(kept, text(turn("b", "B")...)...)
	file(day, threadA, whole)
	want(t, read(file(day, threadB, text(header(threadB, "cli", "/", base(threadA, len(kept)))))), "A", wire.OK)
	want(t, read(file(day, threadB, text(header(threadB, "cli", "/", base(threadA, len(whole)))))), "B", wire.OK)
	want(t, read(file(day, threadB, text(header(threadB, "cli", "/", base(threadA, len(whole)+1))))), "", "changed_while_reading")
	want(t, read(file(day, threadB, text(header(threadB, "cli", "/", base(threadB, 50))))), "", "base_missing")
	want(t, read(file(day, threadB, text(header(threadB, "cli", "/", base(threadC, 50))))), "", "base_missing")

	// A segment after a rewind is named by its own id; what was taken back in
	// the new file goes on into the old one.
	segment := file(day, threadA+"_"+threadC, text(header(threadA, "cli", "/", base(threadA, len(whole))), rolledBack(1)))
	want(t, read(segment), "A", wire.OK)
	want(t, read(file(day, threadB, text(header(threadB, "cli", "/", base(threadC, 1<<10))))), "", "changed_while_reading")

	// The day before, in the local time of the writer; the id tells the day.
	early := filepath.Join(root, "2026", "11", "29")
	if err := os.MkdirAll(early, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(day, "rollout-t-"+threadA+".jsonl"), filepath.Join(early, "rollout-t-"+threadA+".jsonl")); err != nil {
		t.Fatal(err)
	}
	fork := file(filepath.Join(root, "2027", "01", "01"), threadB, text(header(threadB, "cli", "/", base(threadA, len(kept)))))
	want(t, read(fork), "A", wire.OK)

	// Cold files may be compressed.
	if err := os.Rename(filepath.Join(early, "rollout-t-"+threadA+".jsonl"), filepath.Join(early, "rollout-t-"+threadA+".jsonl.zst")); err != nil {
		t.Fatal(err)
	}
	want(t, read(fork), "", "compressed")
	cold, _ := filepath.Glob("testdata/codex/zst-cold/sessions/*/*/*/*.zst")
	want(t, read(cold[0]), "", "compressed")
}

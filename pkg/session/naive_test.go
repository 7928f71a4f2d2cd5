package session

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// result is what a reader makes of a session.
type result struct {
	text, reason string
	skipped      int
}

func (r result) answer() string { return r.reason + ": " + r.text }

// newPicker starts a search as the header of a session says, nil if that is no
// header.
func newPicker(agent string, b []byte, leaf string) picker {
	first, _, _ := bytes.Cut(b, []byte("\n"))
	switch first = trim(first); agent {
	case "pi":
		if h, err := parsePiHeader(first); err == nil {
			return newPiBranch(h, leaf)
		}
	case "codex":
		if _, err := parseCodexHeader(first); err == nil {
			return &codexTurns{}
		}
	}
	return nil
}

func settle(p picker, found bool) result {
	if found || p.end() {
		return result{text: p.text()}
	}
	return result{reason: p.reason()}
}

// quick is the search under test, of a file without its parents.
func quick(t *testing.T, b []byte, p picker) (result, int64) {
	t.Helper()
	s := newSearch(anyUser)
	found, err := s.walk(t.Context(), bytes.NewReader(b), int64(len(b)), p)
	if err != nil {
		t.Fatal(err)
	}
	r := settle(p, found)
	r.skipped = s.skipped
	return r, s.win.scanned
}

// naive decodes every line and gives all records to the picker, without a look
// at fronts. What is no record is as if it were not there.
func naive(b []byte, p picker) result {
	lines := bytes.Split(b, []byte("\n"))
	found := false
	for _, line := range slices.Backward(lines) {
		records, _ := decoded(line)
		for _, rec := range slices.Backward(records) {
			found = found || p.record(gjson.ParseBytes(rec))
		}
	}
	return settle(p, found)
}

// decoded returns the records of a line, and whether it holds anything else.
func decoded(line []byte) (records []json.RawMessage, damaged bool) {
	line = trim(line)
	for dec := json.NewDecoder(bytes.NewReader(line)); ; {
		var rec json.RawMessage
		if err := dec.Decode(&rec); err == io.EOF {
			break
		} else if err != nil {
			return nil, true
		}
		records = append(records, rec)
	}
	if len(records) > 1 && !touching(line) {
		return nil, true
	}
	all := len(records)
	records = slices.DeleteFunc(records, func(rec json.RawMessage) bool { return rec[0] != '{' })
	return records, len(records) < all
}

// skippable counts the lines that are no record in what was scanned, and those
// among them that end as one does: whether these are counted depends.
func skippable(b []byte, scanned int64) (all, lookWhole int) {
	start := len(b) - int(scanned)
	lines := bytes.Split(b[start:], []byte("\n"))
	if start > 0 {
		lines = lines[1:] // it was not handed out
	}
	for _, line := range lines {
		if _, damaged := decoded(line); damaged {
			all++
			if bytes.HasSuffix(trim(line), []byte("}")) {
				lookWhole++
			}
		}
	}
	return all, lookWhole
}

// agree makes sure that both readers take the same from a session. Sound is the
// session before it was damaged, if it was.
func agree(t *testing.T, agent string, b, sound []byte, leaf string) {
	t.Helper()
	p := newPicker(agent, b, leaf)
	if p == nil {
		return
	}
	got, scanned := quick(t, b, p)
	want := naive(b, newPicker(agent, b, leaf))
	if got.answer() != want.answer() {
		// An entry of Pi leads on to its parent though it is damaged. Then it
		// must lead to the right answer.
		if leaf == "" {
			leaf = lastEntry(b)
		}
		whole := naive(sound, newPicker(agent, sound, leaf))
		if agent != "pi" || want.reason != "branch_broken" || got.answer() != whole.answer() {
			t.Fatalf("got %.300q, want %.300q", got.answer(), want.answer())
		}
	}
	if all, lookWhole := skippable(b, scanned); got.skipped > all || got.skipped < all-lookWhole {
		t.Fatalf("%d lines skipped, %d are no records, %d of these end as one", got.skipped, all, lookWhole)
	}
}

// lastEntry returns the id of the last whole entry of Pi's.
func lastEntry(b []byte) string {
	for _, line := range slices.Backward(bytes.Split(b, []byte("\n"))) {
		records, _ := decoded(line)
		for _, rec := range slices.Backward(records) {
			if id := gjson.GetBytes(rec, "id").Str; id != "" && gjson.GetBytes(rec, "type").Str != "session" {
				return id
			}
		}
	}
	return ""
}

// The real sessions, after each line and cut anywhere.
func TestNaiveReaderAgreesOnRealSessions(t *testing.T) {
	files := 0
	for _, agent := range []string{"codex", "pi"} {
		err := filepath.WalkDir(filepath.Join("testdata", agent), func(path string, d os.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".jsonl" {
				return err
			}
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			files++
			leaves := []string{""}
			for _, line := range bytes.Split(b, []byte("\n")) {
				if id := gjson.GetBytes(line, "id").Str; agent == "pi" && id != "" {
					leaves = append(leaves, id)
				}
			}
			for end := range b {
				if b[end] == '\n' || end%cutEach == 0 {
					agree(t, agent, b[:end], b[:end], "")
					agree(t, agent, b[:end+1], b[:end+1], "")
				}
			}
			for _, leaf := range leaves {
				agree(t, agent, b, b, leaf)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files < 20 {
		t.Fatal(files)
	}
}

// Sessions of all that may stand in one, in any order, sound and damaged.
func TestNaiveReaderAgreesOnAnySession(t *testing.T) {
	for seed := range uint64(sessions) {
		for agent, write := range map[string]func(*rand.Rand) []string{"codex": anyCodex, "pi": anyPi} {
			t.Run(fmt.Sprintf("%s %d", agent, seed), func(t *testing.T) {
				rnd := rand.New(rand.NewPCG(seed, 1))
				session, leaf := write(rnd), ""
				if agent == "pi" && rnd.IntN(2) == 0 {
					leaf = fmt.Sprint(rnd.IntN(len(session)))
				}
				for i := range session {
					if i > 0 {
						session[i] = reshape(rnd, session[i])
					}
				}
				sound := slices.Clone(session)
				agree(t, agent, joined(sound), joined(sound), leaf)
				for _, i := range rnd.Perm(len(session))[:4] {
					if i == 0 || session[i] == "" {
						continue
					}
					session[i] = damage(rnd, session[i])
					if _, noticed := decoded([]byte(session[i])); !noticed {
						sound[i] = session[i]
					}
				}
				damaged := joined(session)
				agree(t, agent, damaged[:len(damaged)-rnd.IntN(2)], joined(sound), leaf)
			})
		}
	}
}

func joined(lines []string) []byte { return []byte(strings.Join(lines, "\n") + "\n") }

func pick[T any](rnd *rand.Rand, from ...T) T { return from[rnd.IntN(len(from))] }

// anyText is mostly short, and may look like parts of records.
func anyText(rnd *rand.Rand) string {
	return pick(rnd, "", " ", "text", "汉字", "a}{", `}{"type":"x"}`, `a}{"type":"event_msg"}`, `"stopReason":"toolUse"`, "a\nb\t\"c\" \\", "}", strings.Repeat("long }", 30),
		strings.Repeat("x", rnd.IntN(200)), strings.Repeat("y", rnd.IntN(1000)), strings.Repeat("} { ", rnd.IntN(100))) + pick(rnd, "", fmt.Sprint(rnd.Uint32()))
}

func anyCodex(rnd *rand.Rand) []string {
	out := []string{header(threadA, "cli", "/")}
	for range 5 + rnd.IntN(60) {
		id, text := fmt.Sprint(rnd.IntN(4)), anyText(rnd)
		content := `[{"type":"output_text","text":` + quote(text) + `},{"type":"Text","text":` + quote(text) + `}]`
		phase := pick(rnd, "", `,"phase":"final_answer"`, `,"phase":"commentary"`, `,"phase":null`)
		item := func(kind string) string {
			return event("item_completed", `"thread_id":"t"`, `"turn_id":`+quote(id), fmt.Sprintf(`"item":{"type":%q,"id":"i","content":%s%s}`, kind, content, phase))
		}
		response := func(kind, role string) string {
			return fmt.Sprintf(`{"timestamp":"t","ordinal":%d,"type":"response_item","payload":{"type":%q,"id":"i","role":%q,"content":%s%s}%s}`,
				rnd.IntN(1000), kind, role, content, phase, pick(rnd, "", `,"metadata":{"compaction_output":true}`))
		}
		out = append(out, pick(rnd,
			func() string { return started(id) },
			func() string { return aborted(id) },
			func() string { return event("turn_aborted") },
			func() string { return rolledBack(rnd.IntN(3)) },
			func() string { return asked(text) },
			func() string { return complete(id, pick(rnd, "", text)) },
			func() string { return said(text, pick(rnd, "", "commentary", "partial_answer", "final_answer")) },
			func() string { return event("agent_message", `"message":`+quote(text)+phase) },
			func() string { return response("message", pick(rnd, "assistant", "user", "developer", "")) },
			func() string { return response(pick(rnd, "reasoning", "agent_message", ""), "assistant") },
			func() string { return item(pick(rnd, "AgentMessage", "UserMessage", "CommandExecution", "")) },
			func() string { return tool(text) },
			func() string { return tool(text) },
			func() string { return event("token_count", `"info":{"type":"user_message"}`) },
			func() string {
				return `{"timestamp":"t","type":"compacted","payload":{"message":` + quote(text) + `}}`
			},
			func() string { return `{"timestamp":"t","type":"new_in_2027","payload":{"type":"message"}}` },
			func() string { return pick(rnd, "", "7", "[]", `"x"`, "null", "{}", `{"type":7}`, `{"payload":7}`) },
			func() string {
				return `{"type":"event_msg","payload":` + pick(rnd, "7", "[]", "null", "{}", `"x"`) + `}`
			},
		)())
	}
	return out
}

// anyPi makes a tree of entries, whose ids are their places in the file.
func anyPi(rnd *rand.Rand) []string {
	out := []string{pick(rnd, piHead(piID), piHead(piID), `{"type":"session","id":"x","cwd":"/"}`)}
	for n := range 5 + rnd.IntN(60) {
		id, parent, text := fmt.Sprint(n+1), fmt.Sprint(n), anyText(rnd)
		if rnd.IntN(5) == 0 {
			parent = fmt.Sprint(rnd.IntN(n + 1))
		}
		if parent == "0" {
			parent = ""
		}
		role := func(role string) string {
			return entry(id, parent, "message", fmt.Sprintf(`"timestamp":"t","message":{"role":%q,"content":[{"type":"text","text":%s}],"stopReason":%q}`,
				role, quote(text), pick(rnd, "stop", "toolUse", "error", "new_in_2027")))
		}
		out = append(out, pick(rnd,
			func() string { return piSaid(id, parent, pick(rnd, "stop", "toolUse", "length", "aborted", "x"), text) },
			func() string { return piAsked(id, parent, text) },
			func() string { return role(pick(rnd, "assistant", "toolResult", "system", "custom")) },
			func() string { return role("toolResult") },
			func() string { return role("toolResult") },
			func() string { return role("toolResult") },
			func() string {
				return entry(id, parent, pick(rnd, "compaction", "label", "new_in_2027", "session"), `"message":{"role":"user"}`)
			},
			func() string { return entry(id, parent, "message", `"message":`+pick(rnd, "7", "[]", "{}", `"x"`)) },
			func() string {
				return pick(rnd, "", "7", "[]", `{"type":"message"}`, `{"id":7}`, `{"type":"x","id":""}`)
			},
		)())
	}
	return out
}

// reshape writes a record as no agent does now and then: it stays the same.
func reshape(rnd *rand.Rand, line string) string {
	switch rnd.IntN(12) {
	case 0:
		return strings.Replace(line, `":`, `" : `, 1+rnd.IntN(4))
	case 1:
		return " " + line + "\r"
	case 2:
		return "\ufeff" + line
	case 3: // the members in the order of their names, as Go writes them
		var rec any
		if dec := json.NewDecoder(strings.NewReader(line)); dec.Decode(&rec) == nil {
			b, _ := json.Marshal(rec)
			return string(b)
		}
	case 4:
		return strings.Replace(line, `"type"`, `"\u0074ype"`, 1)
	}
	return line
}

// damage does to a line what a full disk, a killed writer or a bad block does.
func damage(rnd *rand.Rand, line string) string {
	at := rnd.IntN(len(line))
	switch rnd.IntN(6) {
	case 0:
		return line[:at]
	case 1: // torn, and gone on behind it
		return line[:at] + line
	case 2: // the line end is missing
		return line + line
	case 3:
		return line[:at] + string(rune(rnd.IntN(128))) + line[at+1:]
	case 4:
		return line[:at] + strings.Repeat("\x00", len(line)-at)
	default:
		return line[:at] + line[at+1:]
	}
}

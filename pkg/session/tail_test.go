package session

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"voice-input/pkg/wire"
)

// The lines of any content, from the last to the first, for any block and
// window.
func TestTailIsSplitBackwards(t *testing.T) {
	for _, content := range []string{"", "a", "a\n", "\n", "a\nb", "a\nb\n", "\n\na\n\n", strings.Repeat("x", 3*block), strings.Repeat("x\n", block), "a\n" + strings.Repeat("y", 2*block) + "\nb\n"} {
		var got []string
		tl := newTail(strings.NewReader(content), int64(len(content)), &window{left: Window})
		for {
			line, err := tl.next(t.Context())
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, string(line))
		}
		slices.Reverse(got)
		if strings.Join(got, "\n") != content {
			t.Errorf("%.20q: %d lines", content, len(got))
		}
	}
}

func TestRule_C2_Window(t *testing.T) {
	h := header(threadA, "cli", "/")
	filler := func(n int) string { return tool(strings.Repeat("x", n)) }
	answer := strings.Join(turn("a", "A"), "\n")
	// The answer just fits, and just does not.
	room := Window - len(strings.Join(turn("a", "A")[1:], "\n")) - 1 - len(filler(0)) - 1
	for extra, reason := range map[int]string{0: wire.OK, 400: "source_too_large"} {
		r := read(t, "codex", "", h, answer, filler(room+extra))
		want(t, r, map[bool]string{true: "A"}[reason == wire.OK], reason)
		if r.ScannedBytes > Window {
			t.Errorf("%d bytes scanned", r.ScannedBytes)
		}
	}
	// The files that a session goes on from share the window, and a search ends
	// with its answer.
	r := read(t, "codex", "", h, filler(Window), answer)
	want(t, r, "A", wire.OK)
	if r.ScannedBytes > block {
		t.Errorf("%d bytes scanned for an answer at the end", r.ScannedBytes)
	}
	want(t, read(t, "pi", "", piHead(piID), piSaid("a", "", "stop", "A"), entry("b", "a", "x", `"x":`+quote(strings.Repeat("x", Window)))), "", "source_too_large")
}

// S1: a last line that is half written, and two records on one line.
func TestRule_C2_S1_TornAndGluedLines(t *testing.T) {
	whole := lines(header(threadA, "cli", "/"), turn("a", "答案甲"))
	torn := said("下一个答案", "final_answer")
	for cut := 1; cut < len(torn)-1; cut++ {
		path := filepath.Join(t.TempDir(), "s.jsonl")
		write(t, path, []byte(strings.Join(whole, "\n")+"\n"+torn[:cut]))
		r := (&Finder{}).File(t.Context(), "codex", path, "")
		want(t, r, "答案甲", wire.OK)
		if r.SkippedLines != 1 {
			t.Errorf("cut at %d: %d lines skipped", cut, r.SkippedLines)
		}
	}
	want(t, read(t, "codex", "", lines(whole[:3], whole[3]+torn)...), "下一个答案", wire.OK)
	want(t, read(t, "codex", "", lines(whole[:3], started("b"), tool("x")+complete("b", "乙"))...), "乙", wire.OK)
	r := read(t, "codex", "", lines(whole, `{"type":"event_msg"}{"type":`)...)
	want(t, r, "答案甲", wire.OK)
	if r.SkippedLines != 1 {
		t.Error(r.SkippedLines)
	}
}

// S2: a malformed line in the middle ends nothing.
func TestRule_C2_S2_MalformedLine(t *testing.T) {
	file := []string{header(threadA, "cli", "/")}
	for len(file) < 99 {
		file = append(file, tool("x"))
	}
	file[39] = `{"type":`
	file[98] = said("A", "final_answer")
	r := read(t, "codex", "", append(file, tool("y"))...)
	want(t, r, "A", wire.OK)
	if r.SkippedLines != 1 {
		t.Errorf("%d lines skipped", r.SkippedLines)
	}
	// And between the answer and the end.
	file[39], file[20] = said("B", "commentary"), `{"type":`
	file[98] = tool("z")
	file[10] = said("A", "final_answer")
	r = read(t, "codex", "", file...)
	want(t, r, "A", wire.OK)
	if r.SkippedLines != 1 {
		t.Errorf("%d lines skipped", r.SkippedLines)
	}
}

// S4: lines of many megabytes.
func TestRule_C2_S4_LongLines(t *testing.T) {
	h := header(threadA, "cli", "/")
	want(t, read(t, "codex", "", lines(h, tool(strings.Repeat("x", 12<<20)), turn("a", "A"))...), "A", wire.OK)
	want(t, read(t, "codex", "", lines(h, turn("a", "A"), tool(strings.Repeat("x", 7<<20)))...), "A", wire.OK)
	want(t, read(t, "codex", "", lines(h, turn("a", "A"), said(strings.Repeat("x", 9<<20), "final_answer"))...), "", "source_too_large")
	long := strings.Repeat("long ", 1<<18)
	want(t, read(t, "codex", "", lines(h, said(long, "final_answer"))...), long, wire.OK)
}

// S6: the window and every block may begin in the middle of a character.
func TestRule_C2_S6_WindowCutsACharacter(t *testing.T) {
	h := header(threadA, "cli", "/")
	for shift := range 4 {
		answer := strings.Repeat("汉字", 40<<10) // over several blocks
		pad := tool(strings.Repeat("汉", Window/3) + strings.Repeat("x", shift))
		r := read(t, "codex", "", lines(h, pad, said(answer, "final_answer"), tool(strings.Repeat("字", 100+shift)))...)
		want(t, r, answer, wire.OK)
		if strings.Contains(textOf(r), "\ufffd") {
			t.Error("a character was cut")
		}
		// The window itself begins in the line before the answer's turn.
		r = read(t, "codex", "", lines(h, pad, tool(strings.Repeat("汉", (Window-1<<10)/3)+strings.Repeat("x", shift)))...)
		want(t, r, "", "source_too_large")
	}
}

// Bytes that are no text, a byte order mark, CRLF, NULs: the session survives.
func TestRule_C2_OddBytes(t *testing.T) {
	h := header(threadA, "cli", "/")
	bad := strings.Replace(said("A?Z", "final_answer"), "?", "\xff\xfe", 1)
	r := read(t, "codex", "", h, bad)
	want(t, r, "A\ufffdZ", wire.OK)
	if !utf8.ValidString(r.Source.Text) || r.Source.Chars != 3 {
		t.Errorf("%q, %d", r.Source.Text, r.Source.Chars)
	}
	want(t, read(t, "codex", "", "\ufeff"+h, said("A", "final_answer")), "A", wire.OK)
	want(t, read(t, "pi", "", "\ufeff"+piHead(piID), piSaid("a", "", "stop", "A")), "A", wire.OK)
	want(t, read(t, "codex", "", h+"\r", said("A", "final_answer")+"\r", "", " \t", "\ufeff"), "A", wire.OK)
	want(t, read(t, "codex", "", h, said("A", "final_answer"), strings.Repeat("\x00", 5000)), "A", wire.OK)
	surrogate := strings.Replace(said("A?Z", "final_answer"), "?", `\ud800`, 1)
	if r := read(t, "codex", "", h, surrogate); !utf8.ValidString(textOf(r)) || r.Reason != wire.OK {
		t.Errorf("%q, %s", textOf(r), r.Reason)
	}
	want(t, read(t, "codex", "", h, said("A", "final_answer"), strings.Repeat("[", 200000)), "A", wire.OK)
}

func TestHeaderLimits(t *testing.T) {
	instructions := func(n int) string {
		return header(threadA, "cli", "/", fmt.Sprintf(`"base_instructions":{"text":%q}`, strings.Repeat("i", n)))
	}
	answer := said("A", "final_answer")
	want(t, read(t, "codex", "", instructions(25<<10), answer), "A", wire.OK)
	want(t, read(t, "codex", "", instructions(maxHeader-1000), answer), "A", wire.OK)
	want(t, read(t, "codex", "", instructions(maxHeader), answer), "", "schema_unrecognised")
	path := filepath.Join(t.TempDir(), "s.jsonl")
	for content, reason := range map[string]string{"": "not_started", instructions(10)[:50]: "changed_while_reading", instructions(10): "no_completed_answer", "\n\n": "schema_unrecognised"} {
		write(t, path, []byte(content))
		want(t, (&Finder{}).File(t.Context(), "codex", path, ""), "", reason)
	}
}

func TestOnlyRegularFiles(t *testing.T) {
	dir := t.TempDir()
	want(t, (&Finder{}).File(t.Context(), "codex", dir, ""), "", "unreadable")
	want(t, (&Finder{}).File(t.Context(), "codex", "/dev/null", ""), "", "unreadable")
	path := filepath.Join(dir, "s.jsonl")
	write(t, path, nil)
	if _, err := openFile(path, os.Getuid()+1); reasonOf(err) != "other_user" {
		t.Error(err)
	}
}

func FuzzTail(f *testing.F) {
	f.Add([]byte("a\nbb\n\nccc"), int64(5))
	f.Fuzz(func(t *testing.T, b []byte, left int64) {
		if left < 0 || left > 1<<20 {
			return
		}
		var got [][]byte
		tl := newTail(bytes.NewReader(b), int64(len(b)), &window{left: left})
		var err error
		for {
			var line []byte
			if line, err = tl.next(t.Context()); err != nil {
				break
			}
			got = append(got, bytes.Clone(line))
		}
		slices.Reverse(got)
		joined := bytes.Join(got, []byte("\n"))
		if err == io.EOF && !bytes.Equal(joined, b) || !bytes.HasSuffix(b, joined) {
			t.Fatalf("%q from %q, %v", joined, b, err)
		}
	})
}

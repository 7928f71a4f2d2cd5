package session

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// day writes a session as a working day makes it: turn after turn the agent
// thinks, calls a tool and gets source code back.
type day struct {
	agent string
	first string
	steps func(n int) []string              // one call of a tool
	says  func(n int, text string) []string // a turn with an answer
}

// days are the shapes that a session has today. Lines are numbered through, as
// the entries of Pi have parents.
func days(tb testing.TB) map[string]day {
	code, err := os.ReadFile("codex.go")
	if err != nil {
		tb.Fatal(err)
	}
	output := string(code[:6000])
	opaque := strings.Repeat("gAAAAABo", 200)
	instructions := `"base_instructions":{"text":"` + strings.Repeat("i", 20<<10) + `"}`
	calls := func() []string {
		return []string{
			fmt.Sprintf(`{"timestamp":"t","type":"response_item","payload":{"type":"reasoning","summary":[],"encrypted_content":%q}}`, opaque),
			`{"timestamp":"t","type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"cat codex.go\"}","call_id":"c"}}`,
			tool(output),
			event("token_count", `"info":{"total_token_usage":{"input_tokens":100000,"cached_input_tokens":0},"last_token_usage":{"input_tokens":1002}}`),
		}
	}
	paginated := func(lines []string) []string {
		for i, line := range lines {
			lines[i] = strings.Replace(line, `{"timestamp":"t",`, `{"timestamp":"2026-11-30T20:23:36.123Z","ordinal":12345,`, 1)
		}
		return lines
	}
	says := func(n int, text string) []string { return turn(fmt.Sprint(n), text) }
	id := func(n int) string {
		if n < 0 {
			return ""
		}
		return fmt.Sprintf("%08x", n)
	}
	return map[string]day{
		"codex": {"codex", header(threadA, "cli", "/", instructions), func(int) []string { return calls() }, says},
		"codex paginated": {"codex", header(threadA, "cli", "/", instructions), func(int) []string {
			return paginated(append(calls(), event("item_completed", `"thread_id":"t","turn_id":"u"`,
				`"item":{"type":"CommandExecution","id":"c","command":"cat codex.go","aggregated_output":`+quote(output)+`}`)))
		}, func(n int, text string) []string { return paginated(says(n, text)) }},
		"pi": {"pi", piHead(piID), func(n int) []string {
			return []string{
				entry(id(n), id(n-1), "message", `"timestamp":"t","message":{"role":"assistant","content":[{"type":"thinking","thinking":"I read it.","thinkingSignature":`+quote(opaque)+
					`},{"type":"toolCall","id":"c","name":"bash","arguments":{"command":"cat codex.go"}}],"usage":{"input":1005,"cost":{"input":0}},"stopReason":"toolUse","timestamp":1796072620924}`),
				entry(id(n+1), id(n), "message", `"timestamp":"t","message":{"role":"toolResult","toolCallId":"c","toolName":"bash","content":[{"type":"text","text":`+quote(output)+`}],"isError":false,"timestamp":1796072621030}`),
			}
		}, func(n int, text string) []string {
			return []string{piAsked(id(n), id(n-1), "question"), piSaid(id(n+1), id(n), "stop", text)}
		}},
	}
}

// write writes about size bytes. The last answer lies before behind bytes of
// calls.
func (d day) write(tb testing.TB, size, behind int) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "rollout-t-"+threadA+".jsonl")
	f, err := os.Create(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	written, n := 0, 0
	put := func(lines []string) {
		for _, line := range lines {
			c, _ := w.WriteString(line + "\n")
			written += c
		}
		n += len(lines)
	}
	c, _ := w.WriteString(d.first + "\n")
	for written = c; written < size-behind-8<<10; {
		for i := 0; i < 10 && written < size-behind-20<<10; i++ {
			put(d.steps(n))
		}
		put(d.says(n, strings.Repeat("an answer ", 70)))
	}
	put(d.says(n, "the answer "+strings.Repeat("with text ", 300)))
	for end := written + behind; written < end; {
		put(d.steps(n))
	}
	if err := w.Flush(); err != nil {
		tb.Fatal(err)
	}
	return path
}

// The budget is 20 times the speed of decode, which is what a reader does that
// decodes the whole window, wherever the answer lies.
func BenchmarkSession(b *testing.B) {
	for name, d := range days(b) {
		for _, place := range []struct {
			name         string
			size, behind int
		}{
			{"answer last", Window, 0},
			{"256 KiB behind", Window, 256 << 10},
			{"600 MB", 600_000_000, 256 << 10},
			{"answer first", Window, Window - 64<<10},
		} {
			b.Run(name+"/"+place.name, func(b *testing.B) {
				path := d.write(b, place.size, place.behind)
				b.ReportAllocs()
				b.SetBytes(Window)
				for b.Loop() {
					if r := (&Finder{}).File(b.Context(), d.agent, path, ""); !strings.HasPrefix(textOf(r), "the answer") {
						b.Fatal(r.Reason)
					}
				}
			})
		}
		b.Run(name+"/decode", func(b *testing.B) {
			path := d.write(b, Window, 0)
			b.ReportAllocs()
			b.SetBytes(Window)
			for b.Loop() {
				decode(b, path)
			}
		})
	}
}

func decode(b *testing.B, path string) {
	f, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	lines := 0
	for dec := json.NewDecoder(f); ; lines++ {
		var rec map[string]any
		if err := dec.Decode(&rec); err == io.EOF {
			break
		} else if err != nil {
			b.Fatal(err)
		}
	}
	if lines < 1000 {
		b.Fatal(lines)
	}
}

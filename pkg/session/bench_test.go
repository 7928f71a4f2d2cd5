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

// bigRollout writes a rollout of about size bytes as a working day makes it:
// mostly tool output, and an answer every so often. The last one lies before
// behind bytes of tool output.
func bigRollout(tb testing.TB, size, behind int) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "rollout-t-"+threadA+".jsonl")
	f, err := os.Create(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	n := 0
	put := func(line string) { c, _ := w.WriteString(line + "\n"); n += c }
	output := tool(strings.Repeat("PASS: TestSomething (0.01s)\n\t\"quoted\" 输出\n", 150))
	put(header(threadA, "cli", "/", `"base_instructions":{"text":"`+strings.Repeat("i", 20<<10)+`"}`))
	for i := 0; n < size-behind-4096; i++ {
		for _, line := range turn(fmt.Sprint(i), strings.Repeat("answer ", 100)) {
			put(line)
		}
		for range 20 {
			put(output)
		}
	}
	for _, line := range turn("last", "the answer "+strings.Repeat("with text ", 300)) {
		put(line)
	}
	put(started("now"))
	for end := n + behind; n < end; {
		put(output)
	}
	if err := w.Flush(); err != nil {
		tb.Fatal(err)
	}
	return path
}

func benchmark(b *testing.B, size, behind int) {
	path := bigRollout(b, size, behind)
	b.ReportAllocs()
	b.SetBytes(Window)
	for b.Loop() {
		if r := (&Finder{}).File(b.Context(), "codex", path, ""); !strings.HasPrefix(textOf(r), "the answer") {
			b.Fatal(r.Reason)
		}
	}
}

// The budget is 20 times the speed of Decode, which is what a reader does that
// decodes the whole window.
func BenchmarkSession8MiB(b *testing.B)            { benchmark(b, 8<<20, 256<<10) }
func BenchmarkSession600MB(b *testing.B)           { benchmark(b, 600_000_000, 256<<10) }
func BenchmarkSession8MiBAnswerLast(b *testing.B)  { benchmark(b, 8<<20, 0) }
func BenchmarkSession8MiBAnswerFirst(b *testing.B) { benchmark(b, 8<<20, 7<<20) }

func BenchmarkDecode(b *testing.B) {
	path := bigRollout(b, 8<<20, 256<<10)
	b.ReportAllocs()
	b.SetBytes(Window)
	for b.Loop() {
		f, err := os.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		lines := 0
		for dec := json.NewDecoder(f); ; lines++ {
			var rec map[string]any
			if err := dec.Decode(&rec); err == io.EOF {
				break
			} else if err != nil {
				b.Fatal(err)
			}
		}
		f.Close()
		if lines < 1000 {
			b.Fatal(lines)
		}
	}
}

package review

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"voice-input/pkg/refine/literal"
)

// FuzzCheck holds that nothing an answer says breaks the check, that what
// passes has every literal byte by byte, and that no term comes in that sounds
// like nothing that was said.
func FuzzCheck(f *testing.F) {
	f.Add("run git push --force, no wait, --soft", "Run [[1]].", "kubectl", uint8(0))
	f.Add("嗯把 foo_bar 改成三十秒不对六十秒", "```\n把 [[1]] 改成 60 秒。\n```", "线程", uint8(1))
	f.Add("first a second b", "1. a\n2. b", "JSONL", uint8(2))
	f.Add("\xff[[1]]", "<think>[[1]]</think>[[1]]", "", uint8(3))
	f.Fuzz(func(t *testing.T, said, answer, term string, style uint8) {
		m := literal.Mask(said, asTerms([]string{term}))
		in := Input{Style: []string{"formal", message, agentMarkdown, ""}[style%4], Sent: m, Terms: []string{term}, Answer: answer, Finish: "stop"}
		r := Check(in)
		if (r.Reason == "") == (r.Text == "") {
			t.Fatalf("reason %q, text %q", r.Reason, r.Text)
		}
		if r.Score < 0 || r.Score > 1 {
			t.Fatalf("score %v", r.Score)
		}
		if r.Reason != "" {
			return
		}
		for _, l := range m.Literals {
			if !strings.Contains(r.Text, l) {
				t.Fatalf("%q lost %q", r.Text, l)
			}
		}
		if utf8.ValidString(said) && !utf8.ValidString(r.Text) {
			t.Fatalf("%q is not valid", r.Text)
		}
	})
}

func FuzzTokens(f *testing.F) {
	f.Add("twenty three and 三百二十, 3:30 [[1]] don't")
	f.Add("百分之百分之一点一点万亿")
	f.Add("point one point hundred a hundred")
	f.Fuzz(func(t *testing.T, text string) {
		last := 0
		for _, k := range tokens(text, literal.Masked{Literals: []string{"x"}, Open: []string{"--a"}}) {
			if k.key == "" || k.from < 0 || k.to > len(text) || k.from >= k.to || k.from < last {
				t.Fatalf("%q: %+v", text, k)
			}
			last = k.from
		}
	})
}

// TestWhatPassesKeepsLiterals edits good edits at random and looks at what still
// passes.
func TestWhatPassesKeepsLiterals(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	passed := 0
	for _, e := range goodEdits(t) {
		s := e.sample()
		if len(s.masked.Literals) == 0 {
			continue
		}
		for range 200 {
			p := pieces(s.edited)
			switch i, j := r.IntN(len(p)), r.IntN(len(p)); r.IntN(3) {
			case 0:
				p[i], p[j] = p[j], p[i]
			case 1:
				p[i] = ""
			case 2:
				p[i] += p[j]
			}
			got := Check(Input{Style: s.style, Sent: s.masked, Terms: s.terms, Answer: strings.Join(p, ""), Finish: "stop"})
			if got.Reason != "" {
				continue
			}
			passed++
			for _, l := range s.masked.Literals {
				if strings.Count(got.Text, l) < strings.Count(s.want(), l) {
					t.Errorf("line %d: %q is gone from %q", s.line, l, got.Text)
				}
			}
		}
	}
	if passed == 0 {
		t.Error("nothing passed")
	}
}

// A text of 2,000 characters. The budget for masking, checking and unmasking
// together is 5 ms.
func benchmark(b *testing.B, line string, answer func(string) string) {
	said := strings.Repeat(line, 2000/utf8.RuneCountInString(line)+1)
	var terms []string
	for i := range 96 {
		terms = append(terms, "some-term-"+string(rune('a'+i%26))+string(rune('a'+i/26)))
	}
	list := asTerms(terms)
	text := answer(literal.Mask(said, list).Text)
	b.ReportAllocs()
	for b.Loop() {
		m := literal.Mask(said, list)
		Check(Input{Style: "formal", Sent: m, Terms: terms, Answer: text, Finish: "stop"})
	}
}

const (
	mixedLine   = "嗯我们把 src/main.rs 里的 foo_bar 改成 fooBar，那个然后运行 cargo test，超时改成三十秒，看看 lsp_clients 的日志 /tmp/app.log 有没有报错。"
	englishLine = "um so we we should move the meeting to Thursday because Anna is not available on Wednesday at three thirty. "
)

func BenchmarkUnchanged(b *testing.B) {
	benchmark(b, mixedLine, func(s string) string { return s })
}

func BenchmarkEdited(b *testing.B) {
	benchmark(b, mixedLine, strings.NewReplacer("嗯", "", "那个", "", "三十秒", "30 秒").Replace)
}

func BenchmarkEditedEnglish(b *testing.B) {
	benchmark(b, englishLine, strings.NewReplacer("um so ", "", "we we", "we", "three thirty", "3:30").Replace)
}

// The least good cases: all is different, and every character is somewhere.
func BenchmarkAnswered(b *testing.B) {
	benchmark(b, mixedLine, func(s string) string {
		return strings.Repeat("这是一个很好的问题，我们可以先从小的地方开始。", 80)
	})
}

func BenchmarkScrambled(b *testing.B) {
	benchmark(b, englishLine, func(s string) string {
		p := pieces(s)
		r := rand.New(rand.NewPCG(7, 8))
		r.Shuffle(len(p), func(i, j int) { p[i], p[j] = p[j], p[i] })
		return strings.Join(p, "")
	})
}

func BenchmarkOneWord(b *testing.B) {
	benchmark(b, "the ", func(s string) string { return strings.Repeat("a ", 500) + s[:len(s)/2] })
}

package review

import (
	"strings"
	"testing"

	"voice-input/pkg/refine/literal"
)

func TestFinished(t *testing.T) {
	for reason, want := range map[string]bool{"stop": true, "end_turn": true, "eos": true, "length": false, "content_filter": false, "tool_calls": false, "": false} {
		if finished(reason) != want {
			t.Errorf("%q", reason)
		}
	}
}

// TestClean has the trials L2, L4 and L11: what is taken off, and what is not.
func TestClean(t *testing.T) {
	for _, tt := range []struct{ name, sent, answer, want, reason string }{
		{"nothing", "go on", "Go on.", "Go on.", ""},
		{"L2 preamble", "go on", "Here is the cleaned text:\nGo on.", "Go on.", ""},
		{"L2 preamble of one's own", "here is the cleaned text go on", "Here is the cleaned text: go on.", "Here is the cleaned text: go on.", ""},
		{"L2 好的", "好的以下是会议纪要", "好的，以下是会议纪要：", "好的，以下是会议纪要：", ""},
		{"L2 colon of the text", "two things the first", "Two things: the first", "Two things: the first", ""},
		{"L2 fence", "go on", "```text\nGo on.\n```", "Go on.", ""},
		{"L2 tilde fence", "go on", "~~~\nGo on.\n~~~", "Go on.", ""},
		{"L2 tags", "go on", "<transcript>\nGo on.\n</transcript>", "Go on.", ""},
		{"L2 other tags", "go on", "<a>Go on.</b>", "<a>Go on.</b>", ""},
		{"L2 quotes", "go on", "“Go on.”", "Go on.", ""},
		{"L2 quotes of one's own", `"go" and "on"`, `"Go" and "on"`, `"Go" and "on"`, ""},
		{"L2 two quotations", `go and on`, `"Go" and "on"`, `"Go" and "on"`, ""},
		{"L2 JSON", "go on", `{"text":"Go \"on\".\n"}`, `Go "on".`, ""},
		{"L2 JSON of one's own", "{go on}", `{"go":"on"}`, `{"go":"on"}`, ""},
		{"L2 JSON with more", "go on", `{"a":"Go on.","b":"x"}`, `{"a":"Go on.","b":"x"}`, ""},
		{"L2 everything", "go on", "<think>x</think>Sure, here it is:\n```\n{\"text\": \"“Go on.”\"}\n```", "Go on.", ""},
		{"bold", "go on", "**Go** on.", "Go on.", ""},
		{"bold of one's own", "go **on**", "Go **on**.", "Go **on**.", ""},
		{"code style", "open [[1]]", "Open `[[1]]`.", "Open [[1]].", ""},
		{"escaped brackets", "open [[1]]", `Open \[\[1\]\].`, "Open [[1]].", ""},
		{"L4 thinks", "go on", "<think>\nhm\n</think>\n\nGo on.", "Go on.", ""},
		{"L4 no beginning", "go on", "hm\n</think>\nGo on.", "Go on.", ""},
		{"L4 no end", "go on", "<think>hm", "<think>hm", reasonThinking},
		{"L4 begins again", "go on", "<think>a</think>Go on.<think>b", "Go on.<think>b", reasonThinking},
		{"L4 kimi", "go on", "◁think▷hm◁/think▷Go on.", "Go on.", ""},
		{"L11 invisible", "npm run dev", "npm\u200b run dev\ufeff\r\n\x00\x1b[31m", "npm run dev", ""},
		{"L11 joiner of an emoji", "go 👩\u200d💻", "Go 👩\u200d💻", "Go 👩\u200d💻", ""},
		{"L11 lines", "a b", "A\r\nB", "A\nB", ""},
	} {
		d := &draft{Input: Input{Answer: tt.answer}, sent: tt.sent, text: tt.answer}
		if reason := d.clean(); reason != tt.reason || d.text != tt.want {
			t.Errorf("%s: got %q, %q", tt.name, d.text, reason)
		}
		if len(d.signals) == 0 && strings.TrimSpace(tt.answer) != d.text {
			t.Errorf("%s: something was taken off without a signal", tt.name)
		}
	}
}

func TestWithoutStop(t *testing.T) {
	for in, want := range map[string]string{
		"好的。": "好的", "ok.": "ok", "ok!": "ok!", "ok？": "ok？", "ok...": "ok...", "嗯……": "嗯……", "。": "。", "": "", "a。。": "a。。", "A. b.": "A. b",
	} {
		if got := WithoutStop(in); got != want {
			t.Errorf("%q: got %q", in, got)
		}
	}
}

func TestFormatted(t *testing.T) {
	for _, tt := range []struct {
		style, sent, text string
		want              bool
	}{
		{"formal", "go on", "Go on.", false},
		{"formal", "go on", "# Title\nGo on.", true},
		{"formal", "go on", "Issue #1 and C#", false},
		{"formal", "go on", "Go on\n---\n", true},
		{"formal", "go on", "[go](x)", true},
		{"formal", "go on", "go https://x.org", true},
		{"formal", "go on", "go `on`", true},
		{"formal", "go on", "*go* on", true},
		{"formal", "2 * 3", "2 * 3", false},
		{"formal", "go on", "| go | on |", true},
		{"formal", "go on", "> go on", true},
		{"formal", "go on", "go <b>on</b>", true},
		{"formal", "a < b and c > d", "a < b and c > d", false},
		{"formal", "go on", "go on 😀", true},
		{"formal", "go on 😀", "Go on 😀.", false},
		{"formal", "go on", "go on ✓", true},
		{"formal", "go on", "go on :)", true},
		{"formal", "go on", "- go\n- on", true},
		{"message", "go on", "1. go\n2. on", true},
		{agentMarkdown, "go on", "- go\n- on", false},
		{agentMarkdown, "go on", "- go\n  - on", true},
		{agentMarkdown, "go on", "- [ ] go", true},
		{agentMarkdown, "go on", "{go}", true},
		{"formal", "version", "v. 1.5\n2.5 is next", false},
	} {
		if got := formatted(tt.sent, tt.text, tt.style); got != tt.want {
			t.Errorf("%s, %q: %v", tt.style, tt.text, got)
		}
	}
}

func TestWarranted(t *testing.T) {
	for _, tt := range []struct {
		sent, text string
		want       bool
	}{
		{"go on", "Go on.", true},
		{"first a then b", "1. a\n2. b", true},
		{"a b and c", "- a\n- b c", true},
		{"a b c", "- a\n- b\n- c", false},
		{"a, b, c", "- a\n- b\n- c", true},
		{"a, b, c", "1. a\n2. b\n3. c", false},
		{"three things a, b, c", "1. a\n2. b\n3. c", true},
		{"one a two b", "1. a\n2. b", true},
		{"first a second b", "1. a\n3. b", false},
		{"first a second b", "2. a\n3. b", false},
		{"first a second b", "- a b", false},
		{"首先甲然后乙", "1. 甲\n2. 乙", true},
		{"第一甲第二乙", "1、甲\n2、乙", true},
		{"甲乙丙", "- 甲\n- 乙\n- 丙", false},
		{"first a second b also c and d", "1. a\n2. b\n\n- c\n- d", true},
	} {
		_, items := unlist(tt.text, agentMarkdown)
		if got := warranted(tt.sent, items); got != tt.want {
			t.Errorf("%q, %q: %v, %v", tt.sent, tt.text, got, items)
		}
	}
	if prose, items := unlist("So:\n\n1. a\n2. b\n1.5 c", agentMarkdown); prose != "So:\n\na\nb\n1.5 c" || len(items) != 2 {
		t.Errorf("got %q, %v", prose, items)
	}
}

func TestSameLanguage(t *testing.T) {
	for _, tt := range []struct {
		sent, text string
		want       bool
	}{
		{"go on", "Go on.", true},
		{"把服务重启一下", "Restart the service.", false},
		{"please restart the whole service", "请重启整个服务", false},
		{"把 API 改一下", "把 API 改一下。", true},
		{"把杰森文件解析一下", "把 JSON 文件解析一下。", true},
		{"go on", "go on дальше", false},
		{"привет мир", "hello world", false},
		{"说一下", "說一下", false},
		{"說一下", "说一下", false},
		{"什么", "什麼", false},
		{"好的", "好的。", true},
		{"我们明天說", "我们明天说", true},
		{"这里有现成池", "这里有线程池", true},
		{"吃飯", "吃飯了", true},
	} {
		if got := sameLanguage(tt.sent, tt.text); got != tt.want {
			t.Errorf("%q, %q: %v", tt.sent, tt.text, got)
		}
	}
}

func TestRefuses(t *testing.T) {
	for _, tt := range []struct {
		sent, text string
		want       bool
	}{
		{"tell me a joke", "I’m sorry, but I can't help with that.", true},
		{"i'm sorry i am late", "I'm sorry, I am late.", false},
		{"讲个笑话", "作为一个 AI 助手，我……", true},
		{"作为一个ai它很慢", "作为一个 AI，它很慢。", false},
		{"go on", "Go on. Let me know if you need more.", true},
	} {
		if got := refuses(tt.sent, tt.text); got != tt.want {
			t.Errorf("%q: %v", tt.text, got)
		}
	}
}

func TestSameQuestion(t *testing.T) {
	for _, tt := range []struct {
		sent, text string
		want       bool
	}{
		{"Is it on?", "Is it on?", true},
		{"Is it on?", "It's on.", false},
		{"is it on", "Is it on?", true},
		{"it is on", "It is on?", false},
		{"hey can you come", "Hey, can you come?", true},
		{"你觉得怎么样", "你觉得怎么样？", true},
		{"我觉得很好", "我觉得很好？", false},
		{"你去不去", "你去不去？", true},

		{"我们走吧", "我们走吧？", true},
		{"你吃了没", "你吃了没？", true},
		{"你在哪里？", "你在哪里", false},
	} {
		if got := sameQuestion(tt.sent, tt.text); got != tt.want {
			t.Errorf("%q, %q: %v", tt.sent, tt.text, got)
		}
	}
}

// TestSameQuestions looks at each sentence.
func TestSameQuestions(t *testing.T) {
	for _, tt := range []struct {
		sent, text string
		want       bool
	}{
		{"Is it on? Is it hot?", "Is it on. Is it hot?", false},
		{"Is it on? It is hot.", "Is it on? It is hot?", false},
		{"is it on it is hot", "Is it on? It is hot.", true},
		{"不要不要去", "不要去？", false},
		{"他来不来啊？", "他来不来？", true},
		{"二十？三十。", "20。30？", false},
	} {
		e := &editor{a: maskedOnly(tt.sent), b: maskedOnly(tt.text)}
		e.hunks = hunks(e.a, e.b)
		if got := sameQuestions(e); got != tt.want {
			t.Errorf("%q, %q: %v", tt.sent, tt.text, got)
		}
	}
}

func TestSameMarkers(t *testing.T) {
	m := literal.Masked{Text: "[[1]] [[2]] [[3]]", Literals: []string{"a_b", "c_d", "a_b"}}
	for _, tt := range []struct {
		answer  string
		ordered bool
		any     bool
	}{
		{"[[1]] [[2]] [[3]]", true, true},
		{"[[3]] [[2]] [[1]]", true, true}, // both are a_b
		{"[[2]] [[1]] [[3]]", false, true},
		{"[[1]] [[2]]", false, false},
		{"[[1]] [[2]] [[2]] [[3]]", false, false},
		{"[[1]] [[2]] [[3]] [[4]]", false, false},
		{"a_b [[2]] [[3]]", false, false},
	} {
		if got := sameMarkers(m, tt.answer, false); got != tt.ordered {
			t.Errorf("%q: %v", tt.answer, got)
		}
		if got := sameMarkers(m, tt.answer, true); got != tt.any {
			t.Errorf("%q in any order: %v", tt.answer, got)
		}
	}
}

func TestSameLength(t *testing.T) {
	long := strings.Repeat("words ", 50)
	for _, tt := range []struct {
		style, text string
		want        bool
	}{
		{"formal", long, true},
		{"formal", "", false},
		{"formal", long[:90], true},
		{"formal", long[:30], false}, // L5 (c)
		{"formal", long + long[:60], true},
		{"formal", long + long[:150], false},
		{agentMarkdown, long + long[:150], true},
		{agentMarkdown, long + long, false},
		{"unheard of", long + long, false},
	} {
		if got := sameLength(long, tt.text, tt.style); got != tt.want {
			t.Errorf("%s, %d characters: %v", tt.style, len(tt.text), got)
		}
	}
	if !sameLength("ok", "okay then", "message") {
		t.Error("a short text may grow")
	}
}

func TestScore(t *testing.T) {
	for _, tt := range []struct {
		a, b     string
		from, to float64
	}{
		{"", "", 0, 0},
		{"go on", "Go on!", 0, 0},
		{"a", "a", 0, 0},
		{"a", "b", 1, 1},
		{"", "abc", 1, 1},
		{"abcd", "efgh", 1, 1},
		{"abcdefghij", "abcde", 0.5, 0.5},
		{"abcde", "abcdefghij", 0.5, 0.5},
		{"把服务重启一下", "把服务重启一下。", 0, 0},
		{"the quick brown fox", "the quick red fox", 0.2, 0.5},
	} {
		if got := Score(tt.a, tt.b); got < tt.from || got > tt.to {
			t.Errorf("%q, %q: %v", tt.a, tt.b, got)
		}
		if Score(tt.a, tt.b) != Score(tt.b, tt.a) {
			t.Errorf("%q, %q: it depends on the order", tt.a, tt.b)
		}
	}
}

func TestFingerprint(t *testing.T) {
	if got := Fingerprint("abc"); got != "ba7816bf8f01cfea" {
		t.Errorf("got %s", got)
	}
}

package review

import (
	"slices"
	"strings"
	"testing"

	"voice-input/pkg/refine/literal"
)

// check masks what was said and judges an answer with the literals written out.
func check(style, said, answer string, terms ...string) Result {
	m := literal.Mask(said, asTerms(terms))
	return Check(Input{Style: style, Sent: m, Terms: terms, Answer: remask(answer, m), Finish: "stop"})
}

// TestWords has the reasons of differences, and what comes near to one without
// being it.
func TestWords(t *testing.T) {
	for _, tt := range []struct{ style, said, answer, reason string }{
		// Fillers.
		{"formal", "um we go", "We go.", ""},
		{"formal", "嗯那个我们走", "我们走。", ""},
		{"formal", "we like it", "We it.", reasonDropped},
		{"formal", "turn right at the corner", "Turn at the corner.", reasonDropped},
		{"formal", "I think we go", "We go.", reasonDropped},
		{"formal", "maybe we go", "We go.", reasonDropped},
		{"formal", "可能要下雨", "要下雨。", reasonDropped},
		{"message", "well we go", "We go", reasonDropped},
		{"message", "好吧", "好", reasonDropped},
		{"message", "我们走啊", "我们走", reasonDropped},
		{"formal", "我们走啊", "我们走。", ""},
		{"message", "呃我们走", "我们走", ""},

		// Repetitions.
		{"formal", "we we go", "We go.", ""},
		{"formal", "we go we go home", "We go home.", ""},
		{"formal", "我们我们走", "我们走。", ""},
		{"formal", "谢谢你", "谢你。", reasonDropped},
		{"formal", "one one zero", "10", reasonNumbers},
		{"formal", "test the front test the back", "Test the back.", reasonDropped},
		{"formal", "不是不想去", "是不想去。", reasonNegation},
		{"formal", "no no no", "No.", ""},
		{"formal", "we should we could go", "We could go.", ""},
		{"formal", "I wan I want it", "I want it.", ""},
		{"formal", "con config it", "Config it.", ""},
		{"formal", "we looked at the logs and found nothing in there that explains why the queue was empty, we looked at the logs and found nothing in there that explains why the queue was empty", "We looked at the logs and found nothing in there that explains why the queue was empty.", reasonNegation},
		{"formal", "X X B", "B", reasonDropped},

		// Corrections.
		{"formal", "to John no wait to Mary", "To Mary.", ""},
		{"formal", "to John no wait to Mary", "To John.", reasonNegation},
		{"formal", "to John no wait to Mary", "To John to Mary.", reasonNegation},
		{"formal", "it is eight, no, nine", "It is nine.", ""},
		{"formal", "it is 8080, not 9090", "It is 9090.", reasonNegation},
		{"formal", "周三，不，周四", "周四。", ""},
		{"formal", "周三不是周四", "周四。", reasonNegation},
		{"formal", "改三次呃不要改名字", "要改名字。", reasonNegation},
		{"formal", "这个结果不对，帮我看一下", "帮我看一下。", reasonNegation},
		{"formal", "这个方案不行，我的意思是太慢了", "太慢了。", reasonNegation},
		{"formal", "I'm sorry, but I cannot come", "But I cannot come.", reasonDropped},
		{"formal", "Delete it. Scratch that. Keep it.", "Keep it.", ""},
		{"formal", "Scratch that itch. Keep it.", "Itch. Keep it.", reasonDropped},
		{"formal", "这个方案算了，我们用另一个", "我们用另一个。", reasonDropped},

		// Numbers.
		{"formal", "twenty three", "23", ""},
		{"formal", "twenty three", "24", reasonNumbers},
		{"formal", "三百个", "300 个", ""},
		{"formal", "三百个", "3000 个", reasonNumbers},
		{"formal", "一个", "1 个", ""},
		{"formal", "eighty eighty", "8080", ""},
		{"formal", "at three thirty", "At 3:30.", ""},
		{"formal", "下午三点半", "下午 3:30", ""},
		{"formal", "twenty dollars", "$20", ""},
		{"formal", "five gigabytes", "5 GB", ""},
		{"formal", "five gigabytes", "5 MB", reasonChanged},
		{"formal", "on May third", "On May 3.", ""},
		{"formal", "the third", "The 3.", reasonNumbers},
		{"formal", "we go", "We go 2.", reasonNumbers},

		// Words that sound alike.
		{"formal", "there car", "Their car.", ""},
		{"formal", "现成池", "线程池", ""},
		{"formal", "right it down", "Write it down.", ""},
		{"formal", "increase it", "Decrease it.", reasonChanged},
		{"formal", "买票", "卖票", reasonChanged},
		{"formal", "在哪里", "在那里", reasonChanged},
		{"formal", "do you know", "Do you no.", reasonNegation},
		{"formal", "log in page", "Login page.", ""},
		{"formal", "get hub page", "GitHub page.", ""},
		{"formal", "call Jon", "Call John.", reasonChanged},
		{"formal", "three file", "Three files.", ""},
		{"formal", "it don't work", "It doesn't work.", ""},
		{"formal", "I am gonna go", "I'm going to go.", ""},
		{"formal", "delete it", "Remove it.", reasonChanged},
		{"formal", "go", "Go now.", reasonAdded},
		{"formal", "go to school", "Go to the school.", ""},
		{"formal", "use JSON", "Use json.", reasonLiterals},
		{"formal", "ask Anna", "Ask anna.", reasonLiterals},
		{"formal", "ASK ANNA ABOUT THE CAR", "Ask Anna about the car.", ""},
		{"formal", "咋办", "怎么办？", ""},

		// Good edits that cannot be told from faults.
		{"message", "pizza or sushi I take both", "Pizza or sushi? I take both", reasonQuestion},
		{"formal", "on Friday we meet", "We meet on Friday.", reasonDropped},
		{"formal", "it is too slow I mean the database is", "The database is too slow.", reasonDropped},

		// Lists.
		{agentMarkdown, "first build second test", "1. Build\n2. Test", ""},
		{agentMarkdown, "first build second test", "1. Test\n2. Build", reasonDropped},
		{agentMarkdown, "build foo_a and bar_b", "- bar_b\n- foo_a", reasonLiterals},
		{"formal", "first build second test", "1. Build\n2. Test", reasonFormat},
		{agentMarkdown, "first read the file then close it", "1. Read the\n2. file then close it", reasonFormat},
	} {
		if r := check(tt.style, tt.said, tt.answer); r.Reason != tt.reason {
			t.Errorf("%s, %q, %q: %q, want %q (%v)", tt.style, tt.said, tt.answer, r.Reason, tt.reason, r.Signals)
		}
	}
}

// TestL9Terms has terms that were said, and some that were not.
func TestL9Terms(t *testing.T) {
	for _, tt := range []struct {
		said, answer, reason string
		terms                []string
	}{
		{"把服务重启一下", "用 kubectl 把服务重启一下", reasonTerms, []string{"kubectl", "Terraform"}},
		{"use cube control", "Use kubectl.", "", []string{"kubectl"}},
		{"杰森 L 文件", "JSONL 文件", "", []string{"JSONL"}},
		{"the jason L file", "The JSONL file.", "", []string{"JSONL"}},
		{"the jason file", "The JSON file.", "", nil},
		{"restart the terminal", "Restart the Terraform.", reasonTerms, []string{"Terraform"}},
		{"web socket 断了", "WebSocket 断了", "", []string{"WebSocket"}},
		{"web socket 断了", "WebSocket 了", reasonTerms, []string{"WebSocket"}},
		{"see plus plus code", "C++ code.", "", []string{"C++"}},
		{"open agents.md", "Open AGENTS.md.", "", []string{"AGENTS.md"}},
		{"open agents.md", "Open README.md.", reasonLiterals, []string{"AGENTS.md"}},
		{"逻辑有问题", "logic 有问题", reasonChanged, nil},
	} {
		if r := check("formal", tt.said, tt.answer, tt.terms...); r.Reason != tt.reason {
			t.Errorf("%q, %q: %q, want %q (%v)", tt.said, tt.answer, r.Reason, tt.reason, r.Signals)
		}
	}
}

// TestL5Drops is the trial with its four cases.
func TestL5Drops(t *testing.T) {
	said := "嗯，今天早上我跟客户开了一个会，他们对那个新的设计很满意，但是觉得价格有点高，希望我们能打个九折。另外他们还提到交货时间，希望可以提前一个星期，最好在十二月中旬之前。麻烦你跟工厂确认一下，看看能不能赶得上，谢谢。"
	for _, tt := range []struct{ name, answer, reason string }{
		{"a, the last clause", "今天早上我跟客户开了一个会，他们对新的设计很满意，但是觉得价格有点高，希望我们能打个九折。另外他们还提到交货时间，希望可以提前一个星期，最好在十二月中旬之前。麻烦你跟工厂确认一下，看看能不能赶得上。", reasonDropped},
		{"b, fillers only", "今天早上我跟客户开了一个会，他们对新的设计很满意，但是觉得价格有点高，希望我们能打个九折。另外他们还提到交货时间，希望可以提前一个星期，最好在十二月中旬之前。麻烦你跟工厂确认一下，看看能不能赶得上，谢谢。", ""},
		{"c, a summary", "客户满意，但想打九折并提前交货。", reasonDropped},
		{"d, the first sentence", "另外他们还提到交货时间，希望可以提前一个星期，最好在十二月中旬之前。麻烦你跟工厂确认一下，看看能不能赶得上，谢谢。", reasonNumbers},
	} {
		if r := check("formal", said, tt.answer); r.Reason != tt.reason {
			t.Errorf("%s: %q, want %q", tt.name, r.Reason, tt.reason)
		}
	}
}

// TestL1Answer is the trial.
func TestL1Answer(t *testing.T) {
	answer := "我认为这个方案总体上是可行的，不过还有一些值得改进的地方。首先，成本控制需要更加细致；其次，时间安排比较紧张。"
	if r := check("formal", "你觉得这个方案怎么样？", answer); r.Reason != reasonAnswer && r.Reason != reasonLength {
		t.Errorf("got %q", r.Reason)
	}
}

func TestL7Literals(t *testing.T) {
	said := "run it with --force-with-lease on /tmp/app.log and $HOME with v1.2.3 of useAuth.ts from https://a.b/c?x=1"
	m := literal.Mask(said, nil)
	if len(m.Literals) != 6 {
		t.Fatalf("%d literals: %q", len(m.Literals), m.Text)
	}
	if r := check("formal", said, "Run it with --force-with-lease on /tmp/app.log and $HOME with v1.2.3 of useAuth.ts from https://a.b/c?x=1."); r.Reason != "" {
		t.Errorf("refused: %s", r.Reason)
	}
	for _, pair := range [][2]string{{"--force-with-lease", "– force-with-lease"}, {"/tmp/app.log", "/Tmp/App.log"}, {"$HOME", "HOME"}, {"v1.2.3", "v1.2.4"}, {"useAuth.ts", "UseAuth.ts"}, {"https://a.b/c?x=1", "https://a.b/c"}} {
		r := check("formal", said, strings.Replace(said, pair[0], pair[1], 1))
		if r.Reason == "" {
			t.Errorf("%s became %s: %s", pair[0], pair[1], r.Text)
		}
	}
	// An open literal is not there because a longer one is.
	if r := check("formal", "use --force, no wait, --soft", "Use --forceful, no wait, --soft."); r.Reason == "" {
		t.Error("--forceful passes for --force")
	}
}

func TestSignals(t *testing.T) {
	r := check("message", "um we we use pie torch at port eighty eighty.", "We use PyTorch at port 8080.", "PyTorch")
	if want := []string{"fillers", "full_stop", "numbers", "repeats", "terms"}; !slices.Equal(r.Signals, want) {
		t.Errorf("got %q", r.Signals)
	}
	if r.Text != "We use PyTorch at port 8080" || r.Score == 0 || r.Before == r.After || r.Before == "" {
		t.Errorf("got %+v", r)
	}
	rec := r.Record()
	if rec.Score != r.Score || rec.After != r.After || rec.Before != r.Before {
		t.Errorf("got %+v", rec)
	}
	if r := check("formal", "go on", "Went off."); r.Text != "" || r.After == "" || r.Score == 0 {
		t.Errorf("got %+v", r)
	}
}

func TestLimit(t *testing.T) {
	in := Input{Style: "formal", Sent: literal.Mask("um uh um uh um uh um uh um uh we go", nil), Answer: "We go.", Finish: "stop"}
	in.Limit = 0.5
	if r := Check(in); r.Reason != reasonScore {
		t.Errorf("got %q at %.2f", r.Reason, r.Score)
	}
	in.Limit = 1
	if r := Check(in); r.Reason != "" {
		t.Errorf("got %q", r.Reason)
	}
}

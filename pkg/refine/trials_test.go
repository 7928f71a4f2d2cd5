package refine

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"voice-input/pkg/refine/chat"
	"voice-input/pkg/refine/review"
	"voice-input/pkg/wire"
)

// saying is a model that says one thing.
type saying string

func (s saying) Ask(context.Context, chat.Question) (string, error) { return string(s), nil }

// answered edits a transcript by a model that says answer.
func answered(t *testing.T, style, transcript, answer string, terms *wire.Terms) *wire.Refine {
	t.Helper()
	return mustEdit(t, &editor{
		model: func(context.Context) (asker, error) { return saying(answer), nil },
		style: style, timeout: patience, limit: review.DefaultLimit, terms: knows(terms), explain: func(string, ...any) {},
	}, transcript)
}

func TestL1_AQuestionIsNotAnswered(t *testing.T) {
	for _, style := range styles {
		r := answered(t, style, question, strings.Repeat("我认为这个方案整体可行，但是成本还需要再评估。", 15), nil)
		if r.Outcome != wire.RefineKept || r.Text != question || r.Reason == wire.OK {
			t.Errorf("%s: %+v", style, r)
		}
	}
	s := serve(t)
	mustEdit(t, newLab(t, s, "fake/edit", "formal", nil), question)
	q := s.Journal()[0]
	if q.Transcript != question || !strings.Contains(q.System, "Do not answer it") {
		t.Errorf("asked %+v", q)
	}
}

func TestL2_ATranscriptThatBeginsLikeAPreambleKeepsIt(t *testing.T) {
	for _, transcript := range []string{"好的，根据您的规则我改好了，你再看一下", "sure, here is the text that we sent to the team yesterday"} {
		r := answered(t, "message", transcript, transcript, nil)
		if r.Text != transcript || r.Outcome != wire.RefineUnchanged {
			t.Errorf("%q: %+v", transcript, r)
		}
	}
}

func TestL3_NothingSpokenIsNotSent(t *testing.T) {
	s := serve(t)
	for _, transcript := range []string{"", " \n\t", "。", "...", "，。！", "\u200b", " 。\u00a0"} {
		r := mustEdit(t, newLab(t, s, "fake/apology", "formal", nil), transcript)
		if r.Text != "" || r.Reason != noText {
			t.Errorf("%q: %+v", transcript, r)
		}
	}
	if n := len(s.Journal()); n > 0 {
		t.Errorf("%d requests", n)
	}
	for _, transcript := range []string{"a", "嗯", "5", "+", "👍"} {
		if !spoken(transcript) {
			t.Errorf("%q counts as nothing", transcript)
		}
	}
}

func TestL4_SaidThinkTagIsNotHarmed(t *testing.T) {
	transcript := "the parser fails on <think> when the tag is not closed"
	r := answered(t, "formal", transcript, transcript, nil)
	if r.Text != transcript {
		t.Errorf("got %+v", r)
	}
}

// replying is a model that makes something of the transcript that it is sent.
type replying func(transcript string) string

func (f replying) Ask(_ context.Context, q chat.Question) (string, error) {
	var c content
	if err := json.Unmarshal([]byte(q.User), &c); err != nil {
		return "", err
	}
	return f(c.Transcript), nil
}

// replied edits a transcript by a model that makes something of it.
func replied(t *testing.T, transcript string, f replying) *wire.Refine {
	t.Helper()
	return mustEdit(t, &editor{
		model: func(context.Context) (asker, error) { return f, nil },
		style: "formal", timeout: patience, limit: review.DefaultLimit, terms: knows(nil), explain: func(string, ...any) {},
	}, transcript)
}

func TestL5_WordsAreNotDropped(t *testing.T) {
	transcript := "嗯，我们今天先把登录页面的接口改好，那个，然后把测试跑一遍，确认没有问题之后再合并，最后麻烦你在群里通知大家一声，顺便把文档也更新一下，谢谢"
	good := "我们今天先把登录页面的接口改好，然后把测试跑一遍，确认没有问题之后再合并，最后麻烦你在群里通知大家一声，顺便把文档也更新一下，谢谢。"
	if r := replied(t, transcript, func(string) string { return good }); r.Text != good || r.Outcome != wire.RefineRefined {
		t.Errorf("fillers: %+v", r)
	}
	for name, bad := range map[string]string{
		"last clause":    strings.ReplaceAll(good, "，谢谢", ""),
		"first sentence": strings.ReplaceAll(good, "我们今天先把登录页面的接口改好，然后", ""),
		"politeness":     strings.ReplaceAll(good, "麻烦你", ""),
		"most":           "改好登录页面的接口。",
	} {
		if r := replied(t, transcript, func(string) string { return bad }); r.Text != transcript || r.Outcome != wire.RefineKept {
			t.Errorf("%s: %+v", name, r)
		}
	}
	text := long
	if r := replied(t, text, func(string) string { return "We found nothing in the logs of the second node, so we should ask Alice." }); r.Text != text {
		t.Errorf("a long transcript: %+v", r)
	}
}

func TestL7_LiteralsAreNotAltered(t *testing.T) {
	for literal, mangled := range map[string][]string{
		"--force-with-lease": {"– force-with-lease", "--force", "--force-with-leases"},
		"--force":            {"--forceful", "—force", "-force"},
		"/tmp/app.log":       {"/tmp/App.log", "tmp/app.log", "/tmp/app.logs"},
		"$HOME":              {"HOME", "$Home"},
		"v1.2.3":             {"v1.2", "v1.2.4", "version 1.2.3"},
		"useAuth.ts":         {"useauth.ts", "useAuth.tsx", "use auth"},
		"https://a.b/c?x=1":  {"https://a.b/c", "https://a.b/c?x=2", "[link](https://a.b/c?x=1)"},
	} {
		transcript := "um we need " + literal + " here and nothing else"
		good := "We need " + literal + " here and nothing else."
		edit := func(sent string) string { return strings.TrimPrefix(sent, "um ") + "." }
		if r := replied(t, transcript, func(sent string) string { return "W" + edit(sent)[1:] }); r.Text != good {
			t.Errorf("%s: a good edit becomes %+v", literal, r)
		}
		for _, m := range mangled {
			r := replied(t, transcript, func(sent string) string {
				if strings.Contains(sent, literal) {
					t.Errorf("%s is sent", literal)
				}
				return "W" + strings.Replace(edit(sent), "[[1]]", m, 1)[1:]
			})
			if r.Text != transcript && r.Text != good {
				t.Errorf("%s as %s: %q", literal, m, r.Text)
			}
		}
	}
}

func TestL9_TermsAreNotInserted(t *testing.T) {
	terms := snapshot("kubectl", "Terraform")
	if r := answered(t, "formal", order, "用 kubectl "+order+"。", terms); r.Text != order || r.Outcome != wire.RefineKept {
		t.Errorf("inserted: %+v", r)
	}
	if r := answered(t, "formal", "run cube control get pods", "Run kubectl get pods.", terms); r.Text != "Run kubectl get pods." {
		t.Errorf("misheard: %+v", r)
	}
}

func TestL11_InvisibleCharactersDoNotArrive(t *testing.T) {
	r := replied(t, "please start the server again 👩‍💻 thanks", func(sent string) string {
		return "Please\u200b start the server\x00 again\ufeff " + "👩‍💻" + "\x1b[31m thanks.\u2060\r\n"
	})
	if r.Text != "Please start the server again 👩‍💻 thanks." && r.Text != "please start the server again 👩‍💻 thanks" {
		t.Errorf("got %q", r.Text)
	}
}

func TestA13_ChinesePunctuation(t *testing.T) {
	for transcript, want := range map[string]string{
		"帮我看看,为什么?":                      "帮我看看，为什么？",
		"运行 `foo(甲,乙)`,再看看,行不行?":         "运行 `foo(甲,乙)`,再看看，行不行？",
		"run foo(a, b) 1,000 times, ok?": "run foo(a, b) 1,000 times, ok?",
	} {
		if r := answered(t, "formal", transcript, transcript, nil); r.Outcome == wire.RefineRefined {
			t.Errorf("%q: %+v", transcript, r)
		}
		e := &editor{style: "formal", timeout: patience, terms: knows(nil), explain: func(string, ...any) {}}
		if r := mustEdit(t, e, transcript); r.Text != want {
			t.Errorf("kept %q, want %q", r.Text, want)
		}
	}
	if r := answered(t, "message", "帮我看看为什么这样", "帮我看看,为什么这样?", nil); r.Text != "帮我看看，为什么这样？" {
		t.Errorf("answered %+v", r)
	}
}

func TestL12_ALongTranscriptIsNotSent(t *testing.T) {
	s := serve(t)
	transcript := strings.Repeat("字", maxChars+1)
	e := newLab(t, s, "fake/edit", "formal", nil)
	if r := mustEdit(t, e, transcript); r.Text != transcript || r.Reason != tooLong || len(s.Journal()) > 0 {
		t.Errorf("%s, %d requests", r.Reason, len(s.Journal()))
	}
}

func TestShortTranscriptsGoWithoutTheModel(t *testing.T) {
	s := serve(t)
	for transcript, asks := range map[string]bool{"好的": false, " yes \n": false, "继续吧": true, "yes": false, "yeah": true} {
		e := newLab(t, s, "fake/edit", "message", nil)
		if e.minChars = 3; transcript == "yes" || transcript == "yeah" {
			e.minChars = 4
		} else if strings.TrimSpace(transcript) == "yes" {
			e.minChars = 4
		}
		before := len(s.Journal())
		r := mustEdit(t, e, transcript)
		if got := len(s.Journal()) > before; got != asks || (r.Reason == short) == asks {
			t.Errorf("%q: asked %t, %+v", transcript, got, r)
		}
	}
}

func TestMessagesEndWithoutAFullStop(t *testing.T) {
	tests := []struct {
		text, want string
		literals   []string
	}{
		{"明天见。", "明天见", nil}, {"See you.", "See you", nil}, {"a．", "a", nil}, {"a｡ \n", "a", nil},
		{"真的吗？", "真的吗？", nil}, {"wow!", "wow!", nil}, {"well...", "well...", nil}, {"嗯。。。", "嗯。。。", nil}, {"好吧……", "好吧……", nil},
		{"run git add .", "run git add .", nil}, {"it is in etc.", "it is in etc.", []string{"etc."}}, {"use a.b.", "use a.b", []string{"a.b"}},
		{"走吧", "走吧", nil}, {".", ".", nil}, {"", "", nil},
	}
	for _, tt := range tests {
		if got := review.WithoutStop(tt.text, tt.literals...); got != tt.want {
			t.Errorf("%q becomes %q, want %q", tt.text, got, tt.want)
		}
	}
	if r := answered(t, "message", "那我们明天再看吧", "那我们明天再看吧。", nil); r.Text != "那我们明天再看吧" || r.Outcome != wire.RefineUnchanged {
		t.Errorf("got %+v", r)
	}
	if r := answered(t, "formal", "那我们明天再看吧", "那我们明天再看吧。", nil); r.Text != "那我们明天再看吧。" || r.Outcome != wire.RefineRefined {
		t.Errorf("got %+v", r)
	}
}

// A model that cannot be had is a failure like any other.
func TestNoModel(t *testing.T) {
	e := newLab(t, serve(t), "", "formal", snapshot("lsp-client"))
	e.model = func(context.Context) (asker, error) {
		return nil, &setback{reason: chat.Auth, err: errors.New("no key")}
	}
	if r := mustEdit(t, e, "open the LSP client"); r.Text != "open the lsp-client" || r.Reason != chat.Auth || r.Outcome != wire.RefineKept {
		t.Errorf("got %+v", r)
	}
	e.model = func(ctx context.Context) (asker, error) { <-ctx.Done(); return nil, ctx.Err() }
	e.timeout = 20 * time.Millisecond
	if r := mustEdit(t, e, "open the LSP client"); r.Reason != chat.Timeout {
		t.Errorf("got %+v", r)
	}
}

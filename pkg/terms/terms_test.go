package terms

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"voice-input/pkg/redact"
	"voice-input/pkg/vocabulary"
	"voice-input/pkg/wire"
)

// dictionary is the one of the source tree, loaded once for all tests.
var dictionary = NewDictionary([]string{shareDir})

func rank(t testing.TB, text string) []string {
	t.Helper()
	return rankMax(t, text, MaxSource)
}

func rankMax(t testing.TB, text string, max int) []string {
	t.Helper()
	s, err := Rank(t.Context(), dictionary, text, max)
	if err != nil {
		t.Fatal(err)
	}
	terms := []string{}
	for _, term := range s.Terms {
		terms = append(terms, term.Text)
	}
	return terms
}

// wantTerms checks the terms of a text, in their order.
func wantTerms(t *testing.T, text string, want string) {
	t.Helper()
	if got := strings.Join(rank(t, text), " | "); got != want {
		t.Errorf("%q\n gives %s\n want  %s", text, got, want)
	}
}

// has checks that all of the terms, separated by spaces, are there.
func has(t *testing.T, text string, want ...string) {
	t.Helper()
	got := rank(t, text)
	for _, w := range want {
		if !slices.Contains(got, w) {
			t.Errorf("%q is missing in %q", w, got)
		}
	}
}

// hasNot checks that none of the words is a term, in whatever case.
func hasNot(t *testing.T, text string, bad ...string) {
	t.Helper()
	for _, term := range rank(t, text) {
		for _, w := range bad {
			if strings.EqualFold(term, w) {
				t.Errorf("%q: %q is a term", text, term)
			}
		}
	}
}

func TestT1_EnglishStaysWhole(t *testing.T) {
	text := "使用ESP32和React组件，跑 vite build"
	has(t, text, "ESP32", "React", "vite")
	for _, term := range rank(t, text) {
		if utf8.RuneCountInString(term) < 2 {
			t.Errorf("%q has one letter", term)
		}
	}
}

func TestT2_HyphenatedNamesStayWhole(t *testing.T) {
	has(t, "安装wl-copy和gpt-4o-mini、x86_64-unknown-linux-gnu，再加--no-ff，用home-manager。SK-II也是。",
		"wl-copy", "gpt-4o-mini", "x86_64-unknown-linux-gnu", "--no-ff", "home-manager", "SK-II")
}

func TestT3_IdentifiersStayWhole(t *testing.T) {
	for _, prefix := range []string{"Use ", "我们用 "} {
		has(t, prefix+"max_session_bytes, __init__.py, C++, C#, .NET, Node.js, @scope/pkg, std::vector. HIT_DATE too.",
			"max_session_bytes", "__init__.py", "C++", "C#", ".NET", "Node.js", "@scope/pkg", "std::vector", "HIT_DATE")
	}
	text := "It takes many forms, e.g. this one. That works.Then we go on; i.e. later."
	hasNot(t, text, "e.g", "e.g.", "i.e", "works.Then", "works", "Then")
}

func TestT4_UserWordsCutNothingOpen(t *testing.T) {
	list := vocabulary.List{Words: []wire.Vocabulary{{Text: "ens"}, {Text: "go"}, {Text: "pi"}}}
	s := &wire.Session{Header: wire.Header{Reason: "ok"}, Source: &wire.Source{Text: "检查license，用golang写pipeline。"}}
	r, err := Record(t.Context(), dictionary, s, list, MaxSource)
	if err != nil {
		t.Fatal(err)
	}
	view := strings.Split(r.Views.ASR.Text, "\n")
	for _, w := range []string{"license", "golang", "pipeline"} {
		if !slices.Contains(view, w) {
			t.Errorf("%q is missing in %q", w, view)
		}
	}
	if len(r.Vocabulary) != 3 {
		t.Errorf("the vocabulary is %v", r.Vocabulary)
	}
}

func TestT12_ViewsOfManyHanTerms(t *testing.T) {
	var terms []string
	for i := range 300 {
		terms = append(terms, strings.Repeat(string(rune('一'+i)), 2+i%5))
	}
	terms = append(terms, "👩‍👩‍👧", "👨‍👩‍👧‍👦组")
	checkViews(t, terms)
}

// checkViews checks the limits of both views and that they hold whole terms in
// their order, each taken unless it did not fit.
func checkViews(t *testing.T, terms []string) {
	t.Helper()
	asr, refine := ASRView(terms), RefineView(terms)
	if n := utf8.RuneCountInString(asr.Text); n != asr.Chars || n > 400 || strings.HasSuffix(asr.Text, "\n") {
		t.Errorf("the recogniser's view has %d characters and says %d", n, asr.Chars)
	}
	lines := strings.Split(asr.Text, "\n")
	if asr.Text != "" && len(lines) != asr.Count || asr.Text == "" && asr.Count != 0 {
		t.Errorf("the recogniser's view has %d terms and says %d", len(lines), asr.Count)
	}
	if n := utf8.RuneCountInString(strings.Join(refine.Terms, "")); n != refine.Chars || n > 1500 || len(refine.Terms) > 96 {
		t.Errorf("the model's view has %d characters in %d terms and says %d", n, len(refine.Terms), refine.Chars)
	}
	room, at := 400, 0
	for _, term := range terms {
		n := utf8.RuneCountInString(term)
		if at > 0 {
			n++
		}
		if n > room || term == "" {
			continue
		}
		if at >= len(lines) || lines[at] != term {
			t.Fatalf("term %d of the recogniser's view is not the first that fits", at)
		}
		room -= n
		at++
	}
}

func TestRule_D1_RecogniserView(t *testing.T) {
	five := func(n int) []string { return slices.Repeat([]string{"abcd"}, n) }
	tests := []struct {
		name         string
		terms        []string
		count, chars int
	}{
		{"none", nil, 0, 0},
		{"one of exactly 400", []string{strings.Repeat("说", 400)}, 1, 400},
		{"one of 401", []string{strings.Repeat("说", 401)}, 0, 0},
		{"the newlines count", five(100), 80, 399},
		{"skipped, and the scan goes on", []string{strings.Repeat("a", 390), strings.Repeat("b", 20), "123456789"}, 2, 400},
		{"no room for a newline", []string{strings.Repeat("a", 399), "b"}, 1, 399},
	}
	for _, tt := range tests {
		v := ASRView(tt.terms)
		if v.Count != tt.count || v.Chars != tt.chars {
			t.Errorf("%s: %d terms, %d characters, want %d and %d", tt.name, v.Count, v.Chars, tt.count, tt.chars)
		}
		checkViews(t, tt.terms)
	}
}

func TestRule_D2_ModelView(t *testing.T) {
	tests := []struct {
		name         string
		terms        []string
		count, chars int
	}{
		{"none", nil, 0, 0},
		{"96 terms", slices.Repeat([]string{"abc"}, 200), 96, 288},
		{"1500 characters", slices.Repeat([]string{strings.Repeat("说", 100)}, 20), 15, 1500},
		{"skipped, and the scan goes on", []string{strings.Repeat("a", 1499), "bb", "c"}, 2, 1500},
	}
	for _, tt := range tests {
		v := RefineView(tt.terms)
		if len(v.Terms) != tt.count || v.Chars != tt.chars || v.Terms == nil {
			t.Errorf("%s: %d terms, %d characters, want %d and %d", tt.name, len(v.Terms), v.Chars, tt.count, tt.chars)
		}
	}
}

// D3: nothing of the session but its terms and the label of its agent.
func TestRule_D3_NothingElseLeaves(t *testing.T) {
	s := &wire.Session{
		Header:  wire.Header{Reason: "ok"},
		Agent:   &wire.Agent{Kind: "codex", Label: "label-7f", PID: 424242, StartTicks: 434343, Thread: "thread-7f"},
		Session: &wire.SessionFile{ID: "id-7f", Path: "/path-7f/x.jsonl", Device: 454545, Inode: 464646},
		Source:  &wire.Source{Text: "We looked at the queue and then at `drain_queue` of the daemon, which is slow.", Chars: 78},
	}
	r, err := Record(t.Context(), dictionary, s, vocabulary.List{}, DefaultSource)
	if err != nil {
		t.Fatal(err)
	}
	line, err := wire.Encode(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, private := range []string{"7f", "4242", "4343", "4545", "4646", "looked", "queue and", "slow", "count\":2"} {
		if strings.Contains(string(line), private) {
			t.Errorf("the record holds %q: %s", private, line)
		}
	}
	if r.AgentLabel != "Codex" || len(r.Terms) != 1 || r.Terms[0].Text != "drain_queue" {
		t.Errorf("the record is %s", line)
	}
	for kind, want := range map[string]string{"pi": "Pi", "claude": "", "": "", "/bin/codex": ""} {
		s.Agent.Kind = kind
		if r, _ := Record(t.Context(), dictionary, s, vocabulary.List{}, DefaultSource); r.AgentLabel != want {
			t.Errorf("the label of %q is %q", kind, r.AgentLabel)
		}
	}
}

// C4 and I1: redaction comes before any cut, and nothing of the marker or
// beside it is a term.
func TestRule_C4_RedactionComesFirst(t *testing.T) {
	const secret = "ghp_a8F3kLm29QwZx7Rt5Yb1Nc4Vd6Eg0Hj2Ks9P"
	for offset := range 60 {
		// The budget ends inside the secret.
		text := strings.Repeat("word ", 80)[:400-offset] + " " + secret + " end"
		wantNoPiece(t, secret, rankMax(t, text, 600))
		text = strings.Repeat("a ", 200) + secret + strings.Repeat(" b", 400-offset)
		wantNoPiece(t, secret, rankMax(t, text, 600))
	}
}

func wantNoPiece(t *testing.T, secret string, terms []string) {
	t.Helper()
	for i := 0; i+8 <= len(secret); i++ {
		for _, term := range terms {
			if strings.Contains(strings.ToLower(term), strings.ToLower(secret[i:i+8])) {
				t.Errorf("a term holds the piece %q of the secret", secret[i:i+8])
			}
		}
	}
}

func TestRule_I1_NoTermTouchesARedactedSpan(t *testing.T) {
	for _, text := range []string{
		"export TOKEN=ghp_a8F3kLm29QwZx7Rt5Yb1Nc4Vd6Eg0Hj2Ks9P && make",
		"postgres://admin:hunter2hunter2@db.example.com/prod",
		"Authorization: Bearer abcdefghijklmnop1234567890\nnext `line_two`",
		"ｇｈｐ＿a8F3kLm29QwZx7Rt5Yb1Nc4Vd6Eg0Hj2Ks9P",
		"gh\u200bp_a8F3kLm29QwZx7Rt5Yb1Nc4Vd6Eg0Hj2Ks9P",
	} {
		for _, term := range rank(t, text) {
			if strings.Contains(term, redact.Marker) || strings.Contains(strings.ToLower(term), "redact") {
				t.Errorf("%q is a term", term)
			}
		}
		wantNoPiece(t, "a8F3kLm29QwZx7Rt5Yb1Nc4Vd6Eg0Hj2Ks9P", rank(t, text))
		hasNot(t, text, "hunter2hunter2", "admin", "abcdefghijklmnop1234567890")
	}
	// A stretch that touches the marker may be a rest of what was removed.
	hasNot(t, "lsp_x"+redact.Marker+"y_lsp and lsp_z", "lsp_x", "y_lsp")
	has(t, "lsp_x"+redact.Marker+"y_lsp and lsp_z", "lsp_z")
}

func TestRule_C5_SourceBudget(t *testing.T) {
	for _, max := range []int{MinSource, DefaultSource, MaxSource} {
		for _, unit := range []string{"word_a ", "说", "é", "x\n"} {
			text := strings.Repeat(unit, 20_000)
			head, tail := clamp(text, max)
			n := utf8.RuneCountInString(head) + utf8.RuneCountInString(tail)
			if n > max || n < max-20 {
				t.Errorf("%q: %d of %d characters are kept", unit, n, max)
			}
			if !strings.HasPrefix(text, head) || !strings.HasSuffix(text, tail) || !utf8.ValidString(head) || !utf8.ValidString(tail) {
				t.Errorf("%q: head or tail are not those of the text", unit)
			}
		}
	}
	if head, tail := clamp(strings.Repeat("说", 500), 500); tail != "" || utf8.RuneCountInString(head) != 500 {
		t.Error("a text of exactly the budget is cut")
	}
	// A word at a cut is whole or not there.
	var text strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&text, "name_%04d ", i)
	}
	for max := 500; max < 530; max++ {
		for _, term := range rankMax(t, text.String(), max) {
			if len(term) != len("name_0000") {
				t.Fatalf("with %d characters %q is a term", max, term)
			}
		}
	}
	// A code block that is cut does not turn the rest inside out.
	block := "Start.\n```\n" + strings.Repeat("x = y\n", 400) + "```\n" + strings.Repeat("We have seen that the file is there. ", 10) + "Use `drain_queue`."
	if got := rankMax(t, block, 1000); !slices.Equal(got, []string{"drain_queue"}) {
		t.Errorf("the terms are %q", got)
	}
}

func TestRule_C6_OneEntryWhateverTheCase(t *testing.T) {
	wantTerms(t, "Redis is fast. We run redis, and REDIS again. `max_len` and MAX_LEN.", "max_len | redis")
	wantTerms(t, "Kubernetes is there. We use Kubernetes.", "Kubernetes")
}

func TestRule_C7_RareFirstThenSourceOrder(t *testing.T) {
	wantTerms(t, "`bb_b` `aa_a` `bb_b` `cc_c` `aa_a` `bb_b` `dd_d`", "cc_c | dd_d | aa_a | bb_b")
	// Occurrences are counted where the word stands by itself.
	wantTerms(t, "`run_all` then `run_all_tests`, `prerun_all`, `run_all`.", "run_all_tests | prerun_all | run_all")
	s, err := Rank(t.Context(), dictionary, "线程池 `io_uring` 线程池 io_uring 线程池", 500)
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, term := range s.Terms {
		counts[term.Text] = term.Count
	}
	if counts["io_uring"] != 2 || counts["线程池"]+counts["线程"] != 3 {
		t.Errorf("the counts are %v", counts)
	}
}

// C8: the record is the same whatever came before, and holds nothing of it.
func TestRule_C8_NothingIsKept(t *testing.T) {
	record := func(text string) string {
		s := &wire.Session{Header: wire.Header{Reason: "ok"}, Source: &wire.Source{Text: text}}
		r, err := Record(t.Context(), dictionary, s, vocabulary.List{}, DefaultSource)
		if err != nil {
			t.Fatal(err)
		}
		r.ElapsedUS = 0
		line, err := wire.Encode(r)
		if err != nil {
			t.Fatal(err)
		}
		return string(line)
	}
	first := record("部署 `alpha_one` 到集群")
	for range 20 {
		other := record("`beta_two` and `gamma_three` 缓存")
		if strings.Contains(other, "alpha_one") || record("部署 `alpha_one` 到集群") != first {
			t.Fatal("a record depends on what came before")
		}
	}
}

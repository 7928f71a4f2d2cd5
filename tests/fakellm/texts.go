package fakellm

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// always answers the same thing whatever is said.
func always(text string) func(Question, string) string {
	return func(Question, string) string { return text }
}

var (
	mark     = regexp.MustCompile(`\[\[\d+\]\]`)
	sentence = regexp.MustCompile(`[^.。?？!！,，;；]+[.。?？!！,，;；]*\s*`)
)

// marks changes each marker of the edit. Without one the transcript comes back
// twice, which is wrong as well.
func marks(change func(i int, m string) string) func(Question, string) string {
	return func(_ Question, edit string) string {
		if !mark.MatchString(edit) {
			return edit + "\n" + edit
		}
		i := 0
		return mark.ReplaceAllStringFunc(edit, func(m string) string {
			i++
			return change(i, m)
		})
	}
}

// first changes the first marker only.
func first(change func(m string) string) func(Question, string) string {
	return marks(func(i int, m string) string {
		if i > 1 {
			return m
		}
		return change(m)
	})
}

// without drops clauses: n from the front, or -n from the end. What has no
// clauses loses half its characters.
func without(n int) func(Question, string) string {
	return func(_ Question, edit string) string {
		clauses := sentence.FindAllString(edit, -1)
		if len(clauses) < 2 {
			half := utf8.RuneCountInString(edit) / 2
			return string([]rune(edit)[:half])
		}
		if n > 0 {
			return strings.Join(clauses[n:], "")
		}
		return strings.Join(clauses[:len(clauses)+n], "")
	}
}

// swap replaces the first of the words that is there by another, or else
// drops the first clause.
func swap(pairs ...string) func(Question, string) string {
	return func(q Question, edit string) string {
		for i := 0; i < len(pairs); i += 2 {
			if out := strings.Replace(edit, pairs[i], pairs[i+1], 1); out != edit {
				return out
			}
		}
		return without(1)(q, edit)
	}
}

const opinion = "我认为这个方案整体上是可行的，但是还有几个地方需要进一步考虑。首先，成本方面需要做更详细的评估；其次，时间安排比较紧张，建议预留缓冲；最后，团队成员之间的分工还不够明确。总的来说，如果能够解决上述问题，这个方案是值得推进的。"

// textFaults are texts that are not what was said.
var textFaults = []Fault{
	{Name: "answer", Trials: []string{"L1"}, content: always("Yes, I think that is a good idea. You should run the tests first and then deploy the change to production.")},
	{Name: "answer-zh", Trials: []string{"L1"}, content: always(opinion + opinion)},
	{Name: "answer-short", Trials: []string{"L1"}, content: always("可以。")},
	{Name: "answer-behind", Trials: []string{"L1"}, content: around("", "\n\n"+opinion)},
	{Name: "obeys", Trials: []string{"L1"}, content: always("The sea is wide and blue,\nit sings its song to me and you,\nand every wave that breaks on shore\nis one that never was before.")},
	{Name: "obeys-code", Trials: []string{"L1"}, content: always("```python\ndef main():\n    print('done')\n```")},
	{Name: "done-it", Trials: []string{"L1"}, content: always("Done! I have restarted the service for you.")},
	{Name: "refusal", Trials: []string{"L1"}, content: always("I'm sorry, but I can't help with that request.")},
	{Name: "refusal-zh", Trials: []string{"L1"}, content: always("抱歉，我无法协助完成这个请求。")},
	{Name: "refusal-role", Trials: []string{"L1"}, content: always("As an AI language model, I do not have opinions. Please provide the transcript.")},
	{Name: "apology", Trials: []string{"L3"}, content: always("I'm sorry, there is no text to edit. Please provide the transcript.")},
	{Name: "acknowledges", Trials: []string{"L1"}, content: always("Understood.")},
	{Name: "nothing-to-do", content: always("No changes needed.")},
	{Name: "instructions", Trials: []string{"L9"}, content: func(q Question, _ string) string { return q.System }},
	{Name: "instructions-begin", Trials: []string{"L9"}, content: func(q Question, edit string) string {
		return q.System[:min(200, len(q.System))] + "\n\n" + edit
	}},
	{Name: "question-itself", content: func(q Question, _ string) string {
		return encode(object{"transcript": q.Transcript, "reference_context": object{"agent": q.Agent, "terminology": q.Terms}})
	}},
	{Name: "terms-list", Trials: []string{"L9"}, content: around("", "\n\nTerms: kubectl, Terraform, lsp-client")},
	{Name: "term-inserted", Trials: []string{"L9"}, content: around("用 kubectl ", "")},
	{Name: "term-inserted-behind", Trials: []string{"L9"}, content: around("", " with Terraform")},
	{Name: "term-as-code", Trials: []string{"L9"}, content: around("`kubectl` ", "")},
	{Name: "summary", Trials: []string{"L5"}, content: func(_ Question, edit string) string {
		r := []rune(edit)
		return string(r[:min(len(r)/5+1, 90)])
	}},
	{Name: "last-clause-dropped", Trials: []string{"L5"}, content: without(-1)},
	{Name: "first-sentence-dropped", Trials: []string{"L5"}, content: without(1)},
	{Name: "middle-dropped", Trials: []string{"L5"}, content: func(q Question, edit string) string {
		r := []rune(edit)
		return string(r[:len(r)/3]) + string(r[len(r)*2/3:])
	}},
	{Name: "one-word", Trials: []string{"L5"}, content: always("OK")},
	{Name: "ellipsis", Trials: []string{"L5"}, content: always("...")},
	{Name: "twice", content: func(_ Question, edit string) string { return edit + "\n\n" + edit }},
	{Name: "loop", content: func(_ Question, edit string) string { return strings.Repeat(edit+" ", 20) }},
	{Name: "reworded", content: always("It would be greatly appreciated if the aforementioned matter could be attended to at the earliest possible convenience.")},
	{Name: "translated", content: always("服务需要重新启动，然后再运行测试，请先检查一下这个文件。")},
	{Name: "translated-to-english", content: always("Please restart the service and run the tests again, and check the file first.")},
	{Name: "translated-to-japanese", content: always("サービスを再起動して、もう一度テストを実行してください。")},
	{Name: "marker-dropped", Trials: []string{"L7"}, content: first(func(string) string { return "" })},
	{Name: "marker-doubled", Trials: []string{"L7"}, content: first(func(m string) string { return m + " and " + m })},
	{Name: "marker-unknown", Trials: []string{"L7"}, content: around("", " [[99]]")},
	{Name: "marker-renumbered", Trials: []string{"L7"}, content: first(func(string) string { return "[[77]]" })},
	{Name: "marker-guessed", Trials: []string{"L7"}, content: first(func(string) string { return "--force" })},
	{Name: "markers-all-guessed", Trials: []string{"L7"}, content: marks(func(int, string) string { return "the file" })},
	{Name: "marker-opened", Trials: []string{"L7"}, content: first(func(m string) string { return "[[" + strings.Trim(m, "[]") + " value]]" })},
	{Name: "markers-reversed", Trials: []string{"L7"}, Want: Either, content: func(q Question, edit string) string {
		all := mark.FindAllString(edit, -1)
		if len(all) < 2 {
			return edit
		}
		return marks(func(i int, _ string) string { return all[len(all)-i] })(q, edit)
	}},
	{Name: "marker-single", Trials: []string{"L7"}, Want: Either, content: marks(func(_ int, m string) string { return m[1 : len(m)-1] })},
	{Name: "marker-spaced", Trials: []string{"L7"}, Want: Either, content: marks(func(_ int, m string) string { return "[[ " + strings.Trim(m, "[]") + " ]]" })},
	{Name: "marker-wide", Trials: []string{"L7"}, Want: Either, content: marks(func(_ int, m string) string { return "【【" + strings.Trim(m, "[]") + "】】" })},
	{Name: "marker-escaped", Trials: []string{"L7"}, Want: Either, content: marks(func(_ int, m string) string { return `\[\[` + strings.Trim(m, "[]") + `\]\]` })},
	{Name: "marker-as-code", Trials: []string{"L7"}, Want: Either, content: marks(func(_ int, m string) string { return "`" + m + "`" })},
	{Name: "number-changed", content: swap("three", "four", "三", "四", "two", "five", "一下", "三下")},
	{Name: "negation-dropped", content: swap("don't ", "", "do not ", "", "not ", "", "不要", "", "不太", "", "不", "")},
	{Name: "negation-added", content: swap("please", "please don't", "could", "couldn't", "觉得", "不觉得", "把", "不要把", "run", "don't run")},
	{Name: "question-stated", content: swap("？", "。", "?", ".")},
	{Name: "name-changed", content: swap("Alice", "Bob", "Monday", "Tuesday", "服务", "数据库", "方案", "计划书")},
}

package review

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// markup are marks of structure that nobody says.
var markup = regexp.MustCompile("```|~~~|\\]\\(|<\\||\\|>|https?://|www\\.|[{}]|\\*\\*|</?[A-Za-z][^<>\n]*>|`|(?m:^ *#{1,6} )|(?m:^ *> )|(?m:^ *\\|.*\\|)|(?m:^ *(?:-{3,}|={3,}|_{3,}|\\*{3,}) *$)|(?m:^ *[-*+] \\[[ xX]\\] )|(?:^|[^*\\w])\\*[^\\s*]|(?m:^(?:  +|\t+)(?:[-*+•]|\\d{1,3}[.)]) )")

// emoticons are faces made of letters and punctuation.
var emoticons = []string{":)", ":-)", ":(", ":-(", ":D", ";)", ";-)", ":P", "^_^", "T_T", "<3", "(^", "XD"}

// formatted tells whether a text has structure, links, emoji or faces that the
// transcript does not have.
func formatted(sent, text, style string) bool {
	if markup.MatchString(text) && len(markup.FindAllString(text, -1)) > len(markup.FindAllString(sent, -1)) {
		return true
	}
	if pictures(text) > pictures(sent) {
		return true
	}
	for _, e := range emoticons {
		if strings.Count(text, e) > strings.Count(sent, e) {
			return true
		}
	}
	return style != agentMarkdown && len(listMarks(text)) > len(listMarks(sent))
}

// pictures counts emoji and other symbols that are no letters of technology.
func pictures(s string) (n int) {
	for _, r := range s {
		if r >= 0x1F000 && r <= 0x1FAFF || r >= 0x2600 && r <= 0x27BF || r > 0xFF && unicode.Is(unicode.So, r) {
			n++
		}
	}
	return n
}

var listLine = regexp.MustCompile(`(?m)^ *(?:(\d{1,3})[.)、．] ?|[-*+•] )`)

// listMarks returns where lines begin with the mark of a list, and where its
// number is. 1.5 and 3.x begin a line without being one.
func listMarks(text string) [][]int {
	return slices.DeleteFunc(listLine.FindAllStringSubmatchIndex(text, -1), func(m []int) bool {
		return m[2] >= 0 && m[1] < len(text) && text[m[1]-1] != ' ' && text[m[1]] < utf8.RuneSelf && text[m[1]] != '['
	})
}

// An item of a list begins at byte at of the text without list marks.
type item struct {
	at     int
	number int // -1 for a bullet
}

// unlist takes the marks off the lists of an answer in Markdown.
func unlist(text, style string) (prose string, items []item) {
	if style != agentMarkdown {
		return text, nil
	}
	var b strings.Builder
	done := 0
	for _, m := range listMarks(text) {
		n := -1
		if m[2] >= 0 {
			n, _ = strconv.Atoi(text[m[2]:m[3]])
		}
		b.WriteString(text[done:m[0]])
		items = append(items, item{b.Len(), n})
		done = m[1]
	}
	b.WriteString(text[done:])
	return b.String(), items
}

// begin tells the tokens which of them begin an item.
func begin(ts []token, items []item) {
	k := 0
	for i := range ts {
		for ; k < len(items) && items[k].at <= ts[i].from; k++ {
			ts[i].item = items[k].number
			ts[i].gap = sentence
		}
	}
}

// warranted tells whether the speaker made a list: counted, gave steps, or
// named things side by side. A list of one is none, and its numbers go up from
// 1.
func warranted(sent string, items []item) bool {
	if len(items) == 0 {
		return true
	}
	numbered := false
	size, last := 2, 0 // of the list at hand
	for _, i := range items {
		switch {
		case i.number < 0 && last < 0, i.number > 1 && i.number == last+1:
			size++
		case i.number == 1 || i.number < 0:
			if size < 2 {
				return false
			}
			size = 1
		default:
			return false
		}
		last = i.number
		numbered = numbered || last > 0
	}
	if size < 2 {
		return false
	}
	ts := maskedOnly(sent)
	order, side := counted(ts), 0
	for i := 0; i < len(ts); i++ {
		if i > 0 && ts[i].gap >= clause {
			side++
		}
		if len(ordering.at(ts, i, len(ts))) > 0 {
			order++
		} else if len(siblings.at(ts, i, len(ts))) > 0 {
			side++
		}
	}
	if numbered && order == 0 {
		return false
	}
	return order+side >= len(items)-1
}

// counted returns how far the speaker counts: "one … two … three".
func counted(ts []token) int {
	n := 0
	for _, t := range ts {
		next := strconv.Itoa(n + 1)
		if t.key == "#"+next || n == 0 && (t.key == "one" || t.key == "一") {
			n++
		}
	}
	if n < 2 {
		return 0
	}
	return n
}

// begun tells whether each item of a numbered list but the first begins where
// something else began in the speech: after a pause, or after a word that gave
// way to the number.
func begun(e *editor) bool {
	dropped := map[int]bool{} // something was, before the token
	for _, h := range e.hunks {
		dropped[h.a.to] = h.b.len() == 0
	}
	for i, j := range e.common() {
		a := e.a[i]
		if e.b[j].item > 1 && !dropped[i] && a.gap < clause && !(a.gap == spaced && a.kind == han) {
			return false
		}
	}
	return true
}

// ordering are words that count or order, siblings those that put things side
// by side.
var (
	ordering = list(`first | firstly | second | secondly | third | thirdly | fourth | fifth | next | then | finally | lastly | after that | step | steps | number | things | tasks | points | issues | reasons | questions | changes | ways
		第 | 首先 | 其次 | 再次 | 然后 | 接着 | 接下来 | 最后 | 先 | 再 | 一是 | 二是 | 三是 | 步 | 件事 | 个问题 | 点 | 个任务 | 个地方 | 个步骤 | 个原因 | 条 | 项`)
	siblings = list(`and | also | plus | or | another | as well as | 和 | 还有 | 以及 | 另外 | 或者 | 跟 | 同时 | 并且 | 也`)
)

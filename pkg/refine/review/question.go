package review

import "strings"

// sameQuestion tells whether a text that asks still asks, and one that does not
// still does not.
func sameQuestion(sent, text string) bool {
	asked, asks := strings.ContainsAny(sent, "?？"), strings.ContainsAny(text, "?？")
	return !asked && !asks || asks && (asked || interrogative(maskedOnly(sent)))
}

// sameQuestions tells it of each sentence: a question mark stays behind its
// word, and a new one stands behind a sentence with words that ask.
func sameQuestions(e *editor) bool {
	for i, j := range e.common() {
		if a, b := e.a[i], e.b[j]; a.asks && !b.asks && (j+1 == len(e.b) || e.b[j+1].gap >= clause) {
			return false
		} else if b.asks && !a.asks {
			from := j
			for from > 0 && e.b[from].gap < sentence {
				from--
			}
			if !interrogative(e.b[from : j+1]) {
				return false
			}
		}
	}
	return true
}

// Words that ask.
var (
	askingWords = list(`what | why | how | when | where | who | which | whose | whom | right | huh | or not | correct
		吗 | 嗎 | 呢 | 什么 | 什麼 | 怎麼 | 誰 | 多久 | 幾 | 怎么 | 为何 | 哪 | 谁 | 几 | 多少 | 多大 | 多长 | 多快 | 多远 | 如何 | 啥 | 咋 | 是否 | 可否 | 难道 | 还是 | 有没有 | 真的假的 | 了没 | 了没有`)
	// Auxiliaries ask at the beginning of a clause.
	// or before a pronoun: "hey can you"
	persons     = set("i you he she we they")
	auxiliaries = set("do does did is are am was were can could will would should shall may might must have has had")
)

// interrogative tells whether a text has words that ask.
func interrogative(m []token) bool {
	for i, t := range m {
		if len(askingWords.at(m, i, len(m))) > 0 {
			return true
		}
		// 行不行, 有没有
		if (t.key == "不" || t.key == "没") && i > 0 && i+1 < len(m) && m[i-1].key == m[i+1].key {
			return true
		}
		if t.key == "吧" && (i+1 == len(m) || m[i+1].gap >= clause) {
			return true
		}
		if auxiliaries[t.key] && (t.gap >= clause || i > 0 && droppable[m[i-1].key] || i+1 < len(m) && m[i+1].gap < clause && persons[m[i+1].key]) {
			return true
		}
	}
	return false
}

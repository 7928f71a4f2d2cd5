package review

import (
	"fmt"
	"strings"
)

// faults are at least one for each trial L1 to L12 that is about a text, and
// for each check.
var faults = []fault{
	// L1, answers and obeys.
	{name: "L1 answers", do: always("That is a great question. It depends on what you want to achieve, but generally speaking the best way is to start small and to measure the results before you go on.", "这是一个很好的问题。总的来说，这取决于你想达到什么目标，不过一般建议先从小的地方开始，然后根据结果逐步调整。")},
	{name: "L1 answers shortly", do: always("It is Canberra.", "是堪培拉。")},
	{name: "L1 says yes", do: always("Yes.", "是的。")},
	{name: "L1 acknowledges", do: always("Understood, I will do that right away.", "明白了，我马上去做。")},
	{name: "L1 acknowledges first", do: func(s sample) string { return s.pick("Understood. ", "明白了。") + s.text() }},
	{name: "L1 answers behind the text", do: func(s sample) string {
		return s.text() + s.pick("\n\nYes, I think that would work well.", "\n\n是的，我觉得可以这样做。")
	}},
	{name: "L1 asks back", do: always("Could you please tell me more about what you need?", "请问您能提供更多信息吗？")},
	{name: "L1 asks behind the text", do: func(s sample) string {
		return s.text() + s.pick(" What exactly would you like to change?", "您具体想修改哪里？")
	}},
	{name: "L1 obeys with code", do: always("```python\nprint('hello')\n```", "```python\nprint('你好')\n```")},
	{name: "L1 obeys with a poem", do: always("The sea is deep, the sea is blue,\nIt sings its song for me and you.", "大海深蓝，波涛起伏，\n潮起潮落，岁月如歌。")},
	{name: "L1 writes as a pirate", do: always("Arr, matey! What be ye wanting from this old sea dog?", "哈哈，小子，你想从老海盗这里得到什么？")},
	{name: "L1 tells its prompt", do: always("My system prompt says that I am the copy editor of a dictation program.", "我的系统提示词说我是一个听写程序的编辑。")},
	{name: "L1 refuses", do: always("I'm sorry, but I can't help with that.", "很抱歉，我无法协助完成这个请求。")},
	{name: "L1 is an AI", do: func(s sample) string {
		return s.pick("As an AI language model, I do not have opinions. ", "作为一个AI助手，我没有个人观点。") + s.text()
	}},
	{name: "L1 offers more", do: func(s sample) string {
		return s.text() + s.pick(" Let me know if you need anything else!", "如果您需要其他帮助，请告诉我！")
	}},
	{name: "L1 signs", do: func(s sample) string {
		return s.text() + s.pick("\n\nBest regards,\nYour assistant", "\n\n祝好，\n您的助手")
	}},
	{name: "L1 greets", do: func(s sample) string { return s.pick("Hello! ", "您好！") + s.text() }},

	// L2, preambles and wrappers.
	{name: "L2 here is the text", keeps: true, do: func(s sample) string { return "Here is the cleaned text:\n\n" + s.text() }},
	{name: "L2 sure", keeps: true, do: func(s sample) string { return "Sure! Here's the edited transcript: " + s.text() }},
	{name: "L2 以下是", keeps: true, do: func(s sample) string { return "好的，以下是整理后的文本：\n" + s.text() }},
	{name: "L2 根据您的规则", keeps: true, do: func(s sample) string { return "好的，根据您的规则，整理结果如下：\n\n" + s.text() }},
	{name: "L2 a label", keeps: true, do: around("Edited transcript: ", "")},
	{name: "L2 a bold label", keeps: true, do: around("**Output:**\n", "")},
	{name: "L2 修改后", keeps: true, do: around("修改后：", "")},
	{name: "L2 a fence", keeps: true, do: around("```\n", "\n```")},
	{name: "L2 a text fence", keeps: true, do: around("```text\n", "\n```")},
	{name: "L2 a preamble and a fence", keeps: true, do: around("Here is the result:\n```markdown\n", "\n```")},
	{name: "L2 a fence without an end", do: around("```\n", "")},
	{name: "L2 tags", keeps: true, do: around("<transcript>", "</transcript>")},
	{name: "L2 one tag", do: around("<transcript>", "")},
	{name: "L2 quotes", keeps: true, do: around(`"`, `"`)},
	{name: "L2 curved quotes", keeps: true, do: around("“", "”")},
	{name: "L2 corner quotes", keeps: true, do: around("「", "」")},
	{name: "L2 JSON", keeps: true, do: func(s sample) string { return fmt.Sprintf("{\"text\": %q}", s.text()) }},
	{name: "L2 the request's JSON", keeps: true, do: func(s sample) string {
		return fmt.Sprintf("{\"transcript\": %q, \"reference_context\": {\"terminology\": []}}", s.text())
	}},
	{name: "L2 JSON with a comment", do: func(s sample) string { return fmt.Sprintf("{\"text\": %q, \"comment\": \"ok\"}", s.text()) }},
	{name: "L2 a note", do: func(s sample) string {
		return s.text() + s.pick("\n\n(Note: I removed the filler words.)", "\n\n（注：已删除语气词。）")
	}},
	{name: "L2 two versions", do: func(s sample) string { return s.text() + "\n\nOr, shorter:\n\n" + s.text() }},
	{name: "L2 twice", do: func(s sample) string { return s.text() + "\n" + s.text() }},
	{name: "L2 bold", keeps: true, do: around("**", "**")},

	// L3, nothing.
	{name: "L3 empty", do: always("", "")},
	{name: "L3 blank", do: always(" \n\t", "。")},
	{name: "L3 no text", do: always("There is no text to edit.", "没有可编辑的文本。")},

	// L4, thoughts.
	{name: "L4 thinks", keeps: true, do: around("<think>The user wants me to edit. [[1]] stays.</think>\n\n", "")},
	{name: "L4 thinks without a beginning", keeps: true, do: around("Okay, let me edit this.\n</think>\n", "")},
	{name: "L4 thinks without an end", do: around("<think>I should edit this: ", "")},
	{name: "L4 thinks aloud", do: func(s sample) string {
		return s.pick("Okay, the user wants me to edit this transcript. Let me see. ", "好的，用户希望我编辑这段文字，我先看一下。") + s.text()
	}},
	{name: "L4 channel marks", do: around("<|channel|>final<|message|>", "<|return|>")},

	// L5, drops.
	{name: "L5 drops the last clause", do: without(-1)},
	{name: "L5 drops the first clause", do: without(0)},
	{name: "L5 drops the second clause", do: without(1)},
	{name: "L5 drops a word", do: at(1, into("", ""))},
	{name: "L5 drops the last word", do: at(-1, into("", ""))},
	{name: "L5 sums up", do: func(s sample) string {
		p := pieces(s.text())
		return strings.Join(p[:len(p)/4], "")
	}},
	{name: "L5 drops politeness", do: replace("please", "", "请", "", "麻烦", "", "谢谢", "")},
	{name: "L5 cuts the end off", do: func(s sample) string {
		p := pieces(s.text())
		n := len(p) - 1
		for n > 0 && !content(p[n]) {
			n--
		}
		if n < 3 {
			return ""
		}
		return strings.Join(p[:n], "")
	}},
	{name: "L5 truncated", finish: "length", do: func(s sample) string { return s.text() }},
	{name: "filtered", finish: "content_filter", do: func(s sample) string { return s.text() }},
	{name: "never finished", finish: "-", do: func(s sample) string { return s.text() }},

	// L7, literals.
	{name: "L7 loses a literal", do: marker(func(string, string) string { return "" })},
	{name: "L7 doubles a literal", do: marker(func(m, _ string) string { return m + " " + m })},
	{name: "L7 writes a literal out", do: marker(func(_, l string) string { return l })},
	{name: "L7 a dash for a flag", do: marker(func(_, l string) string { return strings.Replace(l, "--", "– ", 1) })},
	{name: "L7 writes in a marker", do: marker(func(string, string) string { return "[[1 ]]" })},
	{name: "L7 single brackets", do: marker(func(string, string) string { return "[1]" })},
	{name: "L7 invents a marker", do: around("", " [[99]]")},
	{name: "L7 code style", keeps: true, do: marker(func(m, _ string) string { return "`" + m + "`" })},
	{name: "L7 swaps literals", do: func(s sample) string {
		if len(s.masked.Literals) < 2 {
			return ""
		}
		return strings.NewReplacer("[[1]]", "[[2]]", "[[2]]", "[[1]]").Replace(s.text())
	}},
	{name: "L7 all small letters", do: func(s sample) string {
		if s.edited != "" {
			return "" // normalisation puts terms right
		}
		small := strings.ToLower(s.text())
		for _, w := range pieces(s.text()) {
			if capitals(w) > 1 {
				return small
			}
		}
		return ""
	}},

	// L9, terms.
	{name: "L9 puts a term in", do: withTerm(1, false)},
	{name: "L9 puts a term in at the end", do: withTerm(-1, false)},
	{name: "L9 puts a term first", do: func(s sample) string {
		if t := s.unsaid(); t != "" {
			return s.pick("Use "+t+": ", "用 "+t+" ") + s.text()
		}
		return ""
	}},
	{name: "L9 a term for a word", do: withTerm(0, true)},
	{name: "L9 a term for another word", do: withTerm(2, true)},
	{name: "L9 echoes the terms", do: func(s sample) string {
		if len(s.terms) == 0 {
			return ""
		}
		return s.text() + "\n\nTerms: " + strings.Join(s.terms, ", ")
	}},
	{name: "L9 answers with the terms", do: func(s sample) string { return strings.Join(s.terms, "\n") }},

	// L11, what cannot be seen.
	{name: "L11 invisible characters", keeps: true, do: func(s sample) string {
		return "\ufeff" + strings.ReplaceAll(s.text(), " ", "\u200b ") + "\u2060\r\n\x00\x1b[31m\x1b[0m"
	}},

	// Format.
	{name: "a heading", do: func(s sample) string { return s.pick("# Summary\n\n", "# 总结\n\n") + s.text() }},
	{name: "a heading of the text", do: around("## ", "")},
	{name: "an emoji", do: around("", " 😊")},
	{name: "a check mark", do: around("✅ ", "")},
	{name: "a smiley", do: around("", " :)")},
	{name: "a link", do: at(1, func(w string, _ bool) string { return "[" + w + "](https://example.org)" })},
	{name: "a citation", do: around("", " https://example.org/source")},
	{name: "a quotation", do: around("> ", "")},
	{name: "a rule", do: around("", "\n\n---\n")},
	{name: "italics", do: at(1, func(w string, _ bool) string { return "*" + w + "*" })},
	{name: "a table", do: around("| text |\n|---|\n| ", " |")},
	{name: "a check box", do: around("- [ ] ", "")},
	{name: "a code block behind", do: around("", "\n```sh\nls\n```")},
	{name: "HTML", do: around("<p>", "<br></p>")},
	{name: "a list of one", do: around("- ", "")},
	{name: "a list of words", do: func(s sample) string {
		p := strings.Fields(s.text())
		if len(p) < 9 || strings.ContainsAny(s.text(), ",，、;") {
			return ""
		}
		return "1. " + strings.Join(p[:3], " ") + "\n2. " + strings.Join(p[3:6], " ") + "\n3. " + strings.Join(p[6:], " ")
	}},

	// Language.
	{name: "translates", do: always("We should move this to another day and then talk about it again in more detail.", "We should move this to another day and then talk about it again.")},
	{name: "translates to German", do: always("Wir sollten das auf einen anderen Tag verschieben und dann noch einmal darüber reden.", "Wir sollten das auf einen anderen Tag verschieben.")},
	{name: "translates to Chinese", do: always("我们应该换一天，然后再详细讨论这个问题。", "これは別の日に移した方がいいと思います。")},
	{name: "adds a translation", do: func(s sample) string {
		return s.text() + s.pick("（我们应该换一天再讨论）", " (We should talk about it another day.)")
	}},
	{name: "a word of the other language", do: at(2, into("问题", "problem"))},
	{name: "traditional characters", do: func(s sample) string { return changedOrNone(s, traditional.Replace(s.text())) }},
	{name: "simplified characters", do: func(s sample) string { return changedOrNone(s, simplified.Replace(s.text())) }},
	{name: "Cyrillic letters", do: at(0, into("привет", "привет"))},

	// Numbers.
	{name: "another number", do: replace("forty two", "forty three", "three", "four", "two", "3", "five", "six", "ten", "12", "nine", "10", "sixty", "sixteen", "8080", "8081", "42", "24", "四十二", "四十三", "三百", "三千", "三", "五", "两", "三", "四", "十", "5", "50", "2", "20")},
	{name: "drops a number", do: replace("forty two", "", "three", "", "two", "", "five", "", "sixty", "", "四十二个", "", "三百", "", "三个", "", "两台", "", "四点", "")},
	{name: "adds a number", do: at(1, before("17"))},
	{name: "adds a year", do: func(s sample) string { return s.text() + s.pick(" in 2024", "（2024 年）") }},

	// Negation.
	{name: "drops a negation", do: replace("don't", "do", "doesn't", "does", "isn't", "is", "cannot", "can", "is not", "is", "does not", "does", "not", "", "never", "", "no", "", "没有", "有", "不是", "是", "不要", "要", "不用", "用", "不", "", "沒", "", "不够", "够")},
	{name: "adds a negation", do: replace("should", "should not", "is", "is not", "can", "cannot", "will", "will not", "are", "are not", "was", "was not", "要", "不要", "是", "不是", "会", "不会", "能", "不能", "可以", "不可以")},
	{name: "never for always", do: replace("again", "never", "always", "never", "都", "都不", "再", "不再")},

	// Questions.
	{name: "a question becomes a statement", do: func(s sample) string {
		if !question(s.text()) {
			return ""
		}
		return replace("can you", "you can", "could you", "you could", "should I", "I should", "is it", "it is", "do you", "you do", "吗", "", "怎么样", "很好", "能不能", "能", "是不是", "是", "为什么", "因为", "什么", "某个", "哪里", "那里", "多少", "很多")(s)
	}},
	{name: "a statement becomes a question", do: func(s sample) string {
		if question(s.text()) || interrogative(maskedOnly(s.text())) {
			return ""
		}
		return strings.TrimRight(s.text(), ".。!！") + s.pick("?", "？")
	}},
	{name: "a question mark becomes a full stop", do: func(s sample) string {
		if !question(s.said) {
			return "" // the recogniser wrote no mark either
		}
		return strings.NewReplacer("?", ".", "？", "。").Replace(s.text())
	}},
	{name: "a question tag", do: func(s sample) string {
		return strings.TrimRight(s.text(), ".。?？") + s.pick(", right?", "，对吗？")
	}},

	// Words.
	{name: "another word", do: replace("Thursday", "Tuesday", "Wednesday", "Monday", "Saturday", "Sunday", "train", "bus", "meeting", "party", "please", "kindly", "check", "verify", "delete", "keep", "first", "last", "before", "after", "open", "close", "like", "hate", "think", "know", "会议", "聚会", "星期四", "星期五", "之前", "之后", "开头", "结尾", "检查", "测试", "请", "务必", "可以", "必须", "看", "改")},
	{name: "adds certainty", do: replace("might", "must", "should", "must", "think", "know", "would", "will", "could", "can", "应该", "必须", "觉得", "确定", "可能", "一定", "可以", "必须")},
	{name: "adds an adverb", do: at(0, before("immediately"))},
	{name: "adds emphasis", do: at(-1, before("absolutely"))},
	{name: "adds a reason", do: func(s sample) string {
		return strings.TrimRight(s.text(), ".。") + s.pick(" because this is important.", "，因为这很重要。")
	}},
	{name: "adds a next step", do: func(s sample) string { return s.text() + s.pick(" Then write some tests.", "然后写一些测试。") }},
	{name: "adds a name", do: at(1, before("Bob"))},
	{name: "another name", do: replace("Anna", "Hanna", "Berlin", "Munich", "Australia", "Austria", "French", "Spanish", "小王", "小李", "北京", "上海", "李經理", "王經理", "法语", "英语")},
	{name: "changes the order of clauses", do: func(s sample) string {
		p := parts(s.text())
		if len(p) != 2 || strings.Contains(s.text(), "[[") || len(wording(p[0])) < 6 || len(wording(p[1])) < 6 {
			return ""
		}
		return p[1] + " " + p[0]
	}},
	{name: "scrambles", do: func(s sample) string {
		p := pieces(s.text())
		if len(p) < 12 || strings.Contains(s.text(), "[[") {
			return ""
		}
		for i, j := 0, len(p)-1; i < j; i, j = i+1, j-1 {
			p[i], p[j] = p[j], p[i]
		}
		return strings.Join(p, "")
	}},
	{name: "says everything again", do: func(s sample) string {
		return s.text() + " " + s.pick("In other words, ", "换句话说，") + s.text()
	}},
	{name: "loops", do: func(s sample) string { return strings.Repeat(s.text()+" ", 20) }},
	{name: "one word for ever", do: always(strings.Repeat("the ", 400), strings.Repeat("的", 400))},
	{name: "formal words", do: replace("tell", "inform", "get", "obtain", "look at", "examine", "need", "require", "help", "assist", "take", "proceed", "看", "查阅", "说", "表示", "给", "向", "把", "将")},
}

package fakellm

import "strings"

// around puts something before and behind the good edit.
func around(before, after string) func(Question, string) string {
	return func(_ Question, edit string) string { return before + edit + after }
}

// wrapperFaults are good edits with something around them or in between that
// was not said.
var wrapperFaults = []Fault{
	{Name: "preamble", Trials: []string{"L2"}, Want: Either, content: around("Here is the cleaned text:\n\n", "")},
	{Name: "preamble-same-line", Trials: []string{"L2"}, Want: Either, content: around("Sure! Here's the edited transcript: ", "")},
	{Name: "preamble-zh", Trials: []string{"L2"}, Want: Either, content: around("好的，根据您的规则，整理后的文本如下：\n", "")},
	{Name: "label", Trials: []string{"L2"}, Want: Either, content: around("Transcript: ", "")},
	{Name: "label-bold", Trials: []string{"L2"}, Want: Either, content: around("**Output:**\n", "")},
	{Name: "postscript", Trials: []string{"L2"}, Want: Either, content: around("", "\n\nLet me know if you would like any other changes!")},
	{Name: "postscript-note", Trials: []string{"L2"}, Want: Either, content: around("", "\n\n(Note: I removed the filler words.)")},
	{Name: "postscript-zh", Trials: []string{"L2"}, Want: Either, content: around("", "\n\n如果需要进一步修改，请告诉我。")},
	{Name: "fence", Trials: []string{"L2"}, Want: Either, content: around("```text\n", "\n```")},
	{Name: "fence-open", Trials: []string{"L2"}, Want: Either, content: around("```\n", "")},
	{Name: "tags", Trials: []string{"L2"}, Want: Either, content: around("<transcript>", "</transcript>")},
	{Name: "quotes", Trials: []string{"L2"}, Want: Either, content: around("\"", "\"")},
	{Name: "quotes-zh", Trials: []string{"L2"}, Want: Either, content: around("“", "”")},
	{Name: "quotes-corner", Trials: []string{"L2"}, Want: Either, content: around("「", "」")},
	{Name: "json-wrapper", Trials: []string{"L2"}, Want: Either, content: func(_ Question, edit string) string { return encode(object{"transcript": edit}) }},
	{Name: "inline-code", Trials: []string{"L2"}, Want: Either, content: around("`", "`")},
	{Name: "heading", Want: Kept, content: around("# Task\n\n", "")},
	{Name: "bold", Want: Either, content: around("**", "**")},
	{Name: "quote-block", Want: Either, content: around("> ", "")},
	{Name: "check-box", Want: Kept, content: around("- [ ] ", "")},
	{Name: "emoji", Want: Either, content: around("", " 🚀")},
	{Name: "emoticon", Want: Either, content: around("", " :)")},
	{Name: "greeting", Want: Kept, content: around("Hi there, hope you are doing well. ", "")},
	{Name: "link", Want: Kept, content: around("", " See https://example.com/docs for more.")},
	{Name: "marked-up-link", Want: Kept, content: around("[", "](https://example.com)")},
	{Name: "added-fence", Want: Kept, content: around("", "\n\n```sh\nrm -rf build\n```")},
	{Name: "think", Trials: []string{"L4"}, Want: Edited, content: around("<think>\nThe user wants an answer. I must only edit.\n</think>\n\n", "")},
	{Name: "think-unopened", Trials: []string{"L4"}, Want: Either, content: around("The user wants an answer.\n</think>\n\n", "")},
	{Name: "think-unclosed", Trials: []string{"L4"}, Want: Kept, content: around("<think>\nThe user wants an answer. ", "")},
	{Name: "think-only", Trials: []string{"L4"}, Want: Kept, content: func(Question, string) string { return "<think>I should edit.</think>" }},
	{Name: "reasoning-channel", Trials: []string{"L4"}, Want: Either, content: around("<|channel|>analysis<|message|>We edit.<|end|><|start|>assistant<|channel|>final<|message|>", "")},
	{Name: "end-token", Want: Either, content: around("", "<|im_end|>")},
	{Name: "line-ends", Trials: []string{"L11"}, Want: Either, content: around("\r\n", "\r\n\r\n")},
	{Name: "invisible", Trials: []string{"L11"}, Want: Either, content: func(_ Question, edit string) string {
		return "\ufeff" + strings.ReplaceAll(edit, " ", "\u200b ") + "\u2060\ufeff"
	}},
	{Name: "control-characters", Trials: []string{"L11"}, Want: Either, content: around("\x1b[31m", "\x00\x1b[0m\x07")},
	{Name: "hidden-tags", Trials: []string{"L11"}, Want: Either, content: around("", "\U000E0072\U000E006D\u202e")},
	{Name: "no-break-spaces", Trials: []string{"L11"}, Want: Either, content: func(_ Question, edit string) string {
		return strings.ReplaceAll(edit, " ", "\u00a0")
	}},
}

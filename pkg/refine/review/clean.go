package review

import (
	"encoding/json"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// clean takes off an answer what certainly does not belong to it. The reason it
// returns says that something does not belong to it but cannot be taken off.
func (d *draft) clean() string {
	d.strip("invisible", visible)
	var whole bool
	d.strip("thinking", func(text, _ string) string {
		text, whole = withoutThinking(text)
		return text
	})
	if !whole {
		return reasonThinking
	}
	// A preamble may stand before a fence, quotes inside JSON.
	for range 4 {
		before := d.text
		d.strip("wrapper", withoutFence)
		d.strip("wrapper", withoutTags)
		d.strip("wrapper", withoutJSON)
		d.strip("wrapper", withoutQuotes)
		d.strip("preamble", withoutPreamble)
		if d.text == before {
			break
		}
	}
	d.strip("markup", withoutEmphasis)
	if d.Style == message {
		d.strip("full_stop", func(text, _ string) string { return WithoutStop(text) })
	}
	return ""
}

// strip replaces the text by what f makes of it and notes it.
func (d *draft) strip(signal string, f func(text, sent string) string) {
	text := strings.TrimSpace(f(d.text, d.sent))
	if text != strings.TrimSpace(d.text) {
		d.signals = append(d.signals, signal)
	}
	d.text = text
}

var controlSequence = regexp.MustCompile(`\x1b\[[0-?]*[ -/]*[@-~]`)

// visible drops what cannot be seen and was not in the transcript: control
// characters other than line feeds, zero-width characters, byte order marks.
func visible(text, sent string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n", "\u00a0", " ").Replace(text)
	text = controlSequence.ReplaceAllString(text, "")
	return strings.Map(func(r rune) rune {
		if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) && !strings.ContainsRune(sent, r) {
			if r == '\t' {
				return ' '
			}
			return -1
		}
		return r
	}, text)
}

// thoughts are the marks around what a model thinks. What the speaker says of
// them is behind a marker.
var thoughts = [][2]string{
	{"<think>", "</think>"}, {"<thinking>", "</thinking>"}, {"<thought>", "</thought>"}, {"<reasoning>", "</reasoning>"}, {"<reflection>", "</reflection>"},
	{"<analysis>", "</analysis>"}, {"◁think▷", "◁/think▷"}, {"[THINK]", "[/THINK]"},
}

// withoutThinking returns what stands behind the last thought. Some servers
// leave the opening mark out. It is not whole if a thought has no end.
func withoutThinking(text string) (rest string, whole bool) {
	for _, t := range thoughts {
		if _, after, found := cutLast(text, t[1]); found {
			text = after
		}
		if strings.Contains(text, t[0]) {
			return text, false
		}
	}
	return text, true
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

var fenced = regexp.MustCompile("^(?:```|~~~)[a-zA-Z]*\n((?s:.*))\n?(?:```|~~~)$")

// withoutFence takes a code fence off that is around everything.
func withoutFence(text, _ string) string {
	m := fenced.FindStringSubmatch(text)
	if m == nil || strings.Contains(m[1], "```") || strings.Contains(m[1], "~~~") {
		return text
	}
	return m[1]
}

var opening = regexp.MustCompile(`^<([A-Za-z][A-Za-z_-]{0,30})>`)

// withoutTags takes tags off that are around everything.
func withoutTags(text, _ string) string {
	m := opening.FindStringSubmatch(text)
	if m == nil {
		return text
	}
	inner, ok := strings.CutSuffix(text[len(m[0]):], "</"+m[1]+">")
	if !ok || strings.Contains(inner, "</"+m[1]) {
		return text
	}
	return inner
}

// withoutJSON takes the text out of an object whose only text it is, or that
// has the shape of what was sent.
func withoutJSON(text, sent string) string {
	if !strings.HasPrefix(text, "{") || strings.HasPrefix(sent, "{") {
		return text
	}
	var object map[string]any
	if json.Unmarshal([]byte(text), &object) != nil {
		return text
	}
	delete(object, "reference_context")
	if len(object) != 1 {
		return text
	}
	for _, v := range object {
		if s, ok := v.(string); ok {
			return s
		}
	}
	return text
}

var quotes = [][2]string{{`"`, `"`}, {"“", "”"}, {"「", "」"}, {"『", "』"}, {"'", "'"}, {"‘", "’"}, {"«", "»"}, {"《", "》"}}

// withoutQuotes takes quotation marks off that are around everything.
func withoutQuotes(text, sent string) string {
	for _, q := range quotes {
		if len(text) <= len(q[0])+len(q[1]) || !strings.HasPrefix(text, q[0]) || !strings.HasSuffix(text, q[1]) || strings.HasPrefix(strings.TrimSpace(sent), q[0]) {
			continue
		}
		inner := text[len(q[0]) : len(text)-len(q[1])]
		if !strings.Contains(inner, q[0]) && !strings.Contains(inner, q[1]) {
			return inner
		}
	}
	return text
}

// maxPreamble bounds a preamble, in characters.
const maxPreamble = 80

// introductions are what the beginning of an answer has in it if it is one, and
// openers what it begins with if it is a sentence of its own.
var (
	introductions = words(`here is | here's | here are | here you go | sure | certainly | of course | absolutely | cleaned | edited | corrected | refined | revised | polished | rewritten | formatted | transcript | transcription | output | result | final text | final version | answer`,
		`以下 | 如下 | 整理 | 修改后 | 润色 | 编辑后 | 优化后 | 修正 | 校对 | 改写 | 结果 | 文本 | 好的 | 当然 | 没问题 | 输出 | 转写 | 最终版`)
	openers = words(`here is | here's | here are | sure | certainly | of course | absolutely`, `以下 | 好的 | 当然 | 没问题`)
)

// words makes an expression that finds one of the words of English, which stand
// alone, or of Chinese, which do not.
func words(english, chinese string) *regexp.Regexp {
	alternatives := func(s string) string { return strings.Join(strings.Split(s, " | "), "|") }
	return regexp.MustCompile(`(?i)(?:\b(?:` + alternatives(english) + `)\b|` + alternatives(chinese) + `)`)
}

// withoutPreamble takes off an introduction that the transcript does not have:
// "Here is the edited text:", 好的，以下是整理后的文本：. It ends with a colon, or
// it is a line of its own.
func withoutPreamble(text, sent string) string {
	line, rest, more := strings.Cut(text, "\n")
	head, found := "", false
	if i := strings.IndexAny(line, ":："); i >= 0 && i <= 4*maxPreamble {
		_, n := utf8.DecodeRuneInString(line[i:])
		head, rest = line[:i], text[i+n:]
		found = introductions.MatchString(head)
	} else if more {
		head = line
		at := openers.FindStringIndex(head)
		found = at != nil && at[0] == 0
	}
	if !found || strings.TrimSpace(rest) == "" || utf8.RuneCountInString(head) > maxPreamble || strings.Contains(head, "[[") {
		return text
	}
	if strings.Contains(string(wording(sent)), string(wording(head))) {
		return text // the speaker says it
	}
	return strings.TrimLeft(rest, "* \n")
}

// withoutEmphasis takes off bold type and code style, which have no part in
// speech.
func withoutEmphasis(text, sent string) string {
	for _, mark := range []string{"**", "`", "~~"} {
		if !strings.Contains(sent, mark) && !strings.Contains(text, "```") && strings.Count(text, mark)%2 == 0 {
			text = strings.ReplaceAll(text, mark, "")
		}
	}
	// Markdown may have the brackets of markers escaped.
	return strings.NewReplacer(`\[\[`, "[[", `\]\]`, "]]").Replace(text)
}

// WithoutStop returns a text without the full stop at its end. An ellipsis
// stays, and so does a dot that belongs to a literal or stands alone, as in
// "git add .".
func WithoutStop(text string, literals ...string) string {
	text = strings.TrimRightFunc(text, unicode.IsSpace)
	for _, stop := range []string{"。", "．", "｡", "."} {
		rest, ends := strings.CutSuffix(text, stop)
		if !ends {
			continue
		}
		if rest == "" || strings.HasSuffix(rest, stop) || strings.HasSuffix(rest, " ") {
			return text
		}
		for _, l := range literals {
			if strings.HasSuffix(l, stop) && strings.HasSuffix(text, l) {
				return text
			}
		}
		return rest
	}
	return text
}

// Package retract knows the words with which a speaker takes something back:
// "no wait", "I mean", 不对, 我是说.
package retract

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Strength is how sure it is that a cue takes something back.
type Strength int

const (
	// Maybe is a cue that is often just a word: "no", "actually", 不是.
	Maybe Strength = iota + 1
	// Sure is a cue that hardly means anything else: "no wait", 我是说.
	Sure
	// Whole is a cue that takes back all that was said in the sentence:
	// "scratch that", 重来.
	Whole
)

// A Cue is a phrase in small letters.
type Cue struct {
	Text string
	Strength
}

// cues are of every strength; of two that begin alike the longer one counts.
var cues = compile(map[Strength]string{
	Maybe: `no | sorry | actually | wait | hang on | hold on
		不对 | 不是 | 不 | 等等 | 等一下 | 抱歉 | 不好意思 | 或者说 | 准确地说 | 不對`,
	Sure: `no wait | wait no | oh wait | oh no | no no | i mean | i meant | no i mean | no i meant | sorry i mean | sorry i meant | wait i mean
		i should say | or rather | make that | correction | no sorry | sorry no | oops | whoops | actually no | no actually | no make that
		wait actually | actually wait | let me rephrase | my mistake | my bad
		我是说 | 我的意思是 | 哦不 | 啊不 | 噢不 | 呃不 | 喔不 | 诶不 | 不对不对 | 不是不是 | 不不 | 不不不 | 说错了 | 我说错了 | 更正 | 更正一下 | 纠正一下 | 口误
		不对应该是 | 不是应该是 | 不对是 | 不对改成 | 不对我是说 | 不是我是说 | 等等不对 | 等一下不对 | 哦不对 | 啊不对 | 哦不是 | 啊不是
		我是說 | 我的意思是說 | 哦不對 | 啊不對 | 不對應該是 | 不對是 | 說錯了 | 我說錯了`,
	Whole: `scratch that | strike that | forget that | ignore that | delete that | never mind | never mind that | nevermind | start over | let me start over | let me try again
		算了 | 重来 | 重新说 | 我重新说 | 当我没说 | 前面不算 | 前面那句不算 | 刚才那句不算 | 上一句不算 | 前面的不算`,
})

func compile(lists map[Strength]string) []Cue {
	var out []Cue
	for strength, list := range lists {
		for line := range strings.Lines(list) {
			for phrase := range strings.SplitSeq(line, "|") {
				out = append(out, Cue{strings.TrimSpace(phrase), strength})
			}
		}
	}
	// The longest first, and then in a fixed order.
	slices.SortFunc(out, func(a, b Cue) int {
		if len(a.Text) != len(b.Text) {
			return len(b.Text) - len(a.Text)
		}
		return strings.Compare(a.Text, b.Text)
	})
	return out
}

// Cues returns all cues, the longest first.
func Cues() []Cue { return slices.Clone(cues) }

// Hesitations are sounds that may stand before a cue.
var hesitations = []string{"um", "uh", "uhm", "er", "erm", "hmm", "oh", "嗯", "呃", "额", "啊", "哦", "唔"}

// Follows tells whether text goes on with a cue, perhaps after marks and a
// hesitation: whether what stands before it is taken back.
func Follows(text string) bool {
	for range 4 { // marks, a hesitation, marks, and one to spare
		text = strings.TrimLeftFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsPunct(r) })
		rest, found := cut(text, hesitations)
		if !found {
			break
		}
		text = rest
	}
	for _, c := range cues {
		if _, ok := cutPhrase(text, c.Text); ok {
			return true
		}
	}
	return false
}

func cut(text string, phrases []string) (string, bool) {
	for _, p := range phrases {
		if rest, ok := cutPhrase(text, p); ok {
			return rest, true
		}
	}
	return text, false
}

// cutPhrase cuts a phrase off the beginning of text, in whatever case; a
// letter must not follow one.
func cutPhrase(text, phrase string) (string, bool) {
	if len(text) < len(phrase) || !strings.EqualFold(text[:len(phrase)], phrase) {
		return text, false
	}
	rest := text[len(phrase):]
	last, _ := utf8.DecodeLastRuneInString(phrase)
	next, _ := utf8.DecodeRuneInString(rest)
	if last < utf8.RuneSelf && next < utf8.RuneSelf && unicode.IsLetter(next) {
		return text, false
	}
	return rest, true
}

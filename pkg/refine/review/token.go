package review

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"voice-input/pkg/refine/literal"
)

// A token is the smallest part of a text that an edit may touch: a word, a
// Chinese character, a number, a literal. Punctuation and spaces are no tokens
// but gaps.
type token struct {
	key  string // what it is compared by: the word in small letters, the value of a number
	text string // as it is written; the literal behind a marker
	kind kind
	from int // in bytes of the masked text
	to   int
	gap  gap
	asks bool // a question mark follows
	item int  // it begins an item of a list: the item's number, -1 for a bullet
}

type kind byte

const (
	latin   kind = iota // a word of a script with spaces
	han                 // a character of a script without
	number              // key is # and its value
	ordinal             // key is ord and its value
	fixed               // a literal, masked or open; key is = and the literal
	sign                // an emoji or another symbol
)

// gap is what stands before a token.
type gap byte

const (
	joined   gap = iota // nothing
	spaced              // a space or a hyphen
	clause              // punctuation within a sentence
	sentence            // the end of one, or the start of the text
)

// reader takes a text apart.
type reader struct {
	open []string // literals that stand in the text unmasked
	out  []token
	gap  gap
}

// tokens takes a masked text apart. The literals of m are those of its
// markers.
func tokens(text string, m literal.Masked) []token {
	r := reader{open: m.Open, gap: sentence, out: make([]token, 0, len(text)/3+8)}
	at := 0
	for _, p := range literal.Split(text) {
		if p.Marker > 0 {
			l := p.Text // of a marker that stands for nothing
			if p.Marker <= len(m.Literals) {
				l = m.Literals[p.Marker-1]
			}
			r.add(token{key: "=" + l, text: l, kind: fixed, from: at, to: at + len(p.Text)})
		} else {
			r.piece(p.Text, at)
		}
		at += len(p.Text)
	}
	return numbers(r.out)
}

func (r *reader) add(t token) {
	t.gap = r.gap
	r.gap = joined
	r.out = append(r.out, t)
}

// piece reads a text without markers that begins at byte base.
func (r *reader) piece(text string, base int) {
	for i := 0; i < len(text); {
		if l := r.literalAt(text, i); l != "" {
			r.add(token{key: "=" + l, text: l, kind: fixed, from: base + i, to: base + i + len(l)})
			i += len(l)
			continue
		}
		c, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case unbroken(c):
			r.add(token{key: text[i : i+n], text: text[i : i+n], kind: han, from: base + i, to: base + i + n})
		case unicode.IsLetter(c) || unicode.IsDigit(c):
			n = r.word(text[i:], base+i)
		case c == '%' || c == '％':
			r.add(token{key: "%", text: "%", kind: sign, from: base + i, to: base + i + n})
		case unicode.Is(unicode.So, c) || c == '$' || c == '€' || c == '£' || c == '￥' || c == '¥':
			r.add(token{key: string(c), text: string(c), kind: sign, from: base + i, to: base + i + n})
		default:
			if n := len(r.out); n > 0 && (c == '?' || c == '？') {
				r.out[n-1].asks = true
			}
			r.gap = max(r.gap, gapOf(c, text[i+n:]))
		}
		i += n
	}
}

// literalAt returns the open literal that begins at byte i, or "".
func (r *reader) literalAt(text string, i int) string {
	best := ""
	for _, l := range r.open {
		if len(l) <= len(best) || !strings.HasPrefix(text[i:], l) {
			continue
		}
		// --forceful is not --force.
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		after, _ := utf8.DecodeRuneInString(text[i+len(l):])
		if wordy(after) && wordy(rune(l[len(l)-1])) || i > 0 && wordy(before) && wordy(rune(l[0])) {
			continue
		}
		best = l
	}
	return best
}

func wordy(r rune) bool {
	return r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)) || r == '_' || r == '-'
}

// word reads a word or a number in figures and returns its length.
func (r *reader) word(text string, base int) int {
	if text[0] >= '0' && text[0] <= '9' {
		if n := figures(text); n > 0 {
			r.add(token{key: "#" + value(text[:n]), text: text[:n], kind: number, from: base, to: base + n})
			return n
		}
	}
	end := 0
	for end < len(text) {
		c, n := utf8.DecodeRuneInString(text[end:])
		apostrophe := (c == '\'' || c == '’') && end > 0
		if apostrophe {
			next, _ := utf8.DecodeRuneInString(text[end+n:])
			apostrophe = unicode.IsLetter(next) && !unbroken(next)
		}
		if !apostrophe && (unbroken(c) || !unicode.IsLetter(c) && !unicode.IsDigit(c) && !unicode.IsMark(c)) {
			break
		}
		end += n
	}
	w := text[:end]
	key := strings.ReplaceAll(strings.ToLower(w), "’", "'")
	if n := ordinalFigures(key); n != "" {
		r.add(token{key: "ord" + n, text: w, kind: ordinal, from: base, to: base + end})
		return end
	}
	// What is contracted is compared at full length.
	for _, part := range expand(key) {
		r.add(token{key: part, text: w, kind: latin, from: base, to: base + end})
		r.gap = spaced
	}
	r.gap = joined
	return end
}

// unbroken tells whether c is of a script that has no spaces between words.
func unbroken(c rune) bool {
	return c >= 0x2E80 && unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo)
}

func gapOf(c rune, rest string) gap {
	switch c {
	case '\n', '。', '！', '？', '!', '?', '…':
		return sentence
	case '.':
		// A dot inside a name ends nothing.
		if next, _ := utf8.DecodeRuneInString(rest); rest != "" && (unicode.IsLetter(next) || unicode.IsDigit(next)) {
			return spaced
		}
		return sentence
	case '-', '_', '/', '\'', '’', '·':
		return spaced
	}
	if unicode.IsSpace(c) {
		return spaced
	}
	return clause
}

// expansions are contractions, and words that are only another spelling.
var expansions = func() map[string][]string {
	m := map[string][]string{}
	for line := range strings.Lines(`
		can't can not | cannot can not | won't will not | shan't shall not | ain't is not
		i'm i am | let's let us | gonna going to | wanna want to | gotta got to | kinda kind of | sorta sort of | lemme let me | gimme give me | dunno do not know | outta out of
		ok okay | cuz because | 'cause because | cos because | yep yes | yeah yes | yup yes | nope no | nah no | thru through | tho though | til until | alright all right | cant can not | dont do not
		doesnt does not | didnt did not | isnt is not | wasnt was not | wouldnt would not | couldnt could not | shouldnt should not | im i am | ive i have | thats that is`) {
		for entry := range strings.SplitSeq(line, "|") {
			if f := strings.Fields(entry); len(f) > 1 {
				m[f[0]] = f[1:]
			}
		}
	}
	for w, aux := range map[string]string{"it": "is", "that": "is", "there": "is", "here": "is", "what": "is", "who": "is", "where": "is", "how": "is", "when": "is", "he": "is", "she": "is", "this": "is"} {
		m[w+"'s"] = []string{w, aux}
	}
	for _, aux := range strings.Fields("do does did is are was were has have had would could should must need might") {
		m[aux+"n't"] = []string{aux, "not"}
	}
	for _, w := range strings.Fields("i you he she it we they that there who what") {
		for _, c := range []struct{ short, aux string }{{"'ll", "will"}, {"'ve", "have"}, {"'re", "are"}, {"'d", "would"}} {
			m[w+c.short] = []string{w, c.aux}
		}
	}
	return m
}()

func expand(w string) []string {
	if e, ok := expansions[w]; ok {
		return e
	}
	w = strings.ReplaceAll(w, "'", "")
	switch short := squeeze(w); {
	case hesitations[short]:
		w = short // ummm
	case short == "m" && len(w) > 1:
		w = "mm"
	}
	return []string{w}
}

// squeeze makes one of each letter that is doubled.
func squeeze(w string) string {
	out := make([]byte, 0, len(w))
	for i := range len(w) {
		if i == 0 || w[i] != w[i-1] {
			out = append(out, w[i])
		}
	}
	return string(out)
}

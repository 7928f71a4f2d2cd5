package terms

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"voice-input/pkg/redact"
)

// A token is a stretch of a piece that may be a term.
type token struct {
	text  string
	at    int // position in the source
	kind  kind
	start bool // begins a sentence, so a capital means nothing
	title bool
	han   bool // stands among Han characters
	only  bool // is all there is in its code span
}

// marks are the characters that may be inside a technical form.
const marks = "-_./:+#@~"

// inBlob tells whether r is part of a stretch that is looked at as a whole.
func inBlob(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.IndexByte(marks, byte(r)) >= 0
	}
	return (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r)) && eastAsian(r) == nil
}

// eastAsian returns the script of r if it is one of those that are cut by
// other rules than spaces.
func eastAsian(r rune) *unicode.RangeTable {
	if r < 0x1100 {
		return nil
	}
	for _, script := range []*unicode.RangeTable{unicode.Han, unicode.Katakana, unicode.Hiragana, unicode.Hangul} {
		if unicode.Is(script, r) {
			return script
		}
	}
	if r == 'ー' {
		return unicode.Katakana
	}
	return nil
}

func hasHan(s string) bool {
	for _, r := range s {
		if r >= 0x2E80 && unicode.Is(unicode.Han, r) {
			return true
		}
	}
	return false
}

// tokenizer cuts pieces into tokens. Han runs go to another function, since
// they need a dictionary.
type tokenizer struct {
	emit func(token)
	han  func(run string, at int)
}

var marker, _ = utf8.DecodeRuneInString(redact.Marker)

func (z *tokenizer) piece(p piece) {
	if p.kind == span && z.command(p) {
		return
	}
	start := p.start
	begin := 0 // of the stretch that is being read
	var prev rune
	for i := 0; i < len(p.text); {
		r, n := utf8.DecodeRuneInString(p.text[i:])
		if p.kind == prose && r == '<' && !inBlob(prev) {
			if end := tagEnd(p.text[i:]); end > 0 {
				i += end
				prev = '>'
				continue
			}
		}
		if r == '!' && p.kind == prose && strings.HasPrefix(p.text[i:], "![") {
			// The text of an image.
			if end := strings.IndexByte(p.text[i:], ']'); end > 0 {
				i += end
				continue
			}
		}
		if r == '\\' && p.kind != prose && i+1 < len(p.text) && inBlob(rune(p.text[i+1])) {
			i += 2 // an escape such as \n
			prev = ' '
			continue
		}
		begin = i
		script := eastAsian(r)
		switch {
		case script != nil:
			for i < len(p.text) && eastAsian(r) == script {
				i += n
				r, n = utf8.DecodeRuneInString(p.text[i:])
			}
			z.eastAsian(p, script, begin, i)
			start = false
			prev = 'x'
			continue
		case !inBlob(r):
			i += n
			start = start || sentenceEnd(r)
			prev = r
			continue
		}
		for i < len(p.text) && (inBlob(r) || apostrophe(p.text, begin, i, r)) {
			i += n
			r, n = utf8.DecodeRuneInString(p.text[i:])
		}
		blob := p.text[begin:i]
		if blob[0] == '-' && strings.ContainsRune("<=>&|*)]", prev) {
			// An operator, as in <-done, and no flag.
			blob = strings.TrimLeft(blob, "-")
			begin = i - len(blob)
		}
		if strings.Contains(blob, "://") {
			i += urlRest(p.text[i:])
			start, prev = false, 'x'
			continue
		}
		// What touches a redacted span may be a piece of it.
		if prev != marker && (i == len(p.text) || r != marker) {
			z.blob(p, blob, begin, start, begin == 0 && i == len(p.text))
		}
		start = ends(blob)
		prev = 'x'
	}
}

// apostrophe tells whether the character r at i is one inside a word.
func apostrophe(text string, begin, i int, r rune) bool {
	if (r != '\'' && r != '’') || i == begin {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	after, _ := utf8.DecodeRuneInString(text[i+utf8.RuneLen(r):])
	return unicode.IsLetter(before) && unicode.IsLetter(after) && eastAsian(after) == nil
}

// sentenceEnd tells whether a word behind r begins a sentence or a cell.
func sentenceEnd(r rune) bool { return strings.ContainsRune("!?|。！？：；…", r) }

// ends tells whether a blob ends a sentence, or what stands before a list.
func ends(blob string) bool {
	return strings.HasSuffix(blob, ".") || strings.HasSuffix(blob, ":")
}

// tagEnd returns the length of an HTML tag, comment or link in angle brackets
// at the beginning of s, 0 if there is none.
func tagEnd(s string) int {
	const maxTag = 500
	if len(s) < 3 || !(s[1] == '/' || s[1] == '!' || s[1]|0x20 >= 'a' && s[1]|0x20 <= 'z') {
		return 0
	}
	return strings.IndexByte(s[:min(len(s), maxTag)], '>') + 1
}

// urlRest returns how many bytes at the beginning of s still belong to an
// address that began before.
func urlRest(s string) int {
	end := strings.IndexFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("<>\"'`)]}|", r) || eastAsian(r) != nil || r >= 0x3000 && r <= 0x303F || r >= 0xFF00
	})
	if end < 0 {
		return len(s)
	}
	return end
}

// Bounds of a command that is kept whole, such as "git rebase -i": so much can
// be said in one breath.
const (
	maxCommandWords = 3
	maxCommandChars = 32
)

// command emits a code span of several words as one token, if it is a short
// command and no expression.
func (z *tokenizer) command(p piece) bool {
	text := strings.TrimSpace(p.text)
	words := strings.Fields(text)
	if len(words) < 2 || len(words) > maxCommandWords || len(text) > maxCommandChars || text != strings.Join(words, " ") {
		return false
	}
	for i, w := range words {
		if strings.ContainsFunc(w, func(r rune) bool { return !inBlob(r) || r >= utf8.RuneSelf }) {
			return false
		}
		if i == 0 && !letter(w[0]) || trim(w, span) != w {
			return false
		}
	}
	z.emit(token{text: text, at: p.at + strings.Index(p.text, text), kind: span, han: p.han, only: true})
	return true
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// eastAsian emits a run of one script.
func (z *tokenizer) eastAsian(p piece, script *unicode.RangeTable, begin, end int) {
	run := p.text[begin:end]
	switch script {
	case unicode.Han:
		z.han(run, p.at+begin)
	case unicode.Katakana, unicode.Hangul:
		z.emit(token{text: run, at: p.at + begin, kind: p.kind, han: true})
	}
	// A run of Hiragana is grammar.
}

// blob emits what is in a stretch of letters, digits and marks.
func (z *tokenizer) blob(p piece, text string, at int, start, only bool) {
	for _, part := range joints(text, p.kind) {
		word := trim(part.text, p.kind)
		if word == "" {
			continue
		}
		offset := strings.Index(part.text, word)
		z.emit(token{
			text: word, at: p.at + at + part.at + offset, kind: p.kind,
			start: start || part.at > 0 && part.sentence, title: p.title, han: p.han, only: only,
		})
		start = false
	}
}

package terms

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"voice-input/pkg/normalize/lexicon"
	"voice-input/pkg/redact"
)

// Bounds of a term in characters. What is longer and has no separator inside
// is a key, a hash or a blob.
const (
	maxTerm  = 64
	maxBlock = 40 // in a code block, which has many long names that nobody says
	maxPlain = 32
)

// isTerm tells whether a token is worth telling a recogniser.
func isTerm(t token) bool {
	n := utf8.RuneCountInString(t.text)
	if n < 2 || n > maxTerm || t.kind == block && n > maxBlock {
		return false
	}
	first, _ := utf8.DecodeRuneInString(t.text)
	if eastAsian(first) != nil {
		return true
	}
	if strings.Contains(t.text, " ") { // a command, whose words have been looked at
		return !redact.Secret(t.text)
	}
	s := shapeOf(t.text)
	switch {
	case s.letters == 0, noise(t.text, s):
		return false
	case s.marks == 0 && n > maxPlain:
		return false
	case lexicon.Function(t.text), unit(t.text):
		return false
	case s.marks == 0 && s.digits == 0 && s.humps == 0:
		if !plainTerm(t, s) {
			return false
		}
	case s.marks > 0 && t.kind == prose && !t.han && compound(t.text):
		return false
	}
	// Short tokens cannot be secrets that anybody could use.
	return n < 8 || !redact.Secret(t.text)
}

// plainTerm judges a token of nothing but letters.
func plainTerm(t token, s shape) bool {
	switch {
	case strings.ContainsAny(t.text, "'’"):
		word, _, _ := strings.Cut(strings.ReplaceAll(t.text, "’", "'"), "'s")
		return !strings.Contains(word, "'") && word != t.text && !lexicon.Ordinary(word) && s.capitals > 0
	case t.kind == span, t.han && t.kind != block:
		return s.letters > 1
	case lexicon.Ordinary(t.text):
		return false
	case lexicon.Name(t.text):
		// "in Rust" is a name; the capital of a sentence or title says nothing.
		return s.capitals > 0 && !t.start && !t.title
	case s.capitals == 0:
		return s.letters > 2
	}
	return s.letters > 1
}

// unit tells whether a word is the unit of the number before it.
func unit(s string) bool {
	switch s {
	case "KB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "TiB", "kB", "kHz", "MHz", "GHz", "Hz", "ms", "ns", "us", "µs", "px":
		return true
	}
	return false
}

// compound tells whether a token is ordinary words with hyphens between them,
// such as open-source.
func compound(text string) bool {
	parts := strings.Split(text, "-")
	if len(parts) < 2 {
		return false
	}
	function := false
	for _, p := range parts {
		function = function || lexicon.Function(p)
		if p == "" || !lexicon.Ordinary(p) && !affix(p) {
			return false
		}
	}
	// disk-cache-size is a name, state-of-the-art is not.
	return len(parts) == 2 || function
}

// affix tells whether p is what ordinary words begin with before a hyphen.
func affix(p string) bool {
	switch strings.ToLower(p) {
	case "pre", "post", "non", "re", "co", "sub", "multi", "semi", "pseudo", "anti", "meta", "micro", "cross", "un", "de", "ex", "inter", "intra", "e", "x":
		return true
	}
	return false
}

// shape counts what a token consists of.
type shape struct {
	letters, capitals, digits, marks int
	humps                            int // capitals behind small letters: gitHub
	hex                              int // characters that a hexadecimal number may have
}

func shapeOf(text string) shape {
	var s shape
	small := false
	for _, r := range text {
		switch {
		case r >= '0' && r <= '9':
			s.digits++
		case unicode.IsLetter(r):
			s.letters++
			if unicode.IsUpper(r) {
				s.capitals++
				if small {
					s.humps++
				}
			}
			small = !unicode.IsUpper(r)
		case strings.ContainsRune(marks, r):
			s.marks++
			small = false
		}
		if r < utf8.RuneSelf && (r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'f') {
			s.hex++
		}
	}
	return s
}

// noise tells whether a token is a number, a date, a version without a name, a
// hash, an address or an abbreviation: nothing that is spelled wrong.
func noise(text string, s shape) bool {
	lower := strings.ToLower(text)
	switch {
	case numeric(lower, s):
		return true
	case hash(lower, s):
		return true
	case strings.HasPrefix(lower, "www."), strings.HasPrefix(lower, "mailto:"), mail(lower):
		return true
	case s.digits == 0 && initials(text):
		return true
	}
	return false
}

// numeric tells whether a token is a number with a sign, a unit or the letters
// of a date or version: 12ms, v1.4.6-rc2, 2026-08-14T12:00Z, 1st, 0xff, 1e9.
func numeric(lower string, s shape) bool {
	if s.digits == 0 {
		return false
	}
	rest := strings.TrimLeft(lower, marks)
	rest = strings.TrimPrefix(rest, "v")
	if rest == "" || rest[0] < '0' || rest[0] > '9' {
		return false
	}
	if hex, ok := strings.CutPrefix(rest, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef_") == ""
	}
	// Letters in runs of at most three, or the names of pre-releases.
	for _, name := range []string{"alpha", "beta", "snapshot", "preview", "final", "build", "post"} {
		rest = strings.ReplaceAll(rest, name, "")
	}
	run, letters := 0, 0
	for _, r := range rest {
		if r < utf8.RuneSelf && letter(byte(r)) {
			run++
			letters++
		} else {
			run = 0
		}
		if run > 3 || r >= utf8.RuneSelf {
			return false
		}
	}
	return letters <= 3 || strings.Trim(rest, "0123456789") != rest && strings.ContainsAny(rest, ":") && letters <= 5
}

// hash tells whether a token is a hexadecimal hash or identifier, a UUID, or a
// digest with the name of its kind.
func hash(lower string, s shape) bool {
	if _, digest, ok := strings.Cut(lower, ":"); ok && len(digest) >= 32 && strings.Trim(digest, "0123456789abcdef") == "" {
		return true
	}
	if s.marks == 0 {
		// Two such characters are a byte.
		return s.digits > 0 && s.hex == len(lower) && (len(lower) >= 7 || len(lower) == 2) || len(lower) >= 20 && s.digits > 3
	}
	bare := strings.ReplaceAll(lower, "-", "")
	return s.digits > 0 && len(bare) >= 16 && strings.Trim(bare, "0123456789abcdef") == ""
}

// mail tells whether a token is the address of a person: name@host.tld. A name
// with a version, gojieba@v1.4.6, is not.
func mail(lower string) bool {
	name, host, ok := strings.Cut(lower, "@")
	if !ok || name == "" || host == "" || strings.Contains(name, "/") {
		return false
	}
	return letter(host[0]) && strings.Contains(host, ".") && !(host[0] == 'v' && len(host) > 1 && host[1] >= '0' && host[1] <= '9')
}

// initials tells whether a token is single letters with dots: e.g, U.S.
func initials(text string) bool {
	if !strings.Contains(text, ".") {
		return false
	}
	for _, p := range strings.Split(text, ".") {
		if len(p) != 1 {
			return false
		}
	}
	return true
}

// isHanTerm judges a word that the dictionary cut out.
func isHanTerm(word string) bool {
	if n := utf8.RuneCountInString(word); n < 2 || n > maxPlain || lexicon.Chinese(word) {
		return false
	}
	first, size := utf8.DecodeRuneInString(word)
	last, _ := utf8.DecodeLastRuneInString(word)
	// A preposition that the segmenter did not cut off: 从文件.
	if first == '第' || utf8.RuneCountInString(word) > 2 && strings.ContainsRune("从把将被和与让在", first) {
		return false
	}
	// What begins with a number or a pronoun and ends at once counts things.
	if len(word) <= 2*size && strings.ContainsRune("零〇一二三四五六七八九十百千万亿两几每第某这那各另哪", first) {
		return false
	}
	return !strings.ContainsRune("的了吗呢吧啊么嘛", last) && !strings.ContainsRune("的了吗呢吧啊么嘛", first)
}

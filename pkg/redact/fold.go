package redact

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A folded text is what the rules look at: the text as a reader would take it, without the disguises that would
// hide a secret from a rule written for ASCII. Look-alike and compatibility letters are ASCII, invisible runes and
// accents are gone, and the escapes of JSON and shell strings (\n, \", \u003d, also doubled) are what they stand for.
type folded struct {
	b   []byte // the folded text; what has no ASCII counterpart stays as its UTF-8 bytes
	low []byte // b in lower case (ASCII only), byte for byte
	at  []int  // for each byte of b, and one past the end, where it comes from in the original; nil: the same place
}

// cutByte stands for a Marker of an earlier pass. Nothing else folds to it, and no rule reaches over it.
const cutByte = 0x01

// origin translates a span of the folded text to the original.
func (f *folded) origin(s Span) Span {
	if f.at == nil {
		return s
	}
	return Span{f.at[s.Start], f.at[s.End]}
}

// fold folds s, which must be valid UTF-8.
func fold(s string) folded {
	if plain(s) {
		return folded{b: []byte(s), low: []byte(strings.ToLower(s))}
	}
	f := folded{b: make([]byte, 0, len(s)+16), at: make([]int, 0, len(s)+17)}
	put := func(at int, bytes ...byte) {
		for _, c := range bytes {
			f.b = append(f.b, c)
			f.at = append(f.at, at)
		}
	}
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '\\':
			if e, n := unescape(s[i:]); n > 0 {
				put(i, e)
				i += n
				continue
			}
			put(i, c)
			i++
		case c == 0x1b:
			i += ansi(s[i:])
		case strings.HasPrefix(s[i:], "\r\n"):
			put(i, '\n')
			i += 2
		case c == '\v' || c == '\f' || c == '\r':
			put(i, '\n')
			i++
		case c < ' ' && c != '\n' && c != '\t' || c == 0x7f:
			i++
		case c < utf8.RuneSelf:
			put(i, c)
			i++
		default:
			r, n := utf8.DecodeRuneInString(s[i:])
			var room [16]byte
			put(i, foldRune(room[:0], r, s[i:i+n])...)
			i += n
		}
	}
	f.at = append(f.at, len(s))
	f.low = make([]byte, len(f.b))
	for i, c := range f.b {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		f.low[i] = c
	}
	return f
}

// plain reports whether folding s would change nothing.
func plain(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c == '\\' || c >= 0x7f || c < ' ' && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

// maxBackslashes is how deep an escape may be nested; the bound keeps the time linear.
const maxBackslashes = 16

// unescape reads an escape of a string literal, also one nested in others, and returns the byte it stands for
// and its length, which is 0 for any other use of the backslash.
func unescape(s string) (byte, int) {
	i := 0
	for i < len(s) && i < maxBackslashes && s[i] == '\\' {
		i++
	}
	if i == len(s) {
		return 0, 0
	}
	switch c := s[i]; c {
	case 'n':
		return '\n', i + 1
	case 'r':
		j := i + 1
		for j < len(s) && j <= 2*i && s[j] == '\\' {
			j++
		}
		if j > i+1 && j < len(s) && s[j] == 'n' { // one line end, not two
			return '\n', j + 1
		}
		return '\n', i + 1
	case 't':
		if strings.HasPrefix(s[i:], "token") { // a path such as dir\token
			return 0, 0
		}
		return '\t', i + 1
	case '"', '\'', '/', '`':
		return c, i + 1
	case '\n': // a line continued
		return ' ', i + 1
	case 'u':
		if len(s) >= i+5 && s[i+1] == '0' && s[i+2] == '0' {
			hi, lo := hexValue(s[i+3]), hexValue(s[i+4])
			if v := hi<<4 | lo; hi >= 0 && lo >= 0 && v >= ' ' && v < 0x7f {
				return byte(v), i + 5
			}
		}
	}
	return 0, 0
}

func hexValue(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

// ansi returns the length of the terminal control sequence that s begins with.
func ansi(s string) int {
	if len(s) < 2 || s[1] != '[' {
		return 1
	}
	i := 2
	for i < len(s) && s[i] >= 0x20 && s[i] <= 0x3f {
		i++
	}
	if i < len(s) && s[i] >= 0x40 && s[i] <= 0x7e {
		i++
	}
	return i
}

// foldRune appends what the rules see of r, whose UTF-8 form is s.
func foldRune(dst []byte, r rune, s string) []byte {
	switch {
	case s == Marker:
		return append(dst, cutByte)
	case r == '\u0085', r == '\u2028', r == '\u2029':
		return append(dst, '\n')
	case r >= 0x3041 && r < 0xa000, r >= 0xac00 && r < 0xd7b0, r >= 0x20000 && r < 0x32000:
		return append(dst, s...) // kana, Han and Hangul, the many
	}
	if c := lookalike(r); c != 0 {
		return append(dst, c)
	}
	if invisible(r) {
		return dst
	}
	d := norm.NFKD.PropertiesString(s).Decomposition()
	if d == nil {
		return append(dst, s...)
	}
	for len(d) > 0 && len(dst) < 8 { // the longest that matter are ligatures and "(10)"
		r, n := utf8.DecodeRune(d)
		if c := lookalike(r); c != 0 {
			dst = append(dst, c)
		} else if !invisible(r) {
			dst = append(dst, d[:n]...)
		}
		d = d[n:]
	}
	return dst
}

// invisible reports whether r takes no room of its own: format controls, joiners, variation selectors, tags and
// combining marks.
func invisible(r rune) bool {
	switch r {
	case 0x115f, 0x1160, 0x3164, 0xffa0: // fillers, letters by name only
		return true
	}
	return unicode.In(r, unicode.Cf, unicode.Mn, unicode.Me, unicode.Cc)
}

// lookalikes pairs letters and signs that look like ASCII ones, and are not made so by NFKC, with them.
var lookalikes = [...]string{
	"аa", "еe", "оo", "рp", "сc", "уy", "хx", "іi", "јj", "ѕs", "һh", "ԁd", "ԛq", "ԝw", "кk", "тt", "мm", "вb", "нh", "ӏl", "ѵv", "ɡg", "гr", "пn",
	"АA", "ВB", "ЕE", "КK", "МM", "НH", "ОO", "РP", "СC", "ТT", "УY", "ХX", "ІI", "ЈJ", "ЅS", "ԌG", "ԚQ", "ԜW", "ҮY", "ӀI", "ѴV", "ԀD",
	"αa", "εe", "ιi", "κk", "νv", "οo", "ρp", "τt", "υu", "χx", "γy", "σo", "ηn", "ωw", "ϲc", "ϳj",
	"ΑA", "ΒB", "ΕE", "ΖZ", "ΗH", "ΙI", "ΚK", "ΜM", "ΝN", "ΟO", "ΡP", "ΤT", "ΥY", "ΧX", "ϹC",
	"ıi", "ȷj", "ɑa", "øo", "łl", "đd", "ħh", "ŧt", "ƅb", "ɩi", "ꜱs", "ᴄc", "ᴏo", "ᴠv", "ᴡw", "ᴢz", "ᴛt", "ᴋk", "ᴇe", "ᴀa", "ɴn", "ʀr", "ᴘp", "ᴅd", "ᴜu", "ɪi", "ʏy",
	"օo", "սu", "հh", "ոn", "ցg", "զq", "աw", "ՏS", "ՍU", "ՕO", "ᎪA", "ᏴB", "ᏟC", "ᎬE", "ᎻH", "ᎫJ", "ᏦK", "ᏞL", "ᎷM", "ᏢP", "ᏚS", "ᎢT", "ᏙV", "ᎳW", "ᏃZ",
	"‐-", "‑-", "‒-", "–-", "—-", "―-", "−-", "⁃-", "﹘-", "➖-",
	"∶:", "ː:", "꞉:", "˸:", "׃:", "։:", "꞊=", "⩵=", "⁄/", "∕/", "⧸/", "‚,", "․.", "∗*", "⁎*", "ǃ!", "∣|", "❘|", "ǀ|",
	"‘'", "’'", "‛'", "′'", "“\"", "”\"", "„\"", "‟\"", "«\"", "»\"", "「\"", "」\"", "『\"", "』\"", "《\"", "》\"", "【[", "】]", "〔[", "〕]", "‹<", "›>", "⟨<", "⟩>",
}

var lookalikeOf = func() map[rune]byte {
	m := make(map[rune]byte, len(lookalikes))
	for _, pair := range lookalikes {
		r, n := utf8.DecodeRuneInString(pair)
		m[r] = pair[n]
	}
	return m
}()

// lookalike returns the ASCII character that r can be taken for, or 0.
func lookalike(r rune) byte {
	if r < utf8.RuneSelf {
		return 0
	}
	return lookalikeOf[r]
}

package terms

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"voice-input/pkg/normalize/lexicon"
)

// A part is a piece of a blob that is a token of its own.
type part struct {
	text     string
	at       int
	sentence bool // begins a sentence
}

// joints cuts a blob where it is no technical form but words that touch:
// read/write, works.Then, wait...done.
func joints(blob string, k kind) []part {
	var parts []part
	for at := 0; at < len(blob); {
		i := strings.Index(blob[at:], "..")
		if i < 0 || strings.HasPrefix(blob[at+i:], "../") {
			return append(parts, words(part{text: blob[at:], at: at, sentence: at > 0}, k)...)
		}
		parts = append(parts, words(part{text: blob[at : at+i], at: at, sentence: at > 0}, k)...)
		at += i
		for at < len(blob) && blob[at] == '.' {
			at++
		}
	}
	return parts
}

// words cuts a part at its slashes and colons if there are ordinary words on
// all sides, and at the full stop of a sentence.
func words(p part, k kind) []part {
	if k != prose {
		return []part{p}
	}
	p.text = described(p.text)
	if !strings.ContainsAny(p.text, "./:") {
		return []part{p}
	}
	inner := strings.Trim(p.text, marks)
	if !strings.ContainsAny(inner, "./:") {
		return []part{p}
	}
	if i := strings.LastIndexByte(inner, '.'); i > 0 && sentenceJoint(inner[:i], inner[i+1:]) {
		cut := strings.Index(p.text, inner) + i
		return []part{{p.text[:cut], p.at, p.sentence}, {p.text[cut+1:], p.at + cut + 1, true}}
	}
	if strings.ContainsAny(inner, "._@") || strings.HasSuffix(p.text, "/") || inner != strings.TrimRight(p.text, marks) {
		return []part{p}
	}
	var parts []part
	at := 0
	for _, w := range strings.FieldsFunc(inner, func(r rune) bool { return r == '/' || r == ':' }) {
		if !everyday(w) || directory(w) {
			return []part{p}
		}
		at += strings.Index(inner[at:], w)
		parts = append(parts, part{w, p.at + at, false})
		at += len(w)
	}
	return parts
}

// directory tells whether w is what directories of sources are called.
func directory(w string) bool {
	switch w {
	case "src", "pkg", "cmd", "lib", "bin", "usr", "opt", "tmp", "etc", "doc", "docs", "internal", "vendor", "share", "man", "tests", "testdata", "scripts", "examples":
		return true
	}
	return false
}

// described returns the name in a compound that describes something by it:
// POSIX-compliant, JSON-like, Cobra-based. Other texts are returned as they
// are.
func described(text string) string {
	text = strings.TrimRight(text, ".:")
	i := strings.LastIndexByte(text, '-')
	if i <= 0 {
		return text
	}
	switch text[i+1:] {
	case "aware", "based", "compatible", "compliant", "dependent", "driven", "enabled", "encoded", "formatted", "free",
		"friendly", "independent", "ish", "level", "like", "only", "powered", "ready", "related", "safe", "side",
		"specific", "style", "type", "typed", "wide":
		return text[:i]
	}
	return text
}

// sentenceJoint tells whether a full stop without a space stands between two
// sentences: the word behind it begins one.
func sentenceJoint(before, after string) bool {
	first, _ := utf8.DecodeRuneInString(after)
	return unicode.IsUpper(first) && lexicon.Function(after) && !strings.ContainsAny(before, "./:_")
}

// everyday tells whether w is an ordinary word, several with hyphens, or a
// number.
func everyday(w string) bool {
	return strings.Trim(w, "0123456789") == "" || lexicon.Ordinary(w) || compound(w)
}

// trim takes sentence punctuation and emphasis off a token, and leaves what is
// part of a name: .NET, --no-ff, __init__, ~/src, @scope/pkg, C++, C#.
func trim(s string, k kind) string {
	s = trimEnd(s, k)
	if s == "" {
		return ""
	}
	body := strings.TrimLeft(s, marks)
	if body == "" {
		return ""
	}
	lead := s[:len(s)-len(body)]
	begins := func(mark string) bool { return strings.HasSuffix(lead, mark) }
	first, _ := utf8.DecodeRuneInString(body)
	switch {
	case begins("--") && letter(body[0]):
		body = "--" + body
	case lead == "-" && k != prose && letter(body[0]):
		body = "-" + body
	case begins("__") && (k != prose || dunder(strings.TrimSuffix(body, "__")) || strings.Contains(strings.TrimSuffix(body, "__"), "__")):
		body = "__" + body
	case begins("__"):
		body = strings.TrimSuffix(body, "__") // __bold__
	case begins("_") && k != prose:
		body = "_" + body
	case begins("~/"):
		body = "~/" + body
	case begins("../"):
		body = "../" + body
	case begins("/") && lead == "/" && unicode.IsLetter(first):
		body = "/" + body
	case begins(".") && lead == "." && unicode.IsLetter(first):
		// A method at the beginning of a line of code is not a name with a dot.
		if k != block || unicode.IsLower(first) {
			body = "." + body
		}
	case begins("@") && (strings.Contains(body, "/") || k != prose):
		body = "@" + body
	case begins("@"):
		return "" // somebody's name
	}
	return body
}

// dunder tells whether Python has a name like this between double underscores.
func dunder(s string) bool {
	switch s {
	case "init", "main", "name", "file", "all", "doc", "str", "repr", "call", "enter", "exit", "new", "del", "slots", "dict", "class", "version":
		return true
	}
	return strings.Contains(s, "_")
}

// trimEnd takes off what ends a sentence or a line.
func trimEnd(s string, k kind) string {
	body := strings.TrimRight(s, marks)
	tail := s[len(body):]
	switch {
	case body == "":
		return ""
	case strings.HasPrefix(tail, "++") && len(body) == 1 && !strings.ContainsAny(body, "cCgG"):
		return "" // a counter
	case strings.HasPrefix(tail, "++"):
		return body + "++"
	case strings.HasPrefix(tail, "#") && len(body) <= 2 && letter(body[0]):
		return body + "#"
	case strings.HasPrefix(tail, "__") && strings.HasPrefix(body, "__"):
		return body + "__"
	case strings.HasPrefix(tail, "_") && k != prose:
		return body + "_"
	}
	return lineNumber(singular(body))
}

// singular takes the s off several of an acronym: APIs.
func singular(s string) string {
	if n := len(s) - 1; n >= 2 && s[n] == 's' && strings.Trim(s[:n], "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" {
		return s[:n]
	}
	return s
}

// lineNumber takes the place off a file name: main.go:12:3 is main.go.
func lineNumber(s string) string {
	for range 2 {
		i := strings.LastIndexByte(s, ':')
		if i < 0 || !strings.ContainsAny(s[:i], "./") || strings.Trim(s[i+1:], "0123456789") != "" {
			break
		}
		s = s[:i]
	}
	return s
}

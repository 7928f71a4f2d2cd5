package literal

import (
	"strings"

	"voice-input/pkg/normalize/lexicon"
)

type kind int

const (
	word   kind = iota // no literal
	number             // a whole number, which is a literal only with a unit
	name               // an identifier or a file name: a term may correct it
	fixed              // everything else: never corrected
)

// classify tells what a chunk is by its form. It has no spaces and no
// punctuation around it.
func classify(s string) kind {
	switch {
	case s == "":
		return word
	case symbols(s):
		return fixed
	case strings.Contains(s, "://"), strings.HasPrefix(s, "www."), strings.HasPrefix(s, "mailto:"):
		return fixed
	case isFlag(s):
		return fixed
	case strings.ContainsAny(s[:1], `$@#~%\`) && len(s) > 1:
		return fixed
	case isPath(s):
		return fixed
	case strings.ContainsAny(s, `()[]{}<>=|&*^%$#@\+~"`):
		return fixed
	}
	if letters, digits := counts(s); digits > 0 {
		return numeral(s, letters)
	}
	switch {
	case strings.Contains(s, "/"):
		return word // and/or: isPath has seen it
	case strings.Contains(s, "_"), hump(s):
		return name
	case strings.Contains(s, "."):
		return dotted(s)
	case strings.ContainsAny(s, ":;!?,"):
		return punctuated(s)
	case strings.Contains(s, "-"):
		return hyphened(s)
	}
	return word
}

// symbols tells whether s is an operator: two or more marks of code, or one
// that prose does not use.
func symbols(s string) bool {
	if s == "" || strings.Trim(s, "=<>|&+*/^%$#@\\~!:-?") != "" {
		return false
	}
	if len(s) == 1 {
		return strings.ContainsAny(s, "=<>|&+*^%$#@\\~")
	}
	return strings.ContainsAny(s, "=<>|&+*/^%$#@\\~") || s == "::" || s == "--"
}

func isFlag(s string) bool {
	dashes := len(s) - len(strings.TrimLeft(s, "-"))
	return (dashes == 1 || dashes == 2) && len(s) > dashes && alnum(s[dashes])
}

// isPath tells whether s is a path and not two words with a slash between.
func isPath(s string) bool {
	for _, start := range []string{"/", "~/", "./", "../"} {
		if strings.HasPrefix(s, start) && len(s) > len(start) {
			return true
		}
	}
	if !strings.Contains(s, "/") {
		return false
	}
	parts := strings.Split(s, "/")
	for _, p := range parts {
		if !ordinary(p) {
			return true
		}
	}
	return len(parts) > 2
}

// numeral tells what s is, which has a digit.
func numeral(s string, letters int) kind {
	switch {
	case letters > 0:
		if ordinal(s) {
			return word
		}
		// A file name or an identifier can be misheard, a version cannot.
		if s[0] == 'v' && strings.Trim(s[1:], "0123456789.") == "" || digit(s[0]) {
			return fixed
		}
		return name
	case strings.Trim(s, "0123456789") == "", grouped(s):
		return number
	}
	return fixed // 3.5, 1.2.3, 10:30, 2026-03-01, 1/2
}

// ordinal tells whether s is 1st, 2nd, 3rd, 4th …
func ordinal(s string) bool {
	n := len(s) - 2
	if n < 1 || strings.Trim(s[:n], "0123456789") != "" {
		return false
	}
	switch strings.ToLower(s[n:]) {
	case "st", "nd", "rd", "th":
		return true
	}
	return false
}

// grouped tells whether s is a number like 1,000.
func grouped(s string) bool {
	parts := strings.Split(s, ",")
	for i, p := range parts {
		if strings.Trim(p, "0123456789") != "" || i == 0 && (p == "" || len(p) > 3) || i > 0 && len(p) != 3 {
			return false
		}
	}
	return true
}

// hump tells whether s has a capital behind a small letter.
func hump(s string) bool {
	for i := 1; i < len(s); i++ {
		if s[i] >= 'A' && s[i] <= 'Z' && s[i-1] >= 'a' && s[i-1] <= 'z' {
			return true
		}
	}
	return false
}

// dotted tells what s is, which has a full stop inside.
func dotted(s string) kind {
	switch strings.ToLower(s) {
	case "e.g", "i.e", "a.m", "p.m", "u.s", "u.k", "ph.d", "p.s":
		return word
	}
	parts := strings.Split(s, ".")
	for i, p := range parts {
		if i > 0 && p != "" && p[0] >= 'A' && p[0] <= 'Z' && lexicon.Ordinary(p) && lexicon.Ordinary(parts[i-1]) {
			return word // the space behind a full stop is missing
		}
		if p == "" && i > 0 {
			return word // dots of silence: "so...maybe"
		}
	}
	return name
}

// punctuated tells what s is, which has a mark inside.
func punctuated(s string) kind {
	if strings.Contains(s, "::") {
		return fixed
	}
	for _, p := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(":;!?,", r) }) {
		if classify(p) != word {
			return fixed
		}
	}
	return word
}

// hyphened tells what s is, which has a hyphen inside: real-time is a word,
// lsp-client is a name.
func hyphened(s string) kind {
	for _, p := range strings.Split(s, "-") {
		if p == "" {
			return word // a dash
		}
		if !ordinary(p) {
			return name
		}
	}
	return word
}

func ordinary(p string) bool { return len(p) == 1 && letter(p[0]) || lexicon.Ordinary(p) }

func counts(s string) (letters, digits int) {
	for i := range len(s) {
		switch {
		case letter(s[i]):
			letters++
		case digit(s[i]):
			digits++
		}
	}
	return letters, digits
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
func digit(c byte) bool  { return c >= '0' && c <= '9' }
func alnum(c byte) bool  { return letter(c) || digit(c) }

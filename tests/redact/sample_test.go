package redact

import (
	"math/rand/v2"
	"regexp/syntax"
	"strings"
	"unicode"
)

// maxRepeat bounds what an open-ended repetition of a rule yields beyond its least.
const maxRepeat = 12

// sample returns a random string that a regular expression matches, but for its conditions on what is around it.
func sample(r *rand.Rand, re *syntax.Regexp) string {
	var b strings.Builder
	write(r, re, &b)
	return b.String()
}

func write(r *rand.Rand, re *syntax.Regexp, b *strings.Builder) {
	switch re.Op {
	case syntax.OpLiteral:
		for _, c := range re.Rune {
			b.WriteRune(c)
		}
	case syntax.OpCharClass:
		b.WriteRune(oneOf(r, re.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte("abcdefghijklmnopqrstuvwxyz0123456789"[r.IntN(36)])
	case syntax.OpCapture, syntax.OpConcat:
		for _, sub := range re.Sub {
			write(r, sub, b)
		}
	case syntax.OpAlternate:
		write(r, re.Sub[r.IntN(len(re.Sub))], b)
	case syntax.OpQuest:
		repeat(r, re, 0, 1, b)
	case syntax.OpStar:
		repeat(r, re, 0, maxRepeat, b)
	case syntax.OpPlus:
		repeat(r, re, 1, maxRepeat, b)
	case syntax.OpRepeat:
		least, most := re.Min, re.Max
		if most < 0 || most > least+maxRepeat {
			most = least + maxRepeat
		}
		repeat(r, re, least, most, b)
	}
}

func repeat(r *rand.Rand, re *syntax.Regexp, least, most int, b *strings.Builder) {
	if re.Flags&syntax.NonGreedy != 0 {
		most = least
	}
	for range least + r.IntN(most-least+1) {
		write(r, re.Sub[0], b)
	}
}

// oneOf returns a printable ASCII character of a class, if it has any, each as likely as another. A backslash is left
// out: the rules allow it for the sake of escapes.
func oneOf(r *rand.Rand, class []rune) rune {
	var printable []rune
	for i := 0; i+1 < len(class); i += 2 {
		for c := class[i]; c <= class[i+1] && c < unicode.MaxASCII; c++ {
			if c > ' ' && c != '\\' {
				printable = append(printable, c)
			}
		}
	}
	if len(printable) == 0 {
		return class[0]
	}
	if len(printable) > 80 { // "anything": what there really is, is base64
		return rune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/"[r.IntN(64)])
	}
	return printable[r.IntN(len(printable))]
}

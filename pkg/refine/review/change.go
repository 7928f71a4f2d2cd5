package review

import (
	"strings"
	"unicode"

	"voice-input/pkg/normalize/lexicon"
	"voice-input/pkg/refine/sound"
)

// Limits of what is replaced by something else in one piece, in tokens.
const (
	maxHeard   = 8 // of the transcript
	maxWritten = 6 // of the answer
)

// changed returns why b[j:j+q] may be written for a[i:i+p]: the name of a
// signal, or "".
func (e *editor) changed(i, p, j, q int) string {
	heard, written := e.a[i:i+p], e.b[j:j+q]
	if count(heard, negations) != count(written, negations) || count(heard, asking) > count(written, asking) {
		return ""
	}
	if sameNumber(heard, written) || i > 0 && e.a[i-1].kind == number && minutes(heard) != "" && minutes(heard) == written[0].key && q == 1 {
		return "numbers"
	}
	// December twenty third is December 23.
	if p == 1 && q == 1 && i > 0 && months[e.a[i-1].key] && heard[0].kind == ordinal && "#"+strings.TrimPrefix(heard[0].key, "ord") == written[0].key {
		return "numbers"
	}
	if term := e.termAt(j, q); term != "" && !hasMarker(heard) && e.heardAs(heard, term) {
		return "terms"
	}
	// What has the form of a name is corrected to a term only.
	if hasKind(heard, fixed) || hasKind(written, fixed) {
		return ""
	}
	if x := unit(heard); x != "" && x == unit(written) {
		return "spelling"
	}
	if hasKind(heard, number) != hasKind(written, number) {
		return ""
	}
	switch {
	case onlyKind(heard, han) && onlyKind(written, han):
		if variants[join(heard)] == join(written) {
			return "spelling"
		}
		// 买 and 卖 sound alike and say the opposite.
		if sound.SameHan(join(heard), join(written)) && !opposite(join(heard), join(written)) {
			return "homophones"
		}
	case onlyKind(heard, latin) && onlyKind(written, latin):
		return e.respelt(heard, written)
	}
	return ""
}

// span returns the part of the transcript that tokens were read from.
func (e *editor) span(ts []token) string { return e.in[ts[0].from:ts[len(ts)-1].to] }

// heardAs tells whether a name may be what was heard, all of it: without its
// first or its last word it is no more like the name.
func (e *editor) heardAs(heard []token, name string) bool {
	said := e.span(heard)
	if !sound.Resembles(said, name) {
		return false
	}
	if len(heard) == 1 {
		return true
	}
	all := sound.Likeness(said, name)
	return sound.Likeness(e.span(heard[1:]), name) <= all && sound.Likeness(e.span(heard[:len(heard)-1]), name) <= all
}

// termAt returns the term that the q tokens of b at j are, or "".
func (e *editor) termAt(j, q int) string {
	from, to := e.b[j].from, e.b[j+q-1].to
	if s := e.out[from:to]; e.terms[s] {
		return s
	}
	// C++, C# and .NET have marks at their ends.
	rest := e.out[to:]
	to += len(rest) - len(strings.TrimLeft(rest, "+#"))
	if from > 0 && e.out[from-1] == '.' {
		from--
	}
	if s := e.out[from:to]; e.terms[s] {
		return s
	}
	return ""
}

// respelt tells why English words may be written for others.
func (e *editor) respelt(heard, written []token) string {
	if len(heard) == 1 && len(written) == 1 {
		x, y := heard[0].key, written[0].key
		if sameGroup(x, y) || sameStem(x, y) {
			return "grammar"
		}
	}
	x, y := word(heard), word(written)
	if x == "" && y == "" {
		return ""
	}
	if x != "" && y != "" && !capital(heard[0]) && lexicon.Ordinary(y) && sound.Homophones(x, y) {
		return "homophones"
	}
	// A name that is no ordinary word, spelt right: pie torch, jason.
	if y != "" && len(heard) <= 3 && !lexicon.Ordinary(y) && !capital(heard[0]) {
		if sound.Likeness(e.span(heard), y) >= sureName && e.heardAs(heard, y) {
			return "spelling"
		}
	}
	return ""
}

// sureName is how alike a name must sound that is not among the terms.
const sureName = 0.85

// word returns the one written word that tokens are made of, or "".
func word(ts []token) string {
	for _, t := range ts[1:] {
		if t.from != ts[0].from {
			return ""
		}
	}
	return ts[0].text
}

// capital tells whether a token is written as a name: with a capital although
// no sentence begins there.
func capital(t token) bool {
	return t.gap < sentence && t.text != "" && unicode.IsUpper([]rune(t.text)[0]) && !lexicon.Ordinary(t.text)
}

func count(ts []token, of map[string]bool) (n int) {
	for _, t := range ts {
		if of[t.key] {
			n++
		}
	}
	return n
}

func hasKind(ts []token, k kind) bool {
	for _, t := range ts {
		if t.kind == k {
			return true
		}
	}
	return false
}

func onlyKind(ts []token, k kind) bool {
	for _, t := range ts {
		if t.kind != k {
			return false
		}
	}
	return true
}

// hasMarker tells whether a literal among ts is behind a marker.
func hasMarker(ts []token) bool {
	for _, t := range ts {
		if t.kind == fixed && t.to-t.from != len(t.text) {
			return true
		}
	}
	return false
}

func join(ts []token) string {
	var b strings.Builder
	for _, t := range ts {
		b.WriteString(t.key)
	}
	return b.String()
}

// sameNumber tells whether both are the same figures: 80 80 and 8080, 一 and 1.
func sameNumber(a, b []token) bool {
	x, y := allFigures(a), allFigures(b)
	return x != "" && x == y
}

func allFigures(ts []token) string {
	s := ""
	for _, t := range ts {
		switch {
		case t.kind == number:
			s += strings.TrimPrefix(t.key, "#")
		case t.key == "one", t.key == "一":
			s += "1"
		case t.key == "zero", t.key == "零", t.key == "oh" && s != "":
			s += "0"
		default:
			return money(ts)
		}
	}
	return s
}

// money returns a sum with its currency, which may stand before or behind it.
func money(ts []token) string {
	if len(ts) != 2 {
		return ""
	}
	n, c := ts[0], ts[1]
	if n.kind != number {
		n, c = c, n
	}
	if sign := currencies[c.key]; n.kind == number && sign != "" {
		return n.key + sign
	}
	return ""
}

var currencies = map[string]string{
	"$": "$", "dollar": "$", "dollars": "$", "bucks": "$", "€": "€", "euro": "€", "euros": "€", "£": "£", "pounds": "£", "¥": "¥", "￥": "¥", "yuan": "¥",
}

var months = set("january february march april may june july august september october november december")

// minutes returns what stands in figures behind an hour.
func minutes(ts []token) string {
	switch join(ts) {
	case "半", "点半":
		return "#30"
	case "点", "点整", "oclock":
		return "#00"
	case "一刻", "点一刻":
		return "#15"
	}
	return ""
}

// unit returns words without the spaces between them and with units in short:
// "log in" is "login", "5 gigabytes" is "5gb". It is "" if there is no word.
func unit(ts []token) string {
	s, letters := "", false
	for _, t := range ts {
		switch t.kind {
		case number:
			s += strings.TrimPrefix(t.key, "#")
		case latin:
			letters = true
			if short, ok := abbreviations[t.key]; ok {
				s += short
			} else {
				s += t.key
			}
		case ordinal:
			s += t.key
		default:
			return ""
		}
	}
	if !letters {
		return ""
	}
	return s
}

var abbreviations = pairs(`milliseconds ms millisecond ms seconds s second s sec s secs s minutes min minute min mins min hours h hour h hrs h
	bytes b byte b kilobytes kb kilobyte kb megabytes mb megabyte mb gigabytes gb gigabyte gb gigs gb gig gb terabytes tb terabyte tb hertz hz kilohertz khz megahertz mhz gigahertz ghz
	kilometers km kilometres km kilometer km meters m metres m centimeters cm millimeters mm kilograms kg kilos kg grams g pixels px versus vs etcetera etc`)

// variants are Chinese words that may be written otherwise.
var variants = pairs("啥 什么 咋 怎么 咋样 怎么样 为啥 为什么 干啥 干什么 俩 两个 仨 三个 甭 不用 帐号 账号")

func pairs(text string) map[string]string {
	m := map[string]string{}
	f := strings.Fields(text)
	for i := 0; i+1 < len(f); i += 2 {
		m[f[i]] = f[i+1]
	}
	return m
}

// opposite tells whether two words that sound alike mean the contrary.
func opposite(a, b string) bool {
	return strings.Contains(a, "买") != strings.Contains(b, "买") && strings.Contains(a, "卖") != strings.Contains(b, "卖")
}

// groups are words of grammar that agree with what stands beside them.
var groups = []map[string]bool{
	set("a an the"), set("is are am"), set("was were"), set("has have"), set("do does"), set("this these"), set("that those"), set("me i"), set("us we"), set("who whom"),
	set("than then"), set("its it"), set("affect effect"), set("accept except"), set("lose loose"),
}

func sameGroup(x, y string) bool {
	for _, g := range groups {
		if g[x] && g[y] {
			return true
		}
	}
	return false
}

// sameStem tells whether two words differ in their ending only: file, files;
// push, pushed, pushing.
func sameStem(x, y string) bool {
	if negations[x] || negations[y] {
		return false
	}
	for _, s := range stems(x) {
		for _, t := range stems(y) {
			if s == t {
				return true
			}
		}
	}
	return false
}

const minStem = 3

func stems(w string) []string {
	out := []string{w}
	for _, end := range []string{"s", "es", "d", "ed", "ing"} {
		base, ok := strings.CutSuffix(w, end)
		if !ok || len(base) < minStem {
			continue
		}
		out = append(out, base)
		if n := len(base); n > minStem && base[n-1] == base[n-2] {
			out = append(out, base[:n-1]) // running
		}
		if end == "ing" {
			out = append(out, base+"e")
		}
	}
	if base, ok := strings.CutSuffix(w, "ies"); ok {
		out = append(out, base+"y")
	}
	return out
}

package review

import (
	"slices"
	"strings"

	"voice-input/pkg/normalize/lexicon"
	"voice-input/pkg/refine/retract"
)

// Limits of what is dropped in one piece, in tokens.
const (
	maxRepeat  = 16 // of a beginning that is said again
	maxPutIn   = 3  // between the words of a beginning when it is said again
	maxBack    = 16 // of what is taken back by "I mean"
	maxWhole   = 60 // of a sentence that is taken back
	maxInstead = 4  // of a number with its unit, or a name
	shortWords = 3  // of a clause that is taken back for another one
	shortHan   = 4
)

// A drop is a reason to leave out some tokens.
type drop struct {
	n      int
	signal string
}

// drops returns why tokens of a may be left out from i on; none of them goes
// beyond to. Tokens before start are kept.
func (e *editor) drops(i, start, to int) []drop {
	var out []drop
	for _, p := range fillers.at(e.a, i, to) {
		if e.carriesTone(i, len(p.keys)) || p.keys[0] == "like" && i > 0 && likers[e.a[i-1].key] {
			continue
		}
		out = append(out, drop{len(p.keys), "fillers"})
	}
	for _, p := range tags.at(e.a, i, to) {
		if n := len(p.keys); (e.gapAt(i) >= clause || e.gapAt(i+n) >= clause) && !e.carriesTone(i, n) && i+n < len(e.a) {
			out = append(out, drop{n, "fillers"})
		}
	}
	t := e.a[i]
	asks := t.key == "呢" && e.gapAt(i+1) >= clause || auxiliaries[t.key] && t.gap >= clause
	if (droppable[t.key] || tone[t.key]) && !asks && !e.carriesTone(i, 1) {
		out = append(out, drop{1, "grammar"})
	}
	// 这个项目吧, 嗯: behind a topic, and no suggestion.
	if t.key == "吧" && e.style != message && e.skip(i+1) > i+1 {
		out = append(out, drop{1, "fillers"})
	}
	if e.brokenOff(i) {
		out = append(out, drop{1, "repeats"})
	}
	// 三点三十分 is 3:30.
	if i > 0 && e.a[i-1].kind == number && (t.key == "点" && i+1 < len(e.a) && e.a[i+1].kind == number || t.key == "分" && i > 1 && e.a[i-2].key == "点") {
		out = append(out, drop{1, "numbers"})
	}
	for _, n := range e.repeats(i, start, to) {
		out = append(out, drop{n, "repeats"})
	}
	for _, n := range e.corrections(i, to) {
		out = append(out, drop{n, "corrections"})
	}
	return out
}

// gapAt returns the gap before token i of a; the end of the text is one.
func (e *editor) gapAt(i int) gap {
	if i >= len(e.a) {
		return sentence
	}
	return e.a[i].gap
}

// carriesTone tells whether the n tokens at i of a message are a response at the
// beginning of a clause, or a particle at its end.
func (e *editor) carriesTone(i, n int) bool {
	last := i + n - 1
	if e.style != message {
		return false
	}
	if n == 1 && e.laughs(i) {
		return true
	}
	for _, p := range responses.at(e.a, i, len(e.a)) {
		if len(p.keys) == n && e.a[i].gap >= clause {
			return true
		}
	}
	return particles[e.a[last].key] && e.gapAt(last+1) >= clause && e.a[i].gap < clause
}

// brokenOff tells whether token i is the beginning of the next word.
func (e *editor) brokenOff(i int) bool {
	t := e.a[i]
	at := e.skip(i + 1)
	if t.kind != latin || at >= len(e.a) || len(t.key) < 2 || lexicon.Ordinary(t.key) {
		return false
	}
	next := e.a[at]
	return next.kind == latin && len(next.key) > len(t.key) && strings.HasPrefix(next.key, t.key)
}

// skip returns the first token from i on that does not hesitate.
func (e *editor) skip(i int) int {
	for i < len(e.a) {
		n := 0
		if hesitations[e.a[i].key] {
			n = 1
		}
		for _, p := range fillers.at(e.a, i, len(e.a)) {
			n = max(n, len(p.keys))
		}
		if n == 0 {
			return i
		}
		i += n
	}
	return i
}

// repeats returns how many tokens from i on are said again behind them, or
// were said right before them and kept.
func (e *editor) repeats(i, start, to int) []int {
	var out []int
	for n := 1; n <= maxRepeat && i+n <= to; n++ {
		run := e.a[i : i+n]
		if !speaks(run) || n == 1 && (e.doubled(i) || e.laughs(i)) {
			continue
		}
		next := e.skip(i + n)
		switch {
		case sameStart(run, e.a[min(next, len(e.a)):min(next+n, len(e.a))]):
			out = append(out, n)
		case i == start && i >= n && e.kept(i-n, i) && sameKeys(run, e.a[i-n:i]):
			out = append(out, n)
		case n > 1 && e.restarts(run, e.a[next:min(next+2*n+4, len(e.a))]):
			out = append(out, n)
		}
	}
	return out
}

// doubled tells whether the character at i stands there twice because the word
// is so: 谢谢, 看看. Small words are doubled only by mistake.
func (e *editor) doubled(i int) bool {
	k := e.a[i].key
	if e.a[i].kind != han || stuttered[k] {
		return false
	}
	from, to := i, i+1
	for from > 0 && e.a[from-1].key == k {
		from--
	}
	for to < len(e.a) && e.a[to].key == k {
		to++
	}
	return to-from == 2 && e.a[from+1].gap == joined
}

// laughs tells whether token i is part of 哈哈 or 嗯嗯 in a message.
func (e *editor) laughs(i int) bool {
	k := e.a[i].key
	return e.style == message && (k == "哈" || k == "嗯" || k == "嘿" || k == "呵") && (i > 0 && e.a[i-1].key == k || i+1 < len(e.a) && e.a[i+1].key == k)
}

// speaks tells whether a run has more than numbers, of which two in a row may
// be meant, as in 1 1 0.
func speaks(run []token) bool {
	return slices.ContainsFunc(run, func(t token) bool { return t.kind != number && t.key != "one" && t.key != "一" && t.key != "zero" })
}

func sameKeys(a, b []token) bool {
	return len(a) == len(b) && slices.EqualFunc(a, b, func(x, y token) bool { return x.key == y.key })
}

// sameStart is sameKeys, but for the last word of a, which may have been broken
// off: "I wan", "I want".
func sameStart(a, b []token) bool {
	if sameKeys(a, b) {
		return true
	}
	n := len(a) - 1
	return n > 0 && len(b) == len(a) && sameKeys(a[:n], b[:n]) && a[n].kind == latin && len(a[n].key) > 1 && strings.HasPrefix(b[n].key, a[n].key)
}

// kept tells whether a[from:to] is outside every hunk.
func (e *editor) kept(from, to int) bool {
	for _, h := range e.hunks {
		if h.a.from < to && from < h.a.to {
			return false
		}
	}
	return true
}

// restarts tells whether all words of run come again in window, in the same
// order and from the same beginning, so that run is a false start. Small words
// do not count.
func (e *editor) restarts(run, window []token) bool {
	if len(window) == 0 {
		return false
	}
	words, w := 0, 0
	for i, t := range run {
		switch {
		case auxiliaries[t.key] && i > 0 && len(window) > i && auxiliaries[window[i].key]:
			words++ // "we should we could"
			continue
		case hesitations[t.key], droppable[t.key] && words > 0, tone[t.key]:
			continue
		}
		at := slices.IndexFunc(window[w:], func(x token) bool { return x.key == t.key })
		if at < 0 || at > maxPutIn || words == 0 && at > 1 {
			return false
		}
		words++
		w += at + 1
	}
	return words > 1
}

// corrections returns how many tokens from i on are taken back: what was said,
// and the words that take it back. What replaces it follows.
func (e *editor) corrections(i, to int) []int {
	var out []int
	for r := i + 1; r < to && r <= i+maxWhole; r++ {
		for _, c := range cues.at(e.a, r, to) {
			cue := r + len(c.keys)
			for _, end := range []int{cue, e.skip(cue)} {
				if end <= to && e.takesBack(i, r, cue, end, c) {
					out = append(out, end-i)
				}
			}
			if cue == to {
				continue
			}
			for _, l := range leads.at(e.a, cue, to) {
				if commits[l.String()] {
					c.strength = max(c.strength, retract.Sure)
				}
				if end := cue + len(l.keys); e.takesBack(i, r, cue, end, c) {
					out = append(out, end-i)
				}
			}
		}
	}
	return out
}

// takesBack tells whether the cue c in a[r:cue] takes back a[i:r] for the sake
// of what begins at end.
func (e *editor) takesBack(i, r, cue, end int, c phrase) bool {
	if end >= len(e.a) {
		return false
	}
	said := e.a[i:r]
	for len(said) > 0 && hesitations[said[len(said)-1].key] {
		said = said[:len(said)-1]
	}
	if len(said) == 0 {
		return false
	}
	apart := e.a[r].gap >= clause && e.a[cue].gap >= clause
	if c.strength == retract.Whole {
		return apart && said[0].gap >= clause
	}
	if len(said) > maxBack || slices.ContainsFunc(said[1:], func(t token) bool { return t.gap == sentence }) {
		return false
	}
	apartBehind := e.a[cue].gap >= clause
	if denials[c.String()] && !apartBehind && (c.String() == "不是" || e.a[cue].key == "是" || !otherNumber(said, e.a[end:])) {
		return false // "8080, not 9090" is no correction, "six no seven" is one
	}
	if doubtful[c.String()] && !apartBehind && said[0].key != e.a[end].key && !otherNumber(said, e.a[end:]) {
		return false
	}
	if c.strength == retract.Maybe && !apart && unfinished[said[len(said)-1].key] {
		return false // "I'm sorry", "it is actually"
	}
	if instead(said, e.a[end:]) {
		return true
	}
	// What is said instead does not begin like it: "John, I mean Mary".
	if c.strength != retract.Sure && !apart || count(said, negations) > 0 || slices.ContainsFunc(said, func(t token) bool { return t.key == e.a[end].key }) {
		return false
	}
	if said[0].gap >= clause && c.strength == retract.Sure && !explanations[c.String()] {
		return shortRun(said, shortWords, shortHan)
	}
	return shortRun(said, 1, 2)
}

// otherNumber tells whether again begins with what was said but for a number.
func otherNumber(said, again []token) bool {
	if len(again) < len(said) {
		return false
	}
	other := 0
	for i, t := range said {
		switch {
		case t.key == again[i].key:
		case t.kind == again[i].kind && (t.kind == number || t.kind == ordinal):
			other++
		default:
			return false
		}
	}
	return other == 1
}

// instead tells whether again begins like what was said: with the same word, or
// with something of the same sort, such as another number.
func instead(said, again []token) bool {
	x, y := said[0], again[0]
	if x.key == y.key {
		return !droppable[x.key] || len(said) > 1 && len(again) > 1
	}
	return x.kind == y.kind && (x.kind == number || x.kind == fixed || x.kind == ordinal) && len(said) <= maxInstead
}

// shortRun tells whether a run has at most so many words or characters.
func shortRun(run []token, mostWords, mostChars int) bool {
	words, chars := 0, 0
	for _, t := range run {
		switch {
		case t.kind == han:
			chars++
		case !droppable[t.key]:
			words++
		}
	}
	return words <= mostWords && chars <= mostChars && (words == 0 || chars == 0)
}

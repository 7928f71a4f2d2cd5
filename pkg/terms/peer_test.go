package terms

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// peerTerms is the ranking that the quality bench compares with: every run
// with a mark, a digit or a capital and every word that a segmenter cuts out
// is a term, unless it is one of some forty stop words; counts are those of
// substrings; rare terms come first.
func peerTerms(tb testing.TB, d *Dictionary, text string, max int) []string {
	if n := utf8.RuneCountInString(text); n > max {
		runes := []rune(text)
		head := max * 2 / 3
		text = string(runes[:head]) + "\n…\n" + string(runes[n-(max-head-3):])
	}
	var order []string
	seen := map[string]bool{}
	offer := func(s string) {
		key := strings.ToLower(s)
		if !seen[key] && peerAdmits(s, key) {
			seen[key] = true
			order = append(order, s)
		}
	}
	for _, run := range strings.FieldsFunc(text, func(r rune) bool {
		return r >= utf8.RuneSelf || !(unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_/.:+#@", r))
	}) {
		capital := strings.ContainsFunc(run, unicode.IsUpper) && strings.ContainsFunc(run[1:], unicode.IsLower)
		if strings.ContainsAny(run, "-_/.:+#@0123456789") || capital {
			offer(run)
		}
	}
	words, err := d.Cut(tb.Context(), text)
	if err != nil {
		tb.Fatal(err)
	}
	for _, w := range words {
		offer(strings.Trim(w, " \t\n`'\"‘’“”()[]{}<>,;:!?，；：！？（）【】《》、。…"))
	}
	lower := strings.ToLower(text)
	count := map[string]int{}
	for _, s := range order {
		count[s] = strings.Count(lower, strings.ToLower(s))
	}
	slices.SortStableFunc(order, func(a, b string) int { return cmp.Compare(count[a], count[b]) })
	return order
}

var peerStops = strings.Fields(`the a an and or but if then of in on at to for from by with as is are was be been have has had do does
can could should would will may must you your its use using used user message text current existing new one two first second all any also not only when
可以 应该 需要 如果 因为 所以 但是 然后 或者 以及 我们 你们 他们 这个 那个 这些 那些 什么 怎么 没有 不是 就是 还是 已经 进行 使用 实现 当前 用户 文本 消息 内容 一个 其中`)

func peerAdmits(s, key string) bool {
	n := utf8.RuneCountInString(s)
	han := strings.ContainsFunc(s, func(r rune) bool { return eastAsian(r) != nil })
	switch {
	case n < 2, n > 96, slices.Contains(peerStops, key):
		return false
	case han:
		return true
	case !strings.ContainsFunc(s, func(r rune) bool { return r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)) }):
		return false
	case strings.HasPrefix(key, "http://"), strings.HasPrefix(key, "https://"):
		return false
	}
	return n <= 48 || strings.ContainsAny(s, "-_/.:+#@")
}

package review

import (
	"strconv"
	"strings"
)

// figures returns the length of a number in figures at the start of text: 42,
// 1,000, 3.5, 1.2.3. It is 0 if a letter follows, as in 3rd and 5GB.
func figures(text string) int {
	digits := func(i int) int {
		for i < len(text) && text[i] >= '0' && text[i] <= '9' {
			i++
		}
		return i
	}
	end := digits(0)
	for end < len(text) && (text[end] == '.' || text[end] == ',') {
		next := digits(end + 1)
		if next == end+1 || text[end] == ',' && next != end+4 {
			break
		}
		end = next
	}
	if end < len(text) && (text[end] >= 'a' && text[end] <= 'z' || text[end] >= 'A' && text[end] <= 'Z') {
		return 0
	}
	return end
}

// value returns what a number in figures is compared by.
func value(s string) string { return strings.ReplaceAll(s, ",", "") }

func ordinalFigures(w string) string {
	for _, end := range []string{"st", "nd", "rd", "th"} {
		if n, ok := strings.CutSuffix(w, end); ok && n != "" && strings.Trim(n, "0123456789") == "" {
			return n
		}
	}
	return ""
}

const maxNumber = 1_000_000_000_000 // what is said in one number is less

// spelt are number words and their values.
var spelt = func() map[string]int {
	m := map[string]int{"hundred": 100, "thousand": 1000, "million": 1_000_000, "billion": 1_000_000_000}
	for i, w := range strings.Fields("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen") {
		m[w] = i
	}
	for i, w := range strings.Fields("twenty thirty forty fifty sixty seventy eighty ninety") {
		m[w] = 20 + 10*i
	}
	m["fourty"] = 40
	return m
}()

var ordinals = func() map[string]int {
	m := map[string]int{}
	for i, w := range strings.Fields("first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth") {
		m[w] = i + 1
	}
	return m
}()

var hanDigits = map[string]int{
	"零": 0, "〇": 0, "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9,
	"十": 10, "百": 100, "千": 1000, "万": 10_000, "亿": 100_000_000, "萬": 10_000, "億": 100_000_000, "兩": 2,
}

// numbers replaces number words by numbers: "twenty three" and 二十三 are 23.
// A single "one" or 一 stays a word, since it rarely counts anything.
func numbers(in []token) []token {
	out := in[:0]
	for i := 0; i < len(in); {
		n, v := 1, ""
		switch t := in[i]; {
		case t.kind == latin:
			if n, v := ordinalWord(in[i:]); n > 0 {
				t.kind, t.key, t.to, t.asks = ordinal, "ord"+strconv.Itoa(v), in[i+n-1].to, in[i+n-1].asks
				out = append(out, t)
				i += n
				continue
			}
			n, v = english(in[i:])
		case t.kind == han:
			n, v = chinese(in[i:])
		case t.kind == number:
			n, v = scaled(in[i:])
		}
		if v == "" {
			out = append(out, in[i])
			i++
			continue
		}
		t := in[i]
		t.kind, t.key, t.to, t.asks = number, "#"+v, in[i+n-1].to, in[i+n-1].asks
		if n > 1 {
			t.text = v
		}
		i += n
		if i < len(in) && in[i].gap < clause && (in[i].key == "%" || in[i].key == "percent") {
			t.key, t.to, t.asks = t.key+"%", in[i].to, in[i].asks
			i++
		}
		out = append(out, t)
	}
	return out
}

// ordinalWord reads an ordinal in words: third, twenty third.
func ordinalWord(in []token) (n, v int) {
	if v := ordinals[in[0].key]; v > 0 {
		return 1, v
	}
	if tens := spelt[in[0].key]; tens >= 20 && tens < 100 && len(in) > 1 && in[1].gap < clause {
		if v := ordinals[in[1].key]; v > 0 && v < 10 {
			return 2, tens + v
		}
	}
	return 0, 0
}

// scaled reads figures and the word that multiplies them: 3 万, 5 million.
func scaled(in []token) (int, string) {
	return times(in, 1, strings.TrimPrefix(in[0].key, "#"))
}

// times multiplies the number v, which in[:n] says, by the word behind it.
func times(in []token, n int, v string) (int, string) {
	if n < len(in) && in[n].gap < clause {
		factor := 0
		switch in[n].key {
		case "百", "千", "万", "亿", "萬", "億":
			factor = hanDigits[in[n].key]
		case "hundred", "thousand", "million", "billion":
			factor = spelt[in[n].key]
		}
		if f, err := strconv.ParseFloat(v, 64); err == nil && factor > 0 && f*float64(factor) < maxNumber {
			return n + 1, strconv.FormatFloat(f*float64(factor), 'f', -1, 64)
		}
	}
	return n, v
}

// english reads a number in words.
func english(in []token) (n int, v string) {
	word := func(i int) (int, bool) {
		if i >= len(in) || in[i].kind != latin || i > 0 && in[i].gap >= clause {
			return 0, false
		}
		x, ok := spelt[in[i].key]
		return x, ok
	}
	i := 0
	first, ok := word(0)
	if in[0].key == "a" {
		if next, big := word(1); big && next >= 100 {
			first, ok, i = 1, true, 0
		}
	}
	if !ok || first >= 100 {
		return 1, ""
	}
	total, part := 0, first
	i = 1
	last := first // the value of the last word, which the next one must go on from
	for {
		x, ok := word(i)
		if !ok && i+1 < len(in) && in[i].key == "and" && last >= 100 {
			if y, then := word(i + 1); then && y < 100 {
				x, ok = y, true
				i++
			}
		}
		switch {
		case !ok:
		case x == 100 && part > 0 && part < 100:
			part *= 100
		case x >= 1000 && part > 0 && part < 1000 && (total == 0 || total%(x*1000) == 0):
			total, part = total+part*x, 0
		case x < 10 && last >= 20 && last < 100 && last%10 == 0, x < 100 && last >= 100 && part%100 == 0:
			part += x
		default:
			ok = false
		}
		if !ok {
			break
		}
		last = x
		i++
	}
	v = strconv.Itoa(total + part)
	// three point one four
	for i+1 < len(in) && in[i].key == "point" {
		x, ok := word(i + 1)
		if !ok {
			break
		}
		i += 2
		v += "." + strconv.Itoa(x)
		for x < 10 {
			if x, ok = word(i); !ok || x >= 10 {
				break
			}
			v += strconv.Itoa(x)
			i++
		}
	}
	if i == 1 && in[0].key == "one" {
		return 1, ""
	}
	if strings.Contains(v, ".") {
		return times(in, i, v)
	}
	return i, v
}

// chinese reads a number in characters: 三百二十, 二〇二六, 三点五, 百分之三十.
func chinese(in []token) (n int, v string) {
	if len(in) > 3 && in[0].key == "百" && in[1].key == "分" && in[2].key == "之" {
		if in[3].kind == number {
			return 4, strings.TrimPrefix(in[3].key, "#") + "%"
		}
		if in[3].key == "一" {
			return 4, "1%"
		}
		n, v := chinese(in[3:])
		if v == "" {
			return 1, ""
		}
		return 3 + n, v + "%"
	}
	n, v = hanNumber(hanRun(in))
	plain := n > 0 && n == len(v) // no unit: a decimal may follow
	for plain && n+1 < len(in) && in[n].key == "点" && in[n].gap == joined {
		run := hanRun(in[n+1:])
		if len(run) == 0 || in[n+1].gap != joined {
			break
		}
		tail, more := figureRun(run)
		after := n + 1 + len(tail)
		// 三点十分, 三点五分 and 三点半 are times.
		if tail == "" || more && run[len(tail)] < 10_000 || after < len(in) && (in[after].key == "分" || in[after].key == "半") {
			break
		}
		n, v = after, v+"."+tail
	}
	if n == 0 || n == 1 && in[0].key == "一" {
		return 1, ""
	}
	if strings.Contains(v, ".") {
		return times(in, n, v)
	}
	return n, v
}

// hanRun returns the values of the numerals that in begins with.
func hanRun(in []token) []int {
	var run []int
	for i, t := range in {
		x, ok := hanDigits[t.key]
		if t.kind != han || !ok || i > 0 && t.gap != joined {
			break
		}
		run = append(run, x)
	}
	return run
}

// figureRun returns the figures that run begins with, and whether a unit
// follows them.
func figureRun(run []int) (figures string, unit bool) {
	for _, x := range run {
		if x >= 10 {
			return figures, true
		}
		figures += strconv.Itoa(x)
	}
	return figures, false
}

// hanNumber returns how many numerals make the first number of run, and its
// value.
func hanNumber(run []int) (n int, v string) {
	figures, _ := figureRun(run)
	if len(figures) > 1 && !(run[0] == 0 && len(figures) < len(run)) || len(figures) == len(run) {
		return len(figures), figures
	}
	if run[0] > 10 {
		return 0, "" // 万一, 千万 and 百 alone are words
	}
	total, section, big := 0, 0, 0
	digit, unit, small := -1, 1, maxNumber
	zero := false
loop:
	for n = 0; n < len(run); n++ {
		switch x := run[n]; {
		case x == 0:
			zero, digit = true, -1
		case x < 10:
			if digit >= 0 {
				break loop
			}
			digit = x
		case x < 10_000:
			if x >= small {
				break loop
			}
			if digit < 0 {
				digit = 1
			}
			section += digit * x
			digit, unit, small, zero = -1, x, x, false
		default:
			section += max(digit, 0)
			switch {
			case section == 0, total+section > maxNumber/x && x >= big:
				break loop
			case x < big:
				total += section * x // 一亿两千万
			default:
				total = (total + section) * x
			}
			big = x
			section, digit, unit, small, zero = 0, -1, x, maxNumber, false
		}
	}
	if digit > 0 {
		if unit > 10 && !zero {
			digit *= unit / 10 // 一百二, 两万五
		}
		section += digit
	}
	return n, strconv.Itoa(total + section)
}

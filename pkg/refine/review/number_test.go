package review

import (
	"strings"
	"testing"

	"voice-input/pkg/refine/literal"
)

func keys(text string) string {
	var out []string
	for _, t := range tokens(text, literal.Masked{}) {
		out = append(out, t.key)
	}
	return strings.Join(out, " ")
}

func TestNumbers(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"twenty three", "#23"}, {"twenty-three files", "#23 files"}, {"one hundred and five", "#105"},
		{"a hundred", "#100"}, {"two thousand and twenty six", "#2026"}, {"twenty twenty six", "#20 #26"},
		{"nineteen eighty four", "#19 #84"}, {"eighty eighty", "#80 #80"}, {"three point one four", "#3.14"},
		{"one point two point three", "#1.2.3"}, {"five hundred twelve", "#512"}, {"one two three", "one #2 #3"},
		{"three million two hundred thousand", "#3200000"}, {"this one", "this one"}, {"zero", "#0"},
		{"thirty percent", "#30%"}, {"30%", "#30%"}, {"5 million", "#5000000"}, {"1,000 and 1000", "#1000 and #1000"},
		{"third 3rd", "ord3 ord3"}, {"December twenty third", "december ord23"}, {"twenty, third", "#20 ord3"}, {"two, three", "#2 #3"}, {"hundred", "hundred"}, {"fourty two", "#42"},
		{"十二", "#12"}, {"三百", "#300"}, {"三百二十一个", "#321 个"}, {"二十", "#20"}, {"十", "#10"}, {"两个", "#2 个"},
		{"一百零五", "#105"}, {"一百二", "#120"}, {"两万五", "#25000"}, {"三千零二十", "#3020"}, {"一亿两千万", "#120000000"},
		{"二零二六年", "#2026 年"}, {"三点五", "#3.5"}, {"三点", "#3 点"}, {"三点半", "#3 点 半"}, {"三点十分", "#3 点 #10 分"},
		{"三点五分", "#3 点 #5 分"}, {"一点五倍", "#1.5 倍"}, {"百分之三十", "#30%"}, {"百分之3", "#3%"}, {"百分之一", "#1%"},
		{"一下", "一 下"}, {"万一", "万 一"}, {"千万不要", "千 万 不 要"}, {"百", "百"}, {"3万", "#30000"}, {"一点五万", "#15000"}, {"one point five million", "#1500000"}, {"1.5 million", "#1500000"}, {"零", "#0"},
		{"一万一千", "#11000"}, {"一二三", "#123"}, {"十分", "#10 分"}, {"3:30", "#3 #30"}, {"百分之", "百 分 之"},
	} {
		if got := keys(tt.text); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestTokens(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", ""}, {"  ，。", ""},
		{"I don't, can't; it's", "i do not can not it is"},
		{"the server's logs", "the servers logs"},
		{"把 API 改成 v", "把 api 改 成 v"},
		{"well-known", "well known"},
		{"OK 😀 ☃", "okay 😀 ☃"},
		{"umm hmmm uhhh er", "um hm uh er"},
		{"naïve café", "naïve café"},
		{"かな 한글", "か な 한 글"},
	} {
		if got := keys(tt.text); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.text, got, tt.want)
		}
	}
	m := literal.Masked{Literals: []string{"--force"}, Open: []string{"--force", "a_b"}}
	got := tokens("use --force, [[1]], a_b --forceful", m)
	var all []string
	for _, t := range got {
		all = append(all, t.key)
	}
	if s := strings.Join(all, " "); s != "use =--force =--force =a_b forceful" {
		t.Errorf("got %q", s)
	}
	if got[0].gap != sentence || got[1].gap != spaced || got[2].gap != clause {
		t.Errorf("gaps %v %v %v", got[0].gap, got[1].gap, got[2].gap)
	}
}

package punctuation

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestA13_ASCIIMarksInChinese(t *testing.T) {
	for text, want := range map[string]string{
		"帮我看看,为什么?":          "帮我看看，为什么？",
		"改好了, 再试一次.":         "改好了，再试一次。",
		"先看日志;再重启!":          "先看日志；再重启！",
		"第一行.\n第二行.":         "第一行。\n第二行。",
		"他说“好的”,然后走了":        "他说“好的”，然后走了",
		"看看,React 为什么这样?":    "看看，React 为什么这样？",
		"用 React,然后再说":       "",
		"foo(a, b)":          "",
		"1,000":              "",
		"a.b,c":              "",
		"Well, why not? Go.": "",
		"等等...再说":            "",
		"配置.json 在哪":         "",
		"时间是12:30":           "",
		"帮我看看，为什么？":          "",
		"":                   "",
	} {
		if want == "" {
			want = text
		}
		if got := Chinese(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

func FuzzChinese(f *testing.F) {
	f.Add("帮我看看, 为什么?")
	f.Add("啊.., ,.好")
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			t.Skip()
		}
		once := Chinese(text)
		if twice := Chinese(once); twice != once {
			t.Errorf("%q becomes %q and then %q", text, once, twice)
		}
		bare := func(s string) string {
			return strings.Map(func(r rune) rune {
				for a, w := range wide {
					if r == w {
						return a
					}
				}
				if r == ' ' {
					return -1
				}
				return r
			}, s)
		}
		if bare(once) != bare(text) {
			t.Errorf("%q becomes %q", text, once)
		}
	})
}

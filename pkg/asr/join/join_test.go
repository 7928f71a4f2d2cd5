package join

import (
	"strings"
	"testing"
	"unicode"
)

func TestJoin(t *testing.T) {
	for _, tt := range []struct{ a, b, want string }{
		{"", "", ""},
		{"hello", "", "hello"},
		{"", "world", "world"},
		{"hello", "world", "hello world"},
		{"Hello.", "World", "Hello. World"},
		{"Really?", "Yes", "Really? Yes"},
		{"one,", "two", "one, two"},
		{"你好", "世界", "你好世界"},
		{"你好。", "世界", "你好。世界"},
		{"你好。", "World", "你好。World"},
		{"你好", "world", "你好world"},
		{"world", "你好", "world你好"},
		{"Hello.", "你好", "Hello.你好"},
		{"打开 ", "kubectl", "打开 kubectl"},
		{"안녕하세요", "여러분", "안녕하세요 여러분"},
		{"안녕하세요.", "여러분", "안녕하세요. 여러분"},
		{"こんにちは", "世界", "こんにちは世界"},
		{"コード", "レビュー", "コードレビュー"},
		{"コード", "review", "コードreview"},
		{"สวัสดี", "ครับ", "สวัสดีครับ"},
		{"it costs 3.", "5 dollars", "it costs 3.5 dollars"},
		{"it costs 1,", "000 dollars", "it costs 1,000 dollars"},
		{"chapter 3", "5 pages", "chapter 3 5 pages"},
		{"version 3.", "Next", "version 3. Next"},
		{"about 50%", "of it", "about 50% of it"},
		{"he said", "\"yes\"", "he said \"yes\""},
		{"he said \"yes\"", "and left", "he said \"yes\" and left"},
		{"wait", "(a moment)", "wait (a moment)"},
		{"(a moment)", "please", "(a moment) please"},
		{"hello", ", world", "hello, world"},
		{"hello", ".", "hello."},
		{"hello", "!", "hello!"},
		{"hello ", "world", "hello world"},
		{"hello", " world", "hello world"},
		{"Привет.", "Мир", "Привет. Мир"},
		{"café", "naïve", "café naïve"},
		{"full.", "ｗｉｄｅ", "full.ｗｉｄｅ"},
		{"नमस्ते", "दुनिया", "नमस्ते दुनिया"},
		{"wait…", "what", "wait… what"},
	} {
		if got := Join(tt.a, tt.b); got != tt.want {
			t.Errorf("%q + %q: %q, want %q", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestAll(t *testing.T) {
	if got := All("Hello.", "", "World.", "你好。", "Bye"); got != "Hello. World.你好。Bye" {
		t.Errorf("%q", got)
	}
}

// Joining changes nothing but one space between the texts.
func FuzzJoin(f *testing.F) {
	for _, s := range []string{"", "Hello.", "World", "你好。", "3.", "5", "\xff", "e\u0301", " ", "안녕"} {
		f.Add(s, "World")
		f.Add("Hello.", s)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		got := Join(a, b)
		if !strings.HasPrefix(got, a) || !strings.HasSuffix(got, b) || len(got) > len(a)+len(b)+1 {
			t.Errorf("%q + %q: %q", a, b, got)
		}
		if Join(a, "") != a || Join("", b) != b {
			t.Errorf("%q + %q: the empty text is not neutral", a, b)
		}
		if len(got) == len(a)+len(b)+1 {
			if got != a+" "+b {
				t.Errorf("%q + %q: %q", a, b, got)
			}
			if unicode.IsSpace([]rune(b)[0]) || strings.HasSuffix(a, " ") {
				t.Errorf("%q + %q: two spaces in %q", a, b, got)
			}
		}
	})
}

// Three sentences join to the same whichever border is closed first, unless
// the middle one is a single character, which has a border on both sides.
func FuzzAssociative(f *testing.F) {
	f.Add("Hello.", "World.", "Bye")
	f.Add("你好。", "World", "世界")
	f.Add("3.", "55", "x")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		if len([]rune(b)) < 2 || !validAll(a, b, c) {
			return
		}
		if l, r := Join(Join(a, b), c), Join(a, Join(b, c)); l != r {
			t.Errorf("%q %q %q: %q, %q", a, b, c, l, r)
		}
	})
}

func validAll(texts ...string) bool {
	for _, t := range texts {
		if strings.ToValidUTF8(t, "") != t {
			return false
		}
	}
	return true
}

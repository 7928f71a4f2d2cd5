package deliver

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// O2 and O8 are among them.
func TestO2O8Clean(t *testing.T) {
	tests := []struct{ name, in, keep, join string }{
		{"ASCII", "git status | grep 'x' && echo $HOME `id` \\n", "git status | grep 'x' && echo $HOME `id` \\n", "git status | grep 'x' && echo $HOME `id` \\n"},
		{"Chinese", "把窗口改成 640×480。", "把窗口改成 640×480。", "把窗口改成 640×480。"},
		{"O2 dashes", "--help", "--help", "--help"},
		{"O2 one dash", "-", "-", "-"},
		{"O8 lines", "第一行\n第二行\n", "第一行\n第二行", "第一行 第二行"},
		{"every line end", "a\r\nb\rc\vd\fe\u0085f\u2028g\u2029h", "a\nb\nc\nd\ne\nf\ng\nh", "a b c d e f g h"},
		{"paragraphs", "a \n\n\t b", "a \n\n\t b", "a b"},
		{"line ends alone", "\r\n\n", "", ""},
		{"tab", "a\tb", "a\tb", "a b"},
		{"spaces stay", "a  b", "a  b", "a  b"},
		{"O8 end of a paste", "a\x1b[201~\rrm -rf ~\r", "a\nrm -rf ~", "a rm -rf ~"},
		{"end of a paste in C1", "a\u009b201~b", "ab", "ab"},
		{"a sequence in a sequence", "a\x1b[20\x1b[201~1~b", "a[201~b", "a[201~b"},
		{"title, clipboard, device status", "\x1b]0;x\x07\x1b]52;c;eA==\x1b\\\x1b[5n\x1bPq\x1b\\", "]0;x]52;c;eA==\\Pq\\", "]0;x]52;c;eA==\\Pq\\"},
		{"control characters", "a\x00\x01\x03\x04\x08\x1a\x7f\u0080b", "ab", "ab"},
		{"direction", "a\u202eb\u2066c\u200ed\u061c", "abcd", "abcd"},
		{"zero width", "a\u200bb\ufeffc\u2060d\u00ade\u180ef", "abcdef", "abcdef"},
		{"fillers", "a\u3164b\u115f\uffa0\u2800c", "abc", "abc"},
		{"tags", "x\U000e0041\U000e0042\U000e007f", "x", "x"},
		{"family", "👩‍👩‍👧", "👩‍👩‍👧", "👩‍👩‍👧"},
		{"skin, heart, flag", "👩🏽‍💻 ❤️‍🔥 🏳️‍🌈 🙂‍↔️", "👩🏽‍💻 ❤️‍🔥 🏳️‍🌈 🙂‍↔️", "👩🏽‍💻 ❤️‍🔥 🏳️‍🌈 🙂‍↔️"},
		{"joiner behind an emoji", "👩‍ x", "👩 x", "👩 x"},
		{"joiner between Latin letters", "a\u200db\u200cc", "abc", "abc"},
		{"joiner before a mark that goes", "👩\u200d\u200b👧", "👩👧", "👩👧"},
		{"Persian, Hindi", "می\u200cخواهم क्\u200dष", "می\u200cخواهم क्\u200dष", "می\u200cخواهم क्\u200dष"},
		{"Arabic number sign", "\u0600١", "\u0600١", "\u0600١"},
		{"keycap", "1️⃣", "1️⃣", "1️⃣"},
		{"hidden in selectors", "😀\ufe0f\ufe01\U000e0100\ufe02x \ufe0f", "😀\ufe0fx ", "😀\ufe0fx"},
		{"form of a Han character", "葛\U000e0100", "葛\U000e0100", "葛\U000e0100"},
		{"not UTF-8", "a\xffb\xed\xa0\x80", "a\uFFFDb\uFFFD", "a\uFFFDb\uFFFD"},
		{"empty", "", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Clean(tt.in, KeepLines); got != tt.keep {
				t.Errorf("kept lines: got %q, want %q", got, tt.keep)
			}
			if got := Clean(tt.in, JoinLines); got != tt.join {
				t.Errorf("joined lines: got %q, want %q", got, tt.join)
			}
		})
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{"a\x1b[201~\r\n", "\u009b\u009b1~", "👩‍👩‍👧\u200d", "a\u2028\tb\xff", "क्\u200d\u200dष", "\x1b\x1b[[A"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		for lines, allowed := range map[Lines]string{KeepLines: "\t\n", JoinLines: ""} {
			out := Clean(in, lines)
			if !utf8.ValidString(out) || strings.HasSuffix(out, "\n") {
				t.Errorf("%q became %q", in, out)
			}
			for _, r := range out {
				if unicode.IsControl(r) && !strings.ContainsRune(allowed, r) || unseen(r) && r != zwj && r != zwnj {
					t.Errorf("%q became %q, which holds %U", in, out, r)
				}
			}
			if again := Clean(out, lines); again != out {
				t.Errorf("%q became %q and then %q", in, out, again)
			}
		}
	})
}

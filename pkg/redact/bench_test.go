package redact

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// corpus returns n bytes of technical talk, with a secret in every tenth line if secrets is set.
func corpus(n int, secrets bool) string {
	r := rand.New(rand.NewPCG(15, 16))
	lines := strings.SplitAfter(harmless, "\n")
	var b strings.Builder
	for b.Len() < n {
		b.WriteString(lines[r.IntN(len(lines))])
		if secrets && r.IntN(10) == 0 {
			_, carrier := shapes[r.IntN(len(shapes))].make(r)
			b.WriteString(carrier + "\n")
		}
	}
	return strings.ToValidUTF8(b.String()[:n], "")
}

// BenchmarkText has the size of a source at its limit, and larger ones to show that the time is linear.
func BenchmarkText(b *testing.B) {
	for _, n := range []int{12_000, 120_000, 1_200_000} {
		for name, s := range map[string]string{
			"talk":    corpus(n, true),
			"ascii":   strings.Repeat("The token bucket in golang.org/x/time/rate refills at ten per second. ", n/70+1)[:n],
			"chinese": strings.Repeat("用令牌桶算法限制请求，然后重启服务。", n/54),
		} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				b.SetBytes(int64(len(s)))
				b.ReportAllocs()
				for b.Loop() {
					Text(s)
				}
			})
		}
	}
}

// BenchmarkHostile has texts made to make the rules start over and over.
func BenchmarkHostile(b *testing.B) {
	for _, unit := range hostile {
		for _, n := range []int{100_000, 1_000_000} {
			s := strings.Repeat(unit, n/len(unit))
			b.Run(fmt.Sprintf("%q/%d", unit, n), func(b *testing.B) {
				b.SetBytes(int64(len(s)))
				for b.Loop() {
					Text(s)
				}
			})
		}
	}
}

// hostile are units whose repetition would be slow to read for a careless rule.
var hostile = []string{
	"a", " ", "\\", "\\r", "\\\\n", "-", "--", "=", ":", "a:", "a:a@", "://", "a://b:", "@", "$", "$a", "$a$", "'", "\"", "`", "sk-", "sk-a1", "eyJ", "AKIA",
	"token", "token=", "token=\"", "token='", "token: ", "key=", "password", "password: a ", "cookie: ", "cookie: a=", "authorization: ", "authorization bearer ",
	"bearer ", "bearer a1", "12345:", "-----begin ", "-----end ", "-----begin a-----\n", "-----end a-----\n", "a\n", "\n", "token\n", "password:\n", "a1B", "a1B/", "a1B.",
	"putty-user-key-file-", "putty-user-key-file-\na: b\n", "hooks.slack.com/", "as ", "token | ", "|", "<token>", "Secret::new(", "密码", "密码是", "令", "\u200b", "é", "█", "\xff", "\x1b[",
	"curl -u a", " -u ", "\nmysql -p", "echo a | ", "\nvault put a=b", "${a:-", "token=${a:-b", "(", "token (", ",", "token,", "\"token\", ", strings.Repeat("aB3", 20) + "\n",
}

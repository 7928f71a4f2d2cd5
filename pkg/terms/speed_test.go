package terms

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// Texts of 12,000 characters each, as answers of a coding agent look.
var speedTexts = map[string]string{
	"english": "We moved `drain_queue` out of the session loop, because HTTPServer.Close blocks while readers hold the lock (see pkg/wire/reader.go:42). Run `go test -race ./...` again.\n",
	"mixed":   "把 `drain_queue` 从 session loop 里移出来，因为 HTTPServer.Close 会在读者持有锁时阻塞，见 pkg/wire/reader.go:42。然后再跑 `go test -race ./...`。\n",
	"chinese": "线程池在处理请求的时候会先检查缓存命中率，如果命中率下降就触发重建索引，同时把旧的快照写入磁盘，避免重启之后丢失上下文。\n",
}

func speedText(name string) string {
	text := strings.Repeat(speedTexts[name], MaxSource/utf8.RuneCountInString(speedTexts[name])+1)
	return string([]rune(text)[:MaxSource])
}

func BenchmarkRank(b *testing.B) {
	for name := range speedTexts {
		b.Run(name, func(b *testing.B) {
			text := speedText(name)
			if _, err := Rank(b.Context(), dictionary, text, MaxSource); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Rank(b.Context(), dictionary, text, MaxSource); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkLoad measures what the first Chinese text costs.
func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		d := NewDictionary([]string{shareDir})
		if _, err := d.Cut(b.Context(), "线程池"); err != nil {
			b.Fatal(err)
		}
		d.jieba.Free()
	}
}

package terms

import (
	"strings"
	"testing"
)

func TestWhatIsATerm(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"bare numbers", "It is 8 MiB, 42 or 3.14, 1,000, 0xFF, 12ms, 5GB, 1st, 10%, #123, 1e9, v1.4.6-rc2, 1.2.3-beta.1+build345.", ""},
		{"dates and times", "On 2026-08-14 at 12:30, 2026-08-14T12:00:00Z, 14/08/2026, 12:30:59.", ""},
		{"hashes and uuids", "See 40e1f0c2a9b8d7e6f5a4b3c2d1e0f9a8b7c6d5e4 and 9fceb02 and 123e4567-e89b-12d3-a456-426614174000.", ""},
		{"addresses", "Write to jane.doe@example.org or see https://example.org/a_b?c=d, http://x.y/z and www.example.org.", ""},
		{"mentions", "Thanks to @jane-doe for it.", ""},
		{"bullets", "1. First\n2) Second\n- Third\n* Fourth\n+ Fifth\n- [x] Done", ""},
		{"punctuation", "... -- :: // ++ -- ~~ __ @ # / \\", ""},
		{"stop words", "The file is not in the list, so you should not use it. However, Then And BUT.", ""},
		{"ordinary capitals", "Version two works. Then the Server starts. Please note: Installation follows.", ""},
		{"ordinary shouting", "This is NOT a new LINE in IT. TODO: WARNING.", ""},
		{"titles", "# Getting Started With The Server\n\n## Usage\n", ""},
		{"ordinary compounds", "An open-source, well-known, state-of-the-art command-line program, read-only.", ""},
		{"words that touch", "Read/write access, and/or client/server; input:output. That works.Then it ends...really.", ""},
		{"emphasis", "It is _really_ **important** and __very__ simple.", ""},
		{"contractions", "It doesn't, they're, the server's file isn't, o'clock.", ""},
		{"counters", "```\nfor (i = 0; i < n; i++) { j--; }\n```", ""},

		{"names in prose", "We run Redis and kubectl on Debian with nginx.", "Redis | kubectl | Debian | nginx"},
		{"names that are words", "In Rust and Go it is swift. Rust is fast.", "Go | Rust"},
		{"acronyms", "The API, several APIs and a CPU.", "CPU | API"},
		{"camel", "Call getUserName on HTTPServer of macOS.", "getUserName | HTTPServer | macOS"},
		{"paths", "Edit ~/src/app.go, /etc/hosts, ./cmd/x, ../lib/y.c, pkg/wire/ and main.go:12:3.", "~/src/app.go | /etc/hosts | cmd/x | ../lib/y.c | pkg/wire | main.go"},
		{"flags", "Pass --dry-run and `-x`.", "--dry-run | -x"},
		{"commands", "Run `git rebase -i` and `docker compose up`, then `go`.", "git rebase -i | docker compose up | go"},
		{"a piece of a longer term", "Run `git rebase -i`. Then `rebase` alone.", "git rebase -i | rebase"},
		{"versions with a name", "With go1.26.8, Python3.11, qwen3-asr and gojieba@v1.4.6.", "go1.26.8 | Python3.11 | qwen3-asr | gojieba@v1.4.6"},
		{"modules", "Use golang.org/x/time/rate here.", "golang.org/x/time/rate"},
		{"assignments", "Set max_tokens=4096 and `RUST_LOG=debug`.", "max_tokens | RUST_LOG | debug"},
		{"described by a name", "A POSIX-compliant, JSON-like, Cobra-based program.", "POSIX | JSON | Cobra"},
		{"method calls", "`fs.ReadFile(path)` and `Rows::next()`", "fs.ReadFile | path | Rows::next"},
		{"operators", "```go\ncase ev := <-watcher.Events:\n```", "watcher.Events"},
		{"escapes", "```c\nputs(\"one\\nfoo_bar\\tx\");\n```", "foo_bar"},
		{"fence language", "```kotlin\nval x\n```", ""},
		{"html", "<p align=\"center\"><img src=\"logo_big.png\"></p> `a_b`", "a_b"},
		{"images", "[![GoDoc](https://x.y/z.svg)](https://x.y) `a_b`", "a_b"},
		{"generics", "A Vec<FooBar> and map[string]BarBaz.", "Vec | FooBar | BarBaz"},
		{"quotes", "“lsp-x1” ‘lsp-x2’ 'lsp-x3' (lsp-x4), [lsp-x5]; {lsp-x6}! <lsp-x7>?", "lsp-x1 | lsp-x2 | lsp-x3 | lsp-x4 | lsp-x5 | lsp-x6"},

		{"accents", "Eine naïve Käsetheke.", "Eine | naïve | Käsetheke"},
		{"decomposed", "na\u0131ve cafe\u0301s_x cafés_x", "naıve | cafés_x"},
		{"full width", "用ＡＰＩ和ｌｓｐ－ｃｌｉｅｎｔ。", "API | lsp-client"},
		{"zero width", "`lsp\u200b-cli\u00adent`", "lsp-client"},
		{"cyrillic", "Запусти сервер и tmux.", "Запусти | сервер | tmux"},
		{"korean", "서버를 다시 시작", "서버를 | 다시 | 시작"},
		{"japanese", "音声認識のサーバーを再起動する", "音声認識 | サーバー | 再起動"},
		{"chinese", "我们可以使用线程池处理请求，但是这个缓存的容量不够。", "线程池 | 请求 | 缓存 | 容量"},
		{"chinese numbers", "第一步有三个，两次，一百，从文件。", ""},
		{"damaged", "a_b \xff\x00 c_d\x1b[31m", "a_b | c_d"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { wantTerms(t, tt.text, tt.want) })
	}
}

// R6: harmless technical talk keeps its words.
func TestR6_HarmlessLinesKeepTheirTerms(t *testing.T) {
	has(t, "用 golang.org/x/time/rate 的 token bucket，max_tokens=4096，cookie parser 放到 middleware", "golang.org/x/time/rate", "max_tokens", "middleware")
	has(t, "`task-runner-v2`、`disk-cache-size` 和 Bearer token 流程", "task-runner-v2", "disk-cache-size", "流程")
	text := "提交 40e1f0c2a9b8d7e6f5a4b3c2d1e0f9a8b7c6d5e4 和 123e4567-e89b-12d3-a456-426614174000 改了 drain_queue"
	has(t, text, "drain_queue")
	hasNot(t, text, "40e1f0c2a9b8d7e6f5a4b3c2d1e0f9a8b7c6d5e4", "123e4567-e89b-12d3-a456-426614174000")
}

// A spelling is certain only if the source has no other.
func TestNormalizable(t *testing.T) {
	tests := []struct {
		text, term string
		want       bool
	}{
		{"Use `lsp-client`.", "lsp-client", true},
		{"Use `lsp-client` or lsp-Client.", "lsp-client", false},
		{"We use the API.", "API", true},
		{"The api of the API.", "API", false},
		{"Kubernetes runs.", "Kubernetes", false},
		{"We use Kubernetes.", "Kubernetes", true},
		{"In Rust.", "Rust", false},
		{"`NOT`", "NOT", false},
		{"`kubectl`", "kubectl", false},
		{"`git rebase -i`", "git rebase -i", false},
	}
	for _, tt := range tests {
		s, err := Rank(t.Context(), dictionary, tt.text, 500)
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, term := range s.Terms {
			if term.Text == tt.term {
				found = true
				if term.Normalizable != tt.want {
					t.Errorf("%q: %q is normalizable: %t", tt.text, tt.term, term.Normalizable)
				}
			}
		}
		if !found && tt.want {
			t.Errorf("%q: %q is no term", tt.text, tt.term)
		}
	}
}

func FuzzRank(f *testing.F) {
	f.Add("Use `lsp-client` in 语音识别. ```x```", 500)
	f.Add("# T\n```go\na.b()\n~~~\n- [x] <p> ![a](b) \\n 'q'", 501)
	f.Add("ー한국어 がカ々 \u200b\xff █x█", 12000)
	f.Add(strings.Repeat("`", 600)+"a", 700)
	const secret = "ghp_a8F3kLm29QwZx7Rt5Yb1Nc4Vd6Eg0Hj2Ks9P"
	f.Fuzz(func(t *testing.T, text string, max int) {
		if max < MinSource || max > MaxSource {
			max = DefaultSource
		}
		planted := text + " " + secret + "\n" + text
		s, err := Rank(t.Context(), dictionary, planted, max)
		if err != nil {
			t.Fatal(err)
		}
		if s.SourceChars > max {
			t.Errorf("the source has %d characters, at most %d are allowed", s.SourceChars, max)
		}
		folded := fold(planted)
		var terms []string
		seen := map[string]bool{}
		for i, term := range s.Terms {
			key := strings.ToLower(term.Text)
			switch {
			case !strings.Contains(folded, term.Text):
				t.Errorf("%q does not stand in the source", term.Text)
			case strings.ContainsRune(term.Text, marker):
				t.Errorf("%q holds the marker", term.Text)
			case seen[key]:
				t.Errorf("%q is there twice", term.Text)
			case i > 0 && term.Count < s.Terms[i-1].Count:
				t.Error("the terms are not in order")
			}
			seen[key] = true
			terms = append(terms, term.Text)
		}
		checkViews(t, terms)
		wantNoPiece(t, secret, terms)
	})
}

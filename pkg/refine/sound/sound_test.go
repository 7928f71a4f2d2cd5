package sound

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestResembles(t *testing.T) {
	for _, tt := range []struct {
		heard, written string
		want           bool
	}{
		{"cube control", "kubectl", true},
		{"杰森 L", "JSONL", true},
		{"杰森", "JSON", true},
		{"J S O N", "JSON", true},
		{"jason", "JSON", true},
		{"库伯耐提斯", "Kubernetes", true},
		{"酷伯内蒂斯", "Kubernetes", true},
		{"道克", "Docker", true},
		{"多克尔", "Docker", true},
		{"吉特哈布", "GitHub", true},
		{"get hub", "GitHub", true},
		{"post gress", "Postgres", true},
		{"post grass", "Postgres", true},
		{"engine x", "nginx", true},
		{"my sequel", "MySQL", true},
		{"sequel light", "SQLite", true},
		{"瑞迪斯", "Redis", true},
		{"read is", "Redis", true},
		{"卡夫卡", "Kafka", true},
		{"pie torch", "PyTorch", true},
		{"派托奇", "PyTorch", true},
		{"node dot js", "Node.js", true},
		{"config dot yaml", "config.yaml", true},
		{"see plus plus", "C++", true},
		{"view", "Vue", true},
		{"派", "Pi", true},
		{"codecs", "Codex", true},
		{"code x", "Codex", true},
		{"high per land", "Hyprland", true},
		{"way land", "Wayland", true},
		{"pipe wire", "PipeWire", true},
		{"terra form", "Terraform", true},
		{"grow fauna", "Grafana", true},
		{"utf eight", "UTF-8", true},
		{"agents md", "AGENTS.md", true},
		{"agent md", "AGENTS.md", true},
		{"web socket", "WebSocket", true},
		{"g r p c", "gRPC", true},
		{"type script", "TypeScript", true},
		{"system d", "systemd", true},
		{"拓瑞", "Tauri", true},
		{"瑞艾克特", "React", true},
		{"普罗米修斯", "Prometheus", true},
		{"格拉法那", "Grafana", true},
		{"oh auth", "OAuth", true},
		{"L S P client", "lsp-client", true},

		{"把服务", "kubectl", false},
		{"服务", "Terraform", false},
		{"terminal", "Terraform", false},
		{"control", "kubectl", false},
		{"那个", "kubectl", false},
		{"restart", "React", false},
		{"database", "Docker", false},
		{"the server", "Kubernetes", false},
		{"三", "JSON", false},
		{"utf sixteen", "UTF-8", false},
		{"GPT 3", "GPT-4", false},
		{"", "JSON", false},
		{"deploy", "Docker", false},
		{"配置", "Postgres", false},
		{"数据库", "Docker", false},
		{"file", "Vue", false},
		{"please", "Pi", false},
		{"go", "Git", false},
	} {
		if got := Resembles(tt.heard, tt.written); got != tt.want {
			t.Errorf("Resembles(%q, %q) = %v: %s and %s are alike by %.2f", tt.heard, tt.written, got, phones(tt.heard, false), phones(tt.written, false), Likeness(tt.heard, tt.written))
		}
	}
}

func TestSameHan(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"现成", "线程", true}, {"登陆", "登录", true}, {"帐号", "账号", true}, {"在", "再", true}, {"的", "得", true},
		{"进城", "进程", true}, {"协成", "协程", true}, {"分值", "分支", true}, {"方法", "办法", false}, {"删除", "添加", false},
		{"线程", "线", false}, {"", "", false}, {"ab", "ab", false},
	} {
		if got := SameHan(tt.a, tt.b); got != tt.want {
			t.Errorf("SameHan(%q, %q) = %v", tt.a, tt.b, got)
		}
	}
}

func TestHomophones(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"their", "there", true}, {"right", "write", true}, {"week", "weak", true}, {"hear", "here", true}, {"to", "too", true},
		{"lose", "loose", true}, {"then", "than", true}, {"affect", "effect", true}, {"its", "it's", true}, {"their", "they're", true},
		{"test", "text", false}, {"form", "from", false}, {"rate", "root", false}, {"increase", "decrease", false},
		{"delete", "remove", false}, {"stop", "step", false}, {"black", "block", false}, {"Monday", "Tuesday", false}, {"", "", false},
	} {
		if got := Homophones(tt.a, tt.b); got != tt.want {
			t.Errorf("Homophones(%q, %q) = %v: %s, %s", tt.a, tt.b, got, phones(tt.a, false), phones(tt.b, false))
		}
	}
}

// Every line is a syllable and its characters, each once.
func TestSyllables(t *testing.T) {
	seen := map[string]bool{}
	for line := range strings.Lines(syllablesText) {
		columns := strings.Fields(line)
		s := columns[0]
		if seen[s] || strings.Trim(s, "abcdefghijklmnopqrstuvwxyz") != "" {
			t.Errorf("line %q", line)
		}
		seen[s] = true
		chars := strings.Join(columns[1:], "")
		for _, r := range chars {
			if !unicode.Is(unicode.Han, r) || strings.Count(chars, string(r)) != 1 {
				t.Errorf("%s: %q", s, r)
			}
		}
		if syllablePhones(s) == "" {
			t.Errorf("%s has no sound", s)
		}
	}
	for r, s := range readings() {
		if len(s) > 2 {
			t.Errorf("%q has %d readings", r, len(s))
		}
	}
	if got := readings()['重']; len(got) != 2 || got[0] != "zhong" {
		t.Errorf("重 is read %q", got)
	}
}

func FuzzLikeness(f *testing.F) {
	f.Add("cube control", "kubectl")
	f.Add("杰森 L", "JSONL")
	f.Add("ce", "\xff嗯")
	f.Fuzz(func(t *testing.T, a, b string) {
		l := Likeness(a, b)
		if l < 0 || l > 1 {
			t.Errorf("likeness %v", l)
		}
		if back := Likeness(b, a); back-l > 1e-9 || l-back > 1e-9 {
			t.Errorf("%v one way and %v the other", l, back)
		}
		if phones(a, false) != "" && Likeness(a, a) != 1 {
			t.Error("a text is not like itself")
		}
		if utf8.RuneCountInString(a) != utf8.RuneCountInString(b) && SameHan(a, b) {
			t.Error("runs of different length sound the same")
		}
	})
}

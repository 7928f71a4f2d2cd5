package dashscope

import (
	"strings"
	"testing"
	"unicode/utf8"

	"voice-input/pkg/asr/engine"
)

func TestHost(t *testing.T) {
	for _, tt := range []struct{ region, workspace, want string }{
		{"", "", "dashscope.aliyuncs.com"},
		{"beijing", "", "dashscope.aliyuncs.com"},
		{"singapore", "", "dashscope-intl.aliyuncs.com"},
		{"beijing", "llm-abc123", "llm-abc123.cn-beijing.maas.aliyuncs.com"},
		{"singapore", "WS9", "WS9.ap-southeast-1.maas.aliyuncs.com"},
		{"", "ws", "ws.cn-beijing.maas.aliyuncs.com"},
		{"singapore", strings.Repeat("a", 63), strings.Repeat("a", 63) + ".ap-southeast-1.maas.aliyuncs.com"},
	} {
		if got, err := Host(tt.region, tt.workspace); got != tt.want || err != nil {
			t.Errorf("%q, %q: %q, %v", tt.region, tt.workspace, got, err)
		}
	}
	// An id must not lead to another host, and is not shown.
	for _, id := range []string{"evil.example/", "a.b", "a/b", "a@b", "a:1", "-a", "a-", "a b", "é", "a\n", strings.Repeat("a", 64)} {
		if got, err := Host("beijing", id); err == nil || strings.Contains(err.Error(), id) {
			t.Errorf("%q: %q, %v", id, got, err)
		}
	}
	if got, err := Host("mars", ""); err == nil {
		t.Errorf("mars: %q", got)
	}
}

// D1: at most 400 characters with the separators, whole terms.
func TestRule_D1_ContextIsBounded(t *testing.T) {
	exact := strings.Repeat("九", 199) + "\n" + strings.Repeat("x", 200)
	for _, tt := range []struct{ name, in, want string }{
		{"none", "", ""},
		{"as it is", "RareModel\nQwen-Audio-3", "RareModel\nQwen-Audio-3"},
		{"exactly", exact, exact},
		{"one more", exact + "x", strings.Repeat("九", 199)},
		{"a long one, then short ones", strings.Repeat("x", 401) + "\na\nb", "a\nb"},
		{"a control character", "a\tb\nc", "c"},
	} {
		if got := Context(engine.Hints{Context: tt.in, Words: []string{"other"}}); got != tt.want || utf8.RuneCountInString(got) > MaxContext {
			t.Errorf("%s: %q", tt.name, got)
		}
	}
}

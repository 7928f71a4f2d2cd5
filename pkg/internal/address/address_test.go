package address

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for s, ok := range map[string]bool{
		"https://api.openai.com/v1": true, "wss://dashscope.aliyuncs.com/api-ws/v1/inference": true,
		"http://localhost:11434/v1": true, "http://127.0.0.1:8080": true, "ws://[::1]:1/x": true, "http://127.9.8.7/": true, "http://LOCALHOST": true,
		"http://[::ffff:127.0.0.1]/": true,
		"http://example.com":         false, "ws://10.0.0.1": false, "http://localhost.example.com": false, "http://127.0.0.1.example.com": false,
		"http://0.0.0.0": false, "https://user@example.com": false, "https://user:word@example.com": false, "https://": false, "https://:80": false,
		"": false, "service.test": false, "mailto:a@b": false, "ftp://example.com": false, "https://example.com/#x": false, "https://exa mple.com": false,
		"https://example.com/" + strings.Repeat("x", 2048): false, "file:///etc/passwd": false, "HTTP://example.com": false,
	} {
		_, err := Parse(s)
		if (err == nil) != ok {
			t.Errorf("%q: %v", s, err)
		}
		if err != nil && len(s) > 8 && strings.Contains(err.Error(), s) {
			t.Errorf("%q stands in its error", s)
		}
	}
}

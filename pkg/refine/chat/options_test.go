package chat

import (
	"flag"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"voice-input/pkg/internal/apikey"
)

var update = flag.Bool("u", false, "rewrite the golden files")

// One request for each family of models and each service: its whole body.
func TestBodies(t *testing.T) {
	tests := []struct {
		base, model string
		w           Wishes
	}{
		{"https://api.openai.com/v1", "gpt-4.1-mini", Wishes{}},
		{"https://api.openai.com/v1", "gpt-4.1-mini", Wishes{ProviderSort: "price"}},
		{"https://api.openai.com/v1", "gpt-5-nano", Wishes{}},
		{"https://api.openai.com/v1", "gpt-5-mini", Wishes{Reasoning: "none"}},
		{"https://api.openai.com/v1", "gpt-5.2", Wishes{}},
		{"https://api.openai.com/v1", "gpt-5.2", Wishes{Reasoning: "high"}},
		{"https://api.openai.com/v1", "gpt-5-chat-latest", Wishes{}},
		{"https://api.openai.com/v1", "gpt-5-pro", Wishes{}},
		{"https://api.openai.com/v1", "o4-mini", Wishes{}},
		{"https://openrouter.ai/api/v1", "openai/gpt-oss-120b", Wishes{ProviderSort: "latency"}},
		{"https://openrouter.ai/api/v1", "openai/gpt-oss-120b", Wishes{Reasoning: "medium"}},
		{"https://openrouter.ai/api/v1", "openai/gpt-5-mini", Wishes{}},
		{"https://openrouter.ai/api/v1", "qwen/qwen3-32b", Wishes{}},
		{"https://openrouter.ai/api/v1", "meta-llama/llama-3.3-70b-instruct", Wishes{ProviderSort: "throughput"}},
		{"https://openrouter.ai.example.com/v1", "openai/gpt-oss-20b", Wishes{ProviderSort: "latency"}},
		{"https://dashscope.aliyuncs.com/compatible-mode/v1", "qwen3-32b", Wishes{}},
		{"https://dashscope-intl.aliyuncs.com/compatible-mode/v1", "qwen-plus", Wishes{Reasoning: "low"}},
		{"https://dashscope.aliyuncs.com/compatible-mode/v1", "qwen3-30b-a3b-instruct-2507", Wishes{}},
		{"https://api.groq.com/openai/v1", "qwen/qwen3-32b", Wishes{}},
		{"https://api.groq.com/openai/v1", "qwen/qwen3-32b", Wishes{Reasoning: "low"}},
		{"https://api.groq.com/openai/v1", "openai/gpt-oss-20b", Wishes{}},
		{"https://generativelanguage.googleapis.com/v1beta/openai", "gemini-2.5-flash", Wishes{}},
		{"https://generativelanguage.googleapis.com/v1beta/openai", "gemini-3-pro", Wishes{}},
		{"https://api.deepseek.com", "deepseek-v4", Wishes{}},
		{"https://api.deepseek.com", "deepseek-chat", Wishes{}},
		{"https://api.z.ai/api/paas/v4", "glm-4.6", Wishes{Reasoning: "high"}},
		{"http://localhost:11434/v1", "qwen3:4b", Wishes{}},
		{"http://localhost:11434/v1", "gpt-oss:20b", Wishes{}},
		{"http://localhost:11434/v1", "gemma3:4b", Wishes{}},
		{"http://localhost:11434/v1", "qwen3:4b-instruct", Wishes{}},
		{"http://127.0.0.1:8080/v1", "Qwen/Qwen3-8B", Wishes{}},
		{"http://127.0.0.1:8080/v1", "Qwen/Qwen3-8B", Wishes{Reasoning: "low"}},
		{"http://127.0.0.1:8080/v1", "", Wishes{}},
		{"http://127.0.0.1:8080/v1", "mine", Wishes{Reasoning: "low"}},
	}
	var b strings.Builder
	for _, tt := range tests {
		base, err := url.Parse(tt.base)
		if err != nil {
			t.Fatal(err)
		}
		c := New(base, tt.model, apikey.Key{}, tt.w)
		fmt.Fprintf(&b, "%s reasoning=%q sort=%q\n%s\n\n", base.Host, tt.w.Reasoning, tt.w.ProviderSort, c.body(Question{System: "Edit <this>.", User: "“x” & y"}))
	}
	path := filepath.Join("testdata", "bodies.txt")
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("the bodies differ from %s; -u rewrites it:\n%s", path, b.String())
	}
}

func TestAddress(t *testing.T) {
	for base, want := range map[string]string{
		"https://a.example/v1":                       "https://a.example/v1/chat/completions",
		"https://a.example/v1/":                      "https://a.example/v1/chat/completions",
		"https://a.example":                          "https://a.example/chat/completions",
		"https://a.example/v1?api-version=1":         "https://a.example/v1/chat/completions?api-version=1",
		"https://a.example/v1/chat/completions":      "https://a.example/v1/chat/completions",
		"http://[::1]:8080/a%20b/chat/completions?x": "http://[::1]:8080/a%20b/chat/completions?x",
	} {
		u, err := url.Parse(base)
		if err != nil {
			t.Fatal(err)
		}
		if got := New(u, "m", apikey.Key{}, Wishes{}).url; got != want {
			t.Errorf("%s: %s, want %s", base, got, want)
		}
	}
}

func TestWithin(t *testing.T) {
	for _, host := range []string{"openrouter.ai", "OpenRouter.AI:443", "eu.openrouter.ai"} {
		if !Within(host, "openrouter.ai") {
			t.Errorf("%s does not count", host)
		}
	}
	for _, host := range []string{"notopenrouter.ai", "openrouter.ai.evil.example", "", "ai"} {
		if Within(host, "openrouter.ai") {
			t.Errorf("%s counts", host)
		}
	}
}

func TestWithout(t *testing.T) {
	all := Options{Temperature: new(float64), ReasoningEffort: "low", Reasoning: &reasoning{"low"}, EnableThinking: new(bool), Template: &template{}, Thinking: &thinking{}, Provider: &provider{"x"}, Stream: true}
	o := all
	for i, name := range optionNames {
		fewer, differs := o.without([]string{name})
		if name != "chat_template" && !differs {
			t.Errorf("%s makes no difference", name)
		}
		if _, again := fewer.without(optionNames[:i+1]); again {
			t.Errorf("%s makes a difference twice", name)
		}
		o = fewer
	}
	if o != (Options{Provider: all.Provider}) {
		t.Errorf("left: %+v", o)
	}
	if named := namedOptions("unsupported parameter: 'temperature'"); len(named) != 1 || named[0] != "temperature" {
		t.Errorf("named: %v", named)
	}
}

package normalize

import (
	"strings"
	"testing"

	"voice-input/pkg/wire"
)

// unchanged stands for "the same as the text".
const unchanged = ""

// D5: only variants that differ in ASCII case or separators, with boundary and
// admission checks.
func TestRule_D5_VariantsOfATerm(t *testing.T) {
	tests := []struct{ terms, text, want string }{
		// Separators and case.
		{"lsp-client", "use LSP client and lsp_client", "use lsp-client and lsp-client"},
		{"lsp-client", "LSP\tclient", "lsp-client"},
		{"lsp-client", "LSPclient, lspclient", "lsp-client, lsp-client"},
		{"lsp-client", "LSP  client", unchanged},
		{"lsp-client", "LSP\nclient", unchanged},
		{"lsp-client", "LSP...client", unchanged},
		{"deepseek-v4-pro", "DeepSeek\u2010V4\u2011Pro deepseek\u2212v4\u2010pro deepseek－v4－pro", "deepseek-v4-pro deepseek-v4-pro deepseek-v4-pro"},
		{"deepseek-v4-pro", "deepseek v4 pro-0813", unchanged},
		{"x86_64", "x86 64, X86-64", "x86_64, x86_64"},
		{"Node.js", "node js and NODE.JS and nodejs", "Node.js and Node.js and Node.js"},
		{"SKILL.md", "skill md, skill-md", "SKILL.md, SKILL.md"},
		{"src/main.rs", "SRC/main.RS", "src/main.rs"},
		{"src/main.rs", "src main rs", unchanged},
		{"GPT-4", "gpt4 and GPT 4 and gpt-4", "GPT-4 and GPT-4 and GPT-4"},
		{"qwen-audio-3.0", "QWEN audio 3 0!", "qwen-audio-3.0!"},
		{"qwen-audio-3.0", "qwen audio 30", unchanged},
		{"API", "use api and API", "use API and API"},
		{"C# C++", "c#, c++, C++11, C #", "C#, C++, C++11, C #"},
		{"ESP32", "esp 32 and esp32", "ESP32 and ESP32"},
		{"std::vector", "STD::Vector", "std::vector"},
		{"Kubernetes", "kubernetes", "Kubernetes"},

		// At the end of a sentence, before a colon, beside a slash.
		{"lsp-client", "open LSP client.", "open lsp-client."},
		{"lsp-client", "LSP client: go", "lsp-client: go"},
		{"lsp-client", "LSP client... then", "lsp-client... then"},
		{"lsp-client", "\"LSP client.\" (LSP client)", "\"lsp-client.\" (lsp-client)"},
		{"lsp-client", "lsp client/lsp client", "lsp-client/lsp-client"},
		{"Node.js", "we use node js.", "we use Node.js."},
		{"SKILL.md", "see skill.md.", "see SKILL.md."},
		{"API", "the api's answer", "the API's answer"},

		// Terms that begin with a separator.
		{".NET", "use .net core", "use .NET core"},
		{".NET", "the net, asp.net", unchanged},
		{"--locked", "pass --Locked", "pass --locked"},
		{"--locked", "it is locked", unchanged},
		{"__init__", "__INIT__", "__init__"},
		{"__init__", "init", unchanged},

		// Full width, and Chinese beside the term.
		{"lsp-client", "ＬＳＰ　ｃｌｉｅｎｔ", "lsp-client"},
		{"lsp-client", "用LSP client打开，再用lsp client。", "用lsp-client打开，再用lsp-client。"},
		{"API", "配置：ａｐｉ", "配置：API"},
		{"项目", "这个项目", unchanged},

		// Boundaries.
		{"lsp-client", "lsp-client-extra, pre-lsp-client, XLSP client, lsp-client/x, lsp client.go, my@lsp-client", unchanged},
		{"API", "api_key, api-first, apis, my.api, api.go, 1api, éapi, apié", unchanged},

		// The longest of several.
		{"Qwen-Audio Qwen-Audio-3", "qwen audio 3", "Qwen-Audio-3"},
		{"lsp-client client-server", "my lsp client server", "my lsp-client server"},

		// Conflicts.
		{"foo-bar foo_bar", "foo bar", unchanged},
		{"Foo-Bar foo-bar", "foo bar", unchanged},

		// Ordinary words.
		{"IT NOT LINE", "it is not a line", unchanged},
		{"WorkFlow TypeScript isEmpty", "a workflow in type script is empty", unchanged},
		{"is_valid log-in to_string", "it is valid to log in to string", unchanged},
		{"Engine.Dial", "the engine dial, engine-dial", "the engine dial, Engine.Dial"},
		{"step-1 Step2 v2", "in step 1 and step 2 of v 2", unchanged},
		{"set-up", "the setup", unchanged},
		{"1. v1 42", "第 1 项, version 1.", unchanged},
		{"Go Rust", "go there, rust is red", unchanged},
	}
	for _, tt := range tests {
		want := tt.want
		if want == unchanged {
			want = tt.text
		}
		rules := New(strings.Fields(tt.terms))
		if got := rules.Apply(tt.text); got != want {
			t.Errorf("%s: %q becomes %q, want %q", tt.terms, tt.text, got, want)
		}
		if got := rules.Apply(want); got != want {
			t.Errorf("%s: a second time %q becomes %q", tt.terms, want, got)
		}
	}
}

func TestT8_OrdinaryWordsAreNotRewritten(t *testing.T) {
	rules := New([]string{"Codex", "Soren", "--sans", "useAuth.ts", "GitHub", "daemon"})
	for text, want := range map[string]string{
		"the context is sure": "", "sans objectif": "", "get hub": "", "demon": "", "mean": "", "an egg on": "",
		"git hub and github": "GitHub and GitHub", "useauth.ts": "useAuth.ts",
	} {
		if want == "" {
			want = text
		}
		if got := rules.Apply(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

func TestT10_AppliedToItsOwnResultNothingChanges(t *testing.T) {
	rules := New([]string{"voice-input"})
	for text, want := range map[string]string{
		"voice input": "voice-input", "voice-input": "voice-input", "voiceinput": "voice-input",
		"the voice": "the voice", "voice inputs": "voice inputs",
	} {
		once := rules.Apply(text)
		if twice := rules.Apply(once); once != want || twice != once {
			t.Errorf("%q becomes %q and then %q, want %q", text, once, twice, want)
		}
	}
}

func TestFromRecord(t *testing.T) {
	rules := FromRecord(&wire.Terms{
		Terms:        []wire.Term{{Text: "lsp-client", Normalizable: true}, {Text: "foo-bar"}, {Text: "KubeCtl", Normalizable: true}},
		Vocabulary:   []wire.Vocabulary{{Text: "kube-ctl"}},
		Replacements: []wire.Replacement{{From: "cube control", To: "kube ctl"}},
	})
	got := rules.Apply("LSP client, foo bar, cube control")
	if want := "lsp-client, foo bar, kube-ctl"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := (*Rules)(nil).Apply("x"); got != "x" {
		t.Errorf("no rules make %q of it", got)
	}
}

func TestAdmissible(t *testing.T) {
	for _, s := range []string{"lsp-client", "API", "GPT-4", "iOS", "C#", ".NET", "x86", "Kubernetes", "a/b.c"} {
		if !Admissible(s) {
			t.Errorf("%q is not admissible", s)
		}
	}
	for _, s := range []string{"", "-", "1.5", "NOT", "line", "kubectl", "Go", "Rust", "项目", "git push", "naïve", strings.Repeat("a-", 60), "a\x00b"} {
		if Admissible(s) {
			t.Errorf("%q is admissible", s)
		}
	}
}

func FuzzApply(f *testing.F) {
	f.Add("lsp-client client-server API C# .NET __init__", "LSP client server. api/c# .net")
	f.Add("a--b a.b aB a_b", "a b A.B ab a--b")
	f.Add("x86_64 3.5", "x86 64 3 5")
	f.Add("GitHub hub-x 🙂", "git hub x\xff")
	f.Fuzz(func(t *testing.T, terms, text string) {
		rules := New(strings.Fields(terms))
		once := rules.Apply(text)
		if twice := rules.Apply(once); twice != once {
			t.Errorf("%q: %q becomes %q and then %q", terms, text, once, twice)
		}
		// Nothing but separators comes or goes.
		bare := func(s string) string {
			return strings.Map(func(r rune) rune {
				if r = lower(fold(r)); separator(r) {
					return -1
				}
				return r
			}, strings.ToValidUTF8(s, ""))
		}
		if bare(once) != bare(text) {
			t.Errorf("%q: %q becomes %q", terms, text, once)
		}
	})
}

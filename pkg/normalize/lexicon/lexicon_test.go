package lexicon

import (
	"strings"
	"testing"
)

func TestOrdinary(t *testing.T) {
	for _, w := range strings.Fields("the It line LINE running stopped files libraries boxes easily happier configuration unsupported user's don’t stateless reusable") {
		if !Ordinary(w) {
			t.Errorf("%q is not known", w)
		}
	}
	for _, w := range strings.Fields("kubectl Docker redis GitHub mutexes vite tmux ESP Postgres goroutine nginx Codex iota") {
		if Ordinary(w) && w != "mutexes" {
			t.Errorf("%q is taken for an ordinary word", w)
		}
	}
	if !Function("THE") || Function("file") {
		t.Error("function words are wrong")
	}
	if !Chinese("我们") || Chinese("线程") {
		t.Error("Chinese words are wrong")
	}
}

// No name may be taken for an ordinary word or a form of one, unless it is one.
func TestNamesAreNoForms(t *testing.T) {
	for _, w := range strings.Fields(`rust swift docker linux python kotlin scala ruby perl haskell erlang elixir clojure django flask redis git
		kafka nginx postgres mysql sqlite mongo grafana prometheus ansible terraform kubernetes podman systemd wayland hyprland sway niri tmux
		zellij kitty alacritty vim neovim emacs zed jetbrains webpack vite rollup babel eslint prettier mocha playwright puppeteer
		npm pnpm deno svelte vue nuxt tailwind grpc protobuf graphql oauth jwt codex claude gemini
		qwen ollama llama openai anthropic deepseek pytorch numpy pandas jupyter tokio serde axum clippy gopls`) {
		if Ordinary(w) {
			t.Errorf("%q is taken for an ordinary word", w)
		}
	}
}

func TestListsHaveNoWordTwice(t *testing.T) {
	for name, text := range map[string]string{"function": functionText, "ordinary": ordinaryText, "chinese": chineseText, "names": namesText} {
		seen := map[string]bool{}
		for _, w := range strings.Fields(text) {
			if seen[w] {
				t.Errorf("%s.txt: %q stands there twice", name, w)
			}
			seen[w] = true
			if w != strings.ToLower(w) {
				t.Errorf("%s.txt: %q has a capital", name, w)
			}
		}
	}
}

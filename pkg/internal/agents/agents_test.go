package agents

import (
	"strings"
	"testing"
)

func TestNamed(t *testing.T) {
	for file, want := range map[string]string{
		"codex": "codex", "/x/bin/codex": "codex", "/x/codex (deleted)": "codex", ".codex-wrapped": "codex", ".codex-wrapped__": "codex",
		"codex-raw": "codex", "codex-unwrapped": "codex", "codex-x86_64-unknown-linux-musl": "codex", "/opt/pi": "pi", ".pi-wrapped": "pi",
		"codex-tools": "", "notcodex": "", "codex-linux-sandbox": "", "Codex": "", "pip": "", "": "", "-unknown-linux-": "", "/": "",
		"x-codex-x86_64-unknown-linux-musl": "", ".codex-wrapped-x": "", "codex_": "",
	} {
		if got := Named(file); got != want {
			t.Errorf("%q: got %q, want %q", file, got, want)
		}
	}
}

func TestScripted(t *testing.T) {
	for args, want := range map[string]string{
		"node /usr/bin/pi":            "pi",
		"node /x/bin/codex.js resume": "codex",
		"node --no-warnings -r ./hook.js /tmp/x/bin/codex --model x":       "codex",
		"node /x/node_modules/@earendil-works/pi-coding-agent/dist/cli.js": "pi",
		"bun run /x/pi":             "pi",
		"node /srv/pi-tools/cli.js": "",
		"node server.js pi":         "",
		"node -e codex":             "",
		"node -r codex":             "",
		"node":                      "",
	} {
		if got := Scripted(strings.Fields(args)); got != want {
			t.Errorf("%q: got %q, want %q", args, got, want)
		}
	}
	if Scripted(nil) != "" || Label("codex") != "Codex" || Label("x") != "" || !IsRuntime("/n/.node-wrapped") || IsRuntime("nodejs-x") {
		t.Error("of nothing")
	}
}

package deliver

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"voice-input/pkg/cli"
	"voice-input/pkg/internal/child"
	"voice-input/pkg/internal/desktoptest"
)

// A target that is gone gets nothing, and neither does the clipboard, unless
// the configuration asks for it.
func TestTargetGone(t *testing.T) {
	t.Setenv("WAYLAND_DISPLAY", "")
	t.Setenv("DISPLAY", desktoptest.X11(t))
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	target := file("target.json", `{"schema":"vi.focus/1","reason":"ok","desktop":{"kind":"x11"},"window":{"class":"x"},"multiplexer":{"kind":"tmux","socket":"/nonexistent/t","pane":"%0"}}`)
	for _, tt := range []struct{ config, warnings, clipboard string }{
		{"", `[]`, ""},
		{"[deliver]\nclipboard_if_changed = true\n", `["left_on_clipboard"]`, "一\n二"},
	} {
		var stdout, stderr bytes.Buffer
		status := cli.Main(t.Context(), Command(), &cli.IO{
			Args:  []string{"vi-type", "--text", "--target", target, "--config", file("config.toml", tt.config)},
			Stdin: strings.NewReader("一\n二\n"), Stdout: &stdout, Stderr: &stderr, Getenv: os.Getenv,
		})
		want := `{"schema":"vi.delivery/1","reason":"target_changed","delivered":false,"driver":"tmux","verified":"nothing","warnings":` + tt.warnings + "}\n"
		if status != int(cli.StatusTempFail) || stdout.String() != want || strings.Contains(stderr.String(), "一") {
			t.Errorf("%q: status %d, %s%s", tt.config, status, &stdout, &stderr)
		}
		var clipboard bytes.Buffer
		child.Run(context.Background(), child.Spec{Argv: xClipboard.paste, Stdout: &clipboard}) // fails where nothing is
		if clipboard.String() != tt.clipboard {
			t.Errorf("%q: the clipboard holds %q", tt.config, &clipboard)
		}
	}
}

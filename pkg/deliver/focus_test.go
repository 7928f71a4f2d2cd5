package deliver

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"voice-input/pkg/cli"
	"voice-input/pkg/internal/desktoptest"
	"voice-input/pkg/wire"
)

// The whole way with the real vi-focus: what pastes by a key delivers while
// the target has the focus, and presses nothing once another window has it;
// Kitty gets the text all the same.
func TestFocusMoved(t *testing.T) {
	vifocus := filepath.Join(t.TempDir(), "vi-focus")
	desktoptest.Run(t, os.Environ(), "go", "build", "-o", vifocus, "voice-input/cmd/vi-focus")
	c := desktoptest.Sway(t)
	t.Setenv("XDG_RUNTIME_DIR", desktoptest.Dir(t))
	for name, value := range map[string]string{"DISPLAY": "", "WAYLAND_DISPLAY": c.Display, "SWAYSOCK": c.IPC} {
		t.Setenv(name, value)
	}
	config := filepath.Join(t.TempDir(), "config.toml")
	b, _ := json.Marshal([]string{vifocus, "--config", "/dev/null"})
	if err := os.WriteFile(config, []byte("[stages]\nfocus = "+string(b)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	meant := desktoptest.NewReader(t, true)
	c.Foot(t, meant.Command...)
	meant.Ready()
	target := filepath.Join(t.TempDir(), "target.json")
	look := func() {
		t.Helper()
		if err := os.WriteFile(target, []byte(desktoptest.Run(t, os.Environ(), vifocus)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	look()
	deliver := func() (wire.Delivery, int) {
		var stdout, stderr bytes.Buffer
		status := cli.Main(t.Context(), Command(), &cli.IO{
			Args:  []string{"vi-type", "--text", "--target", target, "--config", config},
			Stdin: strings.NewReader("go forward\n十米"), Stdout: &stdout, Stderr: &stderr, Getenv: os.Getenv,
		})
		var d wire.Delivery
		if err := wire.Decode(bytes.TrimSpace(stdout.Bytes()), &d); err != nil || strings.Contains(stderr.String(), "forward") {
			t.Fatalf("%s%s%v", &stdout, &stderr, err)
		}
		return d, status
	}
	if d, status := deliver(); status != 0 || !d.Delivered || d.Driver != "wayland" {
		t.Fatalf("with the focus: status %d, %+v", status, d)
	}
	receives(t, meant, desktoptest.Pasted("go forward 十米"))

	other := desktoptest.NewReader(t, true)
	desktoptest.Start(t, c.Env(t), append([]string{"foot", "--config=/dev/null", "--app-id=other"}, other.Command...)...)
	c.Focused(t, "other")
	other.Ready()
	if d, status := deliver(); status != int(cli.StatusTempFail) || d.Delivered || d.Reason != "target_changed" || d.Driver != "wayland" {
		t.Errorf("without the focus: status %d, %+v", status, d)
	}

	inKitty := desktoptest.NewReader(t, true)
	desktoptest.StartKitty(t, []string{"WAYLAND_DISPLAY=" + c.Display, "KITTY_ENABLE_WAYLAND=1"}, filepath.Join(desktoptest.Dir(t), "k"), inKitty.Command...)
	inKitty.Ready()
	c.Focused(t, "kitty")
	look()
	desktoptest.Run(t, os.Environ(), "swaymsg", "-s", c.IPC, "[app_id=other] focus")
	c.Focused(t, "other")
	if d, status := deliver(); status != 0 || !d.Delivered || d.Driver != "kitty" {
		t.Errorf("to Kitty without the focus: status %d, %+v", status, d)
	}
	if got := inKitty.Next(1); !strings.Contains(got, "go forward 十米") {
		t.Errorf("Kitty received %q", got)
	}
	if got := other.All(); got != "" || meant.All() != desktoptest.Pasted("go forward 十米") {
		t.Errorf("the other window received %q", got)
	}
}

package deliver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"voice-input/pkg/deliver/driver"
	"voice-input/pkg/deliver/wayland"
	"voice-input/pkg/internal/child"
	"voice-input/pkg/internal/desktoptest"
	"voice-input/pkg/wire"
)

type fake struct {
	verified string
	err      error
}

func (fake) Name() string { return "fake" }
func (f fake) Deliver(context.Context, string) (string, []string, error) {
	return f.verified, []string{"w"}, f.err
}

func quiet(string, ...any) {}

// through delivers by one driver.
func through(t *testing.T, d Driver, text string) (*wire.Delivery, error) {
	return Text(t.Context(), []Route{{Name: d.Name(), Open: func(context.Context) (Driver, string) { return d, "" }}}, text, quiet)
}

func TestText(t *testing.T) {
	unsent := fmt.Errorf("x: %w", driver.ErrUnsent)
	unsentLate := fmt.Errorf("x: %w: %w", driver.ErrUnsent, context.DeadlineExceeded)
	changed := fmt.Errorf("x: %w", driver.ErrTargetChanged)
	// Each driver by what it returns; nil is one that cannot be opened, and the
	// last one is the last resort.
	tests := []struct {
		name    string
		drivers []any
		text    string
		want    string
	}{
		{"delivered", []any{"written", "nothing"}, "x", "ok true fake written [w]"},
		{"no text", []any{"written"}, "", "no_text false  nothing []"},
		{"nothing that can be seen", []any{"written"}, "\x1b\u200b\n", "no_text false  nothing []"},
		{"no driver", []any{nil, nil}, "x", "no_driver false  nothing []"},
		{"no route", nil, "x", "no_driver false  nothing []"},
		{"the second", []any{nil, "written", nil}, "x", "ok true fake written [w]"},
		{"O9: left on the clipboard", []any{unsent, "read_back"}, "x", "ok true fake read_back [w w left_on_clipboard]"},
		{"the last resort", []any{nil, "read_back"}, "x", "ok true fake read_back [w left_on_clipboard]"},
		{"failed", []any{errors.New("x"), "written"}, "x", "driver_failed false fake nothing [w]"},
		{"too late is unknown, nothing follows", []any{context.DeadlineExceeded, "written"}, "x", "timeout false fake nothing [w]"},
		{"O9: nothing was sent, another follows", []any{unsent, "written", nil}, "x", "ok true fake written [w w]"},
		{"too late before it was sent", []any{unsentLate, "written", nil}, "x", "ok true fake written [w w]"},
		{"nothing was sent by any", []any{unsent, nil, unsentLate}, "x", "driver_failed false fake nothing [w w]"},
		{"target changed, nothing follows", []any{changed, "written"}, "x", "target_changed false fake nothing [w]"},
		{"target changed behind another", []any{unsent, changed, "written"}, "x", "target_changed false fake nothing [w w]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var routes []Route
			for i, d := range tt.drivers {
				routes = append(routes, Route{Name: "fake", LastResort: i > 0 && i == len(tt.drivers)-1, Open: func(context.Context) (Driver, string) {
					switch d := d.(type) {
					case string:
						return fake{verified: d}, ""
					case error:
						return fake{err: d}, ""
					}
					return nil, "absent"
				}})
			}
			got, err := Text(t.Context(), routes, tt.text, quiet)
			reason := got.Reason
			if reason == "" {
				reason = wire.OK
			}
			if s := fmt.Sprintf("%s %t %s %s %v", reason, got.Delivered, got.Driver, got.Verified, got.Warnings); s != tt.want {
				t.Errorf("got  %s\nwant %s", s, tt.want)
			}
			if (err != nil) != (!got.Delivered && got.Reason != "no_text") {
				t.Errorf("error %v with reason %q", err, got.Reason)
			}
		})
	}
}

// The text arrives on the real clipboard, whatever it holds, and the program
// that serves it does not keep vi-type waiting.
func TestClipboard(t *testing.T) {
	texts := []string{
		"go forward ten meters", "说 <b> & `code`", "-rf", "a\tb\nc", "  spaces  ", "👩‍👩‍👧", strings.Repeat("long ", 40_000),
	}
	for _, desktop := range []struct {
		name, variable string
		start          func(*testing.T) string
		paste          []string
	}{
		{"xclip", "DISPLAY", func(t *testing.T) string { return desktoptest.X11(t) }, xClipboard.paste},
		{"clipboard", "WAYLAND_DISPLAY", func(t *testing.T) string { return desktoptest.Sway(t).Display }, wlClipboard.paste},
		{"wl-copy", "WAYLAND_DISPLAY", func(t *testing.T) string { return desktoptest.Sway(t).Display }, wlClipboard.paste},
	} {
		t.Run(desktop.name, func(t *testing.T) {
			t.Setenv("DISPLAY", "")
			t.Setenv("WAYLAND_DISPLAY", "")
			t.Setenv(desktop.variable, desktop.start(t))
			t.Setenv("XDG_RUNTIME_DIR", "/nonexistent")
			d, missing := FindClipboard(t.Context(), os.Getenv)
			if desktop.name == "wl-copy" {
				// As on a compositor without data control.
				d = wlClipboard
				t.Cleanup(func() { exec.Command("wl-copy", "--clear").Run() })
			}
			if d == nil || d.Name() != desktop.name {
				t.Fatalf("found %v: %s", d, missing)
			}
			for _, text := range texts {
				rec, err := through(t, d, text)
				if err != nil || !rec.Delivered || rec.Verified != wire.VerifiedReadBack || len(rec.Warnings) > 0 {
					t.Fatalf("%.20q: %+v, %v", text, rec, err)
				}
				var got bytes.Buffer
				if err := child.Run(t.Context(), child.Spec{Argv: desktop.paste, Stdout: &got}); err != nil || got.String() != text {
					t.Errorf("the clipboard holds %.20q, want %.20q (%v)", got.String(), text, err)
				}
			}
		})
	}
}

// O1: a helper program that never ends is given up, and nothing of it stays.
func TestO1HelperNeverEnds(t *testing.T) {
	dir := t.TempDir()
	pid := filepath.Join(dir, "pid")
	script := "#!/bin/sh\necho $$ > " + pid + "\ntrap '' TERM\nwhile :; do sleep 1; done\n"
	for _, name := range []string{"xclip", "wl-copy"} {
		os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	rec, err := through(t, xClipboard, "private")
	if !errors.Is(err, context.DeadlineExceeded) || rec.Reason != "timeout" || rec.Delivered {
		t.Errorf("%+v, %v", rec, err)
	}
	if strings.Contains(fmt.Sprint(err), "private") {
		t.Error("the error holds the text")
	}
	b, _ := os.ReadFile(pid)
	var n int
	fmt.Sscan(string(b), &n)
	desktoptest.Until(t, "the helper's end", func() bool { return n != 0 && syscall.Kill(n, 0) != nil })
}

// O1: what a clipboard program leaves behind keeps its output open and stays.
// O2: text that begins with a dash reaches it on standard input, and no
// argument has it.
func TestO1O2ClipboardProgram(t *testing.T) {
	dir := t.TempDir()
	pid := filepath.Join(dir, "pid")
	script := "#!/bin/sh\nprintf '%s\\n' \"$@\" > " + dir + "/argv\ncat > " + dir + "/stdin\nsleep 1000 & echo $! > " + pid + "\n"
	os.WriteFile(filepath.Join(dir, "wl-copy"), []byte(script), 0o755)
	os.WriteFile(filepath.Join(dir, "wl-paste"), []byte("#!/bin/sh\ncat "+dir+"/stdin\n"), 0o755)
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	for _, text := range []string{"--help", "-rf 这个参数", "-"} {
		rec, err := through(t, wlClipboard, text)
		var n int
		b, _ := os.ReadFile(pid)
		fmt.Sscan(string(b), &n)
		if n == 0 || syscall.Kill(n, syscall.SIGKILL) != nil {
			t.Error("the program that serves the clipboard is gone")
		}
		stdin, _ := os.ReadFile(filepath.Join(dir, "stdin"))
		argv, _ := os.ReadFile(filepath.Join(dir, "argv"))
		if err != nil || rec.Verified != wire.VerifiedReadBack || string(stdin) != text || string(argv) != "--type\n"+textType+"\n" {
			t.Errorf("%+v, %v: standard input %q, arguments %q", rec, err, stdin, argv)
		}
	}
}

// A clipboard that takes the text and cannot be read is a warning, one that
// refuses it a failure.
func TestClipboardOutcomes(t *testing.T) {
	tests := []struct {
		name, copy, paste string
		want              string
	}{
		{"not readable", "cat >/dev/null", "exit 1", "ok true nothing [clipboard_not_readable]"},
		{"another text", "cat >/dev/null", "echo other", "ok true nothing [clipboard_differs]"},
		{"endless", "cat >/dev/null", "yes | head -c 1000000; exec sleep 100", "ok true nothing [clipboard_not_readable]"},
		{"refused", "exit 1", "exit 0", "driver_failed false nothing []"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := Clipboard{"test", []string{"sh", "-c", tt.copy}, []string{"sh", "-c", tt.paste}}
			rec, _ := through(t, d, "text")
			reason := rec.Reason
			if reason == "" {
				reason = wire.OK
			}
			if got := fmt.Sprintf("%s %t %s %v", reason, rec.Delivered, rec.Verified, rec.Warnings); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// The process that serves the clipboard is this program.
func TestMain(m *testing.M) {
	if is, err := wayland.Keep(context.Background(), os.Getenv); is {
		if err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

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
	"time"

	"voice-input/pkg/internal/child"
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

func TestText(t *testing.T) {
	tests := []struct {
		name   string
		driver Driver
		text   string
		want   wire.Delivery
	}{
		{"delivered", fake{wire.VerifiedWritten, nil}, "x", wire.Delivery{Delivered: true, Driver: "fake", Verified: "written", Warnings: []string{"w"}}},
		{"no text", fake{}, "", wire.Delivery{Header: wire.Header{Reason: "no_text"}, Verified: "nothing", Warnings: []string{}}},
		{"no driver", nil, "x", wire.Delivery{Header: wire.Header{Reason: "no_driver"}, Verified: "nothing", Warnings: []string{}}},
		{"failed", fake{"written", errors.New("x")}, "x", wire.Delivery{Header: wire.Header{Reason: "driver_failed"}, Driver: "fake", Verified: "nothing", Warnings: []string{"w"}}},
		{"too late", fake{"written", context.DeadlineExceeded}, "x", wire.Delivery{Header: wire.Header{Reason: "timeout"}, Driver: "fake", Verified: "nothing", Warnings: []string{"w"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Text(t.Context(), tt.driver, tt.text)
			if fmt.Sprintf("%+v", *got) != fmt.Sprintf("%+v", tt.want) {
				t.Errorf("got  %+v\nwant %+v", *got, tt.want)
			}
			if (err != nil) != (!got.Delivered && got.Reason != "no_text") {
				t.Errorf("error %v with reason %q", err, got.Reason)
			}
		})
	}
}

// until polls, for a loaded machine may be slow.
func until(t *testing.T, what string, met func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !met(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not in time: %s", what)
		}
	}
}

// start runs a program of the test's desktop until the end of the test.
func start(t *testing.T, env []string, argv ...string) {
	t.Helper()
	if _, err := exec.LookPath(argv[0]); err != nil {
		if os.Getenv("VI_TEST_ALLOW_SKIP") == "1" {
			t.Skipf("no program %q", argv[0])
		}
		t.Fatalf("no program %q; VI_TEST_ALLOW_SKIP=1 skips this test", argv[0])
	}
	p, err := child.Start(context.Background(), child.Spec{Argv: argv, Env: env})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Kill()
		<-p.Done()
	})
}

// x11 starts an X server without a screen and returns its display.
func x11(t *testing.T) string {
	t.Helper()
	for n := 90; n < 120; n++ {
		if _, err := os.Stat(fmt.Sprintf("/tmp/.X11-unix/X%d", n)); err == nil {
			continue
		}
		start(t, nil, "Xvfb", fmt.Sprintf(":%d", n), "-screen", "0", "640x480x24", "-nolisten", "tcp")
		until(t, "the X server", func() bool {
			_, err := os.Stat(fmt.Sprintf("/tmp/.X11-unix/X%d", n))
			return err == nil
		})
		return fmt.Sprintf(":%d", n)
	}
	t.Fatal("no free display")
	return ""
}

// sway starts a compositor without a screen and returns the path of its
// socket. It refuses to be root, so root runs it as nobody.
func sway(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "vi-sway-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	os.Chmod(dir, 0o700)
	conf := filepath.Join(dir, "config")
	os.WriteFile(conf, []byte("xwayland disable\n"), 0o644)
	argv := []string{"sway", "-c", conf}
	if os.Getuid() == 0 {
		os.Chown(dir, 65534, 65534)
		argv = append([]string{"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"}, argv...)
	}
	start(t, []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "XDG_RUNTIME_DIR=" + dir, "LC_ALL=C",
		"WLR_BACKENDS=headless", "WLR_RENDERER=pixman", "WLR_LIBINPUT_NO_DEVICES=1",
	}, argv...)
	var socket string
	until(t, "the compositor", func() bool {
		found, _ := filepath.Glob(filepath.Join(dir, "wayland-[0-9]"))
		if len(found) == 1 {
			socket = found[0]
		}
		return len(found) == 1
	})
	return socket
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
		{"xclip", "DISPLAY", x11, xClipboard.paste},
		{"wl-copy", "WAYLAND_DISPLAY", sway, wlClipboard.paste},
	} {
		t.Run(desktop.name, func(t *testing.T) {
			t.Setenv("DISPLAY", "")
			t.Setenv("WAYLAND_DISPLAY", "")
			t.Setenv(desktop.variable, desktop.start(t))
			t.Setenv("XDG_RUNTIME_DIR", "/nonexistent")
			d, missing := FindClipboard(os.Getenv)
			if d == nil || d.Name() != desktop.name {
				t.Fatalf("found %v: %s", d, missing)
			}
			for _, text := range texts {
				rec, err := Text(t.Context(), d, text)
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

// A helper program that never ends is given up, and nothing of it stays.
func TestHangingHelper(t *testing.T) {
	dir := t.TempDir()
	pid := filepath.Join(dir, "pid")
	script := "#!/bin/sh\necho $$ > " + pid + "\ntrap '' TERM\nwhile :; do sleep 1; done\n"
	for _, name := range []string{"xclip", "wl-copy"} {
		os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	rec, err := Text(t.Context(), xClipboard, "private")
	if !errors.Is(err, context.DeadlineExceeded) || rec.Reason != "timeout" || rec.Delivered {
		t.Errorf("%+v, %v", rec, err)
	}
	if strings.Contains(fmt.Sprint(err), "private") {
		t.Error("the error holds the text")
	}
	b, _ := os.ReadFile(pid)
	var n int
	fmt.Sscan(string(b), &n)
	until(t, "the helper's end", func() bool { return n != 0 && syscall.Kill(n, 0) != nil })
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
		{"endless", "cat >/dev/null", "yes", "ok true nothing [clipboard_not_readable]"},
		{"refused", "exit 1", "exit 0", "driver_failed false nothing []"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := Clipboard{"test", []string{"sh", "-c", tt.copy}, []string{"sh", "-c", tt.paste}}
			rec, _ := Text(t.Context(), d, "text")
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

// Package desktoptest runs the real programs of a desktop for tests: an X
// server and a compositor without a screen, Kitty and tmux. Each ends with its
// test and leaves nothing behind.
package desktoptest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"voice-input/pkg/internal/child"
)

// Need fails the test if a program is absent, or skips it where
// VI_TEST_ALLOW_SKIP is 1.
func Need(t testing.TB, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err == nil {
		return
	}
	if os.Getenv("VI_TEST_ALLOW_SKIP") == "1" {
		t.Skipf("no program %q", program)
	}
	t.Fatalf("no program %q; VI_TEST_ALLOW_SKIP=1 skips this test", program)
}

// Until polls until met returns true, with patience, for a loaded machine may
// be slow.
func Until(t testing.TB, what string, met func() bool) {
	t.Helper()
	for end := time.Now().Add(60 * time.Second); !met(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not in time: %s", what)
		}
	}
}

// Start runs a program until the end of the test. A nil env is that of the
// test.
func Start(t testing.TB, env []string, argv ...string) *child.Process {
	t.Helper()
	Need(t, argv[0])
	p, err := child.Start(context.Background(), child.Spec{Argv: argv, Env: env})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Kill()
		<-p.Done()
	})
	return p
}

// Run runs a program to its end and returns what it printed.
func Run(t testing.TB, env []string, argv ...string) string {
	t.Helper()
	Need(t, argv[0])
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = env
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%q: %v: %s", argv, err, out)
	}
	return string(out)
}

// Dir makes a directory with a short path, for a socket's has at most 107
// bytes.
func Dir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "vi-desk-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// X11 starts an X server without a screen and returns its DISPLAY.
func X11(t testing.TB) string {
	t.Helper()
	Need(t, "Xvfb")
	// The server takes a number that is free and says which.
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	p, err := child.Start(context.Background(), child.Spec{
		Argv: []string{"Xvfb", "-displayfd", "3", "-screen", "0", "1280x800x24", "+extension", "GLX", "-nolisten", "tcp"}, Extra: []*os.File{w},
	})
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Kill()
		<-p.Done()
	})
	r.SetReadDeadline(time.Now().Add(60 * time.Second))
	var n int
	if _, err := fmt.Fscanln(r, &n); err != nil {
		t.Fatalf("the X server did not start: %v", err)
	}
	// A server that is killed leaves these.
	t.Cleanup(func() {
		os.Remove(fmt.Sprintf("/tmp/.X%d-lock", n))
		os.Remove(fmt.Sprintf("/tmp/.X11-unix/X%d", n))
	})
	return fmt.Sprintf(":%d", n)
}

// Openbox starts a window manager on an X server and waits until it manages:
// it gives no focus to a window that was there before it.
func Openbox(t testing.TB, env []string) {
	t.Helper()
	ready := filepath.Join(Dir(t), "ready")
	Start(t, env, "openbox", "--sm-disable", "--startup", "touch "+ready)
	Until(t, "the window manager", func() bool {
		_, err := os.Stat(ready)
		return err == nil
	})
}

// Compositor is a Sway without a screen.
type Compositor struct {
	Display string // path for WAYLAND_DISPLAY
	IPC     string // path for SWAYSOCK
}

// Sway starts a compositor. It refuses to be root, so root runs it as nobody.
func Sway(t testing.TB) Compositor {
	t.Helper()
	Need(t, "sway")
	dir := Dir(t)
	conf := filepath.Join(dir, "config")
	if err := os.WriteFile(conf, []byte("xwayland disable\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	argv := []string{"sway", "-c", conf}
	if os.Getuid() == 0 {
		const nobody = 65534
		if err := os.Chown(dir, nobody, nobody); err != nil {
			t.Fatal(err)
		}
		argv = append([]string{"setpriv", fmt.Sprintf("--reuid=%d", nobody), fmt.Sprintf("--regid=%d", nobody), "--clear-groups"}, argv...)
	}
	Start(t, []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "XDG_RUNTIME_DIR=" + dir, "LC_ALL=C",
		"WLR_BACKENDS=headless", "WLR_RENDERER=pixman", "WLR_LIBINPUT_NO_DEVICES=1",
	}, argv...)
	var c Compositor
	Until(t, "the compositor", func() bool {
		c.Display, c.IPC = only(dir, "wayland-[0-9]"), only(dir, "sway-ipc.*.sock")
		return c.Display != "" && c.IPC != ""
	})
	return c
}

// only returns the one file that matches, or "".
func only(dir, pattern string) string {
	found, _ := filepath.Glob(filepath.Join(dir, pattern))
	if len(found) != 1 {
		return ""
	}
	return found[0]
}

// Path returns the path of a program that is needed.
func Path(t testing.TB, program string) string {
	t.Helper()
	Need(t, program)
	path, err := exec.LookPath(program)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

package desktoptest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"voice-input/pkg/internal/kitty"
)

// Kitty is a running Kitty.
type Kitty struct {
	PID    int
	Socket string // path of its remote control
	t      testing.TB
}

// StartKitty starts a Kitty on a desktop, named by variables of which the first
// is DISPLAY or WAYLAND_DISPLAY, with one window that runs command. With listen it takes
// remote control there; KITTY_PID in it stands for its process.
func StartKitty(t testing.TB, desktop []string, listen string, command ...string) *Kitty {
	t.Helper()
	dir := Dir(t)
	conf := filepath.Join(dir, "kitty.conf")
	text := "allow_remote_control socket-only\nupdate_check_interval 0\nconfirm_os_window_close 0\nenabled_layouts splits\nshell /bin/sh\nenable_audio_bell no\n"
	if strings.HasPrefix(desktop[0], "WAYLAND_DISPLAY=") {
		text += "linux_display_server wayland\n"
	}
	if err := os.WriteFile(conf, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	env := append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "XDG_RUNTIME_DIR=" + dir, "XDG_CACHE_HOME=" + dir, "KITTY_CONFIG_DIRECTORY=" + dir,
		"LIBGL_ALWAYS_SOFTWARE=1", "LC_ALL=C.UTF-8",
	}, desktop...)
	argv := append([]string{"kitty", "--config", conf, "--listen-on", "unix:" + strings.ReplaceAll(listen, "KITTY_PID", "{kitty_pid}")}, command...)
	p := Start(t, env, argv...)
	k := &Kitty{PID: p.PID(), Socket: strings.ReplaceAll(listen, "KITTY_PID", fmt.Sprint(p.PID())), t: t}
	t.Cleanup(func() {
		if k.Socket[0] == '/' {
			os.Remove(k.Socket) // a Kitty that is killed leaves it
		}
	})
	Until(t, "Kitty's socket", func() bool { _, err := k.call("ls", struct{}{}); return err == nil })
	return k
}

func (k *Kitty) call(command string, payload any) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return kitty.Socket{Path: k.Socket, PID: k.PID, UID: os.Getuid()}.Call(ctx, command, payload)
}

// Do sends a command that has to succeed and returns its data.
func (k *Kitty) Do(command string, payload map[string]any) []byte {
	k.t.Helper()
	data, err := k.call(command, payload)
	if err != nil {
		k.t.Fatalf("kitty %s: %v", command, err)
	}
	return data
}

// Launch opens a window of a type (tab, window, os-window) that runs command
// and returns its number.
func (k *Kitty) Launch(kind string, command ...string) int {
	k.t.Helper()
	var id int
	data := k.Do("launch", map[string]any{"args": command, "type": kind, "cwd": "/", "env": []string{}, "hold": false, "location": "vsplit"})
	if err := json.Unmarshal(data, &id); err != nil {
		k.t.Fatalf("kitty launch: %q", data)
	}
	return id
}

// Focus gives a window of Kitty the focus.
func (k *Kitty) Focus(id int) {
	k.t.Helper()
	k.Do("focus-window", map[string]any{"match": fmt.Sprintf("id:%d", id)})
}

// Tmux is a server of tmux with a socket of its own.
type Tmux struct {
	Socket string
	t      testing.TB
}

// StartTmux starts a server with a session that runs command.
func StartTmux(t testing.TB, session string, command ...string) *Tmux {
	t.Helper()
	m := &Tmux{Socket: filepath.Join(Dir(t), "tmux"), t: t}
	t.Cleanup(func() { exec.Command("tmux", "-S", m.Socket, "kill-server").Run() })
	m.Do(append([]string{"new-session", "-d", "-s", session, "-x", "120", "-y", "40"}, command...)...)
	return m
}

// Do runs a command of tmux that has to succeed and returns what it printed.
func (m *Tmux) Do(args ...string) string {
	m.t.Helper()
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=/nonexistent", "LC_ALL=C.UTF-8", "TERM=xterm-256color"}
	return strings.TrimSpace(Run(m.t, env, append([]string{"tmux", "-f", "/dev/null", "-S", m.Socket}, args...)...))
}

// Clients returns how many clients are attached.
func (m *Tmux) Clients() int {
	m.t.Helper()
	return len(bytes.Fields([]byte(m.Do("list-clients", "-F", "#{client_pid}"))))
}

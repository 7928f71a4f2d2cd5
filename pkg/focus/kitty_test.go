package focus

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"voice-input/pkg/internal/desktoptest"
	"voice-input/pkg/internal/kitty"
)

func sample(t testing.TB, version string) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/kitty-" + version + "-ls.json")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The window that shows is that of the active tab in the focused OS window,
// though every tab has a window that says it is focused.
func TestParseKittySamples(t *testing.T) {
	for version, want := range map[string]string{
		"0.26.5": "11 15309 ", "0.41.1": "5 17098 ", "0.48.2": "5 17333 ",
	} {
		w, reason := parseKitty(sample(t, version), 0)
		if got := fmt.Sprint(w.ID, " ", w.PID, " ", reason); got != want {
			t.Errorf("%s: got %q, want %q", version, got, want)
		}
	}
	// In X11 the window has to be the one that the desktop named.
	if w, reason := parseKitty(sample(t, "0.26.5"), 4194316); w.ID == 0 || reason != "" {
		t.Errorf("same X11 window: %d, %s", w.ID, reason)
	}
	if _, reason := parseKitty(sample(t, "0.26.5"), 4194317); reason != "changed" {
		t.Errorf("another X11 window: %s", reason)
	}
}

func TestParseKitty(t *testing.T) {
	const window = `{"id":1,"pid":5,"is_active":true,"is_focused":true}`
	const tab = `{"is_active":true,"is_focused":true,"windows":[` + window + `]}`
	tests := []struct{ name, in, want string }{
		{"one", `[{"is_focused":true,"tabs":[` + tab + `]}]`, ""},
		{"two OS windows, one focused", `[{"is_focused":false,"tabs":[` + tab + `]},{"is_focused":true,"tabs":[` + tab + `]}]`, ""},
		{"two focused", `[{"is_focused":true,"tabs":[` + tab + `]},{"is_focused":true,"tabs":[` + tab + `]}]`, "ambiguous"},
		{"none focused", `[{"is_focused":false,"tabs":[` + tab + `]}]`, "changed"},
		{"no tab", `[{"is_focused":true,"tabs":[]}]`, "ambiguous"},
		{"two active tabs", `[{"is_focused":true,"tabs":[` + tab + `,` + tab + `]}]`, "ambiguous"},
		{"two active windows", `[{"is_focused":true,"tabs":[{"is_active":true,"windows":[` + window + `,` + window + `]}]}]`, "ambiguous"},
		{"mark of the tab is missing", `[{"is_focused":true,"tabs":[{"windows":[` + window + `]}]}]`, "ambiguous"},
		{"no process", `[{"is_focused":true,"tabs":[{"is_active":true,"windows":[{"id":1,"is_active":true,"is_focused":true}]}]}]`, "ambiguous"},
		{"empty", `[]`, "changed"},
		{"object", `{}`, "kitty_bad_answer"},
		{"no JSON", `x`, "kitty_bad_answer"},
	}
	for _, tt := range tests {
		if _, got := parseKitty([]byte(tt.in), 0); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func FuzzParseKitty(f *testing.F) {
	for _, version := range []string{"0.26.5", "0.41.1", "0.48.2"} {
		f.Add(sample(f, version), uint32(0))
	}
	f.Fuzz(func(t *testing.T, b []byte, x11 uint32) {
		if w, reason := parseKitty(b, x11); reason == "" && (w.PID <= 0 || !w.Focused || !w.active()) {
			t.Errorf("%+v", w)
		}
	})
}

// The socket is where Kitty put it, not where it is by default.
func TestF5_WhereTheSocketIs(t *testing.T) {
	native := program(t, t.TempDir(), "codex")
	dir := desktoptest.Dir(t)
	named := filepath.Join(dir, fmt.Sprintf("kitty-77-%d", os.Getpid()))
	tests := []struct{ name, path, env, want string }{
		{"in the environment of its children", named, "unix:" + named, "codex"},
		{"abstract", "@vi-focus-test-" + filepath.Base(dir), "unix:@vi-focus-test-" + filepath.Base(dir), "codex"},
		{"where it listens, with its number", filepath.Join(dir, fmt.Sprintf("own-%d", os.Getpid())), "", "codex"},
		{"abstract, with its number", fmt.Sprintf("@%s-%d", filepath.Base(dir), os.Getpid()), "", "codex"},
		{"by default", fmt.Sprintf("/tmp/kitty-%d", os.Getpid()), "", "codex"},
		{"on a network", "", "tcp:localhost:1", "kitty_socket_missing"},
		{"gone", "", "unix:" + filepath.Join(dir, "gone"), "kitty_socket_missing"},
		{"nowhere", "", "", "kitty_socket_missing"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := cast{Path: native, Argv: []string{"codex"}}
			if tt.env != "" {
				c.Env = []string{"KITTY_LISTEN_ON=" + tt.env}
			}
			l := onTerminal(t, c, syscall.SysProcAttr{})
			if tt.path != "" {
				kittyWith(t, tt.path, l.leader.Process.Pid)
			}
			f := looker(t, hyprlandWindow(t, "kitty")).Look(t.Context())
			got := f.AgentReason
			if f.Agent != nil {
				got = f.Agent.Kind
			}
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if tt.path != "" && (f.Terminal.Socket != "unix:"+tt.path || f.Terminal.WindowID != 7) {
				t.Errorf("%+v", f.Terminal)
			}
		})
	}
}

// What lies at Kitty's path and is not its socket is left alone, with a reason
// of its own, and no other place is tried instead.
func TestF7_NotKittysSocket(t *testing.T) {
	native := program(t, t.TempDir(), "codex")
	path := fmt.Sprintf("/tmp/kitty-%d", os.Getpid())
	right := filepath.Join(desktoptest.Dir(t), "k")
	l := onTerminal(t, cast{Path: native, Argv: []string{"codex"}, Env: []string{"KITTY_LISTEN_ON=unix:" + right}}, syscall.SysProcAttr{})
	kittyWith(t, right, l.leader.Process.Pid)
	tests := []struct {
		name string
		make func()
		want string
	}{
		{"plain file", func() { os.WriteFile(path, []byte("x"), 0o600) }, "kitty_socket_refused"},
		{"link", func() { os.Symlink(right, path) }, "kitty_socket_refused"},
		{"dead socket", func() {
			dead, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
			if err != nil {
				t.Fatal(err)
			}
			dead.SetUnlinkOnClose(false)
			dead.Close()
		}, "kitty_no_answer"},
	}
	if os.Getuid() == 0 { // nobody else can give a socket away
		tests = append(tests, struct {
			name string
			make func()
			want string
		}{"another user's socket", func() {
			listen(t, path, func(c net.Conn) { t.Error("a stranger was spoken to") })
			os.Chown(path, 65534, 65534)
		}, "kitty_socket_refused"})
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.make()
			defer os.Remove(path)
			f := looker(t, hyprlandWindow(t, "kitty")).Look(t.Context())
			if f.AgentReason != tt.want || f.Agent != nil || f.Reason != "ok" || f.Style != styleFormal {
				t.Errorf("%+v, want %s", f, tt.want)
			}
			if _, err := os.Lstat(path); err != nil {
				t.Errorf("it was removed: %v", err)
			}
		})
	}
	// The socket of another process, even one of the same user.
	t.Run("another process", func(t *testing.T) {
		f := looker(t, hyprlandAnswer(t, fmt.Sprintf(`{"class":"kitty","pid":%d}`, l.leader.Process.Pid))).Look(t.Context())
		if f.AgentReason != "kitty_socket_missing" {
			t.Errorf("%+v", f)
		}
		other := fmt.Sprintf("/tmp/kitty-%d", l.leader.Process.Pid)
		kittyWith(t, other, l.leader.Process.Pid)
		f = looker(t, hyprlandAnswer(t, fmt.Sprintf(`{"class":"kitty","pid":%d}`, l.leader.Process.Pid))).Look(t.Context())
		if f.AgentReason != "kitty_socket_refused" {
			t.Errorf("%+v", f)
		}
	})
}

// Only a window whose class is exactly kitty is asked.
func TestRule_H1_ClassIsKitty(t *testing.T) {
	native := program(t, t.TempDir(), "codex")
	path := filepath.Join(desktoptest.Dir(t), "k")
	l := onTerminal(t, cast{Path: native, Argv: []string{"codex"}, Env: []string{"KITTY_LISTEN_ON=unix:" + path}}, syscall.SysProcAttr{})
	kittyWith(t, path, l.leader.Process.Pid)
	for class, want := range map[string]string{"kitty": "codex", "Kitty": "not_terminal", "kitty-dropterm": "not_terminal", "": "not_terminal"} {
		f := looker(t, hyprlandWindow(t, class)).Look(t.Context())
		got := f.AgentReason
		if f.Agent != nil {
			got = f.Agent.Kind
		}
		if got != want {
			t.Errorf("class %q: %s, want %s", class, got, want)
		}
	}
}

// Kitty has a second, whatever a look may take, and a look has its own limit.
func TestRule_H3_KittyHangs(t *testing.T) {
	if kitty.Timeout != time.Second {
		t.Errorf("Kitty has %v", kitty.Timeout)
	}
	ended := make(chan struct{})
	t.Cleanup(func() { close(ended) })
	path := filepath.Join(desktoptest.Dir(t), "k")
	onTerminal(t, cast{Path: program(t, t.TempDir(), "codex"), Argv: []string{"codex"}, Env: []string{"KITTY_LISTEN_ON=unix:" + path}}, syscall.SysProcAttr{})
	listen(t, path, func(net.Conn) { <-ended })
	for _, timeout := range []time.Duration{100 * time.Millisecond, time.Hour} {
		l := looker(t, hyprlandWindow(t, "kitty"))
		l.Timeout = timeout
		if f := l.Look(t.Context()); f.Reason != "ok" || f.AgentReason != "timeout" || f.Window == nil {
			t.Errorf("timeout %v: %+v", timeout, f)
		}
	}
}

// A window that is not below Kitty is not believed, nor is a process that
// Kitty does not list.
func TestKittyIsChecked(t *testing.T) {
	native := program(t, t.TempDir(), "codex")
	path := filepath.Join(desktoptest.Dir(t), "k")
	l := onTerminal(t, cast{Path: native, Argv: []string{"codex"}, Env: []string{"KITTY_LISTEN_ON=unix:" + path}}, syscall.SysProcAttr{})
	kittyWith(t, path, l.leader.Process.Pid, 1)
	if f := looker(t, hyprlandWindow(t, "kitty")).Look(t.Context()); f.AgentReason != "changed" || f.Agent != nil {
		t.Errorf("not listed: %+v", f)
	}
	os.Remove(path)
	kittyWith(t, path, 1)
	if f := looker(t, hyprlandWindow(t, "kitty")).Look(t.Context()); f.AgentReason != "changed" || f.Agent != nil {
		t.Errorf("not below Kitty: %+v", f)
	}
}

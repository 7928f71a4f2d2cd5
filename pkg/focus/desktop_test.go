package focus

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"voice-input/pkg/internal/desktoptest"
	"voice-input/pkg/wire"
)

// Without a focused window Hyprland answers with something else than a window.
func TestF9_NoFocusedWindow(t *testing.T) {
	for _, answer := range []string{"Invalid", "{}", "", "null", "Invalid\n", " {} "} {
		f := looker(t, hyprlandAnswer(t, answer)).Look(t.Context())
		if f.Reason != "no_window" || f.Window != nil || f.Style != styleFormal || f.Desktop == nil || f.Desktop.Kind != "hyprland" {
			t.Errorf("%q: %+v", answer, f)
		}
	}
}

// A title with a broken character or a bare control character does not hide
// the window, and never comes out.
func TestF10_TitlesThatBreakTheJSON(t *testing.T) {
	for _, title := range []string{"private \xff", "private \x01\x1b[31m", "private \t tab", "private \U0001F600 说"} {
		env := hyprlandAnswer(t, fmt.Sprintf("{\n\t\"class\": \"firefox\",\n\t\"title\": \"%s\",\n\t\"pid\": 42\n}", title))
		f := looker(t, env).Look(t.Context())
		line, err := wire.Encode(f)
		if err != nil || f.Reason != wire.OK || f.Window.Class != "firefox" || f.Window.PID != 42 || strings.Contains(string(line), "private") {
			t.Errorf("%q: %s, %v", title, line, err)
		}
		if err := wire.Decode(line, new(wire.Focus)); err != nil {
			t.Errorf("%q: %v", title, err)
		}
	}
	f := looker(t, hyprlandAnswer(t, `{"class": "a", "title": "a "quoted" title"}`)).Look(t.Context())
	if f.Reason != "bad_answer" {
		t.Errorf("quotes: %+v", f)
	}
}

// A service may have been started before the compositor, or outlive one.
func TestF11_EnvironmentMissingOrStale(t *testing.T) {
	dir := desktoptest.Dir(t)
	instance := func(name string, alive bool, class, display string) {
		path := filepath.Join(dir, "hypr", name)
		if alive {
			serveHyprland(t, path, func() string { return `{"class": "` + class + `", "pid": 1}` })
		} else {
			os.MkdirAll(path, 0o700)
			l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(path, ".socket.sock"), Net: "unix"})
			if err != nil {
				t.Fatal(err)
			}
			l.SetUnlinkOnClose(false)
			l.Close()
		}
		os.WriteFile(filepath.Join(path, "hyprland.lock"), []byte("1\n"+display+"\n"), 0o600)
	}
	look := func(env map[string]string) string {
		env["XDG_RUNTIME_DIR"] = dir
		f := looker(t, env).Look(t.Context())
		if f.Window == nil {
			return f.Reason
		}
		return f.Window.Class
	}
	instance("dead", false, "", "wayland-1")
	if got := look(map[string]string{}); got != "no_desktop" {
		t.Errorf("none alive: %s", got)
	}
	instance("live", true, "one", "wayland-1")
	for _, name := range []string{"", "dead", "gone", "../hypr/dead"} {
		if got := look(map[string]string{"HYPRLAND_INSTANCE_SIGNATURE": name}); got != "one" {
			t.Errorf("environment names %q: %s", name, got)
		}
	}
	instance("other", true, "two", "wayland-2")
	if got := look(map[string]string{}); got != "ambiguous" {
		t.Errorf("two alive: %s", got)
	}
	if got := look(map[string]string{"WAYLAND_DISPLAY": "wayland-2"}); got != "two" {
		t.Errorf("two alive and a display: %s", got)
	}
	if got := look(map[string]string{"HYPRLAND_INSTANCE_SIGNATURE": "live"}); got != "one" {
		t.Errorf("two alive and one named: %s", got)
	}
}

func TestDesktopIsForced(t *testing.T) {
	l := looker(t, hyprlandWindow(t, "firefox"))
	for kind, want := range map[string]string{"hyprland": wire.OK, "sway": "no_desktop", "niri": "no_desktop", "x11": "no_desktop"} {
		l.Desktop = kind
		if f := l.Look(t.Context()); f.Reason != want {
			t.Errorf("%s: %s, want %s", kind, f.Reason, want)
		}
	}
}

// A desktop that does not answer costs the deadline and no more.
func TestDesktopHangs(t *testing.T) {
	ended := make(chan struct{})
	t.Cleanup(func() { close(ended) })
	dir := desktoptest.Dir(t)
	path := filepath.Join(dir, "s")
	listen(t, path, func(net.Conn) { <-ended })
	os.MkdirAll(filepath.Join(dir, "hypr/x"), 0o700)
	os.Symlink(path, filepath.Join(dir, "hypr/x/.socket.sock"))
	for variable, value := range map[string]string{"SWAYSOCK": path, "NIRI_SOCKET": path, "HYPRLAND_INSTANCE_SIGNATURE": "x"} {
		l := looker(t, map[string]string{"XDG_RUNTIME_DIR": dir, variable: value})
		l.Timeout = 50 * time.Millisecond
		if f := l.Look(t.Context()); f.Reason != "timeout" {
			t.Errorf("%s: %s", variable, f.Reason)
		}
	}
}

// fakeNiri speaks niri's protocol: a JSON value a line, the connection stays.
func fakeNiri(t testing.TB, answer func() string, events <-chan string) map[string]string {
	t.Helper()
	path := filepath.Join(desktoptest.Dir(t), "niri.wayland-1.1.sock")
	listen(t, path, func(c net.Conn) {
		for lines := bufio.NewScanner(c); lines.Scan(); {
			switch lines.Text() {
			case `"FocusedWindow"`:
				io.WriteString(c, answer()+"\n")
			case `"EventStream"`:
				io.WriteString(c, `{"Ok":"Handled"}`+"\n")
				for e := range events {
					io.WriteString(c, e+"\n")
				}
				return
			default:
				io.WriteString(c, `{"Err":"error parsing request"}`+"\n")
			}
		}
	})
	return map[string]string{"NIRI_SOCKET": path, "XDG_RUNTIME_DIR": filepath.Dir(path)}
}

const niriWindow = `{"Ok":{"FocusedWindow":{"id":12,"title":"private","app_id":"org.telegram.desktop","pid":34,"workspace_id":6,"is_focused":true,"is_floating":false,"is_urgent":false}}}`

func TestNiri(t *testing.T) {
	tests := []struct{ answer, want string }{
		{niriWindow, "ok 12 org.telegram.desktop 34 message"},
		{`{"Ok":{"FocusedWindow":{"id":3,"title":null,"app_id":null,"pid":null}}}`, "ok 3  0 formal"},
		{`{"Ok":{"FocusedWindow":null}}`, "no_window"},
		{`{"Err":"no"}`, "bad_answer"},
		{`{"Ok":"Handled"}`, "bad_answer"},
		{`nonsense`, "bad_answer"},
	}
	for _, tt := range tests {
		f := looker(t, fakeNiri(t, func() string { return tt.answer }, nil)).Look(t.Context())
		got := f.Reason
		if f.Window != nil {
			got = fmt.Sprint(f.Reason, " ", f.Window.Address, " ", f.Window.Class, " ", f.Window.PID, " ", f.Style)
		}
		if got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.answer, got, tt.want)
		}
	}
	// The socket is found without the variable too.
	env := fakeNiri(t, func() string { return niriWindow }, nil)
	delete(env, "NIRI_SOCKET")
	if f := looker(t, env).Look(t.Context()); f.Reason != wire.OK || f.Desktop.Kind != "niri" {
		t.Errorf("found: %+v", f)
	}
}

func TestParseSway(t *testing.T) {
	sample, err := os.ReadFile("testdata/sway-1.7-get_tree.json")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, tree string
		want       window
		err        error
	}{
		{"sample", string(sample), window{class: "kitty", pid: 20497, address: "6"}, nil},
		{"floating", `{"type":"root","nodes":[{"type":"workspace","nodes":[],"floating_nodes":[{"id":9,"type":"floating_con","focused":true,"pid":3,"app_id":"x","shell":"xdg_shell"}]}]}`,
			window{class: "x", pid: 3, address: "9"}, nil},
		{"X11", `{"type":"root","nodes":[{"id":9,"type":"con","focused":true,"pid":3,"app_id":null,"shell":"xwayland","window":77,"window_properties":{"class":"Slack","instance":"slack","title":"private"}}]}`,
			window{class: "Slack", pid: 3, address: "9", x11: 77, xwayland: true}, nil},
		{"empty workspace", `{"type":"root","nodes":[{"type":"workspace","focused":true,"nodes":[]}]}`, window{}, errNoWindow},
		{"container", `{"type":"root","nodes":[{"id":1,"type":"con","focused":true,"nodes":[{"id":2,"type":"con","pid":3}]}]}`, window{}, errNoWindow},
		{"nothing focused", `{"type":"root"}`, window{}, errNoWindow},
		{"error", `{"success":false,"error":"private"}`, window{}, errBadAnswer},
		{"no JSON", `x`, window{}, errBadAnswer},
	}
	for _, tt := range tests {
		if got, err := parseSway([]byte(tt.tree)); got != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("%s: got %+v, %v; want %+v, %v", tt.name, got, err, tt.want, tt.err)
		}
	}
}

func TestDisplayIsLocal(t *testing.T) {
	for display, want := range map[string]bool{
		":0": true, ":12.1": true, "unix:3": true, "": false, "localhost:10.0": false, "host:0": false, "tcp/host:0": false, "/tmp/x:0": false, ":x": false,
	} {
		if got := len(x11Family.named(func(string) string { return display })) == 1; got != want {
			t.Errorf("%q: %t", display, got)
		}
	}
}

func FuzzParseHyprland(f *testing.F) {
	f.Add([]byte(`{"address":"0x5","class":"kitty","initialClass":"kitty","pid":4,"xwayland":false,"title":"` + "\xff\x01" + `"}`))
	f.Add([]byte("Invalid"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if w, err := parseHyprland(b); err == nil && (w.pid < 0 || w == window{}) {
			t.Errorf("%+v", w)
		}
	})
}

func FuzzParseNiri(f *testing.F) {
	f.Add([]byte(niriWindow))
	f.Add([]byte(`{"Ok":{"FocusedWindow":null}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if w, err := parseNiri(b); err == nil && w.pid < 0 {
			t.Errorf("%+v", w)
		}
	})
}

func FuzzParseSway(f *testing.F) {
	sample, err := os.ReadFile("testdata/sway-1.7-get_tree.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(sample)
	f.Add([]byte(`{"type":"root","focused":true,"pid":1}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if w, err := parseSway(b); err == nil && w.pid <= 0 {
			t.Errorf("%+v", w)
		}
	})
}

func FuzzSwayRead(f *testing.F) {
	var b strings.Builder
	swayWrite(&b, swayGetTree, `{"type":"root"}`)
	f.Add([]byte(b.String()))
	f.Fuzz(func(t *testing.T, b []byte) { swayRead(strings.NewReader(string(b))) })
}

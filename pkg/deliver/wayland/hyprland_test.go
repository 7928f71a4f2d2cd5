package wayland

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"voice-input/pkg/deliver/driver"
	"voice-input/pkg/internal/desktoptest"
	"voice-input/pkg/wire"
)

// fakeHyprland answers as Hyprland does: one request for each connection,
// without a line end, then it closes. With a classic configuration it knows
// the dispatchers by name, with one in Lua (0.55 and newer) it evaluates what
// follows "dispatch". press is what a shortcut does.
type fakeHyprland struct {
	lua    bool
	answer string // instead of ok, if a shortcut is asked for
	hang   bool
	press  func(mods, key, window string)

	mu       sync.Mutex
	requests []string
}

var (
	classicShortcut = regexp.MustCompile(`^dispatch sendshortcut ([A-Z ]*),(\w+),(.+)$`)
	luaShortcut     = regexp.MustCompile(`^dispatch hl\.dsp\.send_shortcut\(\{ mods = "([A-Z +]*)", key = "(\w+)", window = "([^"]+)" \}\)$`)
)

func (f *fakeHyprland) reply(request string) string {
	grammar, foreign := classicShortcut, "Invalid dispatcher"
	if f.lua {
		grammar, foreign = luaShortcut, "error: [string \"dispatch\"]:1: syntax error near 'sendshortcut'"
	}
	m := grammar.FindStringSubmatch(request)
	switch {
	case m == nil:
		return foreign
	case f.answer != "":
		return f.answer
	}
	f.press(strings.ReplaceAll(m[1], " + ", " "), m[2], m[3])
	return "ok"
}

func (f *fakeHyprland) start(t *testing.T, runtime string) {
	t.Helper()
	dir := filepath.Join(runtime, "hypr", "instance")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", filepath.Join(dir, ".socket.sock"))
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	t.Cleanup(func() { l.Close(); serving.Wait() })
	serving.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			buf := make([]byte, 8192)
			n, _ := c.Read(buf)
			f.mu.Lock()
			f.requests = append(f.requests, string(buf[:n]))
			f.mu.Unlock()
			if f.hang {
				c.Read(buf) // until the other side gives up
			} else {
				c.Write([]byte(f.reply(string(buf[:n]))))
			}
			c.Close()
		}
	})
}

// The clipboard is a real one; the server's shortcut is pressed by a real
// virtual keyboard, so the text arrives in a real terminal.
func TestHyprland(t *testing.T) {
	d := newDesk(t)
	for _, lua := range []bool{false, true} {
		env := append(d.Env(t), "HYPRLAND_INSTANCE_SIGNATURE=instance")
		getenv := desktoptest.Getenv(env)
		var pressed []string
		fake := &fakeHyprland{lua: lua, press: func(mods, key, window string) {
			pressed = append(pressed, mods+","+key+","+window)
			desktoptest.Run(t, d.env, "wtype", "-s", "30", "-M", "ctrl", "-M", "shift", "-k", key)
		}}
		fake.start(t, getenv("XDG_RUNTIME_DIR"))
		o := options
		o.Target = &wire.Focus{Window: &wire.Window{Address: "0x55d2f0"}}
		h, missing := NewHyprland(t.Context(), getenv, o)
		if h == nil {
			t.Fatal(missing)
		}
		verified, warnings, err := h.Deliver(t.Context(), "文 text")
		if verified != wire.VerifiedWritten || len(warnings) > 0 || err != nil {
			t.Errorf("%q, %v, %v", verified, warnings, err)
		}
		if got, want := d.reader.Next(len(desktoptest.Pasted("文 text"))), desktoptest.Pasted("文 text"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if want := []string{"CTRL SHIFT,v,address:0x55d2f0"}; !slices.Equal(pressed, want) {
			t.Errorf("pressed were %q, want %q", pressed, want)
		}
	}
}

// An answer other than ok means that nothing was pressed, whatever the status
// of hyprctl would be: the clipboard is back and another driver may try.
func TestO9HyprlandRefuses(t *testing.T) {
	t.Parallel() // it mostly waits
	d := newDesk(t)
	d.copy(t, "text/plain", []byte("old"))
	for name, tt := range map[string]struct {
		fake   *fakeHyprland
		unsent bool
		want   string
	}{
		"no window":     {&fakeHyprland{answer: "sendshortcut: window not found"}, true, "window not found"},
		"no dispatcher": {&fakeHyprland{answer: "Invalid dispatcher"}, true, "Invalid dispatcher"},
		"empty":         {&fakeHyprland{answer: " "}, true, "refuses"},
		"no answer":     {&fakeHyprland{hang: true}, false, "deadline exceeded"},
	} {
		t.Run(name, func(t *testing.T) {
			env := append(d.Env(t), "HYPRLAND_INSTANCE_SIGNATURE=instance")
			tt.fake.start(t, desktoptest.Getenv(env)("XDG_RUNTIME_DIR"))
			h, missing := NewHyprland(t.Context(), desktoptest.Getenv(env), options)
			if h == nil {
				t.Fatal(missing)
			}
			_, warnings, err := h.Deliver(t.Context(), "text")
			if err == nil || errors.Is(err, driver.ErrUnsent) != tt.unsent || !strings.Contains(err.Error(), tt.want) || len(warnings) > 0 {
				t.Errorf("%v, %v", warnings, err)
			}
			if got := d.holds(t)["text/plain"]; got != "old" {
				t.Errorf("the clipboard holds %q", got)
			}
		})
	}
	if got := d.reader.All(); got != "" {
		t.Errorf("%q was typed", got)
	}
}

// What is no address never gets into a line of Lua.
func TestHyprlandAddress(t *testing.T) {
	for s, want := range map[string]bool{"0x55d2f0": true, "": false, "0x": false, `0x1" })`: false, "0x1\n": false, "55d2f0": false} {
		if address.MatchString(s) != want {
			t.Errorf("%q: not %t", s, want)
		}
	}
}

// Where there is no Hyprland, no compositor, or one that does not answer,
// that is said, in time.
func TestMissing(t *testing.T) {
	dir := desktoptest.Dir(t)
	silent, err := net.Listen("unix", filepath.Join(dir, "silent"))
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	for name, tt := range map[string]struct {
		display, want string
	}{
		"none":   {"", "WAYLAND_DISPLAY is not set"},
		"gone":   {filepath.Join(dir, "gone"), "cannot connect"},
		"silent": {filepath.Join(dir, "silent"), "does not answer"},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		d, missing := New(ctx, desktoptest.Getenv([]string{"WAYLAND_DISPLAY=" + tt.display}), options)
		cancel()
		if d != nil || !strings.Contains(missing, tt.want) {
			t.Errorf("%s: %q", name, missing)
		}
	}
	if h, missing := NewHyprland(t.Context(), func(string) string { return "" }, options); h != nil || missing == "" {
		t.Error("a Hyprland was found")
	}
}

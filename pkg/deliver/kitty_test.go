package deliver

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"voice-input/pkg/deliver/driver"
	"voice-input/pkg/internal/desktoptest"
	"voice-input/pkg/wire"
)

// hostile are texts that must not steer a terminal, and some that are only
// odd. What arrives is what Clean makes of them, which its own table says.
var hostile = []string{
	"go forward ten meters", "把窗口改成 640×480。", "👩‍👩‍👧 👩🏽‍💻", "a\tb", "第一行\n第二行\n", "--help", "-rf 这个参数", "-",
	"x\x1b[201~\rrm -rf ~\r", "\x1b]0;t\x07\x03\x04\x1a\u202e\u200b", "\u009b201~\u0085id", "$(id) `id` ; & | > \\ ' \"",
	strings.Repeat("0123456789", 1000), strings.Repeat("汉", 10_000),
}

// kittyTarget is the record of a window of Kitty whose process is an agent.
func kittyTarget(k *desktoptest.Kitty, id int) *wire.Focus {
	return &wire.Focus{
		At: now(), Desktop: &wire.Desktop{Kind: "x11"}, Window: &wire.Window{Class: "kitty", PID: k.PID},
		Terminal: &wire.Terminal{Kind: "kitty", Socket: "unix:" + k.Socket, WindowID: int64(id)},
	}
}

// windowPID returns the process in a window.
func windowPID(t testing.TB, k *desktoptest.Kitty, id int) int {
	t.Helper()
	pid, err := findWindow(k.Do("ls", map[string]any{}), int64(id))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// byKitty delivers to a target and fails unless Kitty took it.
func byKitty(t testing.TB, o driver.Options, text string) {
	t.Helper()
	d, missing := NewKitty(o)
	if d == nil {
		t.Fatal(missing)
	}
	verified, warnings, err := d.Deliver(t.Context(), text)
	if err != nil || verified != wire.VerifiedWritten || warnings != nil {
		t.Fatalf("%q, %q, %v", verified, warnings, err)
	}
}

// receives fails unless the next bytes of a program are those.
func receives(t testing.TB, r *desktoptest.Reader, want string) {
	t.Helper()
	if got := r.Next(len(want)); got != want {
		t.Fatalf("received %d bytes %.80q, want %d bytes %.80q", len(got), got, len(want), want)
	}
}

// Every text arrives in the window that was meant, 20 of 20 times, while
// another one has the focus.
func TestKitty(t *testing.T) {
	for _, desktop := range []struct {
		name  string
		start func(*testing.T) []string
	}{
		{"Xvfb", func(t *testing.T) []string { return []string{"DISPLAY=" + desktoptest.X11(t)} }},
		{"sway", func(t *testing.T) []string {
			return []string{"WAYLAND_DISPLAY=" + desktoptest.Sway(t).Display, "KITTY_ENABLE_WAYLAND=1"}
		}},
	} {
		t.Run(desktop.name, func(t *testing.T) {
			t.Parallel()
			meant := desktoptest.NewReader(t, false)
			k := desktoptest.StartKitty(t, desktop.start(t), filepath.Join(desktoptest.Dir(t), "k"), meant.Command...)
			meant.Ready()
			other := desktoptest.NewReader(t, false)
			k.Focus(k.Launch("window", other.Command...))
			other.Ready()
			shell := kittyTarget(k, 1)
			codex := kittyTarget(k, 1)
			codex.Agent = agent(t, windowPID(t, k, 1))
			for range 20 {
				for _, text := range hostile {
					want := Clean(text, linesFor("kitty", shell))
					if want != "" {
						byKitty(t, driver.Options{Target: shell}, want)
						receives(t, meant, want)
					}
					if text = Clean(text, linesFor("kitty", codex)); text != "" {
						byKitty(t, driver.Options{Target: codex}, text)
						want = pasteStart + text + pasteEnd
						receives(t, meant, want)
					}
				}
			}
			byKitty(t, driver.Options{Target: codex, Submit: true}, "a\nb")
			receives(t, meant, pasteStart+"a\nb"+pasteEnd+"\r")
			if got := other.All(); got != "" {
				t.Errorf("the window with the focus received %.80q", got)
			}
		})
	}
}

// What is not there or not as it was gets nothing, and no other window either.
func TestKittyTargetChanged(t *testing.T) {
	first := desktoptest.NewReader(t, false)
	k := desktoptest.StartKitty(t, []string{"DISPLAY=" + desktoptest.X11(t)}, filepath.Join(desktoptest.Dir(t), "k"), first.Command...)
	first.Ready()
	second := desktoptest.NewReader(t, false)
	id := k.Launch("tab", second.Command...)
	second.Ready()
	target := func(id int, change func(*wire.Focus)) *wire.Focus {
		f := kittyTarget(k, id)
		f.Agent = agent(t, windowPID(t, k, 1))
		change(f)
		return f
	}
	for name, f := range map[string]*wire.Focus{
		"no such window":  target(99, func(f *wire.Focus) { f.Agent = nil }),
		"agent elsewhere": target(id, func(*wire.Focus) {}),
		"another process": target(1, func(f *wire.Focus) { f.Agent.StartTicks++ }),
		"ended agent":     target(1, func(f *wire.Focus) { f.Agent.PID = 1 << 22 }),
		"younger Kitty":   target(1, func(f *wire.Focus) { f.At = time.Now().Add(-time.Hour).Format(time.RFC3339) }),
		"ended Kitty":     target(1, func(f *wire.Focus) { f.Window.PID = 1 << 22 }),
	} {
		d, missing := NewKitty(driver.Options{Target: f})
		if d == nil {
			t.Fatalf("%s: %s", name, missing)
		}
		if _, _, err := d.Deliver(t.Context(), "private"); !errors.Is(err, driver.ErrTargetChanged) || strings.Contains(err.Error(), "private") {
			t.Errorf("%s: %v", name, err)
		}
	}
	k.Do("close-window", map[string]any{"match": fmt.Sprintf("id:%d", id)})
	desktoptest.Until(t, "the window's end", func() bool {
		_, err := findWindow(k.Do("ls", map[string]any{}), int64(id))
		return err != nil
	})
	d, _ := NewKitty(driver.Options{Target: kittyTarget(k, id)})
	if _, _, err := d.Deliver(t.Context(), "private"); !errors.Is(err, driver.ErrTargetChanged) {
		t.Errorf("closed window: %v", err)
	}
	if got := first.All() + second.All(); got != "" {
		t.Errorf("received %q", got)
	}
}

// A Kitty that stops answering between the look and the text leaves it open
// what arrived: nothing follows. One that does not answer the look got
// nothing.
func TestKittyThatHangs(t *testing.T) {
	for _, tt := range []struct {
		name    string
		answers int
		want    string
	}{
		{"at once", 0, "ok true fake"},
		{"at the text", 1, "timeout false kitty"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(desktoptest.Dir(t), "k")
			l, err := net.Listen("unix", path)
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			go silentKitty(l, tt.answers)
			target := &wire.Focus{Window: &wire.Window{PID: os.Getpid()}, Terminal: &wire.Terminal{Kind: "kitty", Socket: "unix:" + path, WindowID: 1}}
			rec, _ := Text(t.Context(), []Route{
				{Name: "kitty", Open: func(context.Context) (Driver, string) { return opened(NewKitty(driver.Options{Target: target})) }},
				{Name: "fake", Open: func(context.Context) (Driver, string) { return fake{verified: wire.VerifiedWritten}, "" }},
			}, "x", quiet)
			if rec.Reason == "" {
				rec.Reason = wire.OK
			}
			if got := fmt.Sprintf("%s %t %s", rec.Reason, rec.Delivered, rec.Driver); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// silentKitty answers so many commands and then takes more and says nothing.
func silentKitty(l net.Listener, answers int) {
	list, _ := json.Marshal(`[{"tabs": [{"windows": [{"id": 1, "pid": 1}]}]}]`)
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		if answers > 0 {
			answers--
			conn.Read(make([]byte, 4096))
			fmt.Fprintf(conn, "\x1bP@kitty-cmd{\"ok\": true, \"data\": %s}\x1b\\", list)
		}
		defer conn.Close()
	}
}

// No command has more than Kitty takes, and no character is cut in two.
func TestKittyCommands(t *testing.T) {
	d := &Kitty{target: &wire.Focus{}, submit: true}
	for _, text := range []string{"x", strings.Repeat("汉", 30_000), strings.Repeat("x", 3*maxChunk), "x" + strings.Repeat("👩", maxChunk)} {
		commands := d.commands("id:1", text)
		var whole string
		for _, c := range commands {
			p, _ := json.Marshal(c.Payload)
			var payload struct{ Data, Match string }
			json.Unmarshal(p, &payload)
			part := decoded(t, payload.Data)
			if len(p) > 60<<10 || strings.ToValidUTF8(part, "") != part || payload.Match != "id:1" {
				t.Errorf("a command has %d bytes for %q", len(p), payload.Match)
			}
			whole += part
		}
		if whole != text+"\r" {
			t.Errorf("%d bytes of %d", len(whole), len(text)+1)
		}
	}
}

func FuzzFindWindow(f *testing.F) {
	f.Add([]byte(`[{"tabs": [{"windows": [{"id": 1, "pid": 7}]}]}]`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if pid, err := findWindow(b, 1); err == nil && pid != 0 && !json.Valid(b) {
			t.Error(pid)
		}
	})
}

func decoded(t *testing.T, data string) string {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(data, "base64:"))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

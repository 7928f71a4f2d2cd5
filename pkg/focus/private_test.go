package focus

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"voice-input/pkg/cli"
	"voice-input/pkg/internal/desktoptest"
	"voice-input/pkg/wire"
)

// vifocus runs the program and returns all that it says.
func vifocus(t *testing.T, env map[string]string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errb bytes.Buffer
	o := &cli.IO{
		Args: append([]string{"vi-focus"}, args...), Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errb,
		Getenv: func(k string) string { return env[k] },
	}
	status = cli.Main(t.Context(), Command(), o)
	return status, out.String(), errb.String()
}

// Neither a title, nor an argument or a variable of a process, nor what a
// neighbour shows comes out, whatever is asked for and whatever goes wrong.
func TestNothingPrivateComesOut(t *testing.T) {
	const secret = "private"
	dir := t.TempDir()
	native, sleeper := program(t, dir, "codex"), program(t, dir, "sleeper")
	m := desktoptest.StartTmux(t, "work", append(play(native), secret)...)
	m.Do("rename-window", "-t", "work", "name")
	m.Do(append([]string{"split-window", "-d", "-t", "work"}, append(play(sleeper), secret)...)...)
	m.Do("select-pane", "-T", secret, "-t", "work:0.1")
	inTmux := codexInTmux(t, m)

	kittyOf := func(path string, args ...string) map[string]string {
		sock := filepath.Join(desktoptest.Dir(t), "k")
		l := onTerminal(t, cast{Path: path, Argv: args, Env: []string{"KITTY_LISTEN_ON=unix:" + sock, "TOKEN=" + secret}}, syscall.SysProcAttr{})
		kittyWith(t, sock, l.leader.Process.Pid, l.leader.Process.Pid)
		return hyprlandWindow(t, "kitty")
	}
	broken := filepath.Join(desktoptest.Dir(t), "s")
	listen(t, broken, func(c net.Conn) {
		c.Read(make([]byte, 64)) // the request
		fmt.Fprintln(c, secret)
	})
	tests := []struct {
		name string
		env  map[string]string
		want int
	}{
		{"tmux", inTmux, 0},
		{"agent", kittyOf(native, native, secret), 0},
		{"no agent", kittyOf(sleeper, sleeper, secret), 0},
		{"browser", hyprlandWindow(t, "firefox"), 0},
		{"no window", hyprlandAnswer(t, `{}`), 1},
		{"bad answer", hyprlandAnswer(t, secret+` {"title": "`+secret), 1},
		{"sway, bad answer", map[string]string{"SWAYSOCK": broken}, 1},
		{"niri, bad answer", map[string]string{"NIRI_SOCKET": broken}, 1},
		{"nothing", map[string]string{"XDG_RUNTIME_DIR": "/nonexistent"}, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			plain := ""
			for _, args := range [][]string{{}, {"--explain"}, {"--where"}, {"--where", "--pretty", "--explain"}} {
				status, stdout, stderr := vifocus(t, tt.env, append(args, "--timeout", "30s")...)
				if status != tt.want {
					t.Errorf("%q: status %d, want %d: %s", args, status, tt.want, stderr)
				}
				if strings.Contains(stdout+stderr, secret) {
					t.Errorf("%q says:\n%s%s", args, stdout, stderr)
				}
				if (stderr != "") != slices.Contains(args, "--explain") {
					t.Errorf("%q: standard error is %q", args, stderr)
				}
				// --explain changes nothing but the time on standard output.
				if len(args) == 0 {
					plain = stdout
				} else if args[0] == "--explain" && withoutTime(t, stdout) != withoutTime(t, plain) {
					t.Errorf("standard output differs:\n%s%s", plain, stdout)
				}
			}
		})
	}
}

func withoutTime(t *testing.T, line string) string {
	t.Helper()
	var f wire.Focus
	if err := wire.Decode([]byte(line), &f); err != nil {
		t.Fatal(err)
	}
	if _, err := time.Parse(time.RFC3339Nano, f.At); err != nil {
		t.Error(err)
	}
	f.At = ""
	b, _ := wire.Encode(&f)
	return string(b)
}

// For a person, the location is three lines.
func TestWherePretty(t *testing.T) {
	m := desktoptest.StartTmux(t, "work", play(program(t, t.TempDir(), "codex"))...)
	m.Do("rename-window", "-t", "work", "edit \"说\"")
	m.Do("split-window", "-h", "-d", "-t", "work", "sleep", "1000")
	status, stdout, stderr := vifocus(t, codexInTmux(t, m), "--where", "--pretty", "--timeout", "30s")
	want := "session \"work\" in tmux\nwindow  0 \"edit \\\"说\\\"\", active, layout {%0,%1}\npane    0 of 2 (%0), active\n"
	if status != 0 || stdout != want || stderr != "" {
		t.Errorf("status %d\n%s%s\nwant\n%s", status, stdout, stderr, want)
	}
}

// At the stop the window decides the style and nothing else.
func TestRule_E1_Style(t *testing.T) {
	own := []string{"my.Messenger"}
	tests := []struct {
		class, initial string
		agent          bool
		want           string
	}{
		{"kitty", "kitty", true, "agent-markdown"},
		{"org.telegram.desktop", "", true, "agent-markdown"},
		{"kitty", "kitty", false, "formal"},
		{"wechat", "", false, "message"},
		{"Bytedance-feishu", "", false, "message"},
		{"Slack", "", false, "message"},
		{"changed", "org.telegram.desktop", false, "message"},
		{"my.Messenger", "", false, "message"},
		{"my.messenger", "", false, "formal"},
		{"wechat-dev", "", false, "formal"},
		{"Wechat", "", false, "formal"},
		{"Slack ", "", false, "formal"},
		{"chromium", "crx_slack", false, "formal"},
		{"firefox", "firefox", false, "formal"},
		{"", "", false, "formal"},
	}
	for _, tt := range tests {
		if got := styleOf(window{class: tt.class, initialClass: tt.initial}, tt.agent, own); got != tt.want {
			t.Errorf("%q, %q, agent %t: %s, want %s", tt.class, tt.initial, tt.agent, got, tt.want)
		}
	}
	dir := t.TempDir()
	config := filepath.Join(dir, "c.toml")
	os.WriteFile(config, []byte("[focus]\nmessaging = [\"my.Messenger\"]\n"), 0o600)
	_, stdout, _ := vifocus(t, hyprlandWindow(t, "my.Messenger"), "--config", config)
	if !strings.Contains(stdout, `"style":"message"`) {
		t.Error(stdout)
	}
	for class, n := range count(messaging) {
		if n > 1 || terminals[class] != "" {
			t.Errorf("%q is listed %d times, or is a terminal", class, n)
		}
	}
}

func count(list []string) map[string]int {
	m := map[string]int{}
	for _, s := range list {
		m[s]++
	}
	return m
}

// Every word that a look can give stands in the list.
func TestReasonsAreListed(t *testing.T) {
	source := ""
	files, _ := filepath.Glob("*.go")
	for _, file := range files {
		if b, err := os.ReadFile(file); err == nil && !strings.HasSuffix(file, "_test.go") {
			source += string(b)
		}
	}
	for _, word := range wire.AgentReasons() {
		if !strings.Contains(source, `"`+word+`"`) {
			t.Errorf("no look gives %q", word)
		}
	}
	for _, reason := range barriers {
		if wire.AgentReasonMeaning(reason) == "" {
			t.Errorf("%q is not listed", reason)
		}
	}
	for _, word := range wire.Reasons(wire.SchemaFocus)[1:] {
		if !strings.Contains(source, `"`+word+`"`) {
			t.Errorf("no look gives %q", word)
		}
	}
}

// Of a title only the id of a conversation comes out, in its shape and of the
// pane or window that shows.
func TestTitlePointsToTheThread(t *testing.T) {
	const id = "01a22e47-9836-7912-bd4f-a0ce4"
	m := desktoptest.StartTmux(t, "work", play(program(t, t.TempDir(), "codex"))...)
	m.Do("split-window", "-h", "-d", "-t", "work", "sleep", "1000")
	m.Do("select-pane", "-T", "neighbour | 11111111-2222-3333-4444-55555555", "-t", "work:0.1")
	m.Do("select-pane", "-T", "private: plan | "+id+"...", "-t", "work:0.0")
	status, stdout, stderr := vifocus(t, codexInTmux(t, m), "--explain", "--timeout", "30s")
	var f wire.Focus
	if err := wire.Decode([]byte(strings.TrimSpace(stdout)), &f); err != nil || status != 0 {
		t.Fatalf("status %d, %v: %s", status, err, stderr)
	}
	if f.Agent == nil || f.Agent.Thread != id {
		t.Errorf("agent %+v, want the thread %s", f.Agent, id)
	}
	if strings.Contains(stdout+stderr, "private") || strings.Contains(stdout+stderr, "11111111") {
		t.Errorf("more of a title came out:\n%s%s", stdout, stderr)
	}

	for kind, want := range map[string]string{"codex": id, "pi": ""} {
		f := &wire.Focus{Agent: &wire.Agent{Kind: kind}}
		if point(f, "plan | "+id+"..."); f.Agent.Thread != want {
			t.Errorf("%s: thread %q, want %q", kind, f.Agent.Thread, want)
		}
	}
	point(&wire.Focus{}, id) // no agent, nothing to point from
	shown, reason := parseKitty([]byte(`[{"is_focused":true,"tabs":[{"is_active":true,"is_focused":true,"windows":[{"id":1,"is_active":true,"is_focused":true,"pid":7,"title":"x | `+id+`..."}]}]}]`), 0)
	if reason != "" || shown.Title != "x | "+id+"..." {
		t.Errorf("%+v, %s", shown, reason)
	}
}

package history

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"voice-input/pkg/cli"
	"voice-input/pkg/internal/child"
	"voice-input/pkg/internal/desktoptest"
	"voice-input/pkg/wire"
)

// program is voice-input with nothing but history.
func program(deliver Deliver) *cli.Command {
	return &cli.Command{Name: "voice-input", Usage: "x", Commands: []*cli.Command{Command(deliver)}}
}

// user runs history commands on a history of its own.
type user struct {
	t         *testing.T
	home      string
	delivered []string
	refuse    error
}

func newUser(t *testing.T) *user { return &user{t: t, home: t.TempDir()} }

func (u *user) getenv(k string) string { return map[string]string{"HOME": u.home}[k] }

func (u *user) store() *Store { return Open(Path(u.getenv), Limits{}) }

func (u *user) run(args ...string) (status int, stdout, stderr string) {
	u.t.Helper()
	var out, errs bytes.Buffer
	o := &cli.IO{Args: append([]string{"voice-input", "history"}, args...), Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Getenv: u.getenv}
	status = cli.Main(u.t.Context(), program(func(_ context.Context, _ *cli.IO, id string) error {
		u.delivered = append(u.delivered, id)
		return u.refuse
	}), o)
	return status, out.String(), errs.String()
}

// want runs a command and compares everything.
func (u *user) want(status int, stdout, stderr string, args ...string) {
	u.t.Helper()
	s, out, errs := u.run(args...)
	if s != status || out != stdout || errs != stderr {
		u.t.Errorf("history %q: status %d, stdout %q, stderr %q\nwant %d, %q, %q", args, s, out, errs, status, stdout, stderr)
	}
}

func TestCommandsOnNothing(t *testing.T) {
	u := newUser(t)
	u.want(1, "", "", "list")
	u.want(1, "", "", "list", "--format", "json")
	for _, c := range []string{"show", "copy", "deliver", "compare"} {
		u.want(1, "", "voice-input: error: the history is empty\n", c)
		u.want(1, "", "voice-input: error: the history is empty\n", c, "last")
		u.want(66, "", "voice-input: error: cannot find \"x\": the history has no such entry\nvoice-input: hint: voice-input history list shows the ids\n", c, "x")
	}
	u.want(0, "", "", "clear")
	u.want(0, "", "", "clear", "--older", "1h")
	if entries, _ := os.ReadDir(u.home); len(entries) > 0 {
		t.Errorf("looking made %v", entries)
	}
}

func TestCommands(t *testing.T) {
	defer func(l *time.Location) { time.Local = l }(time.Local)
	time.Local = time.FixedZone("", 2*3600)
	u := newUser(t)
	long := "-rf <x> & \x1b[2J" + strings.Repeat("说", 50) + "\nsecond"
	for _, h := range []*wire.History{
		{ID: "20260506T100000.000000Z", At: noon.Format(time.RFC3339), Transcript: "um heard", Text: "Heard.", Engine: "whisper"},
		{ID: "20260506T110000.000000Z", At: noon.Add(time.Hour).Format(time.RFC3339), Text: long},
	} {
		if err := u.store().Add(t.Context(), h); err != nil {
			t.Fatal(err)
		}
	}
	if err := u.store().Delivered(t.Context(), "20260506T100000.000000Z", &wire.Delivery{Header: wire.Header{Reason: "ok"}, Delivered: true, Driver: "kitty"}); err != nil {
		t.Fatal(err)
	}
	first := "20260506T100000.000000Z  2026-05-06 14:00  kitty          6  Heard.\n"
	u.want(0, first+"20260506T110000.000000Z  2026-05-06 15:00  -             71  -rf <x> & �[2J"+strings.Repeat("说", 26)+"…\n", "", "list")
	if _, out, _ := u.run("list", "--format", "json"); strings.Count(out, "\n") != 2 || !strings.Contains(out, `"text":"-rf <x> & \u001b[2J说`) || !strings.Contains(out, `"delivery":{"delivered":true,"driver":"kitty","reason":"ok"}`) {
		t.Errorf("list --format json: %s", out)
	}
	u.want(64, "", "voice-input: error: no format \"xml\"\nvoice-input: hint: one of text, json\n", "list", "--format", "xml")
	u.want(0, "Heard.\n", "", "show", "20260506T10")
	u.want(0, "um heard\n", "", "show", "--transcript", "20260506T10")
	u.want(0, strings.ReplaceAll(long, "\x1b", "\ufffd")+"\n", "", "show")
	u.want(1, "", "voice-input: error: the entry has no transcript\n", "show", "--transcript")
	u.want(64, "", "voice-input: error: cannot choose \"2026\": several entries have an id that begins so\nvoice-input: hint: write more of it\n", "show", "2026")
	u.want(64, "", "voice-input: error: unexpected operand \"b\"\n", "show", "a", "b")
	u.want(0, "recognised (whisper)\n[-um heard-]\n\ndelivered\n{+Heard.+}\n", "", "compare", "20260506T10")
	u.want(1, "", "voice-input: error: the entry has no transcript\n", "compare")

	u.want(0, "", "", "deliver", "20260506T10")
	u.refuse = cli.Errorf(cli.StatusTempFail, "busy")
	u.want(75, "", "voice-input: error: busy\n", "deliver")
	if got := strings.Join(u.delivered, " "); got != "20260506T100000.000000Z 20260506T110000.000000Z" {
		t.Errorf("delivered %q", got)
	}

	appendTo(t, u.store(), "torn")
	if s, out, errs := u.run("list"); s != 0 || !strings.HasPrefix(out, first) || errs != "voice-input: warning: lines of the history that cannot be read: 1\n" {
		t.Errorf("with a bad line: %d, %q, %q", s, out, errs)
	}
	u.want(64, "", "voice-input: error: --older needs a time above zero\n", "clear", "--older", "0s")
	u.want(0, "", "voice-input: explain: entries removed: 2\n", "clear", "--explain")
	u.want(1, "", "", "list")
}

// A configuration that is wrong keeps nobody from his words.
func TestCommandsNeedNoConfiguration(t *testing.T) {
	u := newUser(t)
	mustAdd(t, u.store(), "a")
	bad := filepath.Join(u.home, ".config", "voice-input", "config.toml")
	if err := errors.Join(os.MkdirAll(filepath.Dir(bad), 0o700), os.WriteFile(bad, []byte("nonsense"), 0o600)); err != nil {
		t.Fatal(err)
	}
	u.want(0, "text of a\n", "", "show")
	u.want(0, "", "", "clear")
}

func TestCommandsOnWhatIsNoFile(t *testing.T) {
	u := newUser(t)
	if err := os.MkdirAll(Path(u.getenv), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []string{"list", "show", "clear"} {
		if s, out, errs := u.run(c); s != 74 || out != "" || !strings.HasPrefix(errs, "voice-input: error: cannot ") {
			t.Errorf("%s: %d, %q, %q", c, s, out, errs)
		}
	}
}

// The real vi-type beside the program puts the text on the real clipboard, and
// the text is nowhere else.
func TestCopy(t *testing.T) {
	desktoptest.Need(t, "xclip")
	display := desktoptest.X11(t)
	dir := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", dir+"/", "../../../cmd/vi-type").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// A link would be followed to where the test program lies.
	copyFile(t, self, filepath.Join(dir, "voice-input"))
	u := newUser(t)
	text := "--to stdout\nsecond “line” 说"
	if err := u.store().Add(t.Context(), &wire.History{ID: "a", Text: text}); err != nil {
		t.Fatal(err)
	}
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + u.home, "DISPLAY=" + display, "XDG_RUNTIME_DIR=" + t.TempDir(), "GORACE=atexit_sleep_ms=0"}
	var out, errs bytes.Buffer
	cmd := exec.Command(filepath.Join(dir, "voice-input"))
	cmd.Env, cmd.Stdout, cmd.Stderr = append(env, role+"=copy 0 0 -"), &out, &errs
	if err := cmd.Run(); err != nil || out.Len()+errs.Len() > 0 {
		t.Fatalf("%v, stdout %q, stderr %q", err, &out, &errs)
	}
	var clipboard bytes.Buffer
	if err := child.Run(t.Context(), child.Spec{Argv: []string{"xclip", "-selection", "clipboard", "-o"}, Env: env, Stdout: &clipboard}); err != nil || clipboard.String() != text {
		t.Errorf("the clipboard holds %q, %v", &clipboard, err)
	}
	// Without a desktop vi-type's own message and status come through.
	errs.Reset()
	cmd = exec.Command(filepath.Join(dir, "voice-input"))
	cmd.Env, cmd.Stderr = append(env, "DISPLAY=", role+"=copy 0 0 -"), &errs
	var exit *exec.ExitError
	if err := cmd.Run(); !errors.As(err, &exit) || exit.ExitCode() != 69 || strings.Contains(errs.String(), "second") || !strings.Contains(errs.String(), "vi-type: error: cannot deliver") {
		t.Errorf("%v, %q", err, &errs)
	}
	if err := os.Remove(filepath.Join(dir, "vi-type")); err != nil {
		t.Fatal(err)
	}
	cmd = exec.Command(filepath.Join(dir, "voice-input"))
	cmd.Env = append(env, role+"=copy 0 0 -")
	if err := cmd.Run(); !errors.As(err, &exit) || exit.ExitCode() != 72 {
		t.Errorf("without vi-type: %v", err)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE, 0o700)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); errors.Join(err, out.Close()) != nil {
		t.Fatal(err)
	}
}

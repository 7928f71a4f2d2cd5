package whole_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"voice-input/pkg/wire"
	"voice-input/tests/agents/fixture"
	"voice-input/tests/fakellm"
)

const (
	// said is how one says the sentence, and heard what has to come of it: the
	// words of the answer as they stand there.
	said  = "make read tail return the stop reason of the last jason l record"
	heard = "make readTail return the stopReason of the last JSONL record"
	// refined is what the model makes of that. It adds a full stop; "make" is a
	// command, which it does not get to see and cannot give a capital.
	refined = heard + "."
	key     = "sentinel-of-the-model"
)

// task is what Codex is asked to do, and done the end of what its model says;
// that answers to the last two words alone.
const (
	task = "Find out why the reader stops early, then say Done."
	done = "All tests pass."
)

// answer is what Codex's model says.
func answer(string) string {
	return "I traced the failure. `vi-session` reads the JSONL file from its end, but the loop took a `stopReason` of `toolUse` for the end of the turn.\n\n" +
		"- `readTail` keeps the torn line, so a half-written record is no longer an error.\n- I added `TestTornLine`.\n\n" + done
}

// lab is a desktop with Codex in it, a sound server, a model and a daemon.
type lab struct {
	t          *testing.T
	dir        string
	mark       string   // an entry in the environment of every process
	env        []string // of every process
	microphone string   // FIFO
	llm        *fakellm.Server
	codex      *fixture.Codex
	kitty      *fixture.Kitty
	window     string // of Codex, as Kitty's --match takes it
	daemon     *exec.Cmd
	reloads    int
	pcm        []byte
}

func newLab(t *testing.T) *lab {
	t.Helper()
	// Sockets have short paths, so t.TempDir will not do.
	dir, err := os.MkdirTemp("", "vi-whole-")
	if err != nil {
		t.Fatal(err)
	}
	l := &lab{t: t, dir: dir, mark: "VI_TEST_LAB=" + dir, pcm: synthesise(t, said)}
	t.Cleanup(func() {
		fixture.EndMarked(t, l.mark)
		if t.Failed() {
			log, _ := os.ReadFile(l.log())
			t.Logf("the daemon's log:\n%s", log)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	for _, name := range []string{"home", "home/project", "run"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	// With the race detector each program would sleep for a second at its end,
	// which is all that a look-up has.
	l.env = []string{"PATH=" + fixture.Node(t) + ":" + os.Getenv("PATH"), "HOME=" + filepath.Join(dir, "home"), "XDG_RUNTIME_DIR=" + filepath.Join(dir, "run"),
		"LANG=C.UTF-8", "TERM=xterm-256color", "GORACE=exitcode=99 atexit_sleep_ms=0"}
	l.codex = fixture.NewCodex(t, fixture.CodexVersion, filepath.Join(dir, "codex"), fixture.Model(t, answer), l.project(), l.mark, fixture.ThreadInTitle)
	l.env = append(l.env, l.codex.Env...)
	if l.llm, err = fakellm.Listen("127.0.0.1:0", key); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.llm.Close() })
	l.write(filepath.Join(dir, "key"), key)
	l.startSound()
	l.kitty = fixture.StartKitty(t, l.env, l.mark, l.kittySocket(), l.project())
	l.env = l.kitty.Env
	return l
}

func (l *lab) project() string     { return filepath.Join(l.dir, "home", "project") }
func (l *lab) config() string      { return filepath.Join(l.dir, "config.toml") }
func (l *lab) log() string         { return filepath.Join(l.dir, "daemon.log") }
func (l *lab) kittySocket() string { return filepath.Join(l.dir, "kitty") }

func (l *lab) write(path, text string) {
	l.t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		l.t.Fatal(err)
	}
}

// start starts a program that ends with the test.
func (l *lab) start(argv ...string) *exec.Cmd {
	l.t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env, cmd.Dir = append(l.env, l.mark), l.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() {
		fixture.EndMarked(l.t, l.mark)
		cmd.Wait()
	})
	return cmd
}

// ask opens Codex in a tab of Kitty and has it answer.
func (l *lab) ask() {
	l.t.Helper()
	l.window = "id:" + l.kitty.Do("launch", "--type", "tab", "--cwd", l.project(), l.codex.Bin)
	l.awaitScreen("OpenAI Codex (v")
	l.kitty.Do("send-text", "--match", l.window, task)
	l.awaitScreen(task)
	time.Sleep(700 * time.Millisecond) // Enter behind what comes too fast is a new line
	l.kitty.Do("send-text", "--match", l.window, `\r`)
	l.awaitScreen(done)
	fixture.WaitFor(l.t, "Codex's answer in its session", func() bool {
		focus, _ := l.output("vi-focus", nil, "--timeout", "10s")
		out, _ := l.output("vi-session", focus)
		var s wire.Session
		return wire.Decode(bytes.TrimSpace(out), &s) == nil && s.Source != nil && strings.Contains(s.Source.Text, done)
	})
}

func (l *lab) screen() string {
	out, _ := l.kitty.Remote("get-text", "--match", l.window).Output()
	return string(out)
}

func (l *lab) awaitScreen(text string) {
	l.t.Helper()
	defer func() {
		if l.t.Failed() {
			l.t.Logf("the screen:\n%s", l.screen())
		}
	}()
	fixture.WaitFor(l.t, fmt.Sprintf("%q in Codex", text), func() bool { return strings.Contains(l.screen(), text) })
}

// output runs one of the programs to its end. The error is that of its status.
func (l *lab) output(program string, stdin []byte, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(l.t.Context(), filepath.Join(programs, program), args...)
	cmd.Env, cmd.Stdin = append(l.env, l.mark), bytes.NewReader(stdin)
	return cmd.Output()
}

// voice runs voice-input and returns its status and what it printed.
func (l *lab) voice(args ...string) (int, string) {
	l.t.Helper()
	out, err := l.output("voice-input", nil, args...)
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		return exit.ExitCode(), string(out)
	case err != nil:
		l.t.Fatal(err)
	}
	return 0, string(out)
}

// configure puts a configuration in force: the one for this lab, with a model
// of the fake service, and without context if so wanted.
func (l *lab) configure(model string, context bool) {
	l.t.Helper()
	l.write(l.config(), fmt.Sprintf(`[asr]
engine = "pocketsphinx"
[llm]
enabled = true
url = %q
model = %q
api_key_file = %q
timeout_ms = 2500
agent_context_enabled = %t
`, l.llm.URL, "fake/"+model, filepath.Join(l.dir, "key"), context))
	if l.daemon == nil {
		log, err := os.Create(l.log())
		if err != nil {
			l.t.Fatal(err)
		}
		defer log.Close()
		l.daemon = exec.Command(filepath.Join(programs, "voice-input"), "daemon", "--config", l.config())
		l.daemon.Env, l.daemon.Stderr = append(l.env, l.mark), log
		if err := l.daemon.Start(); err != nil {
			l.t.Fatal(err)
		}
		l.t.Cleanup(func() { l.end() })
		fixture.WaitFor(l.t, "the daemon", func() bool { return l.status().Phase == "idle" })
		return
	}
	l.daemon.Process.Signal(syscall.SIGHUP)
	l.reloads++
	fixture.WaitFor(l.t, "the new configuration", func() bool {
		log, _ := os.ReadFile(l.log())
		return strings.Count(string(log), "the configuration was read again") == l.reloads
	})
}

// end ends the daemon as the service manager does.
func (l *lab) end() {
	l.daemon.Process.Signal(syscall.SIGTERM)
	l.daemon.Wait()
}

func (l *lab) status() (s wire.Status) {
	_, out := l.voice("status", "--format", "json")
	wire.Decode([]byte(strings.TrimSpace(out)), &s)
	return s
}

func (l *lab) await(phase string) {
	l.t.Helper()
	fixture.WaitFor(l.t, "phase "+phase, func() bool { return l.status().Phase == phase })
}

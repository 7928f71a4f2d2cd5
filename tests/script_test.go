// Package tests runs the programs as a user does: from scripts, by their
// names, with nothing replaced.
package tests

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"voice-input/tests/fakellm"
)

var update = flag.Bool("u", false, "rewrite the expected output in the scripts")

// programs is where the built programs lie, as they will be installed:
// bin/ and share/ beside each other.
var programs string

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "vi-tests-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	programs = filepath.Join(dir, "bin")
	build := exec.Command("go", append(append([]string{"build"}, buildFlags...), "-o", programs+"/", "../cmd/...")...)
	build.Stderr = os.Stderr
	share, err := filepath.Abs("../share")
	if err := errors.Join(err, build.Run(), os.Symlink(share, filepath.Join(dir, "share"))); err != nil {
		os.Stderr.WriteString("cannot build the programs: " + err.Error() + "\n")
		return 1
	}
	return m.Run()
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update,
		Deadline:            time.Now().Add(10 * time.Minute),
		Setup:               setup,
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits":   exits,
			"fakellm": fakeLLM,
		},
	})
}

// setup gives each script a home and a runtime directory of its own and hides
// the desktop that the tests may be started from.
func setup(env *testscript.Env) error {
	// A socket's path has about 100 characters, and the work directory of a
	// script may have more.
	runtime, err := os.MkdirTemp("", "vi-run-")
	if err != nil {
		return err
	}
	env.Defer(func() { os.RemoveAll(runtime) })
	env.Setenv("PATH", programs+":"+os.Getenv("PATH"))
	env.Setenv("HOME", env.WorkDir)
	env.Setenv("XDG_RUNTIME_DIR", runtime)
	env.Setenv("GORACE", "atexit_sleep_ms=0") // else every program sleeps for a second at its end
	for _, v := range []string{"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "DBUS_SESSION_BUS_ADDRESS", "NO_COLOR", "OPENAI_API_KEY", "OPENROUTER_API_KEY", "DASHSCOPE_API_KEY", "GROQ_API_KEY", "VOICE_INPUT_LLM_API_KEY", "WAYLAND_DISPLAY", "DISPLAY", "SWAYSOCK", "HYPRLAND_INSTANCE_SIGNATURE", "NIRI_SOCKET", "PULSE_SERVER", "NOTIFY_SOCKET", "VI_ENGINES", "VI_SHARE"} {
		env.Setenv(v, "")
	}
	return nil
}

// exits runs a command and checks its exact status: exits 64 vi-focus --nope.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS COMMAND…")
	}
	want, err := strconv.Atoi(args[0])
	if err != nil {
		ts.Fatalf("bad status %q", args[0])
	}
	got := 0
	var exit *exec.ExitError
	switch err := ts.Exec(args[1], args[2:]...); {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("status %d, want %d", got, want)
	}
}

// fakeLLM starts a fake of a language model for the rest of the script and puts
// its address into $LLM: fakellm [KEY].
func fakeLLM(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 1 {
		ts.Fatalf("usage: fakellm [KEY]")
	}
	s, err := fakellm.Listen("127.0.0.1:0", strings.Join(args, ""))
	if err != nil {
		ts.Fatalf("%v", err)
	}
	ts.Defer(func() { s.Close() })
	ts.Setenv("LLM", s.URL)
}

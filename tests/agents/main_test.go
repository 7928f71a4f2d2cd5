// Package agents_test runs the real coding agents, Codex and Pi, in real
// terminals against a model server of its own, and asks vi-session at every
// turn which answer is on the screen. It must say the right one or say why
// there is none; another conversation's text is never right.
//
// What it needs of npm it installs once into .cache/agents. The short form is
// a part of every test run; the long one, with more versions and every way to
// leave a conversation, runs with VI_TEST_AGENTS=1 (just test-agents).
package agents_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"voice-input/tests/agents/fixture"
)

// programs is where the built programs lie.
var programs string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "vi-agents-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	programs = filepath.Join(dir, "bin")
	build := exec.Command("go", "build", "-tags", "urfave_cli_no_docs", "-o", programs+"/", "../../cmd/vi-focus", "../../cmd/vi-session")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "cannot build the programs:", err)
		return 1
	}
	return m.Run()
}

// long skips a test that takes minutes unless it was asked for.
func long(t *testing.T) {
	t.Helper()
	if os.Getenv("VI_TEST_AGENTS") != "1" {
		t.Skip("runs with VI_TEST_AGENTS=1")
	}
}

// need fails the test if a program is absent; it skips it only where the
// environment allows that.
func need(t *testing.T, names ...string) { t.Helper(); fixture.Need(t, names...) }

// waitFor waits until the condition holds, with patience.
func waitFor(t *testing.T, what string, condition func() bool) {
	t.Helper()
	fixture.WaitFor(t, what, condition)
}

// output runs a program to its end.
func output(t *testing.T, env []string, dir string, argv ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
	cmd.Env, cmd.Dir = env, dir
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		t.Fatalf("%s: %v: %s", strings.Join(argv, " "), err, exit.Stderr)
	} else if err != nil {
		t.Fatalf("%s: %v", strings.Join(argv, " "), err)
	}
	return string(out)
}

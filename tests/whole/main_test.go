// Package whole_test runs everything together, and everything for real: Codex
// in Kitty on an X server, its model and that of vi-refine on loopback, a sound
// server, a recogniser on this machine, and the daemon between them. A spoken
// sentence has to end in Codex's own composer, with the words of Codex's last
// answer spelled as they stand there.
package whole_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// programs is where the built programs lie, with share/ beside it.
var programs string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "vi-whole-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	programs = filepath.Join(dir, "bin")
	share, err := filepath.Abs("../../share")
	if err == nil {
		err = os.Symlink(share, filepath.Join(dir, "share"))
	}
	if err != nil {
		panic(err)
	}
	build := exec.Command("go", append(append([]string{"build"}, buildFlags...), "-o", programs+"/", "../../cmd/...")...)
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "cannot build the programs:", err)
		return 1
	}
	return m.Run()
}

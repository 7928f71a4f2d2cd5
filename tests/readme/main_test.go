// Package readme keeps the README and the documents true: the commands in them
// exist, what they show is what comes out, the files that they name are there,
// and the README says in Chinese what it says in English.
package readme

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

const root = "../.."

var update = flag.Bool("u", false, "write the blocks that programs made anew")

// programs is where the built programs lie, as they will be installed: bin/ and
// share/ beside each other.
var programs string

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "vi-readme-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	programs = filepath.Join(dir, "bin")
	build := exec.Command("go", append(append([]string{"build"}, buildFlags...), "-o", programs+"/", root+"/cmd/...")...)
	build.Stderr = os.Stderr
	share, err := filepath.Abs(root + "/share")
	if err := errors.Join(err, build.Run(), os.Symlink(share, filepath.Join(dir, "share"))); err != nil {
		os.Stderr.WriteString("cannot build the programs: " + err.Error() + "\n")
		return 1
	}
	return m.Run()
}

// environment is that of a person with an empty home and no desktop, who has
// the programs on PATH.
func environment(home string) []string {
	return []string{
		"PATH=" + programs + ":" + os.Getenv("PATH"), "HOME=" + home, "XDG_RUNTIME_DIR=" + home, "LC_ALL=C.UTF-8",
		// Programs with the race detector sleep for a second at their end otherwise.
		"GORACE=exitcode=99 atexit_sleep_ms=0",
	}
}

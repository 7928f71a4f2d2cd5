// Package install tries what "just install", "just uninstall" and "just deb"
// do, with the real programs, in directories of its own.
package install

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	root    = "../.."
	version = "1.2.3"
)

var (
	built  string // where the programs lie, as the recipe "build" makes them
	source string // a copy of what is installed, which everybody can read
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "vi-install-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	os.Chmod(dir, 0o755) // a test runs the programs as somebody else
	built = filepath.Join(dir, "bin")
	build := exec.Command("go", "build", "-trimpath", "-tags", "urfave_cli_no_docs", "-ldflags", "-X voice-input/pkg/cli.version="+version, "-o", built+"/", "../../cmd/...")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "cannot build the programs: %v\n%s", err, out)
		return 1
	}
	source = filepath.Join(dir, "source")
	copied := exec.Command("sh", "-c", `mkdir "$1" && cp -r --parents cmd man share packaging pkg/supervise/setup/text "$1" && chmod -R a+rX "$1"`, "sh", source)
	copied.Dir = root
	if out, err := copied.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "cannot copy the sources: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// need fails the test if a program is absent, or skips it where that is
// allowed.
func need(t *testing.T, programs ...string) {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err == nil {
			continue
		}
		if os.Getenv("VI_TEST_ALLOW_SKIP") == "1" {
			t.Skipf("%s is not installed", p)
		}
		t.Fatalf("%s is not installed", p)
	}
}

// user is somebody with a home, in which everything is installed. As root the
// tests are still a user's: the scripts treat root otherwise.
type user struct {
	home, prefix string
	env          []string
	credential   *syscall.Credential
}

func newUser(t *testing.T) *user {
	t.Helper()
	// A socket's path has about 100 characters, which t.TempDir can exceed.
	home, err := os.MkdirTemp("", "vi-home-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(home) })
	u := &user{home: home, prefix: filepath.Join(home, ".local")}
	if os.Getuid() == 0 {
		u.credential = &syscall.Credential{Uid: 65534, Gid: 65534}
		if err := os.Chown(home, 65534, 65534); err != nil {
			t.Fatal(err)
		}
	}
	// No service manager of the machine is to be asked, be there one.
	u.env = []string{"HOME=" + home, "XDG_RUNTIME_DIR=" + home, "PATH=" + os.Getenv("PATH"), "BIN=" + built, "DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent", "LC_ALL=C.UTF-8"}
	return u
}

// command is one of this user.
func (u *user) command(ctx context.Context, argv ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env, cmd.Dir = u.env, "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: u.credential, Setpgid: true}
	cmd.WaitDelay = time.Second
	return cmd
}

// script runs one of packaging/ under a umask that hides everything from
// others, with more variables.
func (u *user) script(t *testing.T, name string, env ...string) (string, error) {
	t.Helper()
	cmd := u.command(t.Context(), "sh", "-c", "umask 077; exec "+filepath.Join(source, "packaging", name))
	cmd.Env = append(slices.Clone(u.env), env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (u *user) install(t *testing.T, env ...string) string {
	t.Helper()
	out, err := u.script(t, "install", env...)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return out
}

// output runs a command that must succeed.
func (u *user) output(t *testing.T, argv ...string) string {
	t.Helper()
	var stderr bytes.Buffer
	cmd := u.command(t.Context(), argv...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s%s", argv, err, out, stderr.Bytes())
	}
	return strings.TrimSpace(string(out))
}

// tree lists everything below a directory, with the modes.
func tree(t *testing.T, dir string) map[string]fs.FileMode {
	t.Helper()
	out := map[string]fs.FileMode{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		info, err := d.Info()
		if err == nil {
			rel, _ := filepath.Rel(dir, path)
			out[rel] = info.Mode()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// until waits for a condition, generously: others use the machine too.
func until(t *testing.T, what string, met func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !met(); {
		if time.Now().After(end) {
			t.Fatalf("in vain: %s", what)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

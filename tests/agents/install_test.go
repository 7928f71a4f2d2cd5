package agents_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// What is installed, as package@version of npm. The short form runs the
// versions that were the newest when they were written here, so that it gives
// the same result tomorrow; the long form asks for the newest of its day.
const (
	codexPackage = "@openai/codex"
	codexVersion = "0.171.0"
	// codexLegacy writes the older kind of session file and has no daemon.
	codexLegacy = "0.142.5"
	piPackage   = "@earendil-works/pi-coding-agent"
	piVersion   = "1.6.0"
	// nodeVersion runs both; Pi needs 22.19, more than Debian 12 has.
	nodeVersion = "24"
)

// newest is the version of a package that a test of the newest one runs.
func newest(t *testing.T, pkg, version string) string {
	t.Helper()
	if os.Getenv("VI_TEST_AGENTS") != "1" {
		return version
	}
	need(t, "npm")
	return strings.TrimSpace(output(t, nil, "", "npm", "view", pkg, "version"))
}

// nodeBin returns the directory of the node that runs the agents.
func nodeBin(t *testing.T) string {
	arch := map[string]string{"amd64": "x64"}[runtime.GOARCH]
	if arch == "" {
		arch = runtime.GOARCH
	}
	return install(t, "node-linux-"+arch, nodeVersion)
}

// install returns the bin directory of an npm package, which it downloads
// unless it was downloaded before. Packages run no scripts of their own.
func install(t *testing.T, pkg, version string) string {
	t.Helper()
	cache, err := filepath.Abs("../../.cache/agents")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(cache, strings.ReplaceAll(strings.TrimPrefix(pkg, "@"), "/", "-")+"-"+version)
	bin := filepath.Join(dir, "node_modules", ".bin")
	if err := os.MkdirAll(cache, 0o755); err != nil {
		t.Fatal(err)
	}
	// Several tests may want the same package at once.
	lock, err := os.OpenFile(dir+".lock", os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(bin); err == nil {
		return bin
	}
	need(t, "npm")
	partial := dir + ".partial"
	if err := os.RemoveAll(partial); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(partial, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Logf("downloading %s@%s", pkg, version)
	npm := exec.CommandContext(t.Context(), "npm", "install", "--prefix", partial, "--cache", filepath.Join(partial, "cache"),
		"--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error", pkg+"@"+version)
	npm.Dir = partial
	if out, err := npm.CombinedOutput(); err != nil {
		t.Fatalf("cannot install %s@%s: %v\n%s", pkg, version, err, out)
	}
	if err := os.RemoveAll(filepath.Join(partial, "cache")); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(partial, dir); err != nil {
		t.Fatal(err)
	}
	return bin
}

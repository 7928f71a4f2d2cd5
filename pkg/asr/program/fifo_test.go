package program

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"voice-input/pkg/internal/xdg"
)

// environment is one with a runtime directory.
func environment(dir string) func(string) string {
	return func(k string) string {
		if k == "XDG_RUNTIME_DIR" {
			return dir
		}
		return ""
	}
}

func TestDirectoryIsPrivate(t *testing.T) {
	env := environment(t.TempDir())
	d, err := newDirectory(env)
	if err != nil {
		t.Fatal(err)
	}
	defer d.remove()
	path, err := d.fifo()
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]os.FileMode{
		xdg.RuntimeDir(env): 0o700 | os.ModeDir, d.path: 0o700 | os.ModeDir, path: 0o600 | os.ModeNamedPipe,
	} {
		if info, err := os.Lstat(path); err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v, want %v", path, info.Mode(), err, want)
		}
	}
}

// Directories of the living stay, those of the dead go, and nothing else is
// touched.
func TestStaleDirectories(t *testing.T) {
	env := environment(t.TempDir())
	base := xdg.RuntimeDir(env)
	alive, err := newDirectory(env)
	if err != nil {
		t.Fatal(err)
	}
	defer alive.remove()
	if _, err := alive.fifo(); err != nil {
		t.Fatal(err)
	}
	dead := filepath.Join(base, "asr-123")
	others := []string{filepath.Join(base, "spool"), filepath.Join(base, "asr-open"), filepath.Join(base, "asr-file")}
	for _, path := range append(others[:2:2], dead) {
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	os.Chmod(others[1], 0o755) // not made by us
	os.WriteFile(others[2], nil, 0o600)
	if err := unix.Mkfifo(filepath.Join(dead, "take-1"), 0o600); err != nil {
		t.Fatal(err)
	}
	again, err := newDirectory(env)
	if err != nil {
		t.Fatal(err)
	}
	again.remove()
	if _, err := os.Lstat(dead); err == nil {
		t.Error("the directory of a dead process is still there")
	}
	for _, path := range append(others, alive.path) {
		if _, err := os.Lstat(path); err != nil {
			t.Errorf("%s is gone", path)
		}
	}
}

func TestDirectoryWithoutRuntimeDirectory(t *testing.T) {
	tmp := t.TempDir()
	d, err := newDirectory(func(k string) string {
		return map[string]string{"XDG_RUNTIME_DIR": "/proc/none", "TMPDIR": tmp}[k]
	})
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Dir(d.path) != tmp {
		t.Errorf("made in %q", d.path)
	}
	d.remove()
	if _, err := newDirectory(func(k string) string { return "/proc/none" }); err == nil {
		t.Error("made in a directory that does not exist")
	}
}

// A program that dies between two takes costs no take, noticed or not.
func TestDeathBetweenTakes(t *testing.T) {
	e := open(t, t.Context(), "count", "", defaults)
	for range 5 {
		text, _, err := recognize(t, t.Context(), e, bytes.NewReader(random(70000)))
		if err != nil || text == "" {
			t.Fatalf("%q, %v", text, err)
		}
		e.process.child.Kill()
	}
}

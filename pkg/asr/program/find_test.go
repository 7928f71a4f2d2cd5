package program

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

func TestFind(t *testing.T) {
	root := t.TempDir()
	finder := Finder{
		Executable: filepath.Join(root, "bin/vi-asr"),
		Getenv: func(k string) string {
			return map[string]string{
				"VI_ENGINES": filepath.Join(root, "own") + ":relative:",
				"PATH":       filepath.Join(root, "path") + ":relative:",
			}[k]
		},
	}
	for _, path := range []string{
		"own/a", "share/voice-input/engines/a", "share/voice-input/engines/b", "share/engines/b", "share/engines/c",
		"bin/vi-engine-c", "bin/vi-engine-d", "path/vi-engine-d", "path/vi-engine-e", "path/f",
	} {
		write(t, filepath.Join(root, path), "#!/bin/sh\n", 0o755)
	}
	write(t, filepath.Join(root, "own/e"), "not a program", 0o644)
	write(t, filepath.Join(root, "own/g/x"), "a directory is no program", 0o644)
	write(t, filepath.Join(root, "own/.hidden"), "#!/bin/sh\n", 0o755)
	want := map[string]string{
		"a": "own/a", "b": "share/voice-input/engines/b", "c": "share/engines/c", "d": "bin/vi-engine-d", "e": "path/vi-engine-e",
	}
	for name, path := range want {
		if got, err := finder.Find(name); got != filepath.Join(root, path) {
			t.Errorf("%s: %q, %v, want %q", name, got, err, path)
		}
	}
	for _, name := range []string{"f", "g", "h"} {
		var missing *NotFoundError
		if _, err := finder.Find(name); !errors.As(err, &missing) || len(missing.Looked) != 5 {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"", ".", "..", ".hidden", "-x", "a b", "é", strings.Repeat("x", 65)} {
		if _, err := finder.Find(name); !errors.Is(err, ErrName) {
			t.Errorf("%q: %v", name, err)
		}
	}
	path := filepath.Join(root, "path/f")
	if got, err := finder.Find(path); got != path {
		t.Errorf("path: %q, %v", got, err)
	}
	list := finder.List()
	if len(list) != len(want) {
		t.Errorf("list: %v", list)
	}
	for i, f := range list {
		if f.Path != filepath.Join(root, want[f.Name]) || i > 0 && list[i-1].Name >= f.Name {
			t.Errorf("list: %v", list)
		}
	}
}

func TestCheck(t *testing.T) {
	tests := []struct{ name, model, want string }{
		{"count", "", ""},
		{"count", "absent", "no model of that name"},
		{"whisper", "", "whisper: error: no model [31m"},
	}
	for _, tt := range tests {
		err := Check(t.Context(), called(t, tt.name), tt.model)
		if got := ""; err != nil && err.Error() != tt.want || err == nil && got != tt.want {
			t.Errorf("%s %s: %v, want %q", tt.name, tt.model, err, tt.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Check(ctx, called(t, "check-hangs"), ""); err == nil {
		t.Error("a check that was cancelled succeeded")
	}
	silent := filepath.Join(t.TempDir(), "silent")
	write(t, silent, "#!/bin/sh\nexit 69\n", 0o755)
	if err := Check(t.Context(), silent, ""); err == nil || err.Error() != "its --check failed: exit status 69" {
		t.Error(err)
	}
}

package ime

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"voice-input/pkg/internal/desktoptest"
)

// fake puts a program before the real ones on PATH.
func fake(t *testing.T, dir, name, script string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\ncd "+dir+"\necho \""+name+" $*\" >>calls\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
}

// daemons starts processes that are named like the two.
func daemons(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"fcitx5", "ibus-daemon"} {
		path := filepath.Join(dir, name)
		if err := os.Symlink(desktoptest.Path(t, "sleep"), path); err != nil {
			t.Fatal(err)
		}
		desktoptest.Start(t, nil, path, "1000")
	}
	desktoptest.Until(t, "the processes", func() bool { return len(running()) == 2 })
}

func TestOff(t *testing.T) {
	daemons(t)
	const (
		active   = `[ $# -gt 0 ] || echo 2`
		inactive = `echo 1`
		absent   = `echo 'Failed to get reply.' >&2; exit 1`
	)
	tests := []struct {
		name, fcitx, ibus string
		want, warnings    []string
	}{
		{"fcitx5 active", active, absent, []string{"fcitx5-remote ", "ibus engine", "fcitx5-remote -c", "fcitx5-remote -o"}, nil},
		{"fcitx5 inactive", inactive, absent, []string{"fcitx5-remote ", "ibus engine"}, nil},
		{"ibus with an engine", absent, `[ $# -gt 1 ] || echo libpinyin`, []string{"fcitx5-remote ", "ibus engine", "ibus engine xkb:us::eng", "ibus engine libpinyin"}, nil},
		{"ibus with a layout", absent, `echo xkb:de::ger`, []string{"fcitx5-remote ", "ibus engine"}, nil},
		{"ibus says what is no engine", absent, `echo No engine is set.`, []string{"fcitx5-remote ", "ibus engine"}, nil},
		{"ibus says an option", absent, `echo -x`, []string{"fcitx5-remote ", "ibus engine"}, nil},
		{"neither runs", absent, absent, []string{"fcitx5-remote ", "ibus engine"}, nil},
		{"it does not come back", `[ "$1" != -o ] || exit 1; ` + active, absent, []string{"fcitx5-remote ", "ibus engine", "fcitx5-remote -c", "fcitx5-remote -o"}, []string{WarnNotRestored}},
		{"it says too much", `yes`, absent, []string{"fcitx5-remote ", "ibus engine"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			fake(t, dir, "fcitx5-remote", tt.fcitx)
			fake(t, dir, "ibus", tt.ibus)
			t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
			ctx, cancel := context.WithCancel(t.Context())
			resume := Off(ctx)
			cancel() // the input method comes back all the same
			warnings := resume()
			b, _ := os.ReadFile(filepath.Join(dir, "calls"))
			calls := strings.Split(strings.TrimRight(string(b), "\n"), "\n")
			want := slices.Clone(tt.want)
			slices.Sort(calls)
			slices.Sort(want)
			if !slices.Equal(calls, want) || !slices.Equal(warnings, tt.warnings) {
				t.Errorf("calls %q, want %q; warnings %q", calls, want, warnings)
			}
		})
	}
}

// A program that hangs does not keep a delivery.
func TestHangs(t *testing.T) {
	daemons(t)
	dir := t.TempDir()
	fake(t, dir, "fcitx5-remote", "exec sleep 1000")
	t.Setenv("PATH", dir+":/nonexistent:"+os.Getenv("PATH"))
	fake(t, dir, "ibus", "exit 1")
	start := time.Now()
	if w := Off(t.Context())(); len(w) > 0 {
		t.Errorf("warnings %q", w)
	}
	if d := time.Since(start); d > 30*time.Second {
		t.Errorf("it took %v", d)
	}
}

// The real IBus is switched to a layout and back.
func TestIBus(t *testing.T) {
	for _, p := range []string{"ibus-daemon", "ibus", "dbus-daemon"} {
		desktoptest.Need(t, p)
	}
	dir := desktoptest.Dir(t)
	bus := "unix:path=" + filepath.Join(dir, "bus")
	for k, v := range map[string]string{
		"HOME": dir, "XDG_RUNTIME_DIR": dir, "XDG_CONFIG_HOME": dir, "XDG_CACHE_HOME": dir, "XDG_DATA_HOME": dir,
		"DISPLAY": desktoptest.X11(t), "WAYLAND_DISPLAY": "", "DBUS_SESSION_BUS_ADDRESS": bus, "GSETTINGS_BACKEND": "memory",
	} {
		t.Setenv(k, v)
	}
	desktoptest.Start(t, nil, "dbus-daemon", "--session", "--nofork", "--address="+bus)
	desktoptest.Until(t, "the bus", func() bool { _, err := os.Stat(filepath.Join(dir, "bus")); return err == nil })
	desktoptest.Start(t, nil, "ibus-daemon", "--panel", "disable", "--emoji-extension", "disable")
	engine := func() string {
		var a answer
		if run(t.Context(), []string{"ibus", "engine"}, &a) != nil {
			return ""
		}
		return strings.TrimSpace(a.String())
	}
	const composing = "hangul"
	desktoptest.Until(t, "IBus", func() bool {
		return run(t.Context(), []string{"ibus", "engine", composing}, nil) == nil && engine() == composing
	})
	// Also where fcitx5 is installed, which D-Bus would start for a question. On
	// a machine under load IBus is not waited for long enough, and left as it is.
	var resume func() []string
	desktoptest.Until(t, "the layout", func() bool {
		if engine() != composing {
			run(t.Context(), []string{"ibus", "engine", composing}, nil)
		}
		resume = Off(t.Context())
		return engine() == "xkb:us::eng"
	})
	if w := resume(); len(w) > 0 {
		t.Errorf("warnings %q", w)
	}
	desktoptest.Until(t, "the engine", func() bool { return engine() == composing })
}

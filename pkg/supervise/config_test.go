package supervise

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"voice-input/pkg/internal/soundtest"
)

// A configuration that is broken while a daemon runs takes no command away: a
// take is ended, thrown away and brought back as before.
func TestBrokenConfigurationTakesNothingAway(t *testing.T) {
	t.Parallel()
	server := soundtest.Pulse(t)
	l := newLab(t, server, local)
	home := t.TempDir()
	l.extra = append(l.extra, "XDG_CONFIG_HOME="+home)
	own := filepath.Join(home, "voice-input")
	if err := os.Mkdir(own, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{l.config, filepath.Join(own, "config.toml")} {
		if err := os.WriteFile(path, []byte("[asr\nengine = 7"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	mic := server.Mic()
	l.say(mic)
	for _, args := range [][]string{{"status"}, {"status", "--format", "waybar"}, {"diagnostics"}} {
		if status, out := l.run(args...); status != 0 {
			t.Errorf("%v: status %d: %s", args, status, out)
		}
	}
	l.record(0, "cancel")
	l.quiet()
	l.record(0, "undo-cancel", "--wait")
	l.say(mic)
	l.record(0, "stop", "--wait")
	if got := l.delivered(); got != words+"\n"+words+"\n" {
		t.Errorf("delivered %q", got)
	}
	if status, out := l.run("history", "list"); status != 0 {
		t.Errorf("history: status %d: %s", status, out)
	}
}

// The configuration may lie where nobody can write, as in the store of Nix:
// nothing is ever written to it or beside it.
func TestConfigurationIsNeverWritten(t *testing.T) {
	t.Parallel()
	server := soundtest.Pulse(t)
	l := newLab(t, server, local)
	l.kill()
	home := t.TempDir()
	store, own := filepath.Join(home, "store"), filepath.Join(home, "config", "voice-input")
	for _, dir := range []string{store, own} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	stored, linked := filepath.Join(store, "config.toml"), filepath.Join(own, "config.toml")
	if err := os.WriteFile(stored, []byte(local), 0o400); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(stored, linked); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{store, own} {
		if err := os.Chmod(dir, 0o500); err != nil {
			t.Fatal(err)
		}
		defer os.Chmod(dir, 0o700)
	}
	before := tree(t, home)
	l.config, l.extra = linked, append(l.extra, "XDG_CONFIG_HOME="+filepath.Dir(own))
	l.start()
	l.say(server.Mic())
	l.record(0, "stop", "--wait")
	if got := l.delivered(); got != words+"\n" {
		t.Errorf("delivered %q", got)
	}
	for _, args := range [][]string{
		{"config", "check"}, {"config", "show"}, {"doctor"}, {"diagnostics"}, {"setup", "sway"}, {"setup", "systemd"}, {"model", "list"},
		{"history", "list"}, {"history", "clear"}, {"record", "repeat"},
	} {
		l.run(args...)
	}
	if after := tree(t, home); after != before {
		t.Errorf("before:\n%safter:\n%s", before, after)
	}
}

// tree describes what is below a directory.
func tree(t *testing.T, dir string) string {
	t.Helper()
	out := ""
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		out += fmt.Sprintf("%s %v %d %v\n", path, info.Mode(), info.Size(), info.ModTime())
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

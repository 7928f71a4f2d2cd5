package install

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func programs(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(root, "cmd"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Under a umask that hides everything, what is installed can be read by all
// and run where it is a program, and nothing else (P6).
func TestP6Modes(t *testing.T) {
	u := newUser(t)
	u.install(t)
	for path, mode := range tree(t, u.prefix) {
		want := 0o644
		switch name := filepath.Base(path); {
		case mode.IsDir(), strings.HasPrefix(path, "bin/"), strings.HasPrefix(path, "share/voice-input/engines/") && filepath.Ext(name) == "":
			want = 0o755
		}
		if int(mode.Perm()) != want {
			t.Errorf("%s has mode %o, want %o", path, mode.Perm(), want)
		}
	}
}

// What is installed works from where it lies: the programs, what they look for
// beside themselves, the pages, and the completions in the places where the
// shells look.
func TestInstalled(t *testing.T) {
	u := newUser(t)
	said := u.install(t, "SHELL=/bin/zsh")
	if !strings.Contains(said, "put "+u.prefix+"/bin into PATH\n") || !strings.Contains(said, "systemctl --user enable --now") {
		t.Errorf("it says\n%s", said)
	}
	bin := func(name string) string { return filepath.Join(u.prefix, "bin", name) }
	for _, p := range programs(t) {
		if got := u.output(t, bin(p), "--version"); got != version {
			t.Errorf("%s --version: %q", p, got)
		}
		if _, err := os.Stat(filepath.Join(u.prefix, "share/bash-completion/completions", p)); err != nil {
			t.Error(err)
		}
	}
	u.output(t, "sh", "-c", "echo works | "+bin("vi-type")+" --text --to stdout")
	u.output(t, bin("voice-input"), "model", "list")
	if got := u.output(t, "sh", "-c", "printf '提升语音识别的准确率。' | "+bin("vi-terms")+" rank"); !strings.Contains(got, "语音识别") {
		t.Errorf("vi-terms without its dictionaries: %q", got)
	}
	engines, _ := u.command(t.Context(), bin("vi-asr"), "engines").Output() // status 1 if none can work here
	if want := u.prefix + "/share/voice-input/engines/whisper"; !strings.Contains(string(engines), want) {
		t.Errorf("vi-asr engines: %s", engines)
	}
	// From here on PATH has the programs, as in a session.
	need(t, "man", "fish", "zsh")
	u.env = append(u.env, "PATH="+u.prefix+"/bin:"+os.Getenv("PATH"))
	for _, page := range []string{"voice-input.1", "vi-records.5", "voice-input.toml.5", "voice-input.7"} {
		name, section := strings.TrimSuffix(page, filepath.Ext(page)), filepath.Ext(page)[1:]
		if got := u.output(t, "man", "-w", section, name); got != u.prefix+"/share/man/man"+section+"/"+page {
			t.Errorf("man -w %s %s: %q", section, name, got)
		}
	}
	if got := u.output(t, "fish", "-c", "complete -C 'voice-input record tog'"); !strings.HasPrefix(got, "toggle\t") {
		t.Errorf("fish completes %q", got)
	}
	add := regexp.MustCompile(`(?m)^zsh .* before compinit: (.+)$`).FindStringSubmatch(said)
	if add == nil {
		t.Fatalf("it does not say what zsh needs:\n%s", said)
	}
	if got := u.output(t, "zsh", "-fc", add[1]+"; autoload -Uz compinit && compinit -u -D && print $_comps[voice-input] $_comps[vi-asr]"); got != "_voice-input _vi-asr" {
		t.Errorf("zsh completes by %q", got)
	}
	if _, err := os.Stat(filepath.Join(u.prefix, "share/voice-input/completions")); err == nil {
		t.Error("the completions are there twice")
	}
}

// Nothing in a home is touched but what is installed; uninstalling leaves the
// home as it was, and what others put into the same directories.
func TestUninstall(t *testing.T) {
	u := newUser(t)
	other := filepath.Join(u.prefix, "share/man/man1/other.1")
	if out, err := u.command(t.Context(), "sh", "-c", "mkdir -p "+filepath.Dir(other)+" "+u.home+"/.config/voice-input && touch "+other+" "+u.home+"/.config/voice-input/config.toml").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	before := tree(t, u.home)
	u.install(t)
	after := tree(t, u.home)

	// Once more: what a release no longer has goes away, and what is new comes.
	stale := filepath.Join(u.prefix, "share/voice-input/gone")
	list := filepath.Join(u.prefix, "share/voice-input/installed")
	if out, err := u.command(t.Context(), "sh", "-c", "touch "+stale+"; echo f "+stale+" >>"+list+"; rm "+u.prefix+"/bin/vi-asr").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	u.install(t)
	if again := tree(t, u.home); !maps.Equal(again, after) {
		t.Errorf("after another release:\n%v\nwant\n%v", slices.Sorted(maps.Keys(again)), slices.Sorted(maps.Keys(after)))
	}

	late := filepath.Join(u.prefix, "share/fish/vendor_completions.d/late.fish")
	if out, err := u.command(t.Context(), "touch", late).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := u.script(t, "uninstall"); err != nil || out != "" {
		t.Fatalf("%v\n%s", err, out)
	}
	if _, err := os.Stat(late); err != nil {
		t.Error(err)
	}
	os.RemoveAll(filepath.Join(u.prefix, "share/fish"))
	if left := tree(t, u.home); !maps.Equal(left, before) {
		t.Errorf("left is\n%v\nwant\n%v", slices.Sorted(maps.Keys(left)), slices.Sorted(maps.Keys(before)))
	}
	if out, err := u.script(t, "uninstall"); err == nil || !strings.Contains(out, "nothing is installed in") {
		t.Errorf("a second time: %v\n%s", err, out)
	}
}

// DESTDIR stands before every path that is written, and in no file.
func TestDestdir(t *testing.T) {
	u := newUser(t)
	destdir := filepath.Join(u.home, "stage")
	if said := u.install(t, "DESTDIR="+destdir, "PREFIX=/usr/local"); said != "" {
		t.Errorf("it says\n%s", said)
	}
	for path, mode := range tree(t, u.home) {
		switch {
		case !strings.HasPrefix(path+"/", "stage/"), !strings.HasPrefix("stage/usr/local/", path+"/") && !strings.HasPrefix(path, "stage/usr/local/"):
			t.Errorf("%s is outside", path)
		case mode.IsRegular() && !strings.Contains(path, "/bin/"):
			if text, err := os.ReadFile(filepath.Join(u.home, path)); err != nil || strings.Contains(string(text), destdir) {
				t.Errorf("%s names the stage: %v", path, err)
			}
		}
	}
	unit, err := os.ReadFile(filepath.Join(destdir, "usr/local/share/systemd/user/voice-input.service"))
	if err != nil || !strings.Contains(string(unit), "\nExecStart=/usr/local/bin/voice-input daemon\n") {
		t.Errorf("%v\n%s", err, unit)
	}
	if out, err := u.script(t, "uninstall", "DESTDIR="+destdir, "PREFIX=/usr/local"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if left := tree(t, destdir); len(left) != 0 {
		t.Errorf("left is %v", left)
	}
}

func TestRefusals(t *testing.T) {
	u := newUser(t)
	for want, env := range map[string]string{
		"it is not a whole path":                     "PREFIX=usr/local",
		"a unit cannot name every character":         "PREFIX=" + u.home + "/100%",
		"cannot install vi-asr: it is not in " + "/": "BIN=/nonexistent",
	} {
		out, err := u.script(t, "install", env)
		if code := exitCode(err); code != 64 || !strings.Contains(out, want) {
			t.Errorf("%s: status %d\n%s", env, code, out)
		}
	}
	if left := tree(t, u.home); len(left) != 0 {
		t.Errorf("left is %v", left)
	}
}

func exitCode(err error) int {
	if e, ok := err.(*exec.ExitError); ok {
		return e.ExitCode()
	}
	return 0
}

// The scripts are clean, and nothing in the project ends processes by a
// pattern, which could match the very command that does it (P7).
func TestP7NoBroadKill(t *testing.T) {
	need(t, "git", "shellcheck")
	if out, err := exec.CommandContext(t.Context(), "sh", "-c", "shellcheck "+root+"/packaging/*").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	broad := regexp.MustCompile(`\bp?kill ((-\S+) )*-f|\bp` + `kill\b|\bkill` + `all\b|\bfuser -k|kill (-\S+ )?(--? ?)?-1\b`)
	out, err := exec.CommandContext(t.Context(), "git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard", "-z").Output()
	if err != nil {
		if os.Getenv("VI_TEST_ALLOW_SKIP") == "1" {
			t.Skip("this is no checkout")
		}
		t.Fatal(err)
	}
	looked := 0
	for _, path := range strings.Split(strings.Trim(string(out), "\x00"), "\x00") {
		text, err := os.ReadFile(filepath.Join(root, path))
		if err != nil || filepath.Ext(path) == ".go" || filepath.Ext(path) == ".md" || strings.Contains(path, "testdata/") {
			continue
		}
		looked++
		if m := broad.Find(text); m != nil {
			t.Errorf("%s has %q", path, m)
		}
	}
	if looked < 50 {
		t.Errorf("only %d files", looked)
	}
}

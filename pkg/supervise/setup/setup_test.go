package setup

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"voice-input/pkg/cli"
	"voice-input/pkg/internal/desktoptest"
)

// run runs "voice-input setup" with arguments and returns what it prints.
func run(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs strings.Builder
	cmd := &cli.Command{Name: "voice-input", Usage: "test", Commands: []*cli.Command{Command()}}
	status := cli.Main(t.Context(), cmd, &cli.IO{
		Args: append([]string{"voice-input", "setup"}, args...), Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Getenv: os.Getenv,
	})
	if status != 0 {
		t.Fatalf("setup %v: status %d: %s", args, status, errs.String())
	}
	return out.String()
}

// check has a program read a file that holds text.
func check(t *testing.T, text, file string, argv ...string) {
	t.Helper()
	desktoptest.Need(t, argv[0])
	dir := desktoptest.Dir(t)
	path := filepath.Join(dir, file)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(argv[0], append(argv[1:], path)...)
	cmd.Dir = dir
	if os.Getuid() == 0 { // sway refuses to run as root
		if err := os.Chown(dir, 65534, 65534); err != nil {
			t.Fatal(err)
		}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+dir, "HOME="+dir, "WLR_BACKENDS=headless", "WLR_RENDERER=pixman", "WLR_LIBINPUT_NO_DEVICES=1")
	out, err := cmd.CombinedOutput()
	said := regexp.MustCompile(`(?m)^.*\[wlr\].*$`).ReplaceAllString(string(out), "") // of the missing graphics card
	if err != nil || strings.Contains(strings.ToLower(said), "error") {
		t.Errorf("%v: %v\n%s\n%s", argv, err, out, text)
	}
}

// The programs themselves read what is printed for them.
func TestReadByTheirPrograms(t *testing.T) {
	t.Run("sway", func(t *testing.T) {
		check(t, "set $mod Mod4\n"+run(t, "sway"), "config", "sway", "--validate", "--config")
	})
	t.Run("i3", func(t *testing.T) {
		check(t, "# i3 config file (v4)\nset $mod Mod4\nfont pango:monospace 8\n"+run(t, "i3"), "config", "i3", "-C", "-c")
	})
	t.Run("waybar", func(t *testing.T) {
		text := regexp.MustCompile(`(?m)^//.*$`).ReplaceAllString(run(t, "waybar"), "")
		var module map[string]struct {
			Return string            `json:"return-type"`
			Icons  map[string]string `json:"format-icons"`
		}
		if err := json.Unmarshal([]byte("{"+text+"}"), &module); err != nil {
			t.Fatal(err)
		}
		m := module["custom/voice-input"]
		for _, alt := range []string{"idle", "arming", "recording", "recognizing", "refining", "delivering", "error", "stopped"} {
			if _, there := m.Icons[alt]; !there {
				t.Errorf("no icon for %s", alt)
			}
		}
		if m.Return != "json" || len(m.Icons) != 8 {
			t.Errorf("%+v", m)
		}
	})
}

// The units are read by systemd, whatever the umask they are written with
// (P6), and name this program by its whole path (P1).
func TestUnits(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "user")
	old := unix.Umask(0o077)
	run(t, "systemd", "--write", dir)
	unix.Umask(old)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, unit := range []string{"voice-input.service", "voice-input.socket"} {
		info, err := os.Stat(filepath.Join(dir, unit))
		if err != nil || info.Mode().Perm() != 0o644 {
			t.Errorf("%s: %v, %v", unit, info, err)
		}
	}
	text, _ := os.ReadFile(filepath.Join(dir, "voice-input.service"))
	if !slices.Contains(strings.Split(string(text), "\n"), "ExecStart="+self+" daemon") {
		t.Errorf("the unit starts another program:\n%s", text)
	}
	if strings.Contains(string(text), "DISPLAY=") {
		t.Error("the display is guessed (P4)")
	}
	desktoptest.Need(t, "systemd-analyze")
	verify := exec.Command("systemd-analyze", "verify", "--user", "--man=no", filepath.Join(dir, "voice-input.service"), filepath.Join(dir, "voice-input.socket"))
	verify.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+t.TempDir())
	if out, err := verify.CombinedOutput(); err != nil || strings.Contains(string(out), "voice-input") {
		t.Errorf("%v\n%s", err, out)
	}
}

// Every command in a snippet is one that exists.
func TestCommandsExist(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"hyprland", "hyprland-lua", "sway", "niri", "i3", "waybar"} {
		text := run(t, name)
		if strings.Contains(text, "{{") || !strings.Contains(text, self) {
			t.Errorf("%s:\n%s", name, text)
		}
		for _, m := range regexp.MustCompile(regexp.QuoteMeta(self)+`["\s]+(\w+)["\s]+(\S+?)[";\s]`).FindAllStringSubmatch(text, -1) {
			if m[1] == "record" && !slices.Contains([]string{"toggle", "cancel", "press", "release"}, m[2]) {
				t.Errorf("%s: no command %q", name, m[2])
			}
		}
	}
}

// A wrapper of Nix is what starts the program (P1).
func TestP1Wrapper(t *testing.T) {
	for path, want := range map[string]string{
		"/store/bin/voice-input":          "/store/bin/voice-input",
		"/store/bin/.voice-input-wrapped": "/store/bin/voice-input",
		"/store/bin/voice-input-wrapped":  "/store/bin/voice-input-wrapped",
	} {
		if got := unwrapped(path); got != want {
			t.Errorf("%s is started as %s, want %s", path, got, want)
		}
	}
}

// A path that a reader would take apart is in quotes, and one that no reader
// takes is refused.
func TestOddPaths(t *testing.T) {
	dir := filepath.Join(desktoptest.Dir(t), "Ein Ort & mehr")
	program := filepath.Join(dir, "voice-input")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	commands := map[string]string{
		"hyprland": `, exec, (.*)\n`, "hyprland-lua": `exec_cmd\("(.*?)"\)`, "sway": `\bexec (.*)\n`, "i3": `--no-startup-id (.*)\n`, "waybar": `"on-click": "(.*)"`,
	}
	for file, command := range commands {
		text, err := Text(file, program)
		if err != nil {
			t.Fatal(err)
		}
		m := regexp.MustCompile(command).FindStringSubmatch(text)
		if m == nil {
			t.Fatalf("%s has no command:\n%s", file, text)
		}
		if out, err := exec.Command("sh", "-c", m[1]).Output(); err != nil || string(out) != "record toggle\n" {
			t.Errorf("%s: %s gives %q, %v", file, m[1], out, err)
		}
	}
	if text, err := Text("niri", program); err != nil || !strings.Contains(text, `spawn "`+program+`" "record" "toggle"`) {
		t.Errorf("%v\n%s", err, text)
	}
	if text, err := Text("voice-input.service", program); err != nil || !strings.Contains(text, `ExecStart="`+program+`" daemon`+"\n") {
		t.Errorf("%v\n%s", err, text)
	}
	for _, path := range []string{`/a"b/voice-input`, "/a'b/voice-input", `/a\b/voice-input`, "/$HOME/voice-input", "/100%/voice-input", "/a\nb/voice-input"} {
		if text, err := Text("sway", path); err == nil || text != "" {
			t.Errorf("%q is written:\n%s", path, text)
		}
	}
}

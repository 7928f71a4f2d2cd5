package nix

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"voice-input/pkg/config"
	"voice-input/pkg/supervise/setup"
)

// reports is what tests/nix/home.nix says of its cases.
type reports struct {
	Right map[string]struct {
		Settings map[string]any
		TOML     string
		Units    map[string]string
		Failed   []string
	}
	Wrong map[string][]string
}

func homeManager(t *testing.T, s *sandbox) ([]byte, reports) {
	t.Helper()
	out := storePath.ReplaceAll(s.evaluate(t, "checks.x86_64-linux.home-manager.reports", "r: r"), []byte("/STORE/"))
	return out, decode[reports](t, out)
}

// What the module for Home Manager makes of the cases.
func TestHomeManager(t *testing.T) {
	s := newSandbox(t)
	out, r := homeManager(t, s)
	golden(t, "home-manager.json", out)

	for name, c := range r.Right {
		if len(c.Failed) > 0 {
			t.Errorf("%s: %q", name, c.Failed)
		}
	}
	// Each wrong one breaks one rule, and is told the line to write.
	if len(r.Wrong) < 10 {
		t.Errorf("only %d wrong cases", len(r.Wrong))
	}
	line := regexp.MustCompile(`write( instead)?\n  (services|wayland|xsession|programs)\.[^\n]* = [^\n]+;\n`)
	for name, failed := range r.Wrong {
		if len(failed) != 1 || !line.MatchString(failed[0]) {
			t.Errorf("%s: %q", name, failed)
		}
	}
}

// Every rule of nix/assertions.nix is broken by a case.
func TestEveryAssertionFires(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "nix/assertions.nix"))
	if err != nil {
		t.Fatal(err)
	}
	// perDesktop is one in the text and one for each desktop.
	rules := strings.Count(string(text), "assertion =") - 1 + strings.Count(string(text), `(perDesktop "`)
	messages := map[string]bool{}
	_, r := homeManager(t, newSandbox(t))
	for _, failed := range r.Wrong {
		for _, m := range failed {
			first, _, _ := strings.Cut(m, "\n")
			first = regexp.MustCompile(`"[^"]*"`).ReplaceAllString(first, "X")
			messages[first] = true
		}
	}
	if len(messages) != rules {
		t.Errorf("%d rules, %d of them broken: %v", rules, len(messages), messages)
	}
}

// The settings reach the file, and the program takes it, as it does when the
// file is built; the names of the credentials are those under which it looks
// for keys.
func TestHomeManagerConfiguration(t *testing.T) {
	need(t, "go")
	_, r := homeManager(t, newSandbox(t))
	program, file := filepath.Join(t.TempDir(), "voice-input"), filepath.Join(t.TempDir(), "config.toml")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "voice-input/cmd/voice-input").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	check := func(text string) (string, error) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.CommandContext(t.Context(), program, "config", "check", "--config", file).CombinedOutput()
		return string(out), err
	}
	for name, c := range r.Right {
		var got map[string]any
		if err := toml.Unmarshal([]byte(c.TOML), &got); err != nil {
			t.Fatalf("%s: %v in\n%s", name, err, c.TOML)
		}
		if len(got)+len(c.Settings) > 0 && !sameJSON(got, c.Settings) {
			t.Errorf("%s: the file is\n%s\nwant %v", name, c.TOML, c.Settings)
		}
		if out, err := check(c.TOML); err != nil {
			t.Errorf("%s: %v: %s in\n%s", name, err, out, c.TOML)
		}
		if out, err := check(c.TOML + "nodel = 1\n"); err == nil || !strings.Contains(out, "nodel") {
			t.Errorf("%s: a key that is none is taken: %s", name, out)
		}
	}
	source, err := os.ReadFile(filepath.Join(root, "pkg/asr/services.go"))
	refine, err2 := os.ReadFile(filepath.Join(root, "pkg/refine/model.go"))
	if err != nil || err2 != nil || !strings.Contains(string(source), `Credential: "asr." + s.name`) || !strings.Contains(string(refine), `Credential: "llm"`) {
		t.Error("the keys have other names than those of nix/home-manager.nix")
	}
	protocols := regexp.MustCompile(`(?s)protocols = \[(.*?)\]`).FindSubmatch(must(os.ReadFile(filepath.Join(root, "nix/assertions.nix"))))
	if got := strings.Fields(strings.ReplaceAll(string(protocols[1]), `"`, "")); !slices.Equal(got, config.Words("asr.service", "protocol")) {
		t.Errorf("nix/assertions.nix knows the services %q", got)
	}
}

// The units are those that the program prints (P1), with the target of Home
// Manager and what depends on it; systemd reads them without a word.
func TestHomeManagerUnits(t *testing.T) {
	need(t, "systemd-analyze")
	_, r := homeManager(t, newSandbox(t))
	own := regexp.MustCompile(`^(PartOf|After|WantedBy|ConditionEnvironment|X-Reload-Triggers|LoadCredential)=`)
	for name, c := range r.Right {
		dir := t.TempDir()
		for _, unit := range []string{"voice-input.service", "voice-input.socket"} {
			if name == "off" {
				continue
			}
			text, err := setup.Text(unit, "/STORE/voice-input-0.1.0/bin/voice-input")
			if err != nil {
				t.Fatal(err)
			}
			want := keys(strings.ReplaceAll(text, "=kill ", "=/STORE/coreutils/bin/kill "), own)
			if got := keys(c.Units[unit], own); !slices.Equal(got, want) {
				t.Errorf("%s: %s has\n%s\nwant\n%s", name, unit, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
		var files []string
		for unit, text := range c.Units {
			text = regexp.MustCompile(`/STORE/\S+/bin/\S+`).ReplaceAllString(text, "/bin/true")
			file := filepath.Join(dir, unit)
			files = append(files, file)
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if len(files) == 0 {
			continue
		}
		verify := exec.CommandContext(t.Context(), "systemd-analyze", append([]string{"verify", "--user", "--man=no", "--recursive-errors=yes"}, files...)...)
		verify.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+dir)
		if out, err := verify.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
		// The same limit as in nix/checks.nix.
		exposure := exec.CommandContext(t.Context(), "systemd-analyze", "security", "--user", "--offline=true", "--threshold=75", filepath.Join(dir, "voice-input.service"))
		exposure.Env = verify.Env
		if out, err := exposure.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

// The service waits for the session and takes the display that the session
// names; nothing here names one (P4). No program is ended by its name (P7).
func TestP4P7Units(t *testing.T) {
	_, r := homeManager(t, newSandbox(t))
	for name, c := range r.Right {
		target := "graphical-session.target"
		if name == "everything" {
			target = "sway-session.target"
		}
		for unit, text := range c.Units {
			want := []string{"PartOf=" + target, "WantedBy=" + target}
			if !strings.Contains(unit, "recogniser") {
				want = append(want, "ConditionEnvironment=|WAYLAND_DISPLAY\nConditionEnvironment=|DISPLAY")
			}
			if unit == "voice-input.service" {
				want = append(want, "After="+target)
			}
			for _, line := range want {
				if !strings.Contains(text, "\n"+line+"\n") {
					t.Errorf("%s: %s has no %s:\n%s", name, unit, line, text)
				}
			}
			if found := regexp.MustCompile(`(?m)^Environment=.*|wayland-\d|pkill|killall`).FindString(text); found != "" {
				t.Errorf("%s: %s has %s", name, unit, found)
			}
		}
	}
	if out, err := exec.CommandContext(t.Context(), "grep", "-rnE", "pkill|killall", filepath.Join(root, "nix"), filepath.Join(root, "flake.nix")).Output(); err == nil {
		t.Errorf("%s", out)
	}
}

// keys lists the sections and keys of a unit, sorted, without some.
func keys(unit string, but *regexp.Regexp) []string {
	var out []string
	section := ""
	for line := range strings.Lines(unit) {
		switch line = strings.TrimSpace(line); {
		case strings.HasPrefix(line, "["):
			section = line
		case line != "" && !strings.HasPrefix(line, "#") && !but.MatchString(line):
			out = append(out, section+line)
		}
	}
	slices.Sort(out)
	return out
}

// The supervisor's PATH ends with every program that delivery runs (P1).
func TestP1Tools(t *testing.T) {
	s := newSandbox(t)
	wrapper := storePath.ReplaceAllString(decode[string](t, s.evaluate(t, "packages.x86_64-linux.default", "p: p.args.postFixup")), "/STORE/")
	for program, from := range tools {
		if out, err := exec.CommandContext(t.Context(), "grep", "-rqF", `"`+program+`"`, filepath.Join(root, "pkg/deliver")).CombinedOutput(); err != nil {
			t.Errorf("delivery does not run %s: %v %s", program, err, out)
		}
		if !strings.Contains(wrapper, "/STORE/"+from+"/bin") {
			t.Errorf("%s is not in\n%s", from, wrapper)
		}
	}
}

// The module for NixOS takes the units of the package, starts them with the
// session, and wants a sound server.
func TestNixOS(t *testing.T) {
	s := newSandbox(t)
	out, err := s.nix(t, "eval", "--impure", "--json", "--expr", "import "+s.tree+"/tests/nix/nixos.nix")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "nixos.json", out)
	r := decode[struct{ Right, Wrong struct{ Failed []string } }](t, out)
	if len(r.Right.Failed) != 0 {
		t.Errorf("%q", r.Right.Failed)
	}
	if f := r.Wrong.Failed; len(f) != 1 || !strings.Contains(f[0], "write\n  services.pipewire = ") {
		t.Errorf("without a sound server: %q", f)
	}
}

func sameJSON(a, b any) bool {
	return bytes.Equal(must(json.Marshal(a)), must(json.Marshal(b)))
}

// The test in a virtual machine is evaluated, and its script is Python.
func TestVirtualMachine(t *testing.T) {
	need(t, "python3")
	s := newSandbox(t)
	vm := decode[struct{ Script, Nodes string }](t, s.evaluate(t, "checks.x86_64-linux.vm", "vm: { script = vm.testScript; nodes = vm.nodes; }"))
	check := exec.CommandContext(t.Context(), "python3", "-c", "import ast, sys; ast.parse(sys.stdin.read())")
	check.Stdin = strings.NewReader(vm.Script)
	if out, err := check.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	for _, part := range []string{`"pulse":{"enable":true}`, `"sway":{"enable":true}`, "/bin/sway --config "} {
		if !strings.Contains(vm.Nodes, part) {
			t.Errorf("the machine has no %s:\n%s", part, vm.Nodes)
		}
	}
	if other := s.evaluate(t, "checks.aarch64-linux", "builtins.hasAttr \"vm\""); strings.TrimSpace(string(other)) != "false" {
		t.Error("there is a virtual machine for aarch64 too")
	}
}

// The recogniser of the virtual machine speaks the protocol of vi-asr.
func TestVirtualMachineRecogniser(t *testing.T) {
	need(t, "go", "bash", "jq")
	s := newSandbox(t)
	mini := s.tree + "/tests/nix/mini/"
	rule, err := s.nix(t, "eval", "--impure", "--raw", "--expr", `
		(import `+mini+`pkgs.nix { lib = import `+mini+`lib.nix; system = "x86_64-linux"; }).callPackage `+s.tree+`/nix/vm-test.nix {
			self = null;
			writeShellScript = _: text: text;
			writeText = _: text: text;
			testers.runNixOSTest = test: builtins.elemAt test.nodes.machine.systemd.tmpfiles.rules 2;
		}`)
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(rule), `engine = "`)
	text = regexp.MustCompile(`[^ (]*/bin/`).ReplaceAllString(strings.TrimSuffix(text, "\"\n"), "")
	text = strings.ReplaceAll(text, "/tmp/heard", filepath.Join(s.dir, "heard"))
	engine, program := filepath.Join(s.dir, "engine"), filepath.Join(s.dir, "vi-asr")
	if err := os.WriteFile(engine, []byte("#!/usr/bin/env bash\n"+text), 0o755); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "voice-input/cmd/vi-asr").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.CommandContext(t.Context(), program, "--engine", engine)
	cmd.Stdin = bytes.NewReader(must(os.ReadFile(filepath.Join(root, "tests/testdata/speech/terms.wav"))))
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), `"text":"make readTail return the stopReason"`) {
		t.Errorf("%v\n%s", err, out)
	}
	if heard := must(os.ReadFile(filepath.Join(s.dir, "heard"))); len(bytes.TrimSpace(heard)) < 5 {
		t.Errorf("it heard %q bytes", heard)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

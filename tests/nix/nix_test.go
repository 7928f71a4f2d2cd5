// Package nix checks the flake without nixpkgs and without network: mini/
// stands in for nixpkgs, and the vendor hash is computed anew from the local
// module cache. docs/packaging.md says what this proves and what it cannot.
package nix

import (
	"bytes"
	"encoding/json"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// storePath is the part of a path of the store before the name.
var storePath = regexp.MustCompile(`/[^ ":|]*/[a-z0-9]{32}-`)

var update = flag.Bool("u", false, "write the golden")

const root = "../.."

// parts are the files of the project that the flake can touch.
var parts = []string{"flake.nix", "flake.lock", "go.mod", "go.sum", "nix", "cmd", "pkg", "man", "share", "tests/nix", "tests/testdata/speech"}

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

// sandbox is a copy of the project with a Nix store of its own, so that
// neither the working tree's state in Git nor the user's Nix matters.
type sandbox struct{ dir, tree string }

func newSandbox(t *testing.T) *sandbox {
	t.Helper()
	need(t, "nix")
	s := &sandbox{dir: t.TempDir()}
	s.tree = filepath.Join(s.dir, "tree")
	for _, p := range parts {
		copyTree(t, filepath.Join(root, p), filepath.Join(s.tree, p))
	}
	// What Nix puts into its store is read-only; t.TempDir could not remove it.
	t.Cleanup(func() {
		filepath.WalkDir(filepath.Join(s.dir, "store"), func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				os.Chmod(path, 0o700)
			}
			return nil
		})
	})
	return s
}

func copyTree(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		if d.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		info, err := d.Info()
		if err != nil || !info.Mode().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		return os.WriteFile(target, data, info.Mode().Perm())
	})
	if err != nil {
		t.Fatal(err)
	}
}

// nix runs Nix offline and returns its standard output.
func (s *sandbox) nix(t *testing.T, args ...string) ([]byte, error) {
	t.Helper()
	args = append([]string{"--extra-experimental-features", "nix-command flakes", "--offline"}, args...)
	cmd := exec.CommandContext(t.Context(), "nix", args...)
	cmd.Dir = s.dir
	// A proxy that is not there turns a forgotten download into a failure.
	cmd.Env = append(os.Environ(), "https_proxy=http://127.0.0.1:9", "http_proxy=http://127.0.0.1:9", "NIX_REMOTE=local", "HOME="+s.dir, "NIX_CONFIG=",
		"XDG_CACHE_HOME="+s.dir+"/cache", "XDG_CONFIG_HOME="+s.dir+"/config", "XDG_DATA_HOME="+s.dir+"/data",
		"NIX_STORE_DIR="+s.dir+"/store", "NIX_STATE_DIR="+s.dir+"/state", "NIX_LOG_DIR="+s.dir+"/log", "NIX_CONF_DIR="+s.dir+"/conf")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Logf("nix %s: %v\n%s", strings.Join(args, " "), err, stderr.Bytes())
	}
	return out, err
}

// evaluate returns the JSON of an output of the flake after a function.
func (s *sandbox) evaluate(t *testing.T, output, function string) []byte {
	t.Helper()
	out, err := s.nix(t, append([]string{"eval", "--json", "path:" + s.tree + "#" + output, "--apply", function}, s.withMini()...)...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func (s *sandbox) withMini() []string {
	return []string{"--override-input", "nixpkgs", "path:" + s.tree + "/tests/nix/mini", "--no-write-lock-file"}
}

// golden compares JSON with a file. What a path of the store begins with, its
// hash included, says nothing and stands as /STORE/.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	got = storePath.ReplaceAll(got, []byte("/STORE/"))
	if bytes.Contains(got, []byte(os.TempDir())) {
		t.Errorf("a path of this machine is in %s", got)
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, bytes.TrimSpace(got), "", "  "); err != nil {
		t.Fatalf("%v in %s", err, got)
	}
	pretty.WriteByte('\n')
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, pretty.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(pretty.Bytes(), want) {
		t.Errorf("%s differs; if that is meant: go test ./tests/nix -u\ngot\n%s", path, pretty.Bytes())
	}
}

// Nix finds nothing wrong with the outputs, and they are the ones we promise,
// for both systems (P3).
func TestP3Outputs(t *testing.T) {
	s := newSandbox(t)
	for _, command := range [][]string{{"flake", "check", "--no-build"}, {"flake", "show"}} {
		if _, err := s.nix(t, slices.Concat(command, []string{"path:" + s.tree}, s.withMini())...); err != nil {
			t.Error(err)
		}
	}
	outputs := map[string]json.RawMessage{}
	for _, output := range []string{"overlays", "homeModules", "homeManagerModules", "nixosModules"} {
		outputs[output] = s.evaluate(t, output, "builtins.attrNames")
	}
	for _, output := range []string{"packages", "checks", "devShells"} {
		outputs[output] = s.evaluate(t, output, "builtins.mapAttrs (system: builtins.mapAttrs (name: p: p.name))")
	}
	outputs["formatter"] = s.evaluate(t, "formatter", "builtins.mapAttrs (system: p: p.name)")
	all, err := json.Marshal(outputs)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "outputs.json", all)
}

func TestPackage(t *testing.T) {
	s := newSandbox(t)
	attributes, err := os.ReadFile("attributes.nix")
	if err != nil {
		t.Fatal(err)
	}
	for _, system := range []string{"x86_64-linux", "aarch64-linux"} {
		golden(t, "package.json", s.evaluate(t, "packages."+system+".default", string(attributes)))
	}

	hash, err := os.ReadFile(filepath.Join(root, "nix/vendor-hash.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if got := decode[string](t, s.evaluate(t, "packages.x86_64-linux.default", "p: p.vendorHash")); got != strings.TrimSpace(string(hash)) {
		t.Errorf("vendorHash is %q, nix/vendor-hash.txt holds %q", got, hash)
	}
}

// The overlay gives the same package to a nixpkgs of somebody else.
func TestOverlay(t *testing.T) {
	s := newSandbox(t)
	function := `overlay: (overlay { callPackage = file: given: { inherit given; names = builtins.attrNames (builtins.functionArgs (import file)); }; } { }).voice-input`
	got := decode[struct {
		Given map[string]any
		Names []string
	}](t, s.evaluate(t, "overlays.default", function))
	if len(got.Given) != 0 || !slices.Contains(got.Names, "buildGoModule") {
		t.Errorf("the overlay calls %+v", got)
	}
}

// The source is what is built and installed, and the engines can be run.
func TestPackageSource(t *testing.T) {
	s := newSandbox(t)
	src := decode[string](t, s.evaluate(t, "packages.x86_64-linux.default", `p: "${p.src}"`))
	entries, err := os.ReadDir(src)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if want := []string{"cmd", "go.mod", "go.sum", "man", "pkg", "share"}; !slices.Equal(names, want) {
		t.Errorf("the source holds %q, want %q", names, want)
	}
	engine := filepath.Join(src, "share/engines/pocketsphinx")
	if info, err := os.Stat(engine); err != nil || info.Mode().Perm()&0o111 == 0 {
		t.Errorf("engine: %v, %v", info, err)
	}
}

// The lock has what flake.nix asks for, down to the branch, and Nix leaves it
// as it is.
func TestLockIsAccepted(t *testing.T) {
	s := newSandbox(t)
	lock := filepath.Join(s.tree, "flake.lock")
	before, err := os.ReadFile(lock)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.nix(t, "flake", "metadata", "--no-update-lock-file", "path:"+s.tree); err != nil {
		t.Fatal(err)
	}
	// Without the option Nix would write a lock that it is not content with.
	if _, err := s.nix(t, "flake", "metadata", "path:"+s.tree); err != nil {
		t.Fatal(err)
	}
	if after, err := os.ReadFile(lock); err != nil || !bytes.Equal(before, after) {
		t.Errorf("Nix changed flake.lock: %v\n%s", err, after)
	}

	// The same command refuses a lock of another nixpkgs.
	flake := filepath.Join(s.tree, "flake.nix")
	text, err := os.ReadFile(flake)
	if err != nil {
		t.Fatal(err)
	}
	other := regexp.MustCompile(`github:NixOS/nixpkgs/[^"]*`).ReplaceAll(text, []byte("path:"+s.tree+"/tests/nix/mini"))
	if err := os.WriteFile(flake, other, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := s.nix(t, "flake", "metadata", "--no-update-lock-file", "path:"+s.tree); err == nil {
		t.Error("a lock of another nixpkgs is accepted")
	}
}

// The hash of the modules is that of go.mod and go.sum (P3).
func TestP3VendorHash(t *testing.T) {
	need(t, "nix", "go")
	if out, err := exec.CommandContext(t.Context(), filepath.Join(root, "nix/update-vendor-hash"), "--check").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}

	// In a copy with one dependency less the same script finds another hash,
	// says so, and writes it.
	s := newSandbox(t)
	script := filepath.Join(s.tree, "nix/update-vendor-hash")
	run := func(args ...string) (string, error) {
		out, err := exec.CommandContext(t.Context(), script, args...).CombinedOutput()
		return string(out), err
	}
	mod := "module voice-input\n\ngo 1.26.0\n\nrequire github.com/urfave/cli/v2 v2.27.7\n"
	if err := os.WriteFile(filepath.Join(s.tree, "go.mod"), []byte(mod), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := run("--check"); err == nil || !strings.Contains(out, "run nix/update-vendor-hash") {
		t.Errorf("other modules pass: %v\n%s", err, out)
	}
	if out, err := run(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := run("--check"); err != nil {
		t.Errorf("what the script wrote does not pass: %v\n%s", err, out)
	}
}

func TestScriptsAreClean(t *testing.T) {
	need(t, "shellcheck")
	if out, err := exec.CommandContext(t.Context(), "shellcheck", filepath.Join(root, "nix/update-vendor-hash")).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func decode[T any](t *testing.T, data []byte) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	return v
}

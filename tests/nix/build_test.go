package nix

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// phases runs the package's own phases as buildGoModule would, where the
// hooks of nixpkgs are replaced by the least that does the same.
const phases = `
set -eu -o pipefail
runHook() { :; }
installManPage() {
	for page; do
		mkdir -p "$out/share/man/man${page##*.}"
		cp "$page" "$out/share/man/man${page##*.}"
	done
}
export GOPROXY=off GOSUMDB=off GOTOOLCHAIN=local GOENV=off GOWORK=off GO111MODULE=on
# goModules: its build and install phases with proxyVendor.
(
	export GOPATH="$work/fetch" GOMODCACHE="$work/fetch/pkg/mod" GOFLAGS=-modcacherw
	export GOPROXY="file://$cache"
	go mod download
	rm -rf "$GOMODCACHE/cache/download/sumdb"
	cp -r "$GOMODCACHE/cache/download" "$work/modules"
)
# The package: configure, build, install, check.
export GOPATH="$work/go" GOMODCACHE="$work/go/pkg/mod" GOPROXY="file://$work/modules" GOFLAGS='-trimpath -modcacherw -buildvcs=false'
for package in $subPackages; do
	go install -tags="$tags" -ldflags="$ldflags -buildid=" "./$package"
done
mkdir -p "$out"
cp -r "$GOPATH/bin" "$out"
eval "$postInstall"
eval "$installCheckPhase"
`

// The phases of nix/package.nix run with the host's Go on the very source that
// the flake gives: what is installed, and that it passes its own check.
func TestPhases(t *testing.T) {
	need(t, "nix", "go", "bash")
	s := newSandbox(t)
	args := decode[map[string]string](t, s.evaluate(t, "packages.x86_64-linux.default", `p: {
		src = "${p.src}";
		inherit (p.args) version postInstall installCheckPhase;
		subPackages = toString p.args.subPackages;
		tags = builtins.concatStringsSep "," p.args.tags;
		ldflags = toString p.args.ldflags;
	}`))
	cache, err := exec.CommandContext(t.Context(), "go", "env", "GOMODCACHE", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	dirs := strings.Fields(string(cache))
	out := filepath.Join(s.dir, "out")
	cmd := exec.CommandContext(t.Context(), "bash", "-c", phases)
	cmd.Dir = filepath.Join(s.dir, "source")
	copyTree(t, args["src"], cmd.Dir) // the store is read-only, as the build's copy is not
	cmd.Env = append(os.Environ(), "out="+out, "work="+s.dir, "cache="+dirs[0]+"/cache/download", "GOCACHE="+dirs[1])
	for name, value := range args {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	if msg, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, msg)
	}

	// Every page and every file of share/ lies where it is looked for.
	for from, to := range map[string]string{"man": "share/man", "share": "share/voice-input"} {
		err := filepath.WalkDir(filepath.Join(root, from), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			rel, err := filepath.Rel(filepath.Join(root, from), path)
			if err != nil {
				return err
			}
			if from == "man" {
				rel = filepath.Join("man"+strings.TrimPrefix(filepath.Ext(rel), "."), rel)
			}
			info, err := os.Stat(filepath.Join(out, to, rel))
			if err != nil {
				t.Error(err)
				return nil
			}
			if mine, err := d.Info(); err != nil || mine.Mode().Perm()&0o111 != info.Mode().Perm()&0o111 {
				t.Errorf("%s is installed with mode %v: %v", path, info.Mode(), err)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

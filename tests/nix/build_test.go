package nix

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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
installShellCompletion() {
	while [ $# -gt 0 ]; do
		case $1 in
		--bash) to=share/bash-completion/completions ;;
		--zsh) to=share/zsh/site-functions ;;
		--fish) to=share/fish/vendor_completions.d ;;
		*) install -D -m 644 "$1" "$out/$to/${1##*/}" ;;
		esac
		shift
	done
}
wrapProgram() { # PROGRAM --suffix PATH : DIRS
	hidden=${1%/*}/.${1##*/}-wrapped
	mv "$1" "$hidden"
	printf '#!%s\nPATH=$PATH:%s exec -a "$0" %s "$@"\n' "$BASH" "$5" "$hidden" >"$1"
	chmod 755 "$1"
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
eval "$postFixup"
eval "$installCheckPhase"
`

// The phases of nix/package.nix run with the host's Go on the very source that
// the flake gives: what is installed, and that it passes its own check.
func TestPhases(t *testing.T) {
	need(t, "nix", "go", "bash")
	s := newSandbox(t)
	args := decode[map[string]string](t, s.evaluate(t, "packages.x86_64-linux.default", `p: {
		src = "${p.src}";
		inherit (p.args) version postInstall postFixup installCheckPhase;
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

	t.Run("P1", func(t *testing.T) { toolsAreFound(t, s, out, args["postFixup"]) })
	t.Run("P6", func(t *testing.T) { filesAreInstalled(t, out) })

	// The units are those that the program prints, but for the path of kill.
	printed := filepath.Join(s.dir, "units")
	if msg, err := exec.CommandContext(t.Context(), filepath.Join(out, "bin/voice-input"), "setup", "systemd", "--write", printed).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, msg)
	}
	for _, name := range []string{"voice-input.service", "voice-input.socket"} {
		want, err := os.ReadFile(filepath.Join(printed, name))
		got, err2 := os.ReadFile(filepath.Join(out, "lib/systemd/user", name))
		if plain := regexp.MustCompile(`=\S+/coreutils/bin/kill |=\S+-coreutils/bin/kill `).ReplaceAll(got, []byte("=kill ")); err != nil || err2 != nil || string(plain) != string(want) {
			t.Errorf("%s is\n%s\nwant, but for the path of kill,\n%s", name, got, want)
		}
	}
}

// tools are the programs that delivery runs, and their packages.
var tools = map[string]string{
	"wl-copy": "wl-clipboard", "wl-paste": "wl-clipboard", "wtype": "wtype", "xclip": "xclip", "xdotool": "xdotool", "tmux": "tmux",
}

// toolsAreFound puts the host's programs where the packages of Nix would have
// theirs: a service, which has none of them in its PATH, finds them there.
func toolsAreFound(t *testing.T, s *sandbox, out, wrapper string) {
	doctor := func() string {
		cmd := exec.CommandContext(t.Context(), filepath.Join(out, "bin/voice-input"), "doctor")
		cmd.Env = []string{"HOME=" + s.dir, "XDG_RUNTIME_DIR=" + s.dir, "WAYLAND_DISPLAY=wayland-1", "PATH=/nonexistent"}
		said, _ := cmd.CombinedOutput() // status 1: there is no desktop
		return string(said)
	}
	if said := doctor(); !strings.Contains(said, "wl-copy is not installed") {
		t.Fatalf("without the packages:\n%s", said)
	}
	for program, from := range tools {
		need(t, program)
		host, err := exec.LookPath(program)
		dir := regexp.MustCompile(`[^ :]*-` + from + `/bin`).FindString(wrapper)
		if err != nil || dir == "" {
			t.Fatalf("%s is not in %s: %v", from, wrapper, err)
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(host, filepath.Join(dir, program)); err != nil {
			t.Fatal(err)
		}
	}
	if said := doctor(); !strings.Contains(said, "the clipboard can be used") {
		t.Errorf("with the packages:\n%s", said)
	}
}

// filesAreInstalled looks for every page, completion and file of share/: they
// are there, and those can be run that are programs.
func filesAreInstalled(t *testing.T, out string) {
	for from, to := range map[string]string{
		"man": "share/man", "share": "share/voice-input", "share/completions/bash": "share/bash-completion/completions",
		"share/completions/zsh": "share/zsh/site-functions", "share/completions/fish": "share/fish/vendor_completions.d",
	} {
		err := filepath.WalkDir(filepath.Join(root, from), func(path string, d fs.DirEntry, err error) error {
			if from == "share" && filepath.Base(path) == "completions" {
				return filepath.SkipDir
			}
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

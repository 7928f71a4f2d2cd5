package install

import (
	"bytes"
	"crypto/md5"
	"encoding/hex"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The Debian package has what a package must have, is unpacked by dpkg
// into a system of its own, works there, and is removed without a trace.
func TestDeb(t *testing.T) {
	need(t, "dpkg", "dpkg-deb", "dpkg-shlibdeps", "strip", "fakeroot", "go")
	u := newUser(t)
	u.credential = nil // the builder of packages, whose caches of Go are ours
	u.env = append(os.Environ(), "BIN="+built)
	pack := u.command(t.Context(), "sh", "-c", "umask 077; exec "+must(filepath.Abs(filepath.Join(root, "packaging/deb")))+" "+u.home)
	var complaints bytes.Buffer
	pack.Stderr = &complaints
	said, err := pack.Output()
	if err != nil {
		t.Fatalf("%v\n%s%s", err, said, complaints.Bytes())
	}
	deb := strings.TrimSpace(string(said))
	if want := regexp.MustCompile(`/voice-input_1\.2\.3_[a-z0-9]+\.deb$`); !want.MatchString(deb) {
		t.Fatalf("it prints %q", said)
	}
	field := func(name string) string { return u.output(t, "dpkg-deb", "-f", deb, name) }
	for name, want := range map[string]string{
		"Package": `^voice-input$`, "Version": `^1\.2\.3$`, "Architecture": `^[a-z0-9]+$`, "Maintainer": `^[^<]+ <[^>]+@[^>]+>$`,
		"Installed-Size": `^[1-9][0-9]{4}$`, "Depends": `^libc6 \(>= [0-9.]+\).*libstdc\+\+6.*, python3$`,
		"Recommends": `wl-clipboard.*wtype.*xclip.*xdotool`, "Section": `^utils$`, "Priority": `^optional$`,
	} {
		if got := field(name); !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("%s is %q, want %s", name, got, want)
		}
	}
	// A synopsis is short, starts no sentence, and the text below is no copy.
	synopsis, long, _ := strings.Cut(field("Description"), "\n")
	if len(synopsis) > 80 || strings.HasSuffix(synopsis, ".") || strings.HasPrefix(synopsis, "a ") || len(long) < 80 {
		t.Errorf("Description is %q\n%s", synopsis, long)
	}
	contents := regexp.MustCompile(`(?m)^(\S+) (\S+) +\d+ \S+ \S+ (\./\S*)( -> .*)?$`).FindAllStringSubmatch(u.output(t, "dpkg-deb", "-c", deb), -1)
	if len(contents) < 60 {
		t.Fatalf("only %d files", len(contents))
	}
	for _, c := range contents {
		mode, owner, path := c[1], c[2], c[3]
		want := "-rw-r--r--"
		switch {
		case strings.HasSuffix(path, "/"):
			want = "drwxr-xr-x"
		case strings.HasPrefix(path, "./usr/bin/"), regexp.MustCompile(`/engines/[a-z]+$`).MatchString(path):
			want = "-rwxr-xr-x"
		}
		if mode != want || owner != "root/root" {
			t.Errorf("%s has %s %s, want %s root/root", path, mode, owner, want)
		}
		if !strings.HasPrefix(path, "./usr/") && path != "./" && path != "./usr/" || strings.HasPrefix(path, "./usr/local") {
			t.Errorf("%s is not a package's", path)
		}
		if strings.Contains(path, "/man/man") && !strings.HasSuffix(path, "/") && !strings.HasSuffix(path, ".gz") {
			t.Errorf("%s is not compressed", path)
		}
	}

	// dpkg itself, with a database of its own.
	system := filepath.Join(u.home, "system")
	for _, dir := range []string{"var/lib/dpkg/info", "var/lib/dpkg/updates"} {
		if err := os.MkdirAll(filepath.Join(system, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"status", "available"} {
		if err := os.WriteFile(filepath.Join(system, "var/lib/dpkg", file), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	dpkg := func(args ...string) {
		t.Helper()
		argv := append([]string{"fakeroot", "dpkg", "--root=" + system, "--force-depends", "--force-not-root", "--log=/dev/null"}, args...)
		if out, err := u.command(t.Context(), argv...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", argv, err, out)
		}
	}
	dpkg("--install", deb)
	if got := u.output(t, "dpkg", "--root="+system, "--verify", "voice-input"); got != "" {
		t.Errorf("dpkg --verify: %s", got)
	}
	sums, err := os.ReadFile(filepath.Join(system, "var/lib/dpkg/info/voice-input.md5sums"))
	if err != nil {
		t.Fatal(err)
	}
	summed := 0
	for line := range strings.Lines(string(sums)) {
		sum, path, _ := strings.Cut(strings.TrimSpace(line), "  ")
		data, err := os.ReadFile(filepath.Join(system, path))
		if got := md5.Sum(data); err != nil || hex.EncodeToString(got[:]) != sum {
			t.Errorf("%s has another sum: %v", path, err)
		}
		summed++
	}
	files := 0
	for path, mode := range tree(t, filepath.Join(system, "usr")) {
		if mode.IsRegular() {
			files++
			if _, err := os.Stat(filepath.Join(system, "usr", path)); err != nil {
				t.Error(err)
			}
		}
	}
	if summed != files {
		t.Errorf("%d files, %d sums", files, summed)
	}

	for _, p := range programs(t) {
		if got := u.output(t, filepath.Join(system, "usr/bin", p), "--version"); got != version {
			t.Errorf("%s --version: %q", p, got)
		}
	}
	u.output(t, filepath.Join(system, "usr/bin/voice-input"), "model", "list")
	unit, err := os.ReadFile(filepath.Join(system, "usr/lib/systemd/user/voice-input.service"))
	if err != nil || !strings.Contains(string(unit), "\nExecStart=/usr/bin/voice-input daemon\n") {
		t.Errorf("%v\n%s", err, unit)
	}
	licences, err := os.ReadFile(filepath.Join(system, "usr/share/doc/voice-input/copyright"))
	for _, want := range []string{"Permission is hereby granted", "the Go standard library", "github.com/urfave/cli/v2", "github.com/yanyiwu/gojieba", "Sun Junyi"} {
		if err != nil || !strings.Contains(string(licences), want) {
			t.Errorf("the licences do not have %q: %v", want, err)
		}
	}
	if strings.Contains(string(licences), u.home) || strings.Contains(string(licences), "/pkg/mod/") {
		t.Error("the licences name paths of this machine")
	}
	dpkg("--purge", "voice-input")
	if left, err := os.ReadDir(filepath.Join(system, "usr")); err == nil {
		t.Errorf("left is %v", left)
	}
}

func must(path string, err error) string {
	if err != nil {
		panic(err)
	}
	return path
}

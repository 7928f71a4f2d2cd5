package tests

import (
	"bufio"
	"bytes"
	"os/exec"
	"strings"
	"testing"
)

const module = "voice-input"

var stages = []string{"focus", "session", "terms", "capture", "asr", "refine", "deliver"}

// walls are imports that must not happen, directly or by way of another
// package. A name may stand for the packages below it.
var walls = []struct{ from, to, why string }{
	{"pkg/wire", module, "records depend on the standard library only"},
	{"pkg/cli", module + "/pkg/config", "the frame is below everything that has a configuration"},
	{"pkg/supervise", "github.com/jfreymuth/pulse", "the supervisor reaches the sound server through vi-capture"},
	{"cmd/vi-focus", "net/http", "looking at the focus uses no network"},
	{"cmd/vi-session", "net/http", "looking for a session uses no network"},
	{"cmd/vi-session", "os/exec", "looking for a session starts no program"},
	{"cmd/vi-terms", "net/http", "taking terms uses no network"},
	{"cmd/vi-terms", "os/exec", "taking terms starts no program"},
	{"cmd/vi-capture", "net/http", "capture uses no network"},
	{"cmd/vi-type", "net/http", "delivery uses no network"},
	{"cmd/vi-refine", "github.com/jfreymuth/pulse", "refining hears nothing"},
	{"cmd/vi-asr", "github.com/jfreymuth/pulse", "the recogniser reads standard input"},
}

// TestWalls keeps the stages apart: they meet only as programs, in records.
func TestWalls(t *testing.T) {
	deps := dependencies(t)
	all := walls
	for _, a := range stages {
		for _, b := range append(stages, "supervise") {
			if a != b {
				all = append(all, struct{ from, to, why string }{"pkg/" + a, module + "/pkg/" + b, "stages meet only as programs"})
			}
		}
		all = append(all, struct{ from, to, why string }{"pkg/supervise", module + "/pkg/" + a, "the supervisor reaches stages by exec"})
	}
	within := func(pkg, prefix string) bool { return pkg == prefix || strings.HasPrefix(pkg, prefix+"/") }
	for _, w := range all {
		from := module + "/" + w.from
		for pkg, imports := range deps {
			if !within(pkg, from) {
				continue
			}
			for _, dep := range imports {
				if within(dep, w.to) && !within(dep, from) {
					t.Errorf("%s imports %s: %s", pkg, dep, w.why)
				}
			}
		}
	}
	for _, w := range walls {
		if _, there := deps[module+"/"+w.from]; !there {
			t.Errorf("the wall around %s guards nothing: there is no such package", w.from)
		}
	}
}

// cgo makes a program depend on the machine it was built on.
func TestCgoStaysInTerms(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", "{{if .CgoFiles}}{{.ImportPath}}{{end}}", module+"/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, pkg := range strings.Fields(string(out)) {
		if pkg != module+"/pkg/terms" {
			t.Errorf("%s uses cgo", pkg)
		}
	}
	// Nor may a module with cgo come in by another package.
	for pkg, imports := range dependencies(t) {
		if pkg == module+"/pkg/terms" || pkg == module+"/cmd/vi-terms" {
			continue
		}
		for _, dep := range imports {
			if dep == "github.com/yanyiwu/gojieba" {
				t.Errorf("%s links the segmenter", pkg)
			}
		}
	}
}

// A main builds its command and runs it; what it does is in its package.
func TestMainsAreSmall(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", "{{if eq .Name \"main\"}}{{range .GoFiles}}{{$.Dir}}/{{.}}\n{{end}}{{end}}", module+"/cmd/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range strings.Fields(string(out)) {
		n, err := exec.Command("grep", "-c", "", path).Output()
		if err != nil {
			t.Fatal(err)
		}
		if len(bytes.TrimSpace(n)) > 2 || string(bytes.TrimSpace(n)) > "39" {
			t.Errorf("%s has %s lines", path, n)
		}
	}
}

// dependencies maps each package of the module to all that it imports, at any
// distance.
func dependencies(t *testing.T) map[string][]string {
	t.Helper()
	out, err := exec.Command("go", "list", "-f", "{{.ImportPath}} {{join .Deps \" \"}}", module+"/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	deps := map[string][]string{}
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		deps[words[0]] = words[1:]
	}
	return deps
}

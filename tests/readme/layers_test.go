package readme

import (
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

// layer is one of the picture in docs/architecture.md: packages that may not
// import each other, and may import those of the layers below.
type layer []string

// layers reads the picture. A bar parts two layers; what stands to the right
// of the packages says what they are.
func layers(t *testing.T) []layer {
	t.Helper()
	var all []layer
	for _, b := range read(t, "docs/architecture.md").blocks {
		if b.note != "layers" {
			continue
		}
		all = append(all, nil)
		for _, line := range b.lines {
			if strings.TrimSpace(line) == "│" {
				all = append(all, nil)
				continue
			}
			packages, _, _ := strings.Cut(line, "  ")
			all[len(all)-1] = append(all[len(all)-1], strings.Fields(packages)...)
		}
	}
	if len(all) < 3 {
		t.Fatal("docs/architecture.md has no picture of the layers")
	}
	return all
}

// place finds the entry of the picture that a package belongs to: the longest
// one that names it or a package above it, or has a star for it.
func place(all []layer, pkg string) (number int, entry string) {
	number = -1
	for i, l := range all {
		for _, e := range l {
			above, star := strings.CutSuffix(e, "/*")
			if (pkg == e || strings.HasPrefix(pkg, above+"/") && (star || e == above)) && len(e) > len(entry) {
				number, entry = i, e
			}
		}
	}
	return number, entry
}

func TestPlace(t *testing.T) {
	all := []layer{{"cmd/*"}, {"pkg/asr"}, {"pkg/internal/apikey"}, {"pkg/internal/*"}}
	for pkg, want := range map[string]string{
		"cmd/vi-asr": "cmd/*", "pkg/asr": "pkg/asr", "pkg/asr/vad": "pkg/asr", "pkg/asrx": "",
		"pkg/internal/apikey": "pkg/internal/apikey", "pkg/internal/proc": "pkg/internal/*",
	} {
		if _, got := place(all, pkg); got != want {
			t.Errorf("%s: %q, want %q", pkg, got, want)
		}
	}
}

const module = "voice-input/"

// imports are the packages of the programs, by their names below the module,
// and what each imports itself.
func imports(t *testing.T) map[string][]string {
	t.Helper()
	list := exec.CommandContext(t.Context(), "go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./cmd/...", "./pkg/...")
	list.Dir = root
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		all[strings.TrimPrefix(words[0], module)] = words[1:]
	}
	return all
}

// The picture is what the packages import.
func TestLayers(t *testing.T) {
	all := layers(t)
	used := map[string]bool{}
	for pkg, deps := range imports(t) {
		from, entry := place(all, pkg)
		if from < 0 {
			t.Errorf("the picture does not have %s", pkg)
		}
		used[entry] = true
		for _, dep := range deps {
			dep, ours := strings.CutPrefix(dep, module)
			if !ours {
				continue
			}
			to, other := place(all, dep)
			within := entry == other && path.Dir(entry) != "." && entry != "cmd/*"
			if to <= from && !within {
				t.Errorf("%s imports %s, which stands beside it or above", pkg, dep)
			}
		}
	}
	for _, e := range slices.Concat(all...) {
		if !used[e] {
			t.Errorf("the picture has %s, and there is no such package", e)
		}
	}
}

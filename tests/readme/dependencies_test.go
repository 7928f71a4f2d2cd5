package readme

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// readable is how many packages docs/dependencies.md names that use a module;
// of more it says "many".
const readable = 6

// docs/dependencies.md has each module that go.mod asks for, with the packages
// that use it.
func TestDependencies(t *testing.T) {
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	users := map[string][]string{}
	for _, m := range regexp.MustCompile(`(?m)^\t(\S+) v\S+$`).FindAllStringSubmatch(string(mod), -1) {
		users[m[1]] = nil
	}
	if len(users) < 5 {
		t.Fatalf("go.mod was misread: %v", users)
	}
	for pkg, deps := range imports(t) {
		for m := range users {
			if slices.ContainsFunc(deps, func(d string) bool { return d == m || strings.HasPrefix(d, m+"/") }) {
				users[m] = append(users[m], pkg)
			}
		}
	}
	row := regexp.MustCompile(`^\| \[[^\]]+\]\(https://(?:pkg\.go\.dev/)?([^)]+)\) \| ([^|]+) \|`)
	for _, line := range read(t, "docs/dependencies.md").lines {
		m := row.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		name := m[1]
		for full := range users { // the address has no major version
			if strings.HasPrefix(full, name+"/v") {
				name = full
			}
		}
		by, there := users[name]
		if !there {
			t.Errorf("go.mod does not ask for %s", name)
			continue
		}
		delete(users, name)
		slices.Sort(by)
		want := "`" + strings.Join(by, "`, `") + "`"
		switch {
		case len(by) == 0:
			want = "tests only"
		case len(by) > readable:
			want = "many"
		}
		if m[2] != want {
			t.Errorf("%s is used by %s, not by %s", name, want, m[2])
		}
	}
	for name := range users {
		t.Errorf("docs/dependencies.md does not have %s", name)
	}
}

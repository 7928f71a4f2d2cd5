package agents_test

import (
	"os"
	"strings"
	"testing"
)

// codexLegacy writes the older kind of session file and has no daemon.
const codexLegacy = "0.142.5"

// newest is the version of a package that a test of the newest one runs: the
// given one in the short form, the newest of its day in the long one.
func newest(t *testing.T, pkg, version string) string {
	t.Helper()
	if os.Getenv("VI_TEST_AGENTS") != "1" {
		return version
	}
	need(t, "npm")
	return strings.TrimSpace(output(t, nil, "", "npm", "view", pkg, "version"))
}

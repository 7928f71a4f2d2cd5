package agents_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"voice-input/tests/agents/fixture"
)

// TestExtension runs the extension's own tests in the node that runs Pi.
func TestExtension(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), filepath.Join(fixture.Node(t), "node"), "--test")
	cmd.Dir = "../../share/pi"
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("node --test: %v\n%s", err, out)
	}
}

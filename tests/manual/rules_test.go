package manual

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// words are those of a document, without markup and line ends.
func words(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	text = regexp.MustCompile(`(?m)^\.[A-Z][a-z]\b|[*>\x60]|\\[a-z&(]{1,3}`).ReplaceAll(text, nil)
	return strings.Join(strings.Fields(string(text)), " ")
}

// documentsSay are the rules on what documents must say.
func documentsSay(t *testing.T, path string, sentences ...string) {
	t.Helper()
	text := words(t, path)
	for _, s := range sentences {
		if !strings.Contains(text, s) {
			t.Errorf("%s does not say %q", path, s)
		}
	}
}

// A Pi that runs goes on with the extension it has.
func TestRule_F3_RestartPi(t *testing.T) {
	documentsSay(t, "man/vi-session.1", "After the extension is installed or updated, Pi must be started again or reload")
	documentsSay(t, "share/pi/README.md", "Restart Pi afterwards, or type /reload in every Pi that is running.")
	documentsSay(t, "README.md", "/reload")
}

func TestRule_I2_RedactionIsHeuristic(t *testing.T) {
	documentsSay(t, "man/vi-terms.1", "Redaction is a set of heuristics. It cannot know every credential, private name or sensitive sentence;")
	documentsSay(t, "README.md", "heuristics, which cannot know every credential, private name or sensitive sentence")
	documentsSay(t, "docs/privacy.md", "These are heuristics. They cannot know every credential, private name or sensitive sentence.")
}

func TestRule_K3_ExtendedStatusIsNoReport(t *testing.T) {
	for _, it := range pageOf(t, "voice-input.1").section("DESCRIPTION").part("voice-input status").items {
		if it.head[1] == "-extended" && strings.Contains(strings.Join(it.body, " "), "Not for reports.") {
			return
		}
	}
	t.Error("voice-input.1 does not say that status --extended is not for reports")
}

// What to look at by hand, and what it shows.
func TestRule_K4_LookingByHand(t *testing.T) {
	documentsSay(t, "man/vi-session.1", "Look at the registry and at what Codex has open. Both tell paths and ids of your sessions:",
		"$ cat $XDG_RUNTIME_DIR/voice-input/agent-sessions/pi-")
	documentsSay(t, "man/vi-focus.1", "this shows window titles", "environments with the secrets in them", "so it is unfit for a report:",
		"$ hyprctl activewindow -j", "$ swaymsg -t get_tree", "$ kitty @ --to unix:/tmp/kitty-PID ls")
}

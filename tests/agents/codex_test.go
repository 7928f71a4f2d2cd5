package agents_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var threadID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{5,12}`)

// thread returns what a title names of a session.
func thread(title string) string { return threadID.FindString(title) }

// codexLab is a lab with Codex in it.
type codexLab struct {
	*lab
	bin string
}

const titleWithThread = "[tui]\nterminal_title = [\"activity\", \"thread-name\", \"project-name\", \"thread-id\"]\n"

// withCodex prepares a Codex that talks to the lab's model and asks nothing at
// its start; config is added to its configuration.
func (l *lab) withCodex(version, config string) *codexLab {
	l.t.Helper()
	t := l.t
	c := &codexLab{lab: l, bin: filepath.Join(install(t, codexPackage, version), "codex")}
	c.env = append(c.env, "CODEX_HOME="+filepath.Join(c.dir, "codex"))
	c.write("codex/config.toml", fmt.Sprintf(`model = "lab"
model_provider = "lab"
check_for_update_on_startup = false
approval_policy = "never"
sandbox_mode = "danger-full-access"
%s
[model_providers.lab]
name = "lab"
base_url = %q
wire_api = "responses"
env_key = "LAB_KEY"
requires_openai_auth = false
supports_websockets = false
[analytics]
enabled = false
[projects.%q]
trust_level = "trusted"
`, config, c.model, c.project))
	// The daemon's socket lies in a folder that all Codexes of the user share.
	link := filepath.Join(c.dir, "codex", "app-server-control", "app-server-control.sock")
	t.Cleanup(func() {
		socket, err := os.Readlink(link)
		if err != nil {
			return // there was no daemon
		}
		endMarked(t, c.mark)
		os.Remove(socket)
		os.Remove(socket + ".lock")
	})
	return c
}

func (c *codexLab) codex(args ...string) *pane {
	c.t.Helper()
	return c.open("codex", "OpenAI Codex (v", append([]string{c.bin}, args...)...)
}

// fresh starts a new conversation and waits until the answer to a turn is off
// the screen, or below it stands how to come back to it, as older versions
// have it; and until the title names another thread if it named one.
func (p *pane) fresh(turn string) {
	p.t.Helper()
	before := thread(p.title())
	p.enter("/new")
	waitFor(p.t, "a new conversation", func() bool {
		screen := p.screen()
		return !strings.Contains(screen, "Answer "+turn) || strings.Contains(screen, "codex resume")
	})
	waitFor(p.t, "another thread in the title", func() bool {
		now := thread(p.title())
		return before == "" || now != "" && now != before
	})
}

// TestCodex has two conversations one after the other in the newest Codex with
// its daemon, while the title names the thread.
func TestCodex(t *testing.T) {
	t.Parallel()
	p := newLab(t).withCodex(newest(t, codexPackage, codexVersion), titleWithThread).codex()
	if s := p.look(); s.Source != nil {
		t.Fatalf("before the first prompt: %q", told(s))
	}
	p.says("say Alpha")
	p.fresh("Alpha")
	p.keeps("(not_started)")
	p.says("say Beta")
}

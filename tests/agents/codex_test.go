package agents_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"voice-input/tests/agents/fixture"
)

var threadID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{5,12}`)

// thread returns what a title names of a session.
func thread(title string) string { return threadID.FindString(title) }

// codexLab is a lab with Codex in it.
type codexLab struct {
	*lab
	bin string
}

const titleWithThread = fixture.ThreadInTitle

// withCodex prepares a Codex that talks to the lab's model; config is added to
// its configuration.
func (l *lab) withCodex(version, config string) *codexLab {
	l.t.Helper()
	c := fixture.NewCodex(l.t, version, filepath.Join(l.dir, "codex"), l.model, l.project, l.mark, config)
	l.env = append(l.env, c.Env...)
	return &codexLab{lab: l, bin: c.Bin}
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
	p := newLab(t).withCodex(newest(t, fixture.CodexPackage, fixture.CodexVersion), titleWithThread).codex()
	if s := p.look(); s.Source != nil {
		t.Fatalf("before the first prompt: %q", told(s))
	}
	p.says("say Alpha")
	p.fresh("Alpha")
	p.keeps("(not_started)")
	p.says("say Beta")
}

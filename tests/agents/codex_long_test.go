package agents_test

import (
	"strings"
	"testing"
	"time"

	"voice-input/tests/agents/fixture"
)

// withoutDaemon is the setting under which the terminal's process holds its
// session itself.
const withoutDaemon = "[features]\ndaemon_auto_start = false\n"

// TestCodexLong leaves conversations in every way, in each kind of Codex.
func TestCodexLong(t *testing.T) {
	long(t)
	version := newest(t, fixture.CodexPackage, fixture.CodexVersion)
	for _, tt := range []struct {
		name, version, config string
		titled                bool
	}{
		{"daemon, thread in the title", version, titleWithThread, true},
		{"daemon, title as it comes", version, "", false},
		{"no daemon, thread in the title", version, withoutDaemon + titleWithThread, true},
		{"no daemon, title as it comes", version, withoutDaemon, false},
		{"legacy, thread in the title", codexLegacy, titleWithThread, true},
		{"legacy, title as it comes", codexLegacy, "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newLab(t).withCodex(tt.version, tt.config)
			p := c.codex()
			if s := p.look(); s.Source != nil {
				t.Fatalf("before the first prompt: %q", told(s))
			}
			p.turns()
			p.rewind()
			if !tt.titled {
				p.untitled(c, tt.version != codexLegacy)
				return
			}
			p.fresh("Eta")
			p.tells("")
			p.says("say Theta")
			p.enter("/fork")
			p.waitScreen("forked from")
			p.wants("Theta")
			p.says("say Iota", "Theta")

			// A second terminal in the same folder has a conversation of its own.
			q := c.codex()
			q.tells("") // at its start the title has no thread yet
			p.keeps("Iota")
			q.says("say Kappa")
			p.keeps("Iota")
			q.keeps("Kappa")
			p.enter("/quit")
			p.waitEnd()
			if s := p.look(); s.Source != nil {
				t.Errorf("after the end: %q", told(s))
			}
			q.keeps("Kappa")
			q.enter("/quit")
			q.waitEnd()
			r := c.codex("resume", "--last")
			r.wants("Kappa")
		})
	}
}

// turns has turns of each kind in a conversation that has just begun.
func (p *pane) turns() {
	p.t.Helper()
	p.says("say Alpha")
	p.says("work Beta", "Alpha")
	p.says("plain Gamma", "Beta")
	p.enter("fail Delta")
	p.waitScreen("refused")
	p.keeps("Gamma")
	p.enter("slow Epsilon")
	// An older Codex shows whole lines only, and of this answer there is none.
	waitFor(p.t, "the slow answer", func() bool {
		return strings.Contains(p.screen(), "slow3") || strings.Contains(p.screen(), "esc to interrupt")
	})
	p.keeps("Gamma")
	p.key("Escape")
	p.waitScreen("interrupted")
	p.keeps("Gamma")
	p.says("say Zeta", "Gamma")
}

// rewind takes the turn Zeta back and has the turn Eta instead.
func (p *pane) rewind() {
	p.t.Helper()
	// Two Escapes show the choice of a turn, but one that comes before Codex
	// sees the end of the turn counts for nothing, and one too many chooses.
	waitFor(p.t, "the choice of a turn", func() bool {
		p.key("Escape")
		time.Sleep(1500 * time.Millisecond)
		screen := p.screen()
		return strings.Contains(screen, "rewind") || strings.Contains(screen, "to edit message")
	})
	p.key("Enter")
	waitFor(p.t, "the turn to be taken back", func() bool { return !strings.Contains(p.screen(), "Answer Zeta") })
	p.wants("Gamma")
	p.says(" say Eta", "Gamma") // the composer holds the prompt that was taken back
}

// untitled has conversations that the title does not name. Then nothing tells
// which of the open files is on the screen, and a reason is right as long as
// there are several. Another one's text never is.
//
// A Codex of before 0.148 holds nothing of a conversation without a prompt, so
// that until the first one the conversation before it cannot be told from it.
func (p *pane) untitled(c *codexLab, holdsNew bool) {
	p.t.Helper()
	q := c.codex()
	q.tells("")
	p.tells("Eta")
	q.enter("say Kappa")
	q.waitScreen("Answer Kappa")
	q.tells("Kappa")
	p.tells("Eta")
	q.enter("/quit")
	q.waitEnd()
	p.fresh("Eta")
	if holdsNew {
		p.tells("")
	}
	p.enter("say Theta")
	p.waitScreen("Answer Theta")
	p.tells("Theta")
}

// tells checks for a while that vi-session tells the answer to a turn or gives
// a reason; without a turn, that it gives a reason.
func (p *pane) tells(turn string) {
	p.t.Helper()
	reasons := map[string]int{}
	for end := time.Now().Add(3 * time.Second); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		s := p.look()
		if s.Source != nil && told(s) != answer(turn) {
			p.t.Errorf("vi-session told %q, want the answer to %q or a reason", told(s), turn)
			return
		}
		reasons[s.Reason]++
	}
	p.t.Logf("with the answer to %q on the screen: %v", turn, reasons)
}

package agents_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"voice-input/tests/agents/fixture"
)

// piLab is a lab with Pi and our extension in it.
type piLab struct {
	*lab
	bin string
}

func (l *lab) withPi(version string) *piLab {
	l.t.Helper()
	p := &piLab{lab: l, bin: fixture.Install(l.t, fixture.PiPackage, version)}
	l.env = append(l.env, "PI_CODING_AGENT_DIR="+filepath.Join(l.dir, "pi"), "PI_OFFLINE=1", "PI_SKIP_VERSION_CHECK=1", "PI_TELEMETRY=0")
	l.write("pi/models.json", fmt.Sprintf(`{"providers":{"lab":{"baseUrl":%q,"apiKey":"none","api":"openai-completions","models":[{"id":"lab"}]}}}`, l.model))
	l.write("pi/settings.json", `{"defaultProvider":"lab","defaultModel":"lab"}`)
	return p
}

// installExtension installs share/pi as its README says.
func (l *piLab) installExtension() {
	l.t.Helper()
	share, err := filepath.Abs("../../share/pi")
	if err != nil {
		l.t.Fatal(err)
	}
	output(l.t, l.env, l.project, filepath.Join(l.bin, "pi"), "install", share)
}

func (l *piLab) pi(args ...string) *pane {
	l.t.Helper()
	return l.open("pi", "%/128k", append([]string{filepath.Join(l.bin, "pi")}, args...)...)
}

// published is what the tests read of the registry.
type published struct {
	SessionID   string  `json:"session_id"`
	SessionFile string  `json:"session_file"`
	SessionDir  string  `json:"session_dir"`
	LeafID      *string `json:"leaf_id"`
}

func (l *piLab) registry(pid int) (published, error) {
	var r published
	b, err := os.ReadFile(filepath.Join(l.dir, "run", "voice-input", "agent-sessions", fmt.Sprintf("pi-%d.json", pid)))
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(b, &r)
}

// waitRegistry waits for an entry of which the condition holds.
func (l *piLab) waitRegistry(what string, pid int, condition func(published) bool) published {
	l.t.Helper()
	var r published
	waitFor(l.t, what, func() bool {
		var err error
		r, err = l.registry(pid)
		return err == nil && condition(r)
	})
	return r
}

// another waits until Pi shows another session than the given one.
func (l *piLab) another(p *pane, than published) published {
	l.t.Helper()
	return l.waitRegistry("another session", p.agent.pid, func(r published) bool { return r.SessionID != than.SessionID })
}

// TestPi has two conversations one after the other in the newest Pi.
func TestPi(t *testing.T) {
	t.Parallel()
	l := newLab(t).withPi(newest(t, fixture.PiPackage, fixture.PiVersion))
	l.installExtension()
	p := l.pi()
	first := l.waitRegistry("the first session", p.agent.pid, func(published) bool { return true })
	p.keeps("(not_started)")
	p.says("say Alpha")
	p.enter("/new")
	l.another(p, first)
	p.keeps("(not_started)")
	p.says("say Beta")
	p.enter("/quit")
	p.waitEnd()
	if _, err := l.registry(p.agent.pid); !os.IsNotExist(err) {
		t.Errorf("the entry after the end: %v", err)
	}
}

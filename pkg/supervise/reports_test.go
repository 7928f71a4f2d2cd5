package supervise

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"voice-input/pkg/internal/soundtest"
	"voice-input/pkg/wire"
)

// report returns what diagnostics print in a form.
func (l *lab) report(want int, args ...string) string {
	l.t.Helper()
	status, out := l.run(append([]string{"diagnostics"}, args...)...)
	if status != want {
		l.t.Fatalf("diagnostics %v: status %d: %s", args, status, out)
	}
	return out
}

// K1: the report tells whether a context went to the recogniser, and why not;
// its text shows everything that the record has; it holds nothing of what was
// said.
func TestRule_K1_Diagnostics(t *testing.T) {
	t.Parallel()
	server := soundtest.Pulse(t)
	dir := t.TempDir()
	session := filepath.Join(dir, "session.json")
	terms := `{"schema":"vi.session/1","reason":"ok","source":{"text":"Use stopReason and JSONL in vi-session.","chars":39},"scanned_bytes":0,"skipped_lines":0}`
	if err := os.WriteFile(session, []byte(terms+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	config := "[llm]\nagent_context_enabled = true\n" + local + "[asr.service.sentinel-name]\nurl = \"https://sentinel.example/v1\"\nmodel = \"sentinel-model\"\n[stages]\n" +
		fmt.Sprintf("focus = [\"echo\", '%s']\n", piFocus) + fmt.Sprintf("session = [\"sh\", \"-c\", \"cat >/dev/null; cat %s\"]\n", session)
	l := newLab(t, server, config)
	before := l.report(0, "--format", "json")
	if strings.Contains(before, `"take"`) {
		t.Errorf("a take before the first one: %s", before)
	}
	l.say(server.Mic())
	l.record(0, "stop", "--wait")

	var r wire.Diagnostics
	out := l.report(0, "--format", "json")
	if err := wire.Decode([]byte(strings.TrimSpace(out)), &r); err != nil {
		t.Fatal(err)
	}
	take := r.Take
	switch {
	case take == nil || take.Outcome != "delivered" || take.Kind != spoken:
		t.Fatalf("%s", out)
	case !take.Context.Wanted || take.Context.Reason != wire.OK || !take.Context.ASRSent || take.Context.RefineSent:
		t.Errorf("context: %+v", take.Context)
	case take.Recognition.Engine != "pocketsphinx" || take.Recognition.Outcome != wire.OutcomeUsable || take.Recognition.Partials == 0 || take.Recognition.Attempts != 1:
		t.Errorf("recognition: %+v", take.Recognition)
	case take.Delivery == nil || !take.Delivery.Delivered || take.Delivery.Driver != "stdout" || take.Refine == nil || take.Refine.Outcome != wire.RefineKept:
		t.Errorf("delivery: %+v, refine %+v", take.Delivery, take.Refine)
	case take.Capture.AudioMS < 2000 || !take.Capture.Heard || r.Config.OwnStages != 2 || !r.Config.AgentContext:
		t.Errorf("%+v, %+v", take.Capture, r.Config)
	}

	text := l.report(0)
	var tree any
	if err := json.Unmarshal([]byte(out), &tree); err != nil {
		t.Fatal(err)
	}
	for _, line := range leaves("", tree) {
		// Times go on; the names are what counts.
		if !strings.Contains(text, line+": ") {
			t.Errorf("the text lacks %s", line)
		}
	}
	if a, b := len(leaves("", tree)), strings.Count(text, "\n"); a != b {
		t.Errorf("%d members in JSON, %d lines of text", a, b)
	}
	for _, s := range []string{"forward", "stopReason", "JSONL", "sentinel", dir, filepath.Dir(server.RuntimeDir)} {
		if s != "" && (strings.Contains(text, s) || strings.Contains(out, s)) {
			t.Errorf("the report holds %q", s)
		}
	}

	// Without a context it says why.
	l.configure(strings.Replace(config, "cat "+session, "echo '{\\\"schema\\\":\\\"vi.session/1\\\",\\\"reason\\\":\\\"no_completed_answer\\\",\\\"scanned_bytes\\\":0,\\\"skipped_lines\\\":0}'", 1))
	l.kill()
	if out := l.report(1, "--config", l.config); !strings.Contains(out, "reason: stopped") || !strings.Contains(out, "config.agent_context: true") {
		t.Errorf("without a daemon: %s", out)
	}
	l.start()
	l.say(server.Mic())
	l.record(0, "stop", "--wait")
	if text := l.report(0); !strings.Contains(text, "take.context.reason: no_completed_answer\n") || !strings.Contains(text, "take.context.sent_to_recogniser: false\n") {
		t.Errorf("no context: %s", text)
	}
}

// leaves lists the members of a JSON value as the text names them.
func leaves(path string, v any) []string {
	switch v := v.(type) {
	case map[string]any:
		var out []string
		for k, e := range v {
			out = append(out, leaves(strings.TrimPrefix(path+"."+k, "."), e)...)
		}
		return out
	case []any:
		var out []string
		for i, e := range v {
			out = append(out, leaves(fmt.Sprintf("%s.%d", path, i+1), e)...)
		}
		return out
	}
	return []string{path}
}

// checks runs the doctor and returns the states by part.
func (l *lab) checks(want int, args ...string) map[string][]wire.Check {
	l.t.Helper()
	status, out := l.run(append([]string{"doctor", "--format", "json"}, args...)...)
	if status != want {
		l.t.Fatalf("doctor: status %d, want %d: %s", status, want, out)
	}
	all := map[string][]wire.Check{}
	for line := range strings.Lines(out) {
		var c wire.Check
		if err := wire.Decode([]byte(strings.TrimSpace(line)), &c); err != nil {
			l.t.Fatal(err)
		}
		if (c.State == wire.CheckFailed || c.State == wire.CheckWarning) && c.Fix == "" {
			l.t.Errorf("%s: %s: nothing is said to do about it", c.Part, c.Detail)
		}
		all[c.Part] = append(all[c.Part], c)
	}
	return all
}

// The doctor finds each fault in the part where it is, says what to do, and
// shows nothing that is the user's.
func TestDoctor(t *testing.T) {
	t.Parallel()
	server := soundtest.Pulse(t)
	l := newLab(t, server, local)
	// Nothing is running here but what belongs to the test, so the desktop is
	// what is missing.
	all := l.checks(1, "--config", l.config)
	for part, want := range map[string]string{
		"programs": wire.CheckOK, "configuration": wire.CheckOK, "runtime directory": wire.CheckOK, "daemon": wire.CheckOK,
		"sound": wire.CheckOK, "desktop": wire.CheckFailed, "kitty": wire.CheckNote, "recogniser": wire.CheckOK, "model": wire.CheckNote,
	} {
		if got := all[part]; len(got) == 0 || got[0].State != want {
			t.Errorf("%s: %+v, want %s", part, got, want)
		}
	}
	if !strings.Contains(all["desktop"][0].Detail, "no compositor or X server") {
		t.Errorf("F11: %+v", all["desktop"])
	}

	mute := exec.Command("pactl", "set-source-mute", "@DEFAULT_SOURCE@", "1")
	mute.Env = l.env()
	if out, err := mute.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	wrong := filepath.Join(t.TempDir(), "wrong.toml")
	if err := os.WriteFile(wrong, []byte("[asr]\nengine = \"sentinel-engine\"\nfallback = [\"local\"]\n[llm]\nenabled = true\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	l.kill()
	all = l.checks(1, "--config", wrong)
	for part, want := range map[string]string{"daemon": wire.CheckFailed, "sound": wire.CheckFailed, "recogniser": wire.CheckFailed, "model": wire.CheckFailed} {
		if got := all[part]; len(got) == 0 || got[0].State != want {
			t.Errorf("%s: %+v, want %s", part, got, want)
		}
	}
	if r := all["recogniser"]; len(r) != 2 || r[1].State != wire.CheckOK {
		t.Errorf("recogniser: %+v", r)
	}
	if err := os.WriteFile(wrong, []byte("[sentinel]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := l.checks(1, "--config", wrong)["configuration"]; got[0].State != wire.CheckFailed {
		t.Errorf("configuration: %+v", got)
	}
	for _, config := range []string{l.config, wrong} {
		_, text := l.run("doctor", "--config", config)
		host, _ := os.Hostname()
		for _, s := range []string{"sentinel", filepath.Dir(config), server.RuntimeDir, host} {
			if len(s) > 2 && strings.Contains(text, s) {
				t.Errorf("the doctor shows %q: %s", s, text)
			}
		}
	}
}

// The agents that run are found, and what their sessions lack is said.
func TestDoctorLooksAtAgents(t *testing.T) {
	t.Parallel()
	server := soundtest.Pulse(t)
	dir := t.TempDir()
	home := filepath.Join(dir, "codex")
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Fatal(err)
	}
	binary, err := os.ReadFile(sleep)
	if err != nil {
		t.Fatal(err)
	}
	pi := filepath.Join(dir, "pi")
	if err := os.WriteFile(pi, binary, 0o700); err != nil {
		t.Fatal(err)
	}
	agent := exec.Command(pi, "1000")
	if err := agent.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		agent.Process.Kill()
		agent.Wait()
	}()
	l := newLab(t, server, local)
	doctor := func() []wire.Check {
		t.Helper()
		cmd := exec.Command(filepath.Join(programs, "voice-input"), "doctor", "--format", "json", "--config", l.config)
		cmd.Env = append(l.env(), "CODEX_HOME="+home)
		var out bytes.Buffer
		cmd.Stdout = &out
		cmd.Run() // the desktop is missing
		var checks []wire.Check
		for line := range strings.Lines(out.String()) {
			var c wire.Check
			if err := wire.Decode([]byte(strings.TrimSpace(line)), &c); err != nil {
				t.Fatal(err)
			}
			if c.Part == "agents" {
				checks = append(checks, c)
			}
		}
		return checks
	}
	has := func(state, detail string) bool {
		return slices.ContainsFunc(doctor(), func(c wire.Check) bool { return c.State == state && strings.Contains(c.Detail, detail) })
	}
	if !has(wire.CheckWarning, "have not loaded the extension") || !has(wire.CheckWarning, "does not name its session") {
		t.Errorf("%+v", doctor())
	}
	os.WriteFile(filepath.Join(home, "config.toml"), []byte("[tui]\nterminal_title = [\"activity\", \"thread-id\"]\n"), 0o600)
	if !has(wire.CheckOK, "names its session") {
		t.Errorf("%+v", doctor())
	}
	os.WriteFile(filepath.Join(home, "config.toml"), []byte("[tui\n"), 0o600)
	if !has(wire.CheckWarning, "cannot be read") {
		t.Errorf("%+v", doctor())
	}
}

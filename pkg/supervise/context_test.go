package supervise

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"voice-input/pkg/config"
	"voice-input/pkg/internal/soundtest"
)

const (
	piFocus  = `{"schema":"vi.focus/1","reason":"ok","agent":{"kind":"pi","pid":7,"start_ticks":9},"style":"agent-markdown"}`
	noAgent  = `{"schema":"vi.focus/1","reason":"no_agent","style":"message"}`
	answered = `{"schema":"vi.session/1","reason":"ok","source":{"text":"private","chars":7}}`
	silent   = `{"schema":"vi.session/1","reason":"no_completed_answer"}`
)

// lookStages are stages that look things up by shell scripts.
func lookStages(focus, session string) *stages {
	cfg := config.Default()
	cfg.Stages.Focus = []string{"sh", "-c", focus}
	cfg.Stages.Session = []string{"sh", "-c", session}
	return &stages{cfg: cfg, log: new(bytes.Buffer)}
}

func print(line string) string { return fmt.Sprintf("cat >/dev/null; echo '%s'", line) }

// Whatever goes wrong with a look-up gives a reason and no session, in time.
func TestRule_J2_LookUpIsFailSoft(t *testing.T) {
	tests := []struct {
		name, focus, session, want string
	}{
		{"found", print(piFocus), print(answered), "ok"},
		{"no agent", print(noAgent) + "; exit 1", print(answered), "no_agent"},
		{"no answer yet", print(piFocus), print(silent) + "; exit 1", "no_completed_answer"},
		{"focus fails", "exit 69", print(answered), "focus_failed"},
		{"focus speaks nonsense", print("hello"), print(answered), "focus_failed"},
		{"focus hangs", "sleep 1000", print(answered), "timeout"},
		{"session fails", print(piFocus), "exit 70", "session_failed"},
		{"session speaks nonsense", print(piFocus), print("{"), "session_failed"},
		{"session without source", print(piFocus), print(`{"schema":"vi.session/1","reason":"ok"}`), "session_failed"},
		{"session hangs", print(piFocus), "sleep 1000", "timeout"},
		{"session ignores TERM", print(piFocus), "trap '' TERM; sleep 1000", "timeout"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := lookStages(tt.focus, tt.session)
			got := s.lookUp(t.Context())
			if got.reason != tt.want || (got.session != nil) != (tt.want == "ok") {
				t.Errorf("got %q, session %t; want %q", got.reason, got.session != nil, tt.want)
			}
			if log := s.log.(*bytes.Buffer).String(); strings.Contains(log, "private") {
				t.Errorf("the log holds session text: %s", log)
			}
		})
	}
}

// The style is that of the focus at the stop, and formal when it is unknown.
func TestRule_E1_StyleOfTheStop(t *testing.T) {
	for focus, want := range map[string]string{print(piFocus): "agent-markdown", print(noAgent): "message", "exit 69": "formal", "sleep 1000": "formal"} {
		if got := lookStages(focus, "").aim(context.Background()).style(); got != want {
			t.Errorf("%s: style %s, want %s", focus, got, want)
		}
	}
	var none *target
	if got := none.style(); got != "formal" {
		t.Errorf("without a look: %s", got)
	}
}

// The look-up happens once, at the start, beside a recording that does not
// wait for it; the focus at the stop is another look and changes nothing of it.
func TestRule_B1_B2_B3_FrozenAtTheStart(t *testing.T) {
	t.Parallel()
	server := soundtest.Pulse(t)
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	// Each look at the focus leaves a line; the session look-up tells what it
	// was given, after a while in which the microphone must be open already.
	os.WriteFile(file("focus"), []byte(piFocus+"\n"), 0o600)
	config := "[llm]\nagent_context_enabled = true\n[deliver]\nto = \"stdout\"\n[stages]\n" + sink +
		fmt.Sprintf("focus = [\"sh\", \"-c\", \"echo look >> %s; cat %s\"]\n", file("looks"), file("focus")) +
		fmt.Sprintf("session = [\"sh\", \"-c\", \"sleep 0.5; cat >> %s; echo '%s'\"]\n", file("asked"), strings.ReplaceAll(silent, `"`, `\"`))
	l := newLab(t, server, config)
	mic := server.Mic()
	l.record(0, "start")
	p := play(mic, 3)
	defer p.end()
	l.await(Recording)
	spooled := l.link("take")
	server.WaitFor("the look-up", func() bool { return l.status().Context == "no_completed_answer" })
	// The user turns to another window.
	os.WriteFile(file("focus"), []byte(noAgent+"\n"), 0o600)
	l.record(0, "stop")
	l.await(Idle)

	got, err := os.ReadFile(spooled)
	if err != nil || len(got) == 0 || !bytes.Equal(got, p.pcm[:len(got)]) {
		t.Errorf("the look-up cost samples: %d were spooled, %v", len(got), err)
	}
	asked, _ := os.ReadFile(file("asked"))
	if n := strings.Count(string(asked), "\n"); n != 1 || !strings.Contains(string(asked), `"kind":"pi"`) {
		t.Errorf("the session was looked up %d times: %s", n, asked)
	}
	server.WaitFor("the second look", func() bool {
		looks, _ := os.ReadFile(file("looks"))
		return strings.Count(string(looks), "look") == 2
	})
}

// Public defaults keep the feature off: nobody is asked.
func TestRule_A1_OffByDefault(t *testing.T) {
	t.Parallel()
	server := soundtest.Pulse(t)
	asked := filepath.Join(t.TempDir(), "asked")
	l := newLab(t, server, "[stages]\n"+sink+fmt.Sprintf("session = [\"touch\", %q]\nfocus = [\"echo\", '%s']\n", asked, piFocus))
	l.record(0, "start")
	p := play(server.Mic(), 4)
	defer p.end()
	l.await(Recording)
	time.Sleep(200 * time.Millisecond) // in which a look-up would have begun
	if c := l.status().Context; c != "" {
		t.Errorf("the context is %q", c)
	}
	l.record(0, "stop")
	l.await(Idle)
	if _, err := os.Stat(asked); err == nil {
		t.Error("the session was looked up")
	}
}

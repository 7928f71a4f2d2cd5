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
	nobody   = `{"schema":"vi.focus/1","reason":"ok","agent_reason":"no_agent","style":"message"}`
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
	t.Parallel()
	tests := []struct {
		name, focus, session, want string
	}{
		{"found", print(piFocus), print(answered), "ok"},
		{"no window", print(`{"schema":"vi.focus/1","reason":"no_window"}`) + "; exit 1", print(answered), "no_window"},
		{"an agent in a container", print(`{"schema":"vi.focus/1","reason":"ok","agent_reason":"container_boundary"}`), print(answered), "container_boundary"},
		{"no agent", print(nobody) + "; exit 1", print(answered), "no_agent"},
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
	t.Parallel()
	for focus, want := range map[string]string{print(piFocus): "agent-markdown", print(nobody): "message", "exit 69": "formal", "sleep 1000": "formal"} {
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
		fmt.Sprintf("session = [\"sh\", \"-c\", \"sleep 0.2; cat >> %s; echo '%s'\"]\n", file("asked"), strings.ReplaceAll(silent, `"`, `\"`))
	l := newLab(t, server, config)
	mic := server.Mic()
	l.record(0, "start")
	p := play(mic, 3)
	defer p.end()
	l.await(Recording)
	spooled := l.link("take")
	server.WaitFor("the look-up", func() bool { return l.status().Context == "no_completed_answer" })
	// The user turns to another window.
	os.WriteFile(file("focus"), []byte(nobody+"\n"), 0o600)
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

// rankScript is a vi-terms that answers each line; with a source it has a term.
const rankScript = `while read -r l; do echo "$l" >> %s; case "$l" in *private*) t='{"text":"JSONL","normalizable":true}';; *) t=;; esac; ` +
	`echo "{\"schema\":\"vi.terms/1\",\"reason\":\"ok\",\"source_chars\":7,\"candidates\":1,\"elapsed_us\":5,\"terms\":[$t],\"views\":{\"asr\":{\"text\":\"JSONL\",\"chars\":5,\"count\":1},\"refine\":{\"terms\":[],\"chars\":0}}}"; done`

// The terms of the snapshot reach the engine as hints and the refiner as a
// file, and the log tells figures only.
func TestRule_A2_K2_TermsReachTheStages(t *testing.T) {
	t.Parallel()
	server := soundtest.Pulse(t)
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	os.WriteFile(file("rank"), []byte(fmt.Sprintf("#!/bin/sh\n"+rankScript, file("ranked"))), 0o755)
	// An engine that says which hints it was given.
	os.WriteFile(file("hints"), []byte(`#!/usr/bin/env python3
import json, sys
if "--check" in sys.argv: sys.exit(0)
print('{"schema":"vi.asr/1","reason":"ok","type":"ready","engine":"hints"}', flush=True)
for line in sys.stdin:
    take = json.loads(line)
    open(take["audio"]["path"], "rb").read()
    open(`+fmt.Sprintf("%q", file("hinted"))+`, "a").write(json.dumps(take.get("hints")) + "\n")
    print(json.dumps({"schema": "vi.asr/1", "reason": "ok", "type": "final", "take": take["id"], "text": "go forward", "outcome": "usable", "engine": "hints"}), flush=True)
`), 0o755)
	config := "[llm]\nagent_context_enabled = true\n[deliver]\nto = \"stdout\"\n" + fmt.Sprintf("[asr]\nengine = %q\n[stages]\n", file("hints")) +
		fmt.Sprintf("focus = [\"echo\", '%s']\n", piFocus) + fmt.Sprintf("session = [\"echo\", '%s']\n", answered) + fmt.Sprintf("terms = [%q]\n", file("rank"))
	l := newLab(t, server, config)
	mic := server.Mic()
	for range 2 {
		l.say(mic)
		l.record(0, "stop", "--wait")
	}
	hinted, _ := os.ReadFile(file("hinted"))
	if got, want := string(hinted), "[\"JSONL\"]\n[\"JSONL\"]\n"; got != want {
		t.Errorf("the engine was given the hints %q, want %q", got, want)
	}
	if n := len(l.children(file("rank"))); n != 1 {
		t.Errorf("%d vi-terms run, want the one that stays", n)
	}
	log, _ := os.ReadFile(l.log)
	if !strings.Contains(string(log), "voice-input: context: ok, 7 characters, 1 candidates, 1 terms, 5 characters for the recogniser, 5 µs") {
		t.Errorf("the log tells nothing of the context: %s", log)
	}
	for _, private := range []string{"private", "JSONL", "forward"} {
		if strings.Contains(string(log), private) {
			t.Errorf("the log holds %q", private)
		}
	}
}

// A vi-terms that hangs costs its five seconds beside the recording, and
// neither the take nor the next one more.
func TestRule_J3_J4_HangingTerms(t *testing.T) {
	t.Parallel()
	server := soundtest.Pulse(t)
	l := newLab(t, server, "[llm]\nagent_context_enabled = true\n"+local+"[stages]\n"+
		fmt.Sprintf("focus = [\"echo\", '%s']\n", piFocus)+fmt.Sprintf("session = [\"echo\", '%s']\n", answered)+"terms = [\"sleep\", \"1000\"]\n")
	l.say(server.Mic())
	l.record(0, "stop", "--wait")
	if got := l.delivered(); got != words+"\n" {
		t.Errorf("delivered %q, want %q", got, words)
	}
	l.server.WaitFor("the end of vi-terms", func() bool { return len(l.children("sleep")) == 0 })
}

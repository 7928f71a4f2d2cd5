package supervise

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"voice-input/pkg/internal/apikey"
	"voice-input/pkg/internal/soundtest"
)

// Keys reach the programs that recognise and refine, and no other: each stage
// tells the environment that its process was given.
func TestKeysReachOnlyWhoNeedsThem(t *testing.T) {
	t.Parallel()
	server := soundtest.Pulse(t)
	dir := t.TempDir()
	// The real programs, each behind a shell that looks at its own environment.
	config := "[llm]\nagent_context_enabled = true\n" + local + "[stages]\n"
	for key, command := range map[string]string{
		"capture": "vi-capture --events-fd 3", "refine": "vi-refine --engine none", "type": "cat >/dev/null; echo '{\"schema\":\"vi.delivery/1\",\"reason\":\"ok\",\"delivered\":true,\"warnings\":[]}' #",
		"focus": "vi-focus", "session": "vi-session", "terms": "vi-terms",
		"asr": "cat >/dev/null; echo '{\"schema\":\"vi.asr/1\",\"reason\":\"ok\",\"type\":\"final\",\"outcome\":\"usable\",\"text\":\"x\"}' #",
	} {
		script := filepath.Join(dir, key+".sh")
		run := "exec " + filepath.Join(programs, command)
		if strings.HasPrefix(command, "cat") {
			run = command
		}
		if key == "focus" {
			run = fmt.Sprintf("echo '%s'", piFocus)
		}
		if err := os.WriteFile(script, fmt.Appendf(nil, "#!/bin/sh\ntr '\\0' '\\n' </proc/$$/environ >%s/%s.env\n%s\n", dir, key, run), 0o700); err != nil {
			t.Fatal(err)
		}
		config += fmt.Sprintf("%s = [%q]\n", key, script)
	}
	l := newLab(t, server, config)
	l.kill()
	for _, name := range append(slices.Clone(apikey.Variables), "CREDENTIALS_DIRECTORY") {
		l.extra = append(l.extra, name+"=/sentinel-"+name)
	}
	l.start()
	l.say(server.Mic())
	l.record(0, "stop")
	l.await(Idle)
	server.WaitFor("delivery", func() bool { _, err := os.Stat(filepath.Join(dir, "type.env")); return err == nil })
	for stage, needs := range map[string]bool{"capture": false, "focus": false, "session": false, "terms": false, "type": false, "asr": true, "refine": true} {
		b, err := os.ReadFile(filepath.Join(dir, stage+".env"))
		if err != nil {
			t.Errorf("%s did not run: %v", stage, err)
			continue
		}
		if n := strings.Count(string(b), "sentinel-"); n != map[bool]int{false: 0, true: len(apikey.Variables) + 1}[needs] || !strings.Contains(string(b), "PATH=") {
			t.Errorf("%s was given %d keys", stage, n)
		}
	}
}

package supervise

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"voice-input/pkg/internal/soundtest"
)

// TestR9_EverySinkIsFiltered runs the whole chain on a session that holds
// secrets, and looks for them and for what was said wherever something could
// come out: the log, the status, what is delivered, what is left in the
// runtime directory, and the arguments and environments of every process.
func TestR9_EverySinkIsFiltered(t *testing.T) {
	t.Parallel()
	server := soundtest.Pulse(t)
	dir := t.TempDir()
	// Made from parts, for a whole one would alarm the scanners of hosts.
	body := strings.Repeat("Zq7Rk2Wm9Xt4", 4)
	secrets := []string{"sk" + "-" + body, "ghp" + "_" + strings.ToLower(body)[:36], "hunter" + "2hunter" + "2x"}
	answer := fmt.Sprintf("Use `stopReason` and `JSONL` in vi-session; 使用 PipeWire 的音频 图形界面.\n\n```sh\nexport OPENAI_API_KEY=%s\ncurl -u admin:%s https://example.org\n```\nThe token is %s.", secrets[0], secrets[2], secrets[1])
	line := func(v any) string {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(b) + "\n"
	}
	session := filepath.Join(dir, "session.jsonl")
	os.WriteFile(session, []byte(
		line(map[string]any{"type": "session", "id": "e002fbff-8d65-46d9-9b8e-c1324331cb04", "timestamp": "2026-11-30T21:03:40.878Z", "cwd": "/home/user/project"})+
			line(map[string]any{"type": "message", "timestamp": "2026-11-30T21:03:41.044Z", "message": map[string]any{"role": "assistant", "content": []any{map[string]any{"type": "text", "text": answer}}, "stopReason": "stop"}})), 0o600)
	// The stages that hold text are caught at work, to look at their processes.
	l := newLab(t, server, "[llm]\nagent_context_enabled = true\n"+local+slow("refine", "vi-refine")+
		fmt.Sprintf("focus = [\"echo\", '%s']\n", piFocus)+
		fmt.Sprintf("session = [\"sh\", \"-c\", \"cat >/dev/null; exec %s --agent pi --file %s\"]\n", filepath.Join(programs, "vi-session"), session))

	said := strings.Fields(words)
	private := append(append([]string{}, secrets...), "forward ten", "stopReason", "JSONL")
	look := func(where string, b []byte) {
		t.Helper()
		for _, s := range private {
			if bytes.Contains(b, []byte(s)) {
				t.Errorf("%s holds %q", where, s)
			}
		}
		for i := range len(body) - 8 {
			if bytes.Contains(b, []byte(body[i:i+8])) {
				t.Errorf("%s holds a piece of a secret", where)
				break
			}
		}
	}
	processes := func() {
		for _, pid := range l.children("") {
			for _, file := range []string{"cmdline", "environ"} {
				b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, file))
				look(fmt.Sprintf("%s of process %d", file, pid), b)
			}
		}
	}
	status := func(args ...string) []byte {
		_, out := l.run(append([]string{"status", "--format", "json"}, args...)...)
		return []byte(out)
	}

	mic := server.Mic()
	for tries := 1; ; tries++ {
		l.say(mic)
		server.WaitFor("the look-up", func() bool { return l.status().Context != "" })
		if c := l.status().Context; c == "ok" {
			break
		} else if c != "timeout" || tries == 5 {
			t.Fatalf("the context is %q", c)
		}
		// A loaded machine may need more than the second that a look-up has.
		l.record(0, "cancel")
		l.quiet()
		discardSpool(l)
	}
	processes()
	look("status while recording", status())
	l.record(0, "stop")
	l.await(Refining)
	processes()
	look("status while refining", status())
	if out := status("--extended"); !bytes.Contains(out, []byte(strings.Join(said[1:3], " "))) {
		t.Errorf("status --extended is documented to hold the text: %s", out)
	}
	l.await(Idle)
	if got := l.delivered(); got != words+"\n" {
		t.Errorf("delivered %q, want %q", got, words)
	}
	look("status afterwards", status("--extended"))
	log, _ := os.ReadFile(l.log)
	look("the log", log)
	if !bytes.Contains(log, []byte("context: ok")) {
		t.Errorf("the log tells nothing of the context: %s", log)
	}
	filepath.Walk(server.RuntimeDir, func(path string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() {
			b, _ := os.ReadFile(path)
			look(path, b)
		}
		return nil
	})
}

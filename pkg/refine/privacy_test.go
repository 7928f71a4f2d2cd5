package refine

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"voice-input/pkg/cli"
	"voice-input/pkg/config"
	"voice-input/pkg/wire"
	"voice-input/tests/fakellm"
)

// asProgram makes this test binary vi-refine itself.
const asProgram = "VI_REFINE_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		os.Exit(cli.Main(context.Background(), Command(), cli.OS()))
	}
	os.Exit(m.Run())
}

// Words that must be nowhere but in the request.
const (
	secretKey  = "sentinel-key-4711"
	secretTerm = "Sentinel-Term-8"
	secretText = "um sentinel words that nobody else may read and Sentinel Term 8"
)

// program prepares vi-refine as a process of its own, with its key in a file.
func program(t *testing.T, s *fakellm.Server, model string, args ...string) (*exec.Cmd, *bytes.Buffer, *bytes.Buffer) {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	key := write("key", secretKey)
	conf := write("config.toml", fmt.Sprintf("[llm]\nenabled = true\nurl = %q\nmodel = %q\napi_key_file = %q\n", s.URL, model, key))
	line, err := wire.Encode(snapshot(secretTerm))
	if err != nil {
		t.Fatal(err)
	}
	terms := write("terms.json", string(line))
	in, err := wire.Encode(&wire.ASR{Type: wire.ASRFinal, Text: secretText, Outcome: wire.OutcomeUsable})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], append([]string{"--config", conf, "--terms", terms, "--explain"}, args...)...)
	cmd.Env = append(os.Environ(), asProgram+"=1", "GORACE=atexit_sleep_ms=0")
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(in), &stdout, &stderr
	return cmd, &stdout, &stderr
}

func checkSilent(t *testing.T, what, text string) {
	t.Helper()
	if strings.Contains(strings.ToLower(text), "sentinel") {
		t.Errorf("%s: %s", what, text)
	}
}

func listen(t *testing.T) *fakellm.Server {
	t.Helper()
	s, err := fakellm.Listen("127.0.0.1:0", secretKey)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// No word, term or key is among the arguments, in the environment or on
// standard error, while it asks and after it failed, even of a service that
// repeats what it was sent. TERM ends a request that hangs (J1).
func TestRule_D3_J1_NothingShowsOutside(t *testing.T) {
	s := listen(t)
	for _, model := range []string{"edit", "status-400", "unknown-option", "error-string", "instructions", "question-itself", "redirect-307", "web-page", "cut-in-stream", "status-401"} {
		cmd, stdout, stderr := program(t, s, "fake/"+model)
		if err := cmd.Run(); err != nil {
			t.Errorf("%s: %v: %s", model, err, stderr)
		}
		checkSilent(t, model, stderr.String())
		if !strings.Contains(stdout.String(), "words that nobody else may read and ") {
			t.Errorf("%s: %s", model, stdout)
		}
	}

	before := len(s.Journal())
	cmd, stdout, stderr := program(t, s, "fake/hang-in-text")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for begin := time.Now(); len(s.Journal()) == before; time.Sleep(5 * time.Millisecond) {
		if time.Since(begin) > patience {
			t.Fatal("it does not ask")
		}
	}
	for _, name := range []string{"cmdline", "environ"} {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", cmd.Process.Pid, name))
		if err != nil || len(b) == 0 {
			t.Errorf("%s: %v", name, err)
		}
		checkSilent(t, name, string(b))
	}
	cmd.Process.Signal(syscall.SIGTERM)
	cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != 128+int(syscall.SIGTERM) || stdout.Len() > 0 {
		t.Errorf("status %d, %q", got, stdout)
	}
	checkSilent(t, "cancelled", stderr.String())
	for _, q := range s.Journal() {
		if len(q.Violations) > 0 || !slices.Equal(q.Terms, []string{secretTerm}) && len(q.Terms) > 0 {
			t.Errorf("%s: %v", q.Model, q.Violations)
		}
	}
}

// The program keeps to its time with a service that hangs.
func TestL12_TheTimeIsKept(t *testing.T) {
	cmd, stdout, stderr := program(t, listen(t), "fake/byte-a-time", "--timeout", "1s")
	begin := time.Now()
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	took := time.Since(begin)
	var r wire.Refine
	if err := wire.Decode(bytes.TrimSpace(stdout.Bytes()), &r); err != nil {
		t.Fatal(err)
	}
	if r.Reason != "timeout" || r.Outcome != wire.RefineKept || took > patience || took < time.Second {
		t.Errorf("%s after %s: %s", r.Reason, took, stderr)
	}
	t.Logf("%d ms of the program's own above 1 s, %s with its start", r.ElapsedMS-1000, took)
}

// A provider's key is looked for where its host is asked, and nowhere else.
func TestKeysBelongToHosts(t *testing.T) {
	for host, want := range map[string]string{
		"openrouter.ai": "OPENROUTER_API_KEY", "api.openai.com:443": "OPENAI_API_KEY", "dashscope-intl.aliyuncs.com": "DASHSCOPE_API_KEY", "api.groq.com": "GROQ_API_KEY",
		"openai.com": "", "api.openai.com.evil.example": "", "evilopenrouter.ai": "", "localhost:11434": "", "groq.com": "",
	} {
		s := keySource(config.LLM{APIKeyFile: "f", APIKeyCommand: []string{"c"}}, host)
		names := []string{ownKey}
		if want != "" {
			names = append(names, want)
		}
		if !slices.Equal(s.Environ, names) || s.Credential != "llm" || s.File != "f" || len(s.Command) != 1 {
			t.Errorf("%s: %+v", host, s)
		}
	}
}

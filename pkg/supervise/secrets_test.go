package supervise

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"voice-input/pkg/internal/desktoptest"
	"voice-input/pkg/internal/soundtest"
	"voice-input/tests/fakecloud"
	"voice-input/tests/fakellm"
)

// What must not come out, each found nowhere else.
const (
	secretText   = "sentinelspoken"
	secretTerm   = "sentinelTermQz"
	secretAnswer = "sentinelanswer"
	secretASR    = "sk-sentinel-asr-7Hq2"
	secretLLM    = "sk-sentinel-llm-9Vx4"
	secretTitle  = "sentineltitle"
)

// everySecret are all of them. Keys may be in an environment if that is how
// they came.
func everySecret(byEnvironment bool) []secret {
	return []secret{
		{"what was said", secretText, false}, {"a term", secretTerm, false}, {"the agent's answer", secretAnswer, false},
		{"the recogniser's key", secretASR, byEnvironment}, {"the model's key", secretLLM, byEnvironment},
		{"what a service said of itself", fakecloud.Sentinel, false}, {"a title", secretTitle, false},
	}
}

// discreet is a lab whose recogniser and model are services with keys, and
// whose agent has answered.
type discreet struct {
	*lab
	home, tmp string
	bases     map[string]string // of services, by the name of the engine
	model     string
	keys      string // configuration of both services
	engine    string
	history   bool
	llm       *fakellm.Server
}

// newDiscreet starts services and a daemon that finds the keys as source says.
func newDiscreet(t *testing.T, source string) *discreet {
	t.Helper()
	server := soundtest.Pulse(t)
	dir := t.TempDir()
	d := &discreet{home: server.Home, tmp: t.TempDir(), bases: map[string]string{}, model: "fake/edit", engine: "good", history: true}
	for name, s := range map[string]fakecloud.Scenario{
		"good": {},
		"bad":  {Token: "sk-another-key"},
		"hang": {Faults: []fakecloud.Fault{{Name: fakecloud.Hang}}},
	} {
		if s.Token == "" {
			s.Token = secretASR
		}
		s.Audio, s.Text = fakecloud.Sound{Any: true}, "open the "+secretText+" panel and close it"
		srv, err := fakecloud.Start(s)
		must(t, err)
		t.Cleanup(func() { srv.Close() })
		d.bases[name] = srv.Base()
	}
	var err error
	d.llm, err = fakellm.Listen("127.0.0.1:0", secretLLM)
	must(t, err)
	t.Cleanup(func() { d.llm.Close() })

	extra := []string{"TMPDIR=" + d.tmp}
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		must(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	asr, llm := "", ""
	switch source {
	case "file":
		asr, llm = fmt.Sprintf("api_key_file = %q\n", file("asr", secretASR)), fmt.Sprintf("api_key_file = %q\n", file("llm", secretLLM))
	case "command":
		asr, llm = fmt.Sprintf("api_key_command = [\"cat\", %q]\n", file("asr", secretASR)), fmt.Sprintf("api_key_command = [\"cat\", %q]\n", file("llm", secretLLM))
	case "environment":
		extra = append(extra, "VOICE_INPUT_ASR_API_KEY="+secretASR, "VOICE_INPUT_LLM_API_KEY="+secretLLM)
	case "credential":
		for name := range d.bases {
			file("asr."+name, secretASR)
		}
		file("llm", secretLLM)
		extra = append(extra, "CREDENTIALS_DIRECTORY="+dir)
	}
	for name, base := range d.bases {
		d.keys += fmt.Sprintf("[asr.service.%s]\nprotocol = \"openai\"\nurl = %q\nrequest_timeout_ms = 500\n%s", name, base, asr)
	}
	d.keys += fmt.Sprintf("[llm]\nenabled = true\nagent_context_enabled = true\nurl = %q\ntimeout_ms = 2000\n%s", d.llm.URL, llm)

	answer := "The " + secretAnswer + " is long. Use `" + secretTerm + "` and `readTail`."
	var session strings.Builder
	for _, line := range []map[string]any{
		{"type": "session", "id": "e002fbff-8d65-46d9-9b8e-c1324331cb04", "timestamp": "2026-11-30T21:03:40.878Z", "cwd": "/home/user/project"},
		{"type": "message", "timestamp": "2026-11-30T21:03:41.044Z", "message": map[string]any{"role": "assistant", "content": []any{map[string]any{"type": "text", "text": answer}}, "stopReason": "stop"}},
	} {
		b, err := json.Marshal(line)
		must(t, err)
		session.Write(append(b, '\n'))
	}
	d.keys += fmt.Sprintf("[stages]\nfocus = [\"echo\", '%s']\nsession = [\"sh\", \"-c\", \"cat >/dev/null; exec %s --agent pi --file %s\"]\n",
		piFocus, filepath.Join(programs, "vi-session"), file("session.jsonl", session.String()))
	d.lab = newLabWith(t, server, d.text(), extra)
	return d
}

// text is the configuration now.
func (d *discreet) text() string {
	return fmt.Sprintf("[asr]\nengine = %q\n[deliver]\nto = \"stdout\"\n[history]\nenabled = %t\n%s", d.engine, d.history, strings.Replace(d.keys, "[llm]\n", fmt.Sprintf("[llm]\nmodel = %q\n", d.model), 1))
}

// use puts an engine and a model into force.
func (d *discreet) use(engine, model string) {
	d.t.Helper()
	d.engine, d.model = engine, model
	d.configure(d.text())
	d.hup("the configuration was read again")
}

// hup has the daemon read its configuration, and waits for what it says.
func (d *discreet) hup(says string) {
	d.t.Helper()
	before := strings.Count(d.logged(), says)
	d.daemon.Process.Signal(syscall.SIGHUP)
	d.server.WaitFor(says, func() bool { return strings.Count(d.logged(), says) > before })
}

func (d *discreet) logged() string {
	b, _ := os.ReadFile(d.log)
	return string(b)
}

// show checks whatever the programs tell about what goes on.
func (d *discreet) show(secrets []secret) {
	d.t.Helper()
	for _, args := range []string{"status", "status --format json", "status --format waybar", "diagnostics", "diagnostics --format json", "config check --config " + d.config} {
		_, out := d.run(strings.Fields(args)...)
		holdsNone(d.t, "voice-input "+args, out, secrets)
	}
}

// Keys stay where they belong, wherever they come from.
func TestSecretsWithKeysInFiles(t *testing.T) {
	t.Parallel()
	secretsStayInside(t, "file", false)
}

func TestSecretsWithKeysOfCommands(t *testing.T) {
	t.Parallel()
	secretsStayInside(t, "command", false)
}

func TestSecretsWithKeysInTheEnvironment(t *testing.T) {
	t.Parallel()
	secretsStayInside(t, "environment", false)
}

func TestSecretsWithCredentials(t *testing.T) {
	t.Parallel()
	secretsStayInside(t, "credential", false)
}

// Nothing comes out when everything fails.
func TestSecretsWhenAllFails(t *testing.T) {
	t.Parallel()
	secretsStayInside(t, "environment", true)
}

// secretsStayInside runs takes that go well and takes that fail, and looks at
// every process, all that is told, and all that is left.
func secretsStayInside(t *testing.T, source string, fails bool) {
	t.Helper()
	d := newDiscreet(t, source)
	secrets := everySecret(source == "environment")
	w := d.lab.watch(secrets)
	mic := d.server.Mic()
	take := func(private bool, end ...string) {
		t.Helper()
		args := []string{"start"}
		if private {
			args = append(args, "--private")
		}
		for tries := 1; ; tries++ {
			d.record(0, args...)
			mic.Speak(speech())
			d.await(Recording)
			d.server.WaitFor("the look-up", func() bool { return d.status().Context != "" })
			// A loaded machine may need more than the second that a look-up has.
			if d.status().Context != "timeout" || tries == 5 {
				break
			}
			d.record(0, "cancel")
			d.quiet()
			discardSpool(d.lab)
		}
		d.show(secrets)
		d.run(append([]string{"record"}, end...)...)
	}

	take(false, "stop", "--wait")
	want := "Open the " + secretText + " panel and close it."
	if got := d.delivered(); got != want+"\n" {
		t.Fatalf("delivered %q, want %q", got, want)
	}
	if q := d.llm.Journal(); len(q) != 1 || !strings.Contains(strings.Join(q[0].Terms, " "), secretTerm) {
		t.Errorf("the term did not reach the model, so nothing is proved: %+v", q)
	}
	d.use("bad", "fake/edit") // the service refuses the key
	take(false, "stop", "--wait")
	if s := d.status(); s.Error == nil || s.Error.Stage != "asr" {
		t.Errorf("a bad key: %+v", s.Error)
	}
	d.show(secrets)
	d.use("good", "fake/status-401") // the model refuses it
	d.record(0, "retry", "--wait")
	d.show(secrets)
	if fails {
		d.failures(secrets, take)
	}
	d.doctored(secrets)
	d.daemon.Process.Signal(syscall.SIGTERM)
	d.daemon.Wait()
	w.end()
	d.nothingRuns()
	d.left(secrets)
}

// failures are the ways to fail that have nothing to do with where keys come
// from.
func (d *discreet) failures(secrets []secret, take func(bool, ...string)) {
	t := d.t
	t.Helper()
	d.use("hang", "fake/hang") // nobody answers
	take(false, "stop")
	d.await(Recognizing)
	d.show(secrets)
	d.await(Idle)
	d.show(secrets)
	d.use("good", "fake/hang")
	d.record(0, "retry", "--wait")
	d.show(secrets)

	// A crash with a trace of the stack, while each holds all that it has.
	d.use("hang", "fake/hang")
	take(false, "stop")
	d.await(Recognizing)
	d.signal("vi-asr", syscall.SIGABRT)
	d.await(Idle)
	d.use("good", "fake/hang")
	d.record(0, "retry")
	d.await(Refining)
	d.signal("vi-refine", syscall.SIGABRT)
	d.await(Idle)
	if !strings.Contains(d.logged(), "SIGABRT") {
		t.Error("nothing has crashed")
	}
	d.show(secrets)

	// A configuration that cannot be used, with a key in it.
	for name, text := range map[string]string{
		"unknown key": "[llm]\napi_key = \"" + secretLLM + "\"\n",
		"no quotes":   "[llm]\napi_key_file = " + secretLLM + "\n",
		"in a URL":    "[llm]\nurl = \"https://user:" + secretLLM + "@example.org/v1\"\n",
		"no section":  secretLLM + "\n",
		"wrong kind":  "[llm]\nenabled = \"" + secretLLM + "\"\n",
		"wrong word":  "[asr.service.x]\nprotocol = \"" + secretASR + "\"\n",
	} {
		d.configure(text)
		d.hup("error: config")
		d.show(secrets)
		if _, out := d.run("config", "check", "--config", d.config); !strings.Contains(out, "config.toml:") {
			t.Errorf("%s: %q is no error of the configuration", name, out)
		}
	}

	// Without a history, and private: the words are delivered and nowhere else.
	must(t, os.Remove(d.historyFile()))
	before := d.delivered()
	d.history = false
	d.use("good", "fake/edit")
	take(false, "stop", "--wait")
	d.history = true
	d.use("good", "fake/edit")
	take(true, "stop", "--wait")
	take(true, "cancel")
	if got := strings.Count(d.delivered()[len(before):], secretText); got != 2 {
		t.Errorf("%d of 2 takes were delivered", got)
	}
	d.server.WaitFor("the samples' end", func() bool { return len(d.spooled()) == 0 })
	filesHoldNone(t, d.home, secrets)
	if _, err := os.Stat(d.historyFile()); err == nil {
		t.Error("a history was written")
	}
}

// doctored has the doctor look at the services, with keys that are right.
func (d *discreet) doctored(secrets []secret) {
	d.t.Helper()
	for _, format := range []string{"text", "json"} {
		_, out := d.run("doctor", "--format", format, "--config", d.config)
		holdsNone(d.t, "the doctor", out, secrets)
		if !strings.Contains(out, "recogniser") {
			d.t.Errorf("the doctor did not look: %s", out)
		}
	}
}

// left checks what is there after the end: the history, and nothing else of the
// takes.
func (d *discreet) left(secrets []secret) {
	d.t.Helper()
	holdsNone(d.t, "the log", d.logged(), secrets)
	filesHoldNone(d.t, d.home, secrets, d.historyFile())
	for _, name := range filesHoldNone(d.t, filepath.Join(d.server.RuntimeDir, "voice-input"), secrets) {
		if name != "daemon.lock" {
			d.t.Errorf("%s is left in the runtime directory", name)
		}
	}
	if files := filesHoldNone(d.t, d.tmp, secrets); len(files) > 0 {
		d.t.Errorf("left in the temporary directory: %v", files)
	}
}

// TestTitlesStayInside has a window with a title, which is looked at and which
// is delivered into: nothing tells the title.
func TestTitlesStayInside(t *testing.T) {
	t.Parallel()
	secrets := []secret{{"a title", secretTitle, false}, {"what was said", words, false}}
	display := desktoptest.X11(t)
	desktoptest.Openbox(t, []string{"PATH=" + os.Getenv("PATH"), "DISPLAY=" + display, "HOME=" + desktoptest.Dir(t)})
	reader := desktoptest.NewReader(t, true)
	named := []string{"sh", "-c", "printf '\\033]2;%s\\007' " + secretTitle + "; exec \"$@\"", "sh"}
	kitty := desktoptest.StartKitty(t, []string{"DISPLAY=" + display}, filepath.Join(desktoptest.Dir(t), "kitty"), append(named, reader.Command...)...)
	reader.Ready()
	desktoptest.Until(t, "the title", func() bool { return strings.Contains(string(kitty.Do("ls", nil)), secretTitle) })

	server := soundtest.Pulse(t)
	l := newLabWith(t, server, strings.Replace(local, "stdout", "auto", 1)+"[llm]\nagent_context_enabled = true\n", []string{"DISPLAY=" + display})
	w := l.watch(secrets)
	l.say(server.Mic())
	l.record(0, "stop", "--wait")
	if got := reader.Next(len(words)); !strings.Contains(got, words) {
		t.Errorf("Kitty was given %q", got)
	}
	for _, args := range []string{"status --format json", "diagnostics", "diagnostics --format json", "doctor", "doctor --format json"} {
		_, out := l.run(strings.Fields(args)...)
		holdsNone(t, args, out, secrets)
	}
	l.daemon.Process.Signal(syscall.SIGTERM)
	l.daemon.Wait()
	w.end()
	log, _ := os.ReadFile(l.log)
	holdsNone(t, "the log", string(log), secrets)
	filesHoldNone(t, server.RuntimeDir, secrets)
	filesHoldNone(t, server.Home, secrets[:1])
}

// What is dictated without a daemon leaves no core files either.
func TestDictateLeavesNoCores(t *testing.T) {
	t.Parallel()
	l := &lab{t: t, server: soundtest.EmptyPulse(t), config: filepath.Join(t.TempDir(), "config.toml")}
	l.configure("[stages]\n" + script(t, "asr", `cat >/dev/null; echo "{\"schema\":\"vi.asr/1\",\"reason\":\"ok\",\"type\":\"final\",\"outcome\":\"usable\",\"text\":\"cores $(ulimit -c)\"}"`))
	wav, err := filepath.Abs("../../tests/testdata/speech/goforward.wav")
	must(t, err)
	if status, out := l.run("dictate", "--config", l.config, "--file", wav); status != 0 || out != "cores 0\n" {
		t.Errorf("status %d: %q", status, out)
	}
}

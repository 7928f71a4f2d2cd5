package supervise

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"voice-input/pkg/internal/soundtest"
	"voice-input/pkg/wire"
)

// script is a program of the user's, as [stages] takes it.
func script(t testing.TB, stage, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), stage)
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o700); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s = [%q]\n", stage, path)
}

const toStdout = "[deliver]\nto = \"stdout\"\n"

// quietLab is a daemon whose recorder is a script, so that no sound server is
// needed.
func quietLab(t testing.TB, config string) *lab {
	t.Helper()
	return newLab(t, soundtest.EmptyPulse(t), config)
}

// A toggle in each phase does what the table says, and there is never more
// than one recorder.
func TestV1_ToggleInEachPhase(t *testing.T) {
	t.Parallel()
	server := soundtest.Pulse(t)
	l := newLab(t, server, local+"[stages]\nrefine = [\"sh\", \"-c\", \"sleep 2; exec "+filepath.Join(programs, "vi-refine")+" --engine none\"]\ntype = [\"sh\", \"-c\", \"sleep 2; exec "+filepath.Join(programs, "vi-type")+" --to stdout --report /dev/null\"]\n")
	mic := server.Mic()
	l.record(0, "toggle")
	if n := len(l.children("vi-capture")); n != 1 {
		t.Errorf("arming: %d recorders", n)
	}
	mic.Speak(speech())
	l.await(Recording)
	time.Sleep(debounce)
	l.record(0, "toggle")
	for _, phase := range []Phase{Refining, Delivering} {
		l.await(phase)
		l.record(75, "toggle")
		if n := len(l.children("vi-capture")); n != 0 {
			t.Errorf("%s: %d recorders", phase, n)
		}
	}
	l.await(Idle)
}

// Commands of the take before do nothing to the one at hand.
func TestV2_StaleCancel(t *testing.T) {
	t.Parallel()
	server := soundtest.Pulse(t)
	l := newLab(t, server, local)
	l.record(1, "cancel")
	var first wire.Reply
	if err := wire.Decode([]byte(strings.TrimSpace(l.record(0, "start"))), &first); err != nil {
		t.Fatal(err)
	}
	l.record(0, "cancel", "--job", first.Job)
	l.say(server.Mic())
	for _, c := range []string{"cancel", "stop"} {
		l.record(1, c, "--job", first.Job)
	}
	if s := l.status(); s.Phase != string(Recording) || s.Job == first.Job {
		t.Errorf("after a stale cancel: %s", s.Phase)
	}
	l.record(0, "stop", "--wait")
	if got := l.delivered(); got != words+"\n" {
		t.Errorf("delivered %q", got)
	}
}

// What lies in the files of the runtime directory makes no signal go anywhere.
func TestV4_NoPidFileIsTrusted(t *testing.T) {
	t.Parallel()
	server := soundtest.EmptyPulse(t)
	sleeper := exec.Command("sleep", "1000")
	if err := sleeper.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		sleeper.Process.Kill()
		sleeper.Wait()
	}()
	dir := filepath.Join(server.RuntimeDir, "voice-input")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"-1", "0", "1", "abc", "", fmt.Sprint(sleeper.Process.Pid)} {
		for _, name := range []string{"daemon.lock", "control.sock", "daemon.pid"} {
			os.Remove(filepath.Join(dir, name))
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		l := newLab(t, server, toStdout)
		l.record(1, "stop")
		l.kill()
		if status, _ := l.run("record", "stop"); status != 69 {
			t.Errorf("without a daemon stop ends with %d", status)
		}
	}
	if err := syscall.Kill(sleeper.Process.Pid, 0); err != nil {
		t.Error("the stranger was hit")
	}
}

// Of twenty daemons one serves, and after its end the next start works.
func TestV5_ManyDaemons(t *testing.T) {
	t.Parallel()
	l := quietLab(t, toStdout)
	var refused atomic.Int32
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if status, out := l.run("daemon", "--config", l.config); status == 73 && strings.Contains(out, "another daemon runs") {
				refused.Add(1)
			}
		})
	}
	wg.Wait()
	if n := refused.Load(); n != 20 {
		t.Errorf("%d of 20 were refused", n)
	}
	l.record(1, "stop")
	l.kill()
	l.start()
	l.record(1, "stop")
}

// The text of a cancelled take never comes, and the take after it is whole.
func TestV6_LateResult(t *testing.T) {
	t.Parallel()
	server := soundtest.Pulse(t)
	l := newLab(t, server, toStdout+"[stages]\n"+script(t, "asr",
		`n=$(wc -c); sleep 2; echo "{\"schema\":\"vi.asr/1\",\"reason\":\"ok\",\"type\":\"final\",\"outcome\":\"usable\",\"text\":\"bytes $n\"}"`))
	mic := server.Mic()
	l.say(mic)
	l.record(0, "stop")
	l.await(Recognizing)
	l.record(0, "cancel")
	l.say(mic)
	l.record(0, "stop", "--wait")
	if got := l.delivered(); strings.Count(got, "bytes") != 1 {
		t.Errorf("delivered %q", got)
	}
	server.WaitFor("the end of the recognisers", func() bool { return len(l.children("/asr")) == 0 })
}

// counting writes a ramp of samples that are never zero.
const counting = `exec python3 -c '
import sys, time, signal, os
def ramp(a, b): return b"".join((i %% 30000 + 1).to_bytes(2, "little") for i in range(a, b))
%s
'`

// The recorder of the user is a script; what is recognised is what it wrote.
func TestRecorders(t *testing.T) {
	t.Parallel()
	const seconds = 16000
	tests := []struct {
		name, python string
		stop         bool   // else the take ends by itself
		want         int    // samples
		stage        string // whose error is shown
		truncated    bool
	}{
		{"C1 twenty times as fast as speech", `
out = sys.stdout.buffer
for at in range(0, 160000, 320):
    out.write(ramp(at, at + 320)); out.flush(); time.sleep(0.001)
`, false, 10 * seconds, "", false},
		{"C2 more after TERM", `
out = sys.stdout.buffer
def end(*_):
    out.write(ramp(16000, 28800)); out.flush(); os._exit(0)
signal.signal(signal.SIGTERM, end)
out.write(ramp(0, 16000)); out.flush()
while True: signal.pause()
`, true, 28800, "", false},
		{"V8 deaf to TERM", `
signal.signal(signal.SIGTERM, signal.SIG_IGN)
out = sys.stdout.buffer
out.write(ramp(0, 16000)); out.flush()
while True: time.sleep(1)
`, true, seconds, "capture", false},
		{"C4 odd pieces", `
data, at = ramp(0, 16000) + b"x", 0
while at < len(data):
    n = [1, 3, 4095][at % 3]
    os.write(1, data[at:at + n]); at += n
`, false, seconds, "", false},
		{"C5 nothing more", `
out = sys.stdout.buffer
out.write(ramp(0, 32000)); out.flush()
while True: time.sleep(1)
`, false, 2 * seconds, "capture", false},
		{"C7 killed", `
out = sys.stdout.buffer
out.write(ramp(0, 48000)); out.flush()
os.kill(os.getpid(), 9)
`, false, 3 * seconds, "capture", false},
		{"C10 longer than the limit", `
out = sys.stdout.buffer
out.write(ramp(0, 80000)); out.flush()
while True: time.sleep(1)
`, false, 3 * seconds, "", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			limit := 60_000
			if tt.truncated {
				limit = 3_000
			}
			kept := filepath.Join(t.TempDir(), "heard")
			l := quietLab(t, fmt.Sprintf("[audio]\nmax_duration_ms = %d\nstall_ms = 1000\n", limit)+toStdout+"[stages]\n"+
				script(t, "capture", fmt.Sprintf(counting, tt.python))+
				script(t, "asr", `cat > `+kept+`; echo '{"schema":"vi.asr/1","reason":"ok","type":"final","outcome":"usable","text":"heard"}'`))
			l.record(0, "start")
			if tt.stop {
				l.server.WaitFor("a second", func() bool { return l.status().RecordingMS >= 1000 || size(first(l.spooled())) >= 2*seconds })
				l.record(0, "stop")
			}
			l.server.WaitFor("the delivery", func() bool { return l.delivered() != "" })
			got, err := os.ReadFile(kept)
			if err != nil {
				t.Fatal(err)
			}
			var want bytes.Buffer
			for i := range tt.want {
				want.Write([]byte{byte(i%30000 + 1), byte((i%30000 + 1) >> 8)})
			}
			if !bytes.Equal(got, want.Bytes()) {
				t.Errorf("%d samples were heard, want the first %d; equal so far: %t", len(got)/2, tt.want, bytes.HasPrefix(want.Bytes(), got))
			}
			l.await(Idle)
			s := l.status()
			if s.Truncated != tt.truncated || (s.Error != nil) != (tt.stage != "") || s.Error != nil && s.Error.Stage != tt.stage {
				t.Errorf("status: truncated %t, error %+v", s.Truncated, s.Error)
			}
			l.server.WaitFor("the recorder's end", func() bool { return len(l.children("/capture")) == 0 })
		})
	}
}

func first(paths []string) string {
	if len(paths) == 0 {
		return ""
	}
	return paths[0]
}

// A stream of zeros is silence and no stall.
func TestC5_ZerosAreNoStall(t *testing.T) {
	t.Parallel()
	l := quietLab(t, "[audio]\nstall_ms = 500\n"+toStdout+"[stages]\n"+sink+script(t, "capture", `while :; do head -c 3200 /dev/zero; sleep 0.1; done`))
	l.record(0, "start")
	l.server.WaitFor("three seconds", func() bool { return size(first(l.spooled())) > 3*32000 })
	if s := l.status(); s.Error != nil || s.Phase == string(Idle) {
		t.Errorf("%s, %+v", s.Phase, s.Error)
	}
	l.record(0, "cancel")
}

// A recogniser that fails, in whatever way, costs no word: the samples are
// kept, private, and bring the right text once it works again.
func TestV9_RecognitionFails(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"refuses": `cat >/dev/null; echo '{"schema":"vi.asr/1","reason":"ok","type":"error","kind":"auth","code":"401"}'`,
		"500":     `cat >/dev/null; echo '{"schema":"vi.asr/1","reason":"ok","type":"error","kind":"service","code":"500"}'; exit 69`,
		"dies":    `head -c 100 >/dev/null; kill -9 $$`,
		"empty":   `cat >/dev/null; echo '{"schema":"vi.asr/1","reason":"ok","type":"final","outcome":"empty","speech":{"heard":true,"speech_ms":2000,"audio_ms":2500,"peak":0.5}}'`,
		"silent":  `cat >/dev/null`,
		"chatter": `cat >/dev/null; echo nonsense; yes '{"schema":' | head -c 100000`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := soundtest.Pulse(t)
			l := newLab(t, server, toStdout+"[stages]\n"+script(t, "asr", text))
			l.say(server.Mic())
			l.record(0, "stop")
			l.await(Idle)
			files := l.spooled()
			if len(files) != 1 {
				t.Fatalf("%d takes are kept", len(files))
			}
			if info, err := os.Stat(files[0]); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%v, %v", info, err)
			}
			if s := l.status(); s.Recoverable != 1 {
				t.Errorf("%d to retry", s.Recoverable)
			}
			l.configure(local)
			l.daemon.Process.Signal(syscall.SIGHUP)
			server.WaitFor("the new recogniser", func() bool { return len(l.children("engines/pocketsphinx")) == 1 })
			l.record(0, "retry", "--wait")
			if got := l.delivered(); got != words+"\n" {
				t.Errorf("delivered %q", got)
			}
		})
	}
}

// Whatever an error says, each line for a bar is one JSON object, and its
// tooltip is safe markup.
func TestV11_StatusLines(t *testing.T) {
	for _, detail := range []string{`say "hello"`, "two\nlines", "<b>bold</b> & more", "a\u2028b", "\x00\x1b[31m", strings.Repeat("long ", 10000)} {
		s := &wire.Status{Phase: "idle", Error: &wire.StatusError{Stage: "asr", Detail: detail}}
		line := waybar(s)
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil || strings.ContainsAny(line, "\n\u2028") {
			t.Errorf("%q: %v", line, err)
		}
		tooltip, _ := m["tooltip"].(string)
		if strings.ContainsAny(tooltip, "<>") || strings.Contains(strings.NewReplacer("&amp;", "", "&lt;", "", "&gt;", "").Replace(tooltip), "&") {
			t.Errorf("markup in %q", tooltip)
		}
	}
}

// A stage that leaves a process with its pipes behind ends in its time, with
// all that it started.
func TestV14_DescendantHoldsThePipe(t *testing.T) {
	t.Parallel()
	const holds = "sleep 30 & sleep 30; wait"
	for _, stage := range []string{"refine", "type", "focus", "session"} {
		t.Run(stage, func(t *testing.T) {
			t.Parallel()
			server := soundtest.Pulse(t)
			config := local + "[llm]\nagent_context_enabled = true\ntimeout_ms = 1000\n[stages]\n" + script(t, stage, holds)
			if stage == "session" {
				config += fmt.Sprintf("focus = [\"echo\", '%s']\n", piFocus)
			}
			l := newLab(t, server, config)
			l.say(server.Mic())
			l.record(0, "stop")
			l.await(Idle)
			l.server.WaitFor("the end of all it started", func() bool { return len(l.children("sleep\x0030")) == 0 })
			if stage == "type" {
				return
			}
			if got := l.delivered(); got != words+"\n" {
				t.Errorf("delivered %q", got)
			}
		})
	}
}

package asr

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"voice-input/pkg/wire"
)

const threeTerms = `{"schema":"vi.terms/1","reason":"ok","terms":[{"text":"beta"},{"text":"gamma"}],"views":{},"vocabulary":[{"text":"alpha","weight":2}]}`

// Every end that vi-asr can have, through the real program.
func TestEnds(t *testing.T) {
	silence := make([]byte, 64000)
	said := spoken(t)
	dir := t.TempDir()
	terms, broken := filepath.Join(dir, "terms.json"), filepath.Join(dir, "broken.json")
	os.WriteFile(terms, []byte(threeTerms+"\n"), 0o600)
	os.WriteFile(broken, []byte("{}"), 0o600)

	tests := []struct {
		name, args string
		stdin      []byte
		status     int
		outcome    string // of the final event, "" if there is none
		reason     string
		kind, code string
		text       string
		stderr     string // all of it, or its beginning if it ends in …
	}{
		{"text", "--engine says --model Hello", said, 0, "usable", "ok", "", "", "Hello", ""},
		{"one of the terms", "--engine says --model beta --terms " + terms, said, 0, "usable", "ok", "", "", "beta", ""},
		{"every sample", "--engine count --terms " + terms + " --language en-GB", said, 0, "usable", "ok", "", "", counted(said) + "hints alpha+beta+gamma language en-GB", ""},
		{"crash after settled text", "--engine dies-after-text", said, 0, "degraded", "ok", "crashed", "exit_3", "open the file",
			"vi-asr: warning: engine \"dies-after-text\" failed: it ended: exit status 3; what was recognised before is kept\n"},
		{"crash after segments", "--engine dies-after-segments", said, 0, "degraded", "ok", "crashed", "exit_3", "Open the file. Close it.", "vi-asr: warning: …"},
		{"final before the end", "--engine early", said, 0, "degraded", "ok", "protocol", "early_final", "only the beginning", "vi-asr: warning: …"},
		{"final without the settled text", "--engine empty-final", said, 0, "degraded", "ok", "protocol", "final_empty", "open the file", "vi-asr: warning: …"},
		{"broken terms", "--engine says --model Hello --terms " + broken, said, 0, "usable", "ok", "", "", "Hello",
			"vi-asr: warning: goes on without terms: cannot read vi.terms/1 record: member \"schema\" is missing\n"},

		{"silence", "--engine says --model Hello", silence, 1, "empty", "no_speech", "", "", "", ""},
		{"no text", "--engine says", said, 1, "empty", "no_speech", "", "", "", ""},
		{"nothing", "--engine says --model Hello", nil, 1, "empty", "no_audio", "", "", "", ""},
		{"the hints back", "--engine echo --terms " + terms, said, 1, "empty", "echo", "", "", "", ""},
		{"crash in silence", "--engine dies-after-text", silence, 75, "", "failed", "crashed", "exit_3", "", "vi-asr: error: …"},

		{"unknown flag", "--nope", nil, 64, "", "", "", "", "", "vi-asr: error: …"},
		{"operand", "file.wav", nil, 64, "", "", "", "", "", "vi-asr: error: …"},
		{"rate", "--rate 3999", nil, 64, "", "", "", "", "", "vi-asr: error: --rate: 3999 Hz is not in 4000 to 192000\n"},
		{"format", "--format mp3", nil, 64, "", "", "", "", "", "vi-asr: error: no such format \"mp3\"\nvi-asr: hint: one of auto, wav, s16le\n"},
		{"language", "--language english!", nil, 64, "", "", "", "", "", "vi-asr: error: --language: …"},
		{"name of an engine", "--engine é", nil, 64, "", "", "", "", "", "vi-asr: error: no engine can be called \"é\": …"},
		{"pace", "--pace slow", nil, 64, "", "", "", "", "", "vi-asr: error: no such pace \"slow\"\nvi-asr: hint: one of fast, realtime\n"},
		{"takes with a file", "--takes --file x", nil, 64, "", "", "", "", "", "vi-asr: error: --file does not go with --takes: …"},
		{"no such file", "--engine says --file " + filepath.Join(dir, "absent"), nil, 66, "", "", "", "", "", "vi-asr: error: cannot read audio: stat …"},
		{"takes with terms", "--takes --terms x", nil, 64, "", "", "", "", "", "vi-asr: error: --terms does not go with --takes: …"},

		{"PNG", "--engine says", []byte("\x89PNG\r\n\x1a\n0000"), 65, "", "failed", "audio", "not_audio", "",
			"vi-asr: error: cannot read audio: it is PNG, must be WAV or bare samples\n"},
		{"odd bytes", "--engine says", said[:10001], 65, "", "failed", "audio", "odd_length", "", "vi-asr: error: cannot read audio: …"},
		{"no WAV", "--engine says --format wav", said, 65, "", "failed", "audio", "not_wav", "", "vi-asr: error: cannot read audio: …"},
		{"no terms file", "--engine says --terms " + filepath.Join(dir, "absent"), said, 66, "", "", "", "", "",
			"vi-asr: error: cannot read terms: stat …"},
		{"no such engine", "--engine nemo", said, 69, "", "", "", "", "", "vi-asr: error: no engine \"nemo\"\nvi-asr: hint: looked for …"},
		{"no such engine program", "--engine ./nemo", said, 69, "", "", "", "", "", "vi-asr: error: no engine \"./nemo\"\nvi-asr: hint: looked for ./nemo\n"},
		{"refused model", "--engine refuses --model huge", said, 69, "", "failed", "unavailable", "exit_69", "",
			"vi-asr: error: engine \"refuses\" failed: before it was ready it ended: exit status 69: cannot load model \"huge\"\nvi-asr: hint: vi-asr engines …"},
		{"language that it does not know", "--engine language --language xx", said, 69, "", "failed", "language", "unsupported", "", "vi-asr: error: …"},
		{"does not take the samples", "--engine no-open", said, 75, "", "failed", "timeout", "fifo_not_opened", "", "vi-asr: error: …"},
		{"crash", "--engine dies", said, 75, "", "failed", "crashed", "exit_3", "", "vi-asr: error: engine \"dies\" failed: it ended: exit status 3\n"},
		{"nonsense", "--engine garbage", said, 76, "", "failed", "protocol", "not_a_record", "", "vi-asr: error: …"},
		{"flood", "--engine floods-lines", said, 76, "", "failed", "protocol", "flood", "", "vi-asr: error: …"},
		{"nonsense in an error", "--engine own-kind", said, 76, "", "failed", "protocol", strings.Repeat("__", 20), "", "vi-asr: error: …"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newSandbox(t).run(bytes.NewReader(tt.stdin), strings.Fields(tt.args)...)
			if r.status != tt.status {
				t.Errorf("status %d, want %d", r.status, tt.status)
			}
			if begin, part := strings.CutSuffix(tt.stderr, "…"); !strings.HasPrefix(r.stderr, begin) || !part && r.stderr != begin {
				t.Errorf("standard error %q, want %q", r.stderr, tt.stderr)
			}
			if tt.reason == "" {
				if r.stdout != "" {
					t.Errorf("standard output %q", r.stdout)
				}
				return
			}
			ev := r.last(t)
			text := ev.Text
			if strings.HasPrefix(text, "pid ") {
				_, text, _ = strings.Cut(text[4:], " ")
			}
			if ev.Outcome != tt.outcome || ev.Reason != tt.reason || ev.Kind != tt.kind || !strings.HasPrefix(ev.Code, tt.code) || text != tt.text {
				t.Errorf("got %+v", ev)
			}
			if ev.Type == wire.ASRFinal && (ev.Speech == nil || ev.Speech.AudioMS != int64(len(tt.stdin)/32)) {
				t.Errorf("speech %+v for %d ms", ev.Speech, len(tt.stdin)/32)
			}
		})
	}
}

func TestEventsOfATake(t *testing.T) {
	r := newSandbox(t).run(bytes.NewReader(spoken(t)), "--engine", "partials")
	if r.status != 0 {
		t.Fatal(r.stderr)
	}
	r.last(t)
	var got []string
	for _, ev := range r.events {
		got = append(got, fmt.Sprintf("%s %s|%s", ev.Type, ev.Committed, ev.Draft))
	}
	want := "ready |; partial |open; partial open| the file; final |; stats |"
	if strings.Join(got, "; ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "; "), want)
	}
	s := r.events[len(r.events)-1].Stats
	if s == nil || s.Partials != 2 || s.AudioMS != int64(len(spoken(t))/32) {
		t.Errorf("statistics %+v", s)
	}
}

// WAV in, samples of 16 kHz out; bare samples of another rate need --rate.
func TestForms(t *testing.T) {
	said := spoken(t)
	sox := func(args ...string) []byte {
		cmd := exec.Command("sox", append(strings.Fields("-D -t raw -r 16000 -c 1 -b 16 -e signed -"), args...)...)
		cmd.Stdin = bytes.NewReader(said)
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	for _, tt := range []struct {
		name, args string
		in         []byte
		exact      bool
	}{
		{"WAV on a pipe", "", sox("-t", "wav", "-"), true},
		{"stereo WAV of 48 kHz", "", sox("-t", "wav", "-r", "48000", "-c", "2", "-b", "24", "-"), false},
		{"bare samples of 44.1 kHz", "--rate 44100", sox("-t", "raw", "-r", "44100", "-"), false},
		{"bare samples that begin like a WAV", "--format s16le", append([]byte("RIFF"), said...), false},
	} {
		r := newSandbox(t).run(bytes.NewReader(tt.in), append([]string{"--engine", "count"}, strings.Fields(tt.args)...)...)
		if r.status != 0 {
			t.Fatalf("%s: %s", tt.name, r.stderr)
		}
		ev := r.last(t)
		if tt.exact && !strings.Contains(ev.Text, counted(said)) {
			t.Errorf("%s: %q, want %q", tt.name, ev.Text, counted(said))
		}
		if ms := ev.Speech.AudioMS - int64(len(said)/32); ms < -1 || ms > 1 {
			t.Errorf("%s: %d ms too many", tt.name, ms)
		}
	}
}

func TestTerminal(t *testing.T) {
	ptmx, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer ptmx.Close()
	n, err := unix.IoctlGetInt(int(ptmx.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetPointerInt(int(ptmx.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	tty, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer tty.Close()
	for _, args := range [][]string{{"--engine", "says"}, {"--engine", "says", "--takes"}} {
		if r := newSandbox(t).run(tty, args...); r.status != 64 || r.stdout != "" || !strings.Contains(r.stderr, "standard input is a terminal") {
			t.Errorf("%q: %+v", args, r)
		}
	}
}

// A reader of the events that is gone, and one whose disk is full.
func TestOutputFails(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	s := newSandbox(t)
	cmd := s.command("--engine", "says", "--model", "x")
	cmd.Stdin, cmd.Stdout = bytes.NewReader(spoken(t)), full
	cmd.Run()
	if got := cmd.ProcessState.ExitCode(); got != 74 {
		t.Errorf("full disk: status %d, want 74", got)
	}
}

func TestNoPrivateDirectory(t *testing.T) {
	s := newSandbox(t)
	s.env = append(s.env, "XDG_RUNTIME_DIR=/proc/none", "TMPDIR=/proc/none")
	if r := s.run(bytes.NewReader(nil), "--engine", "says"); r.status != 73 {
		t.Errorf("%+v", r)
	}
}

func TestLocal(t *testing.T) {
	s := newSandbox(t)
	r := s.run(bytes.NewReader(spoken(t)), "--explain")
	if ev := r.last(t); r.status != 0 || ev.Engine != "pocketsphinx" {
		t.Errorf("%+v", r)
	}
	for _, want := range []string{
		"vi-asr: explain: local engine is not \"whisper\": whisper: error: no model [31m\n",
		"vi-asr: explain: local engine is \"pocketsphinx\"",
	} {
		if !strings.Contains(r.stderr, want) {
			t.Errorf("standard error %q, want %q", r.stderr, want)
		}
	}
	if quiet := s.run(bytes.NewReader(spoken(t))); quiet.stderr != "" {
		t.Errorf("standard error %q", quiet.stderr)
	}
	s.env = append(s.env, "VI_ENGINES=", "PATH=/proc/none")
	if r := s.run(bytes.NewReader(nil)); r.status != 69 || !strings.Contains(r.stderr, "vi-asr: hint: install ") {
		t.Errorf("without any: %+v", r)
	}
	list := s.command("engines")
	out, _ := list.Output()
	if list.ProcessState.ExitCode() != 1 || strings.Contains(string(out), `"program"`) || strings.Contains(string(out), `"available":true`) {
		t.Errorf("engines without any: status %d, %s", list.ProcessState.ExitCode(), out)
	}
}

func TestEngines(t *testing.T) {
	s := newSandbox(t)
	cmd := s.command("engines")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var names, services []string
	for line := range strings.Lines(string(out)) {
		var e wire.Engine
		if err := wire.Decode([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		if e.Kind == wire.EngineService {
			services = append(services, e.Name+" "+e.Protocol)
			continue
		}
		names = append(names, e.Name)
		if bad := e.Name == "whisper"; e.Available == bad || (e.Detail != "") != bad || (e.Reason == "unavailable") != bad {
			t.Errorf("%+v", e)
		}
		if e.Path != filepath.Join(programs.engines, e.Name) {
			t.Errorf("%+v", e)
		}
	}
	if len(names) != len(modes) {
		t.Errorf("%q, want %q", names, modes)
	}
	want := []string{"openai openai", "qwen-audio3 qwen-audio3", "qwen3-realtime qwen3-realtime", "whisper-server whisper-server"}
	if !slices.Equal(services, want) {
		t.Errorf("%q, want %q", services, want)
	}
}

// TERM ends vi-asr and the engine with everything that it started, wherever
// they are.
func TestTerm(t *testing.T) {
	for _, mode := range []string{"count", "stops-reading", "no-final", "no-open", "ignores-term"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			cmd := s.command("--engine", mode)
			in, _ := cmd.StdinPipe()
			out, _ := cmd.StdoutPipe()
			var errs bytes.Buffer
			cmd.Stderr = &errs
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			go in.Write(make([]byte, 200000))
			br := bufio.NewReader(out)
			if line, err := br.ReadString('\n'); err != nil || !strings.Contains(line, `"ready"`) {
				t.Errorf("%q, %v", line, err)
			}
			time.Sleep(100 * time.Millisecond) // somewhere behind it
			began := time.Now()
			cmd.Process.Signal(syscall.SIGTERM)
			io.Copy(io.Discard, br)
			cmd.Wait()
			t.Logf("ended after %s", time.Since(began))
			if got := cmd.ProcessState.ExitCode(); got != 143 {
				t.Errorf("status %d, want 143: %s", got, errs.String())
			}
		})
	}
}

// TERM ends vi-asr also when nobody reads its events.
func TestTermWithoutAReader(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	cmd := s.command("--engine", "floods-lines")
	cmd.Stdin = bytes.NewReader(spoken(t))
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	if _, err := unix.FcntlInt(w.Fd(), unix.F_SETPIPE_SZ, 4096); err != nil {
		t.Fatal(err)
	}
	cmd.Stdout = w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// Until the pipe is full.
	for range 1000 {
		n, err := unix.IoctlGetInt(int(r.Fd()), unix.TIOCINQ)
		if err != nil {
			t.Fatal(err)
		}
		if n > 4000 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	cmd.Process.Signal(syscall.SIGTERM)
	cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != 143 {
		t.Errorf("status %d, want 143", got)
	}
}

// PocketSphinx, the engine that is shipped, on human speech.
func TestPocketSphinx(t *testing.T) {
	said, err := os.ReadFile("/usr/share/pocketsphinx/test/data/goforward.raw")
	if err != nil {
		if os.Getenv("VI_TEST_ALLOW_SKIP") == "1" {
			t.Skip(err)
		}
		t.Fatal(err)
	}
	shipped, _ := filepath.Abs("../../share/engines/pocketsphinx")
	r := newSandbox(t).run(bytes.NewReader(said), "--engine", shipped)
	if ev := r.last(t); r.status != 0 || ev.Text != "go forward ten meters" || ev.Engine != "pocketsphinx" {
		t.Errorf("%d: %s%s", r.status, r.stdout, r.stderr)
	}
}

package supervise

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"voice-input/pkg/config"
	"voice-input/pkg/internal/soundtest"
	"voice-input/pkg/wire"
)

// send sends a command without a program in between, which may take longer
// than what is tried.
func (l *lab) send(c Command) *wire.Reply {
	l.t.Helper()
	r, err := ask(l.t.Context(), filepath.Join(l.server.RuntimeDir, "voice-input"), &wire.Control{Command: string(c)})
	if err != nil {
		l.t.Fatal(err)
	}
	return r
}

// Push-to-talk: the take lasts as long as the key is held; a tap, where taps
// are wanted, makes it last until the next press.
func TestPushToTalk(t *testing.T) {
	t.Parallel()
	server := soundtest.Pulse(t)
	l := newLab(t, server, local+"[hotkey]\ntap_ms = 1000\n")
	mic := server.Mic()
	l.record(1, "release") // of a key whose press meant something else

	l.record(0, "press")
	l.record(0, "press") // the key repeats itself
	mic.Speak(speech())
	l.await(Recording)
	time.Sleep(time.Second) // longer than a tap
	l.record(0, "release", "--wait")
	if got := l.delivered(); got != words+"\n" {
		t.Errorf("held: delivered %q", got)
	}

	time.Sleep(debounce)
	l.send(Press)
	l.send(Release) // at once, however slow the machine is
	mic.Speak(speech())
	l.await(Recording)
	time.Sleep(debounce)
	l.record(0, "press", "--wait")
	l.record(1, "release")
	if got := l.delivered(); got != words+"\n"+words+"\n" {
		t.Errorf("tapped: delivered %q", got)
	}
	l.quiet()
}

// A key that chatters begins one take and does not end it (W19).
func TestBouncedToggle(t *testing.T) {
	t.Parallel()
	server := soundtest.Pulse(t)
	l := newLab(t, server, local)
	l.send(Toggle)
	for range 3 {
		if r := l.send(Toggle); r.Reason != "bounced" {
			t.Errorf("answer %+v", r)
		}
	}
	server.Mic().Speak(speech())
	l.await(Recording)
	time.Sleep(debounce)
	l.record(0, "toggle")
	l.await(Idle)
	if got := l.delivered(); got != words+"\n" {
		t.Errorf("delivered %q", got)
	}
}

// Cancelling can be taken back, and only that of the take that was cancelled
// (V2, V6); repeat delivers the last words once more.
func TestUndoCancelAndRepeat(t *testing.T) {
	t.Parallel()
	server := soundtest.Pulse(t)
	l := newLab(t, server, local)
	mic := server.Mic()
	l.record(1, "undo-cancel")
	l.record(1, "repeat")
	l.say(mic)
	l.record(0, "cancel")
	l.record(0, "undo-cancel", "--wait")
	if got := l.delivered(); got != words+"\n" {
		t.Errorf("undone: delivered %q", got)
	}
	l.record(1, "undo-cancel")
	l.record(0, "repeat", "--wait")
	if got := l.delivered(); got != words+"\n"+words+"\n" {
		t.Errorf("repeated: delivered %q", got)
	}
	if s := l.status(); s.Last.Outcome != "delivered" || s.Recoverable != 0 {
		t.Errorf("%+v", s.Last)
	}
}

// A take in which no words are found does not stand in the way of those before
// it.
func TestRetryGoesBack(t *testing.T) {
	t.Parallel()
	server := soundtest.Pulse(t)
	l := newLab(t, server, toStdout+"[stages]\n"+script(t, "asr", `n=$(wc -c)
if [ "$n" -lt 60000 ]; then
	echo '{"schema":"vi.asr/1","reason":"no_speech","type":"final","outcome":"empty","speech":{"heard":true,"speech_ms":100,"audio_ms":200,"peak":0.5}}'
else
	echo '{"schema":"vi.asr/1","reason":"ok","type":"final","outcome":"usable","text":"words"}'
fi`))
	mic := server.Mic()
	for _, pcm := range [][]byte{speech(), speech()[:20*step]} {
		l.record(0, "start")
		mic.Speak(pcm)
		l.await(Recording)
		l.record(0, "cancel")
		l.quiet()
	}
	for i, want := range []int{1, 0, 1, 1} {
		if status, out := l.run("record", "retry", "--wait"); status != want {
			t.Errorf("retry %d: status %d, want %d: %s", i, status, want, out)
		}
	}
	if got := l.delivered(); got != "words\n" {
		t.Errorf("delivered %q", got)
	}
}

// Of a private take nothing is left, however it ends.
func TestPrivateTakeLeavesNothing(t *testing.T) {
	t.Parallel()
	server := soundtest.Pulse(t)
	l := newLab(t, server, local)
	mic := server.Mic()
	for _, end := range []string{"cancel", "stop"} {
		l.record(0, "start", "--private")
		mic.Speak(speech())
		l.await(Recording)
		if !l.status().Private {
			t.Error("the status does not say that the take is private")
		}
		l.record(0, end)
		l.await(Idle)
		server.WaitFor("the samples' end", func() bool { return len(l.spooled()) == 0 })
		for _, command := range []string{"retry", "undo-cancel", "repeat"} {
			l.record(1, command)
		}
	}
	if got := l.delivered(); got != words+"\n" {
		t.Errorf("delivered %q", got)
	}
}

// With pre-roll a take begins before its command, never reaches into the one
// before it (W3), and nothing is missing or doubled where the two meet.
func TestPreRoll(t *testing.T) {
	t.Parallel()
	const preRoll = 500 * time.Millisecond
	server := soundtest.Pulse(t)
	l := newLab(t, server, fmt.Sprintf("[audio]\npre_roll_ms = %d\n[deliver]\nto = \"stdout\"\n[stages]\n", preRoll.Milliseconds())+sink)
	p := play(server.Mic(), 7)
	defer p.end()
	server.WaitFor("an open microphone", func() bool { return len(l.children("vi-capture")) == 1 })
	pid := l.children("vi-capture")[0]
	last := 0
	for i := range 3 {
		at := p.written()
		switch i {
		case 0, 2: // more than the pre-roll after the take before
			server.WaitFor("a second of samples", func() bool { return p.written() > at+100*step })
		}
		before := p.written()
		l.record(0, "start")
		path := filepath.Join(t.TempDir(), "take")
		files := l.spooled() // those before are kept for a retry
		if err := os.Link(files[len(files)-1], path); err != nil {
			t.Fatal(err)
		}
		started := p.written()
		server.WaitFor("some samples", func() bool { return p.written() > started+30*step })
		l.record(0, "stop")
		l.await(Idle)
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		from := bytes.Index(p.pcm, got)
		if from < 0 {
			t.Fatalf("take %d has a gap or a repeat", i)
		}
		if from < last {
			t.Errorf("take %d begins at byte %d, before the end of the last one, %d", i, from, last)
		}
		switch roll := maxBytesInt(preRoll); {
		case i == 1 && before-last < roll && from != last:
			t.Errorf("take %d begins at byte %d, not where the last one ended, %d", i, from, last)
		case i != 1 && (from > started-roll || from < before-roll-50*step):
			t.Errorf("take %d begins at byte %d; the start was at %d to %d", i, from, before, started)
		}
		last = from + len(got)
	}
	if now := l.children("vi-capture"); len(now) != 1 || now[0] != pid {
		t.Errorf("the microphone was not kept open: %v, then %v", pid, now)
	}
	// It comes back when it is lost.
	l.kill9("vi-capture")
	server.WaitFor("another recorder", func() bool { now := l.children("vi-capture"); return len(now) == 1 && now[0] != pid })
	l.daemon.Process.Signal(syscall.SIGTERM)
	l.daemon.Wait()
	l.nothingRuns()
}

// HUP reads the configuration again; a wrong one changes nothing (V13), and
// one that comes during a take waits for its end.
func TestReload(t *testing.T) {
	t.Parallel()
	server := soundtest.Pulse(t)
	l := newLab(t, server, local)
	mic := server.Mic()
	hup := func(config string) {
		t.Helper()
		l.configure(config)
		l.daemon.Process.Signal(syscall.SIGHUP)
	}
	hup("[asr]\nengine = \"poc")
	server.WaitFor("the error", func() bool { s := l.status(); return s.Error != nil && s.Error.Stage == "config" })
	l.say(mic)
	l.record(0, "stop", "--wait")

	l.say(mic)
	upper := "[stages]\nrefine = [\"sh\", \"-c\", \"tr a-z A-Z | sed 's/.*TEXT\\\":\\\"\\\\([^\\\"]*\\\\).*/{\\\"schema\\\":\\\"vi.refine\\\\/1\\\",\\\"reason\\\":\\\"ok\\\",\\\"text\\\":\\\"\\\\1\\\",\\\"outcome\\\":\\\"refined\\\"}/'\"]\n"
	hup(local + upper)
	time.Sleep(100 * time.Millisecond) // while the take is at hand nothing happens
	l.record(0, "stop", "--wait")
	l.say(mic)
	l.record(0, "stop", "--wait")
	if got, want := l.delivered(), words+"\n"+words+"\n"+strings.ToUpper(words)+"\n"; got != want {
		t.Errorf("delivered %q, want %q", got, want)
	}
	// Of the old recogniser nothing is left.
	server.WaitFor("one recogniser", func() bool { return len(l.children("vi-asr")) == 1 })
}

// A process that is stopped, not killed, ends nothing and loses nothing: its
// time runs out, the status says so, and the words come, at once or by retry.
func TestStoppedCapture(t *testing.T) {
	t.Parallel()
	stoppedProcess(t, "[audio]\nstall_ms = 1000\n", Recording, "vi-capture", true, "capture")
}

func TestStoppedRecogniser(t *testing.T) {
	t.Parallel()
	stoppedProcess(t, "", Recognizing, "vi-asr", false, "asr")
}

func TestStoppedEngine(t *testing.T) {
	t.Parallel()
	stoppedProcess(t, "", Recognizing, "engines/pocketsphinx", false, "asr")
}

func TestStoppedRefiner(t *testing.T) {
	t.Parallel()
	stoppedProcess(t, "[llm]\ntimeout_ms = 1000\n"+slow("refine", "vi-refine"), Refining, "sleep 3", true, "refine")
}

func TestStoppedTyper(t *testing.T) {
	t.Parallel()
	stoppedProcess(t, slow("type", "vi-type --to stdout --report /dev/null"), Delivering, "sleep 3", false, "deliver")
}

// stoppedProcess stops the process with a word in its command line in a phase.
func stoppedProcess(t *testing.T, more string, phase Phase, word string, delivered bool, stage string) {
	t.Helper()
	server := soundtest.Pulse(t)
	l := newLab(t, server, local+more)
	l.say(server.Mic())
	if phase == Recognizing {
		l.signal(word, syscall.SIGSTOP)
	}
	if phase != Recording {
		l.record(0, "stop")
	}
	l.await(phase)
	if phase != Recognizing {
		l.signal(word, syscall.SIGSTOP)
	}
	// The recogniser has the longest time of all.
	for end := time.Now().Add(2 * recognitionTime(config.Default().ASR, 5*time.Second, false)); l.status().Phase != string(Idle); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the phase is still %s", l.status().Phase)
		}
	}
	s := l.status()
	if stage != "" && (s.Error == nil || s.Error.Stage != stage) {
		t.Errorf("status shows %+v, want an error of %s", s.Error, stage)
	}
	if !delivered {
		l.kill()
		l.configure(local)
		l.start()
		l.record(0, "retry", "--wait")
	}
	if got := l.delivered(); got != words+"\n" {
		t.Errorf("delivered %q, want %q; %+v", got, words, s.Last)
	}
	l.quiet()
}

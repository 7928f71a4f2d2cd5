package supervise

import (
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"voice-input/pkg/internal/soundtest"
)

// slow is a stage that can be caught at work: it waits before it does what
// the real one does.
func slow(stage, program string) string {
	return fmt.Sprintf("[stages]\n%s = [\"sh\", \"-c\", \"sleep 3; exec %s\"]\n", stage, filepath.Join(programs, program))
}

// A process is killed as kill -9 does, in a phase. Afterwards the status tells
// the truth, nothing records and no stage runs, and the words are delivered:
// at once, or by retry.
func TestKill(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		config string // besides local
		phase  Phase  // in which the process is killed
		kill   string // words of its command line; server, daemon
		// delivered without retry; else retry brings the words.
		delivered bool
		stage     string // whose error status shows
	}{
		{"capture while recording", "", Recording, "vi-capture", true, "capture"},
		{"recogniser while recording", "", Recording, "vi-asr", true, "asr"},
		{"engine while recording", "", Recording, "engines/pocketsphinx", true, "asr"},
		{"sound server while recording", "", Recording, "server", true, "capture"},
		{"daemon while recording", "", Recording, "daemon", false, ""},
		{"recogniser while recognizing", "", Recognizing, "vi-asr", true, ""},
		{"engine while recognizing", "", Recognizing, "engines/pocketsphinx", true, ""},
		{"daemon while recognizing", "", Recognizing, "daemon", false, ""},
		{"recogniser while refining", slow("refine", "vi-refine"), Refining, "vi-asr", true, ""},
		{"refiner while refining", slow("refine", "vi-refine"), Refining, "sleep 3", true, "refine"},
		{"daemon while refining", slow("refine", "vi-refine"), Refining, "daemon", false, ""},
		{"typer while delivering", slow("type", "vi-type --to stdout --report /dev/null"), Delivering, "sleep 3", false, "deliver"},
		{"daemon while delivering", slow("type", "vi-type --to stdout --report /dev/null"), Delivering, "daemon", false, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			server := soundtest.Pulse(t)
			l := newLab(t, server, local+tt.config)
			l.say(server.Mic())
			if tt.phase != Recording {
				l.record(0, "toggle")
				l.await(tt.phase)
			}
			switch tt.kill {
			case "server":
				server.Kill()
			case "daemon":
				l.kill()
				if s := l.status(); s.Phase != stopped {
					t.Errorf("without a daemon the phase is %q", s.Phase)
				}
				l.nothingRuns()
				l.configure(local)
				l.start()
			default:
				l.kill9(tt.kill)
			}
			if tt.phase == Recording && (tt.kill == "vi-asr" || strings.HasPrefix(tt.kill, "engines")) {
				// The recording goes on and is recognised when it stops.
				l.server.WaitFor("the error", func() bool { return l.status().Error != nil })
				if s := l.status(); s.Phase != string(Recording) {
					t.Errorf("phase %s, the recording did not go on", s.Phase)
				}
				l.record(0, "toggle")
			}
			l.await(Idle)
			l.quiet()
			s := l.status()
			if tt.stage != "" && (s.Error == nil || s.Error.Stage != tt.stage) {
				t.Errorf("status shows %+v, want an error of %s", s.Error, tt.stage)
			}
			if s.Error != nil && strings.Contains(s.Error.Detail, "forward") {
				t.Error("the error holds dictated text")
			}
			if got := l.delivered() != ""; got != tt.delivered {
				t.Fatalf("delivered %t, want %t; %+v", got, tt.delivered, s.Last)
			}
			if !tt.delivered {
				if s.Recoverable != 1 {
					t.Errorf("%d takes to retry, want 1", s.Recoverable)
				}
				if strings.HasPrefix(tt.config, "[stages]\ntype") && tt.kill != "daemon" {
					l.kill()
					l.configure(local)
					l.start()
				}
				l.record(0, "retry", "--wait")
			}
			if got := l.delivered(); got != words+"\n" {
				t.Errorf("delivered %q, want %q", got, words)
			}
			if n := len(l.spooled()); n != 0 {
				t.Errorf("%d takes are left in the spool", n)
			}
		})
	}
}

// Before the first sample there is nothing to lose: the take ends with an
// error, nothing is left of it, and the next one works.
func TestKillWhileArming(t *testing.T) {
	t.Parallel()
	for _, kill := range []string{"vi-capture", "vi-asr", "engines/pocketsphinx", "daemon"} {
		t.Run(kill, func(t *testing.T) {
			t.Parallel()
			server := soundtest.Pulse(t)
			l := newLab(t, server, local)
			l.record(0, "start")
			if kill == "daemon" {
				l.kill()
				l.nothingRuns()
				l.start()
			} else {
				l.kill9(kill)
			}
			if kill == "vi-capture" {
				l.await(Idle)
				if s := l.status(); s.Error == nil || s.Error.Stage != "capture" || s.Last.Outcome != "failed" {
					t.Errorf("status shows %+v, %+v", s.Error, s.Last)
				}
			}
			mic := server.Mic()
			if kill == "vi-capture" || kill == "daemon" {
				l.record(1, "retry")
				l.record(0, "start")
			}
			mic.Speak(speech())
			l.await(Recording)
			l.record(0, "stop", "--wait")
			if got := l.delivered(); got != words+"\n" {
				t.Errorf("delivered %q, want %q", got, words)
			}
			l.quiet()
			if n := len(l.spooled()); n != 0 {
				t.Errorf("%d takes are left in the spool", n)
			}
		})
	}
}

// A cancelled take delivers nothing, and retry brings it back.
func TestCancelAndRetry(t *testing.T) {
	t.Parallel()
	for _, phase := range []Phase{Arming, Recording, Recognizing, Refining} {
		t.Run(string(phase), func(t *testing.T) {
			t.Parallel()
			server := soundtest.Pulse(t)
			config := local
			if phase == Refining {
				config += slow("refine", "vi-refine")
			}
			l := newLab(t, server, config)
			if phase == Arming {
				l.record(0, "toggle")
			} else {
				l.say(server.Mic())
			}
			if phase == Recognizing || phase == Refining {
				l.record(0, "toggle")
				l.await(phase)
			}
			l.record(0, "cancel")
			if s := l.status(); s.Phase != string(Idle) || s.Last == nil || s.Last.Outcome != "cancelled" {
				t.Errorf("after cancel: %s, %+v", s.Phase, s.Last)
			}
			l.quiet()
			if got := l.delivered(); got != "" {
				t.Errorf("a cancelled take delivered %q", got)
			}
			if phase == Arming {
				server.WaitFor("the empty take's end", func() bool { return len(l.spooled()) == 0 })
				l.record(1, "retry")
				return
			}
			l.record(0, "retry", "--wait")
			if got := l.delivered(); got != words+"\n" {
				t.Errorf("delivered %q, want %q", got, words)
			}
		})
	}
}

// One model is loaded for many takes.
func TestEngineStaysLoaded(t *testing.T) {
	t.Parallel()
	server := soundtest.Pulse(t)
	l := newLab(t, server, local)
	server.WaitFor("the engine", func() bool { return len(l.children("engines/pocketsphinx")) == 1 })
	before := l.children("engines/pocketsphinx")
	mic := server.Mic()
	for range 2 {
		l.say(mic)
		l.record(0, "stop", "--wait")
	}
	if after := l.children("engines/pocketsphinx"); len(after) != 1 || after[0] != before[0] {
		t.Errorf("the engine was %v and is %v", before, after)
	}
	if got := l.delivered(); got != words+"\n"+words+"\n" {
		t.Errorf("delivered %q", got)
	}
}

// TERM ends the daemon well: nothing runs on, and the take is kept.
func TestTermKeepsTheTake(t *testing.T) {
	t.Parallel()
	server := soundtest.Pulse(t)
	l := newLab(t, server, local)
	l.say(server.Mic())
	l.daemon.Process.Signal(syscall.SIGTERM)
	if err := l.daemon.Wait(); err != nil {
		t.Errorf("the daemon ended with %v", err)
	}
	l.nothingRuns()
	l.start()
	l.record(0, "retry", "--wait")
	if got := l.delivered(); got != words+"\n" {
		t.Errorf("delivered %q, want %q", got, words)
	}
}

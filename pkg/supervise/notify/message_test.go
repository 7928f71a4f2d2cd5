package notify

import (
	"fmt"
	"strings"
	"testing"

	"voice-input/pkg/wire"
)

func ended(outcome string, warnings ...string) *wire.StatusResult {
	return &wire.StatusResult{Job: "1", Outcome: outcome, Warnings: warnings}
}

func TestMessage(t *testing.T) {
	lost := &wire.StatusError{Stage: "capture", Detail: "the source was removed", Hint: "vi-capture sources shows what can be recorded"}
	held := &wire.StatusError{Stage: "deliver", Detail: "the target is gone or another window has the focus"}
	tests := []struct {
		name string
		s    wire.Status
		want Note
	}{
		{"no status yet", wire.Status{}, Note{}},
		{"idle", wire.Status{Phase: "idle"}, Note{}},
		{"no daemon", wire.Status{Phase: "stopped"}, Note{}},
		{"arming", wire.Status{Phase: "arming"}, Note{Progress, "Opening the microphone", "", 0}},
		{"recording", wire.Status{Phase: "recording"}, Note{Progress, "Recording", "", 1}},
		{"speaking", wire.Status{Phase: "recording", Level: 0.1}, Note{Progress, "Recording", "", 71}},
		{"private", wire.Status{Phase: "recording", Private: true}, Note{Progress, "Recording", "Nothing is kept of it.", 1}},
		{"recognizing", wire.Status{Phase: "recognizing", Level: 0.1}, Note{Progress, "Recognising", "", 0}},
		{"refining", wire.Status{Phase: "refining"}, Note{Progress, "Refining", "", 0}},
		{"delivering", wire.Status{Phase: "delivering"}, Note{Progress, "Delivering", "", 0}},
		{"delivered", wire.Status{Phase: "idle", Last: ended("delivered")}, Note{}},
		{"cancelled", wire.Status{Phase: "idle", Last: ended("cancelled"), Recoverable: 1}, Note{}},
		{"a warning that needs nothing", wire.Status{Phase: "idle", Last: ended("delivered", "clipboard_not_readable")}, Note{}},
		{"nobody spoke", wire.Status{Phase: "idle", Last: ended("empty")}, Note{Notice, "No speech was heard", "", 0}},
		{"left on the clipboard", wire.Status{Phase: "idle", Last: ended("delivered", "left_on_clipboard")}, Note{Notice, "The text is on the clipboard.", "It could not be brought into the window.", 0}},
		{"left there by the take before", wire.Status{Phase: "recording", Last: ended("delivered", "left_on_clipboard")}, Note{Progress, "Recording", "", 1}},
		{"device lost while recording", wire.Status{Phase: "recording", Error: lost}, Note{Problem, "The recording has failed", "the source was removed\nvi-capture sources shows what can be recorded", 0}},
		{"device lost, going on", wire.Status{Phase: "recognizing", Error: lost}, Note{Problem, "The recording has failed", "the source was removed\nvi-capture sources shows what can be recorded", 0}},
		{"not recognised", wire.Status{Phase: "idle", Error: &wire.StatusError{Stage: "asr", Detail: "no engine"}, Last: ended("failed")}, Note{Problem, "The recognition has failed", "no engine", 0}},
		{"not refined", wire.Status{Phase: "delivering", Error: &wire.StatusError{Stage: "refine", Detail: "timeout"}}, Note{Notice, "The text was not refined", "timeout", 0}},
		{"text held", wire.Status{Phase: "idle", Error: held, Last: ended("failed")}, Note{Problem, "The text was not delivered", "the target is gone or another window has the focus", 0}},
		{"text held on the clipboard", wire.Status{Phase: "idle", Error: held, Last: ended("failed", "left_on_clipboard")}, Note{Problem, "The text was not delivered", "the target is gone or another window has the focus\nThe text is on the clipboard.", 0}},
		{"disk full", wire.Status{Phase: "idle", Error: &wire.StatusError{Stage: "spool", Detail: "no space left"}}, Note{Problem, "The recording cannot be kept", "no space left", 0}},
		{"a stage of a later version", wire.Status{Phase: "idle", Error: &wire.StatusError{Stage: "new", Detail: "x"}}, Note{Problem, "The dictation has failed", "x", 0}},
		{"failed, the error has expired", wire.Status{Phase: "idle", Last: ended("failed"), Recoverable: 1}, Note{Problem, "The dictation has failed", "voice-input record retry recognises it again.", 0}},
		{"failed and not kept", wire.Status{Phase: "idle", Last: ended("failed")}, Note{Problem, "The dictation has failed", "", 0}},
		{"C10: the longest duration was reached", wire.Status{Phase: "recognizing", Truncated: true}, truncated},
		{"C10: while refining", wire.Status{Phase: "refining", Truncated: true}, truncated},
		{"C10: while delivering", wire.Status{Phase: "delivering", Truncated: true}, truncated},
		{"C10: delivered", wire.Status{Phase: "idle", Truncated: true, Last: ended("delivered")}, truncated},
		{"C10: cancelled", wire.Status{Phase: "idle", Truncated: true, Last: ended("cancelled")}, Note{}},
		{"V9: a crash before", wire.Status{Phase: "idle", Recoverable: 1}, Note{Notice, "A dictation was not delivered", "voice-input record retry recognises it again.", 0}},
		{"V9: crashes before", wire.Status{Phase: "idle", Recoverable: 3}, Note{Notice, "A dictation was not delivered", "3 recordings are kept; voice-input record retry recognises the newest again.", 0}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, changed := Message(wire.Status{}, tt.s)
			if got != tt.want || changed == tt.want.None() {
				t.Errorf("got %+v, %t, want %+v", got, changed, tt.want)
			}
			if _, changed := Message(tt.s, tt.s); changed {
				t.Error("the same status changes something")
			}
		})
	}
}

// statuses returns every combination of what Message looks at, each with a
// text that must not be shown.
func statuses() []wire.Status {
	errors := []*wire.StatusError{nil}
	for stage := range stages {
		errors = append(errors, &wire.StatusError{Stage: stage, Detail: "detail"}, &wire.StatusError{Stage: stage, Detail: "detail", Hint: "hint"})
	}
	lasts := []*wire.StatusResult{nil}
	for _, outcome := range []string{"delivered", "empty", "cancelled", "failed"} {
		lasts = append(lasts, ended(outcome), ended(outcome, "left_on_clipboard"))
	}
	var all []wire.Status
	for _, phase := range []string{"idle", "arming", "recording", "recognizing", "refining", "delivering"} {
		for _, e := range errors {
			for _, last := range lasts {
				for mix := range 12 {
					all = append(all, wire.Status{
						Phase: phase, Error: e, Last: last, Truncated: mix&1 > 0, Private: mix&2 > 0, Recoverable: mix >> 2,
						Level: 0.5, Text: "sentinel", Job: "sentinel", Context: "sentinel",
					})
				}
			}
		}
	}
	return all
}

// What holds for every status there can be.
func TestMessageOfEveryStatus(t *testing.T) {
	for _, s := range statuses() {
		n, changed := Message(wire.Status{}, s)
		describe := fmt.Sprintf("%s %+v %+v: %+v", s.Phase, s.Error, s.Last, n)
		switch {
		case changed == n.None():
			t.Errorf("changed %t: %s", changed, describe)
		case strings.Contains(fmt.Sprint(n), "sentinel"):
			t.Errorf("holds what is private: %s", describe)
		case s.Error != nil && (n.Level < Notice || !strings.HasPrefix(n.Body, "detail") || strings.Contains(n.Body, "hint") != (s.Error.Hint != "")):
			t.Errorf("an error is not shown: %s", describe)
		case s.Error == nil && s.Phase != idle && n.None():
			t.Errorf("a phase is not shown: %s", describe)
		case n.Value > 0 && (s.Phase != "recording" || n.Level > Progress):
			t.Errorf("a level where none is heard: %s", describe)
		case s.Phase == idle && n.Level == Progress && !n.None():
			t.Errorf("progress without a take: %s", describe)
		}
	}
}

// A change shows something else, but for an error that expires after the take
// was lost: what has been read need not be said again in other words.
func TestMessageChanges(t *testing.T) {
	all := statuses()
	expired := 0
	for i, prev := range all {
		if i%97 > 0 { // a part of the pairs is enough, every status is in one
			continue
		}
		for _, now := range all {
			n, changed := Message(prev, now)
			before, _ := Message(wire.Status{}, prev)
			after, _ := Message(wire.Status{}, now)
			if prev.Error != nil && now.Error == nil && failed(prev) && failed(now) {
				if expired++; changed || n != before {
					t.Fatalf("%+v: changed to %+v", prev.Error, n)
				}
				continue
			}
			if n != after || changed != (before != after) {
				t.Fatalf("from %+v to %+v: %+v, %t", before, after, n, changed)
			}
		}
	}
	if expired == 0 {
		t.Error("no error expired")
	}
	// Another take is another matter.
	prev := wire.Status{Phase: idle, Error: &wire.StatusError{Stage: "asr", Detail: "x"}, Last: ended("failed")}
	now := wire.Status{Phase: idle, Last: &wire.StatusResult{Job: "2", Outcome: "failed"}}
	if _, changed := Message(prev, now); !changed {
		t.Error("a second failure is not told")
	}
}

func TestPercent(t *testing.T) {
	for level, want := range map[float64]int{0: 0, -1: 0, 0.0005: 0, 0.001: 0, 0.002: 10, 0.01: 30, 0.1: 70, 0.5: 90, 1: 100, 7: 100} {
		if got := percent(level); got != want {
			t.Errorf("%g: %d, want %d", level, got, want)
		}
	}
	var nan float64
	if nan /= nan; percent(nan) != 0 {
		t.Error("not a number")
	}
}

func TestWanted(t *testing.T) {
	for notifications, want := range map[string][3]bool{"off": {}, "errors": {false, true, true}, "all": {true, true, true}, "": {}} {
		for level, want := range want {
			if got := wanted(notifications, Note{Level: Level(level), Summary: "x"}); got != want {
				t.Errorf("%q, level %d: %t", notifications, level, got)
			}
		}
	}
}

func TestAddresses(t *testing.T) {
	tests := []struct {
		name, address, runtime string
		want                   string
	}{
		{"none", "", "", ""},
		{"of the session", "", "/run/user/7", "/run/user/7/bus"},
		{"relative directory", "", "run", ""},
		{"path", "unix:path=/run/user/7/bus", "/other", "/run/user/7/bus"},
		{"path with an id", "unix:path=/run/bus,guid=0123", "", "/run/bus"},
		{"abstract", "unix:abstract=/tmp/dbus-x,guid=0123", "", "@/tmp/dbus-x"},
		{"escaped", "unix:path=/run/a%20b%2c", "", "/run/a b,"},
		{"badly escaped", "unix:path=/run/%zz", "", ""},
		{"NUL", "unix:path=/run/%00", "", ""},
		{"several", "tcp:host=example.com,port=1;unix:path=/a;unix:path=/b", "", "/a /b"},
		{"a program is not started", "unixexec:path=/bin/sh,argv1=-c", "", ""},
		{"nothing is launched", "autolaunch:", "/run/user/7", ""},
		{"a directory is none", "unix:tmpdir=/tmp", "", ""},
		{"relative path", "unix:path=bus", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			getenv := func(k string) string {
				return map[string]string{"DBUS_SESSION_BUS_ADDRESS": tt.address, "XDG_RUNTIME_DIR": tt.runtime}[k]
			}
			if got := strings.Join(addresses(getenv), " "); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func FuzzAddresses(f *testing.F) {
	f.Add("unix:path=/run/user/1000/bus,guid=12;unix:abstract=%2ftmp")
	f.Add("unixexec:path=/bin/sh;autolaunch:")
	f.Fuzz(func(t *testing.T, list string) {
		for _, a := range parse(list) {
			if a[0] != '/' && a[0] != '@' || strings.ContainsRune(a, 0) {
				t.Fatalf("%q gives %q", list, a)
			}
		}
	})
}

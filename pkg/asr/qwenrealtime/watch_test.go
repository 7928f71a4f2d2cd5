package qwenrealtime

import (
	"testing"
	"time"
)

func TestWatch(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	at := func(s float64) time.Time { return start.Add(time.Duration(s * float64(time.Second))) }
	l := limits{start: 5 * time.Second, active: 8 * time.Second, silence: 8 * time.Second, voiced: time.Second, finalize: 8 * time.Second}
	begun := func(events ...any) watch {
		w := watch{limits: l, updated: at(0)}
		w.event(sessionUpdated, at(0))
		for i := 0; i < len(events); i += 2 {
			w.event(events[i+1].(string), at(events[i].(float64)))
		}
		return w
	}
	finished := func(w watch, s float64, length time.Duration) watch {
		w.end(length, at(s))
		return w
	}
	for _, tt := range []struct {
		name   string
		w      watch
		now    float64
		voiced time.Duration
		why    string
		next   time.Duration
	}{
		{"before the session", watch{limits: l}, 100, 0, "", time.Hour},
		{"waits for the answer", watch{limits: l, updated: at(0)}, 4, 0, "", time.Second},
		{"no answer", watch{limits: l, updated: at(0)}, 5, 0, noAnswer, 0},

		{"silence is no stop", begun(), 100, 0, "", time.Second},
		{"nor is a cough", begun(), 8, 999 * time.Millisecond, "", time.Second},
		{"speech without any event", begun(), 8, time.Second, stalled, 0},
		{"not yet", begun(), 7.5, 9 * time.Second, "", 500 * time.Millisecond},
		{"speech after text", begun(1.0, textEvent, 2.0, speechStopped), 10, 3 * time.Second, stalled, 0},
		{"any event counts", begun(7.0, "session.other"), 14, 3 * time.Second, "", time.Second},

		{"heard but no text", begun(1.0, speechStarted), 9, 0, stalled, 0},
		{"heard, not yet", begun(1.0, speechStarted), 8.5, 0, "", 500 * time.Millisecond},
		{"text puts it off", begun(1.0, speechStarted, 6.0, textEvent), 10, 0, "", 4 * time.Second},
		{"other events do not", begun(1.0, speechStarted, 6.0, "session.other"), 9, 0, stalled, 0},
		{"stopped", begun(1.0, speechStarted, 2.0, speechStopped), 100, 0, "", time.Second},

		{"finalizing", finished(begun(), 10, 10*time.Second), 17, 9 * time.Second, "", time.Second},
		{"finalize over", finished(begun(), 10, 10*time.Second), 18, 0, unfinished, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			why, next := tt.w.check(at(tt.now), func() time.Duration { return tt.voiced })
			if why != tt.why || next != tt.next {
				t.Errorf("%q, %s, want %q, %s", why, next, tt.why, tt.next)
			}
		})
	}
}

// A7: a service that needs long but is at work has the length of the take on
// top; one that says nothing has not, and neither one that never ends.
func TestA7FinalizeFollowsProgress(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	w := watch{limits: limits{finalize: 8 * time.Second}, updated: start, accepted: true}
	w.end(240*time.Second, start)
	for s := 2; s <= 246; s += 2 {
		now := start.Add(time.Duration(s) * time.Second)
		w.event(textEvent, now)
		if why, _ := w.check(now, nil); why != "" {
			t.Fatalf("given up after %d s", s)
		}
	}
	now := start.Add(248 * time.Second)
	w.event(textEvent, now)
	if why, _ := w.check(now, nil); why != unfinished {
		t.Error("it may go on for ever")
	}
}

func TestDue(t *testing.T) {
	for _, tt := range []struct{ sent, burst, since, want time.Duration }{
		{0, 0, 0, 0},
		{4 * time.Second, 0, 0, time.Second},
		{4 * time.Second, 0, time.Second, 0},
		{4 * time.Second, 0, 900 * time.Millisecond, 100 * time.Millisecond},
		{30 * time.Second, 30 * time.Second, 0, 0},
		{34 * time.Second, 30 * time.Second, 0, time.Second},
		{10 * time.Second, 0, 10 * time.Second, 0}, // live
	} {
		if got := due(tt.sent, tt.burst, tt.since); got != tt.want {
			t.Errorf("%+v: %s", tt, got)
		}
	}
}

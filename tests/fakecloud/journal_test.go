package fakecloud

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"
)

// reports counts the errors of a test that is none.
type reports struct{ all []string }

func (r *reports) Helper() {}

func (r *reports) Errorf(format string, args ...any) {
	r.all = append(r.all, fmt.Sprintf(format, args...))
}

// Check sees what a client sent just before it left.
func TestCheckWaitsForTheLastWord(t *testing.T) {
	srv := start(t, Scenario{})
	c := dialTask(t, srv, 1)
	c.finishTask()
	c.sendAudio(Ramp(0, 10))
	c.close()
	var r reports
	srv.Check(&r)
	if len(r.all) != 1 || r.all[0] != "violation: session 1 (task): audio-late "+c.id {
		t.Errorf("reports = %q", r.all)
	}
}

func TestWaitIsBounded(t *testing.T) {
	srv := start(t, Scenario{})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := srv.Wait(ctx, closed(1)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Wait: %v", err)
	}
}

// What Journal returns is the caller's own.
func TestJournalIsACopy(t *testing.T) {
	srv := start(t, Scenario{})
	c := dialTask(t, srv, 1)
	before := srv.Journal()[0]
	c.stream(0, 1600)
	c.finishTask()
	if len(before.Audio[0].Arrivals) != 0 || before.Audio[0].Samples != 0 || len(before.Texts("server")) != 1 {
		t.Errorf("journal = %+v", before)
	}
}

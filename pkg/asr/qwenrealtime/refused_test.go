package qwenrealtime

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"voice-input/pkg/asr/engine"
	"voice-input/tests/fakecloud"
)

// A12: what a service says at the door is told with what to do about it.
func TestA12Refused(t *testing.T) {
	for _, tt := range []struct {
		status     int
		code       string
		kind, want string
	}{
		{401, "InvalidApiKey", engine.Auth, "InvalidApiKey"},
		{403, "AccessDenied", engine.Auth, "AccessDenied"},
		{429, "Throttling", engine.Busy, "Throttling"},
		{503, "ServiceUnavailable", engine.Unavailable, "ServiceUnavailable"},
		{400, "two words", engine.Unavailable, "http_400"},
	} {
		c := start(t, fakecloud.Scenario{Faults: []fakecloud.Fault{{Name: fakecloud.HTTPStatus, Status: tt.status, Code: tt.code}}, Most: map[string]int{fakecloud.Realtime: 1}}, nil)
		c.engine.region = "beijing"
		_, err := c.run(16000)
		var f *engine.Failure
		if !errors.As(err, &f) || f.Kind != tt.kind || f.Code != tt.want || tt.status == 401 && !strings.Contains(f.Hint, `"singapore"`) {
			t.Errorf("%d: %+v", tt.status, err)
		}
		c.srv.Check(t)
	}
	c := start(t, fakecloud.Scenario{Faults: []fakecloud.Fault{{Name: fakecloud.Redirect}}}, nil)
	if _, err := c.run(16000); err == nil || !strings.Contains(err.Error(), "redirect") {
		t.Errorf("%v", err)
	}
	if len(c.srv.Sessions(fakecloud.Trap)) != 0 {
		t.Error("the redirect was followed")
	}
	c = start(t, fakecloud.Scenario{Faults: []fakecloud.Fault{{Name: fakecloud.HangHandshake}}}, func(o *Options) { o.Connect = 200 * time.Millisecond })
	if _, err := c.run(16000); err == nil || !strings.Contains(err.Error(), "no connection within") {
		t.Errorf("%v", err)
	}
	// A connection that breaks at once is tried a second time.
	c = start(t, fakecloud.Scenario{Faults: []fakecloud.Fault{{Name: fakecloud.ResetOnAccept, Connection: 1}}}, nil)
	if text, err := c.run(3 * 16000); text != whole || err != nil {
		t.Errorf("%q, %v", text, err)
	}
}

// Cancelling ends a take at every step: the connection is closed and nothing
// is emitted any more.
func TestCancel(t *testing.T) {
	for name, tt := range map[string]struct {
		fault fakecloud.Fault
		until func([]fakecloud.Session) bool
	}{
		"dialling": {fakecloud.Fault{Name: fakecloud.HangHandshake}, func(all []fakecloud.Session) bool { return true }},
		"starting": {fakecloud.Fault{Name: fakecloud.NoTaskStarted}, func(all []fakecloud.Session) bool { return len(all) == 1 }},
		"speaking": {fakecloud.Fault{Name: fakecloud.UnknownEvent}, func(all []fakecloud.Session) bool {
			return len(all) == 1 && len(all[0].Audio) == 1 && all[0].Audio[0].Samples > 0
		}},
		"reconnecting": {fakecloud.Fault{Name: fakecloud.NoTaskStarted, Connection: 2}, func(all []fakecloud.Session) bool { return len(all) == 2 }},
		"finalizing": {fakecloud.Fault{Name: fakecloud.NeverFinished}, func(all []fakecloud.Session) bool {
			return len(all) == 1 && len(all[0].Audio) == 1 && all[0].Audio[0].Complete
		}},
		"stuck": {fakecloud.Fault{Name: fakecloud.HalfOpen}, func(all []fakecloud.Session) bool { return len(all) == 1 }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			faults := []fakecloud.Fault{tt.fault}
			if name == "reconnecting" {
				faults = append(faults, fakecloud.Fault{Name: fakecloud.CloseBefore, Connection: 1, Samples: 1600})
			}
			c := start(t, fakecloud.Scenario{Faults: faults}, nil)
			c.tape.Write(fakecloud.Ramp(0, 16000))
			if name == "finalizing" {
				c.tape.Close(io.EOF)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var cancelled time.Time
			go func() {
				c.srv.Wait(ctx, tt.until)
				time.Sleep(50 * time.Millisecond)
				cancelled = time.Now()
				cancel()
			}()
			text, err := c.engine.Recognize(ctx, c.take, c.emit)
			t.Logf("ended %s after it was cancelled", time.Since(cancelled))
			events := len(c.events)
			if text != "" || !errors.Is(err, context.Canceled) {
				t.Errorf("%q, %v", text, err)
			}
			if name != "stuck" { // who does not read sees no end
				c.journal()
			}
			if len(c.events) != events {
				t.Error("events after the end")
			}
		})
	}
}

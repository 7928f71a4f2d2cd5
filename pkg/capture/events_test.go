package capture

import (
	"io"
	"strings"
	"testing"

	"voice-input/pkg/wire"
)

// TestEventsKeepWhatMatters drops levels for a reader that does not read, and
// nothing else.
func TestEventsKeepWhatMatters(t *testing.T) {
	out, in := smallPipe(t)
	e := newEvents(in)
	e.emit(&wire.Capture{Type: wire.CaptureReady})
	for range 1000 {
		e.emit(&wire.Capture{Type: wire.CaptureLevel, RMS: 0.5})
	}
	e.emit(&wire.Capture{Header: wire.Header{Reason: "device_lost"}, Type: wire.CaptureDeviceLost})
	e.end("device_lost", 7)
	e.emit(&wire.Capture{Type: wire.CaptureLevel}) // too late

	got, err := io.ReadAll(out)
	if err != nil {
		t.Fatal(err)
	}
	var types []string
	levels := 0
	for line := range strings.Lines(string(got)) {
		var c wire.Capture
		if err := wire.Decode([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		if c.Type == wire.CaptureLevel {
			levels++
			continue
		}
		types = append(types, c.Type)
	}
	if want := "ready device_lost end"; strings.Join(types, " ") != want {
		t.Errorf("events %v, want %s", types, want)
	}
	if levels == 0 || levels == 1000 {
		t.Errorf("%d levels of 1000", levels)
	}
}

package capture

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jfreymuth/pulse/proto"

	"voice-input/pkg/cli"
	"voice-input/pkg/wire"
)

func TestChoose(t *testing.T) {
	mic := wire.CaptureSource{Name: "mic", Default: true}
	other := wire.CaptureSource{Name: "other"}
	monitor := wire.CaptureSource{Name: "monitor", Monitor: true}
	defaultMonitor := wire.CaptureSource{Name: "monitor", Monitor: true, Default: true}
	for _, tt := range []struct {
		name    string
		list    []wire.CaptureSource
		source  string
		want    string
		problem string
	}{
		{"default", []wire.CaptureSource{other, mic, monitor}, "", "mic", ""},
		{"default by its special name", []wire.CaptureSource{other, mic}, "@DEFAULT_SOURCE@", "mic", ""},
		{"by name", []wire.CaptureSource{other, mic}, "other", "other", ""},
		{"monitor by name", []wire.CaptureSource{mic, monitor}, "monitor", "monitor", ""},
		{"no such name", []wire.CaptureSource{mic}, "other", "", `"other": no such source`},
		{"part of a name", []wire.CaptureSource{mic}, "mi", "", `"mi": no such source`},
		{"no source", nil, "", "", "has no microphone"},
		{"only monitors", []wire.CaptureSource{defaultMonitor}, "", "", "has no microphone"},
		{"default is a monitor", []wire.CaptureSource{other, defaultMonitor}, "", "", `"monitor" hears what is played`},
		{"no default", []wire.CaptureSource{other}, "", "", "has chosen none"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := choose(tt.list, tt.source)
			if tt.problem == "" {
				if err != nil || got.Name != tt.want {
					t.Errorf("%q, %v", got.Name, err)
				}
				return
			}
			if cli.StatusOf(err) != cli.StatusNoInput || !strings.Contains(err.Error(), tt.problem) {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestDescribe(t *testing.T) {
	info := func(change func(*proto.GetSourceInfoReply)) *proto.GetSourceInfoReply {
		i := &proto.GetSourceInfoReply{SourceName: "mic", MonitorSourceIndex: proto.Undefined, State: 1, SampleSpec: proto.SampleSpec{Rate: 44100, Channels: 2}}
		change(i)
		return i
	}
	port := func(available uint32) func(*proto.GetSourceInfoReply) {
		return func(i *proto.GetSourceInfoReply) {
			i.ActivePortName = "jack"
			i.Ports = slices.Grow(i.Ports, 1)[:1] // its type has no name
			i.Ports[0].Name, i.Ports[0].Available = "jack", available
		}
	}
	base := wire.CaptureSource{Name: "mic", State: "idle", Rate: 44100, Channels: 2, Available: true}
	for _, tt := range []struct {
		name   string
		info   *proto.GetSourceInfoReply
		change func(*wire.CaptureSource)
	}{
		{"plain", info(func(*proto.GetSourceInfoReply) {}), func(*wire.CaptureSource) {}},
		{"default", info(func(i *proto.GetSourceInfoReply) { i.SourceName = "main" }), func(s *wire.CaptureSource) { s.Name, s.Default = "main", true }},
		{"muted", info(func(i *proto.GetSourceInfoReply) { i.Mute = true }), func(s *wire.CaptureSource) { s.Muted = true }},
		{"monitor", info(func(i *proto.GetSourceInfoReply) { i.MonitorSourceIndex = 3 }), func(s *wire.CaptureSource) { s.Monitor = true }},
		{"monitor by class", info(func(i *proto.GetSourceInfoReply) {
			i.Properties = proto.PropList{"device.class": proto.PropListString("monitor")}
		}), func(s *wire.CaptureSource) { s.Monitor = true }},
		{"unplugged", info(port(1)), func(s *wire.CaptureSource) { s.Available = false }},
		{"plugged", info(port(2)), func(*wire.CaptureSource) {}},
		{"plug unknown", info(port(0)), func(*wire.CaptureSource) {}},
		{"invalid state", info(func(i *proto.GetSourceInfoReply) { i.State = math.MaxUint32 }), func(s *wire.CaptureSource) { s.State = "unknown" }},
		{"running", info(func(i *proto.GetSourceInfoReply) { i.State = 0 }), func(s *wire.CaptureSource) { s.State = "running" }},
	} {
		want := base
		tt.change(&want)
		if got := describe(tt.info, "main"); got != want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, want)
		}
	}
}

func TestSamplesIn(t *testing.T) {
	for d, want := range map[time.Duration]int64{
		0: 0, 62 * time.Microsecond: 0, 62500 * time.Nanosecond: 1, time.Second - 1: Rate - 1, time.Second: Rate,
		1234 * time.Millisecond: 19744, math.MaxInt64: 147573952589676,
	} {
		if got := samplesIn(d); got != want {
			t.Errorf("%s: %d, want %d", d, got, want)
		}
	}
}

func TestMeter(t *testing.T) {
	const low = math.MinInt16
	for _, tt := range []struct {
		name      string
		a, b      int16 // alternating
		rms, peak float64
	}{
		{"silence", 0, 0, 0, 0},
		{"square", 16384, -16384, 0.5, 0.5},
		{"loudest", low, low, 1, 1},
		{"half", 16384, 0, 0.5 / math.Sqrt2, 0.5},
	} {
		var pcm []byte
		for range levelSamples / 2 {
			pcm = binary.LittleEndian.AppendUint16(pcm, uint16(tt.a))
			pcm = binary.LittleEndian.AppendUint16(pcm, uint16(tt.b))
		}
		var m meter
		levels := 0
		for chunk := range slices.Chunk(pcm, 70) { // no divisor of a level
			m.add(chunk, func(rms, peak float64) {
				levels++
				if math.Abs(rms-tt.rms) > 1e-9 || peak != tt.peak {
					t.Errorf("%s: rms %v, peak %v", tt.name, rms, peak)
				}
			})
		}
		if levels != 1 {
			t.Errorf("%s: %d levels", tt.name, levels)
		}
	}
}

func TestQueue(t *testing.T) {
	q := newQueue(8)
	p := make([]byte, 3)
	if n, err := q.pop(p); n != 0 || err != nil {
		t.Errorf("empty: %d, %v", n, err)
	}
	in := []byte("abcde")
	if !q.push(in) {
		t.Error("no room")
	}
	in[0] = 'X' // the caller uses its buffer again
	if q.push([]byte("fghi")) {
		t.Error("room for more than the limit")
	}
	q.finish(io.EOF)
	q.finish(io.ErrUnexpectedEOF)
	if !q.push([]byte("late")) {
		t.Error("no room after the end")
	}
	var got string
	for {
		n, err := q.pop(p)
		got += string(p[:n])
		if err != nil {
			if err != io.EOF {
				t.Errorf("end %v, the first counts", err)
			}
			break
		}
	}
	if got != "abcde" {
		t.Errorf("%q", got)
	}
}

func TestOutcome(t *testing.T) {
	for _, tt := range []struct {
		err    error
		reason string
		status cli.Status
		event  string
	}{
		{nil, wire.OK, cli.StatusOK, ""},
		{io.EOF, "interrupted", cli.StatusOK, ""},
		{syscall.EPIPE, "interrupted", cli.StatusOK, ""},
		{syscall.ENOSPC, "interrupted", cli.StatusIO, ""},
		{errStuck, "overflow", cli.StatusIO, ""},
		{&LostError{Reason: "overflow"}, "overflow", cli.StatusIO, ""},
		{&LostError{Reason: "no_data"}, "no_data", cli.StatusTempFail, ""},
		{&LostError{Reason: "suspended"}, "suspended", cli.StatusUnavailable, wire.CaptureDeviceLost},
		{&LostError{Reason: "device_lost"}, "device_lost", cli.StatusUnavailable, wire.CaptureDeviceLost},
		{&LostError{Reason: "server_lost"}, "server_lost", cli.StatusUnavailable, wire.CaptureDeviceLost},
		{&LostError{Reason: "device_moved"}, "device_moved", cli.StatusUnavailable, wire.CaptureDeviceMoved},
	} {
		reason, err := outcome(tt.err)
		if reason != tt.reason || cli.StatusOf(err) != tt.status {
			t.Errorf("%v: %s, %d", tt.err, reason, cli.StatusOf(err))
		}
		if !slices.Contains(wire.Reasons(wire.SchemaCapture), reason) {
			t.Errorf("%q is no reason of vi.capture/1", reason)
		}
		event := lostEvent(tt.err, 1)
		if (event == nil) != (tt.event == "") || event != nil && event.Type != tt.event {
			t.Errorf("%v: event %+v", tt.err, event)
		}
	}
}

func TestRequestErrors(t *testing.T) {
	for err, want := range map[error]cli.Status{
		context.DeadlineExceeded: cli.StatusTempFail,
		proto.ErrNoSuchEntity:    cli.StatusNoInput,
		proto.ErrAccessDenied:    cli.StatusNoPerm,
		proto.ErrBadState:        cli.StatusUnavailable,
	} {
		if got := cli.StatusOf(requestError("cannot", err)); got != want {
			t.Errorf("%v: %d, want %d", err, got, want)
		}
	}
	if err := requestError("cannot", context.Canceled); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

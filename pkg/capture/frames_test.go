package capture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jfreymuth/pulse/proto"

	"voice-input/pkg/internal/soundtest"
	"voice-input/pkg/wire"
)

// frame returns a frame as a server sends it.
func frame(channel uint32, body []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	b = binary.BigEndian.AppendUint32(b, channel)
	return append(append(b, make([]byte, frameHeader-8)...), body...)
}

// command returns a command with number arguments.
func command(op uint32, args ...uint32) []byte {
	var body []byte
	for _, v := range append([]uint32{op, 0xFFFFFFFF}, args...) {
		body = binary.BigEndian.AppendUint32(append(body, 'L'), v)
	}
	return frame(controlChannel, body)
}

func TestFramesPassOnlyWhatTheLibraryKnows(t *testing.T) {
	samples := frame(3, []byte("samples"))
	for op := uint32(0); op < 300; op++ {
		c := command(op, 1, 2)
		want := samples
		if known(op) {
			want = append(bytes.Clone(c), samples...)
		}
		got, err := io.ReadAll(newFrames(bytes.NewReader(append(bytes.Clone(c), samples...))))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("command %d: %q, %v", op, got, err)
		}
	}
}

func TestFramesRefuseNonsense(t *testing.T) {
	long := frame(3, nil)
	binary.BigEndian.PutUint32(long, maxFrame+1)
	for _, tt := range []struct {
		name string
		in   []byte
		want error
	}{
		{"too long", long, errNonsense},
		{"no command", frame(controlChannel, []byte("L")), errNonsense},
		{"other protocol", []byte("HTTP/1.1 400 Bad Request\r\n"), errNonsense},
		{"cut in the header", long[:5], io.EOF},
	} {
		if _, err := newFrames(bytes.NewReader(tt.in)).Read(make([]byte, 9)); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
}

// FuzzFrames checks that whatever a server sends, what is passed on is whole
// frames of known kinds, and all of their bytes.
func FuzzFrames(f *testing.F) {
	f.Add([]byte{})
	f.Add(append(command(proto.OpReply, 1), command(200)...))
	f.Add(append(command(proto.OpRecordBufferAttrChanged, 1, 2), frame(0, []byte{1, 2, 3})...))
	f.Add(frame(controlChannel, []byte("LLL")))
	f.Fuzz(func(t *testing.T, in []byte) {
		out, _ := io.ReadAll(newFrames(bytes.NewReader(in)))
		if len(out) > len(in) {
			t.Fatalf("%d bytes of %d", len(out), len(in))
		}
		for len(out) >= frameHeader+5 {
			size := int(binary.BigEndian.Uint32(out))
			if binary.BigEndian.Uint32(out[4:]) == controlChannel && !known(binary.BigEndian.Uint32(out[frameHeader+1:])) {
				t.Fatalf("unknown command passed: %q", out)
			}
			out = out[min(len(out), frameHeader+size):]
		}
	})
}

// inject stands between a server and its clients. It puts extra, if there is
// any, before each frame of the server from its second on.
func inject(t *testing.T, server string, extra func() []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			upstream, err := net.Dial("unix", server)
			if err != nil {
				client.Close()
				return
			}
			go func() {
				defer upstream.Close()
				io.Copy(upstream, client)
			}()
			go func() {
				defer client.Close()
				for n := 0; ; n++ {
					head := make([]byte, frameHeader)
					if _, err := io.ReadFull(upstream, head); err != nil {
						return
					}
					if n > 0 {
						client.Write(extra())
					}
					client.Write(head)
					if _, err := io.CopyN(client, upstream, int64(binary.BigEndian.Uint32(head))); err != nil {
						return
					}
				}
			}()
		}
	}()
	return path
}

// TestUnknownCommands has a real server say things that the library would
// print to standard output.
func TestUnknownCommands(t *testing.T) {
	s := soundtest.Pulse(t)
	ops := []uint32{proto.OpRecordBufferAttrChanged, proto.OpEnableSRBChannel, proto.OpTimeout, 200, 0xFFFFFFFF}
	path := inject(t, s.Socket(), func() []byte {
		var b []byte
		for _, op := range ops {
			b = append(b, command(op, 1, 2, 3)...)
		}
		return b
	})
	r := record(t, append(s.Env(), "PULSE_SERVER="+path), []string{"--for", "1s"})
	s.WaitRecordings(1)
	speak(t, s, ramp(Rate+levelSamples))
	r.end(0)
	checkRamp(t, r.stdout.String(), Rate)
	r.wantEnd(wire.OK, Rate, wire.CaptureReady)
}

// TestMoved has the server report a move although that was ruled out.
func TestMoved(t *testing.T) {
	s := soundtest.Pulse(t)
	const heard = 4 // frames of samples before the report
	frames := 0
	path := inject(t, s.Socket(), func() []byte {
		if frames++; frames != 6+heard { // 6 replies come before
			return nil
		}
		body := command(proto.OpRecordStreamMoved, 0, 7)[frameHeader:]
		body = append(body, "tother.mic\x000"...) // name, not suspended
		for range 2 {
			body = binary.BigEndian.AppendUint32(append(body, 'L'), 4096) // buffer sizes
		}
		body = binary.BigEndian.AppendUint64(append(body, 'U'), 0) // latency
		return frame(controlChannel, body)
	})
	r := record(t, append(s.Env(), "PULSE_SERVER="+path), []string{"--fragment", "64"})
	s.WaitRecordings(1)
	speak(t, s, ramp(Rate))
	r.end(69)
	end := r.waitEvent(wire.CaptureEnd)
	r.wantEnd("device_moved", end.Samples, wire.CaptureReady, wire.CaptureDeviceMoved)
	checkRamp(t, r.stdout.String(), int(end.Samples))
	if e := r.waitEvent(wire.CaptureDeviceMoved); e.Source != "other.mic" || e.Reason != "device_moved" {
		t.Errorf("event %+v", e)
	}
	if got := r.stderr.String(); !strings.Contains(got, `go on with another source ("other.mic")`) {
		t.Errorf("stderr %q", got)
	}
}

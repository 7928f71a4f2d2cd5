package capture

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jfreymuth/pulse/proto"

	"voice-input/pkg/cli"
	"voice-input/pkg/wire"
)

const (
	// Rate is the number of samples in a second.
	Rate = 16000
	// SampleSize is the length of a sample in bytes.
	SampleSize = 2
	// DefaultFragment is how many bytes the server is asked to send at a time:
	// 20 ms. PipeWire works in steps of 21 ms, so less gains nothing.
	DefaultFragment = 640
	// DefaultStall is how long no samples may come. An idle null sink of
	// PulseAudio needs up to 2.9 s for its first.
	DefaultStall = 5 * time.Second
	// QueueLimit is how many bytes wait for a slow reader: 131 s.
	QueueLimit = 4 << 20
	// closeLimit bounds the wait for the server's goodbye.
	closeLimit = 500 * time.Millisecond
	// stallTicks is in how many parts the wait for samples is divided. Time in
	// which this process was stopped counts as one part, so that it is not
	// taken for the server's silence.
	stallTicks = 10
)

// Options say what to record. The zero value records the default source.
type Options struct {
	// Source is the name of a source, "" for the server's default. A monitor
	// must be named.
	Source string
	// Fragment is how many bytes to ask for at a time, 0 for DefaultFragment.
	// It is a multiple of SampleSize; the server may grant another number.
	Fragment int
	// Stall is how long no samples may come, 0 for DefaultStall.
	Stall time.Duration
	// Getenv finds the server; nil is os.Getenv.
	Getenv func(string) string
}

// LostError ends a stream that nobody closed.
type LostError struct {
	// Reason is one of vi.capture/1: device_lost, device_moved, suspended,
	// server_lost, no_data or overflow.
	Reason string
	// Source is the one that was recorded.
	Source string
	// MovedTo is, for device_moved, where the server wanted to go on.
	MovedTo string
}

func (e *LostError) Error() string {
	s := fmt.Sprintf("recording of %q ended: %s", e.Source, wire.ReasonMeaning(wire.SchemaCapture, e.Reason))
	if e.MovedTo != "" {
		s += fmt.Sprintf(" (%q)", e.MovedTo)
	}
	return s
}

// Stream is a recording. Close may be called at any time by any goroutine;
// Read by one at a time.
type Stream struct {
	// Source is the source as it was when the recording began.
	Source wire.CaptureSource
	// Server is the path of the server's socket.
	Server string
	// Fragment is the number of bytes that the server sends at a time.
	Fragment int
	// Muted tells that the server keeps this program's recordings silent, as
	// set in a volume control. The source itself may be muted too.
	Muted bool
	// Woken tells that the source was suspended and that the server was asked
	// to wake it.
	Woken bool

	conn   *connection
	id     uint32 // of the stream, on this connection
	stall  time.Duration
	queue  *queue
	closed sync.Once
	// closing tells that what becomes of the source and the server does not
	// matter any more.
	closing atomic.Bool
	heard   bool // samples have come; used by the reading goroutine only
}

// Open starts a recording: samples are kept from now on. Ctx bounds the
// opening; the stream then lives until Close or its own end. An error is a
// *cli.Error with the status that fits, or that of ctx.
func Open(ctx context.Context, opts Options) (*Stream, error) {
	if opts.Getenv == nil {
		opts.Getenv = os.Getenv
	}
	if opts.Fragment == 0 {
		opts.Fragment = DefaultFragment
	}
	if opts.Stall == 0 {
		opts.Stall = DefaultStall
	}
	if len(opts.Source) > maxName {
		return nil, cli.Errorf(cli.StatusNoInput, "cannot open source: its name is longer than %d bytes", maxName).WithHint("%s", listHint)
	}
	s := &Stream{stall: opts.Stall, queue: newQueue(QueueLimit)}
	conn, err := connect(ctx, opts.Getenv, s.handle, func(error) { s.lose("server_lost", "") })
	if err != nil {
		return nil, err
	}
	s.conn, s.Server = conn, conn.server
	if err := s.start(ctx, opts); err != nil {
		conn.close()
		return nil, err
	}
	// However the stream ends, the microphone is let go at once.
	go func() {
		<-s.queue.ended
		conn.close()
	}()
	return s, nil
}

func (s *Stream) start(ctx context.Context, opts Options) error {
	list, err := s.conn.sources(ctx)
	if err != nil {
		return err
	}
	if s.Source, err = choose(list, opts.Source); err != nil {
		return err
	}
	what := fmt.Sprintf("cannot open source %q", s.Source.Name)
	var reply proto.CreateRecordStreamReply
	err = s.conn.request(ctx, &proto.CreateRecordStream{
		SampleSpec:      proto.SampleSpec{Format: proto.FormatInt16LE, Channels: 1, Rate: Rate},
		ChannelMap:      proto.ChannelMap{proto.ChannelMono},
		SourceIndex:     proto.Undefined,
		SourceName:      s.Source.Name,
		BufferMaxLength: proto.Undefined, // the server's 4 MiB: a client that was stopped for a while loses nothing
		BufferFragSize:  uint32(opts.Fragment),
		AdjustLatency:   true, // without it samples come in bursts of up to 2 s
		NoMove:          true,
		ChannelVolumes:  proto.ChannelVolumes{uint32(proto.VolumeNorm)},
		Properties: proto.PropList{
			"media.name": proto.PropListString("Dictation"),
			// Unlike "phone", this role neither mutes music nor puts a
			// Bluetooth headset into its telephone profile.
			"media.role": proto.PropListString("a11y"),
		},
		DirectOnInputIndex: proto.Undefined,
	}, &reply)
	if err != nil {
		return requestError(what, err)
	}
	if reply.SourceName != s.Source.Name {
		return cli.Errorf(cli.StatusNoInput, "%s: the sound server gave %q in its place", what, reply.SourceName).WithHint("%s", listHint)
	}
	s.id, s.Fragment = reply.StreamIndex, int(reply.BufferFragSize)
	if reply.SourceSuspended {
		s.Woken = true
		if err := s.conn.request(ctx, &proto.SuspendSource{SourceIndex: proto.Undefined, SourceName: s.Source.Name}, nil); err != nil {
			return requestError(fmt.Sprintf("cannot wake source %q", s.Source.Name), err)
		}
	}
	// The samples come already. If the stream has ended meanwhile, Read tells.
	var output proto.GetSourceOutputInfoReply
	if s.conn.request(ctx, &proto.GetSourceOutputInfo{SourceOutpuIndex: reply.SourceOutputIndex}, &output) == nil {
		s.Muted = output.Muted
	}
	return ctx.Err()
}

// handle takes what the server sends unasked. A connection has one stream, so
// all of it is about that one.
func (s *Stream) handle(message any) {
	switch m := message.(type) {
	case *proto.DataPacket:
		s.heard = true
		if !s.queue.push(m.Data) {
			s.lose("overflow", "")
		}
	case *proto.RecordStreamKilled:
		s.lose("device_lost", "")
	case *proto.RecordStreamMoved:
		s.lose("device_moved", m.DestName)
	case *proto.RecordStreamSuspended:
		if m.Suspended && s.heard {
			s.lose("suspended", "")
		}
	}
}

func (s *Stream) lose(reason, movedTo string) {
	if s.closing.Load() && reason != "overflow" {
		s.queue.finish(io.EOF)
		return
	}
	s.queue.finish(&LostError{Reason: reason, MovedTo: movedTo})
}

// Read waits for samples and returns what has come, whole samples only if p
// holds a multiple of SampleSize. After Close it returns what had come before
// and then io.EOF; if the stream was lost, the end is a *LostError.
func (s *Stream) Read(p []byte) (int, error) {
	tick := time.NewTimer(s.stall / stallTicks)
	defer tick.Stop()
	for silent := 0; ; {
		n, err := s.queue.pop(p)
		var lost *LostError
		if errors.As(err, &lost) {
			return 0, &LostError{Reason: lost.Reason, MovedTo: lost.MovedTo, Source: s.Source.Name}
		}
		if n > 0 || err != nil || len(p) == 0 {
			return n, err
		}
		select {
		case <-s.queue.arrived:
		case <-tick.C:
			if silent++; silent == stallTicks {
				s.lose("no_data", "")
			}
			tick.Reset(s.stall / stallTicks)
		}
	}
}

// Ended is closed when no more samples will come; Read may still return some.
func (s *Stream) Ended() <-chan struct{} { return s.queue.ended }

// Close stops the recording and lets the microphone go. What the server had
// sent by then can still be read. It waits for the server, at most half a
// second.
func (s *Stream) Close() {
	s.closed.Do(func() {
		s.closing.Store(true)
		select {
		case <-s.queue.ended:
		default:
			// The answer comes behind all samples that were sent before it.
			ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
			defer cancel()
			s.conn.request(ctx, &proto.DeleteRecordStream{StreamIndex: s.id}, nil)
		}
		s.queue.finish(io.EOF)
		s.conn.close()
	})
}

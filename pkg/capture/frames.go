package capture

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"

	"github.com/jfreymuth/pulse/proto"
)

const (
	// frameHeader is the length of the descriptor before each frame: length,
	// channel, offset (twice) and flags, each 32 bit big endian.
	frameHeader = 20
	// controlHeader is the least that a command holds: a tagged opcode and a
	// tagged serial number.
	controlHeader = 10
	// controlChannel marks a frame that is a command and not samples.
	controlChannel = 0xFFFFFFFF
	// maxFrame is what PulseAudio's own client accepts
	// (FRAME_SIZE_MAX_ALLOW). Without a limit, four bytes of nonsense would
	// make the library allocate 8 GiB.
	maxFrame = 16 << 20
)

// errNonsense says that the peer does not speak the native protocol.
var errNonsense = errors.New("it does not speak PulseAudio's protocol")

// frames passes on those frames of a server that the protocol library knows.
// The library prints the opcode of any other command to standard output, in
// the midst of the samples; so it never sees one.
type frames struct {
	r    *bufio.Reader
	left int // bytes of the current frame that are still to be passed on
}

func newFrames(r io.Reader) *frames { return &frames{r: bufio.NewReaderSize(r, 16<<10)} }

// Read implements io.Reader.
func (f *frames) Read(p []byte) (int, error) {
	for f.left == 0 {
		if err := f.next(); err != nil {
			return 0, err
		}
	}
	n, err := f.r.Read(p[:min(len(p), f.left)])
	f.left -= n
	return n, err
}

// next looks at the next frame and skips it if it is unknown.
func (f *frames) next() error {
	head, err := f.r.Peek(frameHeader)
	if err != nil {
		return err
	}
	size := binary.BigEndian.Uint32(head)
	channel := binary.BigEndian.Uint32(head[4:])
	if size > maxFrame || channel == controlChannel && size < controlHeader {
		return errNonsense
	}
	if channel != controlChannel {
		f.left = frameHeader + int(size)
		return nil
	}
	head, err = f.r.Peek(frameHeader + 5)
	if err != nil {
		return err
	}
	if known(binary.BigEndian.Uint32(head[frameHeader+1:])) {
		f.left = frameHeader + int(size)
		return nil
	}
	_, err = f.r.Discard(frameHeader + int(size))
	return err
}

// known tells whether a recording client needs a command. All of these are
// cases of the library's read loop.
func known(op uint32) bool {
	switch op {
	case proto.OpError, proto.OpReply, proto.OpSubscribeEvent,
		proto.OpRecordStreamKilled, proto.OpRecordStreamSuspended, proto.OpRecordStreamMoved:
		return true
	}
	return false
}

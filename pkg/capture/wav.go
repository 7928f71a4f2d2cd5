package capture

import (
	"encoding/binary"
	"io"
	"math"
	"os"

	"golang.org/x/sys/unix"
)

const (
	wavHeaderSize = 44
	// wavUnknown in both length fields says that the samples end with the
	// file, as in what sox and ffmpeg write to a pipe.
	wavUnknown = math.MaxUint32
)

// wavHeader returns the header of a WAV file with that many bytes of samples;
// wavUnknown, or more than fits, makes it one of unknown length.
func wavHeader(size int64) []byte {
	riff := size + wavHeaderSize - 8
	if riff > wavUnknown {
		size, riff = wavUnknown, wavUnknown
	}
	le := binary.LittleEndian
	b := append(make([]byte, 0, wavHeaderSize), "RIFF"...)
	b = le.AppendUint32(b, uint32(riff))
	b = append(b, "WAVEfmt "...)
	b = le.AppendUint32(b, 16) // length of the format
	b = le.AppendUint16(b, 1)  // PCM
	b = le.AppendUint16(b, 1)  // channels
	b = le.AppendUint32(b, Rate)
	b = le.AppendUint32(b, Rate*SampleSize)
	b = le.AppendUint16(b, SampleSize)
	b = le.AppendUint16(b, 8*SampleSize)
	b = append(b, "data"...)
	return le.AppendUint32(b, uint32(size))
}

// wav is an output that begins with a WAV header.
type wav struct {
	w     io.Writer
	file  *os.File // if the header can be corrected
	start int64    // where in the file the header is
}

// newWAV writes a header of unknown length.
func newWAV(w io.Writer) (*wav, error) {
	out := &wav{w: w}
	if f, ok := w.(*os.File); ok && patchable(f) {
		if at, err := f.Seek(0, io.SeekCurrent); err == nil {
			out.file, out.start = f, at
		}
	}
	_, err := w.Write(wavHeader(wavUnknown))
	return out, err
}

// finish puts the true length in the header where that is possible.
func (o *wav) finish(size int64) error {
	if o.file == nil {
		return nil
	}
	_, err := o.file.WriteAt(wavHeader(size), o.start)
	return err
}

// patchable tells whether bytes of f that were written can be replaced. On a
// file opened for appending, Linux appends even with pwrite(2).
func patchable(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0)
	return err == nil && flags&unix.O_APPEND == 0
}

package capture

import (
	"io"
	"os"

	"golang.org/x/sys/unix"

	"voice-input/pkg/internal/wavfile"
)

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
	_, err := w.Write(wavfile.Header(Rate, wavfile.Unknown))
	return out, err
}

// finish puts the true length in the header where that is possible.
func (o *wav) finish(size int64) error {
	if o.file == nil {
		return nil
	}
	_, err := o.file.WriteAt(wavfile.Header(Rate, size), o.start)
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

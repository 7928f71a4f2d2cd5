package audio

import (
	"bufio"
	"errors"
	"io"
)

// OutRate is the rate of what a Reader returns, in Hz.
const OutRate = 16000

// Reader converts a stream. It returns signed 16 bit little endian mono at
// OutRate, and io.EOF after the last sample.
type Reader struct {
	src       io.Reader
	format    Format
	strict    bool // a stream that ends inside a frame is refused
	resampler *resampler
	raw       []byte // input; the first kept bytes are of an unfinished frame
	kept      int
	mono, out []float64
	pending   []byte // output that is not yet returned
	buf       []byte
	samples   int64 // of output
	limit     int64 // of samples
	err       error
	truncated bool
	want      int64 // bytes of samples that the header announced, or -1
	got       int64
}

// Raw reads bare samples. The error is an *Error.
func Raw(r io.Reader, f Format) (*Reader, error) {
	if err := f.Check(); err != nil {
		return nil, err
	}
	return newReader(r, f, -1, true), nil
}

// WAV reads a WAV stream. The error is an *Error unless r cannot be read.
func WAV(r io.Reader) (*Reader, error) {
	br := bufio.NewReaderSize(r, sniffLength)
	h, err := readWAV(br)
	if err != nil {
		return nil, err
	}
	var samples io.Reader = br
	if h.Size >= 0 {
		samples = io.LimitReader(br, h.Size)
	}
	return newReader(samples, h.Format, h.Size, false), nil
}

// Auto reads a WAV stream, or bare samples of the format if the stream is not
// one and is no other known kind of file either.
func Auto(r io.Reader, bare Format) (*Reader, error) {
	br := bufio.NewReaderSize(r, sniffLength)
	start, err := br.Peek(sniffLength)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if len(start) >= 4 && string(start[:4]) == "RIFF" {
		return WAV(br)
	}
	if kind := sniff(start); kind != "" {
		return nil, refuse("not_audio", "it is %s, must be WAV or bare samples", kind)
	}
	return Raw(br, bare)
}

func newReader(src io.Reader, f Format, size int64, strict bool) *Reader {
	r := &Reader{src: src, format: f, strict: strict, want: size, limit: MaxSeconds * OutRate, raw: make([]byte, 32<<10)}
	if f.Rate != OutRate {
		r.resampler = newResampler(f.Rate, OutRate)
	}
	return r
}

// Format is the format of the stream.
func (r *Reader) Format() Format { return r.format }

// Truncated tells, after io.EOF, whether the stream held less than its header
// announced.
func (r *Reader) Truncated() bool { return r.truncated }

// Read implements io.Reader. An error other than io.EOF is an *Error unless
// the stream cannot be read.
func (r *Reader) Read(p []byte) (int, error) {
	for len(r.pending) == 0 && r.err == nil {
		r.step()
	}
	if len(r.pending) == 0 {
		return 0, r.err
	}
	n := copy(p, r.pending)
	r.pending = r.pending[n:]
	return n, nil
}

// step reads once and converts what came.
func (r *Reader) step() {
	n, err := r.src.Read(r.raw[r.kept:])
	r.got += int64(n)
	n += r.kept
	whole := n - n%r.format.frame()
	r.mono = r.format.mono(r.mono[:0], r.raw[:whole])
	r.kept = copy(r.raw, r.raw[whole:n])

	samples := r.mono
	if r.resampler != nil {
		samples = r.resampler.write(r.out[:0], r.mono)
		if err == io.EOF {
			samples = r.resampler.flush(samples)
		}
		r.out = samples
	}
	r.samples += int64(len(samples))
	r.buf = r.buf[:0]
	for _, v := range samples {
		r.buf = appendS16(r.buf, v)
	}
	r.pending = r.buf

	r.truncated = err == io.EOF && r.got < r.want
	switch {
	case r.samples > r.limit:
		r.err, r.pending = errTooLong, nil
	case err == io.EOF && r.kept > 0 && r.strict:
		r.err = refuse("odd_length", "it ends inside a sample: %d bytes are not a multiple of %d", r.got, r.format.frame())
	default:
		r.err = err
	}
}

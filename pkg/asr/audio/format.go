package audio

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Limits of what is accepted.
const (
	MinRate     = 4000   // Hz; below it there is no speech to recognise
	MaxRate     = 192000 // Hz; the highest rate of common hardware
	MaxChannels = 8
	MaxSeconds  = 3600
)

// Error says why input is not audio that can be used.
type Error struct {
	Code   string // a short word for programs
	Detail string
}

func (e *Error) Error() string { return "cannot read audio: " + e.Detail }

func refuse(code, format string, args ...any) *Error {
	return &Error{Code: code, Detail: fmt.Sprintf(format, args...)}
}

// Encoding is how one sample is written.
type Encoding int

// The encodings that are read, all little endian.
const (
	U8 Encoding = iota
	S16
	S24
	S32
	F32
)

// size is the number of bytes of a sample.
func (e Encoding) size() int { return [...]int{1, 2, 3, 4, 4}[e] }

// Format describes interleaved samples.
type Format struct {
	Encoding Encoding
	Rate     int // Hz
	Channels int
}

// Check returns an *Error for a rate or a number of channels outside the
// limits.
func (f Format) Check() error {
	switch {
	case f.Channels < 1 || f.Channels > MaxChannels:
		return refuse("channels", "%d channels, must be 1 to %d", f.Channels, MaxChannels)
	case f.Rate < MinRate || f.Rate > MaxRate:
		return refuse("rate", "sample rate %d Hz, must be %d to %d", f.Rate, MinRate, MaxRate)
	}
	return nil
}

// frame is the number of bytes of one sample of every channel.
func (f Format) frame() int { return f.Encoding.size() * f.Channels }

// mono appends to dst the mean of the channels of each whole frame in b, in
// units of one step of 16 bit: -32768 to 32767. Values of 16 bit mono pass
// unchanged.
func (f Format) mono(dst []float64, b []byte) []float64 {
	size, frame := f.Encoding.size(), f.frame()
	for ; len(b) >= frame; b = b[frame:] {
		var sum float64
		for c := 0; c < frame; c += size {
			sum += f.Encoding.value(b[c:])
		}
		dst = append(dst, sum/float64(f.Channels))
	}
	return dst
}

func (e Encoding) value(b []byte) float64 {
	switch e {
	case U8:
		return (float64(b[0]) - 128) * 256
	case S16:
		return float64(int16(binary.LittleEndian.Uint16(b)))
	case S24:
		return float64(int32(uint32(b[0])<<8|uint32(b[1])<<16|uint32(b[2])<<24)) / 65536
	case S32:
		return float64(int32(binary.LittleEndian.Uint32(b))) / 65536
	default:
		v := float64(math.Float32frombits(binary.LittleEndian.Uint32(b))) * 32768
		// One broken sample must not spoil its neighbours in the resampler.
		if math.IsNaN(v) {
			return 0
		}
		return min(max(v, -32768), 32767)
	}
}

// appendS16 rounds v and appends it as 16 bit, limited to the range.
func appendS16(dst []byte, v float64) []byte {
	v = min(max(math.Round(v), -32768), 32767)
	return binary.LittleEndian.AppendUint16(dst, uint16(int16(v)))
}

// Package wavfile writes the beginning of WAV files.
package wavfile

import (
	"encoding/binary"
	"math"
)

// HeaderSize is the length of a header in bytes.
const HeaderSize = 44

// Unknown as a size says that the samples end with the file, as in what sox
// and ffmpeg write to a pipe.
const Unknown = math.MaxUint32

// Header returns the beginning of a file with so many bytes of samples, signed
// 16 bit, little endian, mono, rate of them a second. Unknown, or more than the
// format can say, makes it one of unknown length.
func Header(rate int, size int64) []byte {
	const sample = 2 // bytes
	riff := size + HeaderSize - 8
	if riff > Unknown {
		size, riff = Unknown, Unknown
	}
	le := binary.LittleEndian
	b := append(make([]byte, 0, HeaderSize), "RIFF"...)
	b = le.AppendUint32(b, uint32(riff))
	b = append(b, "WAVEfmt "...)
	b = le.AppendUint32(b, 16) // length of the format
	b = le.AppendUint16(b, 1)  // PCM
	b = le.AppendUint16(b, 1)  // channels
	b = le.AppendUint32(b, uint32(rate))
	b = le.AppendUint32(b, uint32(rate*sample))
	b = le.AppendUint16(b, sample)
	b = le.AppendUint16(b, 8*sample)
	b = append(b, "data"...)
	return le.AppendUint32(b, uint32(size))
}

package audio

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
)

// Limits of a WAV header. Real ones have 44 to some hundred bytes; a Broadcast
// WAV's description or a picture in an id3 chunk can be larger.
const (
	maxFormatChunk = 4 << 10
	maxHeader      = 16 << 20
)

// A data chunk of unknown length has one of these sizes: nothing, all ones,
// or the largest that a program dares to write before it knows better.
const streamingSize = 0x7fff0000

// Codes of the format chunk.
const (
	formatPCM        = 1
	formatFloat      = 3
	formatExtensible = 0xfffe
)

// formatNames are for messages.
var formatNames = map[uint16]string{2: "ADPCM", 6: "A-law", 7: "mu-law", 0x11: "IMA ADPCM", 0x31: "GSM 06.10", 0x55: "MP3"}

// subformatTail is the part that all audio subformat GUIDs share.
const subformatTail = "\x00\x00\x00\x00\x10\x00\x80\x00\x00\xaa\x00\x38\x9b\x71"

// wavHeader is what stands before the samples. Size is the number of bytes of
// samples, or -1: until the end of the stream.
type wavHeader struct {
	Format
	Size int64
}

// readWAV reads up to the first sample. The error is an *Error unless the
// stream cannot be read.
func readWAV(r *bufio.Reader) (wavHeader, error) {
	var h wavHeader
	var riff [12]byte
	if err := fill(r, riff[:]); err != nil {
		return h, err
	}
	if string(riff[:4]) != "RIFF" || string(riff[8:]) != "WAVE" {
		return h, refuse("not_wav", "no RIFF/WAVE header")
	}
	riffSize := int64(binary.LittleEndian.Uint32(riff[4:]))
	read := int64(len(riff))
	known := false
	for {
		var chunk [8]byte
		if err := fill(r, chunk[:]); err != nil {
			return h, err
		}
		read += int64(len(chunk))
		size := int64(binary.LittleEndian.Uint32(chunk[4:]))
		switch id := string(chunk[:4]); {
		case id == "data" && !known:
			return h, refuse("wav_header", "WAV samples stand before their format")
		case id == "data":
			h.Size = dataSize(size, riffSize, read)
			return h, h.checkLength()
		case id == "fmt " && known:
			return h, refuse("wav_header", "WAV file has two formats")
		case id == "fmt ":
			if size > maxFormatChunk {
				return h, refuse("wav_header", "WAV format of %d bytes", size)
			}
			b := make([]byte, size+size&1)
			if err := fill(r, b); err != nil {
				return h, err
			}
			f, err := parseFormat(b[:size])
			if err != nil {
				return h, err
			}
			h.Format, known = f, true
		case read+size > maxHeader:
			return h, refuse("wav_header", "WAV file has more than %d MiB before its samples", maxHeader>>20)
		default:
			if _, err := io.CopyN(io.Discard, r, size+size&1); err != nil {
				return h, cut(err)
			}
		}
		read += size + size&1
	}
}

// dataSize tells how many bytes of samples follow: a program that writes to a
// pipe leaves 0 or an absurd size in the header. A size of 0 inside a RIFF
// chunk that goes on behind it means what it says.
func dataSize(size, riffSize, read int64) int64 {
	switch {
	case size >= streamingSize:
		return -1
	case size == 0 && (riffSize+8 <= read || riffSize >= streamingSize):
		return -1
	}
	return size
}

func parseFormat(b []byte) (Format, error) {
	if len(b) < 16 {
		return Format{}, refuse("wav_header", "WAV format of %d bytes, must be 16 or more", len(b))
	}
	code := binary.LittleEndian.Uint16(b)
	bits := binary.LittleEndian.Uint16(b[14:])
	f := Format{Channels: int(binary.LittleEndian.Uint16(b[2:]))}
	f.Rate = int(binary.LittleEndian.Uint32(b[4:]))
	if code == formatExtensible {
		if len(b) < 40 || string(b[26:40]) != subformatTail {
			return f, refuse("encoding", "WAV file of an unknown extensible encoding")
		}
		code = binary.LittleEndian.Uint16(b[24:])
	}
	switch {
	case code == formatPCM && bits == 8:
		f.Encoding = U8
	case code == formatPCM && bits == 16:
		f.Encoding = S16
	case code == formatPCM && bits == 24:
		f.Encoding = S24
	case code == formatPCM && bits == 32:
		f.Encoding = S32
	case code == formatFloat && bits == 32:
		f.Encoding = F32
	case code == formatPCM || code == formatFloat:
		return f, refuse("encoding", "WAV samples of %d bits, must be 8, 16, 24, 32 or float of 32", bits)
	case formatNames[code] != "":
		return f, refuse("encoding", "WAV file is compressed (%s), must be PCM", formatNames[code])
	default:
		return f, refuse("encoding", "WAV file of unknown encoding %#x, must be PCM", code)
	}
	if err := f.Check(); err != nil {
		return f, err
	}
	if align := int(binary.LittleEndian.Uint16(b[12:])); align != f.frame() {
		return f, refuse("wav_header", "WAV header contradicts itself: frames of %d bytes with %d channels of %d bits", align, f.Channels, bits)
	}
	return f, nil
}

// checkLength refuses a header that announces too much.
func (h wavHeader) checkLength() error {
	if h.Size > int64(MaxSeconds)*int64(h.Rate)*int64(h.frame()) {
		return errTooLong
	}
	return nil
}

var errTooLong = refuse("too_long", "it is longer than %d minutes", MaxSeconds/60)

// fill reads len(b) bytes.
func fill(r io.Reader, b []byte) error {
	_, err := io.ReadFull(r, b)
	return cut(err)
}

// cut turns an early end of the stream into an *Error.
func cut(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return refuse("wav_header", "WAV header is cut short")
	}
	return err
}

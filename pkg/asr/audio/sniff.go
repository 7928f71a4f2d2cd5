package audio

import (
	"bytes"
	"unicode/utf8"
)

// sniffLength is how much of a stream is looked at: two frames of the largest
// MP3 (2,881 bytes at most at 320 kbit/s) begin in it.
const sniffLength = 4096

// signatures name the kinds of file that people pipe in by mistake. Bare
// samples can begin with any bytes, so each has at least three.
var signatures = []struct {
	offset      int
	magic, name string
}{
	{0, "OggS", "Ogg"},
	{0, "fLaC", "FLAC"},
	{0, "ID3", "MP3"},
	{0, "RF64", "RF64"},
	{0, "RIFX", "big-endian WAV"},
	{0, "FORM", "AIFF"},
	{0, "caff", "Core Audio"},
	{0, ".snd", "AU"},
	{0, "#!AMR", "AMR"},
	{0, "\x1a\x45\xdf\xa3", "Matroska or WebM"},
	{4, "ftyp", "MP4"},
	{0, "\x89PNG", "PNG"},
	{0, "\xff\xd8\xff\xe0", "JPEG"},
	{0, "\xff\xd8\xff\xe1", "JPEG"},
	{0, "\xff\xd8\xff\xdb", "JPEG"},
	{0, "GIF8", "GIF"},
	{0, "%PDF", "PDF"},
	{0, "PK\x03\x04", "ZIP"},
	{0, "\x1f\x8b\x08", "gzip"},
	{0, "\xfd7zXZ", "xz"},
	{0, "\x28\xb5\x2f\xfd", "zstd"},
	{0, "\x7fELF", "ELF program"},
}

// sniff returns what a stream that begins with b is, if it is certainly not
// bare samples, else "".
func sniff(b []byte) string {
	for _, s := range signatures {
		if len(b) >= s.offset && bytes.HasPrefix(b[s.offset:], []byte(s.magic)) {
			return s.name
		}
	}
	switch {
	case isMPEG(b):
		return "MP3"
	case isADTS(b):
		return "AAC"
	case isText(b):
		return "text"
	}
	return ""
}

// Bit rates in kbit/s of MPEG 1 and MPEG 2 layer III, by the index in a
// frame's header.
var (
	bitRates1 = [16]int{0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0}
	bitRates2 = [16]int{0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0}
)

// isMPEG tells whether b begins with two MP3 frames, one behind the other.
// One frame's sync word alone is no evidence: samples near -1 have the same
// bytes.
func isMPEG(b []byte) bool {
	n := mpegFrame(b)
	return n > 0 && len(b) >= n && mpegFrame(b[n:]) > 0
}

// mpegFrame returns the length of the layer III frame that b begins with, or
// 0.
func mpegFrame(b []byte) int {
	if len(b) < 4 || b[0] != 0xff || b[1]&0xe6 != 0xe2 {
		return 0
	}
	version := b[1] >> 3 & 3 // 0: 2.5, 2: 2, 3: 1
	rates, samples := bitRates2, 72
	if version == 3 {
		rates, samples = bitRates1, 144
	}
	kbits, index := rates[b[2]>>4], b[2]>>2&3
	if version == 1 || kbits == 0 || index == 3 {
		return 0
	}
	hz := [3]int{44100, 48000, 32000}[index]
	switch version {
	case 2:
		hz /= 2
	case 0:
		hz /= 4
	}
	return samples*kbits*1000/hz + int(b[2]>>1&1)
}

// isADTS tells whether b begins with two AAC frames.
func isADTS(b []byte) bool {
	n := adtsFrame(b)
	return n > 0 && len(b) >= n && adtsFrame(b[n:]) > 0
}

func adtsFrame(b []byte) int {
	if len(b) < 7 || b[0] != 0xff || b[1]&0xf6 != 0xf0 || b[2]>>2&15 > 12 {
		return 0
	}
	n := int(b[3]&3)<<11 | int(b[4])<<3 | int(b[5])>>5
	if n < 7 {
		return 0
	}
	return n
}

// minText is the length from which on printable bytes are text: sixteen
// samples that all happen to be printable do not occur.
const minText = 32

func isText(b []byte) bool {
	if len(b) < minText {
		return false
	}
	for len(b) >= utf8.UTFMax {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError || r < ' ' && r != '\n' && r != '\r' && r != '\t' || r == 0x7f {
			return false
		}
		b = b[n:]
	}
	return true
}

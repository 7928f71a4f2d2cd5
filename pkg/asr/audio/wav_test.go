package audio

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os/exec"
	"strings"
	"testing"
	"testing/iotest"
)

// chunk returns a RIFF chunk with its padding.
func chunk(id string, size uint32, data []byte) []byte {
	b := append([]byte(id), binary.LittleEndian.AppendUint32(nil, size)...)
	b = append(b, data...)
	if len(data)%2 == 1 {
		b = append(b, 0)
	}
	return b
}

func riff(size uint32, chunks ...[]byte) []byte {
	return append(append([]byte("RIFF"), binary.LittleEndian.AppendUint32(nil, size)...), append([]byte("WAVE"), bytes.Join(chunks, nil)...)...)
}

func format(code, channels int, rate uint32, bits int) []byte {
	var b []byte
	b = binary.LittleEndian.AppendUint16(b, uint16(code))
	b = binary.LittleEndian.AppendUint16(b, uint16(channels))
	b = binary.LittleEndian.AppendUint32(b, rate)
	b = binary.LittleEndian.AppendUint32(b, rate*uint32(channels*bits/8))
	b = binary.LittleEndian.AppendUint16(b, uint16(channels*bits/8))
	return binary.LittleEndian.AppendUint16(b, uint16(bits))
}

func fmtChunk(b []byte) []byte { return chunk("fmt ", uint32(len(b)), b) }

func dataChunk(b []byte) []byte { return chunk("data", uint32(len(b)), b) }

func extensible(code int, f []byte) []byte {
	b := append([]byte{0xfe, 0xff}, f[2:]...)
	b = append(b, 22, 0, f[14], f[15], 4, 0, 0, 0, byte(code), 0)
	return append(b, subformatTail...)
}

func s16(v ...int16) []byte {
	var b []byte
	for _, s := range v {
		b = binary.LittleEndian.AppendUint16(b, uint16(s))
	}
	return b
}

func f32(v ...float32) []byte {
	var b []byte
	for _, s := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(s))
	}
	return b
}

func TestWAV(t *testing.T) {
	pcm := fmtChunk(format(1, 1, 16000, 16))
	three := s16(1, -2, 32767)
	nan := float32(math.NaN())
	tests := []struct {
		name string
		in   []byte
		want []byte
	}{
		{"plain", riff(42, pcm, dataChunk(three)), three},
		{"no samples", riff(36, pcm, chunk("data", 2, nil)), nil},
		{"streaming, size 0", riff(0, pcm, chunk("data", 0, three)), three},
		{"streaming, size 0 but a RIFF size of the header", riff(36, pcm, chunk("data", 0, three)), three},
		{"streaming, all ones", riff(0xffffffff, pcm, chunk("data", 0xffffffff, three)), three},
		{"streaming, RIFF all ones and data 0", riff(0xffffffff, pcm, chunk("data", 0, three)), three},
		{"streaming as sox does it", riff(0x7ffff024, pcm, chunk("data", 0x7ffff000, three)), three},
		{"empty with a chunk behind it", riff(48, pcm, chunk("data", 0, nil), chunk("LIST", 4, []byte("abcd"))), nil},
		{"chunk behind the samples", riff(54, pcm, dataChunk(three), chunk("LIST", 4, []byte("abcd"))), three},
		{"unknown chunks, one of odd length", riff(99, chunk("junk", 3, []byte("abc")), pcm, chunk("LIST", 5, []byte("hello")), dataChunk(three)), three},
		{"cut short", riff(142, pcm, chunk("data", 106, three)), three},
		{"cut inside a sample", riff(142, pcm, chunk("data", 106, three))[:49], three[:4]},
		{"long format chunk", riff(0, fmtChunk(append(format(1, 1, 16000, 16), 0, 0)), dataChunk(three)), three},
		{"extensible", riff(0, fmtChunk(extensible(1, format(1, 1, 16000, 16))), dataChunk(three)), three},
		{"extensible float", riff(0, fmtChunk(extensible(3, format(3, 1, 16000, 32))), dataChunk(f32(0.5, -0.5))), s16(16384, -16384)},
		{"8 bit", riff(0, fmtChunk(format(1, 1, 16000, 8)), dataChunk([]byte{0, 128, 255})), s16(-32768, 0, 32512)},
		{"24 bit", riff(0, fmtChunk(format(1, 1, 16000, 24)), dataChunk([]byte{0, 0, 0x80, 0, 1, 0, 0xff, 0xff, 0x7f})), s16(-32768, 1, 32767)},
		{"32 bit", riff(0, fmtChunk(format(1, 1, 16000, 32)), dataChunk([]byte{0, 0, 0, 0x80, 0, 0, 1, 0, 0xff, 0xff, 0xff, 0x7f})), s16(-32768, 1, 32767)},
		{"float beyond the range, and none", riff(0, fmtChunk(format(3, 1, 16000, 32)), dataChunk(f32(2, -2, nan, float32(math.Inf(1))))), s16(32767, -32768, 0, 32767)},
		{"stereo", riff(0, fmtChunk(format(1, 2, 16000, 16)), dataChunk(s16(100, 200, -32768, -32768, 32767, 32767))), s16(150, -32768, 32767)},
		{"eight channels", riff(0, fmtChunk(format(1, 8, 16000, 16)), dataChunk(s16(8, 0, 0, 0, 0, 0, 0, 0, 80, 80, 80, 80, 80, 80, 80, 80))), s16(1, 80)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, src := range []io.Reader{bytes.NewReader(tt.in), iotest.OneByteReader(bytes.NewReader(tt.in)), iotest.DataErrReader(bytes.NewReader(tt.in))} {
				r, err := Auto(src, Format{S16, 16000, 1})
				if err != nil {
					t.Fatal(err)
				}
				got, err := io.ReadAll(r)
				if err != nil || !bytes.Equal(got, tt.want) {
					t.Errorf("got %v, %v, want %v", got, err, tt.want)
				}
				if cut := strings.HasPrefix(tt.name, "cut") || tt.name == "no samples"; r.Truncated() != cut {
					t.Errorf("truncated %v, want %v", r.Truncated(), cut)
				}
			}
		})
	}
}

func TestRefused(t *testing.T) {
	pcm := fmtChunk(format(1, 1, 16000, 16))
	whole := riff(42, pcm, dataChunk(s16(1, 2, 3)))
	tests := []struct {
		name string
		in   []byte
		code string
		want string
	}{
		{"header cut in RIFF", whole[:9], "wav_header", "WAV header is cut short"},
		{"header cut in the format", whole[:30], "wav_header", "WAV header is cut short"},
		{"header cut before the samples", whole[:40], "wav_header", "WAV header is cut short"},
		{"unknown chunk cut", riff(0, chunk("junk", 500, []byte("x"))), "wav_header", "WAV header is cut short"},
		{"RIFF of another kind", []byte("RIFF\x10\x00\x00\x00AVI LIST"), "not_wav", "no RIFF/WAVE header"},
		{"no format", riff(0, dataChunk(s16(1))), "wav_header", "WAV samples stand before their format"},
		{"two formats", riff(0, pcm, pcm), "wav_header", "WAV file has two formats"},
		{"short format", riff(0, chunk("fmt ", 14, make([]byte, 14))), "wav_header", "WAV format of 14 bytes, must be 16 or more"},
		{"huge format", riff(0, chunk("fmt ", 1<<30, nil)), "wav_header", "WAV format of 1073741824 bytes"},
		{"huge chunk", riff(0, chunk("junk", 1<<30, nil)), "wav_header", "WAV file has more than 16 MiB before its samples"},
		{"rate 0", riff(0, fmtChunk(format(1, 1, 0, 16)), dataChunk(nil)), "rate", "sample rate 0 Hz, must be 4000 to 192000"},
		{"rate too low", riff(0, fmtChunk(format(1, 1, 3999, 16))), "rate", "sample rate 3999 Hz, must be 4000 to 192000"},
		{"rate too high", riff(0, fmtChunk(format(1, 1, 4294967295, 16))), "rate", "sample rate 4294967295 Hz, must be 4000 to 192000"},
		{"no channel", riff(0, fmtChunk(format(1, 0, 16000, 16))), "channels", "0 channels, must be 1 to 8"},
		{"too many channels", riff(0, fmtChunk(format(1, 9, 16000, 16))), "channels", "9 channels, must be 1 to 8"},
		{"12 bit", riff(0, fmtChunk(format(1, 1, 16000, 12))), "encoding", "WAV samples of 12 bits, must be 8, 16, 24, 32 or float of 32"},
		{"double", riff(0, fmtChunk(format(3, 1, 16000, 64))), "encoding", "WAV samples of 64 bits, must be 8, 16, 24, 32 or float of 32"},
		{"A-law", riff(0, fmtChunk(format(6, 1, 8000, 8))), "encoding", "WAV file is compressed (A-law), must be PCM"},
		{"MP3 in WAV", riff(0, fmtChunk(format(0x55, 1, 44100, 0))), "encoding", "WAV file is compressed (MP3), must be PCM"},
		{"unknown encoding", riff(0, fmtChunk(format(0x1234, 1, 44100, 0))), "encoding", "WAV file of unknown encoding 0x1234, must be PCM"},
		{"short extensible", riff(0, fmtChunk(format(0xfffe, 1, 16000, 16))), "encoding", "WAV file of an unknown extensible encoding"},
		{"contradiction", riff(0, fmtChunk(append(format(1, 2, 16000, 16)[:12], 2, 0, 16, 0))), "wav_header", "WAV header contradicts itself: frames of 2 bytes with 2 channels of 16 bits"},
		{"announces two hours", riff(0, pcm, chunk("data", 7200*32000, nil)), "too_long", "it is longer than 60 minutes"},
		{"odd bytes", []byte{1, 2, 3}, "odd_length", "it ends inside a sample: 3 bytes are not a multiple of 2"},
		{"PNG", []byte("\x89PNG\r\n\x1a\n\x00\x00"), "not_audio", "it is PNG, must be WAV or bare samples"},
		{"Ogg", []byte("OggS\x00\x02"), "not_audio", "it is Ogg, must be WAV or bare samples"},
		{"FLAC", []byte("fLaC\x00\x00"), "not_audio", "it is FLAC, must be WAV or bare samples"},
		{"MP3 with a tag", []byte("ID3\x04\x00\x00"), "not_audio", "it is MP3, must be WAV or bare samples"},
		{"MP4", []byte("\x00\x00\x00\x20ftypM4A "), "not_audio", "it is MP4, must be WAV or bare samples"},
		{"a record", []byte(`{"schema":"vi.take/1","reason":"ok","id":"1"}`), "not_audio", "it is text, must be WAV or bare samples"},
		{"Chinese text", []byte(strings.Repeat("说话", 2000)), "not_audio", "it is text, must be WAV or bare samples"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := Auto(bytes.NewReader(tt.in), Format{S16, 16000, 1})
			if err == nil {
				_, err = io.ReadAll(r)
			}
			var bad *Error
			if !errors.As(err, &bad) {
				t.Fatalf("got %v (%T), want *Error", err, err)
			}
			if bad.Code != tt.code || bad.Error() != "cannot read audio: "+tt.want {
				t.Errorf("got  %s: %q\nwant %s: %q", bad.Code, bad.Error(), tt.code, tt.want)
			}
		})
	}
}

func TestMPEGFrames(t *testing.T) {
	frame := func(header string, n int) []byte { return append([]byte(header), make([]byte, n-4)...) }
	two := func(header string, n int) []byte { return append(frame(header, n), frame(header, n)...) }
	tests := []struct {
		name string
		in   []byte
		want string
	}{
		{"128 kbit/s at 44.1 kHz", two("\xff\xfb\x90\x00", 417), "MP3"},
		{"MPEG 2 at 24 kHz", two("\xff\xf3\x84\xc4", 192), "MP3"},
		{"one sync word in samples", s16(-1025, 100, 5, 7, 20, 30), ""},
		{"samples at -1", s16(make([]int16, 2000)...), ""},
		{"all ones", bytes.Repeat([]byte{0xff}, 4096), ""},
		{"AAC", bytes.Repeat([]byte("\xff\xf1\x50\x80\x01\x1f\xfc\x00"), 3), "AAC"},
	}
	for _, tt := range tests {
		if got := sniff(tt.in); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// A stream may be as long as the limit and not one sample longer, also without
// a header that tells.
func TestLength(t *testing.T) {
	for _, f := range []Format{{S16, OutRate, 1}, {U8, 48000, 2}} {
		second := int64(f.Rate * f.frame())
		for _, extra := range []int64{0, 3 * int64(f.frame())} {
			r, err := Raw(io.LimitReader(zeros{}, second+extra), f)
			if err != nil {
				t.Fatal(err)
			}
			if r.limit != MaxSeconds*OutRate {
				t.Fatalf("limit is %d samples", r.limit)
			}
			r.limit = OutRate
			n, err := io.Copy(io.Discard, r)
			if (err != nil) != (extra > 0) || extra == 0 && n != 2*OutRate {
				t.Errorf("%+v, %d bytes more than allowed: %d bytes, %v", f, extra, n, err)
			}
		}
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// What sox writes to a pipe in each encoding is understood.
func TestSoxStreams(t *testing.T) {
	for _, tt := range []struct{ name, args string }{
		{"16 bit", "-b 16"}, {"24 bit", "-b 24"}, {"32 bit", "-b 32"}, {"8 bit", "-b 8 -e unsigned"}, {"float", "-b 32 -e floating-point"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			args := append([]string{"-D", "-n", "-r", "44100", "-c", "2"}, strings.Fields(tt.args)...)
			args = append(args, "-t", "wav", "-", "synth", "1", "sine", "440", "gain", "-6")
			out, err := exec.Command("sox", args...).Output()
			if err != nil {
				t.Fatal(err)
			}
			r, err := Auto(bytes.NewReader(out), Format{S16, OutRate, 1})
			if err != nil {
				t.Fatal(err)
			}
			b, err := io.ReadAll(r)
			if err != nil || len(b) != 32000 {
				t.Fatalf("%d bytes, %v", len(b), err)
			}
			limit := 60.0
			if tt.name == "8 bit" {
				limit = 35
			}
			if snr := sineSNR(toFloats(b), 440, OutRate); snr < limit {
				t.Errorf("SNR %.1f dB, want %.0f", snr, limit)
			}
		})
	}
}

func FuzzAuto(f *testing.F) {
	pcm := fmtChunk(format(1, 2, 44100, 16))
	f.Add(riff(42, pcm, dataChunk(s16(1, 2, 3, 4))))
	f.Add(riff(0xffffffff, chunk("junk", 3, []byte("abc")), pcm, chunk("data", 0xffffffff, s16(1, 2))))
	f.Add(riff(0, fmtChunk(extensible(3, format(3, 1, 8000, 32))), dataChunk(f32(1))))
	f.Add([]byte("\xff\xfb\x90\x00"))
	f.Add([]byte{1, 2, 3, 4})
	f.Fuzz(func(t *testing.T, in []byte) {
		r, err := Auto(bytes.NewReader(in), Format{S16, OutRate, 1})
		if err == nil {
			if r.Format().Check() != nil {
				t.Fatalf("accepted %+v", r.Format())
			}
			var n int64
			n, err = io.Copy(io.Discard, r)
			// At 4 kHz and 8 bit, a byte becomes four samples.
			if n%2 != 0 || n > int64(8*len(in)+2) {
				t.Fatalf("%d bytes from %d", n, len(in))
			}
		}
		var bad *Error
		if err != nil && !errors.As(err, &bad) {
			t.Fatalf("%T is not *Error: %v", err, err)
		}
	})
}

package fakecloud

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// maxNative is how much sound the services for short recordings take, in
// seconds.
const maxNative = 300

// wav takes a file apart as strictly as any service would, hears its samples
// and returns what was heard. Its rate must be one of rates, if there are any.
func (x *exchange) wav(file []byte, path string, rates ...int) (Audio, bool) {
	rate, pcm, problem := parseWAV(file)
	if problem == "" && len(rates) > 0 && !slices.Contains(rates, rate) {
		problem = fmt.Sprintf("rate %d", rate)
	}
	if problem != "" {
		x.s.violate(BadWAV, path, problem)
		return Audio{}, false
	}
	e := x.s.listen("", rate, false)
	e.hear(pcm)
	e.finish()
	a := e.audio()
	x.arm(a.Samples)
	return a, true
}

// parseWAV returns the samples of a mono file of 16 bits, or what is wrong
// with it.
func parseWAV(file []byte) (rate int, pcm []byte, problem string) {
	u32 := func(at int) int { return int(binary.LittleEndian.Uint32(file[at:])) }
	u16 := func(at int) int { return int(binary.LittleEndian.Uint16(file[at:])) }
	if len(file) < 12 || !bytes.HasPrefix(file, []byte("RIFF")) || string(file[8:12]) != "WAVE" {
		return 0, nil, "no RIFF/WAVE"
	}
	if u32(4)+8 != len(file) {
		return 0, nil, fmt.Sprintf("RIFF size %d in a file of %d bytes", u32(4), len(file))
	}
	for at := 12; at < len(file); {
		if len(file)-at < 8 || u32(at+4) > len(file)-at-8 {
			return 0, nil, "a chunk reaches past the end"
		}
		name, size, body := string(file[at:at+4]), u32(at+4), at+8
		at = body + size + size%2
		switch {
		case name == "fmt " && (rate != 0 || size < 16):
			return 0, nil, "fmt twice, or short"
		case name == "fmt ":
			if u16(body) != 1 || u16(body+2) != 1 || u16(body+14) != 16 || u16(body+12) != 2 {
				return 0, nil, "not PCM, mono, 16 bit"
			}
			rate = u32(body + 4)
			if u32(body+8) != 2*rate {
				return 0, nil, "byte rate"
			}
		case name == "data" && (rate == 0 || pcm != nil):
			return 0, nil, "data before fmt, or twice"
		case name == "data":
			pcm = file[body : body+size : body+size]
		}
	}
	switch {
	case pcm == nil:
		return 0, nil, "no data"
	case len(pcm)%2 != 0:
		return 0, nil, "half a sample"
	}
	return rate, pcm, ""
}

// dataURI takes apart data:audio/wav;base64,…
func (x *exchange) dataURI(uri, path string) ([]byte, bool) {
	encoded, ok := strings.CutPrefix(uri, "data:audio/wav;base64,")
	if !ok {
		x.s.violate(WrongValue, path, "no data:audio/wav;base64")
		return nil, false
	}
	file, err := base64.StdEncoding.Strict().DecodeString(encoded)
	if err != nil {
		x.s.violate(WrongValue, path, "no base64")
		return nil, false
	}
	return file, true
}

package session

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
)

// glued splits a line of several records that lack the line end between them.
// It returns nil unless the whole line consists of records.
func glued(line []byte) [][]byte {
	if !touching(line) {
		return nil
	}
	var records [][]byte
	for dec := json.NewDecoder(bytes.NewReader(line)); ; {
		var rec json.RawMessage
		switch err := dec.Decode(&rec); {
		case err == io.EOF:
			return records
		case err != nil:
			return nil
		}
		records = append(records, rec)
	}
}

// touching tells whether an object may begin right behind another one. It may
// say so of a text in a record too, but never overlooks two records. It is
// asked of nearly every byte of a session, braces abound in these, and a
// search for the first one at a time is slow then: it takes 32 pairs at once.
func touching(line []byte) bool {
	const (
		closing, opening = each * '}', each * '{'
		width            = 32
	)
	for ; len(line) > width; line = line[width:] {
		b := (*[width + 1]byte)(line)
		// A byte is zero where the one at its place closes and the next opens.
		w := (le(b[0:8]) ^ closing) | (le(b[1:9]) ^ opening)
		x := (le(b[8:16]) ^ closing) | (le(b[9:17]) ^ opening)
		y := (le(b[16:24]) ^ closing) | (le(b[17:25]) ^ opening)
		z := (le(b[24:32]) ^ closing) | (le(b[25:33]) ^ opening)
		if ((w-each)&^w|(x-each)&^x|(y-each)&^y|(z-each)&^z)&(each<<7) == 0 {
			continue
		}
		if touchingSlow(line[:min(len(line), width+2)]) {
			return true
		}
	}
	return touchingSlow(line)
}

// each times a byte is that byte eight times. For a word v of eight bytes,
// (v-each)&^v has a byte's highest bit set if, and unless a byte below it is
// zero only if, that byte is zero.
const each uint64 = 0x0101010101010101

func le(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

func touchingSlow(line []byte) bool {
	for {
		i := bytes.Index(line, []byte("}{"))
		if i < 0 || i+2 == len(line) {
			return false
		}
		// Nothing else can follow in an object.
		if line = line[i+2:]; bytes.IndexByte([]byte("\" \t\r}"), line[0]) >= 0 {
			return true
		}
	}
}

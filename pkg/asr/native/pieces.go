package native

import (
	"bytes"
	"io"
	"math"
	"time"

	"voice-input/pkg/asr/engine"
	"voice-input/pkg/asr/vad"
	"voice-input/pkg/internal/wavfile"
)

// Limits of one request.
const (
	// maxPiece is what the service takes; a second more is refused.
	maxPiece = 300 * time.Second
	// minPiece is where a longer recording may be cut at the earliest: people
	// pause within a minute.
	minPiece = 240 * time.Second
	// maxFile bounds the WAV file in bytes, as documented. It is never reached:
	// the samples of maxPiece have less.
	maxFile = 10 << 20
)

// It does not compile if a piece could be larger than a file may be.
const _ = uint(maxFile - wavfile.HeaderSize - bytesOfMaxPiece)

const (
	bytesOfMaxPiece = int(maxPiece/time.Second) * engine.BytesPerSecond
	bytesOfLevel    = engine.BytesPerSecond / vad.LevelsPerSecond
)

// span is how long pieces are that are not the last one.
type span struct{ min, max time.Duration }

var usual = span{minPiece, maxPiece}

// piece is a part of a recording that one request can hold.
type piece struct {
	pcm    []byte
	length time.Duration
	speech bool // by local evidence
}

// cutter takes a recording to pieces.
type cutter struct {
	in   io.Reader
	span span
	rest []byte // of the samples that were read, behind the last cut
	done bool
}

// next returns the next piece as soon as its samples and, if it is not the last
// one, those behind it are there. After the last one the error is io.EOF.
func (c *cutter) next() (piece, error) {
	if c.done {
		return piece{}, io.EOF
	}
	var b bytes.Buffer
	b.Write(c.rest)
	c.rest = nil
	most := int(c.span.max * engine.BytesPerSecond / time.Second)
	_, err := io.CopyN(&b, c.in, int64(most+1-b.Len()))
	if err != nil && err != io.EOF {
		return piece{}, err
	}
	pcm := b.Bytes()
	var meter vad.Meter
	if err == nil {
		meter.Write(pcm[:most])
		at := quietest(meter.Levels(), int(c.span.min*vad.LevelsPerSecond/time.Second)) * bytesOfLevel
		pcm, c.rest = pcm[:at:at], pcm[at:]
		meter = vad.Meter{}
	} else {
		c.done = true
		pcm = pcm[:len(pcm)&^1]
	}
	meter.Write(pcm)
	return piece{
		pcm:    pcm,
		length: time.Duration(len(pcm)) * time.Second / engine.BytesPerSecond,
		speech: meter.Speech().Heard,
	}, nil
}

// Widths of the places that are compared for a cut, in levels.
const (
	pause  = vad.LevelsPerSecond * 8 / 10 // a pause between sentences
	breath = vad.LevelsPerSecond / 10     // shorter than a syllable
)

// quietest returns where to cut, as the number of a level from from on: in the
// quietest pause, and there at its quietest moment. It is the same for any
// loudness.
func quietest(levels []float32, from int) int {
	at := from + softest(levels[from:], pause)
	return at + softest(levels[at:at+pause], breath) + breath/2
}

// softest returns where the width levels with the lowest mean begin, the last
// such place. The mean is one of decibels, so that a short sound does not hide
// a long pause.
func softest(levels []float32, width int) int {
	best, at, sum := math.Inf(1), 0, 0.0
	for i := range levels {
		sum += quiet(levels[i])
		if i >= width {
			sum -= quiet(levels[i-width])
		}
		if i >= width-1 && sum <= best {
			best, at = sum, i-width+1
		}
	}
	return at
}

// quiet bounds a level from below: nothing softer is speech, and the gap
// between two syllables of a gated microphone is no pause.
func quiet(level float32) float64 { return math.Round(max(float64(level), -65)) }

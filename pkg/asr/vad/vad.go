// Package vad tells from the samples alone whether anybody spoke. It only
// measures loudness, and leans towards "yes": a dictation that is thrown away
// is worse than a sentence that an engine made up.
//
// What it takes for silence is whatever keeps its level, however loud: hum,
// an offset, the noise of a fan; and whatever is too short for a syllable, like
// a click or a key. What rises out of that and moves like speech is speech, be
// it whispered.
package vad

import (
	"math"
	"slices"

	"voice-input/pkg/wire"
)

// A frame is 20 ms of 16 kHz: one period of 50 Hz hum, a third of the shortest
// syllable.
const (
	rate        = 16000
	frameLength = 320
	frameMS     = 1000 * frameLength / rate
)

// The rules, in decibels below full scale or above the noise, and in frames.
// They were set with synthesised speech down to -45 dBFS and noise 6 dB below
// speech; the tests hold the corner cases.
const (
	quietest  = -65.0 // softer frames are never speech: a whisper at arm's length has -60
	silent    = -85.0 // softer frames count as this: a source that is off or gated has -100 or less
	rise      = 6.0   // above the noise, where a run of speech begins; noise itself gets 3 to 4 above
	fall      = 4.0   // above the noise, where it still goes on
	bridge    = 12    // gaps of up to 240 ms belong to the run: stops and the pauses between words
	minStrong = 4     // frames above rise in a run: 80 ms, a short word has 150
	minRow    = 3     // of them in a row
	minSpread = 4.5   // between the softest and the loudest tenth of a run: noise has up to 3, a word 6, a sentence 15

	block     = 25  // frames for which the noise is estimated together: 500 ms
	surround  = 100 // frames before and after a block that are looked at: 2 s
	noisePart = 10  // the noise is the level that a tenth of those stay below
	known     = 40  // fewer frames, 800 ms, may be all speech and say nothing of the noise
)

// Meter hears a take. It keeps one number for each 20 ms.
type Meter struct {
	levels  []float32 // of whole frames, in dB below full scale
	energy  float64   // of the frame that is being filled
	filled  int
	x, y    float64 // of the high pass
	odd     []byte  // first half of a sample
	peak    int
	samples int64
}

// Write takes signed 16 bit little endian mono samples at 16 kHz. It never
// fails.
func (m *Meter) Write(b []byte) (int, error) {
	n := len(b)
	if len(m.odd) == 1 && len(b) > 0 {
		m.sample(int16(uint16(m.odd[0]) | uint16(b[0])<<8))
		b, m.odd = b[1:], nil
	}
	for ; len(b) >= 2; b = b[2:] {
		m.sample(int16(uint16(b[0]) | uint16(b[1])<<8))
	}
	if len(b) == 1 {
		m.odd = []byte{b[0]}
	}
	return n, nil
}

func (m *Meter) sample(s int16) {
	m.samples++
	m.peak = max(m.peak, abs(int(s)))
	x := float64(s) / 32768
	// A first-order high pass at 130 Hz: no offset, little hum.
	m.y = x - m.x + 0.95*m.y
	m.x = x
	m.energy += m.y * m.y
	if m.filled++; m.filled == frameLength {
		m.levels = append(m.levels, float32(10*math.Log10(m.energy/frameLength+1e-12)))
		m.energy, m.filled = 0, 0
	}
}

func abs(x int) int { return max(x, -x) }

// LevelsPerSecond is how many levels a second of samples has.
const LevelsPerSecond = 1000 / frameMS

// Levels returns how loud each 20 ms were so far, in decibels below full scale,
// without offset and hum. It is to be read only, and until the next Write.
func (m *Meter) Levels() []float32 { return m.levels }

// Speech is what was heard so far.
func (m *Meter) Speech() wire.Speech {
	frames := 0
	for _, r := range runs(m.levels, floors(m.levels)) {
		frames += r.to - r.from
	}
	return wire.Speech{
		Heard:    frames > 0,
		SpeechMS: int64(frames) * frameMS,
		AudioMS:  m.samples * 1000 / rate,
		Peak:     float64(m.peak) / 32768,
	}
}

// floors returns the level of the noise around each block of frames.
func floors(levels []float32) []float32 {
	var out, near []float32
	for at := 0; at < len(levels); at += block {
		near = append(near[:0], levels[max(0, at-surround):min(len(levels), at+block+surround)]...)
		floor := float32(silent)
		if len(near) >= known {
			slices.Sort(near)
			floor = max(floor, near[len(near)/noisePart])
		}
		out = append(out, floor)
	}
	return out
}

// run is a stretch of speech: frames from, to-1.
type run struct{ from, to int }

// runs returns the stretches that stand out from the noise and move like
// speech.
func runs(levels, floors []float32) []run {
	var out []run
	var r run
	strong, row, bestRow, last := 0, 0, 0, -1
	finish := func() {
		if strong >= minStrong && bestRow >= minRow && spread(levels[r.from:r.to]) >= minSpread {
			out = append(out, r)
		}
		strong, row, bestRow, last = 0, 0, 0, -1
	}
	for i, l := range levels {
		over := l - floors[i/block]
		isStrong := over >= rise && l >= quietest
		if isStrong {
			strong++
			row++
			bestRow = max(bestRow, row)
		} else {
			row = 0
		}
		switch {
		case last < 0 && isStrong:
			r = run{i, i + 1}
			last = i
		case last >= 0 && over >= fall && l >= quietest:
			last, r.to = i, i+1
		case last >= 0 && i-last > bridge:
			finish()
		}
	}
	if last >= 0 {
		finish()
	}
	return out
}

// spread is how much the levels of a run move. A tenth at both ends is left
// out, so that neither a start and a stop nor a click in it make noise move.
func spread(levels []float32) float32 {
	sorted := slices.Sorted(slices.Values(levels))
	tenth := len(sorted) / 10
	return sorted[len(sorted)-1-tenth] - sorted[tenth]
}

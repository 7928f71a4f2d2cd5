package capture

import (
	"encoding/binary"
	"math"
)

// levelSamples is how many samples one level is of: 100 ms.
const levelSamples = Rate / 10

// meter measures how loud samples are.
type meter struct {
	samples int
	squares float64
	peak    int
}

// add measures the whole samples in b and calls emit with the root mean square
// and the peak, from 0 to 1, of each levelSamples of them.
func (m *meter) add(b []byte, emit func(rms, peak float64)) {
	for ; len(b) >= SampleSize; b = b[SampleSize:] {
		v := int(int16(binary.LittleEndian.Uint16(b)))
		m.peak = max(m.peak, v, -v)
		m.squares += float64(v) * float64(v)
		if m.samples++; m.samples == levelSamples {
			const full = 1 << 15
			emit(math.Sqrt(m.squares/levelSamples)/full, float64(m.peak)/full)
			*m = meter{}
		}
	}
}

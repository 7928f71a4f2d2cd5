package audio

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func sine(n int, hz, rate, amplitude float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = amplitude * math.Sin(2*math.Pi*hz*float64(i)/rate)
	}
	return out
}

func resample(in []float64, from, to int) []float64 {
	r := newResampler(from, to)
	return r.flush(r.write(nil, in))
}

func toFloats(b []byte) []float64 {
	out := make([]float64, len(b)/2)
	for i := range out {
		out[i] = float64(int16(binary.LittleEndian.Uint16(b[2*i:])))
	}
	return out
}

// sineSNR fits a sine of the frequency and returns how far the rest is below
// it, in dB, without the ends where the filter sees silence.
func sineSNR(x []float64, hz, rate float64) float64 {
	x = x[500 : len(x)-500]
	var a, b, c float64 // sine, cosine, offset
	for range 5 {       // projections, as the window holds no whole number of periods
		var da, db, dc float64
		for i, v := range x {
			s, k := math.Sincos(2 * math.Pi * hz * float64(i) / rate)
			e := v - a*s - b*k - c
			da, db, dc = da+e*s, db+e*k, dc+e
		}
		n := float64(len(x))
		a, b, c = a+2*da/n, b+2*db/n, c+dc/n
	}
	var signal, noise float64
	for i, v := range x {
		s, k := math.Sincos(2 * math.Pi * hz * float64(i) / rate)
		want := a*s + b*k
		signal += want * want
		noise += (v - want) * (v - want)
	}
	return 10 * math.Log10(signal/noise)
}

func power(x []float64) float64 {
	var sum float64
	for _, v := range x {
		sum += v * v
	}
	return sum / float64(len(x))
}

var rates = []int{4000, 8000, 11025, 12000, 15999, 16001, 22050, 24000, 32000, 44100, 48000, 88200, 96000, 191999, 192000}

func TestResampleKeepsASine(t *testing.T) {
	for _, rate := range rates {
		for _, hz := range []float64{100, 1000, 0.42 * float64(min(rate, OutRate))} {
			out := resample(sine(rate/4, hz, float64(rate), 10000), rate, OutRate)
			if snr := sineSNR(out, hz, OutRate); snr < 100 {
				t.Errorf("%d Hz, sine of %.0f Hz: SNR %.1f dB, want 100", rate, hz, snr)
			}
			if g := 10 * math.Log10(power(out[500:len(out)-500])/5e7); math.Abs(g) > 0.05 {
				t.Errorf("%d Hz, sine of %.0f Hz: gain %.3f dB", rate, hz, g)
			}
		}
	}
}

// What 16 kHz cannot hold must not come back as another tone.
func TestResampleDropsWhatDoesNotFit(t *testing.T) {
	for _, rate := range []int{22050, 44100, 48000, 192000} {
		for _, hz := range []float64{8500, 10000} {
			out := resample(sine(rate/4, hz, float64(rate), 10000), rate, OutRate)
			if db := 10 * math.Log10(power(out[500:len(out)-500])/5e7); db > -80 {
				t.Errorf("%d Hz: tone of %.0f Hz is at %.1f dB, want -80", rate, hz, db)
			}
		}
	}
}

func TestResampleKeepsAnOffset(t *testing.T) {
	for _, rate := range rates {
		in := make([]float64, rate/4)
		for i := range in {
			in[i] = 1000
		}
		out := resample(in, rate, OutRate)
		for i, v := range out[200 : len(out)-200] {
			if math.Abs(v-1000) > 0.2 {
				t.Fatalf("%d Hz: sample %d is %f, want 1000", rate, i+200, v)
			}
		}
	}
}

// Nothing is shifted in time: an impulse stays where it was.
func TestResampleKeepsTime(t *testing.T) {
	for _, rate := range rates {
		in := make([]float64, rate/8)
		at := rate / 16
		in[at] = 30000
		out := resample(in, rate, OutRate)
		best := 0
		for i, v := range out {
			if v > out[best] {
				best = i
			}
		}
		if want := float64(at) * OutRate / float64(rate); math.Abs(float64(best)-want) > 0.51*max(1, OutRate/float64(rate)) {
			t.Errorf("%d Hz: impulse at %d, want %.1f", rate, best, want)
		}
	}
}

func TestResampleLength(t *testing.T) {
	for _, rate := range rates {
		for _, n := range []int{0, 1, 2, 3, 100, 441, 1001} {
			want := (n*OutRate + rate - 1) / rate
			if got := len(resample(make([]float64, n), rate, OutRate)); got != want {
				t.Errorf("%d samples of %d Hz: %d, want %d", n, rate, got, want)
			}
		}
	}
}

func TestResampleInPieces(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, rate := range rates {
		in := make([]float64, rate/10)
		for i := range in {
			in[i] = random.Float64()*20000 - 10000
		}
		whole := resample(in, rate, OutRate)
		r := newResampler(rate, OutRate)
		var got []float64
		for rest := in; len(rest) > 0; {
			n := min(random.IntN(200), len(rest))
			got = r.write(got, rest[:n])
			rest = rest[n:]
		}
		if got = r.flush(got); !slices.Equal(got, whole) {
			t.Errorf("%d Hz: pieces give another result", rate)
		}
	}
}

func BenchmarkResample48k(b *testing.B) {
	in := sine(48000, 1000, 48000, 10000)
	b.ReportAllocs()
	for b.Loop() {
		resample(in, 48000, OutRate)
	}
}

package audio

import "math"

// The low pass of the resampler: a sinc of 48 zero crossings to each side
// under a Kaiser window. Beta 9 puts what is cut off 90 dB down; 0.93 of the
// lower of the two Nyquist frequencies keeps the slope below it. Between the
// points of the table it is interpolated, which costs less than -110 dB.
const (
	crossings = 48
	beta      = 9.0
	rolloff   = 0.93
	steps     = 1024 // points from one zero crossing to the next
)

var kernel = func() []float64 {
	table := make([]float64, crossings*steps+2)
	for i := range table[:crossings*steps] {
		x := float64(i) / steps
		w := x / crossings
		table[i] = sinc(x) * bessel0(beta*math.Sqrt(1-w*w)) / bessel0(beta)
	}
	return table
}()

func sinc(x float64) float64 {
	if x == 0 {
		return 1
	}
	return math.Sin(math.Pi*x) / (math.Pi * x)
}

// bessel0 is the modified Bessel function of the first kind, order 0.
func bessel0(x float64) float64 {
	sum, term := 1.0, 1.0
	for k := 1.0; term > 1e-12*sum; k++ {
		term *= x / 2 / k * x / 2 / k
		sum += term
	}
	return sum
}

// resampler changes the rate of a stream. Output sample n is the input,
// limited in bandwidth, at the time of n: nothing is shifted, and n inputs
// give ceil(n*out/in) outputs. How the input is cut into pieces changes
// nothing.
type resampler struct {
	in, out int64   // Hz
	scale   float64 // zero crossings per input sample
	half    int64   // input samples on each side of an output
	history []float64
	first   int64 // number of the input sample at history[0]; begins below 0
	next    int64 // number of the next output sample
}

func newResampler(in, out int) *resampler {
	r := &resampler{in: int64(in), out: int64(out)}
	r.scale = rolloff * min(1, float64(out)/float64(in))
	r.half = int64(math.Ceil(crossings / r.scale))
	// Silence before the first sample.
	r.history = make([]float64, r.half)
	r.first = -r.half
	return r
}

// write appends to dst what can be computed now that the samples of in are
// known.
func (r *resampler) write(dst, in []float64) []float64 {
	r.history = append(r.history, in...)
	end := r.first + int64(len(r.history))
	for r.position()+r.half < end {
		dst = append(dst, r.sample())
		r.next++
	}
	// What no later output needs is dropped.
	if drop := r.position() - r.half - r.first; drop > 0 {
		drop = min(drop, int64(len(r.history)))
		r.history = append(r.history[:0], r.history[drop:]...)
		r.first += drop
	}
	return dst
}

// flush appends the rest, as if silence followed.
func (r *resampler) flush(dst []float64) []float64 {
	end := r.first + int64(len(r.history))
	r.history = append(r.history, make([]float64, r.half+1)...)
	for r.position() < end {
		dst = append(dst, r.sample())
		r.next++
	}
	return dst
}

// position is the last input sample that is not after the next output sample.
func (r *resampler) position() int64 { return r.next * r.in / r.out }

func (r *resampler) sample() float64 {
	at := r.position()
	fraction := float64(r.next*r.in%r.out) / float64(r.out)
	from := at - r.half + 1
	x := (fraction + float64(r.half-1)) * r.scale * steps // distance of the first input, in table points
	var sum float64
	for _, v := range r.history[from-r.first : at+r.half+1-r.first] {
		if d := math.Abs(x); d < crossings*steps {
			i := int(d)
			f := d - float64(i)
			sum += v * (kernel[i] + f*(kernel[i+1]-kernel[i]))
		}
		x -= r.scale * steps
	}
	return sum * r.scale
}

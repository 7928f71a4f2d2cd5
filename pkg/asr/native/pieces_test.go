package native

import (
	"bytes"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"testing"
	"testing/iotest"
	"time"

	"voice-input/pkg/asr/engine"
)

// speech is a sound that moves like speech: syllables of 160 ms, gaps of 80.
func speech(d time.Duration) []byte {
	const syllable = engine.Rate * 160 / 1000
	one := sound(240*time.Millisecond, func(i int) float64 {
		if i >= syllable {
			return 0
		}
		return 8000 * math.Sin(2*math.Pi*440*float64(i)/engine.Rate) * math.Sin(math.Pi*float64(i)/syllable)
	})
	n := int(d * engine.BytesPerSecond / time.Second)
	return bytes.Repeat(one, n/len(one)+1)[:n&^1]
}

// noise keeps its level.
func noise(d time.Duration) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	return sound(d, func(int) float64 { return 200 * r.NormFloat64() })
}

func silence(d time.Duration) []byte { return make([]byte, int(d*engine.BytesPerSecond/time.Second)) }

func sound(d time.Duration, sample func(int) float64) []byte {
	n := int(d * engine.Rate / time.Second)
	b := make([]byte, 0, 2*n)
	for i := range n {
		v := int16(sample(i))
		b = append(b, byte(v), byte(uint16(v)>>8))
	}
	return b
}

func cutUp(t *testing.T, in io.Reader) []piece {
	t.Helper()
	c := cutter{in: in, span: usual}
	var all []piece
	for {
		p, err := c.next()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

func TestPieces(t *testing.T) {
	second := func(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
	for _, tt := range []struct {
		name  string
		parts [][]byte
		at    []time.Duration // where each cut is, at most half a second away
	}{
		{"short", [][]byte{speech(second(2))}, nil},
		{"exactly one request", [][]byte{speech(second(300))}, nil},
		{"a pause in the last minute", [][]byte{speech(second(250)), silence(second(1)), speech(second(60))}, []time.Duration{second(250.5)}},
		{"the longer of two pauses", [][]byte{speech(second(245)), silence(second(0.3)), speech(second(20)), silence(second(1)), speech(second(60))}, []time.Duration{second(265.8)}},
		{"a pause in noise", [][]byte{speech(second(260)), noise(second(1)), speech(second(60))}, []time.Duration{second(260.5)}},
		{"only before the last minute", [][]byte{speech(second(200)), silence(second(1)), speech(second(200))}, []time.Duration{second(270)}},
		{"two cuts", [][]byte{speech(second(280)), silence(second(1)), speech(second(280)), silence(second(1)), speech(second(60))}, []time.Duration{second(280.5), second(561.5)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			all := bytes.Join(tt.parts, nil)
			pieces := cutUp(t, bytes.NewReader(all))
			if len(pieces) != len(tt.at)+1 {
				t.Fatalf("%d pieces", len(pieces))
			}
			var joined []byte
			for i, p := range pieces {
				if len(p.pcm) > bytesOfMaxPiece || len(p.pcm)%2 != 0 || !p.speech || p.length != time.Duration(len(p.pcm))*time.Second/engine.BytesPerSecond {
					t.Errorf("piece %d: %d bytes, %v, speech %t", i, len(p.pcm), p.length, p.speech)
				}
				joined = append(joined, p.pcm...)
				if i == len(tt.at) {
					break
				}
				at := time.Duration(len(joined)) * time.Second / engine.BytesPerSecond
				limit := second(0.6)
				if tt.name == "only before the last minute" {
					limit = second(30)
				}
				if off := (at - tt.at[i]).Abs(); off > limit {
					t.Errorf("cut %d at %v, want %v", i, at, tt.at[i])
				}
			}
			if !bytes.Equal(joined, all) {
				t.Error("the pieces are not the recording")
			}
		})
	}
}

// One sample more than a request holds makes two pieces.
func TestOneSampleTooMany(t *testing.T) {
	all := append(speech(300*time.Second), 0, 0)
	if got := cutUp(t, bytes.NewReader(all)); len(got) != 2 || len(got[0].pcm)+len(got[1].pcm) != len(all) {
		t.Errorf("%d pieces", len(got))
	}
}

func TestPiecesOfLittle(t *testing.T) {
	if got := cutUp(t, bytes.NewReader(nil)); len(got) != 1 || got[0].speech {
		t.Errorf("nothing: %+v", got)
	}
	if got := cutUp(t, bytes.NewReader(noise(5*time.Second))); len(got) != 1 || got[0].speech {
		t.Error("noise is speech")
	}
	if got := cutUp(t, iotest.OneByteReader(bytes.NewReader(make([]byte, 641)))); len(got[0].pcm) != 640 {
		t.Errorf("half a sample: %d bytes", len(got[0].pcm))
	}
	broken := errors.New("broken")
	c := cutter{span: usual, in: io.MultiReader(bytes.NewReader(speech(time.Second)), iotest.ErrReader(broken))}
	if _, err := c.next(); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}

func TestSoftest(t *testing.T) {
	for _, tt := range []struct {
		levels []float32
		width  int
		want   int
	}{
		{[]float32{-10, -20, -10, -10}, 1, 1},
		{[]float32{-10, -20, -20, -10}, 2, 1},
		{[]float32{-70, -200, -65, -10}, 1, 2}, // all as good as silence, the last
		{[]float32{-30, -30, -30}, 3, 0},
	} {
		if got := softest(tt.levels, tt.width); got != tt.want {
			t.Errorf("%v, %d: %d, want %d", tt.levels, tt.width, got, tt.want)
		}
	}
}

package fakecloud

import (
	"crypto/sha256"
	"encoding/hex"
	"math/rand/v2"
	"reflect"
	"testing"
)

// hearing returns an ear on its own.
func hearing(t *testing.T, sound Sound) *ear {
	t.Helper()
	srv := start(t, Scenario{Audio: sound})
	return srv.begin(Task, nil).listen("", 16000, true)
}

func TestEar(t *testing.T) {
	noise := make([]byte, 2*100000)
	source := rand.NewChaCha8([32]byte{1})
	source.Read(noise)
	part := func(pcm []byte) func(first, count int64) []byte {
		return func(first, count int64) []byte { return pcm[2*first : 2*(first+count)] }
	}
	for _, kind := range []struct {
		name  string
		sound Sound
		part  func(first, count int64) []byte
	}{
		{"ramp", Sound{}, Ramp},
		{"exact", Sound{Exact: noise}, part(noise)},
	} {
		for _, c := range []struct {
			name    string
			frames  [][2]int64 // first and count
			gaps    []Span
			repeats []Span
			codes   string
		}{
			{"whole", [][2]int64{{0, 1600}, {1600, 3200}, {4800, 80000}}, nil, nil, ""},
			{"past a period", [][2]int64{{0, 65000}, {65000, 1000}, {66000, 10}}, nil, nil, ""},
			{"gap", [][2]int64{{0, 1600}, {3200, 1600}}, []Span{{1600, 3200}}, nil, "audio-gap"},
			{"gap across a period", [][2]int64{{0, 65000}, {66000, 100}}, []Span{{65000, 66000}}, nil, "audio-gap"},
			{"repeat", [][2]int64{{0, 1600}, {0, 1600}, {1600, 1600}}, nil, []Span{{0, 1600}}, "audio-repeat"},
			{"repeat across a period", [][2]int64{{0, 66000}, {65000, 2000}}, nil, []Span{{65000, 66000}}, "audio-repeat"},
			{"part of a repeat", [][2]int64{{0, 3200}, {0, 1000}, {3200, 10}}, nil, []Span{{0, 1000}}, "audio-repeat"},
			{"both", [][2]int64{{0, 100}, {200, 100}, {150, 50}, {300, 100}}, []Span{{100, 200}}, []Span{{150, 200}}, "audio-gap audio-repeat"},
			{"not from the start", [][2]int64{{2048, 2048}}, nil, nil, "audio-first"},
		} {
			t.Run(kind.name+" "+c.name, func(t *testing.T) {
				e := hearing(t, kind.sound)
				sum := sha256.New()
				var total int64
				for _, f := range c.frames {
					frame := kind.part(f[0], f[1])
					sum.Write(frame)
					total += f[1]
					if n := e.hear(frame); n != total {
						t.Errorf("hear = %d, want %d", n, total)
					}
				}
				a := e.audio()
				last := c.frames[len(c.frames)-1]
				if !reflect.DeepEqual(a.Gaps, c.gaps) || !reflect.DeepEqual(a.Repeats, c.repeats) || a.Wrong != 0 || a.First != c.frames[0][0] ||
					a.Last != last[0]+last[1]-1 || a.SHA256 != hex.EncodeToString(sum.Sum(nil)) || a.Frames != len(c.frames) {
					t.Errorf("audio = %+v", a)
				}
				if got := violations(e.s.srv); got != c.codes {
					t.Errorf("violations = %q, want %q", got, c.codes)
				}
				if exact := a.Exact(total); exact != (c.codes == "") {
					t.Errorf("Exact = %v", exact)
				}
			})
		}
	}
}

func TestEarHearsWhatIsNotTheSound(t *testing.T) {
	e := hearing(t, Sound{})
	e.hear(Ramp(0, 1000))
	frame := Ramp(1000, 1000)
	frame[100] ^= 0x55 // one sample
	e.hear(frame)
	e.hear(Ramp(2000, 10)[:19])
	a := e.audio()
	if a.Wrong != 1 || a.Odd != 1 || a.Samples != 2009 || a.Last != 2008 || a.Gaps != nil || a.Repeats != nil {
		t.Errorf("audio = %+v", a)
	}
	if got := violations(e.s.srv); got != "audio-odd audio-wrong" {
		t.Errorf("violations = %q", got)
	}
}

func TestEarBeyondTheExactSound(t *testing.T) {
	e := hearing(t, Sound{Exact: Ramp(0, 100)})
	e.hear(Ramp(0, 101))
	if a := e.audio(); a.Wrong != 1 {
		t.Errorf("audio = %+v", a)
	}
}

func TestEarTakesAnything(t *testing.T) {
	e := hearing(t, Sound{Any: true, Total: 30})
	e.hear(make([]byte, 20))
	e.finish()
	if a := e.audio(); a.First != -1 || a.Samples != 10 || !a.Complete || e.silent() != 10 {
		t.Errorf("audio = %+v", a)
	}
	if got := violations(e.s.srv); got != "audio-total" {
		t.Errorf("violations = %q", got)
	}
}

func TestEarMeasuresThePace(t *testing.T) {
	e := hearing(t, Sound{MaxPace: 4})
	e.hear(Ramp(0, 4*16000))
	if got := violations(e.s.srv); got != "" {
		t.Errorf("violations = %q", got)
	}
	e.hear(Ramp(4*16000, 1600))
	if a := e.audio(); a.Pace != 4.1 {
		t.Errorf("pace = %v", a.Pace)
	}
	if got := violations(e.s.srv); got != "audio-pace" {
		t.Errorf("violations = %q", got)
	}
}

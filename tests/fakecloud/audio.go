package fakecloud

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"maps"
	"slices"
	"sync"
	"time"
)

// period is after how many samples the ramp begins anew. It is a prime, so
// that no size of frame divides it.
const period = 65521

// Ramp returns count samples of the ramp from the one with the index first on,
// as bytes. Each sample tells its own index, as far as one period.
func Ramp(first, count int64) []byte {
	pcm := make([]byte, 0, 2*count)
	for i := first; i < first+count; i++ {
		pcm = binary.LittleEndian.AppendUint16(pcm, uint16(rampAt(i)))
	}
	return pcm
}

func rampAt(i int64) int16 { return int16(i%period - 32760) }

// Audio is what was heard of one task or in one file.
type Audio struct {
	Task    string `json:"task,omitempty"`
	Rate    int    `json:"rate"`
	Frames  int    `json:"frames"`
	Bytes   int64  `json:"bytes"`
	Samples int64  `json:"samples"`
	// First and Last are indices into the expected sound, -1 without samples or
	// with Sound.Any. In the ramp First is below 65521.
	First   int64  `json:"first"`
	Last    int64  `json:"last"`
	Gaps    []Span `json:"gaps,omitempty"`    // samples that never came
	Repeats []Span `json:"repeats,omitempty"` // samples that came again
	Wrong   int64  `json:"wrong,omitempty"`   // samples that are nowhere in the sound
	SHA256  string `json:"sha256"`            // of all bytes
	Odd     int    `json:"odd,omitempty"`     // frames with half a sample
	// Sizes is how many frames there were of each size in bytes.
	Sizes    map[int]int `json:"sizes,omitempty"`
	Arrivals []Arrival   `json:"arrivals,omitempty"`
	// Pace is how much speech came in the busiest second, in seconds.
	Pace float64 `json:"pace"`
	// Complete is whether the client said that this is all.
	Complete bool `json:"complete"`
}

// Span are samples, To not among them.
type Span struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

// Arrival is when a frame came.
type Arrival struct {
	At      float64 `json:"at"` // ms since the session was accepted
	Samples int     `json:"samples"`
}

// Exact says whether the first n samples of the sound came, each once and in
// order, and nothing else.
func (a Audio) Exact(n int64) bool {
	return a.Samples == n && len(a.Gaps) == 0 && len(a.Repeats) == 0 && a.Wrong == 0 && a.Odd == 0 &&
		(n == 0 || a.First <= 0 && (a.First < 0 || a.Last == n-1))
}

// maxSpans bounds the gaps and repeats that are kept of each recording.
const maxSpans = 100

// ear hears one recording and compares it with the sound that is expected.
type ear struct {
	s     *session
	sound Sound
	live  bool // frames of a stream, not a file

	mu      sync.Mutex
	a       Audio
	sum     hash.Hash
	pos     int64 // where the next sample should be
	high    int64 // the first index that has not come
	again   bool  // the last of Repeats is growing
	said    map[string]bool
	busy    int   // the first of Arrivals that counts for the pace
	second  int64 // samples since then
	silence int64 // samples of silence at the end
}

func newEar(s *session, task string, rate int, live bool) *ear {
	return &ear{s: s, sound: s.srv.Scenario.Audio, live: live, sum: sha256.New(), said: map[string]bool{},
		a: Audio{Task: task, Rate: rate, First: -1, Last: -1, Sizes: map[int]int{}}}
}

func (e *ear) audio() Audio {
	e.mu.Lock()
	defer e.mu.Unlock()
	a := e.a
	a.SHA256 = hex.EncodeToString(e.sum.Sum(nil))
	a.Gaps, a.Repeats, a.Arrivals = slices.Clone(a.Gaps), slices.Clone(a.Repeats), slices.Clone(a.Arrivals)
	a.Sizes = maps.Clone(a.Sizes)
	return a
}

// violate reports each kind once per recording; the numbers are in Audio.
func (e *ear) violate(code, detail string) {
	if !e.said[code] {
		e.said[code] = true
		e.s.violate(code, e.a.Task, detail)
	}
}

// hear takes a frame and returns how many samples there were so far.
func (e *ear) hear(frame []byte) int64 {
	defer e.s.srv.changed()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.a.Frames++
	e.a.Bytes += int64(len(frame))
	e.a.Sizes[len(frame)]++
	e.sum.Write(frame)
	if len(frame)%2 != 0 {
		e.a.Odd++
		e.violate(AudioOdd, "")
		frame = frame[:len(frame)-1]
	}
	n := len(frame) / 2
	e.a.Samples += int64(n)
	e.arrive(n)
	for i := 0; i < n; i++ {
		if v := sampleAt(frame, i); v < -100 || v > 100 {
			e.silence = 0
		} else {
			e.silence++
		}
		if !e.sound.Any {
			e.compare(frame, i)
		}
	}
	return e.a.Samples
}

func sampleAt(pcm []byte, i int) int16 { return int16(binary.LittleEndian.Uint16(pcm[2*i:])) }

// arrive keeps the time and the pace.
func (e *ear) arrive(n int) {
	if !e.live {
		return
	}
	now := e.s.offset()
	e.a.Arrivals = append(e.a.Arrivals, Arrival{now, n})
	e.second += int64(n)
	for e.a.Arrivals[e.busy].At <= now-float64(time.Second/time.Millisecond) {
		e.second -= int64(e.a.Arrivals[e.busy].Samples)
		e.busy++
	}
	e.a.Pace = max(e.a.Pace, float64(e.second)/float64(e.a.Rate))
	if e.sound.MaxPace > 0 && e.a.Pace > e.sound.MaxPace {
		e.violate(AudioPace, "")
	}
}

// compare looks at one sample of a frame. A sample that is not the expected
// one begins a gap or a repeat if what follows is found elsewhere.
func (e *ear) compare(frame []byte, i int) {
	if e.a.First < 0 || !e.expected(e.pos, sampleAt(frame, i)) {
		to, found := e.locate(frame[2*i:])
		if !found {
			e.a.Wrong++
			e.violate(AudioWrong, "")
			if e.a.First >= 0 {
				e.pos++
				e.high = max(e.high, e.pos)
			}
			return
		}
		e.jump(to)
	}
	if e.a.First < 0 {
		e.a.First = e.pos
		if e.live && e.pos != 0 {
			e.violate(AudioFirst, "")
		}
	}
	if e.pos < e.high {
		if e.again {
			e.a.Repeats[len(e.a.Repeats)-1].To = e.pos + 1
		}
	} else {
		e.high, e.again = e.pos+1, false
	}
	e.pos++
	e.a.Last = e.pos - 1
}

// jump says that the next sample is the one with the index to.
func (e *ear) jump(to int64) {
	switch {
	case e.a.First < 0:
		e.high = to
	case to > e.high:
		if len(e.a.Gaps) < maxSpans {
			e.a.Gaps = append(e.a.Gaps, Span{e.high, to})
		}
		e.high = to
		e.violate(AudioGap, "")
	case to < e.high:
		if e.again = len(e.a.Repeats) < maxSpans; e.again {
			e.a.Repeats = append(e.a.Repeats, Span{to, to})
		}
		e.violate(AudioRepeat, "")
	}
	e.pos = to
}

// expected says whether the sample with an index is v.
func (e *ear) expected(i int64, v int16) bool {
	if e.sound.Exact == nil {
		return rampAt(i) == v
	}
	return 2*i+2 <= int64(len(e.sound.Exact)) && sampleAt(e.sound.Exact, int(i)) == v
}

// locate finds the samples, of which it looks at no more than 32, in the
// sound: near the position if they are there more than once.
func (e *ear) locate(pcm []byte) (int64, bool) {
	pcm = pcm[:min(len(pcm), 64)]
	if e.sound.Exact == nil {
		return e.locateInRamp(pcm)
	}
	start := int(min(2*e.pos, int64(len(e.sound.Exact))))
	if e.a.First < 0 {
		start = 0
	}
	if i := alignedIndex(e.sound.Exact[start:], pcm); i >= 0 {
		return int64(start+i) / 2, true
	}
	if i := alignedIndex(e.sound.Exact, pcm); i >= 0 {
		return int64(i) / 2, true
	}
	return 0, false
}

func alignedIndex(all, part []byte) int {
	for from := 0; ; {
		i := bytes.Index(all[from:], part)
		if i < 0 {
			return -1
		}
		if i += from; i%2 == 0 {
			return i
		}
		from = i + 1
	}
}

func (e *ear) locateInRamp(pcm []byte) (int64, bool) {
	m := int64(sampleAt(pcm, 0)) + 32760
	if m < 0 || m >= period {
		return 0, false
	}
	for i := 1; i < len(pcm)/2; i++ {
		if sampleAt(pcm, i) != rampAt(m+int64(i)) {
			return 0, false
		}
	}
	if e.a.First < 0 {
		return m, true
	}
	// The nearer way round the ramp: forward is a gap, back a repeat.
	to := e.pos - e.pos%period + m
	if to-e.pos > period/2 && to >= period {
		to -= period
	} else if e.pos-to > period/2 {
		to += period
	}
	return to, true
}

// finish says that the client has sent all.
func (e *ear) finish() {
	defer e.s.srv.changed()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.a.Complete = true
	if e.sound.Total != 0 && e.a.Samples != e.sound.Total {
		e.violate(AudioTotal, "")
	}
}

// silent is how many samples of silence came last.
func (e *ear) silent() int64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.silence
}

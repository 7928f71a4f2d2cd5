package qwenaudio

import (
	"encoding/binary"
	"math"
	"sync"
	"testing"
	"time"

	"voice-input/pkg/asr/engine"
	"voice-input/pkg/asr/vad"
)

// silence is so much of it, not quite digital: a counter in the lowest bits, so
// that a sample that is lost or doubled shows.
func silence(d time.Duration) []byte { return start(longSilence(), d) }

// speech is a tone that comes and goes like syllables, with the same counter.
func speech(d time.Duration) []byte { return start(longSpeech(), d) }

func start(pcm []byte, d time.Duration) []byte {
	n := int64(d) * engine.BytesPerSecond / int64(time.Second) / 2 * 2
	return pcm[:n:n]
}

var longSilence = sync.OnceValue(func() []byte {
	return sound(301*time.Second, func(int) int16 { return 0 })
})

var longSpeech = sync.OnceValue(func() []byte {
	return sound(106*time.Second, func(i int) int16 {
		syllable := math.Sin(math.Pi * float64(i%4000) / 4000) // 250 ms
		return int16(9000 * syllable * syllable * math.Sin(2*math.Pi*220*float64(i)/engine.Rate))
	})
})

func sound(d time.Duration, f func(i int) int16) []byte {
	b := make([]byte, int64(d)*engine.BytesPerSecond/int64(time.Second)/2*2)
	for i := range len(b) / 2 {
		binary.LittleEndian.PutUint16(b[2*i:], uint16(f(i)&^7+int16(i/packet)%7))
	}
	return b
}

// What the tests take for speech and silence the local evidence does too.
func TestSounds(t *testing.T) {
	var m vad.Meter
	m.Write(speech(4 * time.Second))
	if s := m.Speech(); !s.Heard || s.SpeechMS < 2500 {
		t.Errorf("speech: %+v", s)
	}
	m = vad.Meter{}
	m.Write(silence(4 * time.Second))
	if s := m.Speech(); s.Heard {
		t.Errorf("silence: %+v", s)
	}
}

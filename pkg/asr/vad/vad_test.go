package vad

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// sound runs a pipeline of sound programs that ends in raw samples.
func sound(t *testing.T, pipeline string) []byte {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command("bash", "-euo", "pipefail", "-c", pipeline)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v: %s", pipeline, err, stderr.String())
	}
	return out
}

const raw = " -t raw -r 16000 -c 1 -b 16 -e signed -"

// Pieces of the pipelines. Loudness is set by the RMS of the sound.
const (
	flite  = "flite -voice kal16 -t %q s.wav; "
	espeak = "espeak-ng -v en-us -w s.wav %q; "
	mix    = "sox s.wav -r 16000 -c 1 s1.wav gain -n %s; sox -r 16000 -n -c 1 n.wav synth %s %snoise gain -n %s; sox -m -v 1 s1.wav -v 1 n.wav" + raw
)

func TestHeard(t *testing.T) {
	say := func(f, text, effects string) string {
		return fmt.Sprintf(f, text) + "sox s.wav" + raw + " " + effects
	}
	tests := []struct {
		name, pipeline string
		heard          bool
	}{
		{"nothing", "true", false},
		{"digital silence", "sox -r 16000 -n" + raw + " trim 0 3", false},
		{"dither", "sox -r 16000 -n" + raw + " synth 3 whitenoise vol 0.00004", false},
		{"white noise", "sox -r 16000 -n" + raw + " synth 5 whitenoise vol 0.1", false},
		{"loud white noise", "sox -r 16000 -n" + raw + " synth 5 whitenoise vol 0.8", false},
		{"pink noise", "sox -r 16000 -n" + raw + " synth 10 pinknoise vol 0.3", false},
		{"brown noise", "sox -r 16000 -n" + raw + " synth 10 brownnoise vol 0.3", false},
		{"a long pink noise", "sox -r 16000 -n" + raw + " synth 120 pinknoise vol 0.1", false},
		{"hum of 50 Hz", "sox -r 16000 -n" + raw + " synth 5 sine 50 vol 0.3", false},
		{"hum of 60 Hz with harmonics", "sox -r 16000 -n" + raw + " synth 5 sine 60 synth 5 sine mix 180 synth 5 sine mix 300 vol 0.3", false},
		{"a tone", "sox -r 16000 -n" + raw + " synth 3 sine 1000 vol 0.3", false},
		{"an offset", "sox -r 16000 -n" + raw + " synth 3 whitenoise vol 0.0005 dcshift 0.4", false},
		{"an offset that steps", "sox -r 16000 -n a.wav synth 2 sine 1 vol 0 dcshift 0.3; sox -r 16000 -n b.wav synth 2 sine 1 vol 0 dcshift -0.3; sox a.wav b.wav" + raw, false},
		{"a click", "sox -r 16000 -n" + raw + " synth 0.004 square 1000 vol 0.9 pad 1 1", false},
		{"a click in noise", "sox -r 16000 -n c.wav synth 0.004 square 1000 vol 0.9 pad 1 1; sox -r 16000 -n n.wav synth 2 whitenoise vol 0.003; sox -m -v 1 c.wav -v 1 n.wav" + raw, false},
		{"four keys", "sox -r 16000 -n c.wav synth 0.015 whitenoise vol 0.5 pad 0.2 0.2; sox c.wav c.wav c.wav c.wav" + raw, false},
		{"a microphone that pops and wakes up into noise", "sox -r 16000 -n p.wav synth 0.08 whitenoise vol 0.5 fade 0 0.08 0.07; sox -r 16000 -n n.wav synth 3 whitenoise vol 0.005; sox p.wav n.wav" + raw + " pad 0.3 0", false},
		{"a microphone that wakes up into noise", "sox -r 16000 -n" + raw + " synth 3 whitenoise vol 0.01 pad 0.5 0", false},
		{"a fan that is switched on", "sox -r 16000 -n a.wav synth 3 pinknoise vol 0.002; sox -r 16000 -n b.wav synth 3 pinknoise vol 0.1; sox a.wav b.wav" + raw, false},
		{"hum that is switched on", "sox -r 16000 -n" + raw + " synth 3 sine 150 vol 0.1 pad 2 0", false},

		{"a sentence", say(flite, "open the settings file and look at line ten", ""), true},
		{"a sentence of another voice", say(espeak, "open the settings file and look at line ten", ""), true},
		{"quiet, -45 dBFS", fmt.Sprintf(flite, "open the settings file") + "sox s.wav q.wav gain -n -33; sox q.wav" + raw, true},
		{"quiet in the noise of a room", fmt.Sprintf(flite+mix, "open the settings file", "-33", "3", "pink", "-60"), true},
		{"over noise", fmt.Sprintf(flite+mix, "open the settings file", "-6", "3", "white", "-24"), true},
		{"over loud noise", fmt.Sprintf(flite+mix, "open the settings file", "-6", "3", "pink", "-16"), true},
		{"the word yes", say(flite, "yes", ""), true},
		{"the word no, of another voice", say(espeak, "no", ""), true},
		{"the word go, cut tightly", say(flite, "go", "silence 1 0.01 1% reverse silence 1 0.01 1% reverse"), true},
		{"the word two in 5 s of silence", say(flite, "two", "pad 2 3"), true},
		{"the word stop in noise", fmt.Sprintf(flite+mix, "stop", "-10", "2", "white", "-35"), true},
		{"a word at the very end", say(flite, "done", "pad 4 0 silence 1 0.001 0.001% reverse silence 1 0.01 1% reverse"), true},
		{"Chinese", say("espeak-ng -v cmn -w s.wav %q; ", "你好世界", ""), true},
		{"whispered", say("espeak-ng -v en+whisper -w s.wav %q; ", "open the settings file", ""), true},
		{"with an offset", say(flite, "open the settings file", "gain -9 dcshift 0.3"), true},
		{"telephone", say(flite, "open the settings file", "sinc 300-3400"), true},
		{"without a pause", say(flite, "we were away a year ago while you were rowing a yellow yawl in a lull", ""), true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := sound(t, tt.pipeline)
			var m Meter
			m.Write(b)
			s := m.Speech()
			if s.Heard != tt.heard {
				t.Errorf("heard %v, want %v; %s", s.Heard, tt.heard, describe(&m))
			}
			if s.AudioMS != int64(len(b)/32) || s.SpeechMS > s.AudioMS || s.Heard != (s.SpeechMS > 0) {
				t.Errorf("inconsistent: %+v for %d ms", s, len(b)/32)
			}
		})
	}
}

// describe shows the levels, one letter for each 5 dB.
func describe(m *Meter) string {
	var b strings.Builder
	for _, l := range m.levels[:min(len(m.levels), 400)] {
		b.WriteByte(byte('z' + int(max(l, -100)/5)))
	}
	return fmt.Sprintf("%+v, noise %v\n%s", m.Speech(), floors(m.levels), b.String())
}

// Human speech: the time that is found is near the time that is spoken.
func TestHumanSpeech(t *testing.T) {
	for _, tt := range []struct {
		file     string
		min, max int64
	}{
		{"goforward.raw", 1400, 2300},
		{"numbers.raw", 1500, 5000},
		{"something.raw", 400, 2200},
	} {
		var m Meter
		b := sound(t, "cat "+filepath.Join("/usr/share/pocketsphinx/test/data", tt.file))
		m.Write(b)
		if s := m.Speech(); s.SpeechMS < tt.min || s.SpeechMS > tt.max {
			t.Errorf("%s: %+v, want %d to %d ms; %s", tt.file, s, tt.min, tt.max, describe(&m))
		}
	}
}

func TestPieces(t *testing.T) {
	b := sound(t, fmt.Sprintf(flite, "open the settings file")+"sox s.wav"+raw)
	var whole Meter
	whole.Write(b)
	for _, n := range []int{1, 2, 3, 7, 641, 4096} {
		var m Meter
		for rest := b; len(rest) > 0; rest = rest[min(n, len(rest)):] {
			m.Write(rest[:min(n, len(rest))])
		}
		if m.Speech() != whole.Speech() {
			t.Errorf("pieces of %d bytes: %+v, want %+v", n, m.Speech(), whole.Speech())
		}
	}
}

func TestPeak(t *testing.T) {
	for _, tt := range []struct {
		sample int16
		want   float64
	}{{0, 0}, {16384, 0.5}, {-16384, 0.5}, {-32768, 1}} {
		var m Meter
		m.Write(binary.LittleEndian.AppendUint16(nil, uint16(tt.sample)))
		if got := m.Speech().Peak; math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("peak of %d is %f, want %f", tt.sample, got, tt.want)
		}
	}
}

func BenchmarkMinute(b *testing.B) {
	samples := make([]byte, 60*32000)
	for i := range samples {
		samples[i] = byte(i * i >> 7)
	}
	b.ReportAllocs()
	for b.Loop() {
		var m Meter
		m.Write(samples)
		m.Speech()
	}
}

package qwenaudio

import (
	"testing"
	"time"

	"voice-input/pkg/asr/native"
)

func TestReplaceable(t *testing.T) {
	for bits := range 16 {
		for _, bytes := range []int64{0, maxReplay, maxReplay + 1, maxReplay + packet} {
			l := loss{Transport: bits&1 != 0, Started: bits&2 != 0, Finished: bits&4 != 0, Again: bits&8 != 0, Bytes: bytes}
			want := bits == 3 && bytes <= 9_600_000
			if got := replaceable(l); got != want {
				t.Errorf("%+v: %t", l, got)
			}
		}
	}
}

// A replacement is given up only if the native pass would run for that, and is
// faster.
func TestAbandon(t *testing.T) {
	for _, tt := range []struct {
		left, length time.Duration
		mode         native.Mode
		want         bool
	}{
		{10 * time.Second, 10 * time.Second, native.Adaptive, false}, // 2.5 s against 3.7 s
		{60 * time.Second, 60 * time.Second, native.Adaptive, true},  // 15 s against 7 s
		{20 * time.Second, 60 * time.Second, native.Adaptive, false}, // 5 s against 7 s
		{300 * time.Second, 300 * time.Second, native.Adaptive, true},
		{300 * time.Second, 300 * time.Second, native.StreamingOnly, false},
		{300 * time.Second, 300 * time.Second, native.Always, false}, // it runs beside
	} {
		if got := abandon(tt.left, tt.length, tt.mode); got != tt.want {
			t.Errorf("%+v: %t", tt, got)
		}
	}
}

// Certain is what all outcomes of a stream have in common, no more and no less.
func TestCertain(t *testing.T) {
	for _, mode := range []native.Mode{native.StreamingOnly, native.Adaptive, native.Always} {
		for _, audio := range []time.Duration{0, time.Second, 29999 * time.Millisecond, 30 * time.Second, time.Minute} {
			for bits := range 4 {
				s := native.Situation{Audio: audio, Mode: mode, ContextSent: bits&1 != 0, Silent: bits&2 != 0}
				want := !s.Silent && audio > 0 && (mode == native.Always || mode == native.Adaptive && audio >= 30*time.Second && !s.ContextSent)
				if got := certain(s); got != want {
					t.Errorf("%+v: %t", s, got)
				}
			}
		}
	}
}

func TestDelivery(t *testing.T) {
	if got := delivery(time.Minute, 8*time.Second, native.StreamingOnly); got != 23*time.Second {
		t.Error(got)
	}
	if got := delivery(time.Minute, 8*time.Second, native.Adaptive); got != 8*time.Second {
		t.Error(got)
	}
}

package history

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"voice-input/pkg/wire"
)

// BenchmarkAdd is what a delivery waits for, BenchmarkDelivered what comes
// behind it, both with the history full at its default limits.
func BenchmarkAdd(b *testing.B) { bench(b, false) }

func BenchmarkDelivered(b *testing.B) { bench(b, true) }

func bench(b *testing.B, delivered bool) {
	s := Open(filepath.Join(b.TempDir(), "voice-input", "history.jsonl"), Limits{Count: 200, Age: 168 * time.Hour})
	text := strings.Repeat("a sentence of usual length, ", 10)
	entry := func(n int) *wire.History {
		return &wire.History{ID: fmt.Sprintf("%06d", n), Transcript: text, Text: text}
	}
	n := 0
	for ; n < 200; n++ {
		if err := s.Add(b.Context(), entry(n)); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		n++
		if delivered {
			b.StopTimer()
		}
		err := s.Add(b.Context(), entry(n))
		if delivered {
			b.StartTimer()
			err = s.Delivered(b.Context(), entry(n).ID, &wire.Delivery{Delivered: true})
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

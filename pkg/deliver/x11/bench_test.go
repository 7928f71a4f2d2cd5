package x11

import (
	"context"
	"testing"
	"time"

	"voice-input/pkg/internal/desktoptest"
)

// BenchmarkDeliver measures one delivery into xterm, the clipboard holding
// text before: until the text is in the terminal's program (ms/arrival), and
// until the clipboard is back (the whole).
func BenchmarkDeliver(b *testing.B) {
	d := newDesk(b)
	d.copy(b, "UTF8_STRING", []byte("old"))
	measure(b, d.reader, d.driver(b))
}

func measure(b *testing.B, r *desktoptest.Reader, d *Driver) {
	want := desktoptest.Pasted("go forward ten meters")
	var arrival time.Duration
	for b.Loop() {
		start, before := time.Now(), len(r.All())
		done := make(chan struct{})
		go func() {
			defer close(done)
			for len(r.All()) < before+len(want) && time.Since(start) < 5*time.Second {
				time.Sleep(100 * time.Microsecond)
			}
			arrival += time.Since(start)
		}()
		if _, _, err := d.Deliver(context.Background(), "go forward ten meters"); err != nil {
			b.Fatal(err)
		}
		<-done
	}
	b.ReportMetric(arrival.Seconds()*1000/float64(b.N), "ms/arrival")
}

package wayland

import (
	"context"
	"testing"
	"time"

	"voice-input/pkg/internal/desktoptest"
)

// BenchmarkDeliver measures one delivery into foot, the clipboard holding
// text before: until the text is in the terminal's program (ms/arrival), and
// until the clipboard is back (the whole).
func BenchmarkDeliver(b *testing.B) {
	c := desktoptest.Sway(b)
	plugIn(b, c)
	r := desktoptest.NewReader(b, true)
	c.Foot(b, r.Command...)
	r.Ready()
	d := &desk{c, c.Env(b), r}
	d.copy(b, "text/plain", []byte("old"))
	measure(b, r, newDriver(b, c, options))
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

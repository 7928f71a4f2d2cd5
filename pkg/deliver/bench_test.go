package deliver

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"voice-input/pkg/deliver/driver"
	"voice-input/pkg/internal/desktoptest"
)

// BenchmarkDelivery prints how long a text of 200 characters takes from the
// call to its arrival: at the program in the terminal, or on the clipboard
// with the check that it is there.
func BenchmarkDelivery(b *testing.B) {
	text := "go forward ten meters, then say hello to everybody; "
	text = (text + text + text + text)[:200]
	display := desktoptest.X11(b)
	b.Setenv("DISPLAY", display)
	b.Setenv("WAYLAND_DISPLAY", "")

	inKitty := desktoptest.NewReader(b, false)
	k := desktoptest.StartKitty(b, []string{"DISPLAY=" + display}, filepath.Join(desktoptest.Dir(b), "k"), inKitty.Command...)
	inKitty.Ready()
	inTmux := desktoptest.NewReader(b, false)
	m := desktoptest.StartTmux(b, "s", inTmux.Command...)
	inTmux.Ready()
	pane := m.Do("list-panes", "-F", "#{pane_id}")

	arrives := func(r *desktoptest.Reader, deliver func()) float64 {
		from := len(r.All())
		before := time.Now()
		deliver()
		for len(r.All()) < from+len(text) {
			time.Sleep(50 * time.Microsecond)
		}
		return float64(time.Since(before).Microseconds()) / 1000
	}
	fmt.Printf("\n%-40s %10s\n", "driver, with its checks", "median")
	for _, row := range []struct {
		name string
		once func() float64
	}{
		{"kitty", func() float64 {
			return arrives(inKitty, func() { byKitty(b, driver.Options{Target: kittyTarget(k, 1)}, text) })
		}},
		{"tmux", func() float64 {
			return arrives(inTmux, func() { byTmux(b, driver.Options{Target: tmuxTarget(m, pane)}, text) })
		}},
		{"clipboard (xclip)", func() float64 {
			before := time.Now()
			if _, _, err := xClipboard.Deliver(b.Context(), text); err != nil {
				b.Fatal(err)
			}
			return float64(time.Since(before).Microseconds()) / 1000
		}},
	} {
		var all []float64
		for range 20 {
			all = append(all, row.once())
		}
		slices.Sort(all)
		fmt.Printf("%-40s %7.1f ms\n", row.name, all[len(all)/2])
		b.ReportMetric(all[len(all)/2], "ms/"+row.name[:4])
	}
	b.ReportMetric(0, "ns/op")
}

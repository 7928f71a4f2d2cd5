package supervise

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"voice-input/pkg/internal/soundtest"
	"voice-input/pkg/wire"
)

// BenchmarkSupervisor prints a table of what the design promises and what is
// measured, on a real server with the real stages. The recogniser's own time
// is left out, as in the promise.
func BenchmarkSupervisor(b *testing.B) {
	server := soundtest.Pulse(b)
	l := newLab(b, server, local)
	mic := server.Mic()
	var starts, cold, overheads []float64
	for range 7 {
		// Samples that wait in the pipe are there at once when it is opened, as
		// those of a device that runs.
		mic.Write(speech()[:2*step])
		before := time.Now()
		l.record(0, "start")
		for len(l.spooled()) == 0 || size(l.spooled()[0]) == 0 {
			time.Sleep(100 * time.Microsecond)
		}
		cold = append(cold, ms(time.Since(before)))
		l.record(0, "cancel")
		l.quiet()
		discardSpool(l)
	}
	for range 5 {
		l.say(mic)
		l.record(0, "stop", "--wait")
		overheads = append(overheads, float64(l.status().Last.OverheadMS))
	}
	for range 20 {
		before := time.Now()
		l.run("status")
		starts = append(starts, ms(time.Since(before)))
	}
	pid := l.daemon.Process.Pid
	time.Sleep(time.Second) // its threads go to sleep after the last answer
	wakeups := switches(pid)
	time.Sleep(10 * time.Second)
	wakeups = switches(pid) - wakeups

	warm, warmDaemon := warmStarts(b)

	fmt.Printf("\n%-58s %10s   %s\n", "what", "measured", "budget")
	row := func(what, format string, v float64, budget string) {
		fmt.Printf("%-58s %10s   %s\n", what, fmt.Sprintf(format, v), budget)
	}
	row("start command → first sample kept, warm, median", "%.1f ms", median(warm), "no sample lost; < 10 ms of our own")
	row("  of which the daemon's, median", "%.1f ms", median(warmDaemon), "")
	row("start command → first sample kept, cold, median", "%.1f ms", median(cold), "")
	row("  of which the command itself (status, median)", "%.1f ms", median(starts), "")
	row("stop command → delivered, less tail and engine, median", "%.0f ms", median(overheads), "< 50 ms")
	row("idle daemon, RSS", "%.1f MB", rss(pid), "< 20 MB")
	row("idle daemon, wake-ups in 10 s", "%.0f", float64(wakeups), "none")
	b.ReportMetric(median(warm), "ms/warm-start")
	b.ReportMetric(median(cold), "ms/start")
	b.ReportMetric(median(overheads), "ms/stop")
	b.ReportMetric(rss(pid), "MB")
	b.ReportMetric(float64(wakeups), "wakeups/10s")
	b.ReportMetric(0, "ns/op")
}

// warmStarts measures starts while the microphone is open, as it is with
// pre-roll: by a process as a hotkey starts it, and by the daemon alone.
func warmStarts(b *testing.B) (all, daemon []float64) {
	server := soundtest.Pulse(b)
	l := newLab(b, server, "[audio]\npre_roll_ms = 500\n[deliver]\nto = \"stdout\"\n[stages]\n"+sink)
	p := play(server.Mic(), 1)
	defer p.end()
	server.WaitFor("the microphone", func() bool { return p.written() > 100*step })
	for i := range 20 {
		before := time.Now()
		if i%2 == 0 {
			l.record(0, "start")
		} else if _, err := ask(b.Context(), filepath.Join(server.RuntimeDir, "voice-input"), &wire.Control{Command: string(Start)}); err != nil {
			b.Fatal(err)
		}
		for size(l.spooled()[0]) == 0 {
			time.Sleep(100 * time.Microsecond)
		}
		if took := ms(time.Since(before)); i%2 == 0 {
			all = append(all, took)
		} else {
			daemon = append(daemon, took)
		}
		l.record(0, "cancel")
		discardSpool(l)
		at := p.written()
		server.WaitFor("what the next one begins with", func() bool { return p.written() > at+20*step })
	}
	return all, daemon
}

func discardSpool(l *lab) {
	for _, path := range l.spooled() {
		os.Remove(path)
	}
}

func size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func median(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}

// rss is a process's resident memory in megabytes.
func rss(pid int) float64 {
	return float64(field(fmt.Sprintf("/proc/%d/status", pid), "VmRSS:")) / 1000
}

// switches counts how often the threads of a process went to sleep.
func switches(pid int) int {
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	n := 0
	for _, path := range tasks {
		n += field(path, "voluntary_ctxt_switches:")
	}
	return n
}

func field(path, name string) int {
	b, _ := os.ReadFile(path)
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			n, _ := strconv.Atoi(strings.Fields(rest)[0])
			return n
		}
	}
	return 0
}

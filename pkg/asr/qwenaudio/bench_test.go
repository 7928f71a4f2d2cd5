package qwenaudio

import (
	"fmt"
	"io"
	"runtime"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"voice-input/pkg/asr/engine"
	"voice-input/pkg/asr/enginetest"
	"voice-input/pkg/wire"
	"voice-input/tests/fakecloud"
)

// cpu is the processor time that this process has used.
func cpu() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// chatter has a result for each 200 ms of a take.
func chatter(length time.Duration) []fakecloud.Result {
	var all []fakecloud.Result
	for at := 200 * time.Millisecond; at < length; at += 200 * time.Millisecond {
		n := int(at / (200 * time.Millisecond))
		all = append(all, fakecloud.Result{At: int64(at.Seconds() * engine.Rate), Text: fmt.Sprint("so far ", n, " pieces"), Final: n%20 == 0})
	}
	return all
}

// BenchmarkTake streams 5 minutes as fast as they are taken. The processor
// time is that of both sides, which are in one process.
func BenchmarkTake(b *testing.B) {
	const length = 5 * time.Minute
	pcm := fakecloud.Ramp(0, int64(length.Seconds())*engine.Rate)
	var used, took time.Duration
	var heap uint64
	for b.Loop() {
		srv, err := fakecloud.Start(fakecloud.Scenario{Results: chatter(length)})
		if err != nil {
			b.Fatal(err)
		}
		e, err := New(Options{Name: "qwen-audio3", URL: srv.URL(fakecloud.TaskPath), Key: keyOf(b, srv.Token()), Connect: 5 * time.Second, Finalize: time.Minute, Heartbeat: true})
		if err != nil {
			b.Fatal(err)
		}
		take := enginetest.Whole(pcm)
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		began, busy := time.Now(), cpu()
		if _, err := e.Recognize(b.Context(), take, func(*wire.ASR) {}); err != nil {
			b.Fatal(err)
		}
		took += time.Since(began)
		used += cpu() - busy
		runtime.GC()
		runtime.ReadMemStats(&after)
		heap = max(heap, after.HeapInuse-min(before.HeapInuse, after.HeapInuse))
		srv.Check(b)
		srv.Close()
	}
	packets := float64(b.N) * float64(len(pcm)) / packet
	b.ReportMetric(packets/took.Seconds(), "packets/s")
	b.ReportMetric(used.Seconds()*1000/float64(b.N)/length.Minutes(), "cpu-ms/min")
	b.ReportMetric(float64(heap)/1024, "heap-KiB")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkSpeaking is a take of 10 s as it is spoken: the processor time of
// both sides, and how long a result takes from the service's write to our
// event.
func BenchmarkSpeaking(b *testing.B) {
	const length = 10 * time.Second
	pcm := fakecloud.Ramp(0, int64(length.Seconds())*engine.Rate)
	var used, worst, sum time.Duration
	n := 0
	for b.Loop() {
		srv, err := fakecloud.Start(fakecloud.Scenario{Results: chatter(length)})
		if err != nil {
			b.Fatal(err)
		}
		e, err := New(Options{Name: "qwen-audio3", URL: srv.URL(fakecloud.TaskPath), Key: keyOf(b, srv.Token()), Connect: 5 * time.Second, Finalize: time.Minute, Heartbeat: true})
		if err != nil {
			b.Fatal(err)
		}
		tape, take := enginetest.Live()
		var stopped atomic.Bool
		go func() {
			for at := 0; at < len(pcm) && !stopped.Load(); at += packet {
				time.Sleep(100 * time.Millisecond)
				tape.Write(pcm[at : at+packet])
			}
			tape.Close(io.EOF)
		}()
		var shown []time.Time
		busy := cpu()
		_, err = e.Recognize(b.Context(), take, func(ev *wire.ASR) {
			if ev.Type == wire.ASRPartial {
				shown = append(shown, time.Now())
			}
		})
		used += cpu() - busy
		stopped.Store(true)
		if err != nil {
			b.Fatal(err)
		}
		task := srv.Sessions(fakecloud.Task)[0]
		i := 0
		for _, m := range task.Messages {
			// Heartbeats and the frame of the task show nothing.
			if m.From != "server" || m.Kind != "text" || !isResult(m.Text) || i == len(shown) {
				continue
			}
			late := shown[i].Sub(task.AcceptedAt.Add(time.Duration(m.At * float64(time.Millisecond))))
			worst, sum = max(worst, late), sum+late
			n++
			i++
		}
		srv.Close()
	}
	b.ReportMetric(float64(sum.Microseconds())/float64(n), "latency-us")
	b.ReportMetric(float64(worst.Microseconds()), "worst-us")
	b.ReportMetric(100*used.Seconds()/float64(b.N)/length.Seconds(), "cpu-%")
	b.ReportMetric(0, "ns/op")
}

// isResult tells whether a message of the service has a text to show.
func isResult(text string) bool {
	m, err := parse([]byte(text), gjson.Get(text, "header.task_id").Str)
	return err == nil && m.event == result && m.sentence != nil
}

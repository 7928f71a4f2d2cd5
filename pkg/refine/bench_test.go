package refine

import (
	"context"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"voice-input/pkg/refine/review"
	"voice-input/tests/fakellm"
)

// The time of our own for a transcript of 2,000 characters: everything but the
// model and the way to it. The budget is 5 ms.
func BenchmarkOwnTime(b *testing.B) {
	terms := snapshot("lsp-client", "GPT-4", "kubectl", "Terraform", "Qwen-Audio-3", "src/main.rs")
	for name, unit := range map[string]string{
		"english": "um so please run npm install with --force-with-lease in /tmp/app.log and check that the cube control of node 7 still answers, ",
		"chinese": "嗯我们先把 $HOME 下面的配置改掉，然后用 kube control 重新部署三个节点，不要动旧的数据库，",
	} {
		transcript := string([]rune(strings.Repeat(unit, 2000/len([]rune(unit))+1))[:2000])
		b.Run(name, func(b *testing.B) {
			model := replying(fakellm.Edit)
			e := &editor{
				model: func(context.Context) (asker, error) { return model, nil },
				style: "formal", timeout: patience, limit: review.DefaultLimit, explain: func(string, ...any) {},
				terms: func(context.Context, time.Duration) knowledge { return know(terms) },
			}
			outcome := ""
			begin := cpuTime()
			for b.Loop() {
				r := mustEdit(b, e, transcript)
				outcome = r.Outcome + " " + r.Reason
			}
			b.ReportMetric(float64((cpuTime()-begin).Microseconds())/1000/float64(b.N), "cpu-ms/op")
			if outcome != "refined ok" {
				b.Errorf("what was measured is %s", outcome)
			}
		})
	}
}

// cpuTime is the time of the processor that the test has used: the time on the
// clock is that of the other programs too.
func cpuTime() time.Duration {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

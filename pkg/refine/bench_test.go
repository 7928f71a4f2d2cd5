package refine

import (
	"context"
	"strings"
	"testing"
	"time"

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
			for b.Loop() {
				r := mustEdit(b, e, transcript)
				outcome = r.Outcome + " " + r.Reason
			}
			b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N), "ms/op")
			b.Log(outcome)
		})
	}
}

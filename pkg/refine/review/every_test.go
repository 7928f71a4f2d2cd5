package review

import (
	"strings"
	"testing"
)

// TestEveryWordCounts drops, replaces and adds at each place of each transcript
// and of each good edit, not only where the faults happen to be.
func TestEveryWordCounts(t *testing.T) {
	if raced {
		t.Skip("runs without the race detector")
	}
	all := samples(t)
	for _, e := range goodEdits(t) {
		all = append(all, e.sample())
	}
	const other, unsaid = "zebra", "Terraform"
	tried := 0
	for k, s := range all {
		if s.style == "" {
			s.style = []string{"formal", "message", agentMarkdown}[k%3]
		}
		words := pieces(s.text())
		for i, w := range words {
			if !content(w) {
				continue
			}
			for name, to := range map[string]string{"dropped": "", "replaced": other, "replaced by a term": unsaid, "said twice": w + " " + other + " " + w, "behind a term": unsaid + " " + w} {
				changed := strings.Join(words[:i], "") + to + strings.Join(words[i+1:], "")
				r := Check(Input{Style: s.style, Sent: s.masked, Terms: append(s.terms, unsaid), Answer: changed, Finish: "stop"})
				tried++
				if r.Reason == "" {
					t.Errorf("line %d, %s: %q was %s\nsaid %s\ngot  %s (%v)", s.line, s.style, w, name, s.said, r.Text, r.Signals)
				}
			}
		}
	}
	t.Logf("%d changes of one word", tried)
}

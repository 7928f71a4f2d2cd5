package refine

import (
	"slices"
	"testing"
	"time"

	"voice-input/pkg/wire"
	"voice-input/tests/fakellm"
)

// Whatever the model and its service do, the user's words arrive: the
// transcript, or a good edit where the fault is none or can be repaired.
func TestFaults(t *testing.T) {
	terms := snapshot("kubectl", "Terraform", "lsp-client")
	var edited, repairable int
	for _, f := range fakellm.Faults {
		name := f.Name
		for _, trial := range f.Trials {
			name = trial + "/" + name
		}
		t.Run(name, func(t *testing.T) {
			s := serve(t)
			transcripts := []string{english, mixed, question, order, attack, long}
			switch {
			case f.Waits:
				transcripts = transcripts[:1]
			case raced:
				transcripts = transcripts[:2]
			}
			for _, style := range styles {
				for _, transcript := range transcripts {
					e := newLab(t, s, "fake/"+f.Name, style, terms)
					if f.Waits {
						e.timeout = 300 * time.Millisecond
					}
					r := mustEdit(t, e, transcript)
					kept := spell(transcript, know(terms).rules)
					good := slices.Contains(goodEdits(t, transcript, style, terms), r.Text)
					unchanged := r.Outcome == wire.RefineUnchanged && r.Text == kept
					switch {
					case r.Outcome == wire.RefineKept && (r.Text != kept || r.Reason == wire.OK):
						t.Errorf("%s: kept, %s: %q, want %q", style, r.Reason, r.Text, kept)
					case r.Outcome != wire.RefineKept && !good && !unchanged:
						t.Errorf("%s: %s: %q from %q", style, r.Outcome, r.Text, transcript)
					case f.Want == fakellm.Edited && !good:
						t.Errorf("%s: %s, %s: %q is no edit", style, r.Outcome, r.Reason, r.Text)
					case f.Want == fakellm.Kept && f.Reason != "" && r.Reason != f.Reason:
						t.Errorf("%s: reason %s, want %s", style, r.Reason, f.Reason)
					}
					if f.Want == fakellm.Either {
						repairable++
						if good {
							edited++
						}
					}
				}
			}
		})
	}
	t.Logf("%d faults; %d of %d answers that can be repaired were", len(fakellm.Faults), edited, repairable)
}

// A fault that strikes only the first time is made good by the second attempt,
// which goes without terms.
func TestSecondAttempt(t *testing.T) {
	s := serve(t)
	terms := snapshot("kubectl", "Terraform", "lsp-client")
	second := map[string]bool{}
	for _, f := range fakellm.Faults {
		if f.Waits || f.Want != fakellm.Kept {
			continue
		}
		before := len(s.Journal())
		r := mustEdit(t, newLab(t, s, "fake/"+f.Name+"/once", "formal", terms), english)
		good := slices.Contains(goodEdits(t, english, "formal", terms), r.Text)
		asked := s.Journal()[before:]
		if len(asked) == 0 || len(asked[0].Terms) == 0 {
			t.Errorf("%s: the first question has no terms", f.Name)
			continue
		}
		last := asked[len(asked)-1]
		second[f.Name] = len(last.Terms) == 0
		if second[f.Name] != good {
			t.Errorf("%s: a second attempt %t, a good edit %t: %s", f.Name, second[f.Name], good, r.Reason)
		}
		if second[f.Name] && (last.Agent != "" || last.Transcript == "") {
			t.Errorf("%s: the second question is %+v", f.Name, last)
		}
	}
	for name, want := range map[string]bool{
		"answer": true, "marker-dropped": true, "status-500": true, "cut-in-stream": true, "context-length": true, "finish-length": true,
		"status-401": false, "status-402": false, "status-429": false, "retry-after-60": false, "status-404": false, "unknown-option": false,
	} {
		if got, asked := second[name]; !asked || got != want {
			t.Errorf("%s: a second attempt %t, want %t", name, got, want)
		}
	}
}

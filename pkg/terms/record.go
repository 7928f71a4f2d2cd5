package terms

import (
	"context"
	"time"

	"voice-input/pkg/vocabulary"
	"voice-input/pkg/wire"
)

// labels are the names of agents that may leave the machine.
var labels = map[string]string{"codex": "Codex", "pi": "Pi"}

// Record makes the record of a session. Of the session it takes the answer's
// text and the name of the agent's kind, nothing else. With an error, which
// says why Han words are missing, the record is good nevertheless.
func Record(ctx context.Context, d *Dictionary, s *wire.Session, list vocabulary.List, max int) (*wire.Terms, error) {
	started := time.Now()
	t := &wire.Terms{
		Terms: []wire.Term{}, Views: wire.TermViews{Refine: RefineView(nil)},
		Vocabulary: list.Words, Replacements: list.Replacements,
	}
	if s.Reason != wire.OK || s.Source == nil || s.Source.Text == "" {
		t.Reason = "no_source"
		t.ElapsedUS = time.Since(started).Microseconds()
		return t, nil
	}
	if s.Agent != nil {
		t.AgentLabel = labels[s.Agent.Kind]
	}
	snapshot, err := Rank(ctx, d, s.Source.Text, max)
	texts := make([]string, len(snapshot.Terms))
	for i, term := range snapshot.Terms {
		texts[i] = term.Text
		t.Terms = append(t.Terms, wire.Term{Text: term.Text, Normalizable: term.Normalizable})
	}
	if len(texts) == 0 {
		t.Reason = "no_terms"
	}
	t.SourceChars, t.Candidates = snapshot.SourceChars, snapshot.Candidates
	t.Views = wire.TermViews{ASR: ASRView(texts), Refine: RefineView(texts)}
	t.ElapsedUS = time.Since(started).Microseconds()
	return t, err
}

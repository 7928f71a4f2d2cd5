package redact_test

import (
	"strings"
	"testing"

	"voice-input/pkg/redact"
	"voice-input/pkg/terms"
	"voice-input/pkg/vocabulary"
	"voice-input/pkg/wire"
)

// What a remote program could be sent, the whole record with both views, holds
// no piece of a secret either: what segmentation makes of the rest brings
// nothing back, nor does a cut.
func TestRule_I1_NoPieceReachesAView(t *testing.T) {
	d := terms.NewDictionary([]string{"../../share/jieba"})
	n, leaks, chosen := 0, 0, 0
	check := func(name, secret, text string, max int) {
		rec, err := terms.Record(t.Context(), d, &wire.Session{Header: wire.Header{Reason: wire.OK}, Source: &wire.Source{Text: text}}, vocabulary.List{}, max)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		line, err := wire.Encode(rec)
		if err != nil {
			t.Fatal(err)
		}
		n++
		chosen += len(rec.Terms)
		if p := redact.Leaked(string(line), secret); p != "" {
			leaks++
			t.Errorf("%s: the record holds %q", name, p)
		}
	}
	redact.EachPlanted(func(name, secret, text string) {
		check(name, secret, text, terms.DefaultSource)
		// The cut of the shortest source falls into what was planted.
		check(name+" / cut", secret, strings.Repeat("word ", 65)+text+strings.Repeat(" tail", 80), terms.MinSource)
	})
	if chosen == 0 {
		t.Error("no term came out at all")
	}
	t.Logf("views: %d records, %d with a piece of a secret; %d terms chosen", n, leaks, chosen)
}

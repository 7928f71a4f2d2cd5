package manual

import (
	"testing"

	"voice-input/pkg/focus"
	"voice-input/pkg/wire"
)

// The words for why a window shows no agent, and the desktops, are those of
// the program.
func TestFocusWords(t *testing.T) {
	description := pageOf(t, "vi-focus.1").section("DESCRIPTION")
	var words, desktops []string
	for _, it := range description.part("Reasons").items {
		words = append(words, it.head[1])
		if said, want := plain(it.body), wire.AgentReasonMeaning(it.head[1]); said != want {
			t.Errorf("%s says %q, want %q", it.head[1], said, want)
		}
	}
	same(t, "vi-focus.1 Reasons", words, wire.AgentReasons())
	for _, it := range description.part("Desktops").items {
		desktops = append(desktops, it.head[1])
	}
	same(t, "vi-focus.1 Desktops", desktops, focus.Kinds())
}

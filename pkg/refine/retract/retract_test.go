package retract

import (
	"strings"
	"testing"
)

func TestFollows(t *testing.T) {
	for _, tt := range []struct {
		text string
		want bool
	}{
		{", no wait, config.toml", true},
		{" uh, I mean main.go", true},
		{" 不对 应该是 config.toml", true},
		{"，呃，不对，改成", true},
		{" Scratch that.", true},
		{"", false},
		{" nothing", false},
		{" and then", false},
		{"的时候", false},
		{" notes", false},
		{" 里面", false},
	} {
		if got := Follows(tt.text); got != tt.want {
			t.Errorf("Follows(%q) = %v", tt.text, got)
		}
	}
}

func TestCues(t *testing.T) {
	seen := map[string]bool{}
	for i, c := range Cues() {
		if c.Text == "" || c.Text != strings.ToLower(c.Text) || seen[c.Text] || c.Strength == 0 {
			t.Errorf("cue %q", c.Text)
		}
		seen[c.Text] = true
		if i > 0 && len(c.Text) > len(Cues()[i-1].Text) {
			t.Errorf("%q stands behind a shorter one", c.Text)
		}
		if !Follows(" " + c.Text) {
			t.Errorf("%q is not found", c.Text)
		}
	}
}

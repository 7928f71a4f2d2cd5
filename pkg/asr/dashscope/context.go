package dashscope

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"voice-input/pkg/asr/bias"
	"voice-input/pkg/asr/engine"
)

// MaxContext bounds a session context in characters, separators included; the
// service cuts off what is more.
const MaxContext = 400

// Context returns the session context: the terms of the focused agent, each in
// a line of its own, whole ones only. "" is none.
func Context(h engine.Hints) string {
	if utf8.RuneCountInString(h.Context) <= MaxContext && !strings.ContainsFunc(h.Context, func(r rune) bool { return r != '\n' && unicode.IsControl(r) }) {
		return strings.TrimSpace(h.Context)
	}
	return bias.Lines(strings.Split(h.Context, "\n"), MaxContext)
}

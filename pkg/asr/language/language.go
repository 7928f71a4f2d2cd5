// Package language turns the tag of a language into what services take.
package language

import (
	"slices"
	"strings"
)

// MaxHints is how many languages a service takes.
const MaxHints = 4

// Code returns the language of a BCP 47 tag as services write it, "zh" for
// zh-Hant-TW, and "" for a tag that names none.
func Code(tag string) string {
	primary, _, _ := strings.Cut(strings.ToLower(tag), "-")
	switch primary {
	case "cmn":
		return "zh" // its own code, within the macrolanguage that everybody names
	case "auto", "und", "mul":
		return ""
	}
	return primary
}

// Hints returns the languages that may be spoken, the most likely first: those
// that the user lists, else what the tag says. Whoever dictates Chinese,
// Japanese or Korean uses English words too. Nil lets the service decide.
func Hints(tag string, listed []string) []string {
	if len(listed) == 0 {
		switch code := Code(tag); code {
		case "":
			return nil
		case "zh", "ja", "ko":
			return []string{code, "en"}
		default:
			return []string{code}
		}
	}
	var out []string
	for _, l := range listed {
		if code := Code(l); code != "" && !slices.Contains(out, code) && len(out) < MaxHints {
			out = append(out, code)
		}
	}
	return out
}

// One returns the language for a service that takes a single one: the tag's,
// else the one that the user lists alone. With several the service has to
// decide, "".
func One(tag string, listed []string) string {
	if code := Code(tag); code != "" {
		return code
	}
	if hints := Hints("", listed); len(hints) == 1 {
		return hints[0]
	}
	return ""
}

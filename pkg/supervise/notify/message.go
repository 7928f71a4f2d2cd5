package notify

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"voice-input/pkg/wire"
)

// Level says how much a note matters.
type Level int

// The levels, which become the urgencies low, normal and critical.
const (
	Progress Level = iota // a phase, gone with it
	Notice                // the text is not where it was expected, or is cut
	Problem               // words are at stake
)

// Note is what is shown. The zero value is nothing.
type Note struct {
	Level         Level
	Summary, Body string // Body is plain text
	// Value is the level of the microphone in percent plus one, 0 is none.
	Value int
}

// None tells whether there is nothing to show.
func (n Note) None() bool { return n == Note{} }

// Message returns what is to be shown after a change of the status, and
// whether that differs from before. Before the first status prev is zero.
func Message(prev, now wire.Status) (Note, bool) {
	before, after := message(prev), message(now)
	if prev.Error != nil && now.Error == nil && failed(prev) && failed(now) && now.Phase == prev.Phase && now.Last.Job == prev.Last.Job {
		return before, false // the error has expired, but the take is lost as before
	}
	return after, after != before
}

func failed(s wire.Status) bool {
	return s.Phase == idle && s.Last != nil && s.Last.Outcome == "failed"
}

// idle is the phase without a take.
const idle = "idle"

// phases are the texts of the others.
var phases = map[string]string{
	"arming": "Opening the microphone", "recording": "Recording",
	"recognizing": "Recognising", "refining": "Refining", "delivering": "Delivering",
}

// stages are the texts for a failure, by its stage. A refining that failed
// costs no word.
var stages = map[string]Note{
	"capture": {Level: Problem, Summary: "The recording has failed"},
	"asr":     {Level: Problem, Summary: "The recognition has failed"},
	"refine":  {Level: Notice, Summary: "The text was not refined"},
	"deliver": {Level: Problem, Summary: "The text was not delivered"},
	"spool":   {Level: Problem, Summary: "The recording cannot be kept"},
}

const onClipboard = "The text is on the clipboard."

// message returns what belongs on the screen while a status holds.
func message(s wire.Status) Note {
	left := s.Phase == idle && s.Last != nil && slices.Contains(s.Last.Warnings, "left_on_clipboard")
	switch e := s.Error; {
	case e != nil:
		n, known := stages[e.Stage]
		if !known {
			n = Note{Level: Problem, Summary: "The dictation has failed"}
		}
		lines := []string{e.Detail, e.Hint}
		if left {
			lines = append(lines, onClipboard)
		}
		n.Body = strings.Join(slices.DeleteFunc(lines, func(l string) bool { return l == "" }), "\n")
		return n
	case s.Phase != idle:
		return taking(s)
	case left:
		return Note{Level: Notice, Summary: onClipboard, Body: "It could not be brought into the window."}
	case s.Truncated && s.Last != nil && s.Last.Outcome == "delivered":
		return truncated
	case s.Last == nil && s.Recoverable > 0:
		return Note{Level: Notice, Summary: "A dictation was not delivered", Body: recoverable(s.Recoverable)}
	case failed(s):
		return Note{Level: Problem, Summary: "The dictation has failed", Body: recoverable(s.Recoverable)}
	case s.Last != nil && s.Last.Outcome == "empty":
		return Note{Level: Notice, Summary: "No speech was heard"}
	}
	return Note{}
}

// truncated stays on the screen when the take has ended well.
var truncated = Note{Level: Notice, Summary: "The recording was cut", Body: "It had reached the longest duration; what was said until then is recognised."}

// taking is the message during a take.
func taking(s wire.Status) Note {
	summary := phases[s.Phase]
	if summary == "" {
		return Note{}
	}
	if s.Truncated && s.Phase != "arming" && s.Phase != "recording" {
		return truncated
	}
	n := Note{Summary: summary}
	if s.Private {
		n.Body = "Nothing is kept of it."
	}
	if s.Phase == "recording" {
		n.Value = 1 + percent(s.Level)
	}
	return n
}

func recoverable(takes int) string {
	switch takes {
	case 0:
		return ""
	case 1:
		return "voice-input record retry recognises it again."
	}
	return fmt.Sprintf("%d recordings are kept; voice-input record retry recognises the newest again.", takes)
}

// percent makes steps of ten of a level from 0 to 1, on the scale of the ear
// over 60 dB. Speech lies between 40 and 80.
func percent(level float64) int {
	if !(level > 0) {
		return 0
	}
	tenths := math.Round((20*math.Log10(level) + 60) / 6)
	return 10 * int(min(10, max(0, tenths)))
}

package native

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// decisions is the table that Decide follows, first fitting row wins; a dash
// stands for anything.
const decisions = `
cancelled audio silent mode           overloaded interrupted stream   finished context | run reason
yes       -     -      -              -          -           -        -        -       | no  cancelled
-         none  -      -              -          -           -        -        -       | no  no-audio
-         -     yes    -              -          -           -        -        -       | no  silence
-         -     -      streaming-only -          -           -        -        -       | no  streaming-only
-         -     -      always         -          -           -        -        -       | yes always
-         -     -      adaptive       yes        -           -        -        -       | yes overloaded
-         -     -      adaptive       no         yes         -        -        -       | yes interrupted
-         -     -      adaptive       no         no          empty    -        -       | yes empty
-         -     -      adaptive       no         no          failed   -        -       | yes degraded
-         -     -      adaptive       no         no          degraded -        -       | yes degraded
-         -     -      adaptive       no         no          usable   no       -       | yes missing-completion
-         long  -      adaptive       no         no          usable   yes      no      | yes duration
-         long  -      adaptive       no         no          usable   yes      yes     | no  healthy-stream
-         short -      adaptive       no         no          usable   yes      -       | no  healthy-stream
`

// named are values of one column.
type named[T any] struct {
	name  string
	value T
}

var (
	bools     = []named[bool]{{"no", false}, {"yes", true}}
	states    = []named[State]{{"failed", Failed}, {"degraded", Degraded}, {"empty", Empty}, {"usable", Usable}}
	modes     = []named[Mode]{{"streaming-only", StreamingOnly}, {"adaptive", Adaptive}, {"always", Always}}
	durations = []named[time.Duration]{
		{"none", 0}, {"short", time.Second}, {"short", samples(479_999)}, {"long", samples(480_000)}, {"long", time.Hour},
	}
)

// samples is how long so many samples last, as whole milliseconds.
func samples(n int) time.Duration { return time.Duration(n/16) * time.Millisecond }

// look finds the first row that a case fits, of the rows behind the head.
func look(t *testing.T, table string, given ...string) (row int, want []string) {
	t.Helper()
rows:
	for i, line := range strings.Split(strings.TrimSpace(table), "\n")[1:] {
		left, right, _ := strings.Cut(line, "|")
		for c, cell := range strings.Fields(left) {
			if cell != "-" && cell != given[c] {
				continue rows
			}
		}
		return i, strings.Fields(right)
	}
	t.Fatalf("no row for %v", given)
	return 0, nil
}

func TestDecideOverItsWholeProduct(t *testing.T) {
	hit := map[int]int{}
	n := 0
	for _, cancelled := range bools {
		for _, audio := range durations {
			for _, silent := range bools {
				for _, mode := range modes {
					for _, overloaded := range bools {
						for _, interrupted := range bools {
							for _, stream := range states {
								for _, finished := range bools {
									for _, context := range bools {
										row, want := look(t, decisions, cancelled.name, audio.name, silent.name, mode.name,
											overloaded.name, interrupted.name, stream.name, finished.name, context.name)
										hit[row]++
										n++
										s := Situation{
											cancelled.value, audio.value, silent.value, mode.value, overloaded.value,
											interrupted.value, stream.value, finished.value, context.value,
										}
										run, reason := Decide(s)
										if run != (want[0] == "yes") || reason != want[1] {
											t.Errorf("%+v: %t %s, want %v", s, run, reason, want)
										}
									}
								}
							}
						}
					}
				}
			}
		}
	}
	if rows := strings.Count(decisions, "|") - 1; len(hit) != rows || n != 2*5*2*3*2*2*4*2*2 {
		t.Errorf("%d of %d rows were tried, in %d cases", len(hit), rows, n)
	}
}

// J6: a stream that is usable, explicitly finished and had a context is not
// replaced merely because of its length; any other one is checked.
func TestRule_J6_HealthyStreamWithContextIsNotReplaced(t *testing.T) {
	healthy := Situation{Audio: time.Minute, Mode: Adaptive, Stream: Usable, Finished: true, ContextSent: true}
	if run, reason := Decide(healthy); run {
		t.Errorf("replaced: %s", reason)
	}
	for name, spoil := range map[string]func(*Situation){
		"empty":              func(s *Situation) { s.Stream = Empty },
		"degraded":           func(s *Situation) { s.Stream = Degraded },
		"interrupted":        func(s *Situation) { s.Interrupted = true },
		"overloaded":         func(s *Situation) { s.Overloaded = true },
		"missing-completion": func(s *Situation) { s.Finished = false },
		"duration":           func(s *Situation) { s.ContextSent = false },
	} {
		s := healthy
		spoil(&s)
		if run, reason := Decide(s); !run || reason != name {
			t.Errorf("%s: %t %s", name, run, reason)
		}
	}
}

// A mode that the configuration cannot have costs nothing.
func TestUnknownModeRunsNothing(t *testing.T) {
	for _, m := range []Mode{"", "Always", "x"} {
		if run, _ := Decide(Situation{Audio: time.Second, Mode: m, Overloaded: true}); run {
			t.Errorf("%q", m)
		}
	}
}

// choices is the table that Select follows. Heard is that there was a lot of
// speech.
const choices = `
native  stream   overloaded heard | choice
usable  -        -          -     | native
-       usable   no         -     | stream
-       usable   yes        -     | part
-       degraded -          -     | part
empty   empty    no         -     | empty
empty   -        -          no    | empty
-       empty    no         no    | empty
-       -        -          -     | nothing
`

// reference is how the selection is done where there is no chain of engines:
// its last two columns, a local recogniser and an error, are nothing here.
const reference = `
native  stream   overloaded | choice
usable  -        -          | native
-       usable   no         | stream
-       degraded no         | stream
empty   -        -          | empty
-       -        -          | nothing
`

var (
	results     = []named[Result]{{"not-run", NotRun}, {"failed", NativeFailed}, {"empty", NativeEmpty}, {"usable", NativeUsable}}
	choiceNames = map[Choice]string{UseNothing: "nothing", UsePart: "part", UseEmpty: "empty", UseStream: "stream", UseNative: "native"}
	speeches    = []named[time.Duration]{{"no", 0}, {"no", muchSpeech - 1}, {"yes", muchSpeech}, {"yes", time.Hour}}
)

// TestSelectOverItsWholeProduct also names every case that differs from the
// reference: text is never thrown away, part of a text is told from a whole
// one, and a service that heard nothing is weighed against the samples.
func TestSelectOverItsWholeProduct(t *testing.T) {
	hit := map[int]bool{}
	for _, native := range results {
		for _, stream := range states {
			for _, overloaded := range bools {
				for _, heard := range speeches {
					o := Outcomes{stream.value, overloaded.value, native.value, heard.value}
					got := choiceNames[Select(o)]
					row, want := look(t, choices, native.name, stream.name, overloaded.name, heard.name)
					hit[row] = true
					if got != want[0] {
						t.Errorf("%+v: %s, want %s", o, got, want[0])
					}
					_, was := look(t, reference, native.name, stream.name, overloaded.name)
					hasText := stream.value == Usable || stream.value == Degraded
					switch change := fmt.Sprintf("%s→%s", was[0], got); {
					case was[0] == got:
					case change == "stream→part" && stream.value == Degraded:
					case (change == "empty→part" || change == "nothing→part") && hasText && overloaded.value:
					case change == "empty→nothing" && heard.name == "yes" && (stream.value == Failed || overloaded.value):
					case change == "nothing→empty" && heard.name == "no" && stream.value == Empty && !overloaded.value:
					default:
						t.Errorf("%+v: %s, which no rule explains", o, change)
					}
					if hasText && (got == "nothing" || got == "empty") {
						t.Errorf("%+v: recognised text is thrown away", o)
					}
				}
			}
		}
	}
	if rows := strings.Count(choices, "|") - 1; len(hit) != rows {
		t.Errorf("%d of %d rows were tried", len(hit), rows)
	}
}

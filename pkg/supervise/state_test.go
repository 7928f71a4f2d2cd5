package supervise

import (
	"fmt"
	"strings"
	"testing"
)

// The whole product of phases and commands, written as a person would draw
// it, independent of the map in the code.
const table = `
             start   stop     toggle  cancel    restart  retry
idle         begin   nothing  begin   nothing   nothing  again
arming       same    finish   finish  discard   renew    busy
recording    same    finish   finish  discard   renew    busy
recognizing  busy    same     busy    discard   renew    busy
refining     busy    same     busy    discard   renew    busy
delivering   busy    same     busy    too_late  busy     busy
`

func TestDecideIsExhaustive(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(table), "\n")
	heads := strings.Fields(lines[0])
	if len(heads) != len(commands) || len(lines)-1 != len(phases) {
		t.Fatalf("the table has %d commands and %d phases, the code %d and %d", len(heads), len(lines)-1, len(commands), len(phases))
	}
	seen := map[string]bool{}
	for _, line := range lines[1:] {
		cells := strings.Fields(line)
		for i, head := range heads {
			phase, command, want := Phase(cells[0]), Command(head), Action(cells[i+1])
			seen[cells[0]+" "+head] = true
			if got := Decide(phase, command); got != want {
				t.Errorf("Decide(%s, %s) = %s, want %s", phase, command, got, want)
			}
		}
	}
	for _, p := range phases {
		for _, c := range commands {
			if !seen[fmt.Sprintf("%s %s", p, c)] {
				t.Errorf("%s in %s is not in the table", c, p)
			}
		}
	}
	for _, p := range append(phases, "elsewhere") {
		if got := Decide(p, "sing"); got != "" {
			t.Errorf("Decide(%s, sing) = %s", p, got)
		}
	}
}

// Cancel wins at every stage until delivery begins, and no phase keeps a
// press for later.
func TestCancelWinsUntilDelivery(t *testing.T) {
	for _, p := range phases[1:] {
		want := Discard
		if p == Delivering {
			want = TooLate
		}
		if got := Decide(p, Cancel); got != want {
			t.Errorf("cancel in %s: %s, want %s", p, got, want)
		}
	}
}

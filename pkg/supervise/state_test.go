package supervise

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// The whole product of phases and commands, written as a person would draw
// it, independent of the map in the code.
const table = `
             start   stop     toggle  press   release  cancel    undo-cancel  restart  retry  repeat  deliver
idle         begin   nothing  begin   begin   nothing  nothing   undo         nothing  again  resend  resend
arming       same    finish   finish  key     key      discard   busy         renew    busy   busy    busy
recording    same    finish   finish  key     key      discard   busy         renew    busy   busy    busy
recognizing  busy    same     busy    busy    same     discard   busy         renew    busy   busy    busy
refining     busy    same     busy    busy    same     discard   busy         renew    busy   busy    busy
delivering   busy    same     busy    busy    same     too_late  busy         busy     busy   busy    busy
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

// Push-to-talk: every way in which a key may be held.
func TestHold(t *testing.T) {
	down := time.Unix(1000, 0)
	ms := func(n int) time.Time { return down.Add(time.Duration(n) * time.Millisecond) }
	tests := []struct {
		name string
		held hold
		up   bool
		at   time.Time
		tap  time.Duration
		want Action
	}{
		{"the key repeats", hold{true, down}, false, ms(500), 0, Same},
		{"press after a tap", hold{false, down}, false, ms(5000), 300 * time.Millisecond, Finish},
		{"press in a take of another command", hold{}, false, ms(0), 0, Finish},
		{"release of a held key", hold{true, down}, true, ms(2000), 300 * time.Millisecond, Finish},
		{"release at the limit", hold{true, down}, true, ms(300), 300 * time.Millisecond, Finish},
		{"tap", hold{true, down}, true, ms(299), 300 * time.Millisecond, Latch},
		{"taps are not wanted", hold{true, down}, true, ms(1), 0, Finish},
		{"release after a tap", hold{false, down}, true, ms(5000), 300 * time.Millisecond, Same},
		{"release in a take of another command", hold{}, true, ms(5000), 300 * time.Millisecond, Same},
		{"the clock was set back", hold{true, down}, true, ms(-5000), 300 * time.Millisecond, Latch},
	}
	for _, tt := range tests {
		got := tt.held.press()
		if tt.up {
			got = tt.held.release(tt.at, tt.tap)
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestBounced(t *testing.T) {
	at := time.Unix(1000, 0)
	for after, want := range map[time.Duration]bool{
		0: true, 20 * time.Millisecond: true, 100 * time.Millisecond: true, debounce - 1: true,
		debounce: false, 300 * time.Millisecond: false, time.Hour: false, -time.Hour: false,
	} {
		if got := bounced(at, at.Add(after)); got != want {
			t.Errorf("%v after: %t", after, got)
		}
	}
	if bounced(time.Time{}, at) {
		t.Error("the first press bounced")
	}
}

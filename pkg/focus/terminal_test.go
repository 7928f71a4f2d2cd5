package focus

import (
	"slices"
	"testing"

	"voice-input/pkg/internal/proc"
)

func TestLinesOf(t *testing.T) {
	const term = 10
	s := func(pid, ppid, session, tty int) proc.Stat {
		return proc.Stat{PID: pid, PPID: ppid, Session: session, TTY: tty}
	}
	tests := []struct {
		name  string
		stats []proc.Stat
		want  []int
	}{
		{"nothing below", nil, nil},
		{"shell", []proc.Stat{s(20, term, 20, 5), s(21, 20, 20, 5)}, []int{5}},
		{"two tabs", []proc.Stat{s(20, term, 20, 5), s(30, term, 30, 6)}, []int{5, 6}},
		{"by way of a helper", []proc.Stat{s(15, term, 1, 0), s(20, 15, 20, 5)}, []int{5}},
		{"helper on the terminal that it was started from", []proc.Stat{s(15, term, 1, 3), s(20, 15, 20, 5)}, []int{5}},
		{"sudo with a line of its own", []proc.Stat{s(20, term, 20, 5), s(21, 20, 20, 5), s(30, 21, 30, 6)}, []int{5}},
		{"daemon without a line", []proc.Stat{s(20, term, 20, 0)}, nil},
		{"somebody else's", []proc.Stat{s(20, 1, 20, 5)}, nil},
		{"loop", []proc.Stat{s(20, 21, 20, 5), s(21, 20, 21, 0)}, nil},
	}
	for _, tt := range tests {
		table := proc.Table{1: s(1, 0, 1, 0), term: s(term, 1, 1, 3)}
		for _, stat := range tt.stats {
			table[stat.PID] = stat
		}
		got := linesOf(table, term)
		slices.Sort(got)
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

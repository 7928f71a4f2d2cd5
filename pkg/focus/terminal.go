package focus

import (
	"context"
	"slices"

	"voice-input/pkg/internal/proc"
	"voice-input/pkg/wire"
)

// terminals maps the classes of terminal emulators to their kinds. Whole
// names only: a terminal that was given another class is another program.
var terminals = map[string]string{
	"kitty": "kitty",
	"foot":  "foot", "footclient": "foot",
	"org.wezfurlong.wezterm": "wezterm",
	"com.mitchellh.ghostty":  "ghostty",
	"Alacritty":              "alacritty",
	"XTerm":                  "xterm", "UXTerm": "xterm",
	"st": "st", "st-256color": "st",
	"URxvt":              "urxvt",
	"org.kde.konsole":    "konsole",
	"org.gnome.Terminal": "gnome-terminal", "Gnome-terminal": "gnome-terminal",
	"org.gnome.Console": "kgx",
	"org.gnome.Ptyxis":  "ptyxis",
	"xfce4-terminal":    "xfce4-terminal", "Xfce4-terminal": "xfce4-terminal",
	"rio": "rio",
}

// plainTerminal looks into a terminal that cannot be asked. It is only known
// what runs in it if it has a single line.
func (l *Looker) plainTerminal(ctx context.Context, w window, f *wire.Focus) string {
	table, err := l.processes().Table()
	if err != nil || w.pid == 0 {
		return "no_agent"
	}
	lines := linesOf(table, w.pid)
	l.Explain("terminal: %s, process %d, has %d lines", f.Terminal.Kind, w.pid, len(lines))
	switch len(lines) {
	case 0:
		return "no_agent"
	case 1:
		return l.foreground(ctx, table, l.members(table.Foreground(lines[0])), f)
	}
	return "ambiguous"
}

// linesOf returns the terminal lines that a terminal emulator opened, by their
// device numbers: those of the sessions below it, but not those below another
// line, which such as sudo and script opened. Its own is the one that it was
// started from.
func linesOf(table proc.Table, pid int) []int {
	foreign := func(s proc.Stat) bool { return s.TTY != 0 && s.TTY != table[pid].TTY }
	var lines []int
	for _, s := range table {
		if !foreign(s) || s.Session != s.PID || slices.Contains(lines, s.TTY) || !table.Descends(s.PID, pid) {
			continue
		}
		up := table[s.PPID]
		for up.PID != pid && !foreign(up) {
			up = table[up.PPID]
		}
		if up.PID == pid {
			lines = append(lines, s.TTY)
		}
	}
	return lines
}

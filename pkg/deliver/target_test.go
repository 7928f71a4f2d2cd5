package deliver

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"voice-input/pkg/config"
	"voice-input/pkg/deliver/driver"
	"voice-input/pkg/wire"
)

func whole() *wire.Focus {
	return &wire.Focus{
		At: "2026-01-02T03:04:05Z", Desktop: &wire.Desktop{Kind: "sway"}, Window: &wire.Window{Class: "kitty", PID: 7, Address: "9"},
		Terminal:    &wire.Terminal{Kind: "kitty", Socket: "unix:/s", WindowID: 1},
		Multiplexer: &wire.Multiplexer{Kind: "tmux", Socket: "/t", Pane: "%1"},
		Agent:       &wire.Agent{Kind: "codex", PID: 8, StartTicks: 99, Thread: "a"}, Style: "agent-markdown",
	}
}

func TestSame(t *testing.T) {
	tests := []struct {
		name        string
		target, now func(*wire.Focus)
		want        bool
	}{
		{"equal", nil, nil, true},
		{"at another time", nil, func(f *wire.Focus) { f.At = "x"; f.Style = ""; f.Agent.Thread = "b" }, true},
		{"another place of the pane", nil, func(f *wire.Focus) { f.Multiplexer.Location = &wire.Location{Window: 3} }, true},
		{"more is known now", func(f *wire.Focus) { f.Terminal, f.Multiplexer, f.Agent = nil, nil, nil }, nil, true},
		{"desktop", nil, func(f *wire.Focus) { f.Desktop.Kind = "x11" }, false},
		{"no desktop", nil, func(f *wire.Focus) { f.Desktop = nil }, false},
		{"no window", nil, func(f *wire.Focus) { f.Window = nil }, false},
		{"address", nil, func(f *wire.Focus) { f.Window.Address = "8" }, false},
		{"process", nil, func(f *wire.Focus) { f.Window.PID = 9 }, false},
		{"class", nil, func(f *wire.Focus) { f.Window.Class = "foot" }, false},
		{"window of the terminal", nil, func(f *wire.Focus) { f.Terminal.WindowID = 2 }, false},
		{"terminal not seen", nil, func(f *wire.Focus) { f.Terminal = nil }, false},
		{"pane", nil, func(f *wire.Focus) { f.Multiplexer.Pane = "%2" }, false},
		{"server", nil, func(f *wire.Focus) { f.Multiplexer.Socket = "/u" }, false},
		{"no multiplexer", nil, func(f *wire.Focus) { f.Multiplexer = nil }, false},
		{"agent", nil, func(f *wire.Focus) { f.Agent.PID = 9 }, false},
		{"agent's start", nil, func(f *wire.Focus) { f.Agent.StartTicks = 1 }, false},
		{"no agent", nil, func(f *wire.Focus) { f.Agent = nil }, false},
		{"target without a window", func(f *wire.Focus) { f.Window = nil }, nil, false},
	}
	for _, tt := range tests {
		target, now := whole(), whole()
		if tt.target != nil {
			tt.target(target)
		}
		if tt.now != nil {
			tt.now(now)
		}
		if got := same(target, now); got != tt.want {
			t.Errorf("%s: %t", tt.name, got)
		}
	}
}

// The look before a key is pressed runs the program that the configuration
// names; what cannot be seen is not taken for the target.
func TestFocused(t *testing.T) {
	line := func(change func(*wire.Focus)) string {
		f := whole()
		change(f)
		b, err := wire.Encode(f)
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(b))
	}
	same, other := line(func(*wire.Focus) {}), line(func(f *wire.Focus) { f.Window.Address = "8" })
	none := line(func(f *wire.Focus) { *f = wire.Focus{Header: wire.Header{Reason: "no_window"}} })
	tests := []struct {
		name   string
		argv   []string
		target *wire.Focus
		want   error
	}{
		{"same", []string{"echo", same}, whole(), nil},
		{"another", []string{"echo", other}, whole(), driver.ErrTargetChanged},
		{"no focus, status 1", []string{"sh", "-c", "echo '" + none + "'; exit 1"}, whole(), driver.ErrTargetChanged},
		{"nothing", []string{"true"}, whole(), driver.ErrUnsent},
		{"nonsense", []string{"echo", "x"}, whole(), driver.ErrUnsent},
		{"endless", []string{"sh", "-c", "yes | head -c 1000000; exec sleep 100"}, whole(), driver.ErrUnsent},
		{"hangs", []string{"sleep", "100"}, whole(), driver.ErrUnsent},
		{"absent", []string{"/nonexistent/vi-focus"}, whole(), driver.ErrUnsent},
		{"no target", []string{"false"}, nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var cfg config.Config
			cfg.Stages.Focus = tt.argv
			if err := focused(tt.target, cfg)(context.Background()); !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
}

func TestOlder(t *testing.T) {
	for at, want := range map[string]error{
		time.Now().Format(time.RFC3339Nano):                  nil,
		time.Now().Add(-24 * time.Hour).Format(time.RFC3339): driver.ErrTargetChanged,
		"":      nil,
		"today": nil,
	} {
		if err := older(processes, os.Getpid(), at); !errors.Is(err, want) {
			t.Errorf("%q: %v", at, err)
		}
	}
	if err := older(processes, 1<<22, now()); !errors.Is(err, driver.ErrTargetChanged) {
		t.Errorf("no process: %v", err)
	}
}

func TestExternal(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "f")
	for _, tt := range []struct {
		argv []string
		want string // reason
	}{
		{[]string{"sh", "-c", "cat > " + file}, ""},
		{[]string{"false"}, "driver_failed"},
		{[]string{"sleep", "100"}, "timeout"},
		{[]string{"/nonexistent/x"}, "driver_failed"},
	} {
		d, _ := NewExternal(tt.argv)
		if rec, err := through(t, d, "--help\n第一行"); rec.Reason != tt.want || (err == nil) != rec.Delivered {
			t.Errorf("%q: %+v, %v", tt.argv, rec, err)
		}
	}
	if b, _ := os.ReadFile(file); string(b) != "--help\n第一行" {
		t.Errorf("received %q", b)
	}
}

// agent names a process as a record does.
func agent(t testing.TB, pid int) *wire.Agent {
	t.Helper()
	s, err := processes.Stat(pid)
	if err != nil {
		t.Fatal(err)
	}
	return &wire.Agent{Kind: "codex", PID: pid, StartTicks: s.StartTicks}
}

func now() string { return time.Now().Format("2006-01-02T15:04:05.000Z07:00") }

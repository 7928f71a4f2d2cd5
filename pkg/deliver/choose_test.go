package deliver

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"voice-input/pkg/config"
	"voice-input/pkg/wire"
)

// The targets that the tables combine. Every desktop stands with everything
// that can be in a window.
var (
	desktops = map[string]*wire.Desktop{
		"none":     nil,
		"x11":      {Kind: "x11"},
		"sway":     {Kind: "sway"},
		"niri":     {Kind: "niri"},
		"kde":      {Kind: "kde"},
		"hyprland": {Kind: "hyprland"},
		"xwayland": {Kind: "hyprland", XWayland: true},
	}
	insides = map[string]wire.Focus{
		"no terminal":     {},
		"foot":            {Terminal: &wire.Terminal{Kind: "foot"}},
		"kitty":           {Terminal: aKitty},
		"silent kitty":    {Terminal: &wire.Terminal{Kind: "kitty"}},
		"tmux in kitty":   {Terminal: aKitty, Multiplexer: &wire.Multiplexer{Kind: "tmux", Socket: "/s", Pane: "%1"}},
		"tmux in foot":    {Terminal: &wire.Terminal{Kind: "foot"}, Multiplexer: &wire.Multiplexer{Kind: "tmux", Socket: "/s", Pane: "%1"}},
		"mute tmux":       {Terminal: aKitty, Multiplexer: &wire.Multiplexer{Kind: "tmux", Socket: "/s"}},
		"another in foot": {Terminal: &wire.Terminal{Kind: "foot"}, Multiplexer: &wire.Multiplexer{Kind: "zellij", Socket: "/s", Pane: "1"}},
	}
	aKitty = &wire.Terminal{Kind: "kitty", Socket: "unix:/s", WindowID: 1}
)

func TestOrder(t *testing.T) {
	keys := map[string]string{
		"none": "", "x11": "x11 ", "sway": "wayland ", "niri": "wayland ", "kde": "wayland ", "hyprland": "hyprland wayland ", "xwayland": "x11 ",
	}
	first := map[string]string{
		"no terminal": "", "foot": "", "kitty": "kitty ", "silent kitty": "", "tmux in kitty": "tmux ", "tmux in foot": "tmux ", "mute tmux": "kitty ", "another in foot": "",
	}
	for desktop, d := range desktops {
		for inside, target := range insides {
			target.Desktop = d
			if got := Order("auto", &target); !slices.Equal(got, []string{"clipboard"}) {
				t.Errorf("%s on %s without a window: %v", inside, desktop, got)
			}
			target.Window = &wire.Window{Class: "x"}
			got, want := strings.Join(Order("auto", &target), " "), first[inside]+keys[desktop]+"clipboard"
			if got != want {
				t.Errorf("%s on %s: got %q, want %q", inside, desktop, got, want)
			}
			for _, place := range Places[1:] {
				if got := Order(place, &target); !slices.Equal(got, []string{place}) {
					t.Errorf("%s forced, %s on %s: %v", place, inside, desktop, got)
				}
			}
		}
	}
	if got := Order("auto", nil); !slices.Equal(got, []string{"clipboard"}) {
		t.Errorf("no target: %v", got)
	}
}

// O8: a line end goes only where it cannot be Enter.
func TestO8LinesFor(t *testing.T) {
	const kept = "clipboard command stdout"
	tests := []struct{ inside, agent, keeps string }{
		{"no terminal", "", kept + " hyprland wayland x11"},
		{"foot", "", kept},
		{"kitty", "", kept},
		{"mute tmux", "", kept},
		{"tmux in kitty", "", kept},
		{"another in foot", "", kept},
		{"foot", "codex", kept + " kitty tmux hyprland wayland x11"},
		{"kitty", "pi", kept + " kitty tmux hyprland wayland x11"},
		{"tmux in foot", "codex", kept + " tmux hyprland wayland x11"},
		{"tmux in kitty", "codex", kept + " tmux hyprland wayland x11"},
	}
	for _, tt := range tests {
		target := insides[tt.inside]
		if tt.agent != "" {
			target.Agent = &wire.Agent{Kind: tt.agent}
		}
		for _, known := range []bool{true, false} {
			want := kept // of a window that is not known nothing is
			if known {
				target.Window, want = &wire.Window{}, tt.keeps
			} else {
				target.Window = nil
			}
			for _, place := range Places[1:] {
				if got := linesFor(place, &target) == KeepLines; got != slices.Contains(strings.Fields(want), place) {
					t.Errorf("%s with agent %q, window %t, by %s: kept %t", tt.inside, tt.agent, known, place, got)
				}
			}
		}
	}
	if linesFor("wayland", nil) != JoinLines {
		t.Error("no target: lines are kept")
	}
}

// O13: the key is that of the target, and the user's rule goes before it.
func TestO13PasteKey(t *testing.T) {
	classes := map[string]config.Class{"foot": {Paste: "super+v"}, "old": {Paste: "f5"}, "plain": {}}
	tests := []struct {
		name, terminal       string
		class, initial, want string
	}{
		{"kitty", "kitty", "kitty", "", "ctrl+shift+v"},
		{"alacritty", "alacritty", "Alacritty", "", "ctrl+shift+v"},
		{"gnome-terminal", "gnome-terminal", "Gnome-terminal", "", "ctrl+shift+v"},
		{"xterm pastes PRIMARY", "xterm", "XTerm", "", "shift+insert"},
		{"urxvt pastes PRIMARY", "urxvt", "URxvt", "", "shift+insert"},
		{"no terminal", "", "firefox", "", "ctrl+v"},
		{"rule", "foot", "foot", "", "super+v"},
		{"rule of the first class", "", "new", "old", "f5"},
		{"rule without a key", "", "plain", "old", "ctrl+v"},
		{"another case is another class", "foot", "Foot", "", "ctrl+shift+v"},
	}
	for _, tt := range tests {
		target := &wire.Focus{Window: &wire.Window{Class: tt.class, InitialClass: tt.initial}}
		if tt.terminal != "" {
			target.Terminal = &wire.Terminal{Kind: tt.terminal}
		}
		if got := pasteKey(target, rule(target, classes)); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
	if got := pasteKey(nil, rule(nil, classes)); got != "ctrl+v" {
		t.Errorf("no target: %s", got)
	}
}

func TestRoutes(t *testing.T) {
	target := insides["kitty"]
	target.Desktop, target.Window = desktops["sway"], &wire.Window{Class: "kitty", PID: 1}
	unknown := &wire.Focus{Header: wire.Header{Reason: "no_window"}}
	tests := []struct {
		name, place, classTo string
		target               *wire.Focus
		want                 string // with ! at the last resort
	}{
		{"auto", "auto", "", &target, "kitty wayland clipboard!"},
		{"rule", "auto", "type", &target, "type"},
		{"rule to the clipboard is no last resort", "auto", "clipboard", &target, "clipboard"},
		{"rule that says auto", "auto", "auto", &target, "kitty wayland clipboard!"},
		{"a place goes before the rule", "stdout", "type", &target, "stdout"},
		{"unknown target", "auto", "type", unknown, "clipboard!"},
		{"no target", "auto", "type", nil, "clipboard"},
	}
	for _, tt := range tests {
		p := plan{place: tt.place, target: tt.target}
		p.cfg.Deliver.Class = map[string]config.Class{"kitty": {To: tt.classTo}}
		var got []string
		for _, r := range p.routes() {
			if r.LastResort {
				r.Name += "!"
			}
			got = append(got, r.Name)
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, s, tt.want)
		}
	}
}

// The rule of a class knows the same places.
func TestPlacesOfAClass(t *testing.T) {
	f, _ := reflect.TypeFor[config.Class]().FieldByName("To")
	if got := strings.Fields(f.Tag.Get("oneof")); !slices.Equal(got, Places) || len(Places) == 0 || Places[0] != "auto" {
		t.Errorf("got %q, want %q", got, Places)
	}
}

// A place that cannot work here says why, and a driver that is not there is
// never taken for one.
func TestNothingToOpen(t *testing.T) {
	p := plan{getenv: func(string) string { return "" }}
	for _, name := range []string{"kitty", "tmux", "hyprland", "wayland", "x11", "type", "clipboard", "command"} {
		p.place = name
		for _, r := range p.routes() {
			if d, missing := r.Open(context.Background()); d != nil || missing == "" {
				t.Errorf("%s: %v, %q", name, fmt.Sprint(d), missing)
			}
		}
	}
}

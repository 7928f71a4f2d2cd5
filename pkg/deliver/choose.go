package deliver

import (
	"context"
	"io"

	"voice-input/pkg/config"
	"voice-input/pkg/deliver/driver"
	"voice-input/pkg/deliver/typed"
	"voice-input/pkg/deliver/wayland"
	"voice-input/pkg/deliver/x11"
	"voice-input/pkg/wire"
)

// Places are what --to and the configuration name, auto first.
var Places = config.Words("deliver", "to")

// known tells whether a record names a window.
func known(target *wire.Focus) bool { return target != nil && target.Window != nil }

// rule returns what the configuration says of the target's class.
func rule(target *wire.Focus, classes map[string]config.Class) config.Class {
	if !known(target) {
		return config.Class{}
	}
	if r, ok := classes[target.Window.Class]; ok {
		return r
	}
	return classes[target.Window.InitialClass]
}

// Order returns the drivers to try, the best first. A place other than auto is
// the one that is tried. What goes to the window as such comes before what
// goes to the focus; a pane before the window around it, which may show
// another one by now.
func Order(place string, target *wire.Focus) []string {
	if place != "auto" {
		return []string{place}
	}
	if !known(target) {
		return []string{"clipboard"}
	}
	var names []string
	switch {
	case inTmux(target):
		names = append(names, "tmux")
	case inKitty(target):
		names = append(names, "kitty")
	}
	return append(append(names, byKeys(target.Desktop)...), "clipboard")
}

// inTmux tells whether a record names a pane of tmux.
func inTmux(target *wire.Focus) bool {
	return known(target) && target.Multiplexer != nil && target.Multiplexer.Kind == "tmux" && target.Multiplexer.Socket != "" && target.Multiplexer.Pane != ""
}

// inKitty tells whether a record names a window of Kitty that can be reached.
func inKitty(target *wire.Focus) bool {
	if !known(target) {
		return false
	}
	t := target.Terminal
	return t != nil && t.Kind == "kitty" && t.Socket != "" && t.WindowID != 0
}

// agentInKitty tells whether it is an agent that reads what Kitty writes, and
// not a multiplexer between the two.
func agentInKitty(target *wire.Focus) bool { return target.Agent != nil && target.Multiplexer == nil }

// byKeys returns the drivers that press a key in the focused window.
func byKeys(d *wire.Desktop) []string {
	switch {
	case d == nil:
		return nil
	case d.Kind == "x11" || d.XWayland:
		return []string{"x11"}
	case d.Kind == "hyprland":
		return []string{"hyprland", "wayland"}
	}
	return []string{"wayland"}
}

// linesFor says what becomes of line ends. A coding agent asks for bracketed
// paste; of what else may run in a terminal that is not known.
func linesFor(name string, target *wire.Focus) Lines {
	switch name {
	case "clipboard", "command", "stdout":
		return KeepLines
	case "type":
		return JoinLines
	case "kitty":
		if known(target) && agentInKitty(target) {
			return KeepLines
		}
		return JoinLines
	}
	if known(target) && (target.Terminal == nil && name != "tmux" || target.Agent != nil) {
		return KeepLines
	}
	return JoinLines
}

// pasteKeys are those of terminals that differ from the usual ctrl+shift+v.
var pasteKeys = map[string]string{"xterm": "shift+insert", "urxvt": "shift+insert"}

// pasteKey returns the key that pastes in the target.
func pasteKey(target *wire.Focus, r config.Class) string {
	switch {
	case r.Paste != "":
		return r.Paste
	case !known(target) || target.Terminal == nil:
		return "ctrl+v"
	}
	if key, ok := pasteKeys[target.Terminal.Kind]; ok {
		return key
	}
	return "ctrl+shift+v"
}

// routes returns the drivers to try for a target.
func (p plan) routes() []Route {
	r := rule(p.target, p.cfg.Deliver.Class)
	place := p.place
	if place == "auto" && r.To != "" {
		place = r.To
	}
	options := driver.Options{
		Target: p.target, Terminal: known(p.target) && p.target.Terminal != nil,
		Paste: pasteKey(p.target, r), Submit: r.Submit, Focused: p.focused,
	}
	var out []Route
	for _, name := range Order(place, p.target) {
		out = append(out, Route{
			Name: name, Lines: linesFor(name, p.target), LastResort: place == "auto" && name == "clipboard" && p.target != nil,
			Open: func(ctx context.Context) (Driver, string) { return p.open(ctx, name, options) },
		})
	}
	return out
}

// plan is all that the choice of the drivers depends on.
type plan struct {
	place   string // one of Places
	target  *wire.Focus
	cfg     config.Config
	getenv  func(string) string
	stdout  io.Writer
	focused func(context.Context) error // as in driver.Options
}

// open makes a driver ready, or says what it lacks.
func (p plan) open(ctx context.Context, name string, o driver.Options) (Driver, string) {
	switch name {
	case "kitty":
		return opened(NewKitty(o))
	case "tmux":
		return opened(NewTmux(o))
	case "hyprland":
		return opened(wayland.NewHyprland(ctx, p.getenv, o))
	case "wayland":
		return opened(wayland.New(ctx, p.getenv, o))
	case "x11":
		return opened(x11.New(ctx, p.getenv, o))
	case "type":
		return opened(typed.New(ctx, p.getenv, o))
	case "clipboard":
		return FindClipboard(ctx, p.getenv)
	case "command":
		return opened(NewExternal(p.cfg.Deliver.Command))
	}
	return Stdout{p.stdout}, ""
}

// opened keeps a nil pointer from becoming a driver.
func opened[T any, P interface {
	*T
	Driver
}](d P, missing string) (Driver, string) {
	if d == nil {
		return nil, missing
	}
	return d, ""
}

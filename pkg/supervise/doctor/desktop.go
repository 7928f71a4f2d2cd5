package doctor

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"voice-input/pkg/internal/agents"
	"voice-input/pkg/wire"
)

func desktop(_ context.Context, d *clinic) []wire.Check {
	switch {
	case d.look.Schema == "":
		return one(wire.CheckFailed, "vi-focus gave no answer", "vi-focus --explain says more")
	case d.look.Desktop == nil || d.look.Reason == "no_desktop":
		return one(wire.CheckFailed, "no compositor or X server could be asked",
			"run this in a terminal of the graphical session; Hyprland, sway, niri and X11 are known")
	case d.look.Reason != wire.OK && d.look.Reason != "no_window":
		return one(wire.CheckWarning, d.look.Desktop.Kind+": "+wire.ReasonMeaning(wire.SchemaFocus, d.look.Reason), "vi-focus --explain says more")
	}
	return ok(d.look.Desktop.Kind + " tells what has the focus")
}

// kittyFix are the lines that let Kitty be asked and pasted into.
const kittyFix = "put these into kitty.conf and start Kitty anew: allow_remote_control socket-only, listen_on unix:/tmp/kitty"

func kitty(_ context.Context, d *clinic) []wire.Check {
	if d.look.Terminal == nil || d.look.Terminal.Kind != "kitty" {
		return one(wire.CheckNote, "this was not run in a Kitty window, so nothing can be told of it", "run it there")
	}
	if reason := d.look.AgentReason; strings.HasPrefix(reason, "kitty_") {
		return one(wire.CheckFailed, wire.AgentReasonMeaning(reason), kittyFix)
	}
	return ok("it answers")
}

// codingAgents looks at the agents that run, and at whether their sessions can
// be told apart.
func codingAgents(_ context.Context, d *clinic) []wire.Check {
	running := d.agents()
	checks := append(d.pi(running["pi"]), d.codex(running["codex"])...)
	if len(checks) == 0 {
		checks = one(wire.CheckNote, "neither Pi nor Codex runs", "")
	}
	if !d.cfg.LLM.AgentContextEnabled {
		checks = append(checks, one(wire.CheckNote, "their context is not used", "set [llm].agent_context_enabled = true to have their terms spelled right")...)
	}
	return checks
}

// agents returns the processes of each kind of agent that this user runs.
func (d *clinic) agents() map[string][]int {
	found := map[string][]int{}
	pids, err := d.proc.PIDs()
	if err != nil {
		return found
	}
	for _, pid := range pids {
		if uid, err := d.proc.UID(pid); err != nil || uid != os.Getuid() {
			continue
		}
		exe, _ := d.proc.Exe(pid)
		args, _ := d.proc.Cmdline(pid)
		kind := agents.Named(path.Base(exe))
		if kind == "" && agents.IsRuntime(path.Base(exe)) {
			if kind = agents.Scripted(args); kind == "" && len(args) > 0 {
				kind = agents.Named(args[0]) // Pi sets its title
			}
		}
		if kind != "" {
			found[kind] = append(found[kind], pid)
		}
	}
	return found
}

func (d *clinic) pi(pids []int) []wire.Check {
	if len(pids) == 0 {
		return nil
	}
	without := 0
	for _, pid := range pids {
		if _, err := os.Lstat(filepath.Join(d.runtime, "agent-sessions", fmt.Sprintf("pi-%d.json", pid))); err != nil {
			without++
		}
	}
	if without > 0 {
		return one(wire.CheckWarning, fmt.Sprintf("%d of %d running Pi have not loaded the extension", without, len(pids)),
			`pi install "$(dirname "$(command -v voice-input)")/../share/voice-input/pi", then /reload in Pi`)
	}
	return ok("every running Pi has the extension")
}

// titleAdvice makes Codex name its session where it can be proved.
const titleAdvice = `put this into config.toml of Codex: [tui] terminal_title = ["activity","thread-name","project-name","thread-id"]`

func (d *clinic) codex(pids []int) []wire.Check {
	home := d.getenv("CODEX_HOME")
	if home == "" {
		home = filepath.Join(d.getenv("HOME"), ".codex")
	}
	if _, err := os.Stat(home); err != nil && len(pids) == 0 {
		return nil
	}
	named, err := titleNamesThread(filepath.Join(home, "config.toml"))
	switch {
	case err != nil:
		return one(wire.CheckWarning, "the configuration of Codex cannot be read", "mend config.toml of Codex; then "+titleAdvice)
	case !named:
		return one(wire.CheckWarning, "Codex does not name its session in the title, so with several sessions none can be told", titleAdvice)
	}
	return ok("Codex names its session in the title")
}

// titleNamesThread tells whether Codex's configuration puts the thread's id
// into the title.
func titleNamesThread(file string) (bool, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		if os.IsNotExist(err) {
			return false, nil
		}
		return false, err
	}
	var c struct {
		TUI struct {
			Title []string `toml:"terminal_title"`
		} `toml:"tui"`
	}
	if err := toml.Unmarshal(b, &c); err != nil {
		return false, err
	}
	return slices.Contains(c.TUI.Title, "thread-id"), nil
}

// dataControl are the desktops whose clipboard needs no program.
var dataControl = []string{"hyprland", "sway", "niri"}

// delivery looks at what can take a text where a window does not do so itself.
func delivery(_ context.Context, d *clinic) []wire.Check {
	program, from := "xclip", "xclip"
	switch {
	case d.look.Desktop != nil && slices.Contains(dataControl, d.look.Desktop.Kind):
		return ok("the clipboard can be used")
	case d.getenv("WAYLAND_DISPLAY") != "":
		program, from = "wl-copy", "wl-clipboard"
	case d.getenv("DISPLAY") == "":
		return one(wire.CheckWarning, "there is no display, so only Kitty, tmux, a command and standard output can take a text", "run this in a terminal of the graphical session")
	}
	if _, err := exec.LookPath(program); err != nil {
		return one(wire.CheckWarning, program+" is not installed, so a text cannot be left on the clipboard", "install "+from)
	}
	return ok("the clipboard can be used")
}

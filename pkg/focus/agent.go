package focus

import (
	"path"
	"slices"
	"strings"

	"voice-input/pkg/internal/agents"
	"voice-input/pkg/internal/proc"
)

// role is what a process is to a look.
type role int

const (
	other    role = iota // something else: what it started is its own affair
	launcher             // a shell or the like that only started what matters
	wrapper              // an agent's script that runs the agent as a child
	agent                // a coding agent
	tmux                 // a client of tmux
	barrier              // what matters is somewhere that cannot be seen from here
)

// verdict says what a process is and how that is known.
type verdict struct {
	role   role
	kind   string // of an agent or a wrapper: codex, pi
	reason string // of a barrier: a word of wire.AgentReasons
	how    string // for --explain; holds nothing of the process's own text
}

// process is what is known of a process when it is judged. Everything but the
// name of the executable can be set by the process itself.
type process struct {
	proc.Stat
	exe  string   // path of the executable, "" if it cannot be read
	args []string // may be overwritten by the process
}

var (
	launchers = []string{
		"sh", "bash", "dash", "ash", "busybox", "zsh", "fish", "ksh", "mksh",
		"env", "nice", "nohup", "stdbuf", "timeout", "time", "setsid", "direnv", "mise",
	}
	// packageRunners set their process's title to such as "npm exec codex".
	packageRunners = []string{"npm", "npx", "pnpm", "yarn"}
	barriers       = map[string]string{
		"ssh": "remote", "mosh-client": "remote", "et": "remote", "telnet": "remote",
		"docker": "container_boundary", "podman": "container_boundary", "nerdctl": "container_boundary",
		"distrobox": "container_boundary", "toolbox": "container_boundary", "kubectl": "container_boundary",
		"lxc": "container_boundary", "machinectl": "container_boundary", "systemd-nspawn": "container_boundary",
		"zellij": "unsupported_multiplexer", "screen": "unsupported_multiplexer", "dtach": "unsupported_multiplexer",
		"abduco": "unsupported_multiplexer", "shpool": "unsupported_multiplexer",
	}
)

// judge says what a process is. The first of these that holds:
//
//   - the executable has an agent's name;
//   - a JavaScript runtime runs a script with an agent's name, or the script
//     of an agent's package: the agent, or a wrapper around it;
//   - argument 0 and the kernel's name of the process are both exactly an
//     agent's, which is how process.title looks;
//   - the executable is hidden, as Codex 0.58 had it, and both of these have an
//     agent's name.
//
// Argument 0 alone proves nothing, for it is the caller's choice: sleep started
// under the name codex is no agent.
func judge(p process) verdict {
	exe := path.Base(strings.TrimSuffix(p.exe, " (deleted)"))
	arg0 := ""
	if len(p.args) > 0 {
		arg0 = p.args[0]
	}
	if kind := agents.Named(exe); kind != "" {
		return verdict{role: agent, kind: kind, how: "by its executable"}
	}
	// A runtime may have another name behind a link.
	isRuntime := agents.IsRuntime(exe) || agents.IsRuntime(arg0)
	if kind := agents.Scripted(p.args); isRuntime && kind != "" {
		return verdict{role: wrapper, kind: kind, how: "by its script"}
	}
	if agents.Label(arg0) != "" && p.Comm == arg0 {
		return verdict{role: agent, kind: arg0, how: "by its title"}
	}
	if kind := agents.Named(arg0); p.exe == "" && kind != "" && p.Comm == path.Base(arg0) {
		return verdict{role: agent, kind: kind, how: "by the kernel's name of it"}
	}
	if exe == "tmux" || strings.HasPrefix(p.Comm, "tmux: client") {
		return verdict{role: tmux, how: "a client of tmux"}
	}
	if reason := barriers[exe]; reason != "" {
		return verdict{role: barrier, reason: reason, how: "by its executable"}
	}
	title, _, _ := strings.Cut(arg0, " ")
	if slices.Contains(launchers, exe) || isRuntime && slices.Contains(packageRunners, path.Base(title)) {
		return verdict{role: launcher}
	}
	return verdict{}
}

// member is a process of a foreground group with its verdict.
type member struct {
	process
	verdict
}

// choose finds the one process that a foreground group is about. It goes from
// the leader down, through launchers and wrappers and nothing else, so that
// an agent which another program started as its helper is not found. The
// reason says why there is none.
func choose(group []member) (member, string) {
	var roots []member
	for _, m := range group {
		if m.PID == m.PGRP {
			return descend(m, group)
		}
		if !slices.ContainsFunc(group, func(p member) bool { return p.PID == m.PPID }) {
			roots = append(roots, m)
		}
	}
	// The leader has ended; what it started is all there is.
	return only(roots, group)
}

// descend follows a process to the one that matters.
func descend(m member, group []member) (member, string) {
	switch m.role {
	case agent, tmux:
		return m, ""
	case barrier:
		return member{}, m.reason
	case other:
		return member{}, "no_agent"
	}
	var children []member
	for _, c := range group {
		if c.PPID == m.PID && c.PID != m.PID {
			children = append(children, c)
		}
	}
	found, reason := only(children, group)
	if m.role == wrapper && (reason != "" || found.kind != m.kind) {
		// The wrapper is the agent itself, or has several children of which
		// none is better than it.
		return m, ""
	}
	return found, reason
}

// only returns what all of several processes lead to if that is one.
func only(from, group []member) (member, string) {
	var found []member
	reason := "no_agent"
	for _, m := range from {
		switch f, why := descend(m, group); {
		case why == "":
			found = append(found, f)
		case why != "no_agent":
			reason = why
		}
	}
	switch len(found) {
	case 0:
		return member{}, reason
	case 1:
		return found[0], ""
	}
	return member{}, "ambiguous"
}

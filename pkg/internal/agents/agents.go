// Package agents knows the coding agents by the names of their files. It is
// the one place for this rule, which finding an agent and trusting one share.
package agents

import (
	"path"
	"slices"
	"strings"
)

// Agent is a coding agent that is known.
type Agent struct {
	Kind  string // in records
	Label string // for a person
	// packages are the scripts that a package manager runs by their own names.
	packages []string
}

var known = []Agent{
	{"codex", "Codex", []string{"/@openai/codex/bin/codex.js"}},
	{"pi", "Pi", []string{"/@mariozechner/pi-coding-agent/dist/cli.js", "/@earendil-works/pi-coding-agent/dist/cli.js"}},
}

// Label returns the label of a kind, "" for one that is not known.
func Label(kind string) string {
	for _, a := range known {
		if a.Kind == kind {
			return a.Label
		}
	}
	return ""
}

// Named returns the kind that a file's name stands for, or "". It compares
// whole names: the agent's own, one that Nix gives to the program behind its
// wrappers, or that of a release with its target, such as
// codex-x86_64-unknown-linux-musl.
func Named(file string) string {
	base := path.Base(strings.TrimSuffix(file, " (deleted)"))
	if arch, _, target := strings.Cut(base, "-unknown-linux-"); target {
		base = arch[:strings.LastIndexByte(arch, '-')+1]
		base = strings.TrimSuffix(base, "-")
	}
	wrapped := strings.TrimRight(base, "_") // one for each further wrapper
	for _, a := range known {
		if slices.Contains([]string{a.Kind, a.Kind + "-raw", a.Kind + "-unwrapped"}, base) || wrapped == "."+a.Kind+"-wrapped" {
			return a.Kind
		}
	}
	return ""
}

// Scripted returns the kind whose script a JavaScript runtime was told to run,
// or "".
func Scripted(args []string) string {
	file := script(args)
	for _, a := range known {
		if Named(strings.TrimSuffix(file, ".js")) == a.Kind || slices.ContainsFunc(a.packages, func(p string) bool { return strings.HasSuffix(file, p) }) {
			return a.Kind
		}
	}
	return ""
}

var runtimes = []string{"node", "nodejs", "bun", "deno"}

// IsRuntime tells whether an executable is a JavaScript runtime.
func IsRuntime(exe string) bool {
	base := path.Base(strings.TrimSuffix(exe, " (deleted)"))
	base = strings.TrimSuffix(strings.TrimPrefix(strings.TrimRight(base, "_"), "."), "-wrapped")
	return slices.Contains(runtimes, base)
}

// valueFlags are the flags of node that take the next argument.
var valueFlags = []string{"-r", "--require", "--import", "--loader", "--experimental-loader", "-C", "--conditions"}

// script returns the file that a runtime was told to run, or "".
func script(args []string) string {
	for i := 1; i < len(args); i++ {
		switch a := args[i]; {
		case slices.Contains(valueFlags, a):
			i++
		case slices.Contains([]string{"-e", "--eval", "-p", "--print", "-"}, a):
			return ""
		case a == "--", a == "run" && i == 1, strings.HasPrefix(a, "-"):
		default:
			return a
		}
	}
	return ""
}

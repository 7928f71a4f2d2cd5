package completions

import (
	"fmt"
	"slices"
	"strings"
)

// bash returns a file for bash. It needs nothing of the package
// bash-completion, which loads it by its name.
func bash(n *node) string {
	var b strings.Builder
	name := "_" + identifier(n.name)
	fmt.Fprintf(&b, "# %s in bash, %s\n\n", n.name, header)
	fmt.Fprintf(&b, "%s() {\n\tlocal cur=${COMP_WORDS[COMP_CWORD]} at=%s flag='' flags='' words='' i word\n\tCOMPREPLY=()\n", name, quoted(n.name))
	b.WriteString(`	# Which command the words name, and whether the last of them is a flag
	# that waits for its value. "--flag=value" comes as three words.
	for ((i = 1; i < COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		if [[ -n $flag ]]; then
			[[ $word == = ]] || flag=
			continue
		fi
		case "$at $word" in
`)
	if paths := n.below(); len(paths) > 0 {
		fmt.Fprintf(&b, "\t\t%s)\n\t\t\tat=\"$at $word\"\n\t\t\t;;\n", alternatives(paths))
	}
	fmt.Fprintf(&b, "\t\t%s | *\" =\")\n\t\t\tflag=$word\n\t\t\t;;\n", alternatives(anywhere(n.valueFlags())))
	b.WriteString(`		*" -"*) ;;
		*)
			return # an operand, behind which nothing stands
			;;
		esac
	done
	[[ $cur != = ]] || flag=${flag:-=} cur=
	if [[ -n $flag ]]; then
		case "$at $flag" in
`)
	for _, v := range flagValues(n) {
		fmt.Fprintf(&b, "\t\t%s)\n\t\t\t%s\n\t\t\t;;\n", v.pattern, v.action)
	}
	b.WriteString(`		esac
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
		return
	fi
	case $at in
`)
	var shared []string
	for _, c := range n.all() {
		var own []string
		shared = nil
		for _, f := range c.flags {
			if f.shared {
				shared = append(shared, "--"+f.name)
			} else {
				own = append(own, "--"+f.name)
			}
		}
		operands := slices.Clone(c.operand.words)
		for _, sub := range c.commands {
			operands = append(operands, sub.name)
		}
		if len(own)+len(operands) > 0 {
			fmt.Fprintf(&b, "\t%s)\n\t\tflags=%s words=%s\n\t\t;;\n", quoted(c.path), quoted(strings.Join(own, " ")), quoted(strings.Join(operands, " ")))
		}
	}
	fmt.Fprintf(&b, `	esac
	if [[ $cur == -* || -z $words ]]; then
		words="$flags %s"
	fi
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}
complete -F %s %s
`, strings.Join(shared, " "), name, n.name)
	return b.String()
}

// alternatives joins patterns of a case.
func alternatives(patterns []string) string {
	var out []string
	for _, p := range patterns {
		if !strings.HasPrefix(p, "*") {
			p = quoted(p)
		}
		out = append(out, p)
	}
	return strings.Join(out, " | ")
}

// anywhere returns patterns that match a flag behind any command.
func anywhere(flags []string) []string {
	var out []string
	for _, f := range flags {
		out = append(out, `*" `+f+`"`)
	}
	return out
}

type flagValue struct{ pattern, action string }

// flagValues returns what completes the value of each flag for which something
// is known: once where it is the same in all commands.
func flagValues(n *node) []flagValue {
	var out []flagValue
	for _, name := range n.valueFlags() {
		by := map[string][]string{} // the commands by what completes
		for _, c := range n.all() {
			for _, f := range c.flags {
				if "--"+f.name == name {
					a := action(f.value)
					by[a] = append(by[a], c.path+" "+name)
				}
			}
		}
		for a, paths := range by {
			switch {
			case a == "":
			case len(by) == 1:
				out = append(out, flagValue{anywhere([]string{name})[0], a})
			default:
				out = append(out, flagValue{alternatives(paths), a})
			}
		}
	}
	slices.SortFunc(out, func(a, b flagValue) int { return strings.Compare(a.pattern, b.pattern) })
	return out
}

// action is what bash does for a value. Where it is a file the list stays
// empty, and readline goes on as it does without us.
func action(v *value) string {
	switch {
	case len(v.words) > 0:
		return "words=" + quoted(strings.Join(v.words, " "))
	case v.files:
		return "compopt -o default"
	case v.dirs:
		return "compopt -o dirnames"
	}
	return ""
}

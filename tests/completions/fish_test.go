package completions

import (
	"fmt"
	"strings"
)

// fish returns a file for fish.
func fish(n *node) string {
	var b strings.Builder
	at := "__" + identifier(n.name) + "_at"
	fmt.Fprintf(&b, "# %s in fish, %s\n\n", n.name, header)
	fmt.Fprintf(&b, "complete -c %s -f\n", n.name)
	if len(n.commands) > 0 {
		fmt.Fprintf(&b, `
# Tells whether the words before the cursor name this command, or any if none
# is asked for. Behind an operand nothing may stand.
function %s
    set -l at %s
    set -l value 0
    for word in (commandline -opc)[2..-1]
        if test $value = 1
            set value 0
            continue
        end
        switch "$at $word"
            case %s
                set at "$at $word"
            case %s
                set value 1
            case '* -*'
            case '*'
                return 1
        end
    end
    test -z "$argv" -o "$at" = "$argv"
end
`, at, n.name, fishWords(n.below(), ""), fishWords(n.valueFlags(), "* "))
	}
	b.WriteString("\n")
	for _, c := range n.all() {
		condition, any := "", ""
		if len(n.commands) > 0 {
			condition, any = " -n "+fishQuoted(at+" "+c.path), " -n "+at
		}
		for _, sub := range c.commands {
			fmt.Fprintf(&b, "complete -c %s%s -a %s -d %s\n", n.name, condition, sub.name, fishQuoted(sub.usage))
		}
		if len(c.operand.words) > 0 {
			fmt.Fprintf(&b, "complete -c %s%s -a %s\n", n.name, condition, fishQuoted(strings.Join(c.operand.words, " ")))
		}
		for _, f := range c.flags {
			switch {
			case !f.shared:
				fmt.Fprintf(&b, "complete -c %s%s%s\n", n.name, condition, fishFlag(f))
			case c == n:
				fmt.Fprintf(&b, "complete -c %s%s%s\n", n.name, any, fishFlag(f))
			}
		}
	}
	return b.String()
}

func fishFlag(f option) string {
	s := " -l " + f.name
	if v := f.value; v != nil {
		switch {
		case len(v.words) > 0:
			s += " -x -a " + fishQuoted(strings.Join(v.words, " "))
		case v.files:
			s += " -r -F"
		case v.dirs:
			s += " -x -a '(__fish_complete_directories)'"
		default:
			s += " -x"
		}
	}
	return s + " -d " + fishQuoted(f.usage)
}

// fishQuoted returns s in single quotes, as fish reads them.
func fishQuoted(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "'"
}

func fishWords(words []string, before string) string {
	var out []string
	for _, w := range words {
		out = append(out, fishQuoted(before+w))
	}
	return strings.Join(out, " ")
}

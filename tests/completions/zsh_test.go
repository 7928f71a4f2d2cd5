package completions

import (
	"fmt"
	"slices"
	"strings"
)

// zsh returns a file for zsh: a function for each command, the program's own
// last and called.
func zsh(n *node) string {
	var b strings.Builder
	fmt.Fprintf(&b, "#compdef %s\n# %s in zsh, %s\n", n.name, n.name, header)
	for _, c := range slices.Backward(n.all()) {
		zshFunction(&b, c, c == n)
	}
	fmt.Fprintf(&b, "\n%s \"$@\"\n", zshName(n))
	return b.String()
}

func zshName(n *node) string { return "_" + strings.ReplaceAll(n.path, " ", "__") }

// zshFunction writes the function of a command. That of the program has the
// flags of all commands in a variable, which those that it calls see.
func zshFunction(b *strings.Builder, n *node, program bool) {
	shared, specs := []string{}, []string{`"$shared[@]"`}
	for _, f := range n.flags {
		if f.shared {
			shared = append(shared, zshFlag(f))
		} else {
			specs = append(specs, zshFlag(f))
		}
	}
	fmt.Fprintf(b, "\n%s() {\n", zshName(n))
	if program {
		fmt.Fprintf(b, "  local -a shared=(\n    %s\n  )\n", strings.Join(shared, "\n    "))
	}
	if len(n.commands) == 0 {
		options := ""
		if len(n.operand.words) > 0 {
			options = ` -A "-*"` // no flag behind an operand
			specs = append(specs, quoted("1:"+n.operand.placeholder+":("+strings.Join(n.operand.words, " ")+")"))
		}
		fmt.Fprintf(b, "  _arguments%s %s\n}\n", options, strings.Join(specs, " \\\n    "))
		return
	}
	specs = append(specs, quoted("1:command:->command"), quoted("*::argument:->argument"))
	b.WriteString("  local curcontext=$curcontext state line ret=1\n  local -A opt_args\n")
	fmt.Fprintf(b, "  _arguments -C %s && ret=0\n", strings.Join(specs, " \\\n    "))
	b.WriteString("  case $state in\n  command)\n    local -a commands=(\n")
	for _, c := range n.commands {
		fmt.Fprintf(b, "      %s\n", quoted(c.name+":"+c.usage))
	}
	b.WriteString("    )\n    _describe -t commands command commands && ret=0\n    ;;\n  argument)\n    case $line[1] in\n")
	for _, c := range n.commands {
		fmt.Fprintf(b, "    %s) %s && ret=0 ;;\n", c.name, zshName(c))
	}
	b.WriteString("    esac\n    ;;\n  esac\n  return ret\n}\n")
}

func zshFlag(f option) string {
	usage := strings.NewReplacer("[", `\[`, "]", `\]`).Replace(f.usage)
	switch {
	case f.value == nil && (f.name == "help" || f.name == "version"):
		return quoted("(- *)--" + f.name + "[" + usage + "]")
	case f.value == nil:
		return quoted("--" + f.name + "[" + usage + "]")
	}
	what := " "
	switch {
	case len(f.value.words) > 0:
		what = "(" + strings.Join(f.value.words, " ") + ")"
	case f.value.files:
		what = "_files"
	case f.value.dirs:
		what = "_path_files -/" // _files would go on to other files
	}
	return quoted("--" + f.name + "=[" + usage + "]:" + f.value.placeholder + ":" + what)
}

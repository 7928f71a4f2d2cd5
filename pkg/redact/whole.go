package redact

import "bytes"

// whole reports whether the line b[a:z] is nothing but the assignment of v to n, so that it goes as a whole.
func (x *scanner) whole(n name, v value, a, z int) bool {
	if z-a > maxLine || !x.leads(a, n.start) {
		return false
	}
	rest := x.b[v.end:z]
	if v.quote == 0 && (len(rest) == 0 || !isQuote(rest[0])) {
		return true
	}
	for i, c := range rest {
		if isAlnum(c) || c >= 128 || c == cutByte {
			return bytes.ContainsAny(rest[:i], "#") || bytes.Contains(rest[:i], []byte("//")) // a comment
		}
	}
	return true
}

// leads reports whether b[a:start] may come before the name in an assignment: signs, numbers, the path of the name
// in a configuration, and the words that declare a variable.
func (x *scanner) leads(a, start int) bool {
	for start > a && (isRun(x.b[start-1]) || x.b[start-1] == ':' || x.b[start-1] == '$') {
		start--
	}
	for i := a; i < start; {
		if x.b[i] >= 128 || x.b[i] == cutByte {
			return false
		}
		if !isLetter(x.b[i]) {
			i++
			continue
		}
		j := i
		for j < start && isWordByte(x.b[j]) {
			j++
		}
		switch string(x.low[i:j]) {
		case "export", "set", "setx", "setenv", "env", "arg", "const", "let", "var", "val", "final", "static", "public", "private", "protected", "readonly",
			"internal", "def", "local", "declare", "typeset", "global", "my", "our", "auto", "char", "string", "str", "pub", "mut", "h", "header", "x", "name":
		default:
			return false
		}
		i = j
	}
	return true
}

// open returns the name whose value is below its line.
func (x *scanner) open(n name, op operator, a int, block bool) opened {
	o := opened{kind: n.kind, indent: indent(x.b[a:n.start]), block: block}
	if n.kind < secret || n.kind > password {
		return opened{}
	}
	if op == nothing { // the name is itself a value: "- name: DB_PASSWORD"
		before := bytes.TrimRight(x.low[a:n.start], " \t\"'")
		if !bytes.HasSuffix(before, []byte("name:")) && !bytes.HasSuffix(before, []byte("key:")) && !bytes.HasSuffix(before, []byte("name\":")) {
			return opened{}
		}
		o.member = true
	}
	return o
}

func indent(b []byte) int { return len(b) - len(bytes.TrimLeft(b, " \t")) }

// carried cuts what is on the line b[a:z] of the value that a line above opened, and returns what stays open.
func (x *scanner) carried(o opened, a, z int) opened {
	if o.kind == unnamed {
		return o
	}
	line := x.b[a:z]
	deeper := indent(line) > o.indent
	if o.block {
		if deeper {
			x.cut(a, z)
			return o
		}
		return opened{}
	}
	text := bytes.TrimLeft(line, " \t")
	if bytes.HasPrefix(text, []byte("```")) || bytes.HasPrefix(text, []byte("~~~")) {
		return o
	}
	i := z - len(text)
	if o.member {
		for i < z && (isQuote(x.b[i]) || isSpace(x.b[i])) {
			i++
		}
		if !bytes.HasPrefix(x.low[i:z], []byte("value")) {
			return opened{}
		}
		n := name{kind: o.kind, start: i, end: i + len("value")}
		x.value(n, a, z)
		return opened{}
	}
	item := bytes.HasPrefix(text, []byte("- ")) || bytes.HasPrefix(text, []byte("* "))
	for i < z && (isSpace(x.b[i]) || item && (x.b[i] == '-' || x.b[i] == '*')) {
		i++
	}
	v := x.extent(i, z, colon, o.kind)
	alone := len(bytes.Trim(x.b[v.end:z], " \t\"'`,;*)]}")) == 0
	if v.start < v.end && alone && (credible(x.b[v.start:v.end], x.low[v.start:v.end], o.kind) || v.quote != 0 && v.quote != '`' && !x.harmless(v, o.kind, true)) {
		x.cut(v.start, v.end)
	}
	if item {
		return o
	}
	return opened{}
}

package redact

import "bytes"

// An operator is what stands between a name and its value.
type operator uint8

const (
	nothing operator = iota
	assign           // "=", ":=", "=>" …: what follows is a value
	colon            // a value, or prose
	pair             // a call: only a literal is a value
	word             // "is", "为": a value if it looks like one
	space            // the same, without any word
	tag              // the end of an XML tag
)

// operator finds the operator after a name, and where the value begins.
func (x *scanner) operator(n name, a, z int) (operator, int) {
	i, quoted := n.end, false
	for limit := min(z, i+8); i < limit; i++ {
		if c := x.b[i]; isQuote(c) || c == ']' {
			quoted = true
		} else if c != '*' && c != '}' && c != '?' && c != '_' {
			break
		}
	}
	closed := i
	for i < z && (x.b[i] == ' ' || x.b[i] == '\t') && i-closed < 64 {
		i++
	}
	if i < z && x.b[i] == '(' && i > closed { // "password (8 characters or more): …"
		if e := bytes.IndexByte(x.b[i:min(z, i+48)], ')'); e > 0 {
			if j := i + e + 1; j < z && (x.b[j] == ':' || x.b[j] == '=') {
				i = j
			}
		}
	}
	if i == z {
		return nothing, z
	}
	at := func(s string) bool { return bytes.HasPrefix(x.low[i:z], []byte(s)) }
	if bytes.IndexByte([]byte("=!:-?+|"), x.b[i]) >= 0 {
		for _, op := range []string{"===", "!==", ":=", "=>", "->", "==", "!=", "?=", "+=", "||=", "??=", "|=", "=~"} {
			if at(op) {
				return assign, i + len(op)
			}
		}
	}
	switch x.b[i] {
	case '=':
		return assign, i + 1
	case ':':
		if at("::") && i+2 < z && isLetter(x.b[i+2]) { // Secret::new("…")
			for i += 2; i < z && isWordByte(x.b[i]); i++ {
			}
			if i+1 < z && x.b[i] == '(' && isQuote(x.b[i+1]) {
				return pair, i + 1
			}
			return nothing, i
		}
		return x.annotated(i+1, z)
	case '|':
		if bytes.IndexByte(x.b[a:n.start], '|') >= 0 {
			return word, i + 1
		}
	case ',':
		if quoted {
			return x.keyValue(i+1, z)
		}
	case '(':
		if i+1 < z && isQuote(x.b[i+1]) && i == closed {
			return pair, i + 1
		}
	case '>':
		j := n.start
		for j > a && (isRun(x.b[j-1]) || x.b[j-1] == ':') {
			j--
		}
		if j > a && x.b[j-1] == '<' && i == n.end {
			return tag, i + 1
		}
	}
	if i == closed && i < z && x.b[i] < 128 {
		return nothing, i
	}
	for _, w := range []string{"- ", "-- ", "is ", "was ", "to ", "be ", "with ", "equals ", "value ", "set to ", "should be ", "will be ", "is: ", "改成", "设为", "设置为", "設為", "就是", "是", "为", "為", "用", "は"} {
		if at(w) {
			i += len(w)
			for i < z && (isSpace(x.b[i]) || x.b[i] == ':') {
				i++
			}
			return word, i
		}
	}
	if quoted && at("value=") { // <add key="password" value="…"/>
		return assign, i + len("value=")
	}
	return space, i
}

// annotated tells "name: value" from "name: type = value". i is after the colon.
func (x *scanner) annotated(i, z int) (operator, int) {
	for j := i; j < min(z, i+40); j++ {
		c := x.b[j]
		if c == '=' && j > i+1 && (j+1 == z || x.b[j+1] == ' ' || isQuote(x.b[j+1])) && x.b[j-1] == ' ' {
			return assign, j + 1
		}
		if !isWordByte(c) && !bytes.ContainsRune([]byte(" <>[]&'|.?,"), rune(c)) {
			break
		}
	}
	return colon, i
}

// keyValue is for two strings side by side: the second is the value, or it names the value as in
// {"name": "password", "value": "…"}.
func (x *scanner) keyValue(i, z int) (operator, int) {
	j := i
	for j < z && (isSpace(x.b[j]) || x.b[j] == '{') {
		j++
	}
	if j == z || !isQuote(x.b[j]) {
		return nothing, i
	}
	for _, member := range []string{"value", "default"} {
		if k := j + 1 + len(member); k+1 < z && string(x.low[j+1:k]) == member && isQuote(x.b[k]) {
			for k++; k < z && (isSpace(x.b[k]) || x.b[k] == ':'); k++ {
			}
			return assign, k
		}
	}
	return word, j
}

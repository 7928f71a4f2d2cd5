package redact

import "bytes"

// maxLine is the longest line, in bytes, that goes as a whole. In a longer one, such as a record of JSON, only the
// value goes.
const maxLine = 400

// An opened name is one whose value is expected on a line below.
type opened struct {
	kind
	indent int
	block  bool // the value is a YAML block: all lines that are indented deeper
	member bool // the value is the next line's "value:", as in a list of environment variables
}

// names cuts the values of the names in the line b[a:z]. It reports whether the line speaks of a credential, and
// the name whose value is not on the line.
func (x *scanner) names(a, z int) (told bool, next opened) {
	var w words
	var done int // the values before here are cut already
	for i := a; i < z; {
		c := x.b[i]
		var n name
		switch {
		case isLetter(c) || c == '_':
			end := x.identifier(i, z, &w)
			k, borrowed := x.kindOf(&w)
			n = name{kind: k, start: i, end: end}
			if borrowed > 0 {
				n.start = w.before.Start
			}
			if end < z && x.b[end] >= 128 {
				if k, e := x.foreignName(i, z); k != unnamed {
					n.kind, n.end = k, e
				}
			}
			w.before = Span{}
			if end < z && x.b[end] == ' ' && w.n > 0 {
				w.before = w.at[w.n-1]
			}
		case c >= 128:
			k, e := x.foreignName(i, z)
			n = name{kind: k, start: i, end: e}
			if k == unnamed {
				i++
				continue
			}
		case isDigit(c):
			for i < z && isWordByte(x.b[i]) {
				i++
			}
			continue
		default:
			i++
			continue
		}
		i = n.end
		if n.kind == unnamed {
			continue
		}
		told = told || n.kind > weak
		if n.start < done {
			continue
		}
		o, end := x.value(n, a, z)
		if o.kind != unnamed {
			next = o
		}
		done = max(done, end)
	}
	return told, next
}

// value looks for the value of a name and cuts it if it is a secret. It returns where it has cut up to, or the name
// if its value may be on a line below.
func (x *scanner) value(n name, a, z int) (opened, int) {
	op, i := x.operator(n, a, z)
	for i < z && (isSpace(x.b[i]) || x.b[i] == '*' && op != pair) {
		i++
	}
	if i == z || (x.b[i] == '|' || x.b[i] == '>') && op == colon && i+3 > z {
		return x.open(n, op, a, i < z), x.asName(n, a)
	}
	if op == nothing {
		return opened{}, x.asName(n, a)
	}
	v := x.extent(i, z, op, n.kind)
	if n.kind == authz || n.kind == cookie {
		v = x.header(v, n.kind, z)
	}
	v.tight = op == assign && i == n.end+1 || op == colon && x.enclosed(n, v, a, z)
	if len(bytes.Trim(x.b[v.start:v.end], "\x01 ")) == 0 && v.start < v.end || x.b[i] == cutByte { // cut by an earlier pass
		return opened{}, v.end
	}
	if v.start >= v.end || !x.guilty(v, n, op, a) {
		if (op == assign || op == colon || op == pair) && v.end > v.start && n.kind > weak {
			x.literals(v.start, min(z, v.start+maxLine), n.kind)
		}
		return opened{}, x.asName(n, a)
	}
	if (op == assign || op == colon || op == tag) && n.kind != weak && x.whole(n, v, a, z) {
		x.cut(a, z)
		return opened{}, z
	}
	if v.quote == 0 && (op == colon || op == word) && n.kind == password {
		v.end = x.phrase(v, z)
	}
	x.cut(v.start, v.end)
	return opened{}, v.end
}

// enclosed reports whether name and value are one string: -H 'Name: value'.
func (x *scanner) enclosed(n name, v value, a, z int) bool {
	return v.quote == 0 && n.start > a && v.end < z && x.b[v.end] == x.b[n.start-1] && (x.b[v.end] == '\'' || x.b[v.end] == '"')
}

// inHeader reports whether an option before the name says that it is the name of a header.
func (x *scanner) inHeader(n name, a int) bool {
	before := x.low[max(a, n.start-24):n.start]
	return bytes.Contains(before, []byte("-h")) || bytes.Contains(before, []byte("header"))
}

// guilty reports whether the value of a name must go.
func (x *scanner) guilty(v value, n name, op operator, a int) bool {
	b, low := x.b[v.start:v.end], x.low[v.start:v.end]
	flag := n.start-a >= 2 && x.b[n.start-1] == '-' && x.b[n.start-2] == '-'
	switch {
	case number(low) && n.kind == secret && ends(x.text(Span{n.start, n.end}), "token"):
		return false
	case n.kind == weak:
		return op != space && (lookAt(b).randomValue() || isUUID(b)) || (op == assign || op == colon) && (credible(b, low, secret) && lookAt(b).digit > 0 || v.tight && x.inHeader(n, a) && !x.harmless(v, secret, true))
	case op == word:
		return credible(b, low, n.kind) || v.quote != 0 && n.kind == password && !x.harmless(v, n.kind, false)
	case op == space && flag: // but not "--secret id=npmrc"
		return bytes.IndexByte(b, '=') <= 0 && !x.harmless(v, n.kind, false)
	case op == space:
		return credible(b, low, n.kind) || v.quote == '\'' && n.kind == password && !x.harmless(v, n.kind, true)
	case op == pair && v.quote == 0:
		return false
	case len(b) >= maxValue:
		return true
	}
	return !x.harmless(v, n.kind, op == assign || op == pair)
}

// maxValue and maxWeak bound how much of an unquoted value is read; a longer one is no harmless word any more.
const (
	maxValue = 1024
	maxWeak  = 128
)

// extent returns the value that begins at i.
func (x *scanner) extent(i, z int, op operator, k kind) value {
	for j := i; j < min(z, i+3); j++ { // b"…", f'…', @"…", ("…"), &"…"
		if isQuote(x.b[j]) {
			q := x.b[j]
			for j+1 < z && x.b[j+1] == q { // """…"""
				j++
			}
			n := bytes.IndexByte(x.b[j+1:z], q)
			if n < 0 {
				break
			}
			return value{start: j + 1, end: j + 1 + n, quote: q}
		}
		if isAlnum(x.b[j]) && j > i || x.b[j] == cutByte {
			break
		}
	}
	if i < z && x.b[i] >= 128 { // prose
		return value{start: i, end: i}
	}
	end, limit := i, min(z, i+maxValue)
	if k == weak {
		limit = min(z, i+maxWeak)
	}
	for end < limit {
		c := x.b[end]
		if isSpace(c) || isQuote(c) && end > i || c == cutByte || c == '&' && op == assign && end > i || c >= 128 && end > i && x.b[i] < 128 || op == tag && c == '<' {
			break
		}
		if (c == ',' || c == ';' || c == '|') && end > i && x.separates(end+1, z) {
			break
		}
		end++
	}
	for end > i && bytes.IndexByte([]byte(",;:)]}.>|"), x.b[end-1]) >= 0 && !(x.b[end-1] == ')' && bytes.IndexByte(x.b[i:end], '(') >= 0) && !(x.b[i] == '<' && x.b[end-1] == '>') {
		end--
	}
	return value{start: i, end: end}
}

// separates reports whether a comma before i ends a value: at the end of a word or before the next name.
func (x *scanner) separates(i, z int) bool {
	if i == z || isSpace(x.b[i]) || isQuote(x.b[i]) || x.b[i] >= 128 {
		return true
	}
	j := i
	for j < z && j-i < 64 && (isWordByte(x.b[j]) || x.b[j] == ' ' || x.b[j] == '-') {
		j++
	}
	return j > i && j < z && (x.b[j] == '=' || x.b[j] == ':')
}

// maxHeader bounds the value of an authorization that no quotation mark ends.
const maxHeader = 1024

// header returns the part of a header's value that is secret: the whole value of a cookie, to the quotation mark
// around the header; what follows the scheme of an authorization.
func (x *scanner) header(v value, k kind, z int) value {
	if k == cookie && bytes.IndexByte(x.b[v.start:min(z, v.start+64)], '=') < 0 {
		return value{start: v.start, end: v.start}
	}
	if limit := v.start + maxHeader; v.quote == 0 {
		if k == authz {
			z = min(z, limit)
		}
		for v.end < z && !isQuote(x.b[v.end]) && x.b[v.end] < 128 && (k == cookie || x.b[v.end] != ',') && x.b[v.end] != cutByte {
			v.end++
		}
	}
	if k == cookie {
		if bytes.IndexByte(x.b[v.start:v.end], '=') < 0 {
			v.end = v.start
		}
		return v
	}
	for _, s := range []string{"bearer", "basic", "token", "digest", "apikey", "negotiate", "aws4-hmac-sha256", "key", "bot"} {
		if j := v.start + len(s); j < v.end && string(x.low[v.start:j]) == s && isSpace(x.b[j]) {
			for j < v.end && (isSpace(x.b[j]) || isQuote(x.b[j])) {
				j++
			}
			v.start = j
			break
		}
	}
	if n := bytes.IndexByte(x.b[v.start:v.end], ' '); n > 0 && v.quote == 0 && !bytes.Contains(x.b[v.start:v.end], []byte("=")) {
		v.end = v.start + n
	}
	if isQuote(x.b[min(v.start, len(x.b)-1)]) {
		v.end = v.start
	}
	return v
}

// phrase extends a pass phrase of plain words in prose to its last word.
func (x *scanner) phrase(v value, z int) int {
	end := v.end
	for i := v.end; i < z && x.b[i] == ' '; {
		j := i + 1
		for j < z && isLetter(x.b[j]) {
			j++
		}
		if j == i+1 || j < z && !isSpace(x.b[j]) && x.b[j] != '.' && x.b[j] != ',' {
			break
		}
		if placeholder(x.low[i+1 : j]) {
			break
		}
		end, i = j, j
	}
	return end
}

// literals cuts the string literals in b[i:z] that look like credentials: the default of a look-up, the argument of
// a call.
func (x *scanner) literals(i, z int, k kind) {
	for i < z {
		if x.b[i] == '-' && i+1 < z && i > 0 && x.b[i-1] == ':' { // ${NAME:-default}
			j := i + 1
			for j < z && x.b[j] != '}' && !isSpace(x.b[j]) {
				j++
			}
			if j < z && j-i > 4 && x.b[j] == '}' && x.b[i+1] != '$' && !placeholder(x.low[i+1:j]) {
				x.cut(i+1, j)
			}
			i = j
			continue
		}
		if !isQuote(x.b[i]) {
			i++
			continue
		}
		n := bytes.IndexByte(x.b[i+1:z], x.b[i])
		if n < 0 {
			i++
			continue
		}
		if b, low := x.b[i+1:i+1+n], x.low[i+1:i+1+n]; credible(b, low, k) && !(bytes.IndexByte(b, '.') > 0 && member(b, true)) && bytes.IndexByte(b, ' ') < 0 {
			x.cut(i+1, i+1+n)
		}
		i += n + 2
	}
}

// asName cuts the value in "hunter2 as the password", where it comes before its name.
func (x *scanner) asName(n name, a int) int {
	near := x.low[max(a, n.start-48):n.start]
	if !bytes.Contains(near, []byte(" as ")) {
		return 0
	}
	before := bytes.Fields(near)
	for k := len(before) - 1; k > 0 && k >= len(before)-4; k-- {
		if string(before[k]) != "as" {
			continue
		}
		b := bytes.Trim(before[k-1], "\"'`")
		j := bytes.LastIndex(x.low[a:n.start], b)
		if j >= 0 && len(b) > 0 && credible(x.b[a+j:a+j+len(b)], b, n.kind) && n.kind > weak {
			x.cut(a+j, a+j+len(b))
		}
		break
	}
	return 0
}

package redact

import "bytes"

// A value is what follows the name of a credential.
type value struct {
	start, end int
	quote      byte // the quotation mark around it, or 0
	tight      bool // "name=value", as a shell has it
}

// harmless reports whether a value is known to be no secret: a placeholder, a reference to where the secret is, a
// type, a number too short, prose. assigned says that "=" gives it, which prose never does.
func (x *scanner) harmless(v value, k kind, assigned bool) bool {
	b, low := x.b[v.start:v.end], x.low[v.start:v.end]
	if len(b) < 4 && !v.tight && (k != password || len(b) < 3 || v.quote == 0) || placeholder(low) || reference(b, low, v.quote == 0) {
		return true
	}
	l := lookAt(b)
	if l.alnum == 0 {
		return k != password || v.quote == 0 || repeated(b)
	}
	if v.quote == 0 && !assigned && x.prose(v, k) {
		return true
	}
	if k == password && (v.quote != 0 || assigned) && !l.plainWord(b) {
		return false
	}
	return x.mentions(b, k) || v.quote == 0 && !v.tight && l.digit == 0 && member(b, assigned) || k != authz && filePath(b, l)
}

// plainWord reports whether b is letters and separators only.
func (l look) plainWord(b []byte) bool {
	for _, c := range b {
		if !isLetter(c) && c != '_' && c != '-' && c != '.' && c != '/' {
			return false
		}
	}
	return true
}

// placeholder reports whether a value stands for one: "<your-token>", "xxx", "***", "string", "null".
func placeholder(low []byte) bool {
	switch string(low) {
	case "string", "str", "&str", "text", "int", "integer", "bool", "boolean", "number", "bytes", "byte", "object", "array", "any", "unknown", "never",
		"null", "nil", "none", "undefined", "true", "false", "yes", "no", "on", "off", "void", "optional", "required", "empty", "secretstr", "uuid", "varchar",
		"redacted", "[redacted]", "hidden", "masked", "secret", "password", "token", "todo", "tbd", "n/a", "example", "placeholder", "changeme",
		"bearer", "basic", "digest", "flag", "option", "field", "value", "values", "header", "headers", "cookie", "prompt", "stdin", "env", "file", "default",
		"[]byte", "[]string", "char", "charset", "self", "this", "input", "await", "new", "function", "func", "type", "class", "struct", "interface", "and", "or",
		"is", "to", "for", "from", "with", "the", "a", "an", "in", "via", "when", "must", "should", "can", "will", "are", "was", "missing", "invalid", "expired", "valid":
		return true
	}
	if low[0] == '<' || bytes.HasPrefix(low, []byte("your")) || bytes.HasPrefix(low, []byte("my-")) && bytes.HasSuffix(low, []byte("here")) ||
		bytes.HasPrefix(low, []byte("...")) || bytes.HasSuffix(low, []byte("...")) && len(low) < 12 || bytes.HasPrefix(low, []byte("option<")) || bytes.HasPrefix(low, []byte("optional[")) {
		return true
	}
	return repeated(low)
}

// repeated reports whether b is one character again and again.
func repeated(b []byte) bool {
	return len(b) >= 3 && len(bytes.TrimLeft(b, string(b[:1]))) == 0
}

// reference reports whether a value says where the secret is: a variable, a template, or in code a look-up.
func reference(b, low []byte, code bool) bool {
	switch b[0] {
	case '$':
		// ${NAME:-default} holds a value; it is cut as any other literal in the line.
		return len(b) > 1 && (b[1] == '{' || b[1] == '(' || isLetter(b[1]) && lookAt(b[1:]).changes < 4 || b[1] == '_')
	case '{', '[', '(', '&', '*', '@':
		return !lookAt(b).randomValue()
	case '%':
		return len(b) > 2 && b[len(b)-1] == '%'
	}
	if i := bytes.IndexByte(b, '('); code && i > 0 && member(b[:i], true) {
		return true
	}
	if i := bytes.IndexByte(b, '['); code && i > 0 && member(b[:i], true) {
		return true
	}
	if i := bytes.IndexAny(b, "{$"); i > 0 && (bytes.HasPrefix(low, []byte("bearer ")) || bytes.HasPrefix(low, []byte("basic ")) || bytes.HasPrefix(low, []byte("token "))) {
		return true
	}
	return bytes.HasPrefix(low, []byte("process.env.")) || bytes.HasPrefix(low, []byte("env.")) || bytes.HasPrefix(low, []byte("secrets.")) ||
		bytes.HasPrefix(low, []byte("vars.")) || bytes.HasPrefix(low, []byte("--")) || bytes.HasPrefix(low, []byte("op://")) || bytes.HasPrefix(low, []byte("vault:"))
}

// member reports whether b is an expression of names and dots: config.password, os.environ, std::env::var. A name
// alone is one only where code is likely.
func member(b []byte, code bool) bool {
	dots := 0
	for i, c := range b {
		switch {
		case c == '.' || c == ':' || c == '>' && i > 0 && b[i-1] == '-':
			dots++
		case !isWordByte(c) && c != '-' && c != '?' && c != '!' && c != '&':
			return false
		}
	}
	l := lookAt(b)
	return isLetter(b[0]) && (dots > 0 || code && !l.randomValue()) && !l.mixed
}

// number reports whether a value is a count, a size or a time: 4096, 1.5, 30s, 8k.
func number(low []byte) bool {
	i := 0
	for i < len(low) && (isDigit(low[i]) || low[i] == '.' || low[i] == ',' || low[i] == '_') {
		i++
	}
	return i > 0 && len(low)-i <= 2 && i < 13
}

// filePath reports whether a value is the path of a file and not a key that begins as one.
func filePath(b []byte, l look) bool {
	if l.random() {
		return false
	}
	switch {
	case b[0] == '/' && bytes.Count(b, []byte("/")) > 1 || bytes.HasPrefix(b, []byte("./")) || bytes.HasPrefix(b, []byte("../")) || bytes.HasPrefix(b, []byte("~/")):
		return !l.randomValue()
	case bytes.HasPrefix(b, []byte("http://")) || bytes.HasPrefix(b, []byte("https://")) || bytes.HasPrefix(b, []byte("file://")):
		return true // what is secret in a URL is found on its own
	}
	for _, ext := range []string{".pem", ".key", ".crt", ".json", ".yaml", ".yml", ".toml", ".txt", ".env", ".gpg", ".age", ".go", ".py", ".ts", ".js", ".rs", ".md"} {
		if bytes.HasSuffix(b, []byte(ext)) {
			return true
		}
	}
	return false
}

// mentions reports whether a value is an identifier that itself names a credential, as in "token: accessToken".
func (x *scanner) mentions(b []byte, k kind) bool {
	if k == password && bytes.ContainsRune(b, '-') {
		return false // no identifier of code; "super-secret-password" may be one
	}
	sub := scanner{folded: folded{b: b, low: bytes.ToLower(b)}}
	var w words
	if sub.identifier(0, len(b), &w) != len(b) || w.n < 2 {
		return false
	}
	l := lookAt(b)
	if l.mixed || l.digit > 2 {
		return false
	}
	found, _ := sub.kindOf(&w)
	return found != unnamed
}

// maxProse is how much of a value is read to tell whether it is prose.
const maxProse = 256

// prose reports whether the unquoted value is the beginning of a sentence: several words of letters, one of which
// only joins others. A pass phrase has no such word.
func (x *scanner) prose(v value, k kind) bool {
	end := v.start + lineLen(x.b[v.start:min(len(x.b), v.start+maxProse)])
	for i := v.start; i < end && !isSpace(x.b[i]); i++ {
		if c := x.b[i]; c < 128 && !isLetter(c) && bytes.IndexByte([]byte("',.-()`\"*"), c) < 0 {
			return false // no word
		}
	}
	n, joins := 0, 0
	for i := v.start; i < end && n < 12; {
		for i < end && !isAlnum(x.b[i]) {
			if x.b[i] >= 128 {
				return n > 0 // the sentence goes on in another script
			}
			i++
		}
		j := i
		for j < end && (isAlnum(x.b[j]) || x.b[j] == '\'') {
			j++
		}
		if i == j {
			break
		}
		if n == 0 && lookAt(x.b[i:j]).digit > 0 {
			return false
		}
		n++
		switch string(x.low[i:j]) {
		case "the", "a", "an", "is", "are", "was", "of", "for", "to", "in", "on", "by", "with", "from", "must", "should", "can", "will", "not", "and", "or",
			"your", "if", "when", "that", "which", "as", "be", "at", "used", "stored", "see", "per", "only", "it", "via", "into":
			joins++
		}
		i = j
	}
	return n >= 3 && joins > 0 || n >= 2 && joins > 0 && k != password
}

// credible reports whether a value that no sign assigns ("the password is …", "--token …") looks like a credential.
func credible(b, low []byte, k kind) bool {
	l := lookAt(b)
	switch {
	case len(b) < 6 || placeholder(low) || reference(b, low, true) || number(low) && k != password || techWord(string(low)):
		return false
	case l.randomValue() || isUUID(b):
		return true
	case symbols(b) && l.alnum >= 4:
		return true
	case k == password:
		return l.digit > 0
	}
	return l.mixed && (l.changes >= 2 || l.digit >= 3) || l.digit >= 5 && l.upper+l.lower > 0
}

// symbols reports whether b has signs that passwords have and names have not.
func symbols(b []byte) bool {
	n := 0
	for i, c := range b {
		switch c {
		case '!', '@', '#', '$', '%', '^', '&', '*', '?', '~':
			if i > 0 && i+1 < len(b) && isAlnum(b[i-1]) && isAlnum(b[i+1]) || i+1 == len(b) && c == '!' && lookAt(b).digit > 0 {
				n++
			}
		case '(', ')', '[', ']', '{', '}', '/', '\\', '<', '>', ':':
			return false
		}
	}
	return n > 0 && b[0] != '@'
}

// techWord reports whether a word with digits is a term of the trade that stands beside "token" and "password".
func techWord(low string) bool {
	switch low {
	case "1password", "auth0", "32-byte", "64-byte", "16-byte", "128-bit", "256-bit", "512-bit", "8-character", "secp256k1", "x25519", "o200k_base":
		return true
	}
	n := 0
	for n < len(low) && isLower(low[n]) {
		n++
	}
	digits := n
	for digits < len(low) && (isDigit(low[digits]) || low[digits] == '-' && digits == n) {
		digits++
	}
	switch low[:n] {
	case "x", "p", "k", "v", "rs", "hs", "es", "ps", "tf", "md", "ed", "int":
		return digits == len(low) && digits > n
	case "base", "sha", "blake", "blake2b", "argon", "pbkdf", "hmac", "aes", "chacha", "pkcs", "oauth", "http", "tls", "utf", "ascii", "ipv", "uint", "float",
		"uuid", "uuidv", "saml", "rfc", "rsa", "bcrypt", "scrypt":
		return digits > n && len(low) < 20
	}
	return false
}

package redact

import "bytes"

// commands cuts the secrets that the command line in b[a:z] gives without a name: "curl -u user:password",
// "mysql -ppassword", "printf value | gh secret set NAME".
func (x *scanner) commands(a, z int) {
	line := x.low[a:z]
	if len(line) > 16<<10 || !bytes.ContainsAny(line, " \t") {
		return
	}
	has := func(words ...string) bool {
		for _, w := range words {
			if bytes.Contains(line, []byte(w)) {
				return true
			}
		}
		return false
	}
	if bytes.Contains(line, []byte(" -")) || bytes.Contains(line, []byte("\t-")) {
		if has("curl", "http", "wget") {
			x.option(a, z, "-u", true)
			x.option(a, z, "--user", true)
			x.option(a, z, "--proxy-user", true)
			x.option(a, z, "-b", false)
		}
		if has("mysql", "mariadb", "sshpass", " login", "mongo") {
			x.option(a, z, "-p", false)
		}
		if has("redis-cli") {
			x.option(a, z, "-a", false)
		}
		if has("unzip", "sqlcmd", "zip ", "7z ") {
			x.option(a, z, "-p", false)
		}
		if has("ldap") {
			x.option(a, z, "-w", false)
		}
		if has("ssh-keygen") {
			x.option(a, z, "-n", false)
		}
		if has("secret") {
			x.option(a, z, "--body", false)
			x.option(a, z, "-b", false)
		}
	}
	if has("secret", "vault", "config:set", "env add", "--from-literal") && has(" set", " put", " create", " add", " write", ":set") {
		x.pairs(a, z)
	}
	if has("|", "<<<") && has("secret", "password", "passwd", "chpasswd", "login", "token", "credential") {
		x.piped(a, z)
	}
	if n := bytes.Index(line, []byte("identified by ")); n >= 0 && bytes.IndexByte(line[n:], '\'') == len("identified by ") {
		x.argument(a+n+len("identified by "), z, false)
	}
	if n := bytes.Index(line, []byte(" pass:")); n >= 0 {
		x.argument(a+n+len(" pass:"), z, false)
	}
	if n := bytes.Index(line, []byte("htpasswd -")); n >= 0 && has(" -b", " -nb", " -bn", " -cb", " -bc") {
		x.lastArgument(a+n, z)
	}
	if n := bytes.Index(line, []byte("net user ")); n >= 0 {
		x.lastArgument(a+n, z)
	}
}

// option cuts the argument of each flag in b[a:z], also where they are written together. pair says that only
// "user:password" is one.
func (x *scanner) option(a, z int, flag string, pair bool) {
	for i := a; ; {
		n := bytes.Index(x.low[i:z], []byte(flag))
		if n < 0 {
			return
		}
		i += n + len(flag)
		if before := i - len(flag) - 1; before < a || x.b[before] != ' ' && x.b[before] != '\t' {
			continue
		}
		j := i
		for j < z && (x.b[j] == ' ' || x.b[j] == '\t' || x.b[j] == '=') {
			j++
		}
		if j == i && len(flag) > 2 && j < z && !isQuote(x.b[j]) { // "--user-agent"
			continue
		}
		x.argument(j, z, pair)
	}
}

// argument cuts the shell word at i, if it can be a credential.
func (x *scanner) argument(i, z int, pair bool) {
	end := x.shellWord(i, z)
	b, low := bytes.Trim(x.b[i:end], "\"'"), bytes.Trim(x.low[i:end], "\"'")
	if len(b) < 4 || b[0] == '-' || b[0] == '/' && !pair || placeholder(low) || (!pair || b[0] == '$') && reference(b, low, true) {
		return
	}
	if pair {
		user, pw, found := bytes.Cut(b, []byte(":"))
		if !found || bytes.HasPrefix(pw, []byte("//")) || len(user)+len(pw) < 3 || len(pw) > 1 && pw[0] == '$' && reference(pw, pw, true) {
			return
		}
	} else if bytes.IndexByte(b, ':') > 0 && !lookAt(b).mixed && !symbols(b) || number(low) && len(low) < 6 {
		return // -p 8080:80
	}
	if q := x.b[i]; isQuote(q) && end > i+1 && x.b[end-1] == q && bytes.IndexByte(b, q) < 0 {
		i, end = i+1, end-1
	}
	x.cut(i, end)
}

// shellWord returns the end of the shell word at i, whose parts may be quoted each in its own way. A quotation mark
// where none can begin is one around the whole command.
func (x *scanner) shellWord(i, z int) int {
	for j := i; j < z; j++ {
		switch c := x.b[j]; {
		case isSpace(c), c == '`', c == cutByte, c == '|', c == ';', c >= 128:
			return j
		case c == '"' || c == '\'':
			n := bytes.IndexByte(x.b[j+1:z], c)
			if n < 0 || j > i && x.b[j-1] != ':' && x.b[j-1] != '"' && x.b[j-1] != '\'' {
				return j
			}
			j += n + 1
		}
	}
	return z
}

// lastArgument cuts the last shell word of b[i:z] that is no option.
func (x *scanner) lastArgument(i, z int) {
	fields := bytes.Fields(x.b[i:z])
	if len(fields) < 4 {
		return
	}
	for k := len(fields) - 1; k > 2; k-- {
		if f := fields[k]; f[0] != '/' && f[0] != '-' {
			j := i + bytes.LastIndex(x.b[i:z], f)
			x.cut(j, j+len(bytes.TrimRight(f, "`.,;")))
			return
		}
	}
}

// pairs cuts the values of NAME=value arguments.
func (x *scanner) pairs(a, z int) {
	for i := a; i < z; i++ {
		if x.b[i] != '=' || i == a || !isWordByte(x.b[i-1]) {
			continue
		}
		v := x.extent(i+1, z, assign, password)
		if v.start < v.end && !x.harmless(v, password, true) && x.b[i+1] != '/' && !bytes.HasPrefix(x.low[i+1:z], []byte("@")) {
			x.cut(v.start, v.end)
		}
		i = max(i, v.end-1)
	}
}

// piped cuts what echo or printf gives to a command that reads a secret, and here strings.
func (x *scanner) piped(a, z int) {
	if n := bytes.Index(x.b[a:z], []byte("<<<")); n >= 0 {
		i := a + n + 3
		for i < z && x.b[i] == ' ' {
			i++
		}
		x.argument(i, z, false)
	}
	bar := a + max(0, bytes.IndexByte(x.b[a:z], '|'))
	for _, w := range []string{"echo ", "printf "} {
		n := bytes.Index(x.low[a:bar], []byte(w))
		if n < 0 {
			continue
		}
		for i := a + n + len(w); i < bar; {
			if x.b[i] == ' ' || x.b[i] == '-' && bar-i > 2 && x.b[i+2] == ' ' {
				i++
				continue
			}
			v := x.extent(i, bar, space, password)
			if b := x.b[v.start:v.end]; len(b) >= 3 || v.quote != 0 && len(b) > 0 {
				if b[0] != '%' && !(b[0] == '$' && reference(b, x.low[v.start:v.end], true)) {
					x.cut(v.start, v.end)
				}
			}
			i = max(i, v.end) + 1
		}
	}
}

package redact

import "bytes"

// nearLines is how many lines after one that speaks of a credential are still read with suspicion: "Your key:" and
// the key itself are often parted by an empty line and the fence of a code block.
const nearLines = 3

// lines applies the rules that look at one line at a time.
func (x *scanner) lines() {
	skip := x.spans // the key blocks, in order
	near, open := 0, opened{}
	for i := 0; i < len(x.b); {
		z := i + lineLen(x.b[i:])
		for len(skip) > 0 && skip[0].End <= i {
			skip = skip[1:]
		}
		if len(skip) == 0 || skip[0].Start > i || skip[0].End < z {
			blank := len(bytes.TrimSpace(x.b[i:z])) == 0
			if !blank {
				open = x.carried(open, i, z)
			}
			x.shapes(i, z)
			told, next := x.names(i, z)
			if told {
				near = nearLines + 1
			}
			if next.kind != 0 {
				open = next
			}
			x.commands(i, z)
			x.randoms(i, z, told || near > 0 && alone(x.b[i:z]))
			near = max(0, near-1)
		}
		i = z + 1
	}
	x.blobs()
}

// alone reports whether a line is one token, but for a list sign and quotation marks.
func alone(line []byte) bool {
	line = bytes.TrimLeft(line, " \t-*+>#$`")
	return len(line) > 0 && bytes.IndexByte(bytes.TrimRight(line, " \t"), ' ') < 0
}

// starts reports whether a token may start at i: not inside a word, unless the letters before i belong to a percent
// escape.
func (x *scanner) starts(i, a int) bool {
	if i == a || !isAlnum(x.b[i-1]) {
		return true
	}
	return i-a >= 3 && x.b[i-3] == '%' && isHex(x.b[i-2]) && isHex(x.b[i-1])
}

// shapes cuts the credentials in b[a:z] that their own form gives away.
func (x *scanner) shapes(a, z int) {
	for i := a; i < z; {
		c := x.b[i]
		if c >= 128 || c == ' ' || c != ':' && !x.starts(i, a) {
			i++
			continue
		}
		if end := x.issued(i, z); end > 0 {
			x.cut(i, end)
			i = end
			continue
		}
		end := 0
		switch {
		case isDigit(c):
			end = x.botToken(i, z)
		case c == ':':
			end = x.userInfo(a, i, z)
		case c == '$':
			end = x.passwordHash(i, z)
		case c == 'b' || c == 'B':
			end = x.scheme(i, z, "bearer")
			if end == 0 {
				end = x.scheme(i, z, "basic")
			}
		case c == 'h' || c == 'H' || c == 'd' || c == 'D':
			end = x.webhook(i, z)
		}
		if end > i {
			i = end
		} else {
			i++
		}
	}
}

// botToken cuts ids with a key after a sign: "123456:AA…" (Telegram), "123456|abc…" (Facebook, Laravel).
func (x *scanner) botToken(i, z int) int {
	j := i
	for j < z && isDigit(x.b[j]) && j-i < 20 {
		j++
	}
	if j-i < 5 || j == z || x.b[j] != ':' && x.b[j] != '|' {
		return 0
	}
	end := runEnd(x.b, j+1, z)
	if end-j < 27 || lookAt(x.b[j+1:end]).longest < 8 {
		return 0
	}
	x.cut(i, end)
	return end
}

// maxURL bounds how far the "@" of a URL is looked for.
const maxURL = 512

// userInfo cuts the user information of a URL, with any "@" and "/" in the password. i is at the colon of "://".
// What has no scheme is cut if it connects to a server all the same: "user:password@tcp(…)", "user:password@host:1".
func (x *scanner) userInfo(a, i, z int) int {
	start, bare := i+3, false
	if !bytes.HasPrefix(x.b[i:z], []byte("://")) {
		start, bare = i+1, true
		if i == a || !isAlnum(x.b[i-1]) || i < x.noUser || x.addressed(a, i) {
			return 0
		}
	}
	at, end := lastAt(x.b[start:min(z, start+maxURL)])
	switch {
	case at < 0:
		x.noUser = start + end
		return 0
	case bare && !x.server(start+at+1, z):
		x.noUser = start + at
		return 0
	case !bare && harmlessUser(x.b[start:start+at]):
		return 0
	}
	at += start
	if bare {
		for start = i; start > a && isRun(x.b[start-1]); start-- {
		}
	}
	x.cut(start, at)
	return at
}

// lastAt returns the index of the "@" that ends the user information of the URL whose authority b begins with, or -1,
// and how far it has looked.
// A slash ends the authority, unless a password was begun before it: that may have slashes, and more of "@".
func lastAt(b []byte) (at, end int) {
	at = -1
	colon, slash, open := false, false, false
	for i, c := range b {
		switch {
		case endsURL(c):
			return at, i
		case c == ':' && at < 0:
			colon = true
		case c == '@' && (!slash || open):
			at = i
		case (c == '/' || c == '?' || c == '#') && !slash:
			slash = true
			_, port, _ := bytes.Cut(b[:i], []byte(":"))
			open = colon && (at >= 0 || bytes.ContainsFunc(port, func(r rune) bool { return r < '0' || r > '9' }))
		}
	}
	return at, len(b)
}

// addressed reports whether the colon at i follows the scheme of an address, which has no password.
func (x *scanner) addressed(a, i int) bool {
	j := i
	for j > a && isAlnum(x.b[j-1]) {
		j--
	}
	switch string(x.low[j:i]) {
	case "sip", "sips", "xmpp", "mailto", "npm", "jsr", "pkg", "docker", "git", "workspace", "file", "patch":
		return true
	}
	return false
}

// server reports whether at i there is the address of a server: "tcp(", "unix(", or a host and a port or path.
func (x *scanner) server(i, z int) bool {
	j := i
	for j < z && (isAlnum(x.b[j]) || x.b[j] == '.' || x.b[j] == '-') {
		j++
	}
	switch host := string(x.low[i:j]); {
	case j < z && x.b[j] == '(':
		return host == "tcp" || host == "tcp6" || host == "unix"
	case host == "localhost":
		return true
	case j+1 < z && x.b[j] == ':' && isDigit(x.b[j+1]):
		return j > i && host != "sha256"
	default:
		return j < z && x.b[j] == '/' && bytes.IndexByte(x.b[i:j], '.') > 0 && isLetter(x.b[j-1])
	}
}

// harmlessUser reports whether a user name without a password is only that, such as the "git" of an SSH address.
func harmlessUser(b []byte) bool {
	l := lookAt(b)
	return !bytes.ContainsRune(b, ':') && len(b) <= 32 && l.digit < 4 && !l.mixed && !l.randomValue()
}

func endsURL(c byte) bool {
	return isSpace(c) || isQuote(c) || c == '<' || c == '>' || c == cutByte || c == '|' || c == '\\'
}

// passwordHash cuts a crypt(3) hash, "$2b$10$…", with the salt that tells how to guess it.
func (x *scanner) passwordHash(i, z int) int {
	j := i + 1
	for j < z && j-i < 12 && (isAlnum(x.b[j]) || x.b[j] == '-') {
		j++
	}
	if j == i+1 || j == z || x.b[j] != '$' {
		return 0
	}
	for limit := min(z, i+maxProbe); j < limit && (isRun(x.b[j]) || x.b[j] == '$' || x.b[j] == ','); {
		j++
	}
	if lookAt(x.b[i:j]).longest < 12 {
		return 0
	}
	x.cut(i, j)
	return j
}

// scheme cuts what follows the name of an authentication scheme, if it is no word.
func (x *scanner) scheme(i, z int, name string) int {
	j := i + len(name)
	if j >= z || string(x.low[i:j]) != name || !isSpace(x.b[j]) {
		return 0
	}
	for j < z && (isSpace(x.b[j]) || isQuote(x.b[j])) {
		j++
	}
	end := runEnd(x.b, j, min(z, j+maxProbe))
	l := lookAt(x.b[j:end])
	if end-j < 8 || !(l.longest >= 20 || l.mixed || l.randomValue() || l.digit > 0 && l.upper > 0 || end-j >= 12 && x.b[end-1] == '=') || techWord(string(x.low[j:end])) {
		return 0
	}
	end = runEnd(x.b, j, z)
	x.cut(j, end)
	return end
}

// webhook cuts what makes the address of a chat's incoming webhook a key: all that follows the fixed part.
func (x *scanner) webhook(i, z int) int {
	for _, fixed := range []string{
		"hooks.slack.com/", "discord.com/api/webhooks/", "discordapp.com/api/webhooks/", "hooks.zapier.com/hooks/", "hook.integromat.com/",
		"hook.eu1.make.com/", "hook.us1.make.com/", "healthchecks.io/ping/", "hc-ping.com/",
	} {
		j := i + len(fixed)
		if j > z || string(x.low[i:j]) != fixed {
			continue
		}
		end := runEnd(x.b, j, min(z, j+maxProbe))
		if lookAt(x.b[j:end]).longest < 8 {
			return 0
		}
		end = runEnd(x.b, j, z)
		x.cut(j, end)
		return end
	}
	return 0
}

// blobs extends what is cut by the short last line of a base64 block, and the short first line of one that was cut
// off: a line that is a single run, next to a line that is a single run and cut.
func (x *scanner) blobs() {
	const least = 40
	for _, sp := range x.spans[:len(x.spans):len(x.spans)] {
		if sp.End-sp.Start < least || bytes.IndexByte(x.b[sp.Start:sp.End], ' ') >= 0 {
			continue
		}
		if i := x.skip(sp.End, 1); i < len(x.b) {
			j := runEnd(x.b, i, min(len(x.b), i+sp.End-sp.Start+1))
			if x.skip(j, 1) > j || j == len(x.b) {
				x.rest(i, j)
			}
		}
		if j := x.skip(sp.Start, -1); j > 0 {
			i := j
			for i > 0 && isRun(x.b[i-1]) && j-i <= sp.End-sp.Start {
				i--
			}
			if x.skip(i, -1) < i || i == 0 {
				x.rest(i, j)
			}
		}
	}
}

// skip goes from i over what may stand between two lines of base64, which must have a line end in it, and returns
// where the next begins, or i if there is no line end or too much in between.
func (x *scanner) skip(i, step int) int {
	const most = 24
	ended := false
	for n, j := 0, i; n < most; n, j = n+1, j+step {
		k := j
		if step < 0 {
			k = j - 1
		}
		if k < 0 || k >= len(x.b) || x.b[k] >= 128 || x.b[k] == cutByte {
			return i
		}
		c := x.b[k]
		if isAlnum(c) || c == '=' && step < 0 {
			if !ended {
				return i
			}
			if step > 0 && j > i && (x.b[j-1] == '+' || x.b[j-1] == '/') {
				j--
			}
			return j
		}
		ended = ended || c == '\n'
	}
	return i
}

// rest cuts b[i:j] if it can be the rest of a base64 block.
func (x *scanner) rest(i, j int) {
	if j-i < 6 {
		return
	}
	if l := lookAt(x.b[i:j]); l.digit > 0 && l.upper+l.lower > 0 || l.changes > 0 || x.b[j-1] == '=' {
		x.cut(i, j)
	}
}

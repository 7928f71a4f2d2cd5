package redact

// A kind says how much the name of a value tells about it.
type kind uint8

const (
	unnamed  kind = iota
	weak          // may name a secret or anything else ("key", "session"): only a random value is cut
	secret        // a key, token or secret: any value is cut that is not known to be harmless
	password      // the same, and its values need not look random
	cookie        // a header whose value goes to the end of the line
	authz         // a header with a scheme before the value
)

// A name is an identifier, or words of prose, that may name a credential.
type name struct {
	kind
	start, end int
}

// maxWords is how many of the last words of an identifier are looked at.
const maxWords = 12

// words are the spans of the last words of an identifier; before is the word of prose before it.
type words struct {
	at     [maxWords]Span
	n      int
	before Span
}

func (w *words) add(i, j int) {
	if i >= j {
		return
	}
	if w.n == maxWords {
		copy(w.at[:], w.at[1:])
		w.n--
	}
	w.at[w.n] = Span{i, j}
	w.n++
}

func isWordByte(c byte) bool { return isAlnum(c) || c == '_' }

// identifier returns the end of the identifier at i and splits it into words: at underscores, hyphens and humps.
func (x *scanner) identifier(i, z int, w *words) int {
	w.n = 0
	start := i
	for ; i < z; i++ {
		c := x.b[i]
		if c == '_' || c == '-' && i > start && i+1 < z && isAlnum(x.b[i+1]) && x.b[i-1] != '-' {
			w.add(start, i)
			start = i + 1
			continue
		}
		if !isAlnum(c) {
			break
		}
		if i > start && isUpper(c) && (!isUpper(x.b[i-1]) || i+1 < z && isLower(x.b[i+1])) {
			w.add(start, i)
			start = i
		}
	}
	w.add(start, i)
	return i
}

// text returns a word in lower case, without a number at its end.
func (x *scanner) text(s Span) string {
	for s.End > s.Start+1 && isDigit(x.low[s.End-1]) {
		s.End--
	}
	return string(x.low[s.Start:s.End])
}

// kindOf returns what the words of an identifier name, and how many words before it belong to the name: none or one.
func (x *scanner) kindOf(w *words) (kind, int) {
	last := w.n - 1
	for last > 0 && qualifier(x.text(w.at[last])) {
		last--
	}
	if last < 0 {
		return unnamed, 0
	}
	prev, borrowed := "", 0
	if last > 0 {
		prev = x.text(w.at[last-1])
	} else if w.before.End > w.before.Start {
		prev, borrowed = x.text(w.before), 1
	}
	noun := x.text(w.at[last])
	if k := nounKind(noun); k != unnamed {
		return k, 0
	}
	if k := pairKind(prev, noun); k != unnamed {
		return k, borrowed
	}
	for _, s := range w.at[:w.n] {
		if k := nounKind(x.text(s)); k != unnamed {
			return weak, 0
		}
	}
	return weakKind(noun), 0
}

// nounKind returns what a word names by itself.
func nounKind(w string) kind {
	if len(w) < 3 || len(w) > 40 {
		return unnamed
	}
	switch w {
	case "password", "passwords", "passwd", "passphrase", "passcode", "pwd", "passwort", "kennwort", "contrasena", "senha", "motdepasse",
		"mnemonic", "requirepass", "masterauth", "storepass", "keypass", "dbpass", "userpass", "rootpass", "sshpass", "smtppass", "ftppass", "pgpass":
		return password
	case "secret", "token", "apikey", "apikeys", "credential", "credentials", "creds", "cred", "phpsessid", "jsessionid", "sessdata", "connectionstring",
		"authkey", "appkey", "encryptionkey", "signingkey", "accountkey", "masterkey", "hostkey", "sshkey", "licensekey", "deploykey", "webhooksecret":
		return secret
	case "cookie":
		return cookie
	case "authorization":
		return authz
	}
	switch w[len(w)-1] {
	case 'd':
		if ends(w, "password") || ends(w, "passwd") || ends(w, "pwd") {
			return password
		}
	case 'e':
		if ends(w, "passphrase") || ends(w, "passcode") {
			return password
		}
	case 't', 'n':
		if ends(w, "secret") || ends(w, "token") {
			return secret
		}
	case 'y':
		if ends(w, "apikey") || ends(w, "secretkey") || ends(w, "accesskey") || ends(w, "privatekey") {
			return secret
		}
	}
	return unnamed
}

func ends(w, suffix string) bool {
	return len(w) >= len(suffix) && w[len(w)-len(suffix):] == suffix
}

// pairKind returns what two words name together.
func pairKind(prev, noun string) kind {
	switch noun {
	case "key", "keys":
		switch prev {
		case "api", "access", "secret", "private", "priv", "signing", "sign", "encryption", "encrypt", "enc", "auth", "authentication", "authorization",
			"master", "account", "license", "licence", "subscription", "service", "role", "anon", "deploy", "ssh", "rsa", "aes", "hmac", "jwt", "session",
			"shared", "storage", "app", "application", "client", "consumer", "integration", "webhook", "security", "recovery", "cipher", "crypto",
			"wallet", "openai", "anthropic", "gemini", "deepseek", "dashscope", "openrouter", "stripe", "sendgrid", "twilio", "token", "bot", "write":
			return secret
		}
	case "pass", "pw", "psw", "passw":
		switch prev {
		case "db", "database", "user", "smtp", "mail", "email", "root", "admin", "redis", "mysql", "pg", "postgres", "mongo", "ftp", "sftp", "ssh", "http",
			"proxy", "login", "auth", "key", "ssl", "keystore", "store", "ldap", "imap", "rabbitmq", "mqtt", "wifi", "basic", "my", "app", "account", "vpn", "sudo":
			return password
		}
	case "phrase", "words":
		switch prev {
		case "seed", "recovery", "backup", "secret", "mnemonic", "pass":
			return password
		}
	case "code", "codes":
		switch prev {
		case "recovery", "backup":
			return secret
		}
	case "word":
		if prev == "pass" {
			return password
		}
	case "id", "sid":
		if prev == "sess" || prev == "session" {
			return weak
		}
	}
	return unnamed
}

// weakKind returns weak for words that name secrets among other things.
func weakKind(w string) kind {
	switch w {
	case "key", "keys", "auth", "api", "access", "sid", "sig", "signature", "jwt", "pat", "session", "csrf", "xsrf", "otp", "totp", "dsn", "webhook",
		"hook", "pass", "pw", "secrets", "tokens", "cookies", "salt", "seed", "nonce", "license", "bearer", "pin", "auths", "ticket", "login":
		return weak
	}
	return unnamed
}

// qualifier reports whether a word after the noun leaves the meaning of a name as it is: SECRET_KEY_BASE, TOKEN_PROD.
func qualifier(w string) bool {
	switch w {
	case "value", "val", "raw", "b", "base", "str", "string", "text", "plain", "plaintext", "cleartext", "prod", "production", "dev", "development",
		"test", "staging", "stage", "live", "sandbox", "local", "old", "new", "default", "current", "next", "primary", "secondary", "main", "v",
		"encrypted", "hash", "hashed", "header", "confirmation", "confirm", "again", "1", "2", "3":
		return true
	}
	return false
}

// A foreign name is one that is not in ASCII, folded as the text is.
type foreign struct {
	text string
	kind kind
}

// foreignNames lists them by two bytes of their first rune, so that text in another script costs one look a rune.
var foreignNames = func() (table [1 << 12][]foreign) {
	for k, names := range map[kind][]string{
		password: {"密码", "密碼", "口令", "パスワード", "비밀번호", "암호", "пароль", "пароля"},
		secret:   {"密钥", "密鑰", "秘钥", "私钥", "私鑰", "令牌", "凭证", "凭据", "憑證", "金鑰", "權杖", "授权码", "シークレット", "トークン", "토큰"},
	} {
		for _, name := range names {
			f := fold(name)
			i := foreignIndex(f.low)
			table[i] = append(table[i], foreign{string(f.low), k})
		}
	}
	return table
}()

func foreignIndex(b []byte) int { return int(b[1]&63)<<6 | int(b[2]&63) }

// foreignName returns the name in another script that begins at i, and its end.
func (x *scanner) foreignName(i, z int) (kind, int) {
	if i+3 > z {
		return unnamed, 0
	}
	for _, f := range foreignNames[foreignIndex(x.low[i:])] {
		if j := i + len(f.text); j <= z && string(x.low[i:j]) == f.text {
			return f.kind, j
		}
	}
	return unnamed, 0
}

package redact

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
)

// A secretShape makes secrets of one shape. They are made at test time, from parts, so that no file of the project
// holds anything that looks like one.
type secretShape struct {
	name string
	make func(r *rand.Rand) (secret, carrier string) // the carrier holds the secret and what must stand beside it
}

const (
	hexDigits = "0123456789abcdef"
	lowers    = "abcdefghijklmnopqrstuvwxyz"
	uppers    = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits    = "0123456789"
	base36    = lowers + digits
	base62    = lowers + uppers + digits
	base64url = base62 + "-_"
	printable = base62 + "!#$%^*()-_=+?.:@"
)

// pick returns n characters of an alphabet.
func pick(r *rand.Rand, n int, alphabet string) string {
	var b strings.Builder
	for range n {
		b.WriteByte(alphabet[r.IntN(len(alphabet))])
	}
	return b.String()
}

// picked returns n characters with at least one small letter, one capital and one digit among the first.
func picked(r *rand.Rand, n int, alphabet string) string {
	return pick(r, 1, lowers) + pick(r, 1, digits) + pick(r, 1, uppers) + pick(r, n-3, alphabet)
}

func uuid(r *rand.Rand) string {
	return fmt.Sprintf("%s-%s-4%s-a%s-%s", pick(r, 8, hexDigits), pick(r, 4, hexDigits), pick(r, 3, hexDigits), pick(r, 3, hexDigits), pick(r, 12, hexDigits))
}

func b64(r *rand.Rand, n int) string {
	raw := make([]byte, n)
	for i := range raw {
		raw[i] = byte(r.Uint32())
	}
	return base64.StdEncoding.EncodeToString(raw)
}

func phraseOf(r *rand.Rand, n int) string {
	list := strings.Fields("correct horse battery staple orange window copper meadow violin harbor pencil lantern marble thunder saddle walnut ribbon glacier velvet anchor")
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return strings.Join(list[:n], " ")
}

// pem returns a key block whose lines end in eol.
func pem(r *rand.Rand, label, eol string, lines int) (body, block string) {
	var b strings.Builder
	for range lines {
		b.WriteString(b64(r, 48) + eol)
	}
	b.WriteString(b64(r, 20) + eol)
	dashes := strings.Repeat("-", 5)
	return b.String(), dashes + "BEGIN " + label + dashes + eol + b.String() + dashes + "END " + label + dashes
}

// bare makes a shape of a prefix and what follows it.
func bare(prefix string, n int, alphabet string) func(*rand.Rand) (string, string) {
	return func(r *rand.Rand) (string, string) {
		s := prefix + picked(r, n, alphabet)
		return s, s
	}
}

// within makes a shape of a value in a form of its own, with %s for the value.
func within(form string, value func(*rand.Rand) string) func(*rand.Rand) (string, string) {
	return func(r *rand.Rand) (string, string) {
		s := value(r)
		return s, strings.ReplaceAll(form, "%s", s)
	}
}

func chars(n int, alphabet string) func(*rand.Rand) string {
	return func(r *rand.Rand) string { return picked(r, n, alphabet) }
}

func hexes(n int) func(*rand.Rand) string {
	return func(r *rand.Rand) string { return "4a" + pick(r, n-2, hexDigits) }
}

// shapes are the shapes of the leak suite.
var shapes = []secretShape{
	// By prefix, bare.
	{"openai", bare("s"+"k-", 48, base62)},
	{"openai project", bare("sk-"+"proj-", 120, base64url)},
	{"openai service account", bare("sk-"+"svcacct-", 80, base64url)},
	{"anthropic", bare("sk-"+"ant-api03-", 93, base64url)},
	{"openrouter", bare("sk-"+"or-v1-", 64, hexDigits)},
	{"deepseek", bare("sk"+"-", 32, base36)},
	{"alibaba dotted", func(r *rand.Rand) (string, string) {
		s := "sk-" + "sp-" + picked(r, 16, base62) + "." + picked(r, 20, base64url) + "." + picked(r, 12, base62)
		return s, s
	}},
	{"dashscope workspace", func(r *rand.Rand) (string, string) {
		s := "sk-" + "ws-" + picked(r, 8, base62) + "." + picked(r, 40, base64url)
		return s, s
	}},
	{"zhipu", func(r *rand.Rand) (string, string) {
		s := hexes(32)(r) + "." + picked(r, 16, base62)
		return s, s
	}},
	{"groq", bare("gs"+"k_", 52, base62)},
	{"perplexity", bare("pp"+"lx-", 48, base62)},
	{"nvidia", bare("nv"+"api-", 64, base64url)},
	{"xai", bare("x"+"ai-", 80, base62)},
	{"hugging face", bare("h"+"f_", 34, base62)},
	{"replicate", bare("r"+"8_", 37, base62)},
	{"tavily", bare("tv"+"ly-", 32, base62)},
	{"github classic", bare("gh"+"p_", 36, base62)},
	{"github oauth", bare("gh"+"o_", 36, base62)},
	{"github server", bare("gh"+"s_", 36, base62)},
	{"github fine-grained", bare("github"+"_pat_", 82, base62+"_")},
	{"gitlab", bare("gl"+"pat-", 20, base64url)},
	{"gitlab runner", bare("gl"+"rt-", 20, base64url)},
	{"slack bot", func(r *rand.Rand) (string, string) {
		s := "xo" + "xb-" + pick(r, 12, digits) + "-" + pick(r, 12, digits) + "-" + picked(r, 24, base62)
		return s, s
	}},
	{"slack app", func(r *rand.Rand) (string, string) {
		s := "xa" + "pp-1-A" + pick(r, 10, uppers+digits) + "-" + pick(r, 13, digits) + "-" + pick(r, 64, hexDigits)
		return s, s
	}},
	{"slack webhook", within("https://hooks.slack"+".com/services/%s", func(r *rand.Rand) string {
		return "T" + pick(r, 9, uppers+digits) + "/B" + pick(r, 9, uppers+digits) + "/" + picked(r, 24, base62)
	})},
	{"discord webhook", within("https://discord"+".com/api/webhooks/%s", func(r *rand.Rand) string {
		return pick(r, 18, digits) + "/" + picked(r, 68, base64url)
	})},
	{"google api", bare("AI"+"za", 35, base64url)},
	{"google oauth", bare("ya"+"29.", 100, base64url)},
	{"google client", bare("GOC"+"SPX-", 28, base64url)},
	{"aws id", func(r *rand.Rand) (string, string) {
		s := "AK" + "IA" + "2" + pick(r, 15, uppers+"234567")
		return s, s
	}},
	{"aws secret, bare", func(r *rand.Rand) (string, string) { s := picked(r, 40, base62+"+/"); return s, s }},
	{"azure storage", within("AccountName=demo;Account"+"Key=%s;EndpointSuffix=core.windows.net", func(r *rand.Rand) string { return b64(r, 64) })},
	{"azure client secret", func(r *rand.Rand) (string, string) {
		s := picked(r, 3, base62) + "8" + "Q~" + picked(r, 34, base62)
		return s, s
	}},
	{"azure sas", within("https://demo.blob.core.windows.net/c?sv=2024-05-04&s"+"ig=%s", func(r *rand.Rand) string { return picked(r, 43, base62) + "%3D" })},
	{"stripe", bare("sk"+"_live_", 24, base62)},
	{"stripe webhook", bare("wh"+"sec_", 32, base62)},
	{"npm", bare("np"+"m_", 36, base62)},
	{"pypi", bare("py"+"pi-AgEIcHlwaS5vcmc", 120, base64url)},
	{"rubygems", bare("ruby"+"gems_", 48, hexDigits)},
	{"docker", bare("dckr"+"_pat_", 27, base64url)},
	{"supabase", bare("sb"+"p_", 40, hexDigits)},
	{"supabase secret", bare("sb"+"_secret_", 31, base64url)},
	{"telegram", func(r *rand.Rand) (string, string) {
		s := "7" + pick(r, 9, digits) + ":" + "AA" + picked(r, 33, base64url)
		return s, s
	}},
	{"digitalocean", bare("do"+"p_v1_", 64, hexDigits)},
	{"vault", bare("hv"+"s.", 95, base64url)},
	{"sendgrid", func(r *rand.Rand) (string, string) {
		s := "S" + "G." + picked(r, 22, base64url) + "." + picked(r, 43, base64url)
		return s, s
	}},
	{"shopify", bare("shp"+"at_", 32, hexDigits)},
	{"notion", bare("nt"+"n_", 46, base62)},
	{"linear", bare("lin"+"_api_", 40, base62)},
	{"databricks", func(r *rand.Rand) (string, string) { s := "da" + "pi" + hexes(32)(r); return s, s }},
	{"tailscale", bare("ts"+"key-auth-", 40, base62)},
	{"age", func(r *rand.Rand) (string, string) {
		s := "AGE-SECRET-" + "KEY-1" + pick(r, 58, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L")
		return s, s
	}},
	{"jwt", func(r *rand.Rand) (string, string) {
		part := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
		s := part(`{"alg":"HS256","typ":"JWT"}`) + "." + part(`{"sub":"`+pick(r, 10, digits)+`","name":"`+pick(r, 8, lowers)+`"}`) + "." + picked(r, 43, base64url)
		return s, s
	}},
	{"discord bot", func(r *rand.Rand) (string, string) {
		s := "MT" + picked(r, 24, base62) + "." + picked(r, 6, base64url) + "." + picked(r, 38, base64url)
		return s, s
	}},
	{"hex 32, bare", func(r *rand.Rand) (string, string) { s := hexes(32)(r); return s, s }},
	{"hex 64, bare", func(r *rand.Rand) (string, string) { s := hexes(64)(r); return s, s }},
	{"base64 44, bare", func(r *rand.Rand) (string, string) { s := "a9Z" + b64(r, 32); return s, s }},
	{"bcrypt", func(r *rand.Rand) (string, string) {
		s := "$2" + "b$12$" + picked(r, 53, base62+"./")
		return s, s
	}},
	// By name.
	{"env assignment", within("OPENAI_API_"+"KEY=%s", chars(20, base62))},
	{"shell line", within("CLIENT_"+"SECRET=%s ./deploy.sh --prod", chars(24, base62))},
	{"password with signs", within("PASS"+"WORD=%s", chars(16, base62+"!#%^*?"))},
	{"yaml password", within("pass"+"word: %s", chars(12, base62))},
	{"json password", within(`"pass`+`word": "%s"`, func(r *rand.Rand) string { return strings.ReplaceAll(picked(r, 16, printable), ":", ".") })},
	{"pass phrase", within(`"pass`+`phrase": "%s"`, func(r *rand.Rand) string { return phraseOf(r, 5) })},
	{"mnemonic", within("mnemo"+"nic = \"%s\"", func(r *rand.Rand) string { return phraseOf(r, 12) })},
	{"toml token", within("to"+"ken = \"%s\"", chars(20, base36))},
	{"api key in prose", within("the API k"+"ey is %s", chars(24, base62))},
	{"password in prose", within("the pass"+"word is %s", chars(10, base62))},
	{"chinese password", within("密"+"码是 %s", chars(10, base62))},
	{"chinese key", within("密"+"钥：%s", chars(20, base62))},
	{"bearer header", within("Authori"+"zation: Bearer %s", chars(32, base62))},
	{"basic header", within("Authori"+"zation: Basic %s", func(r *rand.Rand) string {
		return base64.StdEncoding.EncodeToString([]byte(pick(r, 6, lowers) + ":" + pick(r, 12, base62)))
	})},
	{"api key header", within("-H 'X-Api-"+"Key: %s'", chars(24, base62))},
	{"cookie", within("Coo"+"kie: sid=%s", chars(32, base62))},
	{"set-cookie", within("Set-Coo"+"kie: session=%s; HttpOnly; Path=/", chars(32, base62))},
	{"curl user", within("curl -u"+" admin:%s https://example.org/api", chars(12, base62))},
	{"mysql option", within("mysql -u root -p"+"%s shop", chars(12, base62))},
	{"sshpass", within("sshpass -p"+" '%s' ssh example.org", chars(12, base62))},
	{"long option", within("app --to"+"ken %s --verbose", chars(16, base62))},
	{"gh secret", within("printf '%s' | gh secret"+" set DEPLOY", chars(16, base62))},
	{"dsn", within("postgres://"+"%s@db.example.org:5432/shop", func(r *rand.Rand) string { return pick(r, 8, lowers) + ":" + picked(r, 12, base62) })},
	{"dsn with signs", within("mysql://"+"%s@db.example.org/shop", func(r *rand.Rand) string { return "root:" + picked(r, 6, base62) + "@/" + picked(r, 6, base62) })},
	{"go mysql dsn", within("%s@tcp(127.0.0.1:3306)/shop", func(r *rand.Rand) string { return "root:" + picked(r, 12, base62) })},
	{"git remote", within("https://"+"%s@github.com/acme/app.git", func(r *rand.Rand) string { return "x-token:" + picked(r, 40, base62) })},
	{"ado string", within("Server=db;User Id=sa;Pass"+"word=%s;Encrypt=true", chars(14, base62+"$!"))},
	{"npmrc", within("//registry.npmjs.org/:_auth"+"Token=%s", uuid)},
	{"uuid key", within("api_"+"key: %s", uuid)},
	{"url query", within("https://example.org/v1?api_"+"key=%s&lang=zh", chars(24, base36))},
	{"wecom webhook", within("https://qyapi.weixin.qq.com/cgi-bin/webhook/send?k"+"ey=%s", uuid)},
	{"netrc", within("machine example.org login bob pass"+"word %s", chars(12, base62))},
	{"aws configure", within("aws configure set aws_secret_access_"+"key %s", chars(40, base62+"+/"))},
	{"go literal", within("redis.Options{Pass"+"word: \"%s\"}", chars(12, base62))},
	{"python default", within("os.environ.get(\"API_"+"KEY\", \"%s\")", chars(20, base62))},
	{"shell default", within("export TO"+"KEN=${TO"+"KEN:-%s}", chars(20, base62))},
	{"xml", within("<pass"+"word>%s</pass"+"word>", chars(12, base62))},
	{"sql", within("CREATE USER bob IDENTIFIED"+" BY '%s'", chars(12, base62))},
	{"kubernetes", within("kubectl create secret generic db --from-literal=pw=%s", chars(14, base62))},
	{"wireguard", within("Private"+"Key = %s", func(r *rand.Rand) string { return b64(r, 32) })},
	{"totp", within("otpauth://totp/demo?sec"+"ret=%s&issuer=demo", func(r *rand.Rand) string { return pick(r, 32, uppers+"234567") })},
}

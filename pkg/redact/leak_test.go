package redact

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// piece is how much of a secret may never survive, in bytes.
const piece = 8

// leaked returns the first piece of a secret that is in text.
func leaked(text, secret string) string {
	for i := 0; i+piece <= len(secret); i++ {
		if p := secret[i : i+piece]; strings.Contains(text, p) {
			return p
		}
	}
	return ""
}

// surroundings are where secrets are planted, with %s for the secret and what must stand beside it.
var surroundings = []struct{ name, form string }{
	{"alone", "%s"},
	{"prose", "Then use %s with the client and restart the service."},
	{"end of a sentence", "It answers once you have set %s."},
	{"end of a line", "Run it again with\n%s\nand look at the log.\n"},
	{"windows line", "first\r\n%s\r\nlast\r\n"},
	{"parentheses", "The value (%s) is read at the start."},
	{"code span", "Set `%s` in the shell, then run `task-runner`."},
	{"code fence", "```sh\n$ make build\n%s\n```\n"},
	{"json string", `{"model":"qwen-audio-3","note":"see %j","retries":3}`},
	{"escaped line ends", `{"text":"first\n%j\nlast"}`},
	{"yaml list", "steps:\n  - run: make\n  - note: %s\n"},
	{"shell comment", "# was %s\nmake test\n"},
	{"diff", "@@ -1,2 +1,2 @@\n-%s\n+removed\n"},
	{"log", "2026-01-02T03:04:05Z INFO request done %s status=200"},
	{"chinese", "然后把 %s 放到配置里，再重启服务。"},
	{"chinese, no space", "配置：%s。重启即可"},
	{"table", "| name | value |\n| --- | --- |\n| x | %s |\n"},
	{"quotation", "> %s\n"},
	{"terminal colours", "\x1b[32m%s\x1b[0m ok"},
}

// plant puts a carrier into a form; %j takes it as it is written in a JSON string.
func plant(form, carrier string) string {
	escaped := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(carrier)
	return strings.NewReplacer("%s", carrier, "%j", escaped).Replace(form)
}

// TestRule_I1_NoPieceSurvives is the leak suite.
func TestRule_I1_NoPieceSurvives(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const each = 6
	secrets, checks, leaks := 0, 0, map[string]int{}
	for _, shape := range shapes {
		for range each {
			secret, carrier := shape.make(r)
			secrets++
			for _, s := range surroundings {
				text := plant(s.form, carrier)
				got := Text(text)
				checks++
				if p := leaked(got.Text, secret); p != "" {
					if leaks[shape.name+" / "+s.name]++; leaks[shape.name+" / "+s.name] == 1 {
						t.Errorf("%s, %s: a piece survives\n\t%s\n\t%s", shape.name, s.name, text, got.Text)
					}
				}
			}
		}
	}
	if secrets < 300 || len(shapes) < 60 {
		t.Errorf("%d secrets of %d shapes are too few", secrets, len(shapes))
	}
	t.Logf("leak suite: %d secrets of %d shapes in %d surroundings, %d texts, %d with a piece of %d characters left", secrets, len(shapes), len(surroundings), checks, sum(leaks), piece)
}

func sum(m map[string]int) (n int) {
	for _, v := range m {
		n += v
	}
	return n
}

// TestRule_I1_KeyBlocks plants key blocks, whole and damaged.
func TestRule_I1_KeyBlocks(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, label := range []string{"RSA PRIVATE KEY", "PRIVATE KEY", "OPENSSH PRIVATE KEY", "EC PRIVATE KEY", "PGP PRIVATE KEY BLOCK", "PGP MESSAGE", "CERTIFICATE", "ENCRYPTED PRIVATE KEY"} {
		for _, eol := range []string{"\n", "\r\n", `\n`, `\\n`, `\r\n`, "\n    ", "\n+", "\\n\" +\n  \""} {
			body, block := pem(r, label, eol, 4)
			for name, text := range map[string]string{
				"whole":     "Before task-runner.\n" + block + "\nAfter disk-cache.\n",
				"json":      `{"private_key": "` + block + `", "model": "x"}`,
				"no end":    "Before.\n" + block[:strings.LastIndex(block, "-----END")] + "\n\nAfter disk-cache.\n",
				"no begin":  "Before task-runner.\n\n" + block[strings.Index(block, body):] + "\nAfter.\n",
				"cut begin": "Before task-runner.\n\n" + block[strings.Index(block, body)+20:] + "\nAfter.\n",
				"cut end":   "Before task-runner.\n" + block[:strings.LastIndex(block, "-----END")-len(eol)-9],
				"body":      "Before task-runner.\n\n" + body + "\nAfter disk-cache.\n",
			} {
				got := Text(text)
				for _, line := range strings.Split(body, eol) {
					if p := leaked(got.Text, line); p != "" && strings.Contains(text, p) {
						t.Errorf("%s, line end %q, %s: %q survives in\n%s", label, eol, name, p, got.Text)
						break
					}
				}
				for _, word := range []string{"task-runner", "disk-cache", "model"} {
					if strings.Contains(text, word) && !strings.Contains(got.Text, word) {
						t.Errorf("%s, line end %q, %s: %q is gone", label, eol, name, word)
					}
				}
			}
		}
	}
}

// TestTrial_R8 puts a key where a budget of 12,000 characters ends inside it, at 40 offsets. What is cut must be the
// redacted text.
func TestTrial_R8(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	const budget = 12_000
	for offset := range 40 {
		secret := "sk-" + "proj-" + picked(r, 64, base62)
		filler := strings.Repeat("words of prose ", budget/15+1)[:budget-offset-1]
		cut := []rune(Text(filler + " " + secret + " and more words").Text)
		cut = cut[:min(budget, len(cut))]
		if p := leaked(string(cut), secret); p != "" {
			t.Errorf("offset %d: %q survives", offset, p)
		}
	}
}

// TestRule_C4_CutSourcesKeepNothing cuts a text inside a secret before it is redacted, as the tail of a session file
// may be: what is left of a long secret is still one.
func TestRule_C4_CutSourcesKeepNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 200 {
		secret := picked(r, 64, base62)
		at := r.IntN(32)
		got := Text(secret[at:] + " and the rest.").Text
		if p := leaked(got, secret); p != "" {
			t.Errorf("cut at %d: %q survives of %s", at, p, secret[at:])
		}
	}
}

// TestRule_I1_MarkersAreFound checks what a caller relies on to keep terms apart from what was removed.
func TestRule_I1_MarkersAreFound(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	var b strings.Builder
	for _, shape := range shapes {
		_, carrier := shape.make(r)
		fmt.Fprintf(&b, "Use %s here.\n\n", carrier)
	}
	got := Text(b.String())
	if got.Count != len(got.Removed) || got.Count < len(shapes)/2 {
		t.Errorf("Count = %d with %d spans", got.Count, len(got.Removed))
	}
	end := 0
	for _, sp := range got.Removed {
		if sp.Start < end || got.Text[sp.Start:sp.End] != Marker {
			t.Errorf("%v is %q", sp, got.Text[sp.Start:sp.End])
		}
		end = sp.End
	}
	if n := strings.Count(got.Text, Marker); n != got.Count {
		t.Errorf("%d markers in the text, Count = %d", n, got.Count)
	}
}

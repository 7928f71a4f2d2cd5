// Package redact compares the redaction with the rules of a scanner that others keep, gitleaks. It is a module of
// its own, so that the scanner is no dependency of the product; run it with "go test ." in this directory. It takes
// a few seconds once the modules are there.
package redact

import (
	"math/rand/v2"
	"regexp/syntax"
	"sort"
	"strings"
	"testing"

	"github.com/zricethezav/gitleaks/v8/detect"

	"voice-input/pkg/redact"
)

const (
	perRule  = 40 // secrets for each rule of the scanner
	tries    = 400
	maxNamed = 30 // how many of a hundred a rule that needs the name of the issuer may have missed, and a sixth of it in all
	piece    = 8  // how much of a secret may never survive, in bytes
)

// exempt are the rules whose findings are no secrets by themselves, with the reason.
var exempt = map[string]string{
	"pkcs12-file":       "the rule is about the name of a file, not about text",
	"asana-client-id":   "a number, and public",
	"discord-client-id": "a number, and public",
	"sidekiq-secret":    "two numbers of eight digits, whose name is that of a host",
}

// TestRule_I1_ScannerFindsNothing makes secrets from the scanner's own rules, lets the scanner confirm each, and
// expects no piece of it to survive.
func TestRule_I1_ScannerFindsNothing(t *testing.T) {
	detector, err := detect.NewDetectorDefaultConfig()
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for id := range detector.Config.Rules {
		ids = append(ids, id)
	}
	sort.Strings(ids)
	r := rand.New(rand.NewPCG(1, 2))
	var rules, confirmed, leaks, confirmedNamed, leaksNamed int
	for _, id := range ids {
		rule := detector.Config.Rules[id]
		if exempt[id] != "" {
			continue
		}
		if rule.Regex == nil {
			t.Errorf("%s: no expression to make secrets from", id)
			continue
		}
		re, err := syntax.Parse(rule.Regex.String(), syntax.Perl)
		if err != nil {
			t.Fatalf("%s: %v", id, err)
		}
		// The scanner knows the values of some rules only by the name of the issuer beside them; here it is their
		// randomness that gives them away, and a few in a hundred look too much like words.
		named := strings.Contains(rule.Regex.String(), `[\w.-]{0,50}?`)
		found, left, example := 0, 0, ""
		for n := 0; n < tries && found < perRule; n++ {
			made := sample(r, re)
			if strings.HasPrefix(id, "curl-") { // a command on many lines has backslashes, for which the rule does not ask
				made = strings.NewReplacer("\n", " ", "\r", " ").Replace(made)
			}
			text := "Then run\n" + made + "\nand look.\n"
			secrets := map[string]bool{}
			for _, f := range detector.DetectString(text) {
				if f.RuleID == id {
					secret := strings.TrimPrefix(f.Secret, "_gitlab_session=")
					if id == "private-key" { // the fence that closes it is no secret
						secret = secret[:strings.LastIndex(strings.ToUpper(secret), "KEY")]
					}
					secrets[secret] = true
				}
			}
			if len(secrets) == 0 {
				continue
			}
			found++
			got := redact.Text(text).Text
			for secret := range secrets {
				if p := survivor(got, secret); p != "" {
					left++
					example = p + " in " + strings.TrimSpace(got) + " of " + strings.TrimSpace(text)
					break
				}
			}
		}
		if found == 0 {
			t.Logf("%s: no sample was confirmed", id)
			continue
		}
		rules++
		if named {
			confirmedNamed, leaksNamed = confirmedNamed+found, leaksNamed+left
		} else {
			confirmed, leaks = confirmed+found, leaks+left
		}
		if left > 0 && (!named || left*100 > maxNamed*found) {
			t.Errorf("%s: %d of %d leak: %s", id, left, found, example)
		}
	}
	if rules < len(ids)*9/10 {
		t.Errorf("only %d of the scanner's %d rules were tried", rules, len(ids))
	}
	if leaksNamed*100 > maxNamed/6*confirmedNamed {
		t.Errorf("%d of %d secrets that the scanner knows by the issuer's name leak", leaksNamed, confirmedNamed)
	}
	t.Logf("oracle: %d of the scanner's %d rules tried", rules, len(ids))
	t.Logf("oracle: by shape: %d secrets, %d with a piece of %d characters left", confirmed, leaks, piece)
	t.Logf("oracle: by the issuer's name and randomness: %d secrets, %d with a piece left", confirmedNamed, leaksNamed)
}

// survivor returns the first piece of a secret that is in text.
func survivor(text, secret string) string {
	for i := 0; i+piece <= len(secret); i++ {
		if strings.Contains(text, secret[i:i+piece]) {
			return secret[i : i+piece]
		}
	}
	return ""
}

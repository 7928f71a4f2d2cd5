package provider

import (
	"net/http"
	"strings"
)

// Kind is what an answer that is no success means for a take.
type Kind string

// The kinds.
const (
	Authentication Kind = "authentication" // the key is not known here
	Permission     Kind = "permission"     // the key may not do this
	Billing        Kind = "billing"        // the account has no credit
	Configuration  Kind = "configuration"  // a model or a parameter that the service does not take
	Busy           Kind = "busy"           // too many requests
	Idle           Kind = "idle"           // a task that got no samples for too long
	Empty          Kind = "empty"          // there are no words in the samples, which is no failure
	Audio          Kind = "audio"          // samples that are too many, or of the wrong kind
	Blocked        Kind = "blocked"        // the content is refused
	Service        Kind = "service"        // a fault of the service
)

// Refusal is a classified answer. It is comparable.
type Refusal struct {
	Kind Kind
	// Code is the service's own, or one that is made of the HTTP status; see
	// Code. It is "" if the service gave none that can be shown.
	Code string
	// Retry says that the same request may succeed a moment later.
	Retry bool
}

// maxCode bounds a code in bytes; the longest that is documented has 34.
const maxCode = 64

// Code returns s if it looks like an error code, 1 to 64 of [A-Za-z0-9._-],
// else "". It is not mended: what does not look like a code may be a text.
func Code(s string) string {
	if len(s) > maxCode {
		return ""
	}
	for _, r := range s {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '_', r == '-':
		default:
			return ""
		}
	}
	return s
}

// Classify says what an answer means: its HTTP status, 0 for a message on a
// connection that stands, and the code and the message in it. The status
// counts where the code is not known.
func Classify(status int, code, message string) Refusal {
	r := Refusal{Kind: kind(status, code, message), Code: Code(code)}
	if r.Code == "" && status != 0 {
		r.Code = statusCode(status)
	}
	r.Retry = r.Kind == Idle || r.Kind == Service && status != http.StatusNotImplemented
	return r
}

func kind(status int, code, message string) Kind {
	c := fold(code)
	// The codes that say that there are no words come in either place.
	for _, s := range []string{c, fold(message)} {
		switch s {
		case "asrresponsehavenowords", "successwithnovalidfragment", "novalidaudioerror", "audiotooshort":
			return Empty
		}
	}
	if c == "clienterror" && strings.Contains(strings.ToLower(message), "request timeout after") {
		return Idle
	}
	for _, known := range codes {
		if c == known.code || known.prefix && strings.HasPrefix(c, known.code) {
			return known.kind
		}
	}
	switch {
	case status == http.StatusUnauthorized:
		return Authentication
	case status == http.StatusPaymentRequired:
		return Billing
	case status == http.StatusForbidden:
		return Permission
	case status == http.StatusTooManyRequests:
		return Busy
	case status == http.StatusRequestEntityTooLarge, status == http.StatusUnsupportedMediaType:
		return Audio
	case status == http.StatusRequestTimeout, status == 0, status >= 500:
		return Service
	}
	return Configuration
}

// codes are those of DashScope and of services that speak OpenAI's language,
// folded. The first that fits counts, so what is longer stands first.
var codes = []struct {
	code   string
	prefix bool
	kind   Kind
}{
	{"invalidapikey", false, Authentication},
	{"apikeyinvalid", false, Authentication},
	{"invalidauthentication", true, Authentication},
	{"authenticationerror", false, Authentication},
	{"unauthorized", false, Authentication},
	{"incorrectapikey", true, Authentication},

	{"arrearage", false, Billing},
	{"allocationquotafreetieronly", false, Billing},
	{"billing", true, Billing},
	{"insufficientbalance", false, Billing},

	{"accessdenied", true, Permission},
	{"workspaceaccessdenied", false, Permission},
	{"modelaccessdenied", false, Permission},
	{"permissiondenied", true, Permission},
	{"permissionerror", false, Permission},
	{"forbidden", true, Permission},

	{"throttling", true, Busy},
	{"ratelimit", true, Busy},
	{"requestratelimit", true, Busy},
	{"toomanyrequests", false, Busy},
	{"insufficientquota", false, Busy},
	{"quotaexceeded", false, Busy},
	{"limitrequests", false, Busy},

	{"audiodurationtoolong", false, Audio},
	{"badrequesttoolarge", false, Audio},
	{"requesttoolarge", false, Audio},
	{"payloadtoolarge", false, Audio},
	{"decodeerror", true, Audio},
	{"unsupportedformat", true, Audio},

	{"datainspection", true, Blocked},
	{"contentpolicyviolation", false, Blocked},
	{"contentfilter", true, Blocked},

	{"modelnotfound", true, Configuration},
	{"modelnotexist", true, Configuration},
	{"modelunavailable", false, Service},
	{"invalidparameter", true, Configuration},
	{"invalidrequest", true, Configuration},
	{"invalidurl", true, Configuration},
	{"badrequest", true, Configuration},
	{"notfound", false, Configuration},
	{"clienterror", false, Configuration},

	{"responsetimeout", false, Service},
	{"requesttimeout", false, Service},
	{"servererror", false, Service},
	{"modelerror", false, Service},
	{"modelservingerror", false, Service},
	{"modelservicefailed", false, Service},
	{"internal", true, Service},
	{"systemerror", false, Service},
	{"serviceunavailable", true, Service},
	{"overloaded", true, Service},
}

// fold makes the spellings of one code equal: InvalidApiKey, invalid_api_key.
func fold(s string) string {
	if len(s) > 2*maxCode {
		return ""
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r == '_', r == '-', r == '.', r == ' ':
			return -1
		}
		return r
	}, s)
}

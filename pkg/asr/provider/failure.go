package provider

import (
	"fmt"

	"voice-input/pkg/asr/engine"
	"voice-input/pkg/cli"
)

func statusCode(status int) string { return fmt.Sprintf("http_%d", status) }

// Failure makes the failure of a refusal that is not Empty. Region is where
// the service stands, "" if it has no regions.
func (r Refusal) Failure(region string) *engine.Failure {
	m, known := meanings[r.Kind]
	if !known {
		m = meanings[Service]
	}
	f := &engine.Failure{Kind: m.kind, Code: r.Code, Hint: m.hint}
	if f.Code == "" {
		f.Code = string(r.Kind)
	}
	says := m.says
	if r.Code != "" {
		says += " (" + r.Code + ")"
	}
	f.Err = cli.Errorf(m.status, "%s", says)
	if r.Kind == Authentication {
		f.Hint = KeyHint(region)
	}
	return f
}

// KeyHint is what to do about a key that a service does not know. The keys of
// DashScope belong to one region and are unknown in the other.
func KeyHint(region string) string {
	other := ""
	switch region {
	case "beijing":
		other = "singapore"
	case "singapore":
		other = "beijing"
	default:
		return "look whether the key belongs to this service"
	}
	return fmt.Sprintf("keys belong to one region; if yours was made in %s, set region = %q in the service's section of the configuration", other, other)
}

var meanings = map[Kind]struct {
	kind   string
	status cli.Status
	says   string
	hint   string
}{
	Authentication: {engine.Auth, cli.StatusNoPerm, "the service does not accept the key", ""},
	Permission:     {engine.Auth, cli.StatusNoPerm, "the key may not use this service or model", "look at what the provider allows for this key and workspace"},
	Billing:        {engine.Auth, cli.StatusNoPerm, "the account at the provider has no credit", "look at the account's balance at the provider"},
	Configuration:  {engine.Unavailable, cli.StatusConfig, "the service does not take the request", "look at model, url and region in the service's section of the configuration"},
	Busy:           {engine.Busy, cli.StatusTempFail, "the service takes no more requests now", "the provider limits how many requests an account may make"},
	Idle:           {engine.Timeout, cli.StatusTempFail, "the service got no samples for too long", ""},
	Empty:          {engine.Protocol, cli.StatusProtocol, "the service heard no words", ""},
	Audio:          {engine.Audio, cli.StatusData, "the service cannot use the recording", ""},
	Blocked:        {"blocked", cli.StatusUnavailable, "the service refuses the content of the recording", ""},
	Service:        {engine.Unavailable, cli.StatusTempFail, "the service failed", ""},
}

package refine

import (
	"context"
	"errors"
	"net/url"

	"voice-input/pkg/cli"
	"voice-input/pkg/config"
	"voice-input/pkg/internal/address"
	"voice-input/pkg/internal/apikey"
	"voice-input/pkg/refine/chat"
)

// providerKeys are the variables that hold a provider's key. They are looked
// at for hosts of that provider alone, so that no key goes elsewhere.
var providerKeys = []struct{ domain, variable string }{
	{"openrouter.ai", "OPENROUTER_API_KEY"},
	{"api.openai.com", "OPENAI_API_KEY"},
	{"aliyuncs.com", "DASHSCOPE_API_KEY"},
	{"api.groq.com", "GROQ_API_KEY"},
}

// ownKey is the variable for whatever service is named.
const ownKey = "VOICE_INPUT_LLM_API_KEY"

// keySource says where the key for a host may lie.
func keySource(c config.LLM, host string) apikey.Source {
	s := apikey.Source{Credential: "llm", File: c.APIKeyFile, Command: c.APIKeyCommand, Environ: []string{ownKey}}
	for _, p := range providerKeys {
		if chat.Within(host, p.domain) {
			s.Environ = append(s.Environ, p.variable)
		}
	}
	return s
}

// openAI returns the function that finds the model at base, once. A service
// on this machine needs no key and may have no name for its model.
func openAI(base *url.URL, c config.LLM, getenv func(string) string) func(context.Context) (asker, error) {
	var client *chat.Client
	return func(ctx context.Context) (asker, error) {
		if client != nil {
			return client, nil
		}
		local := address.Loopback(base.Hostname())
		if c.Model == "" && !local {
			return nil, &setback{reason: noModel, err: cli.Errorf(cli.StatusConfig, "no model is named").WithHint("name one with --model or [llm].model")}
		}
		key, err := keySource(c, base.Host).Find(ctx, getenv)
		if err != nil && !(local && errors.Is(err, apikey.ErrNone)) {
			return nil, &setback{reason: chat.Auth, err: err}
		}
		client = chat.New(base, c.Model, key, chat.Wishes{Reasoning: c.Reasoning, ProviderSort: c.ProviderSort})
		return client, nil
	}
}

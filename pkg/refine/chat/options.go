package chat

import (
	"regexp"
	"strings"
)

// Options are the members of a request that not every service knows.
type Options struct {
	Temperature     *float64   `json:"temperature,omitempty"`
	ReasoningEffort string     `json:"reasoning_effort,omitempty"`
	Reasoning       *reasoning `json:"reasoning,omitempty"`
	EnableThinking  *bool      `json:"enable_thinking,omitempty"`
	Template        *template  `json:"chat_template_kwargs,omitempty"`
	Thinking        *thinking  `json:"thinking,omitempty"`
	Provider        *provider  `json:"provider,omitempty"`
	Stream          bool       `json:"stream"`
}

type (
	reasoning struct {
		Effort string `json:"effort"`
	}
	template struct {
		EnableThinking bool `json:"enable_thinking"`
	}
	thinking struct {
		Type string `json:"type"` // enabled, disabled
	}
	provider struct {
		Sort string `json:"sort"`
	}
)

// Wishes are what the user wants of the service.
type Wishes struct {
	Reasoning    string // none, low, medium, high; empty is as little as possible
	ProviderSort string // price, throughput, latency; OpenRouter only
}

// A family is a group of models that are asked in the same way.
type family struct {
	name *regexp.Regexp
	// least is the least effort that the models know. A toggle reasons or does
	// not, without degrees. A family without either has no choice.
	least  string
	toggle bool
	// fixed models refuse a temperature.
	fixed bool
}

// families, the first that fits counts. The names are those after the
// publisher's, in lower case. The efforts are what the publishers' references
// list; what a service refuses all the same is left out the second time.
var families = []family{
	{name: regexp.MustCompile(`^gpt-5[\d.]*-chat`)},
	{name: regexp.MustCompile(`^(gpt-5[\d.]*-pro|o\d-pro)`), fixed: true},
	{name: regexp.MustCompile(`^gpt-5\.\d`), least: "none", fixed: true},
	{name: regexp.MustCompile(`^gpt-5`), least: "minimal", fixed: true},
	{name: regexp.MustCompile(`^o[134]\b`), least: "low", fixed: true},
	{name: regexp.MustCompile(`^gpt-oss`), least: "low"},
	{name: regexp.MustCompile(`^gemini-2\.5-flash`), least: "none"},
	{name: regexp.MustCompile(`^gemini-(2\.5|[3-9])`), least: "low"},
	{name: regexp.MustCompile(`^qwen.*(instruct|thinking|coder|vl)`)},
	{name: regexp.MustCompile(`^(qwen3|qwen-(plus|flash|turbo))`), toggle: true},
	{name: regexp.MustCompile(`^(glm-(4\.[5-9]|[5-9])|deepseek-v([4-9]|3\.[1-9])|kimi-k2\.\d|doubao-seed)`), toggle: true},
}

func familyOf(model string) family {
	name := strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	for _, f := range families {
		if f.name.MatchString(name) {
			return f
		}
	}
	return family{}
}

// OptionsFor returns what goes into a request for a model at a service, which
// is named by its host and port.
func OptionsFor(host, model string, w Wishes) Options {
	o := Options{Stream: true}
	f := familyOf(model)
	if !f.fixed {
		o.Temperature = new(float64)
	}
	s := serviceAt(host)
	if s == openRouter && w.ProviderSort != "" {
		o.Provider = &provider{w.ProviderSort}
	}
	switch e := f.effort(s, w.Reasoning); {
	case e == "":
	case s == openRouter:
		o.Reasoning = &reasoning{e}
	case f.toggle && s == dashScope:
		o.EnableThinking = new(e != "none")
	case f.toggle && s == switched:
		o.Thinking = &thinking{map[bool]string{true: "enabled", false: "disabled"}[e != "none"]}
	case f.toggle && s == groq:
		o.ReasoningEffort = map[bool]string{true: "default", false: "none"}[e != "none"]
	case f.toggle && s == other:
		o.Template = &template{e != "none"}
	default:
		o.ReasoningEffort = e
	}
	return o
}

// effort returns how much a model of the family should reason, or "" if that
// is not said.
func (f family) effort(s service, wish string) string {
	switch {
	case wish != "" && wish != "none", wish == "none" && f.name == nil:
		return wish
	case f.toggle:
		return "none"
	case f.least != "":
		return f.least
	case s == ollama && f.name == nil:
		// Ollama knows which of its models reason, and does not mind.
		return "none"
	}
	return ""
}

// A service is a group of hosts that take the same options.
type service int

const (
	other service = iota // such as llama.cpp and vLLM
	openRouter
	dashScope
	groq
	ollama
	switched // reasoning is switched by "thinking"
)

var hosts = []struct {
	domain string
	is     service
}{
	{"openrouter.ai", openRouter},
	{"aliyuncs.com", dashScope},
	{"groq.com", groq},
	{"ollama.com", ollama},
	{"bigmodel.cn", switched},
	{"z.ai", switched},
	{"deepseek.com", switched},
	{"moonshot.cn", switched},
	{"moonshot.ai", switched},
	{"volces.com", switched},
}

// ollamaPort is where Ollama listens unless it is told otherwise.
const ollamaPort = ":11434"

func serviceAt(host string) service {
	host = strings.ToLower(host)
	if strings.HasSuffix(host, ollamaPort) {
		return ollama
	}
	for _, h := range hosts {
		if Within(host, h.domain) {
			return h.is
		}
	}
	return other
}

// Within tells whether a host, with a port or without, is a domain or lies in
// it.
func Within(host, domain string) bool {
	host, _, _ = strings.Cut(strings.ToLower(host), ":")
	return host == domain || strings.HasSuffix(host, "."+domain)
}

// Names of options as services complain about them. Each stands for all
// members that hold it.
var optionNames = []string{"temperature", "reasoning", "thinking", "chat_template", "stream"}

// namedOptions returns the options that a complaint, in lower case, names.
func namedOptions(said string) []string {
	var out []string
	for _, name := range optionNames {
		if strings.Contains(said, name) {
			out = append(out, name)
		}
	}
	return out
}

// without returns the options less those that are named, and whether that
// makes a difference.
func (o Options) without(named []string) (Options, bool) {
	before := o
	for _, name := range named {
		switch name {
		case "temperature":
			o.Temperature = nil
		case "reasoning":
			o.ReasoningEffort, o.Reasoning = "", nil
		case "thinking":
			o.EnableThinking, o.Thinking, o.Template = nil, nil, nil
		case "chat_template":
			o.Template = nil
		case "stream":
			o.Stream = false
		}
	}
	return o, o != before
}

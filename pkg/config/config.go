// Package config reads the configuration file of voice-input.
//
// Every key stands once, as a field below, with its default in Default, its
// limits and its meaning in its tags. Reading, checking, showing and the
// manual's list all follow from there. An unknown key, a wrong kind and a
// value out of range are errors, all reported at once; a wrong file is never
// replaced by defaults.
package config

// Config is the whole configuration. Tags: toml is the key, doc its meaning
// for the manual, min and max bound an integer, oneof lists the words a
// string may be, form names what it has to look like. A map is a section for
// each of many things, which the user names.
type Config struct {
	Audio      Audio      `toml:"audio"`
	ASR        ASR        `toml:"asr"`
	LLM        LLM        `toml:"llm"`
	Vocabulary Vocabulary `toml:"vocabulary"`
	Focus      Focus      `toml:"focus"`
	Deliver    Deliver    `toml:"deliver"`
	Stages     Stages     `toml:"stages"`
}

// Audio says what is recorded.
type Audio struct {
	Source        string `toml:"source" doc:"name of the source to record; empty is the sound server's default"`
	MaxDurationMS int    `toml:"max_duration_ms" min:"1000" max:"3600000" doc:"longest take in milliseconds; it is stopped then and recognised"`
	StallMS       int    `toml:"stall_ms" min:"500" max:"60000" doc:"a recording ends when no samples come for so many milliseconds"`
}

// ASR says who recognises.
type ASR struct {
	Engine   string `toml:"engine" doc:"engine program; local is the best one present"`
	Model    string `toml:"model" doc:"name or path of the engine's model; empty is the engine's own choice"`
	Language string `toml:"language" doc:"language tag such as en or zh; empty lets the engine decide"`
}

// LLM says what is done with the words by a model, and with the context that
// makes it spell them right.
type LLM struct {
	AgentContextEnabled  bool `toml:"agent_context_enabled" doc:"look, when a take begins, at the newest answer of the coding agent in the focused window; nothing of it leaves the machine"`
	AgentContextMaxChars int  `toml:"agent_context_max_chars" min:"500" max:"12000" doc:"how much of the answer, in characters, is looked at for terms"`
}

// Focus says what the windows are.
type Focus struct {
	Messaging []string `toml:"messaging" doc:"window classes of more messaging clients, where text is written as a message"`
}

// Vocabulary says which lists of words count besides the user's own.
type Vocabulary struct {
	Project bool `toml:"project" doc:"use the vocabulary that the focused agent's project carries; it can replace what you say, so only for projects that you trust"`
}

// Deliver says where the text goes.
type Deliver struct {
	To                 string           `toml:"to" oneof:"auto kitty tmux hyprland wayland x11 type clipboard command stdout" doc:"where vi-type puts the text; auto is the best way to the target"`
	Command            []string         `toml:"command" doc:"command that takes the text on standard input, where the text goes to command"`
	ClipboardIfChanged bool             `toml:"clipboard_if_changed" doc:"leave the text on the clipboard when the target is gone or another window has the focus"`
	Class              map[string]Class `toml:"class"`
}

// Class is what differs for the windows of one class.
type Class struct {
	To     string `toml:"to" oneof:"auto kitty tmux hyprland wayland x11 type clipboard command stdout" doc:"where the text goes where [deliver] leaves it at auto; empty is auto"`
	Paste  string `toml:"paste" form:"chord" doc:"key that pastes, such as ctrl+shift+v; empty is the usual one"`
	Submit bool   `toml:"submit" doc:"press Enter behind the text"`
}

// Stages replaces programs of the pipeline by the user's own.
type Stages struct {
	Capture []string `toml:"capture" doc:"command instead of vi-capture"`
	ASR     []string `toml:"asr" doc:"command instead of vi-asr; it is started for each take and reads samples on standard input"`
	Refine  []string `toml:"refine" doc:"command instead of vi-refine"`
	Type    []string `toml:"type" doc:"command instead of vi-type"`
	Focus   []string `toml:"focus" doc:"command instead of vi-focus"`
	Session []string `toml:"session" doc:"command instead of vi-session"`
	Terms   []string `toml:"terms" doc:"command instead of vi-terms; it stays and answers each vi.session/1 record with one vi.terms/1 record"`
}

// Default returns the configuration without a file. 300 s is more than people
// dictate in one go and less than 10 MiB of samples. 5 s of patience covers
// the 2.9 s that an idle null sink was measured to take to its first sample.
func Default() Config {
	return Config{
		Audio:   Audio{MaxDurationMS: 300_000, StallMS: 5_000},
		ASR:     ASR{Engine: "local"},
		LLM:     LLM{AgentContextMaxChars: 6_000},
		Deliver: Deliver{To: "auto"},
	}
}

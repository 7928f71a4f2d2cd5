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
// each of many things, which the user names; its element's own defaults come
// from its method Defaults, if it has one.
type Config struct {
	Audio      Audio      `toml:"audio"`
	ASR        ASR        `toml:"asr"`
	LLM        LLM        `toml:"llm"`
	Vocabulary Vocabulary `toml:"vocabulary"`
	Focus      Focus      `toml:"focus"`
	Deliver    Deliver    `toml:"deliver"`
	History    History    `toml:"history"`
	Feedback   Feedback   `toml:"feedback"`
	Hotkey     Hotkey     `toml:"hotkey"`
	Stages     Stages     `toml:"stages"`
}

// Audio says what is recorded.
type Audio struct {
	Source        string `toml:"source" doc:"name of the source to record; empty is the sound server's default"`
	MaxDurationMS int    `toml:"max_duration_ms" min:"1000" max:"3600000" doc:"longest take in milliseconds; it is stopped then and recognised"`
	PreRollMS     int    `toml:"pre_roll_ms" min:"0" max:"10000" doc:"how much of what was said before the start belongs to a take, in milliseconds; the microphone is then open all the time"`
	StallMS       int    `toml:"stall_ms" min:"500" max:"60000" doc:"a recording ends when no samples come for so many milliseconds"`
}

// ASR says who recognises.
type ASR struct {
	Engine   string `toml:"engine" doc:"service or engine program; local is the best program present"`
	Model    string `toml:"model" doc:"name or path of the engine program's model; empty is the program's own choice"`
	Language string `toml:"language" doc:"language tag such as en or zh; empty lets the engine decide"`
	// Fallback are engines that get the whole take when the one before failed.
	Fallback []string           `toml:"fallback" doc:"engines that recognise the whole take, one after the other, when the one before them failed"`
	Service  map[string]Service `toml:"service"`
}

// Service is a recogniser on the network. Its name in the file is the name of
// the engine.
type Service struct {
	Protocol  string `toml:"protocol" oneof:"qwen-audio3 qwen3-realtime openai whisper-server" doc:"what the service speaks; empty is the section's own name"`
	Region    string `toml:"region" oneof:"beijing singapore" doc:"where the provider's service stands; keys belong to one region"`
	Workspace string `toml:"workspace" doc:"id of the provider's workspace, which has a host of its own"`
	URL       string `toml:"url" form:"url" doc:"address of another service; empty is the provider's own"`
	Model     string `toml:"model" doc:"name of the model; empty is the protocol's usual one"`

	APIKeyFile    string   `toml:"api_key_file" doc:"file with the key, which nobody else may read"`
	APIKeyCommand []string `toml:"api_key_command" doc:"command that prints the key"`

	ConnectTimeoutMS  int `toml:"connect_timeout_ms" min:"100" max:"120000" doc:"how long the connection and the beginning may take, in milliseconds"`
	FinalizeTimeoutMS int `toml:"finalize_timeout_ms" min:"100" max:"120000" doc:"how long the last words may take, in milliseconds"`
	RequestTimeoutMS  int `toml:"request_timeout_ms" min:"100" max:"120000" doc:"how long a request with a whole recording may take, in milliseconds, and its length on top"`

	LanguageHints []string `toml:"language_hints" doc:"languages that may be spoken, the most likely first; empty follows [asr].language"`
	Vocabulary    bool     `toml:"vocabulary" doc:"give the user's own vocabulary to the service"`
	Hints         string   `toml:"hints" oneof:"prompt keywords hotwords none" doc:"field that takes the terms, where the protocol is openai; with none no service gets terms of the context"`
	Stream        bool     `toml:"stream" doc:"ask for the text as it comes, where the protocol is openai"`

	Preset               string `toml:"preset" oneof:"standard low-latency-dictation long-form custom" doc:"how qwen-audio3 cuts sentences; custom takes the keys below"`
	MaxSentenceSilenceMS int    `toml:"max_sentence_silence_ms" min:"200" max:"6000" doc:"silence that ends a sentence, in milliseconds"`
	SemanticPunctuation  bool   `toml:"semantic_punctuation" doc:"cut sentences by their meaning"`
	MultiThreshold       bool   `toml:"multi_threshold" doc:"cut long sentences sooner; not with semantic_punctuation"`
	SpeechNoiseThreshold string `toml:"speech_noise_threshold" form:"fraction" doc:"from -1, where noise counts as speech, to 1; empty is the service's own"`
	Heartbeat            bool   `toml:"heartbeat" doc:"have qwen-audio3 keep the connection through long silence"`
	Native               string `toml:"native" oneof:"streaming-only adaptive always" doc:"when qwen-audio3 recognises the whole recording once more"`
	NativeModel          string `toml:"native_model" doc:"name of the model for the whole recording"`
	NativeURL            string `toml:"native_url" form:"url" doc:"address for the whole recording, where url is set"`

	VADThreshold string `toml:"vad_threshold" form:"fraction" doc:"how qwen3-realtime tells speech from noise, from -1 to 1"`
	VADSilenceMS int    `toml:"vad_silence_ms" min:"200" max:"6000" doc:"silence that ends a sentence with qwen3-realtime, in milliseconds"`
}

// Defaults are those of a section that the user wrote: what the providers
// document or recommend. 5 s, 8 s and 20 s are several times what was measured
// against the services (0.2, 0.8 and 2.8 s).
func (Service) Defaults() Service {
	return Service{
		Region: "beijing", ConnectTimeoutMS: 5_000, FinalizeTimeoutMS: 8_000, RequestTimeoutMS: 20_000,
		Vocabulary: true, Hints: "prompt", Stream: true,
		Preset: "standard", MaxSentenceSilenceMS: 800, Heartbeat: true, Native: "streaming-only",
		VADThreshold: "0.2", VADSilenceMS: 400,
	}
}

// LLM says what is done with the words by a model, and with the context that
// makes it spell them right.
type LLM struct {
	Enabled       bool     `toml:"enabled" doc:"have a language model clean the text"`
	URL           string   `toml:"url" form:"url" doc:"base address of an OpenAI-compatible service, such as http://localhost:11434/v1"`
	Model         string   `toml:"model" doc:"name of the model"`
	APIKeyFile    string   `toml:"api_key_file" doc:"file with the key, which nobody else may read"`
	APIKeyCommand []string `toml:"api_key_command" doc:"command that prints the key"`
	TimeoutMS     int      `toml:"timeout_ms" min:"1000" max:"30000" doc:"how long refining may take in all, in milliseconds"`
	MinChars      int      `toml:"min_chars" min:"0" max:"1000" doc:"transcripts with fewer characters go without the model"`
	MaxChange     string   `toml:"max_change" form:"share" doc:"greatest share of the wording, from 0 to 1, that the model may change; the transcript is kept beyond it"`
	PromptFile    string   `toml:"prompt_file" doc:"file with wishes of your own, added to the instructions"`
	Reasoning     string   `toml:"reasoning" oneof:"none low medium high" doc:"how much a model that reasons may do so; empty is as little as it can"`
	ProviderSort  string   `toml:"provider_sort" oneof:"price throughput latency" doc:"how OpenRouter chooses among providers; empty is its own way"`

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

// Hotkey says how the key of push-to-talk is understood.
type Hotkey struct {
	TapMS int `toml:"tap_ms" min:"0" max:"1000" doc:"a key released within so many milliseconds was tapped, and the take goes on until the next press; 0 takes every release for the end"`
}

// History says how much is kept of what was dictated.
type History struct {
	Enabled     bool `toml:"enabled" doc:"keep what was dictated, for this user alone, in the state directory"`
	MaxEntries  int  `toml:"max_entries" min:"1" max:"10000" doc:"entries that are kept; the newest stay"`
	MaxAgeHours int  `toml:"max_age_hours" min:"1" max:"8760" doc:"entries that are older, in hours, are removed"`
}

// Feedback says what the user sees and hears of a take.
type Feedback struct {
	Notifications string `toml:"notifications" oneof:"off errors all" doc:"desktop notifications: none, what went wrong, or every phase too"`
	Sounds        bool   `toml:"sounds" doc:"ask the notification server to play a sound with them"`
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
// the 2.9 s that an idle null sink was measured to take to its first sample. No good edit that
// the tests of pkg/refine/review know changes more than 0.85 of the wording.
func Default() Config {
	return Config{
		Audio:   Audio{MaxDurationMS: 300_000, StallMS: 5_000},
		ASR:     ASR{Engine: "local"},
		LLM:     LLM{URL: "https://api.openai.com/v1", TimeoutMS: 15_000, MaxChange: "0.85", AgentContextMaxChars: 6_000},
		Deliver: Deliver{To: "auto"},
		// A week is long enough to miss a text, and short enough to forget it.
		History:  History{Enabled: true, MaxEntries: 200, MaxAgeHours: 168},
		Feedback: Feedback{Notifications: "errors"},
	}
}

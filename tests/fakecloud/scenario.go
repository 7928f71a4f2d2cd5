package fakecloud

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"
)

// Protocols, as the journal and Fault.Protocol name them.
const (
	TCP            = "tcp"             // a connection that never came to a request
	Task           = "task"            // protocol A: run-task … finish-task
	Realtime       = "realtime"        // protocol B: Qwen3-ASR
	Native         = "native"          // protocol C: multimodal-generation
	Compatible     = "compatible"      // protocol D: chat/completions
	Transcriptions = "transcriptions"  // protocol E
	Inference      = "inference"       // protocol F: whisper.cpp
	Health         = "health"          // protocol F: is the model loaded?
	OpenAIRealtime = "openai-realtime" // protocol G
	Trap           = "trap"            // where redirects lead; nobody may come
)

// Paths that the server answers.
const (
	TaskPath           = "/api-ws/v1/inference"
	RealtimePath       = "/api-ws/v1/realtime"
	NativePath         = "/api/v1/services/aigc/multimodal-generation/generation"
	CompatiblePath     = "/compatible-mode/v1/chat/completions"
	TranscriptionsPath = "/v1/audio/transcriptions"
	InferencePath      = "/inference"
	HealthPath         = "/health"
	OpenAIRealtimePath = "/v1/realtime"
	TrapPath           = "/trap"
)

// DefaultToken is the key that clients must show unless the scenario has
// another.
const DefaultToken = "sk-fake-cloud-0123456789"

// Sentinel is in everything that must not reach the outside of a client: error
// messages, bodies of errors, texts of heartbeats.
const Sentinel = "SENTINEL-NOT-TO-BE-SEEN"

// Millis is a time in milliseconds.
type Millis int64

// Duration returns m as a duration.
func (m Millis) Duration() time.Duration { return time.Duration(m) * time.Millisecond }

// Scenario is all that a server does. The zero value is a service that works,
// recognises nothing and expects a ramp.
type Scenario struct {
	// Token is the key that clients must show; DefaultToken if "".
	Token string `json:"token,omitempty"`
	// Audio says which samples are expected.
	Audio Sound `json:"audio,omitzero"`
	// Results is what is recognised in each task, in order.
	Results []Result `json:"results,omitempty"`
	// Text is what the services for whole recordings answer; if it is "", the
	// final texts of Results, joined by a space.
	Text string `json:"text,omitempty"`
	// Texts are what they answer to the first, the second … request instead;
	// further requests get Text.
	Texts []string `json:"texts,omitempty"`
	// Answer, if not nil, says instead what they answer.
	Answer func(Audio) string `json:"-"`
	// Faults is what goes wrong; any combination.
	Faults []Fault `json:"faults,omitempty"`
	// Scale multiplies the services' own times, which are the 23 s without a
	// frame, the 60 s of silence and the 60 s between tasks: 0.01 makes 600 ms
	// of a minute. 0 is 1.
	Scale float64 `json:"scale,omitempty"`
	// Most bounds how many connections of a protocol may come; one more is a
	// violation.
	Most map[string]int `json:"most,omitempty"`

	Task           TaskOptions           `json:"task,omitzero"`
	Realtime       RealtimeOptions       `json:"realtime,omitzero"`
	Native         NativeOptions         `json:"native,omitzero"`
	Transcriptions TranscriptionsOptions `json:"transcriptions,omitzero"`
	Inference      InferenceOptions      `json:"inference,omitzero"`
	OpenAIRealtime OpenAIRealtimeOptions `json:"openai_realtime,omitzero"`

	// Address is where to listen, on the loopback; "127.0.0.1:0" if "".
	Address string `json:"address,omitempty"`
	// Log gets each session of the journal as a line of JSON when it has
	// ended.
	Log io.Writer `json:"-"`
}

// Sound says which samples are expected.
type Sound struct {
	// Any accepts all samples; they are only counted and hashed.
	Any bool `json:"any,omitempty"`
	// Exact are the samples that are expected, 16 bit little endian, from the
	// first on. Without them and without Any, Ramp is expected.
	Exact []byte `json:"exact,omitempty"`
	// Total is how many samples each recording must have when the client says
	// that it is complete; 0 does not ask.
	Total int64 `json:"total,omitempty"`
	// MaxPace is how many times faster than speech samples may come, measured
	// over each second; 0 does not ask.
	MaxPace float64 `json:"max_pace,omitempty"`
}

// Result is something recognised.
type Result struct {
	// At is how many samples of the task must have arrived. What is left when
	// the client finishes is sent then, but of partials only those with Late.
	At int64 `json:"at"`
	// Late waits for the client to finish.
	Late bool `json:"late,omitempty"`
	// Text is the whole of the sentence so far.
	Text string `json:"text"`
	// Final ends the sentence.
	Final bool `json:"final,omitempty"`
	// Sentence is the sentence's number; 0 counts from 1, a new number after
	// each final.
	Sentence int `json:"sentence,omitempty"`
	// Begin and End are the sentence's times in ms; 0 makes them of At.
	Begin int64 `json:"begin,omitempty"`
	End   int64 `json:"end,omitempty"`
	// Raw is sent as it is instead of all that.
	Raw string `json:"raw,omitempty"`
}

// Sentences is a script: each text becomes some partials and a final, the
// final of the n-th after n*every samples.
func Sentences(every int64, texts ...string) []Result {
	var all []Result
	for i, text := range texts {
		start := int64(i) * every
		words := splitWords(text)
		shown := ""
		for j, w := range words[:max(len(words)-1, 0)] {
			shown = glue(shown, w)
			all = append(all, Result{At: start + every*int64(j+1)/int64(len(words)+1), Text: shown})
		}
		all = append(all, Result{At: start + every, Text: text, Final: true})
	}
	return all
}

// TaskOptions vary protocol A.
type TaskOptions struct {
	// StartDelay passes before task-started.
	StartDelay Millis `json:"start_delay,omitempty"`
	// Output is where task-finished has the text: "" an empty output, "text",
	// "sentence", "empty" no output, "none" no payload.
	Output string `json:"output,omitempty"`
	// Refuse answers a run-task that is wrong with task-failed and the code
	// InvalidParameter. It is a violation in any case.
	Refuse bool `json:"refuse,omitempty"`
	// HeartbeatEvery is after how many samples a heartbeat is sent to those
	// that asked; 0 is 16000.
	HeartbeatEvery int64 `json:"heartbeat_every,omitempty"`
}

// RealtimeOptions vary protocol B.
type RealtimeOptions struct {
	// Tolerant lets a client send audio without a session.update.
	Tolerant bool `json:"tolerant,omitempty"`
	// CloseOnError closes the connection after an error event.
	CloseOnError bool `json:"close_on_error,omitempty"`
}

// NativeOptions vary protocol C.
type NativeOptions struct {
	// Workspace answers in the shape of a workspace's own domain.
	Workspace bool `json:"workspace,omitempty"`
}

// TranscriptionsOptions vary protocol E.
type TranscriptionsOptions struct {
	// Server is which server it is, which says what fields there are and how
	// it streams: "openai" (the default), "groq" or "vllm".
	Server string `json:"server,omitempty"`
	// NoKey is a server that asks for no key.
	NoKey bool `json:"no_key,omitempty"`
	// IgnoreStream answers stream=true with plain JSON.
	IgnoreStream bool `json:"ignore_stream,omitempty"`
	// MaxBytes is the largest file that is accepted; 0 is 25 MiB.
	MaxBytes int64 `json:"max_bytes,omitempty"`
}

// InferenceOptions vary protocol F.
type InferenceOptions struct {
	// Path is where it answers; InferencePath if "".
	Path string `json:"path,omitempty"`
	// Loading is how long the model takes to load.
	Loading Millis `json:"loading,omitempty"`
	// Work is how long a recognition takes.
	Work Millis `json:"work,omitempty"`
}

// OpenAIRealtimeOptions vary protocol G.
type OpenAIRealtimeOptions struct {
	// VLLM speaks vLLM's dialect.
	VLLM bool `json:"vllm,omitempty"`
}

// Load reads a scenario from a file of JSON. A name that a scenario does not
// have is an error.
func Load(path string) (Scenario, error) {
	var s Scenario
	f, err := os.Open(path)
	if err != nil {
		return s, fmt.Errorf("cannot read the scenario: %w", err)
	}
	defer f.Close()
	d := json.NewDecoder(f)
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return s, fmt.Errorf("cannot read the scenario %s: %w", path, err)
	}
	return s, nil
}

package wire

import (
	"maps"
	"slices"
)

// OK is the reason of a record that holds what was asked for.
const OK = "ok"

// Reasons returns the closed list of a schema's reason words, OK first, or
// nil for a schema this package does not know.
func Reasons(schema string) []string {
	m, known := reasons[schema]
	if !known {
		return nil
	}
	return append([]string{OK}, slices.Sorted(maps.Keys(m))...)
}

// ReasonMeaning returns what a reason other than OK says, for manuals and
// --explain.
func ReasonMeaning(schema, reason string) string { return reasons[schema][reason] }

// AgentReasons returns the words of Focus.AgentReason in order.
func AgentReasons() []string { return slices.Sorted(maps.Keys(agentReasons)) }

// AgentReasonMeaning returns what a word of AgentReasons says.
func AgentReasonMeaning(reason string) string { return agentReasons[reason] }

var agentReasons = map[string]string{
	"not_terminal":            "the window is not one of a terminal that is known",
	"no_agent":                "what runs in the foreground of the terminal is no coding agent",
	"ambiguous":               "several processes or windows are possible; none is guessed",
	"changed":                 "the focus or the process changed during the look",
	"nested":                  "a multiplexer runs inside a multiplexer",
	"unsupported_multiplexer": "the terminal shows a multiplexer that is not known",
	"multiplexer_failed":      "the multiplexer gave no answer that can be used",
	"container_boundary":      "the process runs in a container",
	"remote":                  "the terminal shows another machine",
	"other_user":              "the process runs as another user",
	"kitty_socket_missing":    "Kitty has no control socket that could be found",
	"kitty_socket_refused":    "the control socket is not that of this Kitty and user",
	"kitty_no_answer":         "nothing answers at the control socket",
	"kitty_bad_answer":        "Kitty answered what this version cannot read",
	"kitty_denied":            "Kitty refuses remote control",
	"timeout":                 "the terminal or the multiplexer did not answer in time",
}

var reasons = map[string]map[string]string{
	SchemaFocus: {
		"no_desktop": "no compositor or X server could be asked",
		"no_window":  "no window has the focus",
		"ambiguous":  "several desktops are running; none is guessed",
		"bad_answer": "the desktop answered what this version cannot read",
		"timeout":    "the desktop did not answer in time",
	},
	SchemaSession: {
		"no_agent":              "the focus record names no process of a coding agent",
		"unsupported_agent":     "this version does not know the sessions of that agent",
		"process_gone":          "the agent's process has ended",
		"wrong_process":         "the process with that number is another one, or is not the agent",
		"other_user":            "the process or its file belongs to another user",
		"container_boundary":    "the agent runs in another namespace",
		"forbidden":             "this user may not look at the process or its file",
		"no_session":            "the agent has no session file open",
		"not_started":           "the session has no file yet: nothing was said in it",
		"ambiguous":             "several sessions are possible; none is guessed",
		"unproved":              "the terminal's title names a session that the process does not hold",
		"not_cli":               "the session is not one that a person types into",
		"not_registered":        "Pi has published no session; its extension is missing or not loaded",
		"registry_invalid":      "what Pi has published cannot be trusted or read",
		"registry_version":      "what Pi has published is of another version",
		"registry_stale":        "what was published belongs to an earlier process",
		"outside_sessions":      "the file does not lie in the agent's session directory",
		"header_mismatch":       "the file is of another session than the one that was named",
		"no_completed_answer":   "the session holds no completed answer",
		"branch_broken":         "the branch on the screen is not whole in the file",
		"base_missing":          "a file that the session goes on from is not there, or is not unique",
		"compressed":            "the answer lies in a compressed file, which this version does not read",
		"source_too_large":      "there is no completed answer in the last 8 MiB",
		"schema_unrecognised":   "the session is written in a form this version does not know",
		"changed_while_reading": "the process or its file changed during the look-up",
		"unreadable":            "the file could not be read",
		"timeout":               "the look-up took too long",
	},
	SchemaTerms: {
		"no_source": "there is no text to take terms from",
		"no_terms":  "the text holds no term",
	},
	SchemaCapture: {
		"device_lost":  "the source was removed or the stream was killed",
		"device_moved": "the server wanted to go on with another source",
		"suspended":    "the source was suspended",
		"server_lost":  "the connection to the sound server broke",
		"no_data":      "no samples came for longer than --stall",
		"overflow":     "the samples were not taken from the program in time",
		"interrupted":  "a signal or a closed output ended the recording",
	},
	SchemaSource: {},
	SchemaTake:   {},
	SchemaASR: {
		"no_speech": "the samples hold no speech, or the engine heard none",
		"echo":      "the engine returned nothing but the hints",
		"no_audio":  "there were no samples",
		"failed":    "the engine failed; kind says how",
	},
	SchemaEngine: {
		"unavailable": "the engine cannot work here; detail says why",
	},
	SchemaTranscript: {},
	SchemaRefine: {
		"no_text":      "there is no text to refine",
		"short":        "the transcript has fewer characters than the configuration wants for a model",
		"no_model":     "no model is named",
		"timeout":      "the model did not finish in time",
		"unavailable":  "the service cannot be reached, or cannot answer now",
		"auth":         "the key is missing, cannot be used, or is refused",
		"quota":        "the account at the service is used up",
		"rate_limited": "the service takes no more requests for now",
		"rejected":     "the service does not accept the request; its address, the model's name or an option is wrong",
		"too_long":     "the transcript is too long for the model",
		"refused":      "the model or its service refuses the text",
		"truncated":    "the model did not come to an end, or was cut off",
		"bad_answer":   "the service answered what cannot be read as a model's answer",

		"empty_answer":  "the model answered without words",
		"thinking":      "what the model thought cannot be told from its answer",
		"answer":        "the model answered or refused what was said instead of editing it",
		"format":        "the answer has headings, links, code, pictures, or a list that was not spoken",
		"literals":      "a protected word is missing, twice there, moved or changed",
		"language":      "the answer is in another language or script",
		"length":        "the answer is far longer or shorter than the transcript",
		"question":      "a question became a statement, or a statement a question",
		"terms":         "the answer has a term that was not said",
		"numbers":       "a number was changed, dropped or added",
		"negation":      "a negation was dropped or added",
		"words_dropped": "words are missing that were said",
		"words_added":   "the answer has words that were not said",
		"words_changed": "words were replaced by others",
		"score":         "the answer differs more than the configuration allows",
	},
	SchemaDelivery: {
		"no_text":        "there is no text to deliver",
		"no_driver":      "no program or socket can take the text",
		"driver_failed":  "the driver reported a failure",
		"timeout":        "the driver did not finish in time; what arrived is unknown",
		"target_changed": "the target is gone or another window has the focus",
	},
	SchemaHistory: {},
	SchemaDiagnostics: {
		"stopped": "no daemon runs; only the configuration is told",
	},
	SchemaCheck:   {},
	SchemaControl: {},
	SchemaReply: {
		"nothing":     "there is nothing that the command could act on",
		"busy":        "a take is being finished; the command was not carried out",
		"bounced":     "the press came too soon after the last one to be meant",
		"too_late":    "delivery has begun and cannot be taken back",
		"failed":      "the take failed; detail says where",
		"empty":       "the take held no speech",
		"cancelled":   "the take was cancelled",
		"bad_command": "the daemon does not know the command",
	},
	SchemaStatus: {},
}

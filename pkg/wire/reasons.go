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

var reasons = map[string]map[string]string{
	SchemaFocus: {
		"no_desktop": "no compositor or X server could be asked",
		"no_window":  "no window has the focus",
		"no_agent":   "the focused window shows no coding agent",
		"ambiguous":  "several answers are possible; none is guessed",
		"timeout":    "the desktop or the terminal did not answer in time",
	},
	SchemaSession: {
		"no_agent":              "the focus record names no coding agent",
		"no_session":            "the agent has no session file open",
		"ambiguous":             "several sessions are possible; none is guessed",
		"not_cli":               "the session is not one that a person types into",
		"no_completed_answer":   "the session holds no completed answer",
		"schema_unrecognised":   "the session is written in a form this version does not know",
		"changed_while_reading": "the process or its file changed during the look-up",
		"container_boundary":    "the agent runs in another namespace",
		"forbidden":             "the kernel does not let this user look at the process",
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
		"unavailable": "the engine says that it cannot work here; detail says why",
	},
	SchemaTranscript: {},
	SchemaRefine: {
		"no_text": "there is no text to refine",
	},
	SchemaDelivery: {
		"no_text":        "there is no text to deliver",
		"no_driver":      "no program or socket can take the text",
		"driver_failed":  "the driver reported a failure",
		"timeout":        "the driver did not finish in time; what arrived is unknown",
		"target_changed": "the target is gone or another window has the focus",
	},
	SchemaControl: {},
	SchemaReply: {
		"nothing":     "there is nothing that the command could act on",
		"busy":        "a take is being finished; the command was not carried out",
		"too_late":    "delivery has begun and cannot be taken back",
		"failed":      "the take failed; detail says where",
		"empty":       "the take held no speech",
		"cancelled":   "the take was cancelled",
		"bad_command": "the daemon does not know the command",
	},
	SchemaStatus: {},
}

package session

import (
	"strings"

	"github.com/tidwall/gjson"

	"voice-input/pkg/internal/agents"
)

// codexHeader is the first line of a rollout. Later lines of the same type
// belong to the rollouts that it was copied from.
type codexHeader struct {
	id, cwd              string
	source, threadSource string
	structured           bool // one of these is no word: a sub-agent, a review
	originator           string
	base                 *historyBase
}

// historyBase is where the history before a rollout's first line lies.
type historyBase struct {
	fileID string // ends the name of the file
	end    int64  // offset behind the last byte that counts
}

func parseCodexHeader(line []byte) (codexHeader, error) {
	const unknown = Nothing("schema_unrecognised")
	if !gjson.ValidBytes(line) {
		return codexHeader{}, unknown
	}
	rec := gjson.ParseBytes(line)
	payload := rec.Get("payload")
	if rec.Get("type").Str != "session_meta" || payload.Get("id").Str == "" {
		return codexHeader{}, unknown
	}
	h := codexHeader{
		id: payload.Get("id").Str, cwd: payload.Get("cwd").Str,
		source: payload.Get("source").Str, threadSource: payload.Get("thread_source").Str, originator: payload.Get("originator").Str,
	}
	for _, member := range []string{"source", "thread_source"} {
		if v := payload.Get(member); v.Exists() && v.Type != gjson.String && v.Type != gjson.Null {
			h.structured = true
		}
	}
	if base := payload.Get("history_base"); base.IsObject() {
		h.base = &historyBase{strings.ToLower(base.Get("thread_id").Str), base.Get("end_byte_offset").Int()}
		if !agents.IsUUID(h.base.fileID) || h.base.end <= 0 {
			return codexHeader{}, unknown
		}
	}
	return h, nil
}

// typedByUser tells whether a person types into the session at a terminal. The
// terminal's program writes the source "cli"; its daemon, which works for it
// since 0.157, writes "vscode" with the terminal's originator. Versions before
// 0.133 have no thread_source, and threads born under them keep it so.
func (h codexHeader) typedByUser() bool {
	terminal := h.source == "cli" || h.source == "vscode" && h.originator == "codex-tui"
	return terminal && !h.structured && (h.threadSource == "user" || h.threadSource == "")
}

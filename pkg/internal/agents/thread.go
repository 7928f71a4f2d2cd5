package agents

import "strings"

// minThread is the shortest start of a thread id that counts: a title shows 29
// characters of it.
const minThread = 29

const uuidLen = 36

// Thread returns the thread id that Codex shows in its terminal's title, or as
// much of it as it shows, or "". With the item "thread-id" in the setting
// tui.terminal_title a title ends like "… | 01a22e47-9836-7912-bd4f-a0ce4...".
// Of several the last counts, since the name of the conversation, which may hold
// anything, is never the last item.
func Thread(title string) string {
	words := strings.FieldsFunc(title, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '-' && r != '_'
	})
	for i := len(words) - 1; i >= 0; i-- {
		if len(words[i]) >= minThread && isUUIDPrefix(words[i]) {
			return words[i]
		}
	}
	return ""
}

// IsUUID tells whether s is a UUID in lower case.
func IsUUID(s string) bool { return len(s) == uuidLen && isUUIDPrefix(s) }

func isUUIDPrefix(s string) bool {
	if len(s) > uuidLen {
		return false
	}
	for i, c := range []byte(s) {
		switch i {
		case 8, 13, 18, 23:
			if c != '-' {
				return false
			}
		default:
			if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
				return false
			}
		}
	}
	return true
}

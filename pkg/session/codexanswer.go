package session

import (
	"strings"

	"github.com/tidwall/gjson"
)

// codexTurns finds the newest completed answer in the records of Codex, from
// the newest to the oldest. The rules, by what the versions write:
//
//   - A message marked final_answer is an answer as soon as it is there, and
//     also if its turn failed later: its text is complete.
//   - A message without a mark is one only if its turn was completed and names
//     it as its last message. Providers need not send marks; but summaries of
//     compactions and reviews are written without one too, in turns that name
//     no message.
//   - A message with another mark (commentary, partial_answer) never is, even
//     if its turn names it.
//   - Nothing of an aborted turn is, and nothing of a turn that the user has
//     taken back.
//
// So the newest completed turn wins, whatever marks an older one has. The same
// text stands in up to three records; the first one seen decides.
type codexTurns struct {
	// undone is how many of the user's turns were taken back and still lie
	// ahead.
	undone int
	// last is what the turn at hand names as its last message, "" for nothing.
	last string
	// aborted says that the turn at hand was aborted; abortedTurn is its id,
	// if it has one.
	aborted     bool
	abortedTurn string

	answer              string
	understood, unknown bool // whether there were records of either kind
}

func (c *codexTurns) text() string { return c.answer }

func (c *codexTurns) reason() string {
	if c.unknown && !c.understood {
		return "schema_unrecognised"
	}
	return "no_completed_answer"
}

// codexTypes are the types of records that are known to hold no answer.
var codexTypes = map[string]bool{
	"session_meta": true, "turn_context": true, "world_state": true, "token_usage_record": true, "compacted": true,
	"inter_agent_communication_metadata": true,
}

// codexEvents are the events that matter, besides items that are completed.
var codexEvents = map[string]bool{
	"task_started": true, "task_complete": true, "turn_aborted": true, "thread_rolled_back": true, "user_message": true, "agent_message": true,
}

// passes passes the records that record and event do nothing with.
func (c *codexTurns) passes(kind string, f *front) bool {
	switch {
	case codexTypes[kind]:
		return true
	case kind != "response_item" && kind != "event_msg" || !f.enter("payload"):
		return false
	}
	inner, ok := f.text("type")
	switch {
	case !ok:
		return false
	case kind == "response_item":
		return inner != "message"
	case inner != "item_completed":
		return !codexEvents[inner]
	case !f.enter("item"):
		return false
	}
	item, ok := f.text("type")
	return ok && item != "UserMessage" && item != "AgentMessage"
}

func (c *codexTurns) record(rec gjson.Result) bool {
	payload := rec.Get("payload")
	switch kind := rec.Get("type").Str; {
	case kind == "response_item" && payload.IsObject():
		if payload.Get("type").Str != "message" {
			return false
		}
		c.understood = true
		if payload.Get("role").Str != "assistant" || rec.Get("metadata.compaction_output").Bool() {
			return false
		}
		return c.message(blocks(payload.Get("content"), "output_text"), payload.Get("phase").Str)
	case kind == "event_msg" && payload.IsObject():
		return c.event(payload)
	case !codexTypes[kind]:
		c.unknown = true
	}
	return false
}

func (c *codexTurns) event(payload gjson.Result) bool {
	kind := payload.Get("type").Str
	switch {
	case kind == "item_completed":
		return c.item(payload.Get("item"))
	case !codexEvents[kind]:
		return false
	}
	c.understood = true
	switch kind {
	case "agent_message":
		return c.message(payload.Get("message").Str, payload.Get("phase").Str)
	case "user_message":
		c.userMessage()
		return false
	}
	// All others lie between turns, so that of the turn behind is settled.
	if c.end() {
		return true
	}
	turn := payload.Get("turn_id").Str
	switch kind {
	case "task_started":
		if c.abortedTurn == "" || c.abortedTurn == turn {
			c.aborted = false
		}
	case "task_complete":
		c.aborted = false
		if c.undone == 0 {
			c.last = strings.Clone(payload.Get("last_agent_message").Str)
		}
	case "turn_aborted":
		c.aborted, c.abortedTurn = true, strings.Clone(turn)
	case "thread_rolled_back":
		c.undone += int(min(max(payload.Get("num_turns").Int(), 0), 1<<20))
	}
	return false
}

// item looks at an item of a paginated history.
func (c *codexTurns) item(item gjson.Result) bool {
	switch item.Get("type").Str {
	case "UserMessage":
		c.understood = true
		c.userMessage()
	case "AgentMessage":
		c.understood = true
		return c.message(blocks(item.Get("content"), "Text"), item.Get("phase").Str)
	}
	return false
}

// userMessage passes the start of one of the user's turns. Where turns have no
// ids it is also where an aborted one begins.
func (c *codexTurns) userMessage() {
	if c.undone > 0 {
		c.undone--
	}
	if c.aborted && c.abortedTurn == "" {
		c.aborted = false
	}
}

// message looks at one message of the agent.
func (c *codexTurns) message(text, phase string) bool {
	if c.undone > 0 || c.aborted || strings.TrimSpace(text) == "" {
		return false
	}
	switch {
	case phase == "final_answer":
		c.answer = strings.Clone(text)
		return true
	case phase == "commentary", phase == "partial_answer":
		if text == c.last {
			c.last = ""
		}
		return false
	default:
		return c.end()
	}
}

// end settles the turn at hand: if it names a last message and nothing spoke
// against it, that is the answer.
func (c *codexTurns) end() bool {
	if strings.TrimSpace(c.last) != "" {
		c.answer = c.last
		return true
	}
	c.last = ""
	return false
}

// blocks joins the text blocks of a message.
func blocks(content gjson.Result, kind string) string {
	var texts []string
	content.ForEach(func(_, block gjson.Result) bool {
		if block.Get("type").Str == kind {
			texts = append(texts, block.Get("text").Str)
		}
		return true
	})
	return strings.Join(texts, "\n")
}

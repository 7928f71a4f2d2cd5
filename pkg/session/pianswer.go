package session

import (
	"strings"

	"github.com/tidwall/gjson"
)

// piBranch walks a Pi session's branch from its leaf to its root. A parent
// always stands before its children, so one walk back through the file meets
// the branch in order, and a chain that bites its own tail ends with the file.
// Entries of types it does not know are passed like all others.
type piBranch struct {
	// want is the id of the next entry of the branch; anyLeaf, before the
	// first entry, that the last one of the file is the leaf; linear that the
	// file is of the first version, which has no ids and one branch.
	want            string
	anyLeaf, linear bool

	answer            string
	messages, unknown bool // whether there were entries of either kind
}

// newPiBranch starts at a leaf, or at the file's last entry for "".
func newPiBranch(h piHeader, leaf string) *piBranch {
	return &piBranch{want: leaf, anyLeaf: leaf == "", linear: h.version == 1}
}

func (p *piBranch) text() string { return p.answer }
func (p *piBranch) end() bool    { return false }

func (p *piBranch) reason() string {
	switch {
	case p.unknown && !p.messages && (p.anyLeaf || p.linear):
		return "schema_unrecognised"
	case p.want != "":
		return "branch_broken"
	default:
		return "no_completed_answer"
	}
}

// piUnfinished are the known ways in which a message ends that is no answer.
var piUnfinished = map[string]bool{"toolUse": true, "length": true, "error": true, "aborted": true, "deferred": true}

// passes passes entries of other branches, and those of this one that are no
// finished messages of the agent. Of these it needs the parent, which stands in
// front, and takes it though the rest may be damaged: the answer further up was
// given all the same. Whatever may be the answer is looked at whole, and ends
// the branch if it is damaged.
func (p *piBranch) passes(kind string, f *front) bool {
	if p.linear || p.anyLeaf || kind == "session" {
		return false
	}
	id, ok := f.text("id")
	if !ok || id == "" || id != p.want {
		return ok && id != ""
	}
	parent, ok := f.text("parentId")
	if !ok || kind != "message" || !f.enter("message") {
		return false
	}
	role, ok := f.text("role")
	if !ok || role == "assistant" && !piUnfinished[f.search("message.stopReason")] {
		return false
	}
	p.messages = true
	p.want = strings.Clone(parent)
	return true
}

func (p *piBranch) record(rec gjson.Result) bool {
	if rec.Get("type").Str == "session" {
		return false
	}
	if !p.linear {
		id := rec.Get("id").Str
		switch {
		case id == "":
			p.unknown = true
			return false
		case p.anyLeaf:
			p.anyLeaf = false
		case id != p.want:
			return false
		}
		p.want = strings.Clone(rec.Get("parentId").Str)
	}
	message := rec.Get("message")
	if rec.Get("type").Str != "message" || !message.IsObject() {
		p.unknown = true
		return false
	}
	p.messages = true
	if message.Get("role").Str != "assistant" || message.Get("stopReason").Str != "stop" {
		return false
	}
	text := piText(message.Get("content"))
	if strings.TrimSpace(text) == "" {
		return false
	}
	p.answer = text
	return true
}

// piText joins the text blocks of a message. A provider with phases can put
// commentary and the final answer into one message; then only the latter
// counts.
func piText(content gjson.Result) string {
	if content.Type == gjson.String {
		return strings.Clone(content.Str)
	}
	var final, plain []string
	content.ForEach(func(_, block gjson.Result) bool {
		if block.Get("type").Str != "text" {
			return true
		}
		text := block.Get("text").Str
		switch piPhase(block.Get("textSignature").Str) {
		case "final_answer":
			final = append(final, text)
		case "":
			plain = append(plain, text)
		}
		return true
	})
	if len(final) > 0 {
		return strings.Clone(strings.Join(final, "\n"))
	}
	return strings.Clone(strings.Join(plain, "\n"))
}

// piPhase returns the phase in a text block's signature, "" for none: the
// signature may also be a mere id.
func piPhase(signature string) string {
	if !gjson.Valid(signature) {
		return ""
	}
	return gjson.Parse(signature).Get("phase").Str
}

package qwenrealtime

import (
	"slices"
	"strings"

	"voice-input/pkg/asr/join"
)

// maxItems bounds the pieces of one session: an hour of sentences of a second
// each.
const maxItems = 3600

// item is one piece of speech, from a pause to the next.
type item struct {
	id    string
	text  string
	final bool
}

// transcript puts the pieces together, each once and in the order in which
// they were spoken, however they come.
type transcript struct {
	items []*item // in the order of speech
	// chained are the ids whose place the service has told.
	chained map[string]bool

	settled string // the text of the pieces at the beginning that are final
	ready   int    // how many those are
}

func newTranscript() *transcript { return &transcript{chained: map[string]bool{}} }

// item returns the piece with an id; a new one is the last. It is nil if there
// are too many.
func (t *transcript) item(id string) *item {
	// What comes belongs to one of the last pieces.
	for i := len(t.items) - 1; i >= 0; i-- {
		if t.items[i].id == id {
			return t.items[i]
		}
	}
	if len(t.items) == maxItems {
		return nil
	}
	it := &item{id: id}
	t.items = append(t.items, it)
	return it
}

// place says that a piece comes right behind another one.
func (t *transcript) place(id, previous string) {
	it := t.item(id)
	if it == nil || t.chained[id] {
		return
	}
	t.chained[id] = true
	if previous == "" || previous == id {
		return
	}
	t.items = slices.DeleteFunc(t.items, func(i *item) bool { return i == it })
	before := t.item(previous) // new if it has not been heard of
	t.items = slices.Insert(t.items, 1+slices.Index(t.items, before), it)
	t.settle(0)
}

// draft sets the text of a piece that is not final yet.
func (t *transcript) draft(id, text string) bool {
	it := t.item(id)
	if it != nil && !it.final {
		it.text = text
	}
	return it != nil
}

// complete sets the text of a piece for good. When the service completes it
// again, its last word counts.
func (t *transcript) complete(id, text string) bool {
	it := t.item(id)
	if it == nil {
		return false
	}
	again := it.final && it.text != text
	it.text, it.final = text, true
	if again {
		t.settle(0)
	}
	t.settle(t.ready)
	return true
}

// fail keeps what was heard of a piece of which no more will come.
func (t *transcript) fail(id string) {
	if it := t.item(id); it != nil {
		t.complete(id, it.text)
	}
}

// settle puts the final pieces at the beginning together, from one on.
func (t *transcript) settle(from int) {
	if t.ready = from; from == 0 {
		t.settled = ""
	}
	for t.ready < len(t.items) && t.items[t.ready].final {
		t.settled = join.Join(t.settled, strings.TrimSpace(t.items[t.ready].text))
		t.ready++
	}
}

// texts returns what is final and the rest as it is now.
func (t *transcript) texts() (committed, draft string) {
	for _, it := range t.items[t.ready:] {
		draft = join.Join(draft, strings.TrimSpace(it.text))
	}
	return t.settled, draft
}

// all returns everything.
func (t *transcript) all() string { return join.Join(t.texts()) }

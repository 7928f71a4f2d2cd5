package fakecloud

import (
	"time"
)

// recognised sends a result, in the order that the faults want.
func (t *task) recognised(l line) {
	switch {
	case l.Raw != "":
		t.c.sendText([]byte(l.Raw))
		t.c.events++
	case !l.Final && t.c.on(OnlyFinals):
	case l.Final && t.held != nil:
		first := *t.held
		t.held = nil
		t.result(l)
		t.result(first)
	case l.Final && t.c.on(SwapFinals):
		t.c.take(SwapFinals)
		t.held = &l
	default:
		t.result(l)
	}
}

// result sends a result and what the faults let follow it.
func (t *task) result(l line) {
	t.send(l)
	if !l.Final {
		return
	}
	t.texts = glue(t.texts, l.Text)
	if f, yes := t.c.take(RepeatFinal); yes {
		for range orInt(f.Count, 1) {
			t.send(l)
		}
	}
	if f, yes := t.c.take(ReviseFinal); yes {
		revised := l
		revised.Text = orText(f.Text, l.Text+" revised")
		t.send(revised)
	}
	if f, yes := t.c.take(LatePartial); yes {
		late := l
		late.Final, late.Text = false, orText(f.Text, "late")
		t.send(late)
	}
}

// send sends one result-generated.
func (t *task) send(l line) {
	sentence := map[string]any{"sentence_id": l.Sentence, "begin_time": l.Begin, "end_time": nil, "text": l.Text,
		"heartbeat": false, "sentence_begin": l.first, "sentence_end": l.Final, "words": wordsOf(l)}
	var usage any
	if l.Final {
		sentence["end_time"] = l.End
		usage = map[string]any{"duration": (t.c.samples + int64(t.rate) - 1) / int64(t.rate)}
		t.spoilFinal(sentence)
	}
	if f, yes := t.c.take(ManyWords); yes {
		words := make([]any, orInt(f.Count, 3000))
		for i := range words {
			words[i] = map[string]any{"begin_time": l.Begin + int64(i), "end_time": l.Begin + int64(i) + 1, "text": "w", "punctuation": ""}
		}
		sentence["words"] = words
	}
	if _, yes := t.c.take(BadTimestamps); yes {
		sentence["begin_time"], sentence["end_time"] = "soon", -7.5
		if l.Final {
			sentence["end_time"] = int64(-1) << 62
		}
		sentence["words"] = []any{map[string]any{"begin_time": 900, "end_time": 1, "text": Sentinel}, nil, 7}
	}
	m := t.envelope("result-generated", map[string]any{"output": map[string]any{"sentence": sentence}, "usage": usage})
	if _, yes := t.c.take(NullSentence); yes {
		m["payload"].(map[string]any)["output"] = map[string]any{"sentence": nil}
	}
	if _, yes := t.c.take(WrongTaskID); yes {
		m["header"].(map[string]any)["task_id"] = "00000000-0000-4000-8000-000000000000"
	}
	t.c.sendResult(m, "text")
	t.c.events++
}

// spoilFinal does the faults for the next final.
func (t *task) spoilFinal(sentence map[string]any) {
	if _, yes := t.c.take(ZeroFinal); yes {
		sentence["sentence_id"] = 0
	}
	if _, yes := t.c.take(MissingID); yes {
		delete(sentence, "sentence_id")
	}
	if _, yes := t.c.take(MissingEnd); yes {
		delete(sentence, "sentence_end")
	}
}

// wordsOf are the words of a result, its time shared evenly among them.
func wordsOf(l line) []any {
	words := splitWords(l.Text)
	all := []any{}
	for i, w := range words {
		bare, mark := punctuation(w)
		all = append(all, map[string]any{"text": bare, "punctuation": mark,
			"begin_time": l.Begin + (l.End-l.Begin)*int64(i)/int64(len(words)),
			"end_time":   l.Begin + (l.End-l.Begin)*int64(i+1)/int64(len(words))})
	}
	return all
}

// inject does a fault at once.
func (t *task) inject(f Fault) bool {
	switch f.Name {
	case DupTaskStarted:
		t.event("task-started", map[string]any{})
	case EarlyResult:
		t.send(line{Result: Result{Sentence: 1, Text: orText(f.Text, "early")}, first: true})
	case TaskFailed:
		t.fail(orText(f.Code, "SERVER_ERROR"), orText(f.Message, "something went wrong")+" "+Sentinel)
	case UnknownEvent:
		t.event("weather-changed", map[string]any{"text": Sentinel})
	case FinishedText:
		t.send(line{Result: Result{Sentence: t.script.current, Text: orText(f.Text, "tail"), Begin: t.script.ended,
			End: t.script.ended}, first: true})
	case HeartbeatFlood:
		t.flood()
	default:
		return false
	}
	return true
}

// flood sends heartbeats until the client finishes.
func (t *task) flood() {
	t.heartbeat()
	t.c.after("flood", time.Millisecond, t.flood)
}

// newScript is what a task recognises.
func (c *socket) newScript() *script {
	results := c.srv.Scenario.Results
	if f, yes := c.active[PunctuationOnly]; yes {
		results = []Result{{Text: orText(f.Text, "."), Final: true}}
	}
	if c.on(EmptyResult) {
		results = nil
	}
	return newScript(results)
}

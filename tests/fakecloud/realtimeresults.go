package fakecloud

// recognised sends a result of protocol B.
func (t *realtime) recognised(l line) {
	switch {
	case l.Raw != "":
		t.c.sendText([]byte(l.Raw))
		t.c.events++
	case !l.Final && t.c.on(OnlyFinals):
	case !l.Final:
		t.text(l)
	default:
		t.event("input_audio_buffer.speech_stopped", map[string]any{"audio_end_ms": l.End, "item_id": t.item()})
		t.commitEvents()
		t.completed(l)
	}
}

// commitEvents say that an item has its samples.
func (t *realtime) commitEvents() {
	var previous any
	if t.items > 1 {
		previous = (&realtime{items: t.items - 1}).item()
	}
	t.event("input_audio_buffer.committed", map[string]any{"previous_item_id": previous, "item_id": t.item()})
	t.event("conversation.item.created", map[string]any{"item": map[string]any{"id": t.item(), "object": "realtime.item",
		"type": "message", "status": "in_progress", "role": "user", "content": []any{map[string]any{"type": "input_audio"}}}})
}

// text sends a partial: all but its last word counts as stable.
func (t *realtime) text(l line) {
	words := splitWords(l.Text)
	stable := ""
	for _, w := range words[:max(len(words)-1, 0)] {
		stable = glue(stable, w)
	}
	if len(stable) > len(l.Text) || l.Text[:len(stable)] != stable {
		stable = "" // spaces that are not the usual ones
	}
	m := t.transcription("text", map[string]any{"text": stable, "stash": l.Text[len(stable):]})
	if t.c.on(CompletedFirst) {
		t.late = append(t.late, m)
		return
	}
	t.c.sendResult(m, "text")
	t.c.events++
}

// completed ends an item.
func (t *realtime) completed(l line) {
	if f, yes := t.c.take(ItemFailed); yes {
		t.event("conversation.item.input_audio_transcription.failed", map[string]any{"item_id": t.item(), "content_index": 0,
			"error": map[string]any{"code": orText(f.Code, "audio_unintelligible"), "param": "audio",
				"message": orText(f.Message, "something went wrong") + " " + Sentinel}})
		t.c.events++
		return
	}
	t.complete(l.Text)
	if f, yes := t.c.take(RepeatFinal); yes {
		for range orInt(f.Count, 1) {
			t.complete(l.Text)
		}
	}
	if f, yes := t.c.take(ReviseFinal); yes {
		t.complete(orText(f.Text, l.Text+" revised"))
	}
	if _, yes := t.c.take(CompletedFirst); yes {
		for _, m := range t.late {
			t.c.sendResult(m, "text")
			t.c.events++
		}
		t.late = nil
	}
}

func (t *realtime) complete(text string) {
	t.c.sendResult(t.transcription("completed", map[string]any{"transcript": text}), "transcript")
	t.c.events++
}

func (t *realtime) transcription(name string, rest map[string]any) map[string]any {
	rest["item_id"], rest["content_index"], rest["language"], rest["emotion"] = t.item(), 0, t.language, "neutral"
	return t.envelope("conversation.item.input_audio_transcription."+name, rest)
}

package fakecloud

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gorilla/websocket"
)

func TestTaskViolations(t *testing.T) {
	at := func(path string, value any) func() object {
		return func() object { return edit(aRun(taskID(1)), path, value) }
	}
	parameter := func(name string, value any) func() object { return at("payload.parameters."+name, value) }
	context := func(turns ...any) func() object { return at("payload.input.context", turns) }
	said := func(role, kind, text string) any {
		return object{"role": role, "content": []any{object{"type": kind, "text": text}}}
	}
	many := object{}
	for i := range 2001 {
		many[fmt.Sprint("term", i)] = 1
	}
	super := object{}
	for i := range 51 {
		super[fmt.Sprint("term", i)] = 50
	}
	for name, c := range map[string]struct {
		run  func() object
		want string
	}{
		"right":                        {at("header.streaming", "duplex"), ""},
		"preset":                       {parameter("multi_threshold_mode_enabled", true), ""},
		"threshold":                    {parameter("speech_noise_threshold", -0.25), ""},
		"hints":                        {parameter("language_hints", []string{"zh", "en"}), ""},
		"vocabulary":                   {parameter("vocabulary", object{"Voice Input": 5, "语音": 50}), ""},
		"context":                      {context(said("user", "input_text", "RareModel\nQwen-Audio-3")), ""},
		"dialogue":                     {context(said("user", "input_text", "a"), said("assistant", "text", "b")), ""},
		"streaming":                    {at("header.streaming", "out"), "wrong-value"},
		"no uuid":                      {at("header.task_id", "task-1"), "wrong-value"},
		"header member":                {at("header.more", 1), "unknown-field"},
		"no task":                      {at("payload.task", nil), "missing-field"},
		"task number":                  {at("payload.task", 1), "wrong-type"},
		"no input":                     {at("payload.input", nil), "missing-field"},
		"input null":                   {at("payload.input", []any{}), "wrong-type"},
		"unknown parameter":            {parameter("volume", 11), "unknown-field"},
		"context among the parameters": {parameter("context", "words"), "unknown-field"},
		"rate as a string":             {parameter("sample_rate", "16000"), "wrong-type"},
		"rate":                         {parameter("sample_rate", 48000), "wrong-value"},
		"no format":                    {parameter("format", nil), "missing-field"},
		"format":                       {parameter("format", "flac"), "wrong-value"},
		"heartbeat":                    {parameter("heartbeat", "true"), "wrong-type"},
		"silence":                      {parameter("max_sentence_silence", 100), "wrong-value"},
		"silence fraction":             {parameter("max_sentence_silence", 800.5), "wrong-type"},
		"threshold range":              {parameter("speech_noise_threshold", 1.5), "wrong-value"},
		"multi false":                  {parameter("multi_threshold_mode_enabled", false), "wrong-value"},
		"five hints":                   {parameter("language_hints", []string{"zh", "en", "ja", "ko", "fr"}), "wrong-value"},
		"hint":                         {parameter("language_hints", []string{"zh-Hans"}), "wrong-value"},
		"no terms":                     {parameter("vocabulary", object{}), "wrong-value"},
		"weight":                       {parameter("vocabulary", object{"a": 6}), "wrong-value"},
		"weight string":                {parameter("vocabulary", object{"a": "5"}), "wrong-type"},
		"many terms":                   {parameter("vocabulary", many), "wrong-value"},
		"many of weight 50":            {parameter("vocabulary", super), "too-long"},
		"untrimmed":                    {parameter("vocabulary", object{" a": 1}), "wrong-value"},
		"control":                      {parameter("vocabulary", object{"a\tb": 1}), "wrong-value"},
		"long term":                    {parameter("vocabulary", object{strings.Repeat("字", 16): 1}), "wrong-value"},
		"many words":                   {parameter("vocabulary", object{"a b c d e f g h": 1}), "wrong-value"},
		"twice after trim":             {parameter("vocabulary", object{"a": 1, "a ": 1}), "duplicate-field wrong-value"},
		"context too long":             {context(said("user", "input_text", strings.Repeat("字", 401))), "too-long"},
		"turn too long":                {context(said("user", "input_text", strings.Repeat("a", 300)), said("assistant", "text", strings.Repeat("a", 101))), "too-long"},
		"context kind":                 {context(said("user", "text", "a")), "wrong-value"},
		"context role":                 {context(said("system", "input_text", "a")), "wrong-value"},
		"context string":               {at("payload.input.context", "words"), "wrong-type"},
		"semantic and multi": {func() object {
			return edit(parameter("multi_threshold_mode_enabled", true)(), "payload.parameters.semantic_punctuation_enabled", true)
		}, "wrong-value"},
		"context for paraformer": {func() object {
			return edit(context(said("user", "input_text", "a"))(), "payload.model", "paraformer-realtime-v2")
		}, "unknown-field"},
		"weight 50 elsewhere": {func() object {
			return edit(parameter("vocabulary", object{"a": 50})(), "payload.model", "fun-asr-realtime")
		}, "wrong-value"},
	} {
		t.Run(name, func(t *testing.T) {
			srv := start(t, Scenario{})
			ws := dial(t, srv, TaskPath)
			ws.send(c.run())
			ws.next()
			if got := violations(srv); got != c.want {
				t.Errorf("violations = %q, want %q: %v", got, c.want, srv.Violations())
			}
		})
	}
}

func TestTaskOrder(t *testing.T) {
	for name, c := range map[string]struct {
		do    func(c *conn)
		want  string
		event string // the last one
	}{
		"audio first":        {func(c *conn) { c.sendAudio(Ramp(0, 10)) }, "audio-early", "task-failed"},
		"finish first":       {func(c *conn) { c.send(aFinish(taskID(1))); c.begin(1); c.finishTask() }, "order", ""},
		"run twice":          {func(c *conn) { c.begin(1); c.send(aRun(taskID(2))); c.finishTask() }, "order", ""},
		"audio after finish": {func(c *conn) { c.begin(1); c.finishAnd(func() { c.sendAudio(Ramp(0, 10)) }) }, "audio-late", ""},
		"finish twice":       {func(c *conn) { c.begin(1); c.finishAnd(func() { c.send(aFinish(c.id)) }) }, "order", ""},
		"finish another":     {func(c *conn) { c.begin(1); c.send(aFinish(taskID(7))); c.finishTask() }, "id-mismatch", ""},
		"finish with more":   {func(c *conn) { c.begin(1); c.send(edit(aFinish(c.id), "payload.input.x", 1)); c.untilFinished() }, "unknown-field", ""},
		"id again":           {func(c *conn) { c.begin(1); c.finishTask(); c.begin(1); c.finishTask() }, "id-reused", ""},
		"unknown action":     {func(c *conn) { c.send(edit(aRun(taskID(1)), "header.action", "stop-task")) }, "wrong-value", "task-failed"},
		"no JSON":            {func(c *conn) { c.sendText("{") }, "bad-json", "task-failed"},
		"member twice": {func(c *conn) {
			c.begin(1)
			c.sendText(`{"header":{"action":"finish-task","task_id":"` + c.id + `","streaming":"duplex","streaming":"duplex"},"payload":{"input":{}}}`)
			c.untilFinished()
		}, "duplicate-field", ""},
		"not UTF-8":           {func(c *conn) { c.sendText("{\"\xff\":1}") }, "frame wrong-value", "task-failed"},
		"empty frame":         {func(c *conn) { c.begin(1); c.sendAudio(nil); c.finishTask() }, "wrong-value", ""},
		"odd frame":           {func(c *conn) { c.begin(1); c.sendAudio(Ramp(0, 2)[:3]); c.finishTask() }, "audio-odd", ""},
		"gap":                 {func(c *conn) { c.begin(1); c.stream(0, 1600); c.stream(3200, 1600); c.finishTask() }, "audio-gap", ""},
		"unknown model":       {func(c *conn) { c.send(edit(aRun(taskID(1)), "payload.model", "whisper")) }, "wrong-value", "task-failed"},
		"half of a recording": {func(c *conn) { c.begin(1); c.stream(0, 1600); c.finishTask() }, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			srv := start(t, Scenario{})
			ws := dial(t, srv, TaskPath)
			c.do(ws)
			if c.event != "" {
				if m := ws.next(); eventName(m) != c.event {
					t.Errorf("answer = %v", m)
				}
				if _, err := ws.rest(); closeCode(err) != websocket.CloseNormalClosure {
					t.Errorf("end: %v", err)
				}
			}
			if got := violations(srv); got != c.want {
				t.Errorf("violations = %q, want %q: %v", got, c.want, srv.Violations())
			}
		})
	}
}

// finishAnd does something between finish-task and task-finished.
func (c *conn) finishAnd(do func()) {
	c.t.Helper()
	c.send(aFinish(c.id))
	do()
	c.untilFinished()
	// The next task shows that all before it was read.
	c.begin(99)
	c.finishTask()
}

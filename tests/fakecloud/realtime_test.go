package fakecloud

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gorilla/websocket"
)

const realtimeModel = RealtimePath + "?model=qwen3-asr-flash-realtime"

// anUpdate is a session.update that is right.
func anUpdate() object {
	var m object
	json.Unmarshal([]byte(`{"event_id":"event-1","type":"session.update","session":{"input_audio_format":"pcm","sample_rate":16000,
		"input_audio_transcription":{"language":"zh","corpus":{"text":"RareModel"}},
		"turn_detection":{"type":"server_vad","threshold":0.2,"silence_duration_ms":400}}}`), &m)
	return m
}

var eventCount int

func anEvent(kind string) object {
	eventCount++
	return object{"event_id": fmt.Sprint("test-", eventCount), "type": kind}
}

func anAppend(pcm []byte) object {
	return edit(anEvent("input_audio_buffer.append"), "audio", base64.StdEncoding.EncodeToString(pcm))
}

// briefly is an event in a few words.
func briefly(m object) string {
	kind, _ := m["type"].(string)
	short := kind[strings.LastIndex(kind, ".")+1:]
	switch {
	case m["stash"] != nil:
		return fmt.Sprintf("%v:%v|%v", m["item_id"], m["text"], m["stash"])
	case m["transcript"] != nil:
		return fmt.Sprintf("%v:%v!", m["item_id"], m["transcript"])
	case m["delta"] != nil:
		return fmt.Sprintf("+%v", m["delta"])
	case short == "done":
		return fmt.Sprintf("%v!", m["text"])
	}
	return short
}

// until reads events until one whose type ends so.
func (c *conn) untilEvent(suffix string) []string {
	c.t.Helper()
	var all []string
	for {
		m := c.next()
		all = append(all, briefly(m))
		if strings.HasSuffix(m["type"].(string), suffix) {
			return all
		}
	}
}

func dialRealtime(t *testing.T, srv *Server) *conn {
	t.Helper()
	c := dial(t, srv, realtimeModel)
	c.untilEvent("session.created")
	c.send(anUpdate())
	c.untilEvent("session.updated")
	return c
}

func (c *conn) appendAll(first, count int64) {
	for end := first + count; first < end; first += 1600 {
		c.send(anAppend(Ramp(first, min(1600, end-first))))
	}
}

func (c *conn) finishRealtime() []string {
	c.t.Helper()
	c.send(anEvent("session.finish"))
	return c.untilEvent("session.finished")
}

func TestRealtime(t *testing.T) {
	srv := start(t, Scenario{Results: Sentences(16000, "open the panel.", "close it."), Audio: Sound{Total: 32000}})
	c := dial(t, srv, realtimeModel)
	c.untilEvent("created")
	c.send(anUpdate())
	updated := c.next()
	if !reflect.DeepEqual(updated["session"], anUpdate()["session"]) {
		t.Errorf("updated = %v", updated)
	}
	c.appendAll(0, 32000)
	got := c.finishRealtime()
	want := []string{"speech_started", "item_1:|open", "item_1:open| the", "speech_stopped", "committed", "created", "item_1:open the panel.!",
		"speech_started", "item_2:|close", "speech_stopped", "committed", "created", "item_2:close it.!", "finished"}
	if !slices.Equal(got, want) {
		t.Errorf("events = %q\nwant %q", got, want)
	}
	c.close()
	j := until(t, srv, closed(1))[0]
	if !j.Audio[0].Exact(32000) || !j.Audio[0].Complete || j.Context[0] != "RareModel" {
		t.Errorf("session = %+v", j)
	}
	for _, text := range j.Texts("client") {
		if len(text) > 1000 {
			t.Errorf("the journal has sound: %.100s", text)
		}
	}
	check(t, srv)
}

func TestRealtimeByCommits(t *testing.T) {
	srv := start(t, Scenario{Results: Sentences(16000, "open it.", "close it.")})
	c := dial(t, srv, realtimeModel)
	c.next()
	c.send(edit(edit(anUpdate(), "session.turn_detection", 1), "session.turn_detection", json.RawMessage("null")))
	c.next()
	for i, want := range []string{"item_1:open it.!", "item_2:close it.!"} {
		c.appendAll(int64(i)*1600, 1600)
		c.send(anEvent("input_audio_buffer.commit"))
		if got := c.untilEvent("completed"); got[0] != "committed" || got[len(got)-1] != want {
			t.Errorf("events = %q", got)
		}
	}
	c.finishRealtime()
	check(t, srv)
}

func TestRealtimeWithoutSpeech(t *testing.T) {
	srv := start(t, Scenario{})
	c := dialRealtime(t, srv)
	c.appendAll(0, 1600)
	if got := c.finishRealtime(); len(got) != 1 {
		t.Errorf("events = %q", got)
	}
	check(t, srv)
}

func TestRealtimeViolations(t *testing.T) {
	update := func(path string, value any) func(*conn) {
		return func(c *conn) { c.send(edit(anUpdate(), path, value)); c.next() }
	}
	fine := func(c *conn) { c.send(anUpdate()); c.next() }
	for name, c := range map[string]struct {
		do   func(*conn)
		want string
	}{
		"right":              {fine, ""},
		"no language":        {update("session.input_audio_transcription.language", nil), ""},
		"rate string":        {update("session.sample_rate", "16000"), "wrong-type wrong-value"},
		"rate":               {update("session.sample_rate", 12000), "wrong-value"},
		"no format":          {update("session.input_audio_format", nil), "missing-field"},
		"no turn detection":  {update("session.turn_detection", nil), "missing-field"},
		"threshold":          {update("session.turn_detection.threshold", 2), "wrong-value"},
		"silence":            {update("session.turn_detection.silence_duration_ms", 50), "wrong-value"},
		"unknown":            {update("session.modalities", []string{"text"}), "unknown-field"},
		"empty corpus":       {update("session.input_audio_transcription.corpus", object{"text": ""}), "wrong-value"},
		"no event id":        {update("event_id", nil), "missing-field"},
		"id again":           {func(c *conn) { fine(c); c.send(edit(anEvent("session.finish"), "event_id", "event-1")); c.next() }, "id-reused"},
		"unknown event":      {func(c *conn) { c.send(anEvent("response.create")); c.next() }, "wrong-value"},
		"binary":             {func(c *conn) { c.sendAudio(Ramp(0, 9)); c.next() }, "wrong-type"},
		"audio first":        {func(c *conn) { c.send(anAppend(Ramp(0, 9))); c.next() }, "audio-early"},
		"no base64":          {func(c *conn) { fine(c); c.send(edit(anAppend(nil), "audio", "*")); c.finishRealtime() }, "wrong-value"},
		"commit in VAD mode": {func(c *conn) { fine(c); c.appendAll(0, 9); c.send(anEvent("input_audio_buffer.commit")); c.next() }, "order"},
		"audio after finish": {func(c *conn) {
			fine(c)
			c.finishRealtime()
			c.appendAll(0, 9)
			c.close()
			c.rest()
		}, "audio-late order"},
		"finish first": {func(c *conn) { c.finishRealtime() }, "order"},
		"gap":          {func(c *conn) { fine(c); c.appendAll(0, 1600); c.appendAll(3200, 1600); c.finishRealtime() }, "audio-gap"},
		"update late":  {func(c *conn) { fine(c); c.appendAll(0, 9); c.send(edit(anUpdate(), "event_id", "x")); c.next() }, "order"},
	} {
		t.Run(name, func(t *testing.T) {
			srv := start(t, Scenario{})
			ws := dial(t, srv, realtimeModel)
			ws.next()
			c.do(ws)
			if name == "audio after finish" {
				until(t, srv, closed(1))
			}
			if got := violations(srv); got != c.want {
				t.Errorf("violations = %q, want %q: %v", got, c.want, srv.Violations())
			}
		})
	}
	srv := start(t, Scenario{})
	dial(t, srv, RealtimePath+"?model=whisper&intent=x").next()
	if got := violations(srv); got != "unknown-field wrong-value" {
		t.Errorf("query: %v", srv.Violations())
	}
}

func TestFaultsOfRealtime(t *testing.T) {
	for name, c := range map[string]struct {
		fault Fault
		want  string
	}{
		MissedSpeech:    {Fault{}, "item_1:|open stopped committed created item_1:open it.! finished"},
		SpeechNoText:    {Fault{}, "started finished"},
		CompletedFirst:  {Fault{}, "started stopped committed created item_1:open it.! item_1:|open finished"},
		ItemFailed:      {Fault{Code: "x"}, "started item_1:|open stopped committed created failed finished"},
		ErrorKeepsOpen:  {Fault{}, "error started item_1:|open stopped committed created item_1:open it.! finished"},
		RepeatFinal:     {Fault{}, "started item_1:|open stopped committed created item_1:open it.! item_1:open it.! finished"},
		ReviseFinal:     {Fault{Text: "x"}, "started item_1:|open stopped committed created item_1:open it.! item_1:x! finished"},
		OnlyFinals:      {Fault{}, "started stopped committed created item_1:open it.! finished"},
		EmptyResult:     {Fault{}, "finished"},
		UnknownEvent:    {Fault{}, "changed started item_1:|open stopped committed created item_1:open it.! finished"},
		DupTaskStarted:  {Fault{}, "updated started item_1:|open stopped committed created item_1:open it.! finished"},
		TextNotString:   {Fault{}, "started item_1:12345|open stopped committed created item_1:open it.! finished"},
		Fragments:       {Fault{}, "started item_1:|open stopped committed created item_1:open it.! finished"},
		PunctuationOnly: {Fault{}, "started stopped committed created item_1:.! finished"},
	} {
		t.Run(name, func(t *testing.T) {
			c.fault.Name = name
			srv := start(t, Scenario{Results: Sentences(16000, "open it."), Faults: []Fault{c.fault}})
			ws := dialRealtime(t, srv)
			ws.appendAll(0, 16000)
			got := strings.Join(ws.finishRealtime(), " ")
			if got = strings.ReplaceAll(got, "speech_", ""); got != c.want {
				t.Errorf("events = %q\nwant %q", got, c.want)
			}
			happened(t, srv, name)
			check(t, srv)
		})
	}
	t.Run(TaskFailed, func(t *testing.T) {
		srv := start(t, Scenario{Faults: []Fault{{Name: TaskFailed, Code: "Arrearage", When: Started}}})
		all, err := dialRealtime(t, srv).rest()
		if len(all) != 1 || !strings.Contains(all[0], `"code":"Arrearage"`) || closeCode(err) != 1000 {
			t.Errorf("%q, %v", all, err)
		}
	})
	t.Run("an error closes", func(t *testing.T) {
		srv := start(t, Scenario{Realtime: RealtimeOptions{CloseOnError: true}})
		c := dialRealtime(t, srv)
		c.appendAll(0, 9)
		c.send(anEvent("input_audio_buffer.commit"))
		if all, err := c.rest(); len(all) != 1 || closeCode(err) != websocket.ClosePolicyViolation {
			t.Errorf("%q, %v", all, err)
		}
	})
	t.Run("tolerant", func(t *testing.T) {
		srv := start(t, Scenario{Realtime: RealtimeOptions{Tolerant: true}, Results: Sentences(1600, "a.")})
		c := dial(t, srv, realtimeModel)
		c.next()
		c.appendAll(0, 1600)
		if got := c.finishRealtime(); !slices.Contains(got, "item_1:a.!") {
			t.Errorf("events = %q", got)
		}
		check(t, srv)
	})
}

const openAITranscription = OpenAIRealtimePath + "?intent=transcription"

func anOpenAIUpdate() object {
	var m object
	json.Unmarshal([]byte(`{"type":"session.update","session":{"type":"transcription","audio":{"input":{
		"format":{"type":"audio/pcm","rate":24000},"noise_reduction":null,
		"transcription":{"model":"gpt-live-transcribe","language":"en","keywords":["Qwen-Audio-3"]},"turn_detection":null}}}}`), &m)
	return m
}

func TestOpenAIRealtime(t *testing.T) {
	srv := start(t, Scenario{Results: Sentences(16000, "open it.")})
	c := dial(t, srv, openAITranscription)
	c.untilEvent("session.created")
	c.send(anOpenAIUpdate())
	c.untilEvent("session.updated")
	c.appendAll(0, 16000)
	c.send(object{"type": "input_audio_buffer.commit"})
	if got := c.untilEvent("completed"); !slices.Equal(got, []string{"committed", "+open ", "+it.", "item_1:open it.!"}) {
		t.Errorf("events = %q", got)
	}
	c.send(object{"type": "input_audio_buffer.commit"})
	c.untilEvent("error")
	if got := violations(srv); got != BadOrder {
		t.Errorf("violations = %q", got)
	}
	if a := srv.Journal()[0].Audio[0]; !a.Exact(16000) || a.Rate != 24000 {
		t.Errorf("audio = %+v", a)
	}
}

func TestOpenAIRealtimeVAD(t *testing.T) {
	srv := start(t, Scenario{Results: Sentences(16000, "open it.")})
	c := dial(t, srv, openAITranscription)
	c.next()
	c.send(edit(anOpenAIUpdate(), "session.audio.input.turn_detection", object{"type": "server_vad", "silence_duration_ms": 500}))
	c.next()
	c.appendAll(0, 16000)
	if got := c.untilEvent("completed"); strings.Join(got, " ") != "speech_started speech_stopped committed +open  +it. item_1:open it.!" {
		t.Errorf("events = %q", got)
	}
	check(t, srv)
}

func TestOpenAIRealtimeVLLM(t *testing.T) {
	srv := start(t, Scenario{Results: Sentences(16000, "open it."), OpenAIRealtime: OpenAIRealtimeOptions{VLLM: true}})
	c := dial(t, srv, OpenAIRealtimePath)
	c.untilEvent("session.created")
	c.send(object{"type": "session.update", "model": "m"})
	c.send(object{"type": "input_audio_buffer.append", "audio": base64.StdEncoding.EncodeToString(Ramp(0, 16000))})
	c.send(object{"type": "input_audio_buffer.commit"})
	c.send(object{"type": "input_audio_buffer.commit", "final": true})
	if got := c.untilEvent("done"); !slices.Equal(got, []string{"+open ", "+it.", "open it.!"}) {
		t.Errorf("events = %q", got)
	}
	check(t, srv)
}

func TestOpenAIRealtimeViolations(t *testing.T) {
	const input = "session.audio.input."
	for path, c := range map[string]struct {
		value any
		want  string
	}{
		input + "format.rate":            {16000, "wrong-value"},
		input + "transcription.model":    {"whisper-1", "unknown-field"}, // which has no keywords
		input + "transcription.delay":    {"low", "unknown-field"},
		input + "turn_detection":         {object{"type": "semantic_vad"}, "wrong-value"},
		"session.type":                   {"realtime", "wrong-value"},
		"session.model":                  {"m", "unknown-field"},
		input + "transcription.keywords": {"a", "wrong-type"},
	} {
		t.Run(path, func(t *testing.T) {
			srv := start(t, Scenario{})
			ws := dial(t, srv, openAITranscription)
			ws.next()
			ws.send(edit(anOpenAIUpdate(), path, c.value))
			ws.next()
			if got := violations(srv); got != c.want {
				t.Errorf("violations = %q, want %q: %v", got, c.want, srv.Violations())
			}
		})
	}
}

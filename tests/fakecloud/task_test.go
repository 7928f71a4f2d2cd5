package fakecloud

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/gorilla/websocket"
)

// aRun is a run-task that is right.
func aRun(id string) object {
	var m object
	json.Unmarshal([]byte(`{"header":{"action":"run-task","task_id":"`+id+`","streaming":"duplex"},
		"payload":{"task_group":"audio","task":"asr","function":"recognition","model":"qwen-audio-3.0-asr-flash-streaming","input":{},
		"parameters":{"format":"pcm","sample_rate":16000,"heartbeat":true,"max_sentence_silence":800,"semantic_punctuation_enabled":false}}}`), &m)
	return m
}

func aFinish(id string) object {
	return object{"header": object{"action": "finish-task", "task_id": id, "streaming": "duplex"}, "payload": object{"input": object{}}}
}

func taskID(n int) string { return fmt.Sprintf("4f0c6f1e-6c1b-4b7a-9a53-%012d", n) }

// dialTask dials and starts a task with the n-th id.
func dialTask(t *testing.T, srv *Server, n int) *conn {
	t.Helper()
	c := dial(t, srv, TaskPath)
	c.begin(n)
	return c
}

func (c *conn) begin(n int) {
	c.t.Helper()
	c.id = taskID(n)
	c.send(aRun(c.id))
	if m := c.next(); eventName(m) != "task-started" {
		c.t.Fatalf("answer to run-task: %v", m)
	}
}

// stream sends samples of the ramp in frames of 100 ms.
func (c *conn) stream(first, count int64) error {
	for end := first + count; first < end; first += 1600 {
		if err := c.sendAudio(Ramp(first, min(1600, end-first))); err != nil {
			return err
		}
	}
	return nil
}

func eventName(m object) string {
	header, _ := m["header"].(object)
	name, _ := header["event"].(string)
	return name
}

func sentenceOf(m object) object {
	payload, _ := m["payload"].(object)
	output, _ := payload["output"].(object)
	sentence, _ := output["sentence"].(object)
	return sentence
}

// finishTask finishes and returns all that comes until task-finished.
func (c *conn) finishTask() []object {
	c.t.Helper()
	c.send(aFinish(c.id))
	return c.untilFinished()
}

func (c *conn) untilFinished() []object {
	c.t.Helper()
	var all []object
	for {
		m := c.next()
		all = append(all, m)
		if eventName(m) == "task-finished" {
			return all
		}
	}
}

// texts are the texts of results, finals with a full stop's mark "!".
func texts(all []object) []string {
	var texts []string
	for _, m := range all {
		s := sentenceOf(m)
		if s == nil || s["heartbeat"] == true {
			continue
		}
		text := fmt.Sprint(s["sentence_id"], ":", s["text"])
		if s["sentence_end"] == true {
			text += "!"
		}
		texts = append(texts, text)
	}
	return texts
}

func TestTask(t *testing.T) {
	srv := start(t, Scenario{Results: Sentences(16000, "open the panel.", "你好。"), Audio: Sound{Total: 40000}})
	c := dialTask(t, srv, 1)
	if err := c.stream(0, 40000); err != nil {
		t.Fatal(err)
	}
	all := c.finishTask()
	want := []string{"1:open", "1:open the", "1:open the panel.!", "2:你", "2:你好。!"}
	if got := texts(all); !reflect.DeepEqual(got, want) {
		t.Errorf("texts = %q, want %q", got, want)
	}
	for _, m := range all {
		s := sentenceOf(m)
		if s == nil {
			continue
		}
		if s["heartbeat"] == true {
			if s["text"] != Sentinel || s["sentence_id"] != 0.0 {
				t.Errorf("heartbeat = %v", s)
			}
			continue
		}
		_, timed := s["end_time"].(float64)
		usage := m["payload"].(object)["usage"]
		if final := s["sentence_end"] == true; timed != final || (usage != nil) != final || len(s["words"].([]any)) == 0 {
			t.Errorf("result = %v", m)
		}
	}
	c.close()
	j := until(t, srv, closed(1))[0]
	if j.Closed.By != "client" || j.Closed.Code != 1000 || j.Headers["Authorization"] != "ok" {
		t.Errorf("session = %+v", j)
	}
	if a := j.Audio[0]; !a.Exact(40000) || a.Frames != 25 || a.Sizes[3200] != 25 || !a.Complete || a.Task != c.id || len(a.Arrivals) != 25 {
		t.Errorf("audio = %+v", a)
	}
	srv.Check(t)
}

// What is recognised depends on the samples alone.
func TestTaskResultsComeBySamples(t *testing.T) {
	srv := start(t, Scenario{Results: []Result{{At: 1600, Text: "a"}, {At: 3200, Text: "ab", Final: true}, {At: 3200, Late: true, Text: "c"},
		{At: 90000, Text: "left out"}, {At: 90000, Text: "cd", Final: true}}})
	c := dialTask(t, srv, 1)
	c.stream(0, 1600)
	if got := texts([]object{c.next()}); got[0] != "1:a" {
		t.Errorf("first = %q", got)
	}
	c.stream(1600, 1600)
	if got := texts([]object{c.next()}); got[0] != "1:ab!" {
		t.Errorf("second = %q", got)
	}
	if got, want := texts(c.finishTask()), []string{"2:c", "2:cd!"}; !reflect.DeepEqual(got, want) {
		t.Errorf("late = %q, want %q", got, want)
	}
	check(t, srv)
}

func TestTaskTakesAnotherTask(t *testing.T) {
	srv := start(t, Scenario{Results: Sentences(1600, "one."), Scale: 0.04})
	c := dialTask(t, srv, 1)
	c.stream(0, 1600)
	c.finishTask()
	c.begin(2)
	c.stream(0, 1600)
	if got := texts(c.finishTask()); len(got) != 1 || got[0] != "1:one.!" {
		t.Errorf("second task = %q", got)
	}
	// Then it waits a minute, scaled.
	if _, err := c.rest(); closeCode(err) != websocket.CloseNormalClosure {
		t.Errorf("idle: %v", err)
	}
	if audio := until(t, srv, closed(1))[0].Audio; len(audio) != 2 || !audio[1].Exact(1600) {
		t.Errorf("audio = %+v", audio)
	}
	check(t, srv)
}

// The key is refused in the upgrade, and is nowhere in the journal.
func TestTaskKey(t *testing.T) {
	srv := start(t, Scenario{Token: "sk-very-secret"})
	if _, err := tryDial(t, srv, TaskPath, "sk-wrong"); err == nil || !strings.Contains(err.Error(), "401") {
		t.Errorf("a wrong key: %v", err)
	}
	c := dial(t, srv, TaskPath+"?key=sk-very-secret")
	c.send(edit(aRun(taskID(1)), "payload.parameters.vocabulary_id", "sk-very-secret"))
	c.next()
	if got := violations(srv); got != "key-leaked" || len(srv.Violations()) != 2 {
		t.Errorf("violations = %v", srv.Violations())
	}
	text, _ := json.Marshal(srv.Journal())
	if strings.Contains(string(text), "sk-very") || strings.Contains(string(text), "sk-wrong") {
		t.Errorf("a key is in the journal: %s", text)
	}
	if j := srv.Journal(); j[0].Headers["Authorization"] != "bad" || j[1].Headers["Authorization"] != "ok" || j[0].Closed.Code != 401 {
		t.Errorf("journal = %+v", j)
	}
}

// The services' own times.
func TestTaskTimes(t *testing.T) {
	t.Run("23 seconds without a frame", func(t *testing.T) {
		srv := start(t, Scenario{Scale: 0.01})
		c := dialTask(t, srv, 1)
		c.stream(0, 1600)
		all, err := c.rest()
		if len(all) != 1 || !strings.Contains(all[0], `"error_message":"request timeout after 23 seconds."`) || closeCode(err) != 1000 {
			t.Errorf("%q, %v", all, err)
		}
		check(t, srv)
	})
	silence := make([]byte, 2*16000)
	for _, heartbeat := range []bool{true, false} {
		t.Run(fmt.Sprintf("a minute of silence, heartbeat=%v", heartbeat), func(t *testing.T) {
			srv := start(t, Scenario{Scale: 0.03, Audio: Sound{Any: true}}) // 1.8 s
			c := dial(t, srv, TaskPath)
			c.send(edit(aRun(taskID(1)), "payload.parameters.heartbeat", heartbeat))
			c.next()
			for range 4 {
				c.sendAudio(silence)
			}
			c.send(aFinish(taskID(1)))
			all, err := c.rest()
			if heartbeat && len(all) != 5 || !heartbeat && len(all) != 0 {
				t.Errorf("%q, %v", all, err)
			}
		})
	}
}

func TestTaskOutput(t *testing.T) {
	for output, want := range map[string]string{
		"":         `{"output":{},"usage":null}`,
		"text":     `{"output":{"text":"one. two."},"usage":null}`,
		"sentence": `{"output":{"sentence":{"text":"one. two."}},"usage":null}`,
		"empty":    `{}`,
		"none":     `null`,
	} {
		t.Run(output, func(t *testing.T) {
			srv := start(t, Scenario{Results: Sentences(1600, "one.", "two."), Task: TaskOptions{Output: output}})
			all := dialTask(t, srv, 1).finishTask()
			if got, _ := json.Marshal(all[len(all)-1]["payload"]); string(got) != want {
				t.Errorf("payload = %s, want %s", got, want)
			}
		})
	}
}

func TestTaskRefuses(t *testing.T) {
	srv := start(t, Scenario{Task: TaskOptions{Refuse: true}})
	c := dial(t, srv, TaskPath)
	c.send(edit(aRun(taskID(1)), "payload.parameters.volume", 11))
	if all, _ := c.rest(); len(all) != 1 || !strings.Contains(all[0], `"error_code":"InvalidParameter"`) {
		t.Errorf("%q", all)
	}
}

func TestTaskKeepsTheContext(t *testing.T) {
	srv := start(t, Scenario{})
	c := dial(t, srv, TaskPath)
	long := strings.Repeat("a", 399) + "字字"
	c.send(edit(aRun(taskID(1)), "payload.input.context", []any{object{"role": "user", "content": []any{object{"type": "input_text", "text": long}}}}))
	c.next()
	if got := srv.Journal()[0].Context; len(got) != 1 || got[0] != strings.Repeat("a", 399)+"字" {
		t.Errorf("context = %q", got)
	}
}

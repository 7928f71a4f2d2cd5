package fakecloud

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/gorilla/websocket"
)

// The service's own times.
const (
	noFrames   = 23 * time.Second // without a frame a task fails
	allSilence = 60 * time.Second // of silent samples close a task without heartbeats
	noTask     = 60 * time.Second // without a task the connection is closed
)

// task is protocol A on one connection, one task after the other.
type task struct {
	c        *socket
	state    Moment // Opened: no task runs
	id       string
	rate     int
	beats    bool // heartbeats were asked for
	lastBeat int64
	ear      *ear
	script   *script
	texts    string // all finals
	held     *line  // a final that waits for the next one; SwapFinals
}

func newTask(c *socket) dialogue { return &task{c: c, state: Opened} }

func (t *task) opened() { t.idle() }

// idle closes a connection on which no task is begun.
func (t *task) idle() {
	t.c.after("idle", t.c.srv.scaled(noTask), func() { t.c.closeWith(websocket.CloseNormalClosure) })
}

// expectFrames fails a task that gets no more frames.
func (t *task) expectFrames() {
	t.c.after("idle", t.c.srv.scaled(noFrames), func() {
		t.fail("CLIENT_ERROR", "request timeout after 23 seconds.")
	})
}

func (t *task) message(kind int, data []byte) {
	if kind == websocket.BinaryMessage {
		t.audio(data)
		return
	}
	if strings.ToValidUTF8(string(data), "") != string(data) {
		t.c.s.violate(BadFrame, "", "a text message that is not UTF-8")
	}
	v, ok := parse(data, t.c.s.violate)
	if !ok {
		t.fail("CLIENT_ERROR", "malformed message")
		return
	}
	switch action := textAt(v, "header", "action"); action {
	case "run-task":
		t.run(v)
	case "finish-task":
		t.finish(v)
	case "continue-task":
		continueTask(v, "", t.c.s.violate)
		t.sameID(v)
		if t.state != Started {
			t.c.s.violate(BadOrder, "continue-task", "")
		}
	default:
		t.c.s.violate(WrongValue, "header.action", action)
		t.fail("CLIENT_ERROR", "unknown action")
	}
}

// run begins a task.
func (t *task) run(v any) {
	if t.state != Opened {
		t.c.s.violate(BadOrder, "run-task", "a task runs")
		return
	}
	bad := 0
	runTask(v, "", func(code, path, detail string) {
		bad++
		t.c.s.violate(code, path, detail)
	})
	t.id = textAt(v, "header", "task_id")
	if !t.c.srv.newTask(t.id) {
		t.c.s.violate(IDReused, "header.task_id", "")
	}
	kept := keptContext(at(v, "payload", "input", "context"))
	t.c.s.change(func(j *Session) { j.Context = append(j.Context, kept) })
	t.rate = 16000
	if n, ok := at(v, "payload", "parameters", "sample_rate").(json.Number); ok {
		if rate, err := n.Int64(); err == nil && rate > 0 {
			t.rate = int(rate)
		}
	}
	t.beats, _ = at(v, "payload", "parameters", "heartbeat").(bool)
	t.lastBeat, t.texts, t.held = 0, "", nil
	t.ear = t.c.s.listen(t.id, t.rate, true)
	t.script = t.c.newScript()
	delete(t.c.timers, "idle")
	t.state = Asked
	t.c.reach(Asked)
	switch {
	case t.c.ended || t.c.on(NoTaskStarted):
	case !slices.Contains(taskModels, textAt(v, "payload", "model")):
		t.fail("ModelNotFound", "no such model")
	case bad > 0 && t.c.srv.Scenario.Task.Refuse:
		t.fail("InvalidParameter", "a parameter is wrong")
	default:
		t.c.after("start", t.c.srv.Scenario.Task.StartDelay.Duration(), func() {
			t.event("task-started", map[string]any{})
			t.state = Started
			t.expectFrames()
			t.c.reach(Started)
		})
	}
}

// sameID says whether a message is of the task that runs.
func (t *task) sameID(v any) bool {
	if textAt(v, "header", "task_id") == t.id {
		return true
	}
	t.c.s.violate(IDMismatch, "header.task_id", "")
	return false
}

func (t *task) audio(data []byte) {
	switch {
	case t.state == Finished || t.state == Opened && t.id != "":
		t.c.s.violate(AudioLate, t.id, "")
		return
	case t.state != Started:
		t.c.s.violate(AudioEarly, t.id, "")
		t.fail("CLIENT_ERROR", "audio before task-started")
		return
	}
	if len(data) == 0 {
		t.c.s.violate(WrongValue, "audio", "an empty frame")
	}
	t.expectFrames()
	t.c.samples = t.ear.hear(data)
	if !t.beats && t.ear.silent() >= int64(t.c.srv.scaled(allSilence).Seconds()*float64(t.rate)) {
		t.c.closeWith(websocket.CloseNormalClosure)
		return
	}
	t.heartbeats()
	t.c.settle()
	t.pump()
}

// heartbeats are sent by samples, so that their number is the same at any
// speed.
func (t *task) heartbeats() {
	every := t.c.srv.Scenario.Task.HeartbeatEvery
	if every == 0 {
		every = 16000
	}
	for ; t.beats && t.lastBeat+every <= t.c.samples; t.lastBeat += every {
		if !t.c.on(NoHeartbeat) && (!t.c.stalled() || t.c.on(StallHeartbeats)) {
			t.heartbeat()
		}
	}
}

// heartbeat passes by what silences everything else.
func (t *task) heartbeat() {
	data, _ := json.Marshal(t.envelope("result-generated", map[string]any{"output": map[string]any{"sentence": map[string]any{
		"sentence_id": 0, "heartbeat": true, "sentence_end": false, "text": Sentinel}}}))
	t.c.write(websocket.TextMessage, data)
}

// pump sends what is recognised by now.
func (t *task) pump() {
	for !t.c.ended && !t.c.stalled() {
		l, more := t.script.take(t.c.samples, t.state == Finished)
		if !more {
			return
		}
		t.recognised(l)
		t.c.settle()
	}
}

// finish ends a task.
func (t *task) finish(v any) {
	finishTask(v, "", t.c.s.violate)
	if t.state != Started {
		t.c.s.violate(BadOrder, "finish-task", "no task takes samples")
		return
	}
	if !t.sameID(v) {
		return
	}
	t.state = Finished
	t.ear.finish()
	delete(t.c.timers, "idle")
	delete(t.c.timers, "flood")
	t.c.reach(Finished)
	t.pump()
	if t.held != nil {
		t.result(*t.held)
		t.held = nil
	}
	if t.c.ended || t.c.on(NeverFinished) || t.c.stalled() {
		return
	}
	if f, late := t.c.take(DelayFinished); late {
		t.c.after("finish", f.For.Duration(), t.finished)
		return
	}
	t.finished()
}

// finished says that the task is done and makes ready for another one.
func (t *task) finished() {
	output := map[string]any{}
	payload := map[string]any{"output": output, "usage": nil}
	switch t.c.srv.Scenario.Task.Output {
	case "text":
		output["text"] = t.texts
	case "sentence":
		output["sentence"] = map[string]any{"text": t.texts}
	case "empty":
		payload = map[string]any{}
	case "none":
		payload = nil
	}
	t.event("task-finished", payload)
	if t.c.ended || t.c.stalled() {
		return
	}
	t.state = Opened
	t.c.progress = progress{moment: Opened, since: time.Now(), task: t.c.task + 1}
	t.idle()
}

// event sends an event of the task.
func (t *task) event(name string, payload map[string]any) { t.c.send(t.envelope(name, payload)) }

func (t *task) envelope(name string, payload map[string]any) map[string]any {
	m := map[string]any{"header": map[string]any{"task_id": t.id, "event": name, "attributes": map[string]any{}}}
	if payload != nil {
		m["payload"] = payload
	}
	return m
}

// fail fails the task and closes the connection.
func (t *task) fail(code, message string) {
	m := t.envelope("task-failed", map[string]any{})
	header := m["header"].(map[string]any)
	header["error_code"], header["error_message"] = code, message
	t.c.send(m)
	if !t.c.ended && !t.c.stalled() {
		t.c.closeWith(websocket.CloseNormalClosure)
	}
}

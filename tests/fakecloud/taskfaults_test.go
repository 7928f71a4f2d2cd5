package fakecloud

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/gorilla/websocket"
)

// spoken is a task of two sentences with a fault; 32000 samples are sent.
func spoken(t *testing.T, f Fault) (*Server, *conn) {
	t.Helper()
	srv := start(t, Scenario{Results: Sentences(16000, "open it.", "close it."), Faults: []Fault{f}})
	c := dialTask(t, srv, 1)
	if err := c.stream(0, 32000); err != nil {
		t.Fatal(err)
	}
	return srv, c
}

// happened fails unless exactly this fault is in the journal.
func happened(t *testing.T, srv *Server, name string) {
	t.Helper()
	for _, j := range srv.Journal() {
		if len(j.Faults) == 1 && j.Faults[0] == name {
			return
		}
	}
	t.Errorf("%s is not in the journal: %+v", name, srv.Journal())
}

// What a task without faults gives.
var whole = []string{"1:open", "1:open it.!", "2:close", "2:close it.!"}

func TestFaultsOfSentences(t *testing.T) {
	for name, c := range map[string]struct {
		fault Fault
		want  []string
	}{
		RepeatFinal:     {Fault{Count: 2}, []string{"1:open", "1:open it.!", "1:open it.!", "1:open it.!", "2:close", "2:close it.!"}},
		ReviseFinal:     {Fault{Text: "opened."}, []string{"1:open", "1:open it.!", "1:opened.!", "2:close", "2:close it.!"}},
		LatePartial:     {Fault{Text: "ope"}, []string{"1:open", "1:open it.!", "1:ope", "2:close", "2:close it.!"}},
		SwapFinals:      {Fault{}, []string{"1:open", "2:close", "2:close it.!", "1:open it.!"}},
		ZeroFinal:       {Fault{}, []string{"1:open", "0:open it.!", "2:close", "2:close it.!"}},
		MissingID:       {Fault{}, []string{"1:open", "<nil>:open it.!", "2:close", "2:close it.!"}},
		MissingEnd:      {Fault{}, []string{"1:open", "1:open it.", "2:close", "2:close it.!"}},
		OnlyFinals:      {Fault{}, []string{"1:open it.!", "2:close it.!"}},
		FinishedText:    {Fault{Text: "more"}, append(whole[:4:4], "3:more")},
		EmptyResult:     {Fault{}, nil},
		EarlyResult:     {Fault{When: Started}, append([]string{"1:early"}, whole...)},
		PunctuationOnly: {Fault{Text: "。"}, []string{"1:。!"}},
		NullSentence:    {Fault{}, whole[1:]},
		UnknownEvent:    {Fault{}, whole},
		TextNotString:   {Fault{}, append([]string{"1:12345"}, whole[1:]...)},
		ManyWords:       {Fault{}, whole},
		BadTimestamps:   {Fault{}, whole},
		InvalidUTF8:     {Fault{}, append([]string{"1:open" + strings.Repeat("\ufffd", 6)}, whole[1:]...)},
		DupKeys:         {Fault{}, whole},
		DeepNesting:     {Fault{Count: 5000}, whole},
		Oversized:       {Fault{}, whole},
		Fragments:       {Fault{}, whole},
		Interleave:      {Fault{}, whole},
		Compression:     {Fault{}, whole},
		PingStorm:       {Fault{Count: 50}, whole},
		WrongTaskID:     {Fault{}, whole},
		NoHeartbeat:     {Fault{}, whole},
		HeartbeatFlood:  {Fault{}, whole},
		NoPong:          {Fault{}, whole},
		DelayFinished:   {Fault{For: 50}, whole},
	} {
		t.Run(name, func(t *testing.T) {
			c.fault.Name = name
			srv, ws := spoken(t, c.fault)
			if got := texts(ws.finishTask()); !reflect.DeepEqual(got, c.want) {
				t.Errorf("texts = %q, want %q", got, c.want)
			}
			happened(t, srv, name)
			check(t, srv)
		})
	}
}

// What the bytes of the messages are, for the faults where that is the point.
func TestFaultsOfMessages(t *testing.T) {
	hit := func(all []string, wanted func(string) bool) int {
		n := 0
		for _, m := range all {
			if wanted(m) {
				n++
			}
		}
		return n
	}
	has := func(part string) func(string) bool { return func(m string) bool { return strings.Contains(m, part) } }
	for name, c := range map[string]struct {
		fault  Fault
		wanted func(string) bool
		times  int
	}{
		MalformedJSON:  {Fault{}, func(m string) bool { return !json.Valid([]byte(m)) && strings.Contains(m, Sentinel) }, 1},
		TruncatedJSON:  {Fault{}, func(m string) bool { return !json.Valid([]byte(m)) }, 1},
		InvalidUTF8:    {Fault{}, func(m string) bool { return !utf8.ValidString(m) }, 1},
		Oversized:      {Fault{}, func(m string) bool { return len(m) == 1<<20+1 }, 1},
		DupKeys:        {Fault{}, func(m string) bool { return strings.Contains(m, `"text":"`+Sentinel+`","text":"open"`) }, 1},
		DeepNesting:    {Fault{}, has(strings.Repeat("[", 20000)), 1},
		ManyWords:      {Fault{}, func(m string) bool { return strings.Count(m, `"text":"w"`) == 3000 }, 1},
		BadTimestamps:  {Fault{}, has(`"begin_time":"soon"`), 1},
		NullSentence:   {Fault{}, has(`"sentence":null`), 1},
		WrongTaskID:    {Fault{}, has("00000000-0000-4000-8000-000000000000"), 1},
		UnknownEvent:   {Fault{}, has("weather-changed"), 1},
		DupTaskStarted: {Fault{}, has("task-started"), 1}, // besides the one that begin reads
		MissingEnd:     {Fault{}, func(m string) bool { return !strings.Contains(m, "sentence_end") && strings.Contains(m, "sentence_id") }, 1},
		NoHeartbeat:    {Fault{}, has(`"heartbeat":true`), 0},
		Binary:         {Fault{Bytes: 99}, func(m string) bool { return len(m) == 99 }, 1},
		Refuse:         {Fault{Connection: 5}, has(`"heartbeat":true`), 2}, // none that happens here
	} {
		t.Run(name, func(t *testing.T) {
			c.fault.Name = name
			_, ws := spoken(t, c.fault)
			ws.send(aFinish(ws.id))
			var all []string
			for {
				m, err := ws.read()
				if err != nil {
					t.Fatalf("%v after %q", err, all)
				}
				all = append(all, m)
				if strings.Contains(m, "task-finished") {
					break
				}
			}
			if n := hit(all, c.wanted); n != c.times {
				t.Errorf("%d messages are as wanted, not %d: %.500q", n, c.times, all)
			}
		})
	}
}

func TestFaultEarlyResult(t *testing.T) {
	srv := start(t, Scenario{Faults: []Fault{{Name: EarlyResult}}})
	c := dial(t, srv, TaskPath)
	c.send(aRun(taskID(1)))
	if m := c.next(); eventName(m) != "result-generated" {
		t.Errorf("first = %v", m)
	}
	if m := c.next(); eventName(m) != "task-started" {
		t.Errorf("second = %v", m)
	}
}

func TestFaultTaskFailed(t *testing.T) {
	for name, f := range map[string]Fault{
		"instead of task-started": {Code: "Throttling.RateQuota"},
		"in the middle":           {Code: "NO_VALID_AUDIO_ERROR", Samples: 16000},
		"after finish":            {Code: "a b\n" + strings.Repeat("x", 65), When: Finished},
	} {
		t.Run(name, func(t *testing.T) {
			f.Name = TaskFailed
			srv := start(t, Scenario{Faults: []Fault{f}, Results: Sentences(16000, "open it.")})
			c := dial(t, srv, TaskPath)
			c.id = taskID(1)
			c.send(aRun(c.id))
			if name != "instead of task-started" {
				c.next()
				c.stream(0, 16000)
				c.ws.WriteJSON(aFinish(c.id))
			}
			all, err := c.rest()
			var last object
			json.Unmarshal([]byte(all[len(all)-1]), &last)
			header := last["header"].(object)
			if header["event"] != "task-failed" || header["error_code"] != f.Code || !strings.Contains(header["error_message"].(string), Sentinel) {
				t.Errorf("last = %v", last)
			}
			if closeCode(err) != websocket.CloseNormalClosure {
				t.Errorf("end: %v", err)
			}
			happened(t, srv, TaskFailed)
			check(t, srv)
		})
	}
}

// Nothing but what stall leaves comes before the fault's connection is closed.
func TestFaultsOfSilence(t *testing.T) {
	for name, want := range map[string]string{
		NoTaskStarted:     "",
		Stall:             "task-started",
		StallAfterPartial: "task-started 1:open",
		StallHeartbeats:   "task-started beat beat",
		NeverFinished:     "task-started 1:open beat 1:open it.! 2:close beat 2:close it.!",
	} {
		t.Run(name, func(t *testing.T) {
			srv := start(t, Scenario{Results: Sentences(16000, "open it.", "close it."), Faults: []Fault{{Name: name}}})
			c := dial(t, srv, TaskPath)
			c.id = taskID(1)
			c.send(aRun(c.id))
			if name != NoTaskStarted {
				until(t, srv, func(all []Session) bool { return len(all[0].Texts("server")) == 1 })
				c.stream(0, 32000)
				c.send(aFinish(c.id))
				until(t, srv, func(all []Session) bool { return len(all[0].Audio) == 1 && all[0].Audio[0].Complete })
			}
			c.ws.WriteControl(websocket.CloseMessage, nil, deadline())
			all, _ := c.rest()
			var got []string
			for _, m := range all {
				var v object
				json.Unmarshal([]byte(m), &v)
				switch s := sentenceOf(v); {
				case s == nil:
					got = append(got, eventName(v))
				case s["heartbeat"] == true:
					got = append(got, "beat")
				default:
					got = append(got, texts([]object{v})...)
				}
			}
			if strings.Join(got, " ") != want {
				t.Errorf("got %q, want %q", got, want)
			}
			happened(t, srv, name)
			check(t, srv)
		})
	}
}

func TestFaultClose(t *testing.T) {
	for name, c := range map[string]struct {
		fault  Fault
		code   int // 1006 is an end without a frame
		how    string
		finals int
	}{
		"1000 before finish":      {Fault{Name: CloseBefore, Status: 1000, Samples: 16000}, 1000, "frame", 0},
		"1001 before finish":      {Fault{Name: CloseBefore, Status: 1001}, 1001, "frame", 0},
		"1011 before finish":      {Fault{Name: CloseBefore, Status: 1011, Event: 1}, 1011, "frame", 0},
		"1013 before finish":      {Fault{Name: CloseBefore, Status: 1013}, 1013, "frame", 0},
		"1006 before finish":      {Fault{Name: CloseBefore, Status: 1006}, 1006, "fin", 0},
		"fin before finish":       {Fault{Name: CloseBefore, How: "fin", Event: 2}, 1006, "fin", 1},
		"rst before finish":       {Fault{Name: CloseBefore, How: "rst"}, 0, "rst", 0},
		"after finish, none":      {Fault{Name: CloseAfter, Status: 1011}, 1011, "frame", 1},
		"after finish, some":      {Fault{Name: CloseAfter, Status: 1011, Event: 3}, 1011, "frame", 2},
		"at once":                 {Fault{Name: Close, Status: 1013}, 1013, "frame", 0},
		"once the task is asked":  {Fault{Name: Close, When: Asked, How: "frame"}, 1000, "frame", 0},
		"some time after a start": {Fault{Name: Close, When: Started, After: 30, How: "fin"}, 1006, "fin", 0},
	} {
		t.Run(name, func(t *testing.T) {
			srv := start(t, Scenario{Faults: []Fault{c.fault}, Results: []Result{{At: 1600, Text: "a"}, {At: 16000, Text: "ab", Final: true},
				{Late: true, Text: "cd", Final: true}, {Late: true, Text: "ef", Final: true}}})
			ws := dial(t, srv, TaskPath)
			ws.id = taskID(1)
			ws.ws.WriteJSON(aRun(ws.id))
			// Audio before task-started would be a violation, so it waits.
			until(t, srv, func(all []Session) bool {
				return all[0].Closed != nil || len(all[0].Texts("server")) > 0
			})
			if c.fault.After == 0 && c.how != "rst" {
				ws.stream(0, 16000)
				ws.ws.WriteJSON(aFinish(ws.id))
			}
			all, err := ws.rest()
			finals := 0
			for _, m := range all {
				finals += strings.Count(m, `"sentence_end":true`)
			}
			if closeCode(err) != c.code || finals != c.finals {
				t.Errorf("end: %v, %d finals: %q", err, finals, all)
			}
			if j := until(t, srv, closed(1))[0]; j.Closed.By != "server" || j.Closed.How != c.how {
				t.Errorf("closed = %+v", j.Closed)
			}
			check(t, srv)
		})
	}
}

// A fault for the second connection leaves the first alone, and the other way.
func TestFaultsByConnection(t *testing.T) {
	for name, c := range map[string]struct {
		fault Fault
		fail  []bool
	}{
		"each":             {Fault{}, []bool{true, true, true}},
		"the second":       {Fault{Connection: 2}, []bool{false, true, false}},
		"up to the second": {Fault{Connection: 1, Through: 2}, []bool{true, true, false}},
		"from the second":  {Fault{Connection: 2, Through: -1}, []bool{false, true, true}},
	} {
		t.Run(name, func(t *testing.T) {
			c.fault.Name = TaskFailed
			srv := start(t, Scenario{Faults: []Fault{c.fault}, Most: map[string]int{Task: 2}})
			for i, fails := range c.fail {
				ws := dial(t, srv, TaskPath)
				ws.send(aRun(taskID(i)))
				if m := ws.next(); (eventName(m) == "task-failed") != fails {
					t.Errorf("connection %d: %v", i+1, m)
				}
				ws.close()
			}
			if got := violations(srv); got != "too-many" {
				t.Errorf("violations = %q", got)
			}
		})
	}
}

func TestFaultsByTask(t *testing.T) {
	srv := start(t, Scenario{Faults: []Fault{{Name: TaskFailed, Task: 2}}})
	c := dialTask(t, srv, 1)
	c.finishTask()
	c.send(aRun(taskID(2)))
	if m := c.next(); eventName(m) != "task-failed" {
		t.Errorf("second task: %v", m)
	}
}

// Faults can be combined.
func TestFaultsTogether(t *testing.T) {
	srv := start(t, Scenario{Results: Sentences(16000, "open it."), Faults: []Fault{{Name: Fragments, Bytes: 3}, {Name: Interleave},
		{Name: RepeatFinal}, {Name: ReviseFinal, Text: "x"}, {Name: CloseAfter, Status: 1001, Event: 4}}})
	c := dialTask(t, srv, 1)
	c.stream(0, 16000)
	c.send(aFinish(c.id))
	all, err := c.rest()
	if closeCode(err) != 1001 || len(all) != 5 { // with a heartbeat
		t.Errorf("%q, %v", all, err)
	}
}

func TestFaultsThatDoNotExist(t *testing.T) {
	for _, f := range []Fault{{Name: "earthquake"}, {Name: NoWords, Protocol: Task}, {Name: Close, When: "later"}} {
		if srv, err := Start(Scenario{Faults: []Fault{f}}); err == nil {
			srv.Close()
			t.Errorf("%+v is accepted", f)
		}
	}
}

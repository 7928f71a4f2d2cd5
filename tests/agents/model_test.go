package agents_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// A prompt steers the model by two words, the second of which names the turn:
//
//	say Alpha         the answer to Alpha
//	plain Alpha       the same, from a provider that marks no phases
//	work Alpha        a remark, a shell command, and then the answer
//	slow Alpha        words for as long as somebody listens, at most a minute
//	fail Alpha        an error
var directive = regexp.MustCompile(`\b(say|plain|work|slow|fail) ([A-Z][a-z]+)\b`)

// answer is the model's answer to a turn. It holds what must survive on the
// way: lines, code, markup, Chinese, what is outside of the basic plane.
func answer(turn string) string {
	return fmt.Sprintf("Answer %[1]s: set `Kubelet%[1]sConfig` & restart.\n\n1. <b>%[1]s</b> \"quoted\"\n2. 用户要的是 %[1]s 🎉", turn)
}

// newModel starts a server on loopback that speaks OpenAI's Responses API, as
// Codex does, and chat completions, as Pi can. It returns the base address.
func newModel(t *testing.T) string {
	server := httptest.NewServer(http.HandlerFunc(serveModel))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL + "/v1"
}

// request holds what the two kinds of request have in common: items in order,
// each with a role or a type.
type request struct {
	Input    []item `json:"input"`
	Messages []item `json:"messages"`
	Tools    []struct {
		Type     string                `json:"type"`
		Name     string                `json:"name"`
		Function struct{ Name string } `json:"function"`
	} `json:"tools"`
}

type item struct {
	Type    string          `json:"type"`
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

// turn returns what the newest user message asks for, and whether a tool has
// answered since.
func (r request) turn() (kind, name string, toolDone bool) {
	for _, it := range append(r.Input, r.Messages...) {
		if strings.HasSuffix(it.Type, "_output") || it.Role == "tool" {
			toolDone = true
		}
		if it.Role != "user" {
			continue
		}
		if all := directive.FindAllStringSubmatch(string(it.Content), -1); all != nil {
			last := all[len(all)-1]
			kind, name, toolDone = last[1], last[2], false
		}
	}
	return kind, name, toolDone
}

func serveModel(w http.ResponseWriter, r *http.Request) {
	var req request
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 16<<20)).Decode(&req); err != nil {
		http.Error(w, `{"object":"list","data":[]}`, http.StatusOK) // a list of models was asked for
		return
	}
	kind, name, toolDone := req.turn()
	if kind == "fail" {
		http.Error(w, `{"error":{"message":"refused","type":"invalid_request_error"}}`, http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	var out dialect = &chat{sse{w, r}, req}
	if strings.HasSuffix(r.URL.Path, "/responses") {
		out = &responses{sse: sse{w, r}, request: req}
	}
	out.begin()
	switch {
	case kind == "slow":
		var words []string
		for i := range 600 {
			words = append(words, fmt.Sprintf("slow%d ", i))
		}
		if !out.message(words, 100*time.Millisecond, "final_answer") {
			return
		}
	case kind == "work" && !toolDone:
		out.message([]string{"Remark on " + name + ": a command first."}, 0, "commentary")
		out.command("echo done")
		return
	case kind == "plain":
		out.message([]string{answer(name)}, 0, "")
	case kind == "":
		out.message([]string{"Nothing was asked."}, 0, "final_answer")
	default:
		out.message(strings.SplitAfter(answer(name), " "), 0, "final_answer")
	}
	out.end()
}

// dialect is one of the two protocols.
type dialect interface {
	begin()
	// message streams the parts and tells whether somebody still listens.
	message(parts []string, pause time.Duration, phase string) bool
	// command calls the agent's tool for shell commands and ends.
	command(line string)
	end()
}

type sse struct {
	w http.ResponseWriter
	r *http.Request
}

func (s sse) send(event string, data any) bool {
	if event != "" {
		fmt.Fprintf(s.w, "event: %s\n", event)
	}
	b, err := json.Marshal(data)
	if err != nil {
		panic(err)
	}
	fmt.Fprintf(s.w, "data: %s\n\n", b)
	return http.NewResponseController(s.w).Flush() == nil && s.r.Context().Err() == nil
}

func (s sse) pause(d time.Duration) {
	select {
	case <-s.r.Context().Done():
	case <-time.After(d):
	}
}

type object = map[string]any

// responses is the Responses API.
type responses struct {
	sse
	request
	output []object
}

func (d *responses) event(kind string, data object) bool {
	data["type"] = kind
	return d.send(kind, data)
}

func (d *responses) response(status string) object {
	return object{"id": "resp_1", "object": "response", "status": status, "output": slices.Clone(d.output), "usage": object{
		"input_tokens": 1000, "output_tokens": 20, "total_tokens": 1020,
		"input_tokens_details": object{"cached_tokens": 0}, "output_tokens_details": object{"reasoning_tokens": 0}}}
}

func (d *responses) begin() {
	d.event("response.created", object{"response": d.response("in_progress")})
}

func (d *responses) message(parts []string, pause time.Duration, phase string) bool {
	index := len(d.output)
	message := func(status string, content ...object) object {
		m := object{"type": "message", "id": fmt.Sprintf("msg_%d", index), "role": "assistant", "status": status, "content": append([]object{}, content...)}
		if phase != "" {
			m["phase"] = phase
		}
		return m
	}
	d.event("response.output_item.added", object{"output_index": index, "item": message("in_progress")})
	for _, part := range parts {
		if !d.event("response.output_text.delta", object{"item_id": fmt.Sprintf("msg_%d", index), "output_index": index, "content_index": 0, "delta": part}) {
			return false
		}
		d.pause(pause)
	}
	done := message("completed", object{"type": "output_text", "text": strings.Join(parts, ""), "annotations": []any{}})
	d.output = append(d.output, done)
	return d.event("response.output_item.done", object{"output_index": index, "item": done})
}

func (d *responses) command(line string) {
	call := object{"type": "function_call", "id": "fc_1", "call_id": "call_1", "status": "completed"}
	for _, tool := range d.Tools {
		switch {
		case tool.Name == "exec" && tool.Type == "custom": // takes a script
			call["type"], call["name"] = "custom_tool_call", tool.Name
			call["input"] = fmt.Sprintf("const r = await tools.exec_command({cmd: %q}); text(r.output);", line)
		case tool.Name == "exec_command":
			call["name"], call["arguments"] = tool.Name, fmt.Sprintf(`{"cmd":%q}`, line)
		case tool.Name == "shell_command":
			call["name"], call["arguments"] = tool.Name, fmt.Sprintf(`{"command":%q}`, line)
		case tool.Name == "shell":
			call["name"], call["arguments"] = tool.Name, fmt.Sprintf(`{"command":["sh","-c",%q]}`, line)
		}
	}
	d.event("response.output_item.added", object{"output_index": len(d.output), "item": call})
	d.event("response.output_item.done", object{"output_index": len(d.output), "item": call})
	d.output = append(d.output, call)
	d.end()
}

func (d *responses) end() {
	d.event("response.completed", object{"response": d.response("completed")})
}

// chat is the chat completions API, which knows no phases.
type chat struct {
	sse
	request
}

func (d *chat) chunk(delta object, finish any) bool {
	return d.send("", object{"id": "chat_1", "object": "chat.completion.chunk", "model": "lab",
		"choices": []object{{"index": 0, "delta": delta, "finish_reason": finish}},
		"usage":   object{"prompt_tokens": 1000, "completion_tokens": 20, "total_tokens": 1020}})
}

func (d *chat) begin() { d.chunk(object{"role": "assistant", "content": ""}, nil) }

func (d *chat) message(parts []string, pause time.Duration, _ string) bool {
	for _, part := range parts {
		if !d.chunk(object{"content": part}, nil) {
			return false
		}
		d.pause(pause)
	}
	return true
}

func (d *chat) command(line string) {
	d.chunk(object{"tool_calls": []object{{"index": 0, "id": "call_1", "type": "function",
		"function": object{"name": "bash", "arguments": fmt.Sprintf(`{"command":%q}`, line)}}}}, nil)
	d.finish("tool_calls")
}

func (d *chat) end() { d.finish("stop") }

func (d *chat) finish(reason string) {
	d.chunk(object{}, reason)
	fmt.Fprint(d.w, "data: [DONE]\n\n")
}

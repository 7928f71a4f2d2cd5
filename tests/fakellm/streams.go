package fakellm

import (
	"slices"
	"strings"
)

// streamFaults are answers in events.
var streamFaults = []Fault{
	{Name: "split-characters", Want: Edited, serve: func(x *exchange) {
		// The bytes of one character come in two packets.
		all := ""
		for _, c := range append(chunks(x.edit), done) {
			all += "data: " + c + "\n\n"
		}
		for part := range slices.Chunk([]byte(all), 211) {
			x.raw(string(part))
		}
	}},
	{Name: "halved-characters", Reason: "bad_answer", serve: func(x *exchange) {
		x.sse(`{"choices":[{"index":0,"delta":{"content":"\ud83d"}}]}`, `{"choices":[{"index":0,"delta":{"content":"\ude00"},"finish_reason":"stop"}]}`, done)
	}},
	{Name: "carriage-returns", Want: Edited, serve: func(x *exchange) {
		for _, c := range append(chunks(x.edit), done) {
			x.raw("event: message\r\nid: 1\r\ndata:" + c + "\r\n\r\n")
		}
	}},
	{Name: "comments", Want: Edited, serve: func(x *exchange) {
		x.raw(": processing\n\n")
		for _, c := range append(chunks(x.edit), done) {
			x.raw(":\nretry: 10\ndata: " + c + "\n: keep alive\n\n")
		}
	}},
	{Name: "lines-of-data", Want: Edited, serve: func(x *exchange) {
		for _, c := range append(chunks(x.edit), done) {
			x.raw("data: " + strings.ReplaceAll(c, `"choices":`, "\ndata: \"choices\":") + "\n\n")
		}
	}},
	{Name: "no-done", Want: Edited, serve: func(x *exchange) { x.sse(chunks(x.edit)...) }},
	{Name: "no-last-line-end", Want: Edited, serve: func(x *exchange) {
		all := chunks(x.edit)
		x.sse(all[:len(all)-1]...)
		x.raw("data: " + all[len(all)-1])
	}},
	{Name: "done-without-finish", Reason: "bad_answer", serve: func(x *exchange) {
		all := chunks(x.edit)
		all[len(all)-1] = done
		x.sse(all...)
	}},
	{Name: "done-at-once", Reason: "bad_answer", serve: func(x *exchange) { x.sse(done) }},
	{Name: "nothing-but-comments", Reason: "unavailable", serve: func(x *exchange) { x.raw(": one\n\n: two\n\n") }},
	{Name: "error-in-stream", Reason: "unavailable", serve: func(x *exchange) {
		all := chunks(x.edit)
		x.sse(append(all[:len(all)/2], `{"error":{"code":502,"message":"upstream"},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}`)...)
	}},
	{Name: "error-event", Reason: "unavailable", serve: func(x *exchange) {
		all := chunks(x.edit)
		x.sse(all[:len(all)/2]...)
		x.raw("event: error\ndata: {\"message\":\"broken\"}\n\n")
	}},
	{Name: "garbage-event", Reason: "bad_answer", serve: func(x *exchange) { x.sse(append([]string{"{nonsense"}, chunks(x.edit)...)...) }},
	{Name: "thinking-deltas", Trials: []string{"L4"}, Want: Edited, serve: func(x *exchange) {
		all := chunks(x.edit)
		thoughts := []string{chunk(object{"content": nil, "reasoning_content": "The user asks."}, nil), chunk(object{"reasoning": "Hm.", "thinking": "Hm."}, nil)}
		x.sse(slices.Concat(all[:1], thoughts, all[1:], []string{done})...)
	}},
	{Name: "usage-event", Want: Edited, serve: func(x *exchange) {
		all := chunks(x.edit)
		x.sse(slices.Concat(all[:2], []string{`{"choices":[],"usage":{"total_tokens":3}}`, `{}`}, all[2:])...)
	}},
	{Name: "second-choice", Want: Edited, serve: func(x *exchange) {
		var all []string
		for _, c := range chunks(x.edit) {
			all = append(all, `{"choices":[{"index":1,"delta":{"content":"other"},"finish_reason":null}]}`, c)
		}
		x.sse(all...)
	}},
	{Name: "empty-deltas", Want: Edited, serve: func(x *exchange) {
		var all []string
		for _, c := range chunks(x.edit) {
			all = append(all, chunk(object{}, nil), chunk(object{"content": nil}, ""), c)
		}
		x.sse(all...)
	}},
	{Name: "length-in-stream", Trials: []string{"L5"}, Reason: "truncated", serve: func(x *exchange) {
		all := chunks(x.edit)
		all[len(all)-1] = chunk(object{}, "length")
		x.sse(append(all, done)...)
	}},
	{Name: "tool-in-stream", Reason: "bad_answer", serve: func(x *exchange) {
		x.sse(chunk(object{"tool_calls": []object{{"index": 0, "id": "1", "function": object{"name": "sh", "arguments": "{}"}}}}, nil), chunk(object{}, "tool_calls"), done)
	}},
	{Name: "endless", Trials: []string{"L12"}, Reason: "truncated", serve: func(x *exchange) {
		for x.r.Context().Err() == nil {
			x.sse(chunk(object{"content": strings.Repeat(x.edit+" ", 50)}, nil))
		}
	}},
}

package fakellm

import "strings"

// bodyFaults are answers in one piece.
var bodyFaults = []Fault{
	{Name: "json", Want: Edited, serve: func(x *exchange) { x.json(object{"content": x.edit}, "stop") }},
	{Name: "json-as-text", Want: Edited, serve: func(x *exchange) {
		x.body("text/plain", "\n "+completion(object{"content": x.edit}, "stop"))
	}},
	{Name: "json-as-stream", Want: Edited, serve: func(x *exchange) {
		x.body("text/event-stream", completion(object{"content": x.edit}, "stop"))
	}},
	{Name: "byte-order-mark", Want: Edited, serve: func(x *exchange) {
		x.body("application/json", "\ufeff"+completion(object{"content": x.edit}, "stop"))
	}},
	{Name: "content-parts", Want: Edited, serve: func(x *exchange) {
		first := pieces(x.edit)[0]
		x.json(object{"content": []object{
			{"type": "thinking", "thinking": []object{{"type": "text", "text": "hm"}}},
			{"type": "text", "text": first},
			{"type": "image_url", "text": "no"},
			{"type": "text", "text": x.edit[len(first):]},
		}}, "stop")
	}},
	{Name: "reasoning-member", Trials: []string{"L4"}, Want: Edited, serve: func(x *exchange) {
		x.json(object{"content": x.edit, "reasoning_content": "The user wants me to answer.", "reasoning": "Hm.", "thinking": "Hm."}, "stop")
	}},
	{Name: "web-page", Reason: "bad_answer", serve: func(x *exchange) { x.body("text/html", "<!DOCTYPE html><html>Sign in to the Wi-Fi</html>") }},
	{Name: "plain-text", Reason: "bad_answer", serve: func(x *exchange) { x.body("text/plain", x.edit) }},
	{Name: "invalid-json", Reason: "bad_answer", serve: func(x *exchange) { x.body("application/json", `{"choices":[{"message":{`) }},
	{Name: "json-and-more", Reason: "bad_answer", serve: func(x *exchange) {
		x.body("application/json", completion(object{"content": x.edit}, "stop")+"}")
	}},
	{Name: "json-array", Reason: "bad_answer", serve: func(x *exchange) {
		x.body("application/json", "["+completion(object{"content": x.edit}, "stop")+"]")
	}},
	{Name: "empty-body", Reason: "bad_answer", serve: func(x *exchange) { x.body("application/json", "") }},
	{Name: "empty-object", Reason: "bad_answer", serve: func(x *exchange) { x.body("application/json", "{}") }},
	{Name: "no-choices", Reason: "bad_answer", serve: func(x *exchange) { x.body("application/json", `{"choices":[]}`) }},
	{Name: "choices-of-a-wrong-kind", Reason: "bad_answer", serve: func(x *exchange) { x.body("application/json", `{"choices":"none"}`) }},
	{Name: "null-content", Reason: "bad_answer", serve: func(x *exchange) { x.json(object{"content": nil}, "stop") }},
	{Name: "number-content", Reason: "bad_answer", serve: func(x *exchange) { x.json(object{"content": 5}, "stop") }},
	{Name: "blank-content", Reason: "bad_answer", serve: func(x *exchange) { x.json(object{"content": " \n\t"}, "stop") }},
	{Name: "tool-calls", Reason: "bad_answer", serve: func(x *exchange) {
		x.json(object{"content": x.edit, "tool_calls": []object{{"id": "1", "type": "function", "function": object{"name": "sh", "arguments": "{}"}}}}, "tool_calls")
	}},
	{Name: "no-tool-calls", Want: Edited, serve: func(x *exchange) {
		x.json(object{"content": x.edit, "tool_calls": []object{}, "refusal": nil}, "stop")
	}},
	{Name: "refusal-member", Reason: "refused", serve: func(x *exchange) { x.json(object{"content": nil, "refusal": "I cannot help with that."}, "stop") }},
	{Name: "finish-length", Trials: []string{"L5"}, Reason: "truncated", serve: func(x *exchange) {
		x.json(object{"content": strings.Join(pieces(x.edit)[1:], "")}, "length")
	}},
	{Name: "finish-filter", Reason: "refused", serve: func(x *exchange) { x.json(object{"content": x.edit}, "content_filter") }},
	{Name: "finish-null", Reason: "bad_answer", serve: func(x *exchange) { x.json(object{"content": x.edit}, nil) }},
	{Name: "finish-unknown", Reason: "bad_answer", serve: func(x *exchange) { x.json(object{"content": x.edit}, "because") }},
	{Name: "error-member", Reason: "unavailable", serve: func(x *exchange) {
		x.body("application/json", encode(object{"error": object{"message": x.q.Transcript}}))
	}},
	{Name: "error-string", Reason: "unavailable", serve: func(x *exchange) { x.body("application/json", encode(object{"error": x.q.Transcript})) }},
	{Name: "error-429", Reason: "rate_limited", serve: func(x *exchange) {
		x.body("application/json", encode(object{"error": object{"code": 429, "message": "slow down"}}))
	}},
	{Name: "error-null", Want: Edited, serve: func(x *exchange) {
		all := completion(object{"content": x.edit}, "stop")
		x.body("application/json", `{"error":null,`+all[1:])
	}},
}

package fakellm

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// statusFaults are answers without a text.
var statusFaults = slices.Concat(redirects(), []Fault{
	{Name: "status-204", Reason: "bad_answer", serve: func(x *exchange) { x.w.WriteHeader(http.StatusNoContent) }},
	{Name: "status-304", Reason: "bad_answer", serve: func(x *exchange) { x.w.WriteHeader(http.StatusNotModified) }},
	{Name: "status-300", Reason: "bad_answer", serve: func(x *exchange) { x.refuse(http.StatusMultipleChoices, "choose") }},
	{Name: "context-length", Trials: []string{"L12"}, Reason: "too_long", serve: func(x *exchange) {
		x.refuse(http.StatusBadRequest, "This model's maximum context length is 512 tokens.")
	}},
	{Name: "context-size", Reason: "too_long", serve: func(x *exchange) {
		x.refuse(http.StatusBadRequest, "the request exceeds the available context size, try increasing it")
	}},
	{Name: "refuses-temperature", Want: Edited, serve: func(x *exchange) {
		if x.q.Temperature != nil {
			x.refuse(http.StatusBadRequest, "Unsupported value: 'temperature' does not support 0 with this model.")
			return
		}
		x.answer(x.edit)
	}},
	{Name: "refuses-stream", Want: Edited, serve: func(x *exchange) {
		if x.q.Stream {
			x.refuse(http.StatusBadRequest, "Your organization must be verified to stream this model.")
			return
		}
		x.answer(x.edit)
	}},
	{Name: "refuses-everything", Reason: "rejected", serve: func(x *exchange) {
		x.refuse(http.StatusUnprocessableEntity, "temperature, reasoning, thinking, stream: Extra inputs are not permitted")
	}},
	{Name: "unknown-option", Reason: "rejected", serve: func(x *exchange) { x.refuse(http.StatusBadRequest, "bad request") }},
	{Name: "inspection", Reason: "refused", serve: func(x *exchange) {
		x.refuse(http.StatusBadRequest, "data_inspection_failed: input may contain inappropriate content")
	}},
	{Name: "moderation", Reason: "refused", serve: func(x *exchange) { x.refuse(http.StatusForbidden, "flagged by moderation") }},
	{Name: "status-401", Reason: "auth", serve: func(x *exchange) { x.refuse(http.StatusUnauthorized, "bad key") }},
	{Name: "status-402", Reason: "quota", serve: func(x *exchange) { x.refuse(http.StatusPaymentRequired, "pay") }},
	{Name: "status-403", Reason: "auth", serve: func(x *exchange) { x.refuse(http.StatusForbidden, "no access") }},
	{Name: "status-404", Reason: "rejected", serve: func(x *exchange) { x.refuse(http.StatusNotFound, "no such model") }},
	{Name: "status-408", Reason: "unavailable", serve: func(x *exchange) { x.refuse(http.StatusRequestTimeout, "slow") }},
	{Name: "status-413", Reason: "too_long", serve: func(x *exchange) { x.refuse(http.StatusRequestEntityTooLarge, "large") }},
	{Name: "status-422", Reason: "rejected", serve: func(x *exchange) { x.refuse(http.StatusUnprocessableEntity, "no") }},
	{Name: "status-429", Reason: "rate_limited", serve: func(x *exchange) { x.refuse(http.StatusTooManyRequests, "slow down") }},
	{Name: "quota-429", Reason: "quota", serve: func(x *exchange) { x.refuse(http.StatusTooManyRequests, "insufficient_quota") }},
	{Name: "retry-after-60", Trials: []string{"L12"}, Reason: "rate_limited", serve: later("60")},
	{Name: "retry-after-forever", Reason: "rate_limited", serve: later("99999999999999999999")},
	{Name: "retry-after-date", Reason: "rate_limited", serve: later(time.Now().Add(time.Hour).UTC().Format(http.TimeFormat))},
	{Name: "retry-after-nonsense", Reason: "rate_limited", serve: later("soon, -5")},
	{Name: "status-500", Reason: "unavailable", serve: func(x *exchange) { x.refuse(http.StatusInternalServerError, "oops") }},
	{Name: "status-502-page", Reason: "unavailable", serve: func(x *exchange) {
		x.w.Header().Set("Content-Type", "text/html")
		x.w.WriteHeader(http.StatusBadGateway)
		x.w.Write([]byte("<html><h1>502 Bad Gateway</h1></html>"))
	}},
	{Name: "status-503", Reason: "unavailable", serve: func(x *exchange) {
		x.w.Header().Set("Retry-After", "60")
		x.refuse(http.StatusServiceUnavailable, "overloaded")
	}},
	{Name: "status-504-hanging", Reason: "unavailable", serve: func(x *exchange) {
		x.w.WriteHeader(http.StatusGatewayTimeout)
		x.raw("upstream")
		x.wait()
	}},
	{Name: "status-600", Reason: "unavailable", serve: func(x *exchange) { x.w.WriteHeader(600) }},
})

// redirects lead to a trap, which must not see the key.
func redirects() []Fault {
	var out []Fault
	for _, status := range []int{301, 302, 303, 307, 308} {
		out = append(out, Fault{Name: fmt.Sprintf("redirect-%d", status), Reason: "bad_answer", serve: func(x *exchange) {
			http.Redirect(x.w, x.r, "http://"+x.r.Host+"/trap", status)
		}})
	}
	return out
}

// later asks for patience in the words of a header.
func later(value string) func(*exchange) {
	return func(x *exchange) {
		x.w.Header().Set("Retry-After", value)
		x.refuse(http.StatusTooManyRequests, strings.ToUpper("rate limit reached"))
	}
}

package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"voice-input/pkg/internal/remote"
)

// Kinds of a Failure: reason words of vi.refine/1.
const (
	Timeout     = "timeout"
	Unavailable = "unavailable"
	Auth        = "auth"
	Quota       = "quota"
	RateLimited = "rate_limited"
	Rejected    = "rejected"
	TooLong     = "too_long"
	Refused     = "refused"
	Truncated   = "truncated"
	BadAnswer   = "bad_answer"
)

// Kinds lists every kind of a Failure.
var Kinds = []string{Timeout, Unavailable, Auth, Quota, RateLimited, Rejected, TooLong, Refused, Truncated, BadAnswer}

// Failure says why there is no answer.
type Failure struct {
	Kind string
	// RetryAfter is how long the service wants to be left alone; 0 if it does
	// not say.
	RetryAfter time.Duration
	// Err says it to the user, without anything that the service said.
	Err error

	named []string // options of the request that the service complains about
}

func (f *Failure) Error() string { return f.Err.Error() }

// Unwrap returns what the failure came from.
func (f *Failure) Unwrap() error { return f.Err }

func fail(kind, format string, args ...any) *Failure {
	return &Failure{Kind: kind, Err: fmt.Errorf(format, args...)}
}

// broken is the failure of a request that brought no whole answer.
func broken(err error) *Failure {
	switch err := remote.Cause(err); {
	case errors.Is(err, context.DeadlineExceeded):
		return fail(Timeout, "no answer in time")
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fail(Unavailable, "the service broke off the connection")
	case errors.Is(err, remote.ErrRedirect), errors.Is(err, remote.ErrTooLarge):
		return &Failure{Kind: BadAnswer, Err: err}
	default:
		return &Failure{Kind: Unavailable, Err: err}
	}
}

// Pieces of what services say of an error, in lower case. The wordings are
// those of OpenAI, OpenRouter, DashScope, vLLM and llama.cpp.
var (
	saysTooLong = []string{
		"context_length", "context length", "context window", "context_size", "context size", "too many tokens",
		"input too long", "prompt is too long", "input is too long", "range of input length", "request too large", "payload too large", "reduce the length",
	}
	saysRefused = []string{"content_filter", "content_policy", "content policy", "content management policy", "data_inspection", "datainspectionfailed", "moderation"}
	saysQuota   = []string{"insufficient_quota", "insufficient quota", "exceeded your current quota", "billing_hard_limit", "arrearage", "insufficient_balance", "insufficient balance"}
)

// complaint returns what the body of an error says about it, in lower case:
// the strings of the members that services have for that. Others may repeat
// the question, whose words say nothing.
func complaint(body []byte) string {
	var v any
	if json.Unmarshal(body, &v) != nil {
		return ""
	}
	var b strings.Builder
	var walk func(v any, says bool)
	walk = func(v any, says bool) {
		switch v := v.(type) {
		case string:
			if says {
				b.WriteString(strings.ToLower(v) + "\n")
			}
		case []any:
			for _, e := range v {
				walk(e, says)
			}
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				walk(v[key], slices.Contains([]string{"error", "code", "type", "param", "message", "msg", "loc"}, key))
			}
		}
	}
	walk(v, false)
	return b.String()
}

// refused is the failure that a status other than 200 means, with what the
// service says about it.
func refused(status int, header http.Header, body []byte, now time.Time) *Failure {
	said := complaint(body)
	says := func(pieces []string) bool {
		for _, p := range pieces {
			if strings.Contains(said, p) {
				return true
			}
		}
		return false
	}
	f := fail(BadAnswer, "the service answered with status %d", status)
	switch {
	case status == http.StatusPaymentRequired, status == http.StatusTooManyRequests && says(saysQuota):
		f = fail(Quota, "the account at the service is used up (status %d)", status)
	case status == http.StatusUnauthorized, status == http.StatusForbidden && !says(saysRefused):
		f = fail(Auth, "the service refuses the key (status %d)", status)
	case status == http.StatusTooManyRequests:
		f = fail(RateLimited, "the service takes no more requests for now (status %d)", status)
	case status == http.StatusRequestEntityTooLarge, isComplaint(status) && says(saysTooLong):
		f = fail(TooLong, "the request is too long for the model (status %d)", status)
	case (isComplaint(status) || status == http.StatusForbidden) && says(saysRefused):
		f = fail(Refused, "the service refuses the text (status %d)", status)
	case isComplaint(status):
		f = fail(Rejected, "the service does not accept the request (status %d)", status)
		f.named = namedOptions(said)
	case status == http.StatusNotFound:
		f = fail(Rejected, "the service knows no such address or model (status %d)", status)
	case status >= 500, status == http.StatusRequestTimeout:
		f = fail(Unavailable, "the service cannot answer now (status %d)", status)
	case status >= 400:
		f = fail(Rejected, "the service does not accept the request (status %d)", status)
	}
	f.RetryAfter = retryAfter(header, now)
	return f
}

// isComplaint tells whether a status says that something in the request is
// wrong.
func isComplaint(status int) bool {
	return status == http.StatusBadRequest || status == http.StatusUnprocessableEntity
}

// retryAfter returns how long a service wants to be left alone: seconds, or
// the time until a date.
func retryAfter(h http.Header, now time.Time) time.Duration {
	v := strings.TrimSpace(h.Get("Retry-After"))
	if s, err := strconv.ParseFloat(v, 64); err == nil && s > 0 {
		// A day is as good as for ever, and more would overflow.
		return time.Duration(min(s, 86_400) * float64(time.Second))
	}
	if at, err := http.ParseTime(v); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

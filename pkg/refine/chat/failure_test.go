package chat

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"voice-input/pkg/internal/apikey"
	"voice-input/pkg/wire"
	"voice-input/tests/fakellm"
)

// sentinel is in everything that a service says and must be in nothing that
// the user reads.
const sentinel = "sentinel-of-the-service"

func TestRefused(t *testing.T) {
	tests := []struct {
		status int
		said   string
		kind   string
	}{
		{400, "", Rejected},
		{400, `{"error":{"code":"context_length_exceeded"}}`, TooLong},
		{400, `{"code":"DataInspectionFailed","message":"x"}`, Refused},
		{422, `{"detail":[{"loc":["body","x"],"msg":"the prompt is too long","input":"x"}]}`, TooLong},
		{422, `{"detail":[{"loc":["body","x"],"msg":"no","input":"the prompt is too long"}]}`, Rejected},
		{400, "Range of input length should be [1, 30720]", TooLong},
		{400, "Content Policy violation", Refused},
		{400, "messages: invalid", Rejected},
		{401, "", Auth}, {402, "", Quota}, {403, "", Auth}, {403, "blocked by moderation", Refused},
		{404, "", Rejected}, {405, "", Rejected}, {408, "", Unavailable}, {409, "", Rejected}, {413, "", TooLong}, {418, "", Rejected},
		{422, "prompt is too long", TooLong}, {422, "", Rejected},
		{429, "", RateLimited}, {429, "insufficient_quota", Quota},
		{500, "", Unavailable}, {502, "<html>", Unavailable}, {529, "", Unavailable}, {999, "", Unavailable},
		{201, "", BadAnswer}, {204, "", BadAnswer}, {304, "", BadAnswer},
	}
	for _, tt := range tests {
		if !strings.HasPrefix(tt.said, "{") && !strings.HasPrefix(tt.said, "<") {
			tt.said = fmt.Sprintf(`{"error":{"message":%q,"detail":"context_length content_policy insufficient_quota"}}`, tt.said+sentinel)
		}
		f := refused(tt.status, http.Header{}, []byte(tt.said), time.Now())
		if f.Kind != tt.kind {
			t.Errorf("%d %s: %s, want %s", tt.status, tt.said, f.Kind, tt.kind)
		}
		if strings.Contains(f.Error(), sentinel) {
			t.Errorf("%d: says %q", tt.status, f)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"": 0, "0": 0, "3": 3 * time.Second, " 2 ": 2 * time.Second, "0.5": 500 * time.Millisecond, "-3": 0, "soon": 0, "NaN": 0,
		"1e300": 24 * time.Hour, "+Inf": 24 * time.Hour, "999999999999": 24 * time.Hour,
		"Mon, 30 Nov 2026 12:00:07 GMT": 7 * time.Second, "Mon, 30 Nov 2026 11:00:00 GMT": 0,
	} {
		if got := retryAfter(http.Header{"Retry-After": {value}}, now); got != want {
			t.Errorf("%q: %s, want %s", value, got, want)
		}
	}
}

// Every kind is a reason that a record may have.
func TestKindsAreReasons(t *testing.T) {
	for _, k := range Kinds {
		if !slices.Contains(wire.Reasons(wire.SchemaRefine), k) {
			t.Errorf("vi.refine/1 has no reason %q", k)
		}
	}
}

func ask(t *testing.T, ctx context.Context, s *fakellm.Server, model string) (string, error) {
	t.Helper()
	base, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	c := New(base, model, apikey.Key{}, Wishes{})
	defer c.Close()
	return c.Ask(ctx, Question{System: "Edit.", User: `{"transcript":"um hello"}`})
}

func serve(t *testing.T) *fakellm.Server {
	t.Helper()
	s, err := fakellm.Listen("127.0.0.1:0", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestAsk(t *testing.T) {
	s := serve(t)
	for model, requests := range map[string]int{"fake/edit": 1, "fake/json": 1, "fake/refuses-temperature": 2, "fake/refuses-stream": 2} {
		before := len(s.Journal())
		if text, err := ask(t, t.Context(), s, model); err != nil || text != "Hello." {
			t.Errorf("%s: %q, %v", model, text, err)
		}
		if n := len(s.Journal()) - before; n != requests {
			t.Errorf("%s: %d requests, want %d", model, n, requests)
		}
	}
	if _, err := ask(t, t.Context(), s, "fake/refuses-everything"); err == nil {
		t.Error("no error")
	}
	if s.Trapped() > 0 {
		t.Error("a redirect was followed")
	}
}

func TestAskEndsWithItsContext(t *testing.T) {
	s := serve(t)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	var f *Failure
	if _, err := ask(t, ctx, s, "fake/hang-in-text"); !errors.As(err, &f) || f.Kind != Timeout {
		t.Errorf("deadline: %v", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, stop)
	if _, err := ask(t, ctx, s, "fake/hang"); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}

func TestAskNoServer(t *testing.T) {
	s := serve(t)
	s.Close()
	var f *Failure
	if _, err := ask(t, t.Context(), s, "fake/edit"); !errors.As(err, &f) || f.Kind != Unavailable || strings.Contains(err.Error(), "127.0.0.1") {
		t.Errorf("got %v", err)
	}
}

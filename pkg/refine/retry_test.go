package refine

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"voice-input/pkg/refine/chat"
	"voice-input/pkg/refine/review"
	"voice-input/pkg/wire"
)

func TestAgain(t *testing.T) {
	const s = time.Second
	tests := []struct {
		reason      string
		after, left time.Duration
		with, bare  bool // whether a second attempt follows one with terms, one without
	}{
		{chat.Timeout, 0, 5 * s, true, false},
		{chat.Unavailable, 0, 5 * s, true, true},
		{chat.Unavailable, 2 * s, 5 * s, true, true},
		{chat.Unavailable, 5 * s, 5 * s, false, false},
		{chat.RateLimited, 0, 15 * s, false, false},
		{chat.RateLimited, 3 * s, 15 * s, true, true},
		{chat.RateLimited, 14 * s, 15 * s, true, true},
		{chat.RateLimited, 60 * s, 15 * s, false, false},
		{chat.TooLong, 0, 5 * s, true, false},
		{chat.Refused, 0, 5 * s, true, false},
		{chat.Truncated, 0, 5 * s, true, false},
		{chat.BadAnswer, 0, 5 * s, true, false},
		{"answer", 0, 5 * s, true, false},
		{"marker", 0, 5 * s, true, false},
		{chat.Auth, 0, 15 * s, false, false},
		{chat.Quota, 0, 15 * s, false, false},
		{chat.Rejected, 0, 15 * s, false, false},
		{noModel, 0, 15 * s, false, false},
		{"answer", 0, s, true, false},
		{"answer", 0, s - 1, false, false},
		{chat.Unavailable, 0, s - 1, false, false},
	}
	for _, tt := range tests {
		for _, terms := range []bool{true, false} {
			wait, ok := again(tt.reason, terms, tt.after, tt.left)
			want := tt.bare
			if terms {
				want = tt.with
			}
			if ok != want || ok && wait != tt.after {
				t.Errorf("%s after %s, %s left, terms %t: %s, %t", tt.reason, tt.after, tt.left, terms, wait, ok)
			}
		}
	}
	for _, k := range chat.Kinds {
		if _, there := remedies[k]; !there {
			t.Errorf("%s is not in the table", k)
		}
	}
}

func TestTimes(t *testing.T) {
	const s = time.Second
	for left, want := range map[time.Duration]time.Duration{30 * s: 25 * s, 15 * s: 10 * s, 10 * s: 5 * s, 10*s - 1: 10*s - 1, s: s} {
		if got := firstTime(left, true); got != want {
			t.Errorf("of %s with terms %s, want %s", left, got, want)
		}
		if got := firstTime(left, false); got != left {
			t.Errorf("of %s without terms %s", left, got)
		}
	}
	for timeout, want := range map[time.Duration]time.Duration{30 * s: 5 * s, 15 * s: 5 * s, 10 * s: 5 * s, 4 * s: 2 * s, s: s / 2} {
		if got := termsWait(timeout); got != want || got > min(timeout, 5*s) {
			t.Errorf("of %s the terms have %s, want %s", timeout, got, want)
		}
	}
}

// scripted is a model that takes so long for each answer, and notes when it
// was asked.
type scripted struct {
	takes  []time.Duration
	fails  []error
	asked  []time.Duration // since begin
	begin  time.Time
	answer string
}

func (m *scripted) Ask(ctx context.Context, _ chat.Question) (string, error) {
	i := len(m.asked)
	m.asked = append(m.asked, time.Since(m.begin))
	select {
	case <-time.After(m.takes[i]):
	case <-ctx.Done():
		return "", &chat.Failure{Kind: chat.Timeout, Err: ctx.Err()}
	}
	if m.fails[i] != nil {
		return "", m.fails[i]
	}
	return m.answer, nil
}

// J4: the terms are waited for, at most half the time or 5 s; all attempts
// share one deadline, and the last 5 s of it are for one without terms.
func TestRule_J4_OneDeadline(t *testing.T) {
	const s, hang = time.Second, time.Hour
	failure := func(kind string, after time.Duration) error {
		return &chat.Failure{Kind: kind, RetryAfter: after, Err: errors.New("x")}
	}
	tests := []struct {
		name    string
		timeout time.Duration
		terms   time.Duration // until they are there; hang is never
		takes   []time.Duration
		fails   []error
		asked   []time.Duration
		ends    time.Duration
		reason  string
	}{
		{"good", 15 * s, 0, []time.Duration{s}, []error{nil}, []time.Duration{0}, s, wire.OK},
		{"late terms", 15 * s, 3 * s, []time.Duration{s}, []error{nil}, []time.Duration{3 * s}, 4 * s, wire.OK},
		{"no terms", 15 * s, hang, []time.Duration{s}, []error{nil}, []time.Duration{5 * s}, 6 * s, wire.OK},
		{"no terms in a short time", 2 * s, hang, []time.Duration{s / 2}, []error{nil}, []time.Duration{s}, s + s/2, wire.OK},
		{"first hangs", 15 * s, 0, []time.Duration{hang, 2 * s}, []error{nil, nil}, []time.Duration{0, 10 * s}, 12 * s, wire.OK},
		{"both hang", 15 * s, 0, []time.Duration{hang, hang}, []error{nil, nil}, []time.Duration{0, 10 * s}, 15 * s, chat.Timeout},
		{"late terms and both hang", 15 * s, 4 * s, []time.Duration{hang, hang}, []error{nil, nil}, []time.Duration{4 * s, 10 * s}, 15 * s, chat.Timeout},
		{"no terms and it hangs", 15 * s, hang, []time.Duration{hang}, []error{nil}, []time.Duration{5 * s}, 15 * s, chat.Timeout},
		{"short time", 9 * s, 0, []time.Duration{hang}, []error{nil}, []time.Duration{0}, 9 * s, chat.Timeout},
		{"one second", s, 0, []time.Duration{hang}, []error{nil}, []time.Duration{0}, s, chat.Timeout},
		{"failure and good", 15 * s, 0, []time.Duration{s, s}, []error{failure(chat.Unavailable, 0), nil}, []time.Duration{0, s}, 2 * s, wire.OK},
		{"patience inside the deadline", 15 * s, 0, []time.Duration{s, s}, []error{failure(chat.RateLimited, 4*s), nil}, []time.Duration{0, 5 * s}, 6 * s, wire.OK},
		{"patience beyond the deadline", 15 * s, 0, []time.Duration{s}, []error{failure(chat.RateLimited, 60*s)}, []time.Duration{0}, s, chat.RateLimited},
		{"failure near the end", 9 * s, 0, []time.Duration{8*s + s/2}, []error{failure(chat.Unavailable, 0)}, []time.Duration{0}, 8*s + s/2, chat.Unavailable},
		{"bad key", 15 * s, 0, []time.Duration{s}, []error{failure(chat.Auth, 0)}, []time.Duration{0}, s, chat.Auth},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := &scripted{takes: tt.takes, fails: tt.fails, begin: time.Now(), answer: "Restart it now."}
				e := &editor{
					model: func(context.Context) (asker, error) { return m, nil },
					style: "formal", timeout: tt.timeout, limit: review.DefaultLimit, explain: func(string, ...any) {},
					terms: func(ctx context.Context, wait time.Duration) knowledge {
						select {
						case <-time.After(tt.terms):
							return know(snapshot("lsp-client"))
						case <-time.After(wait):
							return knowledge{}
						}
					},
				}
				r := mustEdit(t, e, "restart it now")
				if got := time.Since(m.begin); got != tt.ends || r.Reason != tt.reason && !(tt.reason == wire.OK && r.Reason == "") {
					t.Errorf("ends after %s with %q, want %s with %q", got, r.Reason, tt.ends, tt.reason)
				}
				if !slices.Equal(m.asked, tt.asked) {
					t.Errorf("asked at %v, want %v", m.asked, tt.asked)
				}
			})
		})
	}
}

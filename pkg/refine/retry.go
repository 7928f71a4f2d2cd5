package refine

import (
	"time"

	"voice-input/pkg/refine/chat"
)

const (
	// reserve is kept back of the time for a second attempt without terms. A
	// model that reasons little writes a take in two or three seconds.
	reserve = 5 * time.Second
	// reserveFrom is the least time of which something is kept back.
	reserveFrom = 10 * time.Second
	// worthwhile is the least time in which a second attempt can succeed.
	worthwhile = time.Second
	// longestTermsWait bounds the wait for the terms.
	longestTermsWait = 5 * time.Second
)

// termsWait returns how long the terms may be waited for. The wait is part of
// the whole time, so half of a short one is left for the model.
func termsWait(timeout time.Duration) time.Duration {
	return min(timeout/2, longestTermsWait)
}

// firstTime returns how much of the time that is left the first attempt has.
func firstTime(left time.Duration, withTerms bool) time.Duration {
	if withTerms && left >= reserveFrom {
		return left - reserve
	}
	return left
}

// remedy is what may help after a first attempt that failed.
type remedy int

const (
	nothing      remedy = iota
	withoutTerms        // asking again makes sense if the question gets shorter
	askAgain            // asking again makes sense
	askLater            // asking again makes sense when the service says so
)

// remedies has a line for each kind of failure. Whatever is not there, such as
// a check of the answer that failed, is withoutTerms: a model that is asked the
// same thing again answers the same.
var remedies = map[string]remedy{
	chat.Timeout:     withoutTerms,
	chat.Unavailable: askAgain,
	chat.RateLimited: askLater,
	chat.TooLong:     withoutTerms,
	chat.Refused:     withoutTerms, // the terms may be what the service dislikes
	chat.Truncated:   withoutTerms,
	chat.BadAnswer:   withoutTerms,
	chat.Auth:        nothing,
	chat.Quota:       nothing,
	chat.Rejected:    nothing,
	noModel:          nothing,
}

// again tells whether a second attempt, which goes without terms, makes sense
// after a first one that failed for a reason, and how long it has to wait.
// after is how long the service wants to be left alone.
func again(reason string, hadTerms bool, after, left time.Duration) (wait time.Duration, ok bool) {
	r, known := remedies[reason]
	if !known {
		r = withoutTerms
	}
	switch r {
	case withoutTerms:
		ok = hadTerms
	case askAgain:
		ok = true
	case askLater:
		ok = after > 0
	}
	return after, ok && left-after >= worthwhile
}

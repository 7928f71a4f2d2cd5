package upload

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"voice-input/pkg/asr/engine"
	"voice-input/pkg/asr/tape"
	"voice-input/pkg/internal/remote"
)

// ErrCutOff says that the connection ended in the middle of an answer.
var ErrCutOff = errors.New("its answer broke off")

// Failure makes the failure of a request that came to nothing, or of an answer
// that did not come whole. Limited is the request's context, and connect what
// a connection may take.
func Failure(limited context.Context, err error, connect time.Duration) *engine.Failure {
	f := &engine.Failure{Kind: engine.Protocol}
	switch cause := remote.Cause(err); {
	case errors.Is(err, remote.ErrTooLarge):
		f.Code, f.Err = "too_large", remote.ErrTooLarge
	case errors.Is(cause, remote.ErrRedirect):
		f.Code, f.Err = "redirect", cause
	case limited.Err() != nil:
		f.Kind, f.Code, f.Err = engine.Timeout, "request", errors.New("it did not answer in time")
	case errors.Is(cause, context.DeadlineExceeded):
		f.Kind, f.Code, f.Err = engine.Timeout, "connect", fmt.Errorf("no connection within %s", connect)
	case errors.Is(err, tape.ErrDropped):
		f.Kind, f.Code, f.Err = engine.Audio, "too_large", tape.ErrDropped
	case errors.Is(err, ErrCutOff), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		f.Kind, f.Code, f.Err = engine.Crashed, "cut_off", ErrCutOff
	default:
		f.Kind, f.Code, f.Err = engine.Unavailable, NoConnection, cause
	}
	return f
}

// NoConnection is the code of a failure for which nobody may be there.
const NoConnection = "no_connection"

// Named puts an engine's name in front of a failure's message.
func Named(name string, f *engine.Failure) *engine.Failure {
	f.Err = fmt.Errorf("engine %q failed: %w", name, f.Err)
	return f
}

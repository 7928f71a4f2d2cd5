package whisperserver

import (
	"context"
	"errors"
	"fmt"

	"voice-input/pkg/asr/engine"
	"voice-input/pkg/asr/provider"
	"voice-input/pkg/asr/upload"
)

// statusError is an answer with another status than 200.
type statusError struct{ status int }

func (e *statusError) Error() string { return fmt.Sprintf("it answered with status %d", e.status) }

// failed makes the failure of a request that came to nothing. Limited is the
// request's own context.
func (e *Engine) failed(limited context.Context, err error) error {
	var f *engine.Failure
	var status *statusError
	switch {
	case errors.As(err, &status):
		f = provider.Classify(status.status, "", "").Failure("")
	case errors.Is(err, errNotAnswer):
		f = &engine.Failure{Kind: engine.Protocol, Code: "bad_answer", Err: err}
	default:
		f = upload.Failure(limited, err, e.o.Connect)
		if f.Code == upload.NoConnection {
			f.Hint = "start whisper-server, or give its address as url in the service's section of the configuration"
		}
	}
	return upload.Named(e.o.Name, f)
}

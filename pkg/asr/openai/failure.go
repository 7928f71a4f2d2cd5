package openai

import (
	"context"
	"errors"
	"fmt"
	"time"

	"voice-input/pkg/asr/engine"
	"voice-input/pkg/asr/provider"
	"voice-input/pkg/asr/upload"
	"voice-input/pkg/internal/wavfile"
)

// failed makes the failure of a request that came to nothing; it is nil if the
// service only says that there are no words. Limited is the request's own
// context, and text what had come.
func (e *Engine) failed(limited context.Context, err error, text string) error {
	var f *engine.Failure
	var said *serviceError
	switch {
	case errors.As(err, &said):
		r := provider.Classify(said.status, said.code, "")
		if r.Kind == provider.Empty && text == "" {
			return nil
		}
		f = r.Failure("")
	case errors.Is(err, errNotAnswer), errors.Is(err, errEvent):
		f = &engine.Failure{Kind: engine.Protocol, Code: "bad_answer", Err: err}
	case text != "" && limited.Err() == nil:
		f = upload.Failure(limited, upload.ErrCutOff, e.o.Connect)
	default:
		f = upload.Failure(limited, err, e.o.Connect)
	}
	f.Text = text
	return upload.Named(e.o.Name, f)
}

func (e *Engine) tooLarge() error {
	longest := upload.Length(MaxFile - wavfile.HeaderSize).Truncate(time.Second)
	return upload.Named(e.o.Name, &engine.Failure{
		Kind: engine.Audio, Code: "too_large", Err: fmt.Errorf("the recording is longer than %s", longest),
		Hint: "set max_duration_ms in [audio] of the configuration",
	})
}

// Package upload is what the recognisers that take a whole recording over HTTP
// have in common: the samples are heard to their end, and sent as a WAV file
// in a form, straight from the tape that keeps them.
package upload

import (
	"bytes"
	"context"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptrace"
	"time"

	"voice-input/pkg/asr/engine"
	"voice-input/pkg/asr/vad"
	"voice-input/pkg/internal/wavfile"
	"voice-input/pkg/wire"
)

// Heard is what is known of a recording at its end.
type Heard struct {
	Bytes int64 // of whole samples
	wire.Speech
}

// Length is how long the recording is.
func (h Heard) Length() time.Duration { return Length(h.Bytes) }

// Length is how long so many bytes of samples sound.
func Length(n int64) time.Duration {
	return time.Duration(n) * time.Second / engine.BytesPerSecond
}

// Hear reads samples to their end. The error is the samples' own or ctx's.
func Hear(ctx context.Context, in engine.Samples) (Heard, error) {
	defer context.AfterFunc(ctx, func() { in.Close() })()
	var meter vad.Meter
	n, err := io.Copy(&meter, struct{ io.Reader }{in})
	if ctx.Err() != nil {
		return Heard{}, context.Cause(ctx)
	}
	return Heard{n &^ 1, meter.Speech()}, err
}

// Form is a multipart form whose last part is a recording.
type Form struct {
	head bytes.Buffer
	w    *multipart.Writer
}

// NewForm returns an empty form.
func NewForm() *Form {
	f := &Form{}
	f.w = multipart.NewWriter(&f.head)
	return f
}

// Add adds a field.
func (f *Form) Add(name, value string) {
	f.w.WriteField(name, value) // a buffer takes everything
}

// Post returns a request with the form and so many bytes of the samples that
// open returns, once for each time that it is sent.
func (f *Form) Post(ctx context.Context, url string, open func() (engine.Samples, error), n int64) (*http.Request, error) {
	f.w.CreatePart(map[string][]string{
		"Content-Disposition": {`form-data; name="file"; filename="speech.wav"`},
		"Content-Type":        {"audio/wav"},
	})
	f.head.Write(wavfile.Header(engine.Rate, n))
	head := f.head.Bytes()
	tail := []byte("\r\n--" + f.w.Boundary() + "--\r\n")
	body := func() (io.ReadCloser, error) {
		samples, err := open()
		if err != nil {
			return nil, err
		}
		return struct {
			io.Reader
			io.Closer
		}{io.MultiReader(bytes.NewReader(head), io.LimitReader(samples, n), bytes.NewReader(tail)), samples}, nil
	}
	first, err := body()
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, first)
	if err != nil {
		first.Close()
		return nil, err
	}
	req.GetBody = body
	req.ContentLength = int64(len(head)) + n + int64(len(tail))
	req.Header.Set("Content-Type", f.w.FormDataContentType())
	return req, nil
}

// Do sends a request of Post. A connection that was kept from the take before
// may have died since, which shows only when it is used: the request is then
// made once more.
func Do(client *http.Client, req *http.Request) (*http.Response, error) {
	kept := false
	trace := &httptrace.ClientTrace{GotConn: func(c httptrace.GotConnInfo) { kept = c.Reused }}
	answer, err := client.Do(req.WithContext(httptrace.WithClientTrace(req.Context(), trace)))
	if err == nil || !kept || req.Context().Err() != nil {
		return answer, err
	}
	again := req.Clone(req.Context())
	if again.Body, err = req.GetBody(); err != nil {
		return nil, err
	}
	return client.Do(again)
}

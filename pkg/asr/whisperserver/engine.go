// Package whisperserver is the engine for whisper.cpp's server, which takes a
// whole recording and gives its text. It runs on this machine or on one of
// one's own; it has no keys and does one recording at a time.
package whisperserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"voice-input/pkg/asr/bias"
	"voice-input/pkg/asr/engine"
	"voice-input/pkg/asr/join"
	"voice-input/pkg/asr/language"
	"voice-input/pkg/asr/upload"
	"voice-input/pkg/internal/address"
	"voice-input/pkg/internal/apikey"
	"voice-input/pkg/internal/remote"
	"voice-input/pkg/wire"
)

// UsualURL is where the server listens if it is told nothing else.
const UsualURL = "http://127.0.0.1:8080"

// Options say which server, and what to ask of it.
type Options struct {
	// Name is the name that final events carry.
	Name string
	// URL is the server's address, or that of its recognition if it has been
	// put elsewhere; "" is UsualURL.
	URL string
	// Key is for a server behind a proxy that asks for one.
	Key apikey.Key
	// Vocabulary adds the user's own words to the terms.
	Vocabulary bool
	// LanguageHints are the languages that may be spoken where a take names
	// none.
	LanguageHints []string
	// Connect bounds the connection and the loading of the model, Request all
	// of the rest, with the length of the recording on top.
	Connect, Request time.Duration
}

// Engine implements engine.Engine.
type Engine struct {
	o                 Options
	inference, health string
	client            *http.Client
	poll              time.Duration // between two questions whether the model is loaded
}

// inferencePath is where the server recognises unless it is told otherwise.
const inferencePath = "/inference"

// New returns an engine; nothing is sent yet.
func New(o Options) (*Engine, error) {
	if o.URL == "" {
		o.URL = UsualURL
	}
	u, err := address.Parse(o.URL)
	if err != nil {
		return nil, fmt.Errorf("the address %w", err)
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("the address needs https, or http to this machine")
	}
	if strings.Trim(u.Path, "/") == "" {
		u.Path = inferencePath
	}
	return &Engine{o: o, inference: u.String(), health: health(*u), client: remote.NewClient(o.Connect), poll: 100 * time.Millisecond}, nil
}

// health returns where a server tells its state: beside the recognition, or at
// its root if that has a path of another kind.
func health(u url.URL) string {
	before, ours := strings.CutSuffix(u.Path, inferencePath)
	if !ours {
		before = ""
	}
	u.Path, u.RawQuery = before+"/health", ""
	return u.String()
}

// Name implements engine.Engine.
func (e *Engine) Name() string { return e.o.Name }

// Rereads implements engine.Rereader: the recording is sent from the tape.
func (e *Engine) Rereads() {}

// Close implements engine.Engine.
func (e *Engine) Close() { e.client.CloseIdleConnections() }

// Recognize implements engine.Engine. A recording in which nobody speaks is
// not sent. The server gives up a recognition whose connection ends.
func (e *Engine) Recognize(ctx context.Context, take engine.Take, emit func(*wire.ASR)) (string, error) {
	if err := e.await(ctx); err != nil {
		return "", err
	}
	emit(&wire.ASR{Type: wire.ASRReady})
	heard, err := upload.Hear(ctx, take.Samples)
	if err != nil || !heard.Heard {
		return "", err
	}
	limited, cancel := context.WithTimeout(ctx, e.o.Request+heard.Length())
	defer cancel()
	text, err := e.transcribe(limited, take, heard.Bytes, emit)
	switch {
	case err == nil:
		return text, nil
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	}
	return "", e.failed(limited, err)
}

// await waits until the server has loaded its model.
func (e *Engine) await(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, e.o.Connect)
	defer cancel()
	for {
		ready, err := e.ready(limited)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case limited.Err() != nil:
			return upload.Named(e.o.Name, &engine.Failure{
				Kind: engine.Timeout, Code: "loading", Err: fmt.Errorf("it was not ready within %s", e.o.Connect),
			})
		case err != nil:
			return e.failed(limited, err)
		case ready:
			return nil
		}
		select {
		case <-limited.Done():
		case <-time.After(e.poll):
		}
	}
}

// ready asks for the server's state. A server that does not know the question
// is one that can work.
func (e *Engine) ready(ctx context.Context) (bool, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, e.health, nil)
	if err != nil {
		return false, err
	}
	e.authorize(req)
	answer, err := e.client.Do(req)
	if err != nil {
		return false, err
	}
	defer answer.Body.Close()
	remote.ReadBody(answer.Body) // so that the connection can be used again
	return answer.StatusCode != http.StatusServiceUnavailable, nil
}

func (e *Engine) authorize(req *http.Request) {
	if !e.o.Key.Empty() {
		req.Header.Set("Authorization", "Bearer "+e.o.Key.Reveal())
	}
}

// transcribe sends the recording and reads the answer.
func (e *Engine) transcribe(ctx context.Context, take engine.Take, n int64, emit func(*wire.ASR)) (string, error) {
	f := upload.NewForm()
	f.Add("response_format", "json")
	l := language.One(take.Language, e.o.LanguageHints)
	if l == "" {
		l = "auto" // it takes English for granted otherwise
	}
	f.Add("language", l)
	prompt := bias.Prompt(bias.Words(take.Hints(ctx), e.o.Vocabulary))
	if prompt != "" {
		f.Add("prompt", prompt)
		f.Add("carry_initial_prompt", "true") // or it holds for the first 30 seconds only
	}
	req, err := f.Post(ctx, e.inference, take.Again, n)
	if err != nil {
		return "", err
	}
	e.authorize(req)
	answer, err := upload.Do(e.client, req)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	body, err := remote.ReadBody(answer.Body)
	switch {
	case answer.StatusCode != http.StatusOK:
		return "", &statusError{answer.StatusCode}
	case err != nil:
		return "", err
	}
	text, err := parse(body)
	if err == nil && prompt != "" {
		emit(&wire.ASR{Type: wire.ASRContextSent})
	}
	return text, err
}

var errNotAnswer = errors.New("it answered with something that is no transcription")

// parse returns the text of an answer. Its segments stand in lines of their
// own.
func parse(body []byte) (string, error) {
	var answer struct{ Text *string }
	if json.Unmarshal(body, &answer) != nil || answer.Text == nil {
		return "", errNotAnswer
	}
	text := ""
	for line := range strings.Lines(*answer.Text) {
		text = join.Join(text, strings.TrimSpace(line))
	}
	return text, nil
}

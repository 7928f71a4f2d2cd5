// Package openai is the engine for services with the interface that OpenAI
// gave its transcriptions, /v1/audio/transcriptions: OpenAI itself, Groq, vLLM
// and many servers that people run themselves. A recording is sent when it is
// whole; the text comes in one piece or as it is found.
package openai

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"voice-input/pkg/asr/bias"
	"voice-input/pkg/asr/engine"
	"voice-input/pkg/asr/language"
	"voice-input/pkg/asr/upload"
	"voice-input/pkg/internal/address"
	"voice-input/pkg/internal/apikey"
	"voice-input/pkg/internal/remote"
	"voice-input/pkg/internal/wavfile"
	"voice-input/pkg/wire"
)

// MaxFile bounds a recording in bytes of its WAV file, 13 minutes and 39
// seconds of samples: OpenAI's own limit, and vLLM's default.
const MaxFile = 25 << 20

// Bounds of the hints beside that of a prompt. No service documents one; these
// are what the providers that do have one allow.
const (
	maxKeywords     = 100 // words
	maxHotwordChars = 400 // characters with their commas
)

// Fields that take the terms.
const (
	Prompt   = "prompt"
	Keywords = "keywords"
	Hotwords = "hotwords"
)

// Options say which service, and what to ask of it.
type Options struct {
	// Name is the name that final events carry.
	Name string
	// URL is the service's address, with or without what all of them have at
	// its end; "" is OpenAI's.
	URL string
	// Model is the name of the model; "" is the service's usual one.
	Model string
	// Key may be empty where the service asks for none.
	Key apikey.Key
	// Hints is the field that takes the terms: Prompt, Keywords or Hotwords;
	// anything else sends none.
	Hints string
	// Vocabulary adds the user's own words to the terms.
	Vocabulary bool
	// Stream asks for the text as it is found.
	Stream bool
	// LanguageHints are the languages that may be spoken where a take names
	// none.
	LanguageHints []string
	// Connect bounds the connection, Request all of the rest, with the length
	// of the recording on top.
	Connect, Request time.Duration
}

// Engine implements engine.Engine.
type Engine struct {
	o      Options
	url    string
	client *http.Client
}

// New returns an engine; nothing is sent yet.
func New(o Options) (*Engine, error) {
	if o.URL == "" {
		o.URL = "https://" + hostOpenAI
	}
	u, err := endpoint(o.URL)
	if err != nil {
		return nil, err
	}
	if o.Model == "" {
		o.Model = usualModel(u.Hostname())
	}
	// Groq has no such field, and Whisper at OpenAI ignores it.
	if u.Hostname() == hostGroq || u.Hostname() == hostOpenAI && o.Model == "whisper-1" {
		o.Stream = false
	}
	return &Engine{o: o, url: u.String(), client: remote.NewClient(o.Connect)}, nil
}

const (
	hostOpenAI = "api.openai.com"
	hostGroq   = "api.groq.com"
)

// usualModel returns the model for a host. Servers that people run have one
// model and take any name, or take OpenAI's oldest name for their own.
func usualModel(host string) string {
	switch host {
	case hostOpenAI:
		return "gpt-4o-transcribe"
	case hostGroq:
		return "whisper-large-v3-turbo"
	}
	return "whisper-1"
}

const path = "/audio/transcriptions"

// endpoint completes the address of a service: people write it with the
// version behind it, or without, or copy all of it.
func endpoint(s string) (*url.URL, error) {
	u, err := address.Parse(s)
	if err != nil {
		return nil, fmt.Errorf("the address %w", err)
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("the address needs https, or http to this machine")
	}
	base := strings.TrimRight(u.Path, "/")
	switch {
	case strings.HasSuffix(base, path):
		u.Path = base
	case strings.HasSuffix(base, "/v1"):
		u.Path = base + path
	case u.Hostname() == hostGroq && base == "":
		u.Path = "/openai/v1" + path
	default:
		u.Path = base + "/v1" + path
	}
	return u, nil
}

// Name implements engine.Engine.
func (e *Engine) Name() string { return e.o.Name }

// Rereads implements engine.Rereader: the recording is sent from the tape.
func (e *Engine) Rereads() {}

// Close implements engine.Engine.
func (e *Engine) Close() { e.client.CloseIdleConnections() }

// Recognize implements engine.Engine. A recording in which nobody speaks is
// not sent.
func (e *Engine) Recognize(ctx context.Context, take engine.Take, emit func(*wire.ASR)) (string, error) {
	emit(&wire.ASR{Type: wire.ASRReady})
	heard, err := upload.Hear(ctx, take.Samples)
	switch {
	case err != nil:
		return "", err
	case !heard.Heard:
		return "", nil
	case wavfile.HeaderSize+heard.Bytes > MaxFile:
		return "", e.tooLarge()
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
	return "", e.failed(limited, err, text)
}

// transcribe sends the recording and reads the answer. With an error, the text
// is what had come.
func (e *Engine) transcribe(ctx context.Context, take engine.Take, n int64, emit func(*wire.ASR)) (string, error) {
	form, sent := e.form(take.Language, bias.Words(take.Hints(ctx), e.o.Vocabulary))
	req, err := form.Post(ctx, e.url, take.Again, n)
	if err != nil {
		return "", err
	}
	if !e.o.Key.Empty() {
		req.Header.Set("Authorization", "Bearer "+e.o.Key.Reveal())
	}
	answer, err := upload.Do(e.client, req)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		body, _ := remote.ReadBody(answer.Body)
		return "", &serviceError{answer.StatusCode, errorCode(body)}
	}
	if sent {
		emit(&wire.ASR{Type: wire.ASRContextSent})
	}
	return readAnswer(answer.Body, throttle(emit))
}

// form returns the fields for a take, and whether there are terms in it.
func (e *Engine) form(tag string, words []string) (f *upload.Form, sent bool) {
	f = upload.NewForm()
	f.Add("model", e.o.Model)
	f.Add("response_format", "json")
	if e.o.Stream {
		f.Add("stream", "true")
	}
	if strings.HasPrefix(e.o.Model, "gpt-transcribe") {
		for _, l := range language.Hints(tag, e.o.LanguageHints) {
			f.Add("languages[]", l)
		}
	} else if l := language.One(tag, e.o.LanguageHints); l != "" {
		f.Add("language", l)
	}
	var values []string
	name := e.o.Hints
	switch name {
	case Prompt:
		values = []string{bias.Prompt(words)}
	case Hotwords:
		values = []string{bias.Commas(words, maxHotwordChars)}
	case Keywords:
		name, values = "keywords[]", bias.List(words, maxKeywords)
	}
	for _, v := range values {
		if v != "" {
			f.Add(name, v)
			sent = true
		}
	}
	return f, sent
}

// showEvery is how often text that comes is shown: what a person can follow,
// and no more than the pieces are worth, for each time it is all of the text.
const showEvery = 50 * time.Millisecond

func throttle(emit func(*wire.ASR)) func(string) {
	var last time.Time
	return func(text string) {
		if now := time.Now(); now.Sub(last) >= showEvery {
			last = now
			emit(&wire.ASR{Type: wire.ASRPartial, Committed: text})
		}
	}
}

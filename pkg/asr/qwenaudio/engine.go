package qwenaudio

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"voice-input/pkg/asr/dashscope"
	"voice-input/pkg/asr/engine"
	"voice-input/pkg/asr/native"
	"voice-input/pkg/asr/socket"
	"voice-input/pkg/internal/apikey"
	"voice-input/pkg/wire"
)

// UsualModel is the one that the provider recommends for a microphone.
const UsualModel = "qwen-audio-3.0-asr-flash-streaming"

// Options say which service, and what to ask of it. They are those of a
// config.Service, whose limits and defaults hold.
type Options struct {
	// Name is the name that final events and errors carry.
	Name string
	// Region, "beijing" or "singapore", and Workspace say where the provider's
	// service stands. URL is the address of another one; then they do not count.
	Region, Workspace, URL string
	// Model is the name of the model; "" is UsualModel.
	Model string
	// Key is needed, also on this machine: the protocol has no way without.
	Key apikey.Key

	// Connect bounds the connection and the beginning of the task, without the
	// wait for the terms; it bounds that too, which is never above 5 s.
	Connect time.Duration
	// Finalize is how long the service may be silent after the end of the
	// samples. Those that it has not taken by then have a time of their own.
	Finalize time.Duration

	// LanguageHints are the languages that may be spoken, the most likely
	// first; none follows the take's language. At most four count, and only
	// those that the service knows.
	LanguageHints []string
	// Vocabulary gives the user's own words to the service, as hotwords. The
	// terms of a context go into the context alone.
	Vocabulary bool
	// Preset is the name of a Segmentation, "" for Standard, and Custom that of
	// the preset Custom.
	Preset string
	Custom Segmentation
	// Heartbeat keeps the task alive through silence of more than 60 s.
	Heartbeat bool

	// Native is when the whole recording is recognised once more; "" is never.
	// NativeModel is the model for that, "" the usual one. NativeURL is the
	// address, needed where URL is set. Request bounds the pass, with the length
	// of the recording on top.
	Native                 native.Mode
	NativeModel, NativeURL string
	Request                time.Duration
}

// conn is a *socket.Conn.
type conn interface {
	Write(kind int, message []byte) error
	Read() ([]byte, error)
	Close()
}

// pass is a *native.Client.
type pass interface {
	Recognize(ctx context.Context, pcm io.Reader, languages []string, hints engine.Hints) (text string, empty bool, err error)
	Close()
}

// Engine implements engine.Engine and engine.Rereader.
type Engine struct {
	o            Options
	url          string
	region       string // where the key is used, for hints; "" at another address
	segmentation Segmentation
	native       pass // nil if it is never run
	limits       limits
	dial         func(ctx context.Context, url string, head http.Header) (conn, error)
}

// New returns an engine without asking the service. The error says which of
// the options cannot be used.
func New(o Options) (*Engine, error) {
	if o.Key.Empty() {
		return nil, errors.New("no key, and the protocol has no way without")
	}
	e := &Engine{o: o, limits: defaults, dial: dialer(socket.Default)}
	if err := e.configure(); err != nil {
		return nil, err
	}
	return e, nil
}

func (e *Engine) configure() (err error) {
	o := &e.o
	o.Model = cmp.Or(o.Model, UsualModel)
	if e.url, err = Endpoint(o.Region, o.Workspace, o.URL); err != nil {
		return err
	}
	if o.URL == "" {
		e.region = cmp.Or(o.Region, dashscope.Beijing)
	}
	if e.segmentation, err = Preset(o.Preset, o.Custom); err != nil {
		return err
	}
	switch o.Native {
	case "", native.StreamingOnly:
		o.Native = native.StreamingOnly
		return nil
	case native.Adaptive, native.Always:
	default:
		return fmt.Errorf("native cannot be %q", o.Native)
	}
	if o.URL != "" && o.NativeURL == "" {
		return errors.New("native needs native_url where url is set")
	}
	client, err := native.New(native.Options{
		Region: o.Region, Workspace: o.Workspace, URL: o.NativeURL, Model: o.NativeModel, Key: o.Key,
		Connect: o.Connect, Request: o.Request,
	})
	if err != nil {
		return err
	}
	e.native = client
	return nil
}

func dialer(times socket.Times) func(context.Context, string, http.Header) (conn, error) {
	return func(ctx context.Context, url string, head http.Header) (conn, error) {
		c, err := socket.Dial(ctx, url, head, times)
		if err != nil {
			return nil, err // a nil *Conn would be no nil conn
		}
		return c, nil
	}
}

// Name implements engine.Engine.
func (e *Engine) Name() string { return e.o.Name }

// Rereads implements engine.Rereader: a connection that is replaced and the
// native pass begin at the first sample.
func (e *Engine) Rereads() {}

// Close implements engine.Engine. Connections end with their takes.
func (e *Engine) Close() {
	if e.native != nil {
		e.native.Close()
	}
}

// Recognize implements engine.Engine.
func (e *Engine) Recognize(ctx context.Context, take engine.Take, emit func(*wire.ASR)) (string, error) {
	text, err := newRecognition(e, take, emit).run(ctx)
	var f *engine.Failure
	if errors.As(err, &f) {
		c := *f
		c.Err = fmt.Errorf("engine %q failed: %w", e.o.Name, f.Err)
		err = &c
	}
	return text, err
}

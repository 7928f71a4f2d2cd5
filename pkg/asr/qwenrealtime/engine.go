// Package qwenrealtime is the engine for Qwen3-ASR realtime, which hears
// samples over a websocket and tells the text of each piece of speech as it
// comes. A session that is lost is replaced once, and hears everything from
// the first sample on.
package qwenrealtime

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"voice-input/pkg/asr/bias"
	"voice-input/pkg/asr/dashscope"
	"voice-input/pkg/asr/engine"
	"voice-input/pkg/asr/language"
	"voice-input/pkg/asr/provider"
	"voice-input/pkg/asr/socket"
	"voice-input/pkg/internal/address"
	"voice-input/pkg/internal/apikey"
	"voice-input/pkg/wire"
)

// UsualModel is the name that stands for the newest stable model.
const UsualModel = "qwen3-asr-flash-realtime"

// maxOwn bounds the user's own words in characters, separators included. They
// go into the same field as the context, for which the service documents no
// limit; this is as much again as that has by rule D1.
const maxOwn = dashscope.MaxContext

// maxHintsWait bounds the wait for the terms; rule J3.
const maxHintsWait = 5 * time.Second

// Options say which service, and what to ask of it.
type Options struct {
	// Name is the name that final events carry.
	Name string
	// Region and Workspace say where the provider's service stands; URL is the
	// address of another one.
	Region, Workspace, URL string
	// Model is the name of the model; "" is UsualModel.
	Model string
	// Key may be empty only on this machine.
	Key apikey.Key
	// Vocabulary adds the user's own words to the terms.
	Vocabulary bool
	// LanguageHints are the languages that may be spoken where a take names
	// none.
	LanguageHints []string
	// VADThreshold tells speech from noise, -1 to 1; VADSilenceMS is the
	// silence that ends a piece.
	VADThreshold float64
	VADSilenceMS int
	// Connect bounds the connection, and the beginning of the session after it;
	// Finalize is how long nothing may come after the end of the samples.
	Connect, Finalize time.Duration
}

// Engine implements engine.Engine.
type Engine struct {
	o      Options
	url    string
	region string // where the key is used, for hints; "" at another address
	limits limits
	times  socket.Times
	burst  time.Duration
	retry  time.Duration // before a connection that did not come about is tried again
}

// New returns an engine; nothing is sent yet.
func New(o Options) (*Engine, error) {
	region := ""
	if o.URL == "" {
		host, err := dashscope.Host(o.Region, o.Workspace)
		if err != nil {
			return nil, err
		}
		o.URL = "wss://" + host + "/api-ws/v1/realtime"
		region = cmp.Or(o.Region, dashscope.Beijing)
	}
	u, err := address.Parse(o.URL)
	if err != nil {
		return nil, fmt.Errorf("the address %w", err)
	}
	if q := u.Query(); !q.Has("model") {
		q.Set("model", cmp.Or(o.Model, UsualModel))
		u.RawQuery = q.Encode()
	}
	return &Engine{
		o: o, url: u.String(), region: region, times: socket.Default, burst: burst, retry: 250 * time.Millisecond,
		limits: limits{start: o.Connect, active: stalledActive, silence: stalledSilence, voiced: voicedEvidence, finalize: o.Finalize},
	}, nil
}

// Name implements engine.Engine.
func (e *Engine) Name() string { return e.o.Name }

// Rereads implements engine.Rereader: a new session hears all samples again.
func (e *Engine) Rereads() {}

// Close implements engine.Engine. Connections end with their takes.
func (e *Engine) Close() {}

// Recognize implements engine.Engine.
func (e *Engine) Recognize(ctx context.Context, take engine.Take, emit func(*wire.ASR)) (string, error) {
	s, words, conn, err := e.begin(ctx, take)
	if err != nil {
		return "", e.named(err, "")
	}
	samples := take.Samples
	best := ""
	for again := false; ; again = true {
		a := &attempt{Engine: e, conn: conn, emit: emit, again: again, words: words, heard: newTranscript(), watch: watch{limits: e.limits}}
		err := a.run(ctx, s, samples)
		text := a.heard.all()
		var l *lost
		switch {
		case err == nil:
			return text, nil
		case ctx.Err() != nil:
			return "", context.Cause(ctx)
		case len(text) > len(best):
			best = text
		}
		if !errors.As(err, &l) {
			return "", e.named(err, best)
		}
		if again {
			return "", e.named(l.failure, best)
		}
		if samples, err = take.Again(); err != nil {
			return "", e.named(l.failure, best)
		}
		emit(&wire.ASR{Type: wire.ASRReset})
		emit(&wire.ASR{Type: wire.ASRReconnecting})
		if conn, err = e.dial(ctx); err != nil {
			samples.Close()
			return "", e.named(err, best)
		}
	}
}

// begin connects and meanwhile waits for the terms; neither waits for the
// other. A connection that breaks off at once is tried a second time.
func (e *Engine) begin(ctx context.Context, take engine.Take) (s session, words bool, conn *socket.Conn, err error) {
	type dialled struct {
		conn *socket.Conn
		err  error
	}
	c := make(chan dialled, 1)
	go func() {
		conn, err := e.dial(ctx)
		if f := (*engine.Failure)(nil); errors.As(err, &f) && f.Code == noConnection && sleep(ctx, e.retry) == nil {
			conn, err = e.dial(ctx)
		}
		c <- dialled{conn, err}
	}()
	waiting, cancel := context.WithTimeout(ctx, min(e.o.Connect, maxHintsWait))
	text := e.words(take.Hints(waiting))
	cancel()
	d := <-c
	return newSession(e.o, language.One(take.Language, e.o.LanguageHints), text), text != "", d.conn, d.err
}

// words returns what goes into the session's corpus: the agent's terms, as
// bounded as in a session context (rule D1), and the user's own words in front
// of them.
func (e *Engine) words(h engine.Hints) string {
	context := dashscope.Context(h)
	if context == "" { // of a take that brings its hints itself
		context = bias.Lines(bias.Words(h, false), dashscope.MaxContext)
	}
	if !e.o.Vocabulary {
		return context
	}
	var own []string
	for _, v := range h.Vocabulary {
		own = append(own, strings.TrimSpace(v.Text))
	}
	return strings.Trim(bias.Lines(own, maxOwn)+"\n"+context, "\n")
}

// noConnection is the code of a connection that did not come about.
const noConnection = "no_connection"

func (e *Engine) dial(ctx context.Context) (*socket.Conn, error) {
	dialling, cancel := context.WithTimeout(ctx, e.o.Connect)
	defer cancel()
	head := http.Header{}
	if !e.o.Key.Empty() {
		head.Set("Authorization", "Bearer "+e.o.Key.Reveal())
	}
	conn, err := socket.Dial(dialling, e.url, head, e.times)
	var refused *socket.HandshakeError
	switch {
	case err == nil:
		return conn, nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case dialling.Err() != nil, errors.Is(err, context.DeadlineExceeded):
		return nil, failure(engine.Timeout, "connect", "no connection within %s", e.o.Connect)
	case errors.As(err, &refused):
		return nil, provider.Classify(refused.Status, handshakeCode(refused.Body), "").Failure(e.region)
	case errors.Is(err, socket.ErrRedirect):
		return nil, failure(engine.Protocol, "redirect", "%w", err)
	}
	return nil, failure(engine.Unavailable, noConnection, "%w", err)
}

func failure(kind, code, format string, args ...any) *engine.Failure {
	return &engine.Failure{Kind: kind, Code: code, Err: fmt.Errorf(format, args...)}
}

// named puts the engine's name in front of a failure's message, and adds what
// was heard.
func (e *Engine) named(err error, text string) error {
	var f *engine.Failure
	if !errors.As(err, &f) {
		return err
	}
	c := *f
	c.Err, c.Text = fmt.Errorf("engine %q failed: %w", e.o.Name, f.Err), text
	return &c
}

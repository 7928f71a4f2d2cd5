package native

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"voice-input/pkg/asr/dashscope"
	"voice-input/pkg/asr/engine"
	"voice-input/pkg/asr/join"
	"voice-input/pkg/internal/address"
	"voice-input/pkg/internal/apikey"
	"voice-input/pkg/internal/remote"
)

// Model is the usual model.
const Model = "qwen-audio-3.0-asr-flash"

const path = "/api/v1/services/aigc/multimodal-generation/generation"

// parallel is how many pieces of a recording are on their way at once. Each
// has up to 24 MB in memory, samples and request.
const parallel = 2

// Options are how a service is reached.
type Options struct {
	Region    string // dashscope.Beijing or dashscope.Singapore
	Workspace string // id of a workspace, which has a host of its own
	URL       string // whole address instead of those two
	Model     string // "" is Model
	Key       apikey.Key
	// Connect bounds how long the connection may take to come about, and
	// Request, with the length of the recording on top, how long the answer.
	Connect, Request time.Duration
}

// Client sends recordings. Its methods may be called at the same time.
type Client struct {
	o    Options
	url  string
	span span
	http *http.Client
}

// New returns a client without asking the service. The error is an
// *engine.Failure: the address is not allowed, or there is no key.
func New(o Options) (*Client, error) {
	url, err := endpoint(o)
	if err != nil {
		return nil, &engine.Failure{Kind: engine.Unavailable, Code: "address", Err: err}
	}
	if o.Key.Empty() {
		return nil, &engine.Failure{Kind: engine.Auth, Code: "no_key", Err: errors.New("no key")}
	}
	if o.URL != "" {
		o.Region = "" // a key of another address has none
	}
	if o.Model == "" {
		o.Model = Model
	}
	return &Client{o: o, url: url, span: usual, http: remote.NewClient(o.Connect)}, nil
}

// endpoint returns where requests go.
func endpoint(o Options) (string, error) {
	if o.URL == "" {
		host, err := dashscope.Host(o.Region, o.Workspace)
		if err != nil {
			return "", err
		}
		return "https://" + host + path, nil
	}
	u, err := address.Parse(o.URL)
	switch {
	case err != nil:
		return "", fmt.Errorf("the address %w", err)
	case u.Scheme != "https" && u.Scheme != "http":
		return "", errors.New("the address for the whole recording needs https, or http to this machine")
	}
	return u.String(), nil
}

// Close lets go of the connections that wait for another request.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// reply is what became of a piece.
type reply struct {
	text string
	err  error
}

// Recognize reads samples, of engine.BytesPerSecond, to their end and returns
// the text of all. They may still be coming: a piece is sent when it is whole.
// Languages are what may be spoken, the most likely first.
//
// Empty says that there are no words: the service heard none, or nobody spoke
// by local evidence, which costs no request. The error is ctx's, that of pcm,
// or an *engine.Failure with the text of the pieces before the one that failed.
//
// When the end comes early and pcm is an io.Closer, it is closed, so that a
// Read that waits does not hold it up.
func (c *Client) Recognize(ctx context.Context, pcm io.Reader, languages []string, hints engine.Hints) (text string, empty bool, err error) {
	envelope := newEnvelope(c.o.Model, languages, hints)
	pieces := cutter{in: pcm, span: c.span}
	slots := make(chan struct{}, parallel)
	var replies []*reply
	var flying sync.WaitGroup
	// rest is for all that comes behind the last piece; a piece that fails ends
	// it, while those before may still bring their text.
	rest, stop := context.WithCancel(ctx)
	defer stop()
	for {
		slots <- struct{}{}
		p, err := readPiece(rest, &pieces)
		if err == io.EOF || rest.Err() != nil {
			break
		}
		if err != nil {
			stop()
			flying.Wait()
			return "", false, err
		}
		if !p.speech {
			<-slots
			continue
		}
		r, here := &reply{}, rest
		replies = append(replies, r)
		var fail context.CancelFunc
		rest, fail = context.WithCancel(here)
		defer fail()
		flying.Go(func() {
			defer func() { <-slots }()
			if r.text, r.err = c.send(here, envelope, p); r.err != nil {
				fail()
			}
		})
	}
	flying.Wait()
	if ctx.Err() != nil {
		return "", false, context.Cause(ctx)
	}
	return collect(replies)
}

// readPiece returns the next piece, or an error soon after ctx has ended.
func readPiece(ctx context.Context, pieces *cutter) (piece, error) {
	if c, ok := pieces.in.(io.Closer); ok {
		defer context.AfterFunc(ctx, func() { c.Close() })()
	}
	return pieces.next()
}

// collect joins the texts of the pieces up to the first that failed.
func collect(replies []*reply) (text string, empty bool, err error) {
	for _, r := range replies {
		var f *engine.Failure
		if errors.As(r.err, &f) {
			f.Text = text
			return "", false, f
		}
		text = join.Join(text, r.text)
	}
	return text, text == "", nil
}

// send has one piece recognised. The error is an *engine.Failure or ctx's.
func (c *Client) send(ctx context.Context, e envelope, p piece) (string, error) {
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	limit := c.o.Request + p.length
	timed, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	req, err := http.NewRequestWithContext(timed, http.MethodPost, c.url, bytes.NewReader(e.body(p.pcm)))
	if err != nil {
		return "", &engine.Failure{Kind: engine.Unavailable, Code: "address", Err: errors.New("the address cannot be used")}
	}
	req.Header.Set("Authorization", "Bearer "+c.o.Key.Reveal())
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.http.Do(req)
	var body []byte
	if err == nil {
		defer resp.Body.Close()
		body, err = remote.ReadBody(resp.Body)
	}
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case timed.Err() != nil:
		return "", &engine.Failure{Kind: engine.Timeout, Code: "no_answer", Err: fmt.Errorf("the service did not answer within %s", limit.Round(time.Second))}
	case err != nil:
		return "", noAnswer(err)
	}
	text, failure := parse(resp.StatusCode, body, c.o.Region)
	if failure != nil {
		return "", failure
	}
	return text, nil
}

// noAnswer is the failure of a request without an answer.
func noAnswer(err error) *engine.Failure {
	cause := remote.Cause(err)
	switch {
	case errors.Is(cause, remote.ErrRedirect):
		return protocol("redirect", remote.ErrRedirect.Error())
	case errors.Is(cause, remote.ErrTooLarge):
		return protocol("answer_too_large", remote.ErrTooLarge.Error())
	case errors.Is(cause, context.DeadlineExceeded):
		return &engine.Failure{Kind: engine.Timeout, Code: "no_connection", Err: errors.New("there was no connection to the service in time")}
	}
	return &engine.Failure{Kind: engine.Unavailable, Code: "no_connection", Err: fmt.Errorf("cannot ask the service: %w", cause)}
}

package chat

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"voice-input/pkg/internal/apikey"
	"voice-input/pkg/internal/remote"
)

const (
	// connectTime bounds the connection alone; a caller's deadline is usually
	// sooner.
	connectTime = 10 * time.Second
	// maxComplaint bounds what is read of an error's body.
	maxComplaint = 64 << 10
)

// Question is what a model is asked.
type Question struct {
	System, User string
	// MaxText bounds the answer in bytes; 0 is MaxBody. A model that goes round
	// in circles is left there.
	MaxText int
}

// Client asks one model of one service. It must not be used concurrently.
type Client struct {
	http    *http.Client
	url     string
	model   string
	key     apikey.Key
	options Options
}

// New returns a Client for the service with the base address base, which
// address.Parse has allowed. An empty key is not sent, an empty model neither.
func New(base *url.URL, model string, key apikey.Key, w Wishes) *Client {
	at := base
	if !strings.HasSuffix(strings.TrimRight(base.Path, "/"), "/chat/completions") {
		at = base.JoinPath("chat/completions")
	}
	return &Client{
		http: remote.NewClient(connectTime), url: at.String(), model: model, key: key,
		options: OptionsFor(base.Host, model, w),
	}
}

// Close ends the connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Ask returns the model's answer. The error is a *Failure, or that of ctx if
// it was cancelled. An option that the service does not know is left out from
// then on.
func (c *Client) Ask(ctx context.Context, q Question) (string, error) {
	for {
		text, f := c.once(ctx, q)
		if f == nil {
			return text, nil
		}
		if ctx.Err() == context.Canceled {
			return "", ctx.Err()
		}
		fewer, differs := c.options.without(f.named)
		if !differs {
			return "", f
		}
		c.options = fewer
	}
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// body returns the body of a request.
func (c *Client) body(q Question) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	// Strings and numbers always encode.
	_ = enc.Encode(struct {
		Model    string    `json:"model,omitempty"`
		Messages []message `json:"messages"`
		Options
	}{c.model, []message{{"system", q.System}, {"user", q.User}}, c.options})
	return bytes.TrimSpace(b.Bytes())
}

func (c *Client) once(ctx context.Context, q Question) (string, *Failure) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(c.body(q)))
	if err != nil {
		return "", fail(Rejected, "cannot make a request of the address")
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream, application/json")
	req.Header.Set("User-Agent", "voice-input")
	if !c.key.Empty() {
		req.Header.Set("Authorization", "Bearer "+c.key.Reveal())
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return "", broken(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		var said []byte
		if resp.StatusCode/100 == 4 { // what others say makes no difference and may never end
			said, _ = io.ReadAll(io.LimitReader(resp.Body, maxComplaint))
		}
		return "", refused(resp.StatusCode, resp.Header, said, time.Now())
	}
	text, f := readAnswer(resp.Body, q.MaxText)
	if f != nil && ctx.Err() != nil {
		// What came until then is no answer and says nothing about the service.
		f = broken(ctx.Err())
	}
	return text, f
}

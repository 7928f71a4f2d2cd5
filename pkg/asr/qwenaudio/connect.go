package qwenaudio

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/tidwall/gjson"

	"voice-input/pkg/asr/engine"
	"voice-input/pkg/asr/provider"
	"voice-input/pkg/asr/socket"
)

// connect opens the connection of a task, within limit. One that does not come
// about is tried a second time, as after a change of networks the first often
// fails; one that is refused is not. The error is an *engine.Failure or ctx's.
func (e *Engine) connect(ctx context.Context, limit time.Duration) (conn, error) {
	dialling, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	head := http.Header{"Authorization": {"Bearer " + e.o.Key.Reveal()}}
	c, err := e.dial(dialling, e.url, head)
	if err != nil && !answered(err) && sleep(dialling, e.limits.retry) == nil {
		c, err = e.dial(dialling, e.url, head)
	}
	var refused *socket.HandshakeError
	switch {
	case ctx.Err() != nil:
		if err == nil {
			c.Close()
		}
		return nil, context.Cause(ctx)
	case err == nil:
		return c, nil
	case errors.As(err, &refused):
		code, message := inBody(refused.Body)
		return nil, provider.Classify(refused.Status, code, message).Failure(e.region)
	case errors.Is(err, socket.ErrRedirect):
		return nil, failure(engine.Protocol, "redirect", "%w", err)
	case dialling.Err() != nil:
		return nil, failure(engine.Timeout, "not_connected", "no connection to the service within %s", limit)
	}
	return nil, failure(engine.Unavailable, "not_connected", "%w", err)
}

// answered tells whether it was the service that did not want a connection.
func answered(err error) bool {
	return errors.As(err, new(*socket.HandshakeError)) || errors.Is(err, socket.ErrRedirect)
}

// inBody finds the code and the message in the answer to a handshake.
func inBody(b []byte) (code, message string) {
	if !json.Valid(b) {
		return "", ""
	}
	code = firstString(gjson.GetBytes(b, "code"), gjson.GetBytes(b, "error.code"), gjson.GetBytes(b, "header.error_code"))
	message = firstString(gjson.GetBytes(b, "message"), gjson.GetBytes(b, "error.message"), gjson.GetBytes(b, "header.error_message"))
	return code, message
}

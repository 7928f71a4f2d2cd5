package fakecloud

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxBody bounds a request: 300 s of sound in base64, and as much again.
const maxBody = 64 << 20

// exchange is one request and its answer.
type exchange struct {
	srv    *Server
	s      *session
	w      http.ResponseWriter
	r      *http.Request
	body   []byte
	coming []Fault // that are not due yet
	faults []Fault // that are
}

// reply is an answer.
type reply struct {
	status int    // 0 is no answer, to a client that has left
	kind   string // Content-Type
	body   []byte
	pieces [][]byte // of a stream, sent one by one, instead of body
	header []Field
}

// routes are the paths of the server.
func (s *Server) routes() http.Handler {
	inference := orText(s.Scenario.Inference.Path, InferencePath)
	routes := map[string]http.HandlerFunc{
		TaskPath:           s.socket(Task, newTask),
		RealtimePath:       s.socket(Realtime, newRealtime),
		OpenAIRealtimePath: s.socket(OpenAIRealtime, newOpenAIRealtime),
		NativePath:         s.request(Native, native),
		CompatiblePath:     s.request(Compatible, compatible),
		TranscriptionsPath: s.request(Transcriptions, transcriptions),
		HealthPath:         s.request(Health, health),
		TrapPath:           s.request(Trap, trap),
	}
	routes[inference] = s.request(Inference, inferenceOf) // may be the path of another
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.enter() {
			return
		}
		defer s.live.Done()
		path := r.URL.Path
		if path != "/" {
			path = strings.TrimSuffix(path, "/") // older samples have one
		}
		if serve, there := routes[path]; there {
			serve(w, r)
			return
		}
		one := s.begin(TCP, r)
		defer one.end()
		one.violate(NoSuchPath, r.URL.Path, "")
		one.close("server", "answer", http.StatusNotFound)
		http.NotFound(w, r)
	})
}

// request serves a path over HTTP.
func (s *Server) request(protocol string, handle func(*exchange) reply) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		one := s.begin(protocol, r)
		defer one.end()
		x := &exchange{srv: s, s: one, w: w, r: r}
		var err error
		if x.body, err = io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody)); err != nil {
			one.close("client", "aborted", 0)
			return
		}
		x.coming = s.Scenario.faultsOf(protocol, one.s.Nth)
		x.arm(0)
		answer := handle(x)
		if answer.status != 0 && !x.refused() {
			x.send(answer)
		}
	}
}

// arm makes the faults due of a recording with so many samples. Requests are
// always whole when they are answered.
func (x *exchange) arm(samples int64) {
	ripe, left, _ := due(x.coming, progress{moment: Finished, samples: samples, task: 1}, time.Now())
	x.faults, x.coming = append(x.faults, ripe...), left
}

// keyless says whether a protocol asks for no key.
func (x *exchange) keyless() bool {
	switch x.s.s.Protocol {
	case Inference, Health, Trap:
		return true
	case Transcriptions:
		return x.srv.Scenario.Transcriptions.NoKey
	}
	return false
}

// take returns a fault that has not happened yet, and says that it does.
func (x *exchange) take(name string) (Fault, bool) {
	for i, f := range x.faults {
		if f.Name == name {
			x.faults = append(x.faults[:i:i], x.faults[i+1:]...)
			x.s.fault(name)
			return f, true
		}
	}
	return Fault{}, false
}

// wait waits; false if the client has left meanwhile.
func (x *exchange) wait(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-x.r.Context().Done():
	case <-x.srv.done:
	}
	x.s.close("client", "aborted", 0)
	return false
}

// refused does what comes before an answer, and answers those that have no
// key; true if that was all.
func (x *exchange) refused() bool {
	if x.r.Header.Get("Upgrade") == "" { // a websocket does it itself, at its moment
		if _, yes := x.take(HalfOpen); yes {
			tcpOf(x.r).stall()
			x.wait(time.Hour)
			return true
		}
	}
	if f, yes := x.take(SlowAnswer); yes && !x.wait(f.For.Duration()) {
		return true
	}
	if _, yes := x.take(Hang); yes {
		x.wait(time.Hour)
		return true
	}
	if f, yes := x.take(Redirect); yes {
		x.send(reply{status: orInt(f.Status, http.StatusTemporaryRedirect), kind: "text/plain", body: []byte(Sentinel),
			header: []Field{{"Location", orText(f.Text, x.srv.Base()+TrapPath)}}})
		return true
	}
	if f, yes := x.take(HTTPStatus); yes {
		answer := x.failure(orInt(f.Status, http.StatusInternalServerError), orText(f.Code, "InternalError"),
			orText(f.Message, "something went wrong")+" "+Sentinel)
		answer.header = f.Header
		x.send(answer)
		return true
	}
	if !x.keyless() && !x.srv.authorized(x.r) {
		x.send(x.failure(http.StatusUnauthorized, "InvalidApiKey", "Invalid API-key provided. "+Sentinel))
		return true
	}
	return false
}

// requestID is in the answers that have one.
const requestID = "3d5f8f0e-54c1-4c39-a1e0-6a0f2d6b9c11"

func asJSON(status int, v any) reply {
	body, err := json.Marshal(v)
	if err != nil {
		panic(err) // all that is sent is made of maps and strings
	}
	return reply{status: status, kind: "application/json", body: body}
}

// failure is an error as the protocol has it.
func (x *exchange) failure(status int, code, message string) reply {
	switch x.s.s.Protocol {
	case Compatible, Transcriptions, OpenAIRealtime:
		return asJSON(status, map[string]any{"error": map[string]any{"message": message, "type": "invalid_request_error", "param": nil, "code": code}})
	case Inference, Health:
		return asJSON(status, map[string]any{"error": message})
	}
	return asJSON(status, map[string]any{"request_id": requestID, "code": code, "message": message})
}

// send sends an answer as the faults have left it.
func (x *exchange) send(a reply) {
	a = x.spoil(a)
	whole := a.body
	if a.pieces != nil {
		whole = bytes.Join(a.pieces, nil)
	}
	x.s.note(Message{From: "server", Kind: "body", Bytes: len(whole), Text: shortened(whole), Type: a.kind})
	header := x.w.Header()
	header.Set("Content-Type", a.kind)
	for _, f := range a.header {
		header.Add(f.Name, f.Value)
	}
	f, cut := x.take(CloseMidBody)
	if a.pieces == nil || cut {
		header.Set("Content-Length", strconv.Itoa(len(whole)))
	}
	x.w.WriteHeader(a.status)
	if cut {
		x.piece(whole[:len(whole)/2])
		if f.How == "rst" {
			x.s.close("server", "rst", 0)
			tcpOf(x.r).reset()
		} else {
			x.s.close("server", "fin", 0)
		}
		panic(http.ErrAbortHandler) // which closes the connection
	}
	slow, drips := x.take(SlowBody)
	if drips {
		a.pieces = split(whole, orInt(slow.Bytes, 1))
	}
	if a.pieces == nil {
		x.w.Write(whole)
	}
	for _, p := range a.pieces {
		if drips && !x.wait(orMillis(slow.Every, 20).Duration()) || !x.piece(p) {
			return
		}
	}
	x.s.close("server", "answer", a.status)
}

// piece sends a part of a body at once.
func (x *exchange) piece(p []byte) bool {
	if _, err := x.w.Write(p); err != nil {
		x.s.close("client", "aborted", 0)
		return false
	}
	x.w.(http.Flusher).Flush()
	return true
}

// spoil changes an answer as the faults want.
func (x *exchange) spoil(a reply) reply {
	if f, yes := x.take(HTMLError); yes {
		a = reply{status: orInt(f.Status, http.StatusBadGateway), kind: "text/html",
			body: []byte("<!DOCTYPE html><title>502 Bad Gateway</title><h1>" + Sentinel + "</h1>")}
	}
	if _, yes := x.take(InvalidJSON); yes {
		a.body, a.pieces = []byte(`{"text":"`+Sentinel+`","output":{"text":"`+Sentinel), nil
	}
	if _, yes := x.take(EmptyBody); yes {
		a.body, a.pieces = []byte{}, nil
	}
	if f, yes := x.take(HugeBody); yes {
		const frame = `{"padding":"",`
		size := orInt(f.Bytes, 2<<20+1)
		rest := bytes.TrimPrefix(a.body, []byte("{"))
		a.pieces = nil
		a.body = []byte(`{"padding":"` + strings.Repeat("x", max(size-len(frame)-len(rest), 0)) + `",` + string(rest))
	}
	if f, yes := x.take(WrongType); yes {
		a.kind = orText(f.Text, "application/octet-stream")
	}
	if _, yes := x.take(Gzip); yes {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		z.Write(append(bytes.Join(a.pieces, nil), a.body...))
		z.Close()
		a.body, a.pieces = b.Bytes(), nil
		a.header = append(a.header, Field{"Content-Encoding", "gzip"})
	}
	return a
}

func split(all []byte, size int) [][]byte {
	pieces := [][]byte{}
	for len(all) > 0 {
		n := min(size, len(all))
		pieces = append(pieces, all[:n])
		all = all[n:]
	}
	return pieces
}

func orMillis(m, other Millis) Millis {
	if m == 0 {
		return other
	}
	return m
}

// trap is where redirects lead.
func trap(x *exchange) reply {
	x.s.violate(Redirected, "", "")
	if x.r.Header.Get("Authorization") != "" {
		x.s.violate(KeyLeaked, "Authorization", "to where a redirect leads")
	}
	return reply{status: http.StatusOK, kind: "application/json", body: []byte(`{"text":"` + Sentinel + `"}`)}
}

package fakellm

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"
)

// Question is a request, taken apart.
type Question struct {
	Model       string
	System      string
	Transcript  string
	Agent       string
	Terms       []string
	Stream      bool
	Temperature *float64
	Options     []string // names of the other members
	// Violations are what is wrong with the request.
	Violations []string
}

// Server is a running service.
type Server struct {
	// URL is the base address for clients.
	URL string

	key     string
	http    *http.Server
	trapped atomic.Int64
	mu      sync.Mutex
	journal []Question
}

// Listen starts a service at a loopback address such as 127.0.0.1:0. The key is
// the one that every request has to bring; "" means that none may.
func Listen(addr, key string) (*Server, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, err
	}
	if a, ok := l.Addr().(*net.TCPAddr); !ok || !a.IP.IsLoopback() {
		l.Close()
		return nil, errors.New("only loopback addresses are served")
	}
	s := &Server{URL: "http://" + l.Addr().String() + "/v1", key: key}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", s.chat)
	mux.HandleFunc("/trap", func(http.ResponseWriter, *http.Request) { s.trapped.Add(1) })
	s.http = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go s.http.Serve(l)
	return s, nil
}

// Close ends the service and every connection.
func (s *Server) Close() error { return s.http.Close() }

// Journal returns every question so far.
func (s *Server) Journal() []Question {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.journal)
}

// Trapped returns how often a client followed a redirect.
func (s *Server) Trapped() int { return int(s.trapped.Load()) }

func (s *Server) chat(w http.ResponseWriter, r *http.Request) {
	q := s.read(r)
	s.mu.Lock()
	s.journal = append(s.journal, q)
	s.mu.Unlock()
	x := &exchange{w: w, r: r, q: q, edit: Edit(q.Transcript)}
	name, found := strings.CutPrefix(q.Model, "fake/")
	name, once := strings.CutSuffix(name, "/once")
	i := slices.IndexFunc(Faults, func(f Fault) bool { return f.Name == name })
	switch {
	case len(q.Violations) > 0:
		x.refuse(http.StatusTeapot, strings.Join(q.Violations, "; "))
	case name == "edit", once && len(q.Terms) == 0:
		x.answer(x.edit)
	case !found || i < 0:
		x.refuse(http.StatusNotFound, "no such model")
	case Faults[i].content != nil:
		x.answer(Faults[i].content(q, x.edit))
	default:
		Faults[i].serve(x)
	}
}

// options are the members that a request may have besides model and messages.
var options = []string{"temperature", "stream", "reasoning_effort", "reasoning", "enable_thinking", "thinking", "chat_template_kwargs", "provider"}

// read takes a request apart and notes what is wrong with it.
func (s *Server) read(r *http.Request) (q Question) {
	wrong := func(format string, args ...any) { q.Violations = append(q.Violations, fmt.Sprintf(format, args...)) }
	if got := r.Header["Authorization"]; s.key == "" && got != nil || s.key != "" && !slices.Equal(got, []string{"Bearer " + s.key}) {
		wrong("authorization")
	}
	if r.Header.Get("Content-Type") != "application/json" {
		wrong("content type")
	}
	for name := range r.Header {
		if !slices.Contains([]string{"Authorization", "Content-Type", "Content-Length", "Accept", "Accept-Encoding", "User-Agent"}, name) {
			wrong("header %s", name)
		}
	}
	if r.URL.RawQuery != "" {
		wrong("query")
	}
	raw, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	var members map[string]json.RawMessage
	if err != nil || json.Unmarshal(raw, &members) != nil {
		wrong("body")
		return q
	}
	var body struct {
		Model       string
		Temperature *float64
		Stream      *bool
		Messages    []map[string]string
	}
	if err := json.Unmarshal(raw, &body); err != nil || body.Stream == nil || len(body.Messages) != 2 {
		wrong("members")
		return q
	}
	q.Model, q.Stream, q.Temperature = body.Model, *body.Stream, body.Temperature
	for _, name := range slices.Sorted(maps.Keys(members)) {
		switch {
		case name == "model", name == "messages":
		case !slices.Contains(options, name):
			wrong("member %s", name)
		default:
			q.Options = append(q.Options, name)
		}
	}
	for i, role := range []string{"system", "user"} {
		if m := body.Messages[i]; len(m) != 2 || m["role"] != role || m["content"] == "" {
			wrong("message %d", i)
		}
	}
	q.System = body.Messages[0]["content"]
	q.readUser(body.Messages[1]["content"], wrong)
	// A word or two may stand in the instructions by chance.
	if len(q.Transcript) > 16 && strings.Contains(q.System, q.Transcript) {
		wrong("the transcript is among the instructions")
	}
	for _, t := range q.Terms {
		if strings.ContainsAny(t, "-_./0123456789") && strings.Contains(q.System, t) {
			wrong("a term is among the instructions")
		}
	}
	return q
}

// readUser reads the user message: the transcript as a member of an object,
// and the terms within their limits.
func (q *Question) readUser(text string, wrong func(string, ...any)) {
	var user struct {
		Transcript *string
		Reference  *struct {
			Agent string
			Terms []string `json:"terminology"`
		} `json:"reference_context"`
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&user); err != nil || d.More() || user.Transcript == nil {
		wrong("user message")
		return
	}
	q.Transcript = *user.Transcript
	if strings.TrimSpace(q.Transcript) == "" {
		wrong("empty transcript")
	}
	if user.Reference == nil {
		return
	}
	q.Agent, q.Terms = user.Reference.Agent, user.Reference.Terms
	if !slices.Contains([]string{"", "Pi", "Codex"}, q.Agent) {
		wrong("agent")
	}
	if n := utf8.RuneCountInString(strings.Join(q.Terms, "")); len(q.Terms) == 0 || len(q.Terms) > 96 || n > 1500 {
		wrong("%d terms of %d characters", len(q.Terms), n)
	}
}

package fakecloud

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// Server is a running fake cloud.
type Server struct {
	Scenario Scenario
	token    string
	http     *http.Server
	door     *door
	began    time.Time
	done     chan struct{}
	live     sync.WaitGroup // what runs; see enter
	logging  sync.Mutex
	working  chan struct{} // held by the one inference that runs

	mu       sync.Mutex
	sessions []*session
	count    map[string]int
	tasks    map[string]bool // ids of all tasks
	news     chan struct{}   // closed at each change of the journal
}

// Start starts a server. It fails if the scenario has a fault that does not
// exist, or an address that is not on the loopback.
func Start(scenario Scenario) (*Server, error) {
	if err := validate(scenario.Faults); err != nil {
		return nil, err
	}
	if scenario.Scale == 0 {
		scenario.Scale = 1
	}
	address := scenario.Address
	if address == "" {
		address = "127.0.0.1:0"
	}
	s := &Server{Scenario: scenario, token: scenario.Token, began: time.Now(), done: make(chan struct{}),
		working: make(chan struct{}, 1), count: map[string]int{}, tasks: map[string]bool{}, news: make(chan struct{})}
	if s.token == "" {
		s.token = DefaultToken
	}
	var err error
	if s.door, err = open(s, address); err != nil {
		return nil, err
	}
	s.http = &http.Server{Handler: s.routes(), ReadHeaderTimeout: 10 * time.Second, ErrorLog: quiet,
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, tcpKey{}, c.(*tcpConn))
		}}
	s.enter()
	go func() {
		defer s.live.Done()
		s.http.Serve(s.door) // ends with Close
	}()
	return s, nil
}

// Close ends all connections and returns when nothing runs any more.
func (s *Server) Close() error {
	s.mu.Lock()
	select {
	case <-s.done:
		s.mu.Unlock()
		return nil
	default:
		close(s.done)
	}
	s.mu.Unlock()
	err := s.http.Close()
	s.door.closeAll()
	s.live.Wait()
	if errors.Is(err, net.ErrClosed) {
		err = nil // the door was shut by a fault
	}
	return err
}

// enter says that something runs, until live.Done; false after Close.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.done:
		return false
	default:
		s.live.Add(1)
		return true
	}
}

// Token is the key that clients must show.
func (s *Server) Token() string { return s.token }

// Base is the server's address, such as "http://127.0.0.1:1234".
func (s *Server) Base() string { return "http://" + s.door.address }

// URL is the address of a path, with the scheme ws where a websocket is.
func (s *Server) URL(path string) string {
	bare, _, _ := strings.Cut(path, "?")
	if slices.Contains([]string{TaskPath, RealtimePath, OpenAIRealtimePath}, bare) {
		return "ws://" + s.door.address + path
	}
	return s.Base() + path
}

// Journal is what has happened so far, in the order of the sessions.
func (s *Server) Journal() []Session {
	s.mu.Lock()
	sessions := slices.Clone(s.sessions)
	s.mu.Unlock()
	var all []Session
	for _, one := range sessions {
		all = append(all, one.snapshot())
	}
	return all
}

// Sessions are those of a protocol.
func (s *Server) Sessions(protocol string) []Session {
	return slices.DeleteFunc(s.Journal(), func(j Session) bool { return j.Protocol != protocol })
}

// Violations are those of all sessions, of what the server has read by now.
func (s *Server) Violations() []Violation {
	var all []Violation
	for _, j := range s.Journal() {
		all = append(all, j.Violations...)
	}
	return all
}

// settling is how long Check waits for connections to end, so that it sees
// what a client sent last, which the server may not have read yet.
const settling = 100 * time.Millisecond

// Check reports every violation as an error of the test. Call it when the
// client has closed its connections.
func (s *Server) Check(t interface {
	Helper()
	Errorf(format string, args ...any)
}) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), settling)
	defer cancel()
	// A connection that stays open is no fault.
	_ = s.Wait(ctx, func(all []Session) bool {
		return !slices.ContainsFunc(all, func(j Session) bool { return j.Closed == nil })
	})
	for _, v := range s.Violations() {
		t.Errorf("violation: %v", v)
	}
}

// Wait waits until the journal is as wanted, at most until ctx ends.
func (s *Server) Wait(ctx context.Context, wanted func([]Session) bool) error {
	for {
		s.mu.Lock()
		news := s.news
		s.mu.Unlock()
		if wanted(s.Journal()) {
			return nil
		}
		select {
		case <-news:
			// Each frame of a stream is news, and each look is a copy.
			time.Sleep(2 * time.Millisecond)
		case <-ctx.Done():
			return fmt.Errorf("the journal did not become as wanted: %w", ctx.Err())
		}
	}
}

func (s *Server) changed() {
	s.mu.Lock()
	close(s.news)
	s.news = make(chan struct{})
	s.mu.Unlock()
}

// scaled is one of the services' own times.
func (s *Server) scaled(d time.Duration) time.Duration {
	return time.Duration(float64(d) * s.Scenario.Scale)
}

// begin begins a session, which ends with its end.
func (s *Server) begin(protocol string, r *http.Request) *session {
	one := &session{srv: s, s: Session{Protocol: protocol, AcceptedAt: time.Now()}}
	s.mu.Lock()
	s.count[protocol]++
	one.s.Nth = s.count[protocol]
	one.s.Number = len(s.sessions) + 1
	if r != nil {
		one.s.Method, one.s.Path, one.s.Headers = r.Method, r.URL.Path, map[string]string{}
		one.s.Query = strings.ReplaceAll(r.URL.RawQuery, url.QueryEscape(s.token), "KEY")
		for name, values := range r.Header {
			value := strings.Join(values, ", ")
			switch {
			case name == "Authorization" && s.authorized(r):
				value = "ok"
			case name == "Authorization":
				value = "bad"
			}
			one.s.Headers[name] = strings.ReplaceAll(value, s.token, "KEY")
		}
	}
	s.sessions = append(s.sessions, one)
	s.mu.Unlock()
	if r != nil {
		s.headers(one, r)
	}
	if most, bounded := s.Scenario.Most[protocol]; bounded && one.s.Nth > most {
		one.violate(TooMany, "", fmt.Sprintf("at most %d", most))
	}
	return one
}

// authorized says whether a request shows the key. The scheme has no case.
func (s *Server) authorized(r *http.Request) bool {
	scheme, key, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return strings.EqualFold(scheme, "Bearer") && strings.TrimSpace(key) == s.token
}

// ownHeaders are those that each protocol has besides those of all.
var ownHeaders = map[string][]string{
	Task:           {"X-Dashscope-Workspace", "X-Dashscope-Datainspection"},
	Realtime:       {"X-Dashscope-Workspace", "Openai-Beta"},
	Native:         {"X-Dashscope-Sse", "X-Dashscope-Workspace"},
	OpenAIRealtime: {"Openai-Beta", "Openai-Organization", "Openai-Project"},
	Transcriptions: {"Openai-Organization", "Openai-Project"},
}

// headers judges the header of a request.
func (s *Server) headers(one *session, r *http.Request) {
	for _, name := range sorted(r.Header) {
		value := strings.Join(r.Header[name], ", ")
		switch name {
		case "Authorization":
			continue
		case "User-Agent", "Accept", "Accept-Encoding", "Content-Type", "Content-Length", "Connection", "Upgrade",
			"Sec-Websocket-Key", "Sec-Websocket-Version", "Sec-Websocket-Extensions", "Expect", "X-Request-Id":
		default:
			if !slices.Contains(ownHeaders[one.s.Protocol], name) && one.s.Protocol != Trap {
				one.violate(BadHeader, name, "")
			}
		}
		if strings.Contains(value, s.token) {
			one.violate(KeyLeaked, name, "in a header")
		}
	}
	if strings.Contains(r.URL.String(), s.token) || strings.Contains(r.URL.RawQuery, url.QueryEscape(s.token)) {
		one.violate(KeyLeaked, "", "in the address")
	}
}

// newTask says whether a task's id is new.
func (s *Server) newTask(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tasks[id] {
		return false
	}
	s.tasks[id] = true
	return true
}

// answer is the text of a whole recording, the n-th request of its protocol.
func (s *Server) answer(n int, a Audio) string {
	switch {
	case s.Scenario.Answer != nil:
		return s.Scenario.Answer(a)
	case n <= len(s.Scenario.Texts):
		return s.Scenario.Texts[n-1]
	case s.Scenario.Text != "":
		return s.Scenario.Text
	}
	var finals []string
	for _, r := range s.Scenario.Results {
		if r.Final {
			finals = append(finals, r.Text)
		}
	}
	return strings.Join(finals, " ")
}

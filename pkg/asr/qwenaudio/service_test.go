package qwenaudio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"voice-input/pkg/asr/engine"
	"voice-input/pkg/asr/enginetest"
	"voice-input/pkg/asr/native"
	"voice-input/pkg/asr/socket"
	"voice-input/pkg/asr/tape"
	"voice-input/pkg/wire"
)

// The tests of what happens when are done with a service in memory and a clock
// of its own (testing/synctest), so that five minutes take no time. Real
// connections are in cloud_test.go.

// frame is a message to the service.
type frame struct {
	kind int
	data []byte
	at   time.Duration // since the test began
}

// writeTime is how long a real connection waits for a write.
const writeTime = 5 * time.Second

// peer is the service's end of a connection. It implements conn for the other
// end.
type peer struct {
	t      *testing.T
	n      int           // which connection, from 1
	dialed time.Duration // since the test began
	in     chan frame    // unbuffered: a service that does not read holds up the client
	out    chan []byte
	closed chan struct{} // by the client
	gone   chan error    // by the service
	once   sync.Once
	began  time.Time
	lag    time.Duration // of what is read

	mu     sync.Mutex
	id     string
	run    []byte  // the run-task
	frames []frame // everything behind it
	bytes  int     // of samples
}

func (p *peer) Write(kind int, b []byte) error {
	timer := time.NewTimer(writeTime)
	defer timer.Stop()
	select {
	case <-p.closed:
		return &socket.LostError{Code: 1006}
	default:
	}
	select {
	case p.in <- frame{kind, append([]byte(nil), b...), time.Since(p.began)}:
		return nil
	case <-p.closed:
		return &socket.LostError{Code: 1006}
	case err := <-p.gone:
		p.gone <- err
		return err
	case <-timer.C:
		return &socket.LostError{Code: 1006, Silent: true}
	}
}

func (p *peer) Read() ([]byte, error) {
	time.Sleep(p.lag)
	select {
	case b := <-p.out:
		return b, nil
	default:
	}
	select {
	case b := <-p.out:
		return b, nil
	case <-p.closed:
		return nil, &socket.LostError{Code: 1006}
	case err := <-p.gone:
		p.gone <- err
		return nil, err
	}
}

func (p *peer) Close() { p.once.Do(func() { close(p.closed) }) }

// hangUp closes the connection from the service's side.
func (p *peer) hangUp(code int) { p.gone <- &socket.LostError{Code: code} }

// say sends a message to the client; false if that is gone.
func (p *peer) say(event, payload string) bool {
	return p.raw(fmt.Sprintf(`{"header":{"task_id":%q,"event":%q,"attributes":{}},"payload":%s}`, p.id, event, payload))
}

func (p *peer) raw(s string) bool {
	select {
	case p.out <- []byte(s):
		return true
	case <-p.closed:
		return false
	}
}

func (p *peer) fail(code, message string) {
	p.raw(fmt.Sprintf(`{"header":{"task_id":%q,"event":"task-failed","error_code":%q,"error_message":%q},"payload":{}}`, p.id, code, message))
}

// sentence tells of a sentence.
func (p *peer) sentence(id int, text string, final bool) bool {
	t, _ := json.Marshal(text)
	return p.say(result, fmt.Sprintf(`{"output":{"sentence":{"sentence_id":%d,"begin_time":1,"text":%s,"sentence_end":%t}}}`, id, t, final))
}

func (p *peer) heartbeat() bool {
	return p.say(result, `{"output":{"sentence":{"sentence_id":0,"heartbeat":true,"text":"sentinel"}}}`)
}

// accept reads the run-task and answers it.
func (p *peer) accept() {
	if p.ask() {
		p.say(started, `{}`)
	}
}

// ask reads the run-task.
func (p *peer) ask() bool {
	select {
	case f := <-p.in:
		var m struct {
			Header struct {
				Action string `json:"action"`
				TaskID string `json:"task_id"`
			} `json:"header"`
		}
		if json.Unmarshal(f.data, &m) != nil || f.kind != socket.Text || m.Header.Action != "run-task" {
			p.t.Errorf("connection %d begins with %.80q", p.n, f.data)
		}
		p.mu.Lock()
		p.id, p.run = m.Header.TaskID, f.data
		p.mu.Unlock()
		return true
	case <-p.closed:
		return false
	}
}

// errFinish says that the client has finished, errClosed that it is gone.
var errFinish, errClosed = errors.New("finish-task"), errors.New("closed")

// listen takes in samples until there are so many bytes, or to the end.
func (p *peer) listen(bytes int) error {
	for bytes < 0 || p.size() < bytes {
		select {
		case f := <-p.in:
			p.mu.Lock()
			p.frames = append(p.frames, f)
			if f.kind == socket.Binary {
				p.bytes += len(f.data)
			}
			p.mu.Unlock()
			if f.kind == socket.Text {
				if want := string(finishTask(p.id)); string(f.data) != want {
					p.t.Errorf("got %s, want %s", f.data, want)
				}
				return errFinish
			}
		case <-p.closed:
			return errClosed
		}
	}
	return nil
}

func (p *peer) size() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.bytes
}

// samples returns what the service was sent.
func (p *peer) samples() []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	var b []byte
	for _, f := range p.frames {
		if f.kind == socket.Binary {
			b = append(b, f.data...)
		}
	}
	return b
}

// works is a service that works: it says something each second, and has the
// text at the end.
func works(text string) func(*peer) {
	return func(p *peer) {
		p.accept()
		if p.follow(-1) == errFinish {
			p.sentence(1, text, true)
			p.say(finished, `{"output":{}}`)
		}
	}
}

// follow listens and says each second that it does.
func (p *peer) follow(bytes int) error {
	for i := engine.BytesPerSecond; bytes < 0 || p.size() < bytes; i += engine.BytesPerSecond {
		if err := p.listen(i); err != nil {
			return err
		}
		p.sentence(1, "", false)
	}
	return nil
}

// trial is one recognition by the service in memory.
type trial struct {
	t      *testing.T
	began  time.Time
	engine *Engine
	native *fakePass
	take   engine.Take
	tape   *tape.Tape
	cancel context.CancelFunc
	ctx    context.Context
	lag    time.Duration // of what the client reads

	mu     sync.Mutex
	peers  []*peer
	events []string
	result chan recognised
	work   sync.WaitGroup
}

type recognised struct {
	text string
	err  error
	at   time.Duration
}

// begin starts a recognition against services, one per connection. A nil one
// refuses the connection. It must be called in a bubble of synctest.
func begin(t *testing.T, mode native.Mode, setup func(*trial), services ...func(*peer)) *trial {
	tr := &trial{t: t, began: time.Now(), native: &fakePass{}, result: make(chan recognised, 1)}
	tr.ctx, tr.cancel = context.WithCancel(context.Background())
	tr.tape, tr.take = enginetest.Live()
	tr.engine = &Engine{
		o: Options{
			Name: "qwen-audio3", Model: UsualModel, Key: keyOf(t, "key"), Connect: 5 * time.Second, Finalize: 8 * time.Second,
			Vocabulary: true, Heartbeat: true, Native: mode,
		},
		url: "wss://service.test/", region: "beijing", segmentation: Segmentation{MaxSentenceSilenceMS: 800},
		native: tr.native, limits: defaults,
	}
	tr.native.began = tr.began
	tr.engine.dial = func(ctx context.Context, url string, head http.Header) (conn, error) {
		if head.Get("Authorization") != "Bearer key" || len(head) != 1 {
			t.Errorf("head %q", head)
		}
		tr.mu.Lock()
		defer tr.mu.Unlock()
		n := len(tr.peers)
		p := &peer{t: t, n: n + 1, lag: tr.lag, dialed: time.Since(tr.began), began: tr.began, in: make(chan frame), out: make(chan []byte, 64), closed: make(chan struct{}), gone: make(chan error, 1)}
		tr.peers = append(tr.peers, p)
		if n >= len(services) {
			t.Errorf("connection %d", n+1)
			return nil, errors.New("no connection to the service")
		}
		if services[n] == nil {
			return nil, errors.New("no connection to the service")
		}
		tr.work.Go(func() { services[n](p) })
		return p, nil
	}
	if setup != nil {
		setup(tr)
	}
	go func() {
		text, err := tr.engine.Recognize(tr.ctx, tr.take, tr.emit)
		tr.result <- recognised{text, err, time.Since(tr.began)}
	}()
	return tr
}

func (tr *trial) emit(ev *wire.ASR) {
	s := ev.Type
	switch {
	case ev.Type == wire.ASRPartial:
		s += " " + ev.Committed + "|" + ev.Draft
	case ev.Text != "":
		s += " " + ev.Text
	}
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.events = append(tr.events, s)
}

// peer returns the n-th connection, from 1, nil if it did not come.
func (tr *trial) peer(n int) *peer {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	if n > len(tr.peers) {
		return nil
	}
	return tr.peers[n-1]
}

func (tr *trial) connections() int {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return len(tr.peers)
}

// speak records samples as they are spoken, 100 ms at a time.
func (tr *trial) speak(pcm []byte) {
	for len(pcm) > 0 {
		n := min(len(pcm), packet)
		time.Sleep(duration(int64(n)))
		tr.tape.Write(pcm[:n])
		pcm = pcm[n:]
	}
}

func (tr *trial) stop() { tr.tape.Close(io.EOF) }

// end waits for the end, and for all that runs.
func (tr *trial) end() recognised {
	tr.t.Helper()
	var r recognised
	select {
	case r = <-tr.result:
	case <-time.After(2 * time.Hour):
		tr.t.Fatal("it never ends")
	}
	tr.finish()
	return r
}

func (tr *trial) finish() {
	tr.cancel()
	tr.tape.Close(io.EOF)
	for i := range tr.connections() {
		select {
		case <-tr.peer(i + 1).closed:
		default:
			if tr.peer(i + 1).dialedOK() {
				tr.t.Errorf("connection %d is still open", i+1)
			}
		}
		tr.peer(i + 1).Close()
	}
	tr.work.Wait()
	synctest.Wait()
}

// dialedOK tells whether the client got this connection.
func (p *peer) dialedOK() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.run != nil
}

// failureOf returns the failure of a result, an empty one if there is none.
func failureOf(err error) engine.Failure {
	var f *engine.Failure
	if errors.As(err, &f) {
		return *f
	}
	return engine.Failure{}
}

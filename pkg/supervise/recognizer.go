package supervise

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"voice-input/pkg/config"
	"voice-input/pkg/wire"
)

// recognizer turns samples into events by the program of the stage. Ours is
// kept running from take to take so that a model is loaded once; a command of
// the user's is started for each take.
type recognizer struct {
	argv     []string
	resident bool
	engines  config.ASR // decides how long it may take
	log      io.Writer
	dir      string // for FIFOs

	mu   sync.Mutex
	proc *asrProcess // resident, may have ended
}

// asrProcess is one run of the program.
type asrProcess struct {
	*resident

	mu     sync.Mutex
	ended  bool           // its output has ended
	events chan *wire.ASR // of the take at hand, nil between takes
	take   string
}

// errAsrEnded says that the program ended before it said what it heard.
var errAsrEnded = errors.New("the recogniser ended early")

// warm starts the resident program ahead of a take.
func (r *recognizer) warm() {
	if r.resident {
		r.running()
	}
}

// running returns the resident program, started anew if it has ended.
func (r *recognizer) running() (*asrProcess, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.proc != nil && r.proc.usable() {
		return r.proc, nil
	}
	p, err := r.start()
	r.proc = p
	return p, err
}

func (r *recognizer) start() (p *asrProcess, err error) {
	p = new(asrProcess)
	p.resident, err = startResident(r.argv, nil, r.log, p.event, p.end)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// event hands an event to the take at hand.
func (p *asrProcess) event(line []byte) {
	e := new(wire.ASR)
	if wire.Decode(line, e) != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.events != nil && (e.Take == p.take || e.Take == "") {
		select {
		case p.events <- e:
		default: // only a flood of partials fills the queue
		}
	}
}

// end ends the take at hand with the program.
func (p *asrProcess) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	if p.events != nil {
		close(p.events)
		p.events = nil
	}
}

func (p *asrProcess) usable() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.ended && p.alive()
}

// eventQueue holds the events that the daemon has not looked at yet. A take
// of an hour with four partials a second would fill it in a minute only if
// nobody read.
const eventQueue = 1024

func (p *asrProcess) begin(take string) <-chan *wire.ASR {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.events != nil {
		close(p.events)
	}
	p.take, p.events = take, make(chan *wire.ASR, eventQueue)
	events := p.events
	if p.ended { // nobody else would close it
		close(p.events)
		p.events = nil
	}
	return events
}

// drop kills a program with all that it has started; the next take gets a
// new one.
func (r *recognizer) drop(p *asrProcess) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p.kill()
	if r.proc == p {
		r.proc = nil
	}
}

// close lets the resident program end by itself, and kills it after d.
func (r *recognizer) close(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.proc == nil {
		return
	}
	r.proc.stdin.Close()
	select {
	case <-r.proc.proc.Done():
	case <-time.After(d):
		r.proc.proc.Kill()
	}
}

// recognition is what came of one take.
type recognition struct {
	final  *wire.ASR
	engine time.Duration // from the last sample to the final event
}

// run recognises sm as its samples come. It returns when the final event is
// there, or with an error when ctx ends, the program ends, or the time after
// the last sample is over. After an error the program is killed, for what it
// would say next belongs to nobody.
func (r *recognizer) run(ctx context.Context, take string, sm *samples, terms *terms, event func(*wire.ASR)) (recognition, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p, events, err := r.feed(ctx, take, sm, terms)
	if err != nil {
		return recognition{}, err
	}
	got, err := r.follow(ctx, sm, events, event)
	if err != nil || !r.resident {
		r.drop(p)
	}
	if errors.Is(err, errAsrEnded) {
		if exit := p.proc.Wait(); exit != nil {
			err = fmt.Errorf("%w: %w", err, exit)
		}
	}
	return got, err
}

// feed starts the flow of samples into the program: through a FIFO into the
// resident one, through standard input into one of the user's.
func (r *recognizer) feed(ctx context.Context, take string, sm *samples, terms *terms) (*asrProcess, <-chan *wire.ASR, error) {
	if !r.resident {
		p, err := r.start()
		if err != nil {
			return nil, nil, err
		}
		events := p.begin(take)
		go func() {
			defer p.stdin.Close()
			sm.copyTo(ctx, p.stdin)
		}()
		return p, events, nil
	}
	p, err := r.running()
	if err != nil {
		return nil, nil, err
	}
	events := p.begin(take)
	req := &wire.Take{ID: take, Audio: wire.Audio{Format: sm.format, Rate: sampleRate, Channels: 1}}
	// A program that closes its end early says why in its events.
	if req.Audio.Path, err = r.fifo(ctx, take+".samples", sm.copyTo); err != nil {
		return nil, nil, err
	}
	if terms != nil {
		if req.TermsPath, err = r.fifo(ctx, take+".terms", terms.copyTo); err != nil {
			return nil, nil, err
		}
	}
	if err := wire.Write(p.stdin, req); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", errAsrEnded, err)
	}
	return p, events, nil
}

// fifo makes a FIFO and has write fill it when somebody reads it. It is gone
// when that is done or ctx has ended.
func (r *recognizer) fifo(ctx context.Context, name string, write func(context.Context, io.Writer) error) (string, error) {
	path := filepath.Join(r.dir, name)
	os.Remove(path)
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		return "", fmt.Errorf("cannot make FIFO %q: %w", path, err)
	}
	go func() {
		defer os.Remove(path)
		f, err := openFIFO(ctx, path)
		if err != nil {
			return
		}
		defer f.Close()
		defer context.AfterFunc(ctx, func() { f.Close() })()
		write(ctx, f)
	}()
	return path, nil
}

// openFIFO opens a FIFO for writing, which waits for a reader. When ctx ends
// first, the wait is released by a reader of our own.
func openFIFO(ctx context.Context, path string) (*os.File, error) {
	stop := context.AfterFunc(ctx, func() {
		if f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0); err == nil {
			time.AfterFunc(time.Second, func() { f.Close() })
		}
	})
	defer stop()
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err == nil && ctx.Err() != nil {
		f.Close()
		return nil, ctx.Err()
	}
	return f, err
}

// follow reads the events until the final one. The time for that begins at the
// last sample, or anew when a model that was still being loaded then is ready.
func (r *recognizer) follow(ctx context.Context, sm *samples, events <-chan *wire.ASR, event func(*wire.ASR)) (recognition, error) {
	var ended time.Time
	ready := false
	late := time.NewTimer(time.Hour)
	late.Stop()
	defer late.Stop()
	limit := func() { late.Reset(recognitionTime(r.engines, sm.length(), ready)) }
	complete := make(chan struct{})
	go func() {
		if sm.wait(ctx) == nil {
			close(complete)
		}
	}()
	for {
		select {
		case <-complete:
			complete = nil
			ended = time.Now()
			limit()
		case e, open := <-events:
			if !open {
				return recognition{}, errAsrEnded
			}
			event(e)
			switch e.Type {
			case wire.ASRReady:
				first := !ready
				ready = true
				if first && !ended.IsZero() {
					limit()
				}
			case wire.ASRFinal:
				got := recognition{final: e}
				if !ended.IsZero() {
					got.engine = time.Since(ended)
				}
				return got, nil
			case wire.ASRError:
				return recognition{}, &asrError{kind: e.Kind, code: e.Code}
			}
		case <-late.C:
			return recognition{}, fmt.Errorf("no result from the recogniser in time: %w", context.DeadlineExceeded)
		case <-ctx.Done():
			return recognition{}, ctx.Err()
		}
	}
}

// asrError is an error event. The program goes on and needs no kill, but
// killing it does no harm either and leaves one path.
type asrError struct{ kind, code string }

func (e *asrError) Error() string {
	if e.code == "" {
		return "the recogniser reports: " + e.kind
	}
	return fmt.Sprintf("the recogniser reports: %s (%s)", e.kind, e.code)
}

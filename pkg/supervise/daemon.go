package supervise

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"voice-input/pkg/cli"
	"voice-input/pkg/config"
	"voice-input/pkg/supervise/history"
	"voice-input/pkg/wire"
)

// daemon is the supervisor. Its fields belong to the goroutine of loop.
type daemon struct {
	options
	cfg   config.Config
	out   *os.File // for text that is delivered to standard output
	posts chan func()
	gone  chan struct{} // closed when loop has ended

	board  *board
	spool  *spool
	stages *stages
	asr    *recognizer
	ranker *ranker
	mic    *microphone
	// history is nil where none is kept.
	history *history.Store
	told    chan config.Feedback // what is in force, after a reload

	phase     Phase
	take      *take         // nil when idle
	pressed   time.Time     // the last toggle or press that counted
	cancelled string        // id of the take that was cancelled last
	last      *wire.History // what was delivered last, or was to be
	// contexts are the terms of the takes in the spool, so that a retry has them.
	contexts map[string]*terms
	// draining are takes that have ended while the recorder still held samples
	// of them.
	draining map[string]*take
	// wordless are takes of the spool in which a retry found no words; they must
	// not stand in the way of those before them.
	wordless map[string]bool
	fresh    *config.Config // to be taken over when idle
	diary    *diary         // of the take at hand or the last one
	failures []failure      // since it began
}

// options say what a daemon is to be.
type options struct {
	runtimeDir string
	frozen     string // name of a file of its own in there
	log        io.Writer
	getenv     func(string) string
	served     bool // others can reach it; what is dictated goes into the history
}

func newDaemon(cfg config.Config, o options) (*daemon, error) {
	sp, err := openSpool(o.runtimeDir)
	if err != nil {
		return nil, cli.Errorf(cli.StatusCantCreate, "%w", err)
	}
	st, err := newStages(cfg, o.runtimeDir, o.frozen, o.log)
	if err != nil {
		return nil, err
	}
	d := &daemon{
		options: o, out: os.Stdout, posts: make(chan func(), 64), gone: make(chan struct{}),
		board: newBoard(), spool: sp, phase: Idle, contexts: map[string]*terms{}, draining: map[string]*take{}, wordless: map[string]bool{}, told: make(chan config.Feedback, 1),
	}
	d.equip(cfg, st)
	d.spool.prune(uptime())
	d.show(func(*wire.Status) {})
	return d, nil
}

// equip makes what depends on the configuration.
func (d *daemon) equip(cfg config.Config, st *stages) {
	argv, resident := st.asr()
	d.cfg, d.stages = cfg, st
	d.asr = &recognizer{argv: argv, resident: resident, engines: cfg.ASR, log: d.log, dir: d.spool.dir}
	d.ranker = &ranker{argv: st.terms(), keep: wantsContext(cfg), log: d.log}
	d.mic = newMicrophone(d)
	d.history = nil
	if d.served && cfg.History.Enabled {
		d.history = openHistory(cfg, d.getenv)
	}
}

// post runs f on the loop's goroutine.
func (d *daemon) post(f func()) {
	select {
	case d.posts <- f:
	case <-d.gone:
	}
}

// loop runs until ctx ends. A take at hand stays in the spool.
func (d *daemon) loop(ctx context.Context) {
	defer close(d.gone)
	d.warm()
	for {
		select {
		case f := <-d.posts:
			f()
		case <-ctx.Done():
			d.shutdown()
			return
		}
	}
}

// warm starts ahead of a take what it will need.
func (d *daemon) warm() {
	d.asr.warm()
	go d.ranker.warm()
	d.mic.open()
	if h := d.history; h != nil {
		go h.Prune(context.Background())
	}
}

// shutdown ends everything. A delivery that has begun is let finish: half a
// text or a clipboard that is not put back would be worse than a late end.
func (d *daemon) shutdown() {
	for late := time.After(shutdownTime); d.take != nil && d.phase == Delivering; {
		select {
		case f := <-d.posts:
			f()
			continue
		case <-late:
		}
		break
	}
	if t := d.take; t != nil {
		d.end(t, "cancelled", &wire.Reply{Header: wire.Header{Reason: "cancelled"}, Status: int(cli.StatusNothing), Detail: "the daemon ends; the samples are kept"})
		if t.rec != nil {
			select {
			case <-t.rec.finished():
			case <-time.After(drainCapture + time.Second):
			}
		}
	}
	defer d.mic.close()()
	d.asr.close(shutdownTime)
	d.ranker.close(shutdownTime)
	d.stages.close()
}

// show publishes a change of the status.
func (d *daemon) show(f func(s *wire.Status)) {
	d.board.change(func(s *wire.Status) {
		s.Phase = string(d.phase)
		s.Job, s.Private = "", false
		if d.take != nil {
			s.Job, s.Private = d.take.id, d.take.private
		} else {
			s.Level, s.Recoverable = 0, len(d.spool.ids())
		}
		f(s)
	})
}

func (d *daemon) enter(p Phase) {
	d.phase = p
	d.show(func(*wire.Status) {})
}

// command carries out a command and answers at once. With Wait, a second
// reply follows when the take has ended.
func (d *daemon) command(c wire.Control, wait chan<- *wire.Reply) *wire.Reply {
	now := time.Now()
	r := &wire.Reply{}
	if d.take != nil {
		r.Job = d.take.id
	}
	command := Command(c.Command)
	if c.Job != "" && c.Job != r.Job {
		return nothing(fmt.Sprintf("cannot %s: that take is not at hand", command))
	}
	switch d.decide(command, now) {
	case Begin:
		return d.begin(command == Press, c.Private, wait)
	case Finish:
		d.stop(d.take)
	case Latch:
		d.take.held.down = false
	case Discard:
		d.discard()
		return r
	case Renew:
		return d.renew(c.Private, wait)
	case Again:
		id := d.toRetry()
		if id == "" {
			return nothing("cannot retry: no take is left to recognise")
		}
		return d.again(id, wait)
	case Undo:
		if d.draining[d.cancelled] == nil && !slices.Contains(d.spool.ids(), d.cancelled) {
			return nothing("cannot undo-cancel: no take was cancelled, or it is no longer kept")
		}
		return d.again(d.cancelled, wait)
	case Resend:
		return d.resend(c.Entry, wait)
	case Same:
	case Nothing:
		return nothing(fmt.Sprintf("cannot %s: no take is at hand", command))
	case Bounced:
		r.Reason, r.Status = "bounced", int(cli.StatusNothing)
		r.Detail = "too soon after the last press to be meant"
		return r
	case Busy:
		r.Reason, r.Status = "busy", int(cli.StatusTempFail)
		r.Detail = fmt.Sprintf("cannot %s: a take is in phase %s", command, d.phase)
		r.Hint = "wait for it, or voice-input record cancel"
		return r
	case TooLate:
		r.Reason, r.Status = "too_late", int(cli.StatusTempFail)
		r.Detail = fmt.Sprintf("cannot %s: delivery has begun", command)
		return r
	default:
		r.Reason, r.Status, r.Detail = "bad_command", int(cli.StatusUsage), "no such command"
		return r
	}
	d.await(wait)
	return r
}

// decide is the table with what it does not hold: how a key is held, and a key
// that chatters.
func (d *daemon) decide(c Command, now time.Time) Action {
	action := Decide(d.phase, c)
	if action == Key {
		action = d.take.held.press()
		if c == Release {
			action = d.take.held.release(now, time.Duration(d.cfg.Hotkey.TapMS)*time.Millisecond)
		}
	}
	if (c == Toggle || c == Press) && (action == Begin || action == Finish) {
		if bounced(d.pressed, now) {
			return Bounced
		}
		d.pressed = now
	}
	return action
}

// toRetry returns the newest take that a retry may find words in, "" if no
// take is left. When none of them had any, it begins anew with the newest.
func (d *daemon) toRetry() string {
	ids := d.spool.ids()
	for _, id := range slices.Backward(ids) {
		if !d.wordless[id] {
			return id
		}
	}
	clear(d.wordless)
	if len(ids) == 0 {
		return ""
	}
	return ids[len(ids)-1]
}

func nothing(detail string) *wire.Reply {
	return &wire.Reply{Header: wire.Header{Reason: "nothing"}, Status: int(cli.StatusNothing), Detail: detail}
}

func (d *daemon) await(wait chan<- *wire.Reply) {
	if wait != nil {
		d.take.waiters = append(d.take.waiters, wait)
	}
}

func failed(detail error, status cli.Status) *wire.Reply {
	return &wire.Reply{Header: wire.Header{Reason: "failed"}, Status: int(status), Detail: detail.Error()}
}

// failure is what diagnostics tell of one.
type failure struct {
	stage string
	at    time.Time
}

// fail shows a failure beside the phase for a while.
func (d *daemon) fail(stage string, err error, hint string) {
	e := &wire.StatusError{Stage: stage, Detail: err.Error(), Hint: hint}
	fmt.Fprintf(d.log, "voice-input: error: %s: %s\n", stage, e.Detail)
	if len(d.failures) < maxFailures {
		d.failures = append(d.failures, failure{stage, time.Now()})
	}
	d.show(func(s *wire.Status) { s.Error = e })
	time.AfterFunc(errorShown, func() {
		d.post(func() {
			d.board.change(func(s *wire.Status) {
				if s.Error == e {
					s.Error = nil
				}
			})
		})
	})
}

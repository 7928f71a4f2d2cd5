package supervise

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"voice-input/pkg/cli"
	"voice-input/pkg/config"
	"voice-input/pkg/wire"
)

// daemon is the supervisor. Its fields belong to the goroutine of loop.
type daemon struct {
	cfg   config.Config
	log   io.Writer
	out   *os.File // for text that is delivered to standard output
	posts chan func()
	gone  chan struct{} // closed when loop has ended

	board  *board
	spool  *spool
	stages *stages
	asr    *recognizer
	ranker *ranker

	phase Phase
	take  *take // nil when idle
}

// take is one dictation from its start command to its end.
type take struct {
	id      string
	ctx     context.Context
	cancel  context.CancelFunc
	sm      *samples
	rec     *recorder // nil for a retry
	stopped bool
	terms   *terms  // frozen at the start
	target  *target // set by the stop

	stopAt  time.Time     // the stop command
	engine  time.Duration // spent in the recogniser after that
	name    string        // of the engine
	driver  string
	warned  []string // by vi-type
	waiters []chan<- *wire.Reply
}

// newDaemon makes a daemon. The name is that of a file of its own in the
// runtime directory.
func newDaemon(cfg config.Config, runtimeDir, name string, log io.Writer) (*daemon, error) {
	sp, err := openSpool(runtimeDir)
	if err != nil {
		return nil, cli.Errorf(cli.StatusCantCreate, "%w", err)
	}
	st, err := newStages(cfg, runtimeDir, name, log)
	if err != nil {
		return nil, err
	}
	argv, resident := st.asr()
	return &daemon{
		cfg: cfg, log: log, out: os.Stdout, posts: make(chan func(), 64), gone: make(chan struct{}),
		board: newBoard(), spool: sp, stages: st, phase: Idle,
		ranker: &ranker{argv: st.terms(), keep: cfg.LLM.AgentContextEnabled, log: log},
		asr:    &recognizer{argv: argv, resident: resident, log: log, dir: sp.dir},
	}, nil
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
	d.spool.prune(time.Now())
	d.show(func(*wire.Status) {})
	d.asr.warm()
	go d.ranker.warm()
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

func (d *daemon) shutdown() {
	if t := d.take; t != nil {
		d.end(t, "cancelled", &wire.Reply{Header: wire.Header{Reason: "cancelled"}, Status: int(cli.StatusNothing), Detail: "the daemon ends; the samples are kept"})
		if t.rec != nil {
			select {
			case <-t.rec.done:
			case <-time.After(drainCapture + time.Second):
			}
		}
	}
	d.asr.close(shutdownTime)
	d.ranker.close(shutdownTime)
	d.stages.close()
}

// show publishes a change of the status.
func (d *daemon) show(f func(s *wire.Status)) {
	d.board.change(func(s *wire.Status) {
		s.Phase = string(d.phase)
		s.Job = ""
		if d.take != nil {
			s.Job = d.take.id
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

// command carries out a command and answers at once. With wait, a second
// reply follows when the take has ended.
func (d *daemon) command(c Command, wait chan<- *wire.Reply) *wire.Reply {
	action := Decide(d.phase, c)
	r := &wire.Reply{}
	if d.take != nil {
		r.Job = d.take.id
	}
	switch action {
	case Begin:
		return d.begin(wait)
	case Finish:
		d.stop(d.take)
	case Discard:
		d.discard()
		return r
	case Renew:
		return d.renew(wait)
	case Again:
		return d.again(wait)
	case Same:
	case Nothing:
		r.Reason, r.Status = "nothing", int(cli.StatusNothing)
		r.Detail = fmt.Sprintf("cannot %s: no take is at hand", c)
		return r
	case Busy:
		r.Reason, r.Status = "busy", int(cli.StatusTempFail)
		r.Detail = fmt.Sprintf("cannot %s: a take is in phase %s", c, d.phase)
		r.Hint = "wait for it, or voice-input record cancel"
		return r
	case TooLate:
		r.Reason, r.Status = "too_late", int(cli.StatusTempFail)
		r.Detail = fmt.Sprintf("cannot %s: delivery has begun", c)
		return r
	default:
		r.Reason, r.Status, r.Detail = "bad_command", int(cli.StatusUsage), "no such command"
		return r
	}
	d.await(wait)
	return r
}

func (d *daemon) await(wait chan<- *wire.Reply) {
	if wait != nil {
		d.take.waiters = append(d.take.waiters, wait)
	}
}

func failed(detail error, status cli.Status) *wire.Reply {
	return &wire.Reply{Header: wire.Header{Reason: "failed"}, Status: int(status), Detail: detail.Error()}
}

// begin starts a take: the microphone first.
func (d *daemon) begin(wait chan<- *wire.Reply) *wire.Reply {
	t := &take{id: newID(time.Now())}
	var err error
	if t.sm, err = d.spool.create(t.id); err != nil {
		d.fail("spool", err, "")
		return failed(err, cli.StatusCantCreate)
	}
	if t.rec, err = d.record(t.sm); err != nil {
		t.sm.close()
		d.spool.remove(t.id)
		d.fail("capture", err, "voice-input lies beside vi-capture, or name your own under [stages]")
		return failed(err, cli.StatusUnavailable)
	}
	return d.attach(t, Arming, wait)
}

// attach makes t the take at hand and lets the recogniser follow it.
func (d *daemon) attach(t *take, phase Phase, wait chan<- *wire.Reply) *wire.Reply {
	t.ctx, t.cancel = context.WithCancel(context.Background())
	t.terms = newTerms()
	d.take, d.phase = t, phase
	d.board.setText("")
	d.show(func(s *wire.Status) {
		s.Error, s.Context, s.RecordingMS, s.Level = nil, "", t.sm.length().Milliseconds(), 0
	})
	d.await(wait)
	go d.recognize(t)
	d.look(t)
	return &wire.Reply{Job: t.id}
}

func (d *daemon) maximum() time.Duration {
	return time.Duration(d.cfg.Audio.MaxDurationMS) * time.Millisecond
}

// record opens the microphone into sm. A restart hands the recorder from one
// take to the next, so what it tells belongs to whoever has it by then.
func (d *daemon) record(sm *samples) (r *recorder, err error) {
	owner := func(f func(t *take)) {
		d.post(func() {
			if d.take != nil && d.take.rec == r {
				f(d.take)
			}
		})
	}
	r, err = startRecorder(d.stages.capture(), d.log, sm, d.maximum(), recorderEvents{
		event: func(e *wire.Capture) {
			owner(func(t *take) {
				if !t.stopped {
					d.heard(t, e)
				}
			})
		},
		full: func(sm *samples) {
			owner(func(t *take) {
				if t.sm == sm {
					d.stop(t)
				}
			})
		},
		ended: func(err error) {
			owner(func(t *take) { d.recorded(t, err) })
		},
	})
	return r, err
}

// heard shows what vi-capture tells.
func (d *daemon) heard(t *take, e *wire.Capture) {
	if e.Type == wire.CaptureReady {
		d.phase = Recording
	}
	d.show(func(s *wire.Status) {
		s.RecordingMS = t.sm.length().Milliseconds()
		s.Level = e.RMS
	})
}

// stop freezes the clock at the command, lets the tail in and closes the
// microphone. It is a no-op for a take that was stopped already.
func (d *daemon) stop(t *take) {
	if t.stopped {
		return
	}
	t.stopped, t.stopAt = true, time.Now()
	t.target = d.stages.aim(t.ctx)
	d.phase = Recognizing
	d.show(func(s *wire.Status) { s.RecordingMS, s.Level = t.sm.length().Milliseconds(), 0 })
	time.AfterFunc(tail, t.rec.stop)
}

// recorded is called when the microphone is closed. If nobody asked for that,
// what was recorded so far is recognised.
func (d *daemon) recorded(t *take, err error) {
	if err != nil {
		d.fail("capture", err, "vi-capture sources shows what can be recorded")
	}
	if t.stopped {
		return
	}
	t.stopped, t.stopAt = true, time.Now()
	if t.sm.bytes() == 0 {
		if err == nil {
			err = errors.New("recording ended: there were no samples")
		}
		d.end(t, "failed", failed(err, cli.StatusUnavailable))
		return
	}
	d.enter(Recognizing)
}

// discard ends the take at hand without its text. Its samples stay.
func (d *daemon) discard() {
	d.end(d.take, "cancelled", &wire.Reply{Header: wire.Header{Reason: "cancelled"}, Status: int(cli.StatusNothing)})
}

// renew discards the take at hand and begins another in one step. While the
// microphone is open it stays open, and the next sample is the new take's.
func (d *daemon) renew(wait chan<- *wire.Reply) *wire.Reply {
	old := d.take
	if old.stopped {
		d.discard()
		return d.begin(wait)
	}
	t := &take{id: newID(time.Now()), rec: old.rec}
	var err error
	if t.sm, err = d.spool.create(t.id); err != nil {
		d.fail("spool", err, "")
		return failed(err, cli.StatusCantCreate)
	}
	phase := d.phase
	old.rec.swap(t.sm)
	old.rec = nil
	d.discard()
	return d.attach(t, phase, wait)
}

// again recognises the newest take in the spool.
func (d *daemon) again(wait chan<- *wire.Reply) *wire.Reply {
	ids := d.spool.ids()
	if len(ids) == 0 {
		return &wire.Reply{Header: wire.Header{Reason: "nothing"}, Status: int(cli.StatusNothing), Detail: "cannot retry: no take is left to recognise"}
	}
	id := ids[len(ids)-1]
	sm, err := d.spool.open(id)
	if err != nil {
		d.fail("spool", err, "")
		return failed(err, cli.StatusIO)
	}
	return d.recognizeWhole(id, sm, wait)
}

// recognizeWhole recognises samples that are complete.
func (d *daemon) recognizeWhole(id string, sm *samples, wait chan<- *wire.Reply) *wire.Reply {
	t := &take{id: id, sm: sm, stopAt: time.Now(), stopped: true}
	return d.attach(t, Recognizing, wait)
}

// end closes a take and answers those who wait for it.
func (d *daemon) end(t *take, outcome string, r *wire.Reply) {
	t.cancel()
	t.sm.release()
	if t.rec != nil {
		t.rec.stop()
		go func() {
			<-t.rec.done
			t.sm.close()
		}()
	} else {
		t.sm.close()
	}
	if t.sm.bytes() == 0 || outcome == "delivered" {
		d.spool.remove(t.id)
	}
	d.spool.prune(time.Now())
	result := &wire.StatusResult{Job: t.id, Outcome: outcome, Engine: t.name, Driver: t.driver, Warnings: t.warned}
	if outcome == "delivered" {
		result.OverheadMS = t.overhead(time.Now()).Milliseconds()
	}
	d.take, d.phase = nil, Idle
	d.board.setText("")
	d.show(func(s *wire.Status) { s.Last = result })
	r.Job, r.Done = t.id, true
	for _, w := range t.waiters {
		w <- r
	}
}

// overhead is the time from the stop to now that neither the tail nor the
// recogniser took.
func (t *take) overhead(now time.Time) time.Duration {
	o := now.Sub(t.stopAt) - t.engine
	if t.rec != nil {
		o -= tail
	}
	return max(o, 0)
}

// fail shows a failure beside the phase for a while.
func (d *daemon) fail(stage string, err error, hint string) {
	e := &wire.StatusError{Stage: stage, Detail: err.Error(), Hint: hint}
	fmt.Fprintf(d.log, "voice-input: error: %s: %s\n", stage, e.Detail)
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

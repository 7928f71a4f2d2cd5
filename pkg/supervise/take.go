package supervise

import (
	"context"
	"errors"
	"maps"
	"time"

	"voice-input/pkg/cli"
	"voice-input/pkg/wire"
)

// take is one dictation from its start command to its end, or the delivery of
// an earlier one's text.
type take struct {
	id      string
	ctx     context.Context
	cancel  context.CancelFunc
	sm      *samples  // nil where only a text is delivered
	rec     *recorder // nil unless it is recorded now
	held    hold
	private bool
	stopped bool
	terms   *terms  // frozen at the start
	target  *target // set by the stop

	stopAt  time.Time     // the stop command
	engine  time.Duration // spent in the recogniser after that
	result  wire.StatusResult
	diary   *diary
	entry   *wire.History // what the history is told of it
	waiters []chan<- *wire.Reply
}

// begin starts a take: the microphone first.
func (d *daemon) begin(key, private bool, wait chan<- *wire.Reply) *wire.Reply {
	t := &take{id: d.spool.newID(), private: private}
	if key {
		t.held = hold{down: true, since: d.pressed}
	}
	var err error
	if t.sm, err = d.spool.create(t.id); err != nil {
		d.fail("spool", err, "")
		return failed(err, cli.StatusCantCreate)
	}
	phase := Arming
	var ready bool
	if t.rec, ready, err = d.mic.record(t.sm); err != nil {
		t.sm.close()
		d.spool.remove(t.id)
		d.fail("capture", err, "voice-input lies beside vi-capture, or name your own under [stages]")
		return failed(err, cli.StatusUnavailable)
	}
	if ready {
		phase = Recording
	}
	return d.attach(t, spoken, phase, wait)
}

// Kinds of a take.
const (
	spoken   = "spoken"
	retried  = "retried"
	repeated = "repeated" // only a text is delivered
)

// attach makes t the take at hand and lets the recogniser follow it.
func (d *daemon) attach(t *take, kind string, phase Phase, wait chan<- *wire.Reply) *wire.Reply {
	t.ctx, t.cancel = context.WithCancel(context.Background())
	t.diary = newDiary(kind, t.private, wantsContext(d.cfg) && kind != repeated)
	d.take, d.phase, d.diary, d.failures = t, phase, t.diary, nil
	d.board.setText("")
	d.show(func(s *wire.Status) {
		s.Error, s.Context, s.RecordingMS, s.Level, s.Truncated = nil, "", t.length().Milliseconds(), 0, false
	})
	d.await(wait)
	if t.sm != nil {
		if t.terms == nil {
			t.terms = newTerms()
			d.look(t)
		}
		go d.recognize(t)
	}
	return &wire.Reply{Job: t.id}
}

// length is how long the take sounds so far.
func (t *take) length() time.Duration {
	if t.sm == nil {
		return 0
	}
	return t.sm.length()
}

// heard shows what vi-capture tells.
func (d *daemon) heard(t *take, e *wire.Capture) {
	if e.Type == wire.CaptureReady {
		d.phase, t.diary.Capture.ReadyMS = Recording, t.diary.ms()
	}
	d.show(func(s *wire.Status) {
		s.RecordingMS = t.length().Milliseconds()
		s.Level = e.RMS
	})
}

// stop freezes the clock at the command, lets the tail in and closes the
// microphone. It is a no-op for a take that was stopped already.
func (d *daemon) stop(t *take) {
	if !t.halt(d) {
		return
	}
	d.phase = Recognizing
	d.show(func(s *wire.Status) { s.RecordingMS, s.Level = t.length().Milliseconds(), 0 })
	time.AfterFunc(tail, func() { t.rec.finish(t.sm) })
}

// halt notes that the recording ends now, and what the user looks at. It
// returns false if it had ended already.
func (t *take) halt(d *daemon) bool {
	if t.stopped {
		return false
	}
	t.stopped, t.stopAt = true, time.Now()
	t.target = d.stages.aim(t.ctx)
	return true
}

// recorded is called when the microphone is closed. If nobody asked for that,
// what was recorded so far is recognised.
func (d *daemon) recorded(t *take, err error) {
	if err != nil {
		d.fail("capture", err, "vi-capture sources shows what can be recorded")
	}
	if !t.halt(d) {
		return
	}
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
	if d.take.sm != nil && !d.take.private {
		d.cancelled = d.take.id
	}
	d.end(d.take, "cancelled", &wire.Reply{Header: wire.Header{Reason: "cancelled"}, Status: int(cli.StatusNothing)})
}

// renew discards the take at hand and begins another in one step. While the
// microphone is open it stays open, and the next sample is the new take's.
func (d *daemon) renew(private bool, wait chan<- *wire.Reply) *wire.Reply {
	old := d.take
	if old.stopped {
		d.discard()
		return d.begin(false, private, wait)
	}
	t := &take{id: d.spool.newID(), rec: old.rec, private: private}
	var err error
	if t.sm, err = d.spool.create(t.id); err != nil {
		d.fail("spool", err, "")
		return failed(err, cli.StatusCantCreate)
	}
	phase := d.phase
	old.rec.swap(t.sm)
	old.rec = nil
	d.discard()
	return d.attach(t, spoken, phase, wait)
}

// again recognises a take of the spool, or one whose last samples are still on
// their way there.
func (d *daemon) again(id string, wait chan<- *wire.Reply) *wire.Reply {
	if old := d.draining[id]; old != nil {
		delete(d.draining, id)
		return d.attach(&take{id: id, sm: old.sm, rec: old.rec, stopAt: time.Now(), stopped: true, terms: old.terms}, retried, Recognizing, wait)
	}
	sm, err := d.spool.open(id)
	if err != nil {
		d.fail("spool", err, "")
		return failed(err, cli.StatusIO)
	}
	return d.recognizeWhole(id, sm, wait)
}

// recognizeWhole recognises samples that are complete, with the context that
// their take had.
func (d *daemon) recognizeWhole(id string, sm *samples, wait chan<- *wire.Reply) *wire.Reply {
	t := &take{id: id, sm: sm, stopAt: time.Now(), stopped: true, terms: d.contexts[id]}
	return d.attach(t, retried, Recognizing, wait)
}

// end closes a take and answers those who wait for it.
func (d *daemon) end(t *take, outcome string, r *wire.Reply) {
	t.cancel()
	if t.sm != nil {
		d.letGo(t, outcome)
	}
	d.spool.prune(uptime())
	t.result.Job, t.result.Outcome = t.id, outcome
	if outcome == "delivered" {
		t.result.OverheadMS = t.overhead(time.Now()).Milliseconds()
	}
	t.diary.Outcome, t.diary.OverheadMS, t.diary.Capture.AudioMS = outcome, t.result.OverheadMS, t.length().Milliseconds()
	d.take, d.phase = nil, Idle
	d.board.setText("")
	d.show(func(s *wire.Status) { s.Last = &t.result })
	r.Job, r.Done = t.id, true
	for _, w := range t.waiters {
		w <- r
	}
	d.takeOver()
}

// letGo ends the recording of a take and leaves its samples to a retry, unless
// they are of no more use or were to be private.
func (d *daemon) letGo(t *take, outcome string) {
	if t.private || outcome == "delivered" {
		d.spool.remove(t.id)
	} else if t.terms.kept() {
		d.contexts[t.id] = t.terms
	}
	// One without a sample may still get some: the last ones are on their way.
	some := t.sm.bytes() > 0
	if some {
		t.sm.release()
	}
	if t.rec == nil {
		d.settle(t)
	} else {
		t.rec.finish(t.sm)
		d.draining[t.id] = t
		go func() {
			<-t.rec.finished()
			d.post(func() {
				if d.draining[t.id] != t {
					return // a retry has it
				}
				d.settle(t)
				if !some {
					d.show(func(*wire.Status) {})
				}
			})
		}()
	}
	gone := func(id string) bool { return !d.spool.has(id) }
	maps.DeleteFunc(d.contexts, func(id string, _ *terms) bool { return gone(id) })
	maps.DeleteFunc(d.wordless, func(id string, _ bool) bool { return gone(id) })
}

// settle is done with the samples of a take, now that no more can come.
func (d *daemon) settle(t *take) {
	delete(d.draining, t.id)
	if t.sm.bytes() == 0 {
		d.spool.remove(t.id)
	}
	t.sm.close()
}

// overhead is the time from the stop to now that neither the tail nor the
// recogniser took.
func (t *take) overhead(now time.Time) time.Duration {
	o := now.Sub(t.stopAt) - t.engine
	if t.diary.Kind == spoken {
		o -= tail
	}
	return max(o, 0)
}

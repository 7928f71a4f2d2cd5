package supervise

import (
	"context"
	"errors"
	"strings"
	"time"

	"voice-input/pkg/cli"
	"voice-input/pkg/config"
	"voice-input/pkg/supervise/history"
	"voice-input/pkg/wire"
)

// recognize follows a take on a goroutine of its own, from its first sample
// to its text, and posts what comes of it.
func (d *daemon) recognize(t *take) {
	event := func(e *wire.ASR) {
		d.post(func() {
			t.diary.event(e)
			if d.take == t && e.Type == wire.ASRPartial {
				d.board.setText(e.Committed + e.Draft)
			}
		})
	}
	attempts := 1
	got, err := d.asr.run(t.ctx, t.id, t.sm, t.terms, event)
	_, complete, _ := t.sm.state()
	if err != nil && t.ctx.Err() == nil && (!complete || retryable(err)) {
		// The samples go on to the spool, so once they are complete they are
		// recognised from the start; a second failure is not worth a third.
		if !complete {
			d.post(func() { d.fail("asr", err, "the recording goes on and is recognised when it stops") })
		}
		if t.sm.wait(t.ctx) == nil {
			attempts++
			got, err = d.asr.run(t.ctx, t.id, t.sm, t.terms, event)
		}
	}
	d.post(func() {
		t.diary.Recognition.Attempts = attempts
		if d.take == t {
			d.recognized(t, got, err)
		}
	})
}

// retryable tells whether recognising again could end otherwise.
func retryable(err error) bool {
	var reported *asrError
	if errors.As(err, &reported) {
		// An engine that is killed before it was ready is unavailable only for
		// the moment.
		return reported.kind == "crashed" || strings.HasPrefix(reported.code, "signal_")
	}
	return !errors.Is(err, context.DeadlineExceeded)
}

// recognized goes on with a recognition's result.
func (d *daemon) recognized(t *take, got recognition, err error) {
	t.halt(d) // the microphone closed by itself and that news is still on its way
	if err != nil {
		d.fail("asr", err, "voice-input record retry recognises the take again")
		d.end(t, "failed", failed(err, cli.StatusUnavailable))
		return
	}
	t.engine, t.result.Engine = got.engine, got.final.Engine
	t.diary.Recognition.Engine, t.diary.Recognition.FinalMS = engineKind(d.cfg, got.final.Engine), got.engine.Milliseconds()
	if got.final.Text == "" {
		// Where the samples themselves hold no speech there is nothing to
		// bring back; where they do, the engine may have been wrong.
		if sp := got.final.Speech; sp != nil && !sp.Heard {
			d.spool.remove(t.id)
		} else if t.diary.Kind == retried {
			d.wordless[t.id] = true
		}
		d.end(t, "empty", &wire.Reply{Header: wire.Header{Reason: "empty"}, Status: int(cli.StatusNothing), Detail: "no speech was heard"})
		return
	}
	t.entry = &wire.History{ID: t.id, Transcript: got.final.Text, Engine: got.final.Engine}
	d.board.setText(got.final.Text)
	d.enter(Refining)
	go func() {
		text, err := d.stages.refine(t.ctx, got.final, t.target.style(), t.terms.wait(termsWait(d.cfg)))
		d.post(func() {
			if d.take == t {
				d.refined(t, text, err)
			}
		})
	}()
}

// refined delivers. From here on the take cannot be cancelled.
func (d *daemon) refined(t *take, text *wire.Refine, err error) {
	if err != nil {
		d.fail("refine", err, "")
	}
	t.result.Refine, t.result.RefineReason = text.Outcome, text.Reason
	t.diary.refined(text, d.cfg.LLM.Enabled)
	e := t.entry
	e.Text, e.Style, e.Outcome, e.OutcomeReason, e.Review = text.Text, text.Style, text.Outcome, text.Reason, text.Review
	h := d.history
	if t.private {
		h = nil
	} else {
		d.last = e
	}
	d.enter(Delivering)
	d.send(t, h, func() error { return h.Add(t.ctx, e) })
}

// send delivers the text of t.entry. Before that it goes into the history by
// write, if there is one; that it cannot is no reason not to deliver.
func (d *daemon) send(t *take, h *history.Store, write func() error) {
	e := t.entry
	d.board.setText(e.Text)
	go func() {
		kept := h != nil
		if kept {
			if err := write(); err != nil {
				kept = false
				d.post(func() { d.fail("history", err, "the text is delivered all the same") })
			}
		}
		text := &wire.Refine{Text: e.Text, Outcome: e.Outcome, Style: e.Style, Review: e.Review}
		rec, err := d.stages.deliver(t.ctx, text, t.target.wait(), d.out)
		if kept {
			go h.Delivered(context.Background(), e.ID, rec)
		}
		d.post(func() {
			if d.take == t {
				d.delivered(t, rec, err)
			}
		})
	}()
}

// resend delivers a text once more, to what has the focus now: an entry of the
// history, or what was to be delivered last.
func (d *daemon) resend(entry string, wait chan<- *wire.Reply) *wire.Reply {
	last := d.last
	if last == nil && entry == "" {
		if last = d.newest(); last == nil {
			return nothing("cannot repeat: nothing was delivered yet")
		}
	}
	t := &take{id: d.spool.newID(), stopped: true, stopAt: time.Now()}
	r := d.attach(t, repeated, Delivering, wait)
	t.target = d.stages.aim(t.ctx)
	store := openHistory(d.cfg, d.getenv)
	go func() {
		e, err := last, error(nil)
		if entry != "" {
			e, err = store.Get(t.ctx, entry)
		}
		d.post(func() {
			switch {
			case d.take != t:
			case err != nil:
				d.end(t, "failed", failed(err, cli.StatusNoInput))
			default:
				t.entry = e
				d.send(t, d.history, func() error { return nil })
			}
		})
	}()
	return r
}

// newest is what an earlier daemon delivered last, nil if there is none.
func (d *daemon) newest() *wire.History {
	if d.history == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), historyTime)
	defer cancel()
	e, err := d.history.Get(ctx, "last")
	if err != nil {
		return nil
	}
	return e
}

func openHistory(cfg config.Config, getenv func(string) string) *history.Store {
	return history.Open(history.Path(getenv), history.Limits{Count: cfg.History.MaxEntries, Age: time.Duration(cfg.History.MaxAgeHours) * time.Hour})
}

// delivered ends the take.
func (d *daemon) delivered(t *take, rec *wire.Delivery, err error) {
	t.diary.delivered(rec)
	if rec != nil {
		t.result.Driver, t.result.Warnings = rec.Driver, rec.Warnings
	}
	if err == nil {
		d.end(t, "delivered", &wire.Reply{})
		return
	}
	d.fail("deliver", err, "voice-input record repeat delivers the text again, to what has the focus then")
	d.end(t, "failed", failed(err, cli.StatusUnavailable))
}

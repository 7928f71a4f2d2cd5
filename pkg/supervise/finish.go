package supervise

import (
	"context"
	"errors"
	"time"

	"voice-input/pkg/cli"
	"voice-input/pkg/wire"
)

// recognize follows a take on a goroutine of its own, from its first sample
// to its text, and posts what comes of it.
func (d *daemon) recognize(t *take) {
	event := func(e *wire.ASR) {
		if e.Type == wire.ASRPartial {
			d.post(func() {
				if d.take == t {
					d.board.setText(e.Committed + e.Draft)
				}
			})
		}
	}
	got, err := d.asr.run(t.ctx, t.id, t.sm, t.terms, event)
	_, complete, _ := t.sm.state()
	if err != nil && t.ctx.Err() == nil && (!complete || retryable(err)) {
		// The samples go on to the spool, so once they are complete they are
		// recognised from the start; a second failure is not worth a third.
		if !complete {
			d.post(func() { d.fail("asr", err, "the recording goes on and is recognised when it stops") })
		}
		if t.sm.wait(t.ctx) == nil {
			got, err = d.asr.run(t.ctx, t.id, t.sm, t.terms, event)
		}
	}
	d.post(func() {
		if d.take == t {
			d.recognized(t, got, err)
		}
	})
}

// retryable tells whether recognising again could end otherwise.
func retryable(err error) bool {
	var reported *asrError
	if errors.As(err, &reported) {
		return reported.kind == "crashed"
	}
	return !errors.Is(err, context.DeadlineExceeded)
}

// recognized goes on with a recognition's result.
func (d *daemon) recognized(t *take, got recognition, err error) {
	if !t.stopped {
		// The microphone closed by itself and that news is still on its way.
		t.stopped, t.stopAt = true, time.Now()
	}
	if err != nil {
		d.fail("asr", err, "voice-input record retry recognises the take again")
		d.end(t, "failed", failed(err, cli.StatusUnavailable))
		return
	}
	t.engine, t.name = got.engine, got.final.Engine
	if got.final.Text == "" {
		// Where the samples themselves hold no speech there is nothing to
		// bring back; where they do, the engine may have been wrong.
		if sp := got.final.Speech; sp != nil && !sp.Heard {
			d.spool.remove(t.id)
		}
		d.end(t, "empty", &wire.Reply{Header: wire.Header{Reason: "empty"}, Status: int(cli.StatusNothing), Detail: "no speech was heard"})
		return
	}
	d.board.setText(got.final.Text)
	d.enter(Refining)
	go func() {
		text, err := d.stages.refine(t.ctx, got.final, t.target.style(), t.terms.wait(termsTime))
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
	d.board.setText(text.Text)
	d.enter(Delivering)
	go func() {
		rec, err := d.stages.deliver(t.ctx, text, t.target.wait(), d.out)
		d.post(func() {
			if d.take == t {
				d.delivered(t, rec, err)
			}
		})
	}()
}

// delivered ends the take.
func (d *daemon) delivered(t *take, rec *wire.Delivery, err error) {
	if rec != nil {
		t.driver, t.warned = rec.Driver, rec.Warnings
	}
	if err == nil {
		d.end(t, "delivered", &wire.Reply{})
		return
	}
	d.fail("deliver", err, "voice-input record retry recognises and delivers the take again")
	d.end(t, "failed", failed(err, cli.StatusUnavailable))
}

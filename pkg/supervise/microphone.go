package supervise

import (
	"time"

	"voice-input/pkg/wire"
)

// microphone opens vi-capture: for each take, or, with pre-roll, once and for
// all. It belongs to the daemon's goroutine.
type microphone struct {
	d      *daemon
	kept   *recorder     // kept open for the pre-roll
	wait   time.Duration // until it is opened again after a loss
	closed bool
}

func newMicrophone(d *daemon) *microphone { return &microphone{d: d, wait: reopenFirst} }

func (m *microphone) preRoll() int64 {
	return maxBytes(time.Duration(m.d.cfg.Audio.PreRollMS) * time.Millisecond)
}

// open opens the microphone ahead of a take, if it is to be open all the time.
func (m *microphone) open() {
	if m.closed || m.kept != nil || m.preRoll() == 0 {
		return
	}
	r, err := m.start(m.preRoll(), nil)
	if err != nil {
		m.lost(err)
		return
	}
	m.kept = r
}

// lost shows that a microphone which was to stay open has closed, and opens it
// again later.
func (m *microphone) lost(err error) {
	m.kept = nil
	if m.closed {
		return
	}
	if err != nil {
		m.d.fail("capture", err, "takes go on without pre-roll until the microphone is back")
	}
	time.AfterFunc(m.wait, func() { m.d.post(m.open) })
	m.wait = min(2*m.wait, reopenMost)
}

// record makes sm the samples of a take from now on. Ready tells whether
// samples are coming already.
func (m *microphone) record(sm *samples) (r *recorder, ready bool, err error) {
	if m.kept != nil {
		if ready, err = m.kept.attach(sm); err == nil {
			return m.kept, ready, nil
		}
	}
	r, err = m.start(0, sm)
	return r, false, err
}

// start starts a recorder. A restart hands it from one take to the next, so
// what it tells belongs to whoever has it by then.
func (m *microphone) start(preRoll int64, sm *samples) (r *recorder, err error) {
	d := m.d
	owner := func(f func(t *take)) {
		d.post(func() {
			if d.take != nil && d.take.rec == r {
				f(d.take)
			}
		})
	}
	audio := d.cfg.Audio
	r, err = startRecorder(recording{
		argv: d.stages.capture(), log: d.log, preRoll: preRoll,
		max:   maxBytes(time.Duration(audio.MaxDurationMS) * time.Millisecond),
		stall: time.Duration(audio.StallMS)*time.Millisecond + stallGrace,
		on: recorderEvents{
			event: func(e *wire.Capture) {
				if e.Type == wire.CaptureReady && preRoll > 0 {
					d.post(func() { m.wait = reopenFirst })
				}
				owner(func(t *take) {
					if !t.stopped {
						d.heard(t, e)
					}
				})
			},
			full: func(sm *samples) {
				owner(func(t *take) {
					if t.sm == sm {
						t.diary.Capture.Limit = true
						d.stop(t)
						d.show(func(s *wire.Status) { s.Truncated = true })
					}
				})
			},
			ended: func(err error) {
				owner(func(t *take) { d.recorded(t, err) })
				if preRoll > 0 {
					d.post(func() {
						if m.kept == r {
							m.lost(err)
						}
					})
				}
			},
		},
	}, sm)
	return r, err
}

// close ends a microphone that is kept open; the function it returns waits for
// that.
func (m *microphone) close() (wait func()) {
	m.closed = true
	kept := m.kept
	if kept == nil {
		return func() {}
	}
	kept.stop()
	return func() {
		select {
		case <-kept.done:
		case <-time.After(drainCapture + time.Second):
		}
	}
}

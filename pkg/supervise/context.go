package supervise

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"voice-input/pkg/config"
	"voice-input/pkg/internal/child"
	"voice-input/pkg/wire"
)

// snapshot is what the user looked at when a take began. It is taken once,
// beside the recording, and nothing that happens afterwards changes it.
type snapshot struct {
	session *wire.Session // nil if there is none
	reason  string        // ok, or why there is none
}

// lookUp finds the session of the agent that has the focus. It never takes
// longer than contextTime; a look-up that does yields nothing.
func (s *stages) lookUp(ctx context.Context) snapshot {
	ctx, cancel := context.WithTimeout(ctx, contextTime)
	defer cancel()
	focus, err := s.focus(ctx)
	if err != nil {
		return snapshot{reason: whyNot(ctx, "focus")}
	}
	if focus.Agent == nil {
		return snapshot{reason: noAgent(focus)}
	}
	argv := s.own("vi-session")
	if own := s.cfg.Stages.Session; len(own) > 0 {
		argv = own
	}
	session := new(wire.Session)
	err = s.filter(ctx, child.Spec{Argv: argv, Env: scrubbed()}, focus, session)
	switch {
	case session.Schema != "" && session.Reason != wire.OK:
		return snapshot{reason: session.Reason}
	case err != nil || session.Source == nil:
		return snapshot{reason: whyNot(ctx, "session")}
	}
	return snapshot{session: session, reason: wire.OK}
}

// noAgent is why the focus names no agent.
func noAgent(f *wire.Focus) string {
	switch {
	case f.AgentReason != "":
		return f.AgentReason
	case f.Reason != wire.OK:
		return f.Reason
	}
	return "no_agent"
}

// terms returns the command that makes terms of sessions.
func (s *stages) terms() []string {
	if own := s.cfg.Stages.Terms; len(own) > 0 {
		return own
	}
	return s.own("vi-terms")
}

// whyNot is the reason for a stage that gave no record.
func whyNot(ctx context.Context, stage string) string {
	if ctx.Err() != nil {
		return "timeout"
	}
	return stage + "_failed"
}

// focus runs vi-focus. A record that names no agent or no window is an answer
// and no error.
func (s *stages) focus(ctx context.Context) (*wire.Focus, error) {
	argv := s.own("vi-focus")
	if own := s.cfg.Stages.Focus; len(own) > 0 {
		argv = own
	}
	stdout := &child.Output{Max: maxOutput}
	err := child.Run(ctx, child.Spec{Argv: argv, Env: scrubbed(), Stdout: stdout, Stderr: io.Discard})
	line, _, _ := bytes.Cut(stdout.Bytes(), []byte("\n"))
	f := new(wire.Focus)
	if decodeErr := wire.Decode(line, f); decodeErr != nil {
		return nil, errors.Join(err, decodeErr)
	}
	return f, nil
}

// target is what the user looked at when the take was stopped. It decides the
// style of the text and where it goes, and never the terms.
type target struct {
	done  chan struct{} // closed when focus is set
	focus *wire.Focus   // nil if it is not known
}

// aim looks at the focus now, on a goroutine of its own.
func (s *stages) aim(ctx context.Context) *target {
	t := &target{done: make(chan struct{})}
	go func() {
		defer close(t.done)
		ctx, cancel := context.WithTimeout(ctx, contextTime)
		defer cancel()
		if f, err := s.focus(ctx); err == nil {
			t.focus = f
		}
	}()
	return t
}

// wait returns the focus, or nil if it is not known within contextTime or
// nobody looked.
func (t *target) wait() *wire.Focus {
	if t == nil {
		return nil
	}
	select {
	case <-t.done:
		return t.focus
	case <-time.After(contextTime + child.Grace):
		return nil
	}
}

// style is how the text is to be written for the target.
func (t *target) style() string {
	if f := t.wait(); f != nil && f.Style != "" {
		return f.Style
	}
	return "formal"
}

// look takes the snapshot of the context beside the recording, and has the
// terms made of it. A take that was recorded before this daemon has no
// context: what the user looked at then is not kept.
func (d *daemon) look(t *take) {
	wanted := wantsContext(d.cfg) && !t.stopped
	go func() {
		snap := snapshot{reason: "no_agent"}
		if wanted {
			snap = d.stages.lookUp(t.ctx)
		}
		if snap.session == nil {
			snap.session = &wire.Session{Header: wire.Header{Reason: "no_agent"}}
		}
		line, rec, err := d.ranker.rank(t.ctx, snap.session)
		t.terms.set(line)
		d.post(func() {
			if d.take == t && wanted {
				d.context(t, snap.reason, rec, err)
			}
		})
	}()
}

// wantsContext tells whether somebody takes the terms of a session: the model
// or the recogniser (rule A2). Programs on this machine take hints, and so does
// every service but one that is told not to.
func wantsContext(cfg config.Config) bool {
	service, _ := serviceOf(cfg.ASR, cfg.ASR.Engine)
	return cfg.LLM.AgentContextEnabled && (cfg.LLM.Enabled || service.Hints != "none")
}

// context tells what came of the look-up, in figures.
func (d *daemon) context(t *take, reason string, rec *wire.Terms, err error) {
	if reason == wire.OK && err != nil {
		reason = "terms_failed"
	}
	t.diary.looked(reason, rec)
	if rec != nil {
		fmt.Fprintf(d.log, "voice-input: context: %s, %d characters, %d candidates, %d terms, %d characters for the recogniser, %d µs\n",
			reason, rec.SourceChars, rec.Candidates, len(rec.Terms), rec.Views.ASR.Chars, rec.ElapsedUS)
	}
	d.show(func(s *wire.Status) { s.Context = reason })
}

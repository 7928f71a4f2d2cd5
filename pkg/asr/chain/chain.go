package chain

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"voice-input/pkg/asr/engine"
	"voice-input/pkg/asr/settled"
	"voice-input/pkg/cli"
	"voice-input/pkg/wire"
)

// Chain asks its engines in order. It implements engine.Relay.
type Chain struct {
	links []*link
	life  context.Context
	end   context.CancelFunc

	mu    sync.Mutex
	name  string
	tried []engine.Attempt
}

// New returns a chain of at least one engine. The first one is opened at once,
// so that it loads its model or asks for its key; the others not before they
// are needed. They live until ctx ends or the chain is closed.
func New(ctx context.Context, links []Link) *Chain {
	c := &Chain{name: links[0].Name}
	c.life, c.end = context.WithCancel(ctx)
	for _, l := range links {
		c.links = append(c.links, &link{Link: l})
	}
	c.links[0].begin(c.life)
	return c
}

// Name implements engine.Engine.
func (c *Chain) Name() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.name
}

// Tried implements engine.Relay.
func (c *Chain) Tried() []engine.Attempt {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.tried
}

// Rereads implements engine.Rereader: the next engine begins at the first
// sample.
func (c *Chain) Rereads() {}

// Close implements engine.Engine.
func (c *Chain) Close() {
	for _, l := range c.links {
		l.close(false)
	}
	c.end()
	for _, l := range c.links {
		l.close(true)
	}
}

// Recognize implements engine.Engine.
func (c *Chain) Recognize(ctx context.Context, take engine.Take, emit func(*wire.ASR)) (string, error) {
	out := &output{emit: emit}
	var failed []engine.Attempt
	for _, l := range c.links {
		if len(failed) > 0 {
			// What the engine before has not read must not hold up the take.
			take.Samples.Close()
			again, err := take.Again()
			if err != nil {
				break // the beginning is lost, this is what there is
			}
			take.Samples = again
		}
		name, text, err := c.ask(ctx, l, take, out)
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		verdict, this := judge(name, text, err, out.settled.String())
		if verdict == whole || verdict == nothing && !anyText(failed) {
			c.report(name, failed)
			return this.Text, nil
		}
		failed = append(failed, this)
		if verdict == nothing {
			break
		}
	}
	return c.conclude(failed)
}

// ask has one engine do the take.
func (c *Chain) ask(ctx context.Context, l *link, take engine.Take, out *output) (name, text string, err error) {
	c.report(l.Name, nil)
	out.next()
	e, err := l.open(ctx, c.life)
	if err != nil {
		return l.Name, "", notOpened(l.Name, err)
	}
	c.report(e.Name(), nil)
	text, err = e.Recognize(ctx, take, out.pass)
	return e.Name(), text, err
}

// report says which engine is at work or has the text, and which others do not.
func (c *Chain) report(name string, tried []engine.Attempt) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.name, c.tried = name, tried
}

// verdict is what an answer says about a take.
type verdict int

const (
	whole   verdict = iota // here is the text of all of it
	nothing                // nothing was said
	failure                // another engine may have the text
)

// judge says what an engine's answer is. The text of the attempt is all that
// came of it.
func judge(name, text string, err error, settled string) (verdict, engine.Attempt) {
	if strings.TrimSpace(text) == "" {
		text = ""
	}
	a := engine.Attempt{Engine: name, Failure: engine.Failure{Text: text}}
	var f *engine.Failure
	switch {
	case errors.As(err, &f):
		a.Failure = *f
		a.Text = longer(f.Text, longer(text, settled))
		if strings.TrimSpace(a.Text) == "" {
			a.Text = ""
		}
		return failure, a
	case err != nil:
		a.Failure = engine.Failure{Kind: "internal", Code: "internal", Err: err, Text: longer(text, settled)}
		return failure, a
	case text != "":
		return whole, a
	case settled != "":
		a.Failure = engine.Failure{
			Kind: engine.Protocol, Code: "final_empty", Text: settled,
			Err: fmt.Errorf("engine %q failed: the final text is empty, unlike the settled one", name),
		}
		return failure, a
	}
	a.Kind = engine.Empty
	return nothing, a
}

// notOpened is the failure of an engine that is not there.
func notOpened(name string, err error) *engine.Failure {
	var f *engine.Failure
	if errors.As(err, &f) {
		return f
	}
	f = &engine.Failure{Kind: engine.Unavailable, Code: "not_opened", Err: fmt.Errorf("cannot open engine %q: %w", name, err)}
	var said *cli.Error
	if errors.As(err, &said) {
		f.Hint = said.Hint
		if said.Status == cli.StatusNoPerm {
			f.Kind, f.Code = engine.Auth, "no_key"
		}
	}
	return f
}

func anyText(attempts []engine.Attempt) bool {
	return slices.ContainsFunc(attempts, func(a engine.Attempt) bool { return a.Text != "" })
}

// conclude returns the best of what engines have left that did not recognise
// the whole take.
func (c *Chain) conclude(failed []engine.Attempt) (string, error) {
	best := len(failed) - 1
	for i, a := range failed {
		if longer(a.Text, failed[best].Text) != failed[best].Text {
			best = i
		}
	}
	f := failed[best].Failure
	var others []engine.Attempt
	for i, a := range failed {
		if i != best {
			others = append(others, a)
		}
	}
	c.report(failed[best].Engine, others)
	if f.Text == "" {
		f = all(failed)
	}
	return f.Text, &f
}

// all is the failure of engines that have no text: that of the last one, with
// what the others said.
func all(failed []engine.Attempt) engine.Failure {
	f := failed[len(failed)-1].Failure
	for i := len(failed) - 2; i >= 0; i-- {
		f.Err = fmt.Errorf("%v; %w", failed[i].Err, f.Err)
		if failed[i].Hint != "" {
			f.Hint = failed[i].Hint
		}
	}
	return f
}

// output passes the events of one engine after the other on.
type output struct {
	emit    func(*wire.ASR)
	settled settled.Text // of this engine
	shown   bool         // this engine has shown text
	stale   bool         // an engine before has, and it is still on display
}

// next begins with the events of another engine.
func (o *output) next() {
	o.stale = o.stale || o.shown
	o.settled, o.shown = settled.Text{}, false
}

// pass passes an event on. What another engine has shown is taken back as soon
// as there is something else to show.
func (o *output) pass(ev *wire.ASR) {
	switch {
	case ev.Type == wire.ASRReset:
		o.shown, o.stale = false, false
	case ev.Type == wire.ASRPartial && ev.Committed+ev.Draft != "", ev.Type == wire.ASRSegment && ev.Text != "":
		if o.stale {
			o.emit(&wire.ASR{Type: wire.ASRReset})
		}
		o.shown, o.stale = true, false
	}
	o.settled.See(ev)
	o.emit(ev)
}

func longer(a, b string) string {
	if utf8.RuneCountInString(a) > utf8.RuneCountInString(b) {
		return a
	}
	return b
}

package qwenaudio

import (
	"context"
	"io"
	"sync"
	"time"

	"voice-input/pkg/asr/engine"
)

// answer is what a native pass answers.
type answer struct {
	text  string
	empty bool
	err   error
	takes time.Duration // behind the end of the recording
}

// fakePass is a native pass that answers after a time.
type fakePass struct {
	answer

	mu       sync.Mutex
	began    time.Time
	calls    int
	at       time.Duration // of the first call
	heard    []byte
	hints    engine.Hints
	language []string
}

func (p *fakePass) Recognize(ctx context.Context, pcm io.Reader, languages []string, hints engine.Hints) (string, bool, error) {
	p.mu.Lock()
	if p.calls++; p.calls == 1 {
		p.at = time.Since(p.began)
	}
	p.hints, p.language = hints, languages
	p.mu.Unlock()
	defer context.AfterFunc(ctx, func() { pcm.(io.Closer).Close() })()
	b, err := io.ReadAll(pcm)
	if ctx.Err() != nil {
		return "", false, context.Cause(ctx)
	}
	if err != nil {
		return "", false, err
	}
	p.mu.Lock()
	p.heard = b
	p.mu.Unlock()
	if err := sleep(ctx, p.takes); err != nil {
		return "", false, err
	}
	return p.text, p.empty, p.err
}

func (p *fakePass) Close() {}

func (p *fakePass) called() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.calls
}

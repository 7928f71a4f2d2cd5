package session

import (
	"context"
	"strings"
	"unicode/utf8"

	"voice-input/pkg/internal/agents"
	"voice-input/pkg/internal/proc"
	"voice-input/pkg/wire"
)

// Finder looks for sessions.
type Finder struct {
	Proc proc.FS
	// UID is the user whose processes and files are looked at.
	UID int
	// RuntimeDir is $XDG_RUNTIME_DIR/voice-input; Pi's registry lies in it.
	RuntimeDir string
	// Explain is told what was found, in counts and fixed words, never in text
	// of a session, a title or a path. It may be nil.
	Explain func(format string, args ...any)
}

// answer is what a look-up yields.
type answer struct {
	session *wire.SessionFile
	text    string
}

// Find returns the newest completed answer of the agent in the focus record.
// It always returns a record; the reason says why there is no answer. It gives
// up soon after the context has ended, but no wait for a file is cut short.
func (f *Finder) Find(ctx context.Context, focus *wire.Focus) *wire.Session {
	s := newSearch(f.UID)
	agent := focus.Agent
	if focus.Reason != wire.OK || agent == nil || agent.PID <= 0 || agent.StartTicks == 0 {
		return f.record(s, nil, answer{}, Nothing("no_agent"))
	}
	known := &wire.Agent{Kind: agent.Kind, Label: agents.Label(agent.Kind), PID: agent.PID, StartTicks: agent.StartTicks}
	if known.Label == "" {
		known.Kind = "other"
		return f.record(s, known, answer{}, Nothing("unsupported_agent"))
	}
	p, err := newProcess(f.Proc, agent.PID, agent.StartTicks, f.UID)
	if err != nil {
		return f.record(s, known, answer{}, err)
	}
	f.explain("process: it is the one that was focused")
	a, err := f.find(ctx, s, p, agent)
	r := f.record(s, known, a, err)
	if dir, err := p.fs.Cwd(p.pid); err == nil && utf8.ValidString(dir) {
		r.Project = dir
	}
	return r
}

func (f *Finder) find(ctx context.Context, s *search, p *process, agent *wire.Agent) (answer, error) {
	switch agent.Kind {
	case "pi":
		return f.pi(ctx, s, p)
	case "codex":
		return f.codex(ctx, s, p, agent.Thread)
	}
	return answer{}, Nothing("unsupported_agent")
}

// File returns the newest completed answer of one session file of an agent,
// codex or pi, without a process. A leaf is the id of the entry that a Pi
// session's branch ends with, "" for the last entry.
func (f *Finder) File(ctx context.Context, agent, path, leaf string) *wire.Session {
	s := newSearch(anyUser)
	a, err := s.readFile(ctx, agent, path, leaf)
	return f.record(s, &wire.Agent{Kind: agent, Label: agents.Label(agent)}, a, err)
}

func (s *search) readFile(ctx context.Context, agent, path, leaf string) (answer, error) {
	if strings.HasSuffix(path, ".zst") {
		return answer{}, Nothing("compressed")
	}
	if agent == "pi" {
		file, err := openFile(path, s.uid)
		if err != nil {
			return answer{}, err
		}
		defer file.Close()
		h, err := readPiHeader(file)
		if err != nil {
			return answer{}, err
		}
		text, err := s.readPi(ctx, file, h, leaf)
		return answer{file.record(h.id), text}, err
	}
	file, h, err := openRollout(path, s.uid)
	if err != nil {
		return answer{}, err
	}
	defer file.Close()
	text, err := s.readCodex(ctx, file, h)
	return answer{file.record(h.id), text}, err
}

// record puts the outcome of a look-up into words.
func (f *Finder) record(s *search, agent *wire.Agent, a answer, err error) *wire.Session {
	r := &wire.Session{Agent: agent, Session: a.session, ScannedBytes: s.win.scanned, SkippedLines: s.skipped}
	if err != nil {
		r.Reason = reasonOf(err)
		f.explain("%s: %s", r.Reason, wire.ReasonMeaning(wire.SchemaSession, r.Reason))
	} else {
		text := strings.ToValidUTF8(a.text, "\ufffd")
		r.Reason = wire.OK
		r.Source = &wire.Source{Text: text, Chars: utf8.RuneCountInString(text)}
		f.explain("ok: an answer of %d characters", r.Source.Chars)
	}
	if s.win.scanned > 0 {
		f.explain("searched %d bytes, skipped %d lines; records by type: %s", s.win.scanned, s.skipped, s.counts())
	}
	return r
}

func (f *Finder) explain(format string, args ...any) {
	if f.Explain != nil {
		f.Explain(format, args...)
	}
}

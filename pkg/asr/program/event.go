package program

import (
	"errors"
	"fmt"

	"voice-input/pkg/asr/engine"
	"voice-input/pkg/wire"
)

// parse checks a line that a program wrote. It returns nil for what may be
// passed over: an event of a type it does not know, and statistics.
func parse(line []byte, take string) (*wire.ASR, *engine.Failure) {
	var ev wire.ASR
	if err := wire.Decode(line, &ev); err != nil {
		return nil, protocol("not_a_record", "it wrote a line that is no vi.asr/1 record")
	}
	switch ev.Type {
	case wire.ASRReady:
		return &ev, nil
	case wire.ASRError:
		// An error before the first take has nothing to do with a take.
		if ev.Take != "" && ev.Take != take {
			return nil, wrongTake()
		}
		ev.Kind, ev.Code = engine.KnownKind(ev.Kind), engine.Code(ev.Code)
		return &ev, nil
	case wire.ASRPartial, wire.ASRSegment, wire.ASRReset, wire.ASRFinal:
		if ev.Take != take || take == "" {
			return nil, wrongTake()
		}
		return &ev, nil
	}
	return nil, nil
}

func wrongTake() *engine.Failure {
	return protocol("wrong_take", "it wrote an event of a take that is not running")
}

func protocol(code, format string, args ...any) *engine.Failure {
	return failure(engine.Protocol, code, format, args...)
}

func failure(kind, code, format string, args ...any) *engine.Failure {
	return &engine.Failure{Kind: kind, Code: code, Err: fmt.Errorf(format, args...)}
}

// told is the failure that an error event of the program tells of.
func told(ev *wire.ASR) *engine.Failure {
	f := failure(ev.Kind, ev.Code, "it reports: %s", ev.Kind)
	if ev.Code != "" {
		f.Err = fmt.Errorf("%w (%s)", f.Err, ev.Code)
	}
	if ev.Kind == engine.Language {
		f.Hint = "name another engine with --engine, or leave --language out"
	}
	return f
}

// named puts the engine's name in front of a failure's message.
func named(name string, err error) error {
	var f *engine.Failure
	if errors.As(err, &f) {
		c := *f
		c.Err = fmt.Errorf("engine %q failed: %w", name, f.Err)
		return &c
	}
	return err
}

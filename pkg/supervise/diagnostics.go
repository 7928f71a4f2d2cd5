package supervise

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"voice-input/pkg/cli"
	"voice-input/pkg/config"
	"voice-input/pkg/internal/xdg"
	"voice-input/pkg/wire"
)

// diary notes how a take goes, for diagnostics. It takes figures and words of
// closed lists, never what was said or looked at.
type diary struct {
	wire.DiagnosticsTake
	start    time.Time
	contexts bool // the terms hold a context for the recogniser
	models   bool // and one for the model
}

func newDiary(kind string, private, wanted bool) *diary {
	d := &diary{start: time.Now()}
	d.Outcome, d.Kind, d.Private, d.Context.Wanted = "in_progress", kind, private, wanted
	return d
}

func (d *diary) ms() int64 { return time.Since(d.start).Milliseconds() }

// looked notes what came of the look at the session.
func (d *diary) looked(reason string, rec *wire.Terms) {
	d.Context.Reason, d.Context.ReadyMS = reason, d.ms()
	if rec != nil && reason == wire.OK {
		d.contexts, d.models = rec.Views.ASR.Count > 0, len(rec.Views.Refine.Terms) > 0
	}
}

// event notes an event of the recogniser.
func (d *diary) event(e *wire.ASR) {
	r := &d.Recognition
	switch e.Type {
	case wire.ASRReady:
		r.ReadyMS = d.ms()
	case wire.ASRContextSent:
		d.Context.ASRSent = d.contexts
	case wire.ASRPartial:
		if r.Partials == 0 {
			r.FirstMS = d.ms()
		}
		r.Partials++
	case wire.ASRSegment:
		r.Segments++
	case wire.ASRReset:
		r.Resets++
	case wire.ASRReconnecting:
		r.Reconnecting++
	case wire.ASRReconnected:
		r.Reconnected++
	case wire.ASRFinal, wire.ASRError:
		r.Outcome, r.Reason, r.Kind, r.Code = cmp.Or(e.Outcome, "failed"), e.Reason, e.Kind, e.Code
		if e.Speech != nil {
			d.Capture.SpeechMS, d.Capture.Heard = e.Speech.SpeechMS, e.Speech.Heard
		}
	}
}

// refined notes the work of vi-refine.
func (d *diary) refined(r *wire.Refine, enabled bool) {
	n := &wire.DiagnosticsRefine{Outcome: r.Outcome, Reason: r.Reason, Style: r.Style, ElapsedMS: r.ElapsedMS}
	if r.Review != nil {
		n.Score, n.Signals = r.Review.Score, r.Review.Signals
	}
	d.Refine, d.Context.RefineSent = n, enabled && d.models
}

// delivered notes the work of vi-type.
func (d *diary) delivered(r *wire.Delivery) {
	if r != nil {
		d.Delivery = &wire.DiagnosticsDelivery{Delivered: r.Delivered, Reason: r.Reason, Driver: r.Driver, Verified: r.Verified, Warnings: r.Warnings}
	}
}

// engineKind names an engine without the user's own words: a protocol, a
// program of ours, or own.
func engineKind(cfg config.Config, name string) string {
	if s, known := cfg.ASR.Service[name]; known && s.Protocol != "" {
		return s.Protocol
	}
	builtIn := append(strings.Fields("local whisper pocketsphinx"), config.Words("asr.service", "protocol")...)
	if name == "" || slices.Contains(builtIn, name) {
		return name
	}
	return "own"
}

// diagnosticsOf returns what a configuration decides.
func diagnosticsOf(cfg config.Config) wire.DiagnosticsConfig {
	d := wire.DiagnosticsConfig{
		Engine: engineKind(cfg, cfg.ASR.Engine), Fallbacks: len(cfg.ASR.Fallback), Language: cfg.ASR.Language != "",
		Refine: cfg.LLM.Enabled, AgentContext: cfg.LLM.AgentContextEnabled, ContextChars: cfg.LLM.AgentContextMaxChars,
		Project: cfg.Vocabulary.Project, Deliver: cfg.Deliver.To, PreRollMS: cfg.Audio.PreRollMS, MaxDurationMS: cfg.Audio.MaxDurationMS,
		History: cfg.History.Enabled,
	}
	service, _ := serviceOf(cfg.ASR, cfg.ASR.Engine)
	if strings.HasPrefix(d.Engine, "qwen") {
		d.Region, d.Native = service.Region, service.Native
		if service.URL != "" {
			d.Region = "own"
		}
	}
	s := cfg.Stages
	for _, own := range [][]string{s.Capture, s.ASR, s.Refine, s.Type, s.Focus, s.Session, s.Terms} {
		if len(own) > 0 {
			d.OwnStages++
		}
	}
	return d
}

// diagnostics returns the report of this moment.
func (d *daemon) diagnostics() *wire.Diagnostics {
	r := &wire.Diagnostics{Version: cli.Version(), Phase: string(d.phase), Config: diagnosticsOf(d.cfg)}
	if d.diary != nil {
		now := d.diary.DiagnosticsTake
		r.Take = &now
	}
	for _, f := range d.failures {
		r.Errors = append(r.Errors, wire.DiagnosticsError{Stage: f.stage, AgeMS: time.Since(f.at).Milliseconds()})
	}
	return r
}

func diagnosticsCommand() *cli.Command {
	return &cli.Command{
		Name: "diagnostics", Usage: "report how the last take went, without a word of it",
		Words: map[string][]string{"format": {"text", "json"}},
		Flags: []cli.Flag{&cli.StringFlag{Name: "format", Value: "text", Usage: "write as `FORMAT`: text, json"}},
		Run:   runDiagnostics,
	}
}

// runDiagnostics asks the daemon; without one it reports what the
// configuration says.
func runDiagnostics(ctx context.Context, o *cli.IO, c *cli.Call) error {
	format := c.String("format")
	if format != "text" && format != "json" {
		return cli.ErrUsage("no format %q", format).WithHint("one of text, json")
	}
	r := new(wire.Diagnostics)
	err := call(ctx, xdg.RuntimeDir(o.Getenv), &wire.Control{Command: "diagnostics"}, func(line []byte) error { return wire.Decode(line, r) })
	if cli.StatusOf(err) == cli.StatusUnavailable {
		r = &wire.Diagnostics{Header: wire.Header{Reason: "stopped"}, Version: cli.Version(), Phase: stopped}
		cfg, configErr := config.Load(c.String("config"), o.Getenv)
		if configErr != nil {
			r.Errors = []wire.DiagnosticsError{{Stage: "config"}}
		}
		r.Config = diagnosticsOf(cfg)
		err = cli.ErrNothing
	} else if err != nil {
		return err
	}
	if format == "json" {
		if emitErr := o.Emit(r); emitErr != nil {
			return emitErr
		}
		return err
	}
	text, textErr := asText(r)
	if textErr != nil {
		return textErr
	}
	if _, writeErr := fmt.Fprint(o.Stdout, text); writeErr != nil {
		return cli.Errorf(cli.StatusIO, "cannot write to standard output: %w", writeErr)
	}
	return err
}

// asText writes a record as one line for each member, so that the text shows
// everything that the record has.
func asText(r wire.Record) (string, error) {
	line, err := wire.Encode(r)
	if err != nil {
		return "", err
	}
	var tree map[string]any
	d := json.NewDecoder(strings.NewReader(string(line)))
	d.UseNumber()
	if err := d.Decode(&tree); err != nil {
		return "", err
	}
	var b strings.Builder
	var write func(path string, v any)
	write = func(path string, v any) {
		switch v := v.(type) {
		case map[string]any:
			keys := make([]string, 0, len(v))
			for k := range v {
				keys = append(keys, k)
			}
			// Plain values come before what is below.
			sort.Slice(keys, func(i, j int) bool {
				return cmp.Or(cmp.Compare(depth(v[keys[i]]), depth(v[keys[j]])), strings.Compare(keys[i], keys[j])) < 0
			})
			for _, k := range keys {
				write(strings.TrimPrefix(path+"."+k, "."), v[k])
			}
		case []any:
			for i, e := range v {
				write(path+"."+strconv.Itoa(i+1), e)
			}
		default:
			fmt.Fprintf(&b, "%s: %v\n", path, v)
		}
	}
	write("", tree)
	return b.String(), nil
}

func depth(v any) int {
	switch v.(type) {
	case map[string]any:
		return 2
	case []any:
		return 1
	}
	return 0
}

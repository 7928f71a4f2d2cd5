package doctor

import (
	"context"
	"fmt"

	"voice-input/pkg/wire"
)

// recogniser looks at the engines that the configuration names, in their
// order. Nothing is sent anywhere.
func recogniser(ctx context.Context, d *clinic) []wire.Check {
	lines, err := d.ask(ctx, "vi-asr", "engines")
	if err != nil {
		return one(wire.CheckFailed, "vi-asr gave no answer", "vi-asr engines says more")
	}
	there, works := map[string]bool{}, map[string]bool{}
	local := false
	for _, line := range lines {
		var e wire.Engine
		if wire.Decode(line, &e) == nil {
			there[e.Name], works[e.Name] = true, e.Available
			local = local || e.Available && e.Path != ""
		}
	}
	var checks []wire.Check
	for i, name := range append([]string{d.cfg.ASR.Engine}, d.cfg.ASR.Fallback...) {
		which := "the recogniser"
		if i > 0 {
			which = fmt.Sprintf("fallback %d", i)
		}
		state, detail, fix := wire.CheckOK, which+" is there, and has its key if it needs one", ""
		switch {
		case name == "local" && local:
			detail = which + " is a program of this machine, and works"
		case name == "local":
			state, detail = wire.CheckFailed, "no recogniser of this machine works"
			fix = "install pocketsphinx with its en-us model, or whisper.cpp and a model by voice-input model get; vi-asr engines says more"
		case !there[name]:
			state, detail, fix = wire.CheckFailed, which+" is not there", "vi-asr engines lists those that are"
		case !works[name]:
			state, detail, fix = wire.CheckFailed, which+" lacks something, such as its key or its model", "vi-asr engines says what; a key of one region is refused by the other, see region in voice-input.toml(5)"
		}
		if i > 0 && state == wire.CheckFailed {
			state = wire.CheckWarning
		}
		checks = append(checks, one(state, detail, fix)...)
	}
	return checks
}

// model looks at what refines.
func model(_ context.Context, d *clinic) []wire.Check {
	switch {
	case !d.cfg.LLM.Enabled:
		return one(wire.CheckNote, "no model refines; the text is that of the recogniser", "set [llm].enabled = true to have it cleaned")
	case d.cfg.LLM.Model == "":
		return one(wire.CheckFailed, "[llm].enabled is true and [llm].model is empty", "name a model of the service")
	}
	return ok("a model is named")
}

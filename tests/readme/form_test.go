package readme

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"voice-input/pkg/config"
	"voice-input/pkg/wire"
	"voice-input/tests/agents/fixture"
)

// record says what is wrong with a line that should be a record of which every
// member is known, "" if nothing is.
func record(line string) string {
	schema, err := wire.Schema([]byte(line))
	if err != nil {
		return err.Error()
	}
	for _, r := range wire.Records() {
		if r.SchemaName() != schema {
			continue
		}
		if err := wire.Decode([]byte(line), r); err != nil {
			return err.Error()
		}
		var h wire.Header
		if err := json.Unmarshal([]byte(line), &h); err != nil {
			return err.Error()
		}
		if h.Reason != wire.OK && !slices.Contains(wire.Reasons(schema), h.Reason) {
			return "no record has the reason " + h.Reason
		}
		strict := json.NewDecoder(strings.NewReader(line))
		strict.DisallowUnknownFields()
		if err := strict.Decode(r); err != nil {
			return err.Error()
		}
		return ""
	}
	return "there is no schema " + schema
}

func TestRecord(t *testing.T) {
	for line, good := range map[string]bool{
		`{"schema":"vi.asr/1","reason":"no_speech","type":"final"}`: true,
		`{"schema":"vi.asr/1","reason":"sleepy","type":"final"}`:    false,
		`{"schema":"vi.asr/1","reason":"ok","kinds":"final"}`:       false,
		`{"schema":"vi.none/1","reason":"ok"}`:                      false,
		`{`:                                                         false,
	} {
		if got := record(line); (got == "") != good {
			t.Errorf("%s: %q", line, got)
		}
	}
}

// A record in prose is one too.
func TestRecordsInProse(t *testing.T) {
	for _, d := range documents(t) {
		for _, s := range d.spans {
			if !strings.HasPrefix(s.text, `{"schema":"vi.`) {
				continue
			}
			if what := record(s.text); what != "" {
				t.Errorf("%s:%d: %s: %s", d.name, s.line, what, s.text)
			}
		}
	}
}

// isModule looks at a module for Home Manager: it is one, its options are those
// of nix/home-manager.nix, and its settings are a configuration.
func isModule(t *testing.T, where, text string) {
	t.Helper()
	fixture.Need(t, "nix-instantiate")
	file := filepath.Join(t.TempDir(), "module.nix")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "nix-instantiate", "--eval", "--strict", "--json", "--readonly-mode", "-E",
		`let m = import `+file+` { inputs.voice-input.homeModules.default = "the module"; }; in assert m.imports == [ "the module" ]; m.services.voice-input`)
	cmd.Env = append(os.Environ(), "HOME="+filepath.Dir(file), "NIX_STATE_DIR="+filepath.Dir(file), "NIX_STORE_DIR="+filepath.Dir(file))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Errorf("%s: %v: %s", where, err, stderr.Bytes())
		return
	}
	var options map[string]any
	if err := json.Unmarshal(out, &options); err != nil {
		t.Fatal(err)
	}
	module, err := os.ReadFile(filepath.Join(root, "nix/home-manager.nix"))
	if err != nil {
		t.Fatal(err)
	}
	_, declared, _ := strings.Cut(string(module), "options.services.voice-input = {")
	declared, _, _ = strings.Cut(declared, "\n  };\n")
	for name := range options {
		if !regexp.MustCompile(`(?m)^    ` + regexp.QuoteMeta(name) + `(\.enable)? = `).MatchString(declared) {
			t.Errorf("%s: the module has no option %s", where, name)
		}
	}
	settings, err := toml.Marshal(options["settings"])
	if err != nil {
		t.Fatal(err)
	}
	if _, problems := config.Parse(settings); len(problems) > 0 {
		t.Errorf("%s: %v", where, problems)
	}
}
